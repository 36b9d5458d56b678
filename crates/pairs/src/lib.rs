//! Comparison of pairs of strings: edit distance, longest common subsequence, global and local alignment.
//!
//! A *query* is compared with a *target*. The four objectives, all defined by [`reference`](mod@reference):
//!
//! | objective | value of a pair | paper |
//! | --- | --- | --- |
//! | [`Objective::Distance`] | least number of insertions, deletions and substitutions | Levenshtein 1966 |
//! | [`Objective::Lcs`] | length of the longest common subsequence | Wagner and Fischer 1974 |
//! | [`Objective::Global`] | best score of an alignment of both strings | Needleman and Wunsch 1970, Gotoh 1982 |
//! | [`Objective::Local`] | best score of an alignment of a part of each | Smith and Waterman 1981, Gotoh 1982 |
//!
//! Strings are compared byte by byte: two symbols match if their bytes are equal. [`symbols`] encodes strings of
//! characters.
//!
//! **Ties.** Several alignments may have the best value. The walk back from the last cell of the matrix tries, in each
//! cell: the diagonal step; then gaps in the target (`I`), the shortest first; then gaps in the query (`D`), the
//! shortest first. A local alignment ends in the best cell with the smallest target position, and of these in the one
//! with the smallest query position. Its walk stops at the first cell whose score is 0.
//!
//! Reading order: this file, [`pairs`], [`scoring`], [`reference`](mod@reference), `engine`, then `cpu`,
//! `cuda`, and `hybrid` with `plan`, which choose between them.

mod aligner;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod engine;
#[cfg(feature = "cuda")]
mod hybrid;
pub mod matrices;
pub mod pairs;
#[cfg(feature = "cuda")]
mod plan;
pub mod reference;
pub mod scoring;
mod select;
pub mod symbols;
mod team;
#[cfg(test)]
mod test_cases;

use std::ops::Range;

use scoring::Scoring;

pub use nigh_device::{DeviceError, Devices, Fallback};
pub use nigh_engine::EngineChoice;
pub use nigh_text::alignment::{Cigar, Edit};
pub use nigh_verify::EngineError;

pub use aligner::{PairAligner, RankedTarget, alignment, distance, global, lcs, lcs_length, local};
#[doc(hidden)]
pub use engine::{ExpectedWork, PairEngine, PairWorker};
pub(crate) use nigh_text::alignment::EditModel;
#[doc(hidden)]
pub use select::{PairEngineTask, pair_engine};

/// The value that is computed for a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objective {
    /// Levenshtein distance: the least number of edits.
    Distance,
    /// Length of the longest common subsequence.
    Lcs,
    /// Best score of a global alignment.
    Global(Scoring),
    /// Best score of a local alignment; at least 0.
    Local(Scoring),
}

/// An alignment of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairAlignment {
    /// The value of the pair: a distance, a length or a score.
    pub value: i64,
    /// The aligned range of the query. All of it, unless the alignment is local.
    pub query: Range<usize>,
    /// The aligned range of the target. All of it, unless the alignment is local.
    pub target: Range<usize>,
    /// The operations, in the direction of the strings. `I` is a symbol of the query only, `D` a symbol of the target
    /// only.
    pub cigar: Cigar,
}
