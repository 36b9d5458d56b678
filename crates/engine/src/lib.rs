//! The engine of nigh: which finder searches for some patterns, and which refinements its hits pass through.
//!
//! Its users are the crates of nigh; the interface for programs is the crate nigh. The modules here may change in any
//! release.
//!
//! 1. `choice` is the user's choice of an engine, `select` builds this engine, and `search` is the engine.
//! 2. `owners` gives hits back to the patterns that the user gave, and `windows` searches only the parts of a record where a
//!    match can be.
//! 3. `matching_lines` divides text into records of several lines.

mod choice;
mod matching_lines;
mod owners;
mod search;
mod select;
mod windows;

pub use choice::{EngineChoice, EngineKind};
pub use matching_lines::{MatchingLines, MatchingLinesError};
#[cfg(feature = "cuda")]
pub use nigh_cuda::open_devices;
pub use search::Engine;
pub use select::{cpu_engine, engine};
