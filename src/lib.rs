//! Approximate string search: finds every place of a text where a pattern occurs with at most k edits (Levenshtein
//! distance). The search is exact; no heuristic drops a match.
//!
//! # Examples
//!
//! A [`Searcher`] searches text in memory:
//!
//! ```
//! let searcher = nigh::Searcher::new("connection refused", 2)?;
//! for found in searcher.find_iter(b"web02: conection refusd\n").best() {
//!     println!("{:?} {} {}", found.range(), found.distance(), found.cigar());
//! }
//! # Ok::<(), nigh::SearcherError>(())
//! ```
//!
//! The builder has the other options:
//!
//! ```
//! use nigh::Searcher;
//! use nigh::alphabet::Alphabet;
//!
//! let primers = ["GTGCCAGCMGCCGCGGTAA", "GGACTACHVGGGTWTCTAAT"];
//! let searcher = Searcher::builder(Alphabet::Dna).patterns(primers).max_edits(3).build()?;
//! assert_eq!(searcher.find_iter(b"TTGTGCCAGCAGCCGCGTAATT").best().count(), 1);
//! # Ok::<(), nigh::SearcherError>(())
//! ```
//!
//! # Layers
//!
//! A module uses only its own layer and those above it in this table:
//!
//! | layer | task | modules |
//! | --- | --- | --- |
//! | 0 | vocabulary | `alphabet`, `text`, `pattern`, `hit`, `alignment` |
//! | 1 | reads bytes into batches | `input` |
//! | 2 | finds hits in a batch and aligns them | `engine` |
//! | 3 | searches text in memory | `searcher` |
//! | 4 | formats matches | `report` |
//! | 5 | connects input, engine and report; owns the worker threads | `search` |
//! | 6 | turns arguments into a search | `cli` |
//!
//! The input layer never sees a pattern, and an engine does no I/O.
//!
//! # Features
//!
//! - `cli` (default): files, reports and all else that only the program needs. Without it the library searches text in
//!   memory.
//! - `cuda` (default): NVIDIA GPUs. The driver is loaded when it is needed; building needs nothing of CUDA.

pub mod alignment;
pub mod alphabet;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod hit;
pub mod input;
pub mod pattern;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod search;
pub mod searcher;
pub mod text;

pub use searcher::{Match, Searcher, SearcherBuilder, SearcherError};
