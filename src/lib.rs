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
//!
//! All ends at which a pattern matches with at most one edit, and how:
//!
//! ```
//! use std::sync::Arc;
//!
//! use nigh::alphabet::Alphabet;
//! use nigh::engine::{Choice, engine};
//! use nigh::input::Batch;
//! use nigh::pattern::{MaxErrors, PatternSet, PatternSource};
//!
//! let builder = PatternSet::builder(Alphabet::Text).max_errors(MaxErrors::Count(1));
//! let patterns = Arc::new(builder.build(&[PatternSource::new("deadlock")])?);
//! let engine = engine(Choice::Cpu, patterns, 1)?;
//!
//! let batch = Batch::of_lines("another deadlok\n", b'\n');
//! let (mut hits, mut alignments) = (Vec::new(), Vec::new());
//! engine.scanner()?.scan(&batch, &mut hits)?;
//! engine.aligner()?.align(&batch, &hits, &mut alignments)?;
//!
//! assert_eq!((hits[0].end, hits[0].distance), (15, 1));
//! assert_eq!(&batch.bytes()[alignments[0].start..alignments[0].end], b"deadlok");
//! assert_eq!(alignments[0].cigar.to_string(), "6=1I1=");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alignment;
pub mod alphabet;
pub mod cli;
pub mod engine;
pub mod hit;
pub mod input;
pub mod pattern;
pub mod report;
pub mod search;
pub mod searcher;
pub mod text;

pub use searcher::{Match, Searcher, SearcherBuilder, SearcherError};
