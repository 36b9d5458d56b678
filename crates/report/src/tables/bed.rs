//! BED with six columns, for bedtools and genome browsers (GA4GH BED v1).

use crate::fields::{push_name, push_number};
use crate::{HitRow, Rows};

/// Rows `chrom  start  end  name  score  strand`. The name is the pattern. The score is 1000 times the fraction of the
/// pattern's symbols without an edit: 900 for two edits in twenty symbols.
pub struct BedRows;

impl Rows for BedRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        push_name(hit.record, |byte| byte > b' ', out);
        for position in [hit.start, hit.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_name(hit.pattern, |byte| byte > b' ', out);
        out.push(b'\t');
        let symbols = hit.pattern_symbols().max(1);
        let right = symbols.saturating_sub(hit.distance);
        push_number((1000 * right / symbols) as u64, out);
        out.extend_from_slice(&[b'\t', hit.strand.sign(), b'\n']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit, row};

    #[test]
    fn the_score_is_the_share_of_symbols_without_an_edit() {
        assert_eq!(row(&BedRows, &hit(&cigar("6="))), "chr1\t10\t16\tsite_1\t1000\t+\n");
        assert_eq!(row(&BedRows, &hit(&cigar("2=1X3="))), "chr1\t10\t16\tsite_1\t833\t+\n");
        assert_eq!(row(&BedRows, &hit(&cigar("7D"))), "chr1\t10\t16\tsite_1\t0\t+\n", "more edits than symbols");
    }

    #[test]
    fn a_name_is_never_empty_and_has_no_blank() {
        let cigar = cigar("6=");
        let hit = HitRow { record: b"", pattern: b"a b\tc", ..hit(&cigar) };
        assert_eq!(row(&BedRows, &hit), ".\t10\t16\ta_b_c\t1000\t+\n");
    }
}
