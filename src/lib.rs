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
//! use nigh::{Alphabet, Searcher};
//!
//! let primers = ["GTGCCAGCMGCCGCGGTAA", "GGACTACHVGGGTWTCTAAT"];
//! let searcher = Searcher::builder(Alphabet::Dna).patterns(primers).max_edits(3).build()?;
//! assert_eq!(searcher.find_iter(b"TTGTGCCAGCAGCCGCGTAATT").best().count(), 1);
//! # Ok::<(), nigh::SearcherError>(())
//! ```
//!
//! # Features
//!
//! - `cli` (default): files, reports and everything else that only the program needs. Without it the library searches
//!   text in memory.
//! - `cuda` (default): NVIDIA GPUs. The driver is loaded when it is needed; building does not need CUDA.
//!
//! # Platforms
//!
//! The library is tested on x86-64 Linux, and its engines on 64-bit ARM Linux. It is compiled for macOS and Windows, but
//! has not been run there. The feature `cli` needs Unix; on Windows, set `default-features = false`.

#[cfg(all(not(unix), feature = "cli"))]
compile_error!("the programs and the feature `cli` of nigh need Unix: set `default-features = false`");

// Modules that are public but hidden serve the program, tests, benchmarks and fuzz targets. They may change in any
// release. DESIGN.md describes their layers.
#[cfg(all(unix, feature = "cli"))]
#[doc(hidden)]
pub mod cli;
#[cfg(all(unix, feature = "cli"))]
mod file;
#[cfg(all(unix, feature = "cli"))]
#[doc(hidden)]
pub mod process;
mod searcher;

#[cfg(all(unix, feature = "cli"))]
pub use file::{FileError, FileEvent, FileRecord, FileSearch, FileSplit, SplitPosition, SplitSizes};
pub use nigh_text::alignment::{Cigar, Edit};
pub use nigh_text::alphabet::Alphabet;
// For the texts of groups in Python.
pub use nigh_device::{DeviceError, Devices, Fallback};
pub use nigh_engine::{EngineChoice, EngineKind};
pub use nigh_pairs as pairwise;
pub use nigh_pattern::{
    AmbiguousLetters, Bound, Case, EditCosts, EditLimit, Edits, ForeignConstruct, Groups, MatchExtent, MaxEdits,
    Notation, OverhangCost, PatternError, PatternProblem, PositionRange, Strand, Transpositions, Unsupported,
};
#[cfg(all(unix, feature = "cli"))]
#[doc(inline)]
pub use nigh_report::{FileHit, HitSelection};
#[doc(hidden)]
pub use nigh_text::alphabet::{is_residue, reverse_complement};
pub use nigh_text::interrupt::{Interrupted, interruptible};
pub use nigh_verify::{EngineError, InputSize};
pub use searcher::{
    Cache, CapturedGroup, Captures, Match, Matches, OPTION_NAMES, OptionError, RecordRanges, RecordSplitter,
    ReplaceError, Searcher, SearcherBuilder, SearcherError, Selected, SelectedInTexts, TextMatches,
};

/// Items for fuzz targets that are not part of the library.
#[doc(hidden)]
#[cfg(all(unix, feature = "cli"))]
pub mod fuzzing {
    pub use nigh_report::Colours;
}
