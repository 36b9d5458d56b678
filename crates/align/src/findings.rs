//! What a comparison of pairs finds in a batch besides rows.

use std::ops::Range;

use nigh_report::Findings;

/// The findings of a comparison of pairs in a batch, besides its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PairFindings {
    /// Number of lines in a batch of text.
    pub lines: u64,
    /// The lines that could not be used.
    pub bad_lines: BadLines,
    /// The rows with their ranks, if only the best rows of each query are printed; otherwise empty.
    pub ranked: Vec<RankedRow>,
}

impl PairFindings {
    /// Returns the findings of a comparison of pairs in a batch; `None` if they are those of a search.
    pub(crate) fn of(findings: &Findings) -> Option<&Self> {
        findings.of_program.as_ref()?.downcast_ref()
    }
}

/// Summary of the lines of a batch that could not be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BadLines {
    /// The first bad line of the batch.
    pub first: Option<BadLine>,
    /// Number of bad lines.
    pub count: u64,
}

/// A line that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Index of the line in its batch.
    pub index: u64,
    /// The problem.
    pub problem: String,
}

/// A row with its query and its rank, for reports that print only the best rows of each query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RankedRow {
    /// Index of the query.
    pub query: usize,
    /// Rank of the row: greater is better.
    pub rank: i64,
    /// Byte range of the row in [`Findings::rows`].
    pub row: Range<usize>,
}
