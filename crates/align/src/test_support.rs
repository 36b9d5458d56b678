//! Rows for the unit tests.

use nigh_pairs::PairAlignment;
use nigh_pattern::Strand;
use nigh_text::alignment::{Cigar, Edit};

use crate::rows::{PairRow, PairRows, PairText};

/// Parses the text of a CIGAR.
fn cigar(text: &str) -> Cigar {
    let mut edits = Vec::new();
    for run in text.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let (length, letter) = run.split_at(run.len() - 1);
        let all = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];
        let edit = all.into_iter().find(|edit| edit.letter() == letter.as_bytes()[0]).unwrap();
        edits.extend(std::iter::repeat_n(edit, length.parse().unwrap()));
    }
    Cigar::from_backward(edits.into_iter().rev())
}

/// A pair of strings and its alignment.
pub(crate) struct OwnedRow {
    pub(crate) value: i64,
    pub(crate) strand: Strand,
    pub(crate) alignment: Option<PairAlignment>,
}

/// Returns a pair. Its alignment, if any, aligns all six symbols of the query with the target from the second symbol
/// on.
pub(crate) fn pair(alignment: &Option<&str>) -> OwnedRow {
    let alignment = alignment.map(|text| PairAlignment { value: -5, query: 0..6, target: 1..7, cigar: cigar(text) });
    OwnedRow { value: -5, strand: Strand::Forward, alignment }
}

impl OwnedRow {
    /// Returns the pair as the fields of a row.
    pub(crate) fn row(&self) -> PairRow<'_> {
        PairRow {
            query_name: b"q",
            target_name: b"t",
            query: PairText { bytes: b"ACGTAC", symbols: 6 },
            target: PairText { bytes: b"GACCTACGG", symbols: 9 },
            value: self.value,
            strand: self.strand,
            bits: Some(20.42),
            alignment: self.alignment.as_ref(),
        }
    }
}

/// Formats one row of a comparison.
pub(crate) fn pair_row(rows: &dyn PairRows, pair: &PairRow<'_>) -> String {
    let mut out = Vec::new();
    rows.row(pair, &mut out);
    String::from_utf8(out).unwrap()
}
