//! The comparison of pairs of strings, of `nigh-align`: pairs from batches of text or records, their values and alignments,
//! and rows.
//!
//! Its user is the program; the interface for programs is the crate nigh. The modules here may change in any release.
//!
//! Reading order: `findings.rs` (what workers find), `work/` (from batches to rows, in place of a search), `rows/` (the forms of
//! rows, and the reports that print them).

mod findings;
mod rows;
#[cfg(test)]
mod test_support;
mod work;

pub use findings::BadLine;
pub use rows::{
    BitScores, Measure, PairBlocks, PairJson, PairPaf, PairReport, PairRow, PairRows, PairSam, PairText, PairTsv,
    PairValues, RankBounds, ShownAlignment, ShownStrand, TopReport, shown_rows,
};
pub use work::{
    BitScale, ComparedList, ListForm, PairSource, PairWork, QueryList, QueryListRules, QueryRecords, TargetLimit,
};
