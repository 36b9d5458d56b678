//! PAF, the format of minimap2.

use super::{Measure, PairRow, PairRows, matches_and_columns, push_cigar, push_value};
use crate::report::fields::{push_name, push_number};

/// Rows of twelve columns, `NM:i`, `AS:i` if the value is a score, and `cg:Z`. The mapping quality is 255: not
/// available. Pairs without an alignment have no row.
pub(crate) struct PairPaf {
    /// The value.
    pub measure: Measure,
}

impl PairRows for PairPaf {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let Some(alignment) = pair.alignment.filter(|alignment| !alignment.cigar.runs().is_empty()) else { return };
        let [matches, columns] = matches_and_columns(alignment);
        push_name(pair.query_name, |byte| byte > b' ', out);
        push_columns(&[pair.query.symbols, alignment.query.start, alignment.query.end], out);
        out.extend_from_slice(b"\t+\t");
        push_name(pair.target_name, |byte| byte > b' ', out);
        push_columns(&[pair.target.symbols, alignment.target.start, alignment.target.end], out);
        push_columns(&[matches as usize, columns as usize, 255], out);
        out.extend_from_slice(b"\tNM:i:");
        push_number(columns - matches, out);
        if self.measure == Measure::Score {
            out.extend_from_slice(b"\tAS:i:");
            push_value(pair.value, out);
        }
        out.extend_from_slice(b"\tcg:Z:");
        push_cigar(alignment, out);
        out.push(b'\n');
    }
}

fn push_columns(numbers: &[usize], out: &mut Vec<u8>) {
    for &number in numbers {
        out.push(b'\t');
        push_number(number as u64, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_support::{pair, pair_row};

    #[test]
    fn a_row_has_the_columns_of_the_format() {
        let rows = PairPaf { measure: Measure::Score };
        let expected = "q\t6\t0\t6\t+\tt\t9\t1\t7\t5\t6\t255\tNM:i:1\tAS:i:-5\tcg:Z:2=1X3=\n";
        assert_eq!(pair_row(&rows, &pair(&Some("2=1X3=")).row()), expected);
        assert_eq!(pair_row(&rows, &pair(&Some("")).row()), "");
    }
}
