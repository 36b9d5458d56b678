//! `--format ends`: prints a row for each hit in text.

use crate::fields::{push_field, push_number};
use crate::{HitRow, Rows};

/// Rows `file  end  distance  pattern`. The end is the byte offset just past the match.
pub struct EndRows;

impl Rows for EndRows {
    fn wants_alignment(&self) -> bool {
        false
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        push_field(hit.label, out);
        for number in [hit.end, hit.distance as u64] {
            out.push(b'\t');
            push_number(number, out);
        }
        out.push(b'\t');
        push_field(hit.pattern, out);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit, row};

    #[test]
    fn a_row_is_file_end_distance_and_pattern() {
        assert_eq!(row(&EndRows, &hit(&cigar("2=1X3="))), "in.fa\t16\t1\tsite 1\n");
        assert!(!EndRows.wants_alignment());
    }
}
