//! PAF, the format of minimap2.

use std::ops::Range;

use super::{Measure, PairRow, PairRows, PairText, matches_and_columns, push_value};
use nigh_report::fields::{push_columns, push_name, push_number, push_runs};

/// Rows of twelve columns, `NM:i`, `AS:i` if the value is a score, and `cg:Z`. The mapping quality is 255: not
/// available. Pairs without an alignment have no row.
pub struct PairPaf {
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
}

impl PairRows for PairPaf {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let Some(alignment) = pair.alignment.filter(|alignment| alignment.cigar.runs().len() > 0) else { return };
        let [matches, columns] = matches_and_columns(alignment);
        push_name(pair.query_name, |byte| byte > b' ', out);
        let positions =
            |text: PairText<'_>, range: &Range<usize>| [text.symbols, range.start, range.end].map(|at| at as u64);
        push_columns(&positions(pair.query, &pair.query_range(alignment)), out);
        out.extend_from_slice(&[b'\t', pair.strand.sign(), b'\t']);
        push_name(pair.target_name, |byte| byte > b' ', out);
        push_columns(&positions(pair.target, &alignment.target), out);
        push_columns(&[matches, columns, 255], out);
        out.extend_from_slice(b"\tNM:i:");
        push_number(columns - matches, out);
        if self.measure == Measure::Score {
            out.extend_from_slice(b"\tAS:i:");
            push_value(pair.value, out);
        }
        out.extend_from_slice(b"\tcg:Z:");
        push_runs(&alignment.cigar, out);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{pair, pair_row};
    use nigh_pattern::Strand;

    #[test]
    fn a_row_has_the_columns_of_the_format() {
        let rows = PairPaf { measure: Measure::Score };
        let expected = "q\t6\t0\t6\t+\tt\t9\t1\t7\t5\t6\t255\tNM:i:1\tAS:i:-5\tcg:Z:2=1X3=\n";
        assert_eq!(pair_row(&rows, &pair(&Some("2=1X3=")).row()), expected);
        assert_eq!(pair_row(&rows, &pair(&Some("")).row()), "");
        let mut reverse = pair(&Some("2=1X3="));
        reverse.strand = Strand::Reverse;
        reverse.alignment.as_mut().unwrap().query = 1..6;
        assert!(pair_row(&rows, &reverse.row()).starts_with("q\t6\t0\t5\t-\tt\t9\t1\t7\t"));
    }
}
