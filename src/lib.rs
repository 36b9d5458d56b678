//! Approximate string search: finds every place of a text where a pattern occurs with at most k edits (Levenshtein
//! distance). The search is exact; no heuristic drops a match.
//!
//! A module uses only the layers above its own:
//!
//! | layer | task | modules |
//! | --- | --- | --- |
//! | 0 | vocabulary | `alphabet`, `text`, `pattern`, `hit`, `alignment` |
//! | 1 | reads bytes into batches | `input` |
//! | 2 | finds hits in a batch and aligns them | `engine` |
//! | 3 | formats matches | `report` |
//! | 4 | connects input, engine and report; owns the worker threads | `search` |
//! | 5 | turns arguments into a search | `cli` |
//!
//! The input layer never sees a pattern, and an engine does no I/O.
//!
//! # Example
//!
//! Finds every end position of a match with at most one edit, and aligns the first:
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
