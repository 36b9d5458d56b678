//! Reports of comparisons of pairs. Workers format the rows; the reports print them.

mod blocks;
mod json;
mod paf;
mod report;
mod sam;
mod top;
mod tsv;
mod values;
mod visible;

pub use blocks::PairBlocks;
pub use json::PairJson;
pub use paf::PairPaf;
pub use report::PairReport;
pub use sam::PairSam;
pub use top::{RankBounds, TopReport};
pub use tsv::{BitScores, PairTsv, ShownAlignment};
pub use values::PairValues;
pub use visible::shown_rows;

use std::borrow::Cow;
use std::ops::Range;

use nigh_pairs::PairAlignment;
use nigh_pattern::Strand;
use nigh_report::fields::push_number;
use nigh_text::alignment::Edit;
use nigh_text::alphabet::reverse_complement;

/// The kind of value that is computed for a pair, and its name in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// An edit distance: less is better.
    Distance,
    /// The length of a common subsequence: more is better.
    Length,
    /// The score of an alignment: more is better.
    Score,
}

/// The comparison of a pair, as the fields of a row.
pub struct PairRow<'a> {
    /// Name of the query.
    pub query_name: &'a [u8],
    /// Name of the target.
    pub target_name: &'a [u8],
    /// The query.
    pub query: PairText<'a>,
    /// The target.
    pub target: PairText<'a>,
    /// The value of the pair.
    pub value: i64,
    /// The strand of the query on which the pair has this value.
    pub strand: Strand,
    /// The score in bits; `None` if it is not printed.
    pub bits: Option<f64>,
    /// The alignment on that strand; `None` if the pair was not aligned.
    pub alignment: Option<&'a PairAlignment>,
}

/// Whether a row names the strand of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownStrand {
    /// Rows name the strand.
    Named,
    /// Rows do not name the strand, because only one strand is compared.
    Implied,
}

impl PairRow<'_> {
    /// Returns the aligned range of the query on its forward strand.
    fn query_range(&self, alignment: &PairAlignment) -> Range<usize> {
        let Range { start, end } = alignment.query;
        match self.strand {
            Strand::Forward => start..end,
            Strand::Reverse => self.query.symbols - end..self.query.symbols - start,
        }
    }

    /// Returns the query on its strand.
    fn stranded_query(&self) -> Cow<'_, [u8]> {
        match self.strand {
            Strand::Forward => self.query.bytes.into(),
            Strand::Reverse => {
                let mut query = self.query.bytes.to_vec();
                reverse_complement(&mut query);
                query.into()
            }
        }
    }
}

/// A string of a pair.
#[derive(Debug, Clone, Copy)]
pub struct PairText<'a> {
    /// Bytes of the string in the input.
    pub bytes: &'a [u8],
    /// Number of symbols.
    pub symbols: usize,
}

/// Formats comparisons as rows, one at a time, on any thread.
pub trait PairRows: Send + Sync {
    /// Returns whether rows show the alignment. If not, `row` receives none.
    fn wants_alignment(&self) -> bool;
    /// Appends the row of one pair to `out`.
    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>);
}

impl Measure {
    /// Returns the name of the column.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Distance => "distance",
            Measure::Length => "length",
            Measure::Score => "score",
        }
    }

    /// Returns a number that is greater for a better value.
    pub fn rank(self, value: i64) -> i64 {
        match self {
            Measure::Distance => -value,
            Measure::Length | Measure::Score => value,
        }
    }
}

/// Appends an integer.
fn push_value(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    push_number(value.unsigned_abs(), out);
}

/// Returns the number of matches of an alignment and the number of its operations.
fn matches_and_columns(alignment: &PairAlignment) -> [u64; 2] {
    let columns = alignment.cigar.runs().map(|(length, _)| length as u64).sum();
    let matches = alignment.cigar.runs().filter(|(_, edit)| *edit == Edit::Match);
    [matches.map(|(length, _)| length as u64).sum(), columns]
}
