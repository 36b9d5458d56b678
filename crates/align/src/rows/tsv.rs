//! The default table of comparisons, separated by tabs.

use super::{Measure, PairRow, PairRows, ShownStrand, push_value};
use nigh_report::fields::{push_columns, push_field, push_runs};

/// Whether the score in bits has a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitScores {
    /// The table has a column for the score in bits.
    Printed,
    /// The table has no such column.
    NotPrinted,
}

/// Rows `query  target  value`, then the score in bits and the strand if wanted, and, if alignments are shown, `query
/// start  query end  target start  target end  CIGAR`. Positions are 0-based and half-open, in symbols, on the forward
/// strand.
pub struct PairTsv {
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
    /// Whether rows have the score in bits.
    pub bits: BitScores,
    /// Whether rows name the strand of the query.
    pub strand: ShownStrand,
    /// Whether rows show the alignment.
    pub alignment: ShownAlignment,
}

/// Whether rows show the alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAlignment {
    /// Rows show its ranges and its CIGAR.
    Cigar,
    /// Rows do not show the alignment.
    None,
}

impl PairTsv {
    /// Returns the header line with the names of the columns.
    pub fn header(&self) -> String {
        let mut header = format!("query\ttarget\t{}", self.measure.name());
        if self.bits == BitScores::Printed {
            header.push_str("\tbits");
        }
        if self.strand == ShownStrand::Named {
            header.push_str("\tstrand");
        }
        if self.alignment == ShownAlignment::Cigar {
            header.push_str("\tquery_start\tquery_end\ttarget_start\ttarget_end\tcigar");
        }
        header + "\n"
    }
}

impl PairRows for PairTsv {
    fn wants_alignment(&self) -> bool {
        self.alignment == ShownAlignment::Cigar
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        push_field(pair.query_name, out);
        out.push(b'\t');
        push_field(pair.target_name, out);
        out.push(b'\t');
        push_value(pair.value, out);
        if let Some(bits) = pair.bits {
            out.extend_from_slice(format!("\t{bits:.1}").as_bytes());
        }
        if self.strand == ShownStrand::Named {
            out.extend_from_slice(&[b'\t', pair.strand.sign()]);
        }
        if let Some(alignment) = pair.alignment {
            let (query, target) = (pair.query_range(alignment), &alignment.target);
            let positions = [query.start, query.end, target.start, target.end];
            push_columns(&positions.map(|position| position as u64), out);
            out.push(b'\t');
            push_runs(&alignment.cigar, out);
        }
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{pair, pair_row};
    use nigh_pattern::Strand;

    #[test]
    fn a_row_has_a_field_for_each_name_in_the_header() {
        let (aligned, plain) = (pair(&Some("2=1X3=")), pair(&None));
        let mut reverse = pair(&Some("2=1X2="));
        reverse.strand = Strand::Reverse;
        reverse.alignment.as_mut().unwrap().query = 1..6;
        use {BitScores as Bits, ShownAlignment as Shown};
        for (bits, strand, alignment, row, expected) in [
            (Bits::NotPrinted, ShownStrand::Implied, Shown::None, &plain, "q\tt\t-5\n"),
            (Bits::Printed, ShownStrand::Implied, Shown::None, &plain, "q\tt\t-5\t20.4\n"),
            (Bits::Printed, ShownStrand::Named, Shown::None, &plain, "q\tt\t-5\t20.4\t+\n"),
            (Bits::NotPrinted, ShownStrand::Implied, Shown::Cigar, &aligned, "q\tt\t-5\t0\t6\t1\t7\t2=1X3=\n"),
            (Bits::NotPrinted, ShownStrand::Named, Shown::Cigar, &reverse, "q\tt\t-5\t-\t0\t5\t1\t7\t2=1X2=\n"),
        ] {
            let rows = PairTsv { measure: Measure::Score, bits, strand, alignment };
            let mut row = row.row();
            row.bits = row.bits.filter(|_| bits == BitScores::Printed);
            assert_eq!(pair_row(&rows, &row), expected);
            assert_eq!(rows.header().matches('\t').count(), expected.matches('\t').count());
        }
    }
}
