//! Finds everything that nearly matches: each place of a text where a pattern occurs with at most k edits.
//!
//! The layers, each of which uses only those above it:
//!
//! | layer | what it does | modules |
//! | --- | --- | --- |
//! | 0 | the vocabulary | `alphabet`, `text`, `pattern`, `hit`, `alignment` |
//! | 1 | bytes to batches | `input` |
//! | 2 | batches and patterns to hits, hits to alignments | `engine` |
//! | 3 | matches to bytes | `report` |
//! | 4 | wires them together, with threads | `search` |
//! | 5 | arguments to a search | `cli` |
//!
//! Input never sees a pattern; an engine does no I/O; only search has threads.

pub mod alignment;
pub mod alphabet;
pub mod cli;
pub mod engine;
pub mod hit;
pub mod input;
pub mod pattern;
pub mod report;
pub mod search;
pub mod text;
