//! SAM 1.6: the queries are the reads, the targets are the references. The header is the work of
//! [`SamReport`](nigh_report::SamReport).

use super::{Measure, PairRow, PairRows, matches_and_columns, push_value};
use nigh_pattern::Strand;
use nigh_report::fields::{push_name, push_number, push_runs};
use nigh_report::tables::sam::{NO_MATE, SECONDARY, is_reference_name};

/// Rows of eleven columns, `NM:i` and `AS:i`. `AS:i` is the score, the length of the subsequence, or the negated
/// distance. The mapping quality is 255, which means that it is not available. Symbols of the query outside a local
/// alignment are clipped. A query on the reverse strand is printed as its reverse complement, with flag 16. A pair has
/// no row if it has no alignment, or if SAM does not allow the name of its target. The report refuses rows whose query
/// has a name that is too long, because a part of it may be the name of another query.
pub struct PairSam {
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
}

impl PairRows for PairSam {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let Some(alignment) = pair.alignment.filter(|alignment| !alignment.target.is_empty()) else { return };
        if !is_reference_name(pair.target_name) {
            return;
        }
        push_name(pair.query_name, |byte| byte.is_ascii_graphic() && byte != b'@', out);
        out.push(b'\t');
        out.extend_from_slice(SECONDARY[usize::from(pair.strand == Strand::Reverse)]);
        out.push(b'\t');
        out.extend_from_slice(pair.target_name);
        out.push(b'\t');
        push_number(alignment.target.start as u64 + 1, out);
        out.extend_from_slice(b"\t255\t");
        push_clip(alignment.query.start, out);
        push_runs(&alignment.cigar, out);
        push_clip(pair.query.symbols - alignment.query.end, out);
        out.extend_from_slice(NO_MATE);
        match &*pair.stranded_query() {
            [] => out.push(b'*'),
            query => out.extend_from_slice(query),
        }
        let [matches, columns] = matches_and_columns(alignment);
        let edits = columns - matches;
        out.extend_from_slice(b"\t*\tNM:i:");
        push_number(edits, out);
        out.extend_from_slice(b"\tAS:i:");
        push_value(self.measure.rank(pair.value), out);
        out.push(b'\n');
    }
}

/// Appends the operation of clipped symbols, if there are any.
fn push_clip(symbols: usize, out: &mut Vec<u8>) {
    if symbols > 0 {
        push_number(symbols as u64, out);
        out.push(b'S');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{pair, pair_row};

    #[test]
    fn a_row_has_the_columns_of_the_format() {
        let rows = PairSam { measure: Measure::Score };
        let expected = "q\t256\tt\t2\t255\t2=1X3=\t*\t0\t0\tACGTAC\t*\tNM:i:1\tAS:i:-5\n";
        assert_eq!(pair_row(&rows, &pair(&Some("2=1X3=")).row()), expected);
        let mut reverse = pair(&Some("2=1X2="));
        reverse.strand = Strand::Reverse;
        reverse.alignment.as_mut().unwrap().query = 1..6;
        let expected = "q\t272\tt\t2\t255\t1S2=1X2=\t*\t0\t0\tGTACGT\t*\tNM:i:1\tAS:i:-5\n";
        assert_eq!(pair_row(&rows, &reverse.row()), expected);
    }
}
