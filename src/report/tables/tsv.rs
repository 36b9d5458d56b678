//! The default table for sequences: eight columns, one row per hit.

use crate::report::fields::{push_cigar, push_field, push_match, push_number};
use crate::report::style::colours::{ColouredPart, Colours};
use crate::report::{HitRow, Rows};

/// Rows `record  start  end  pattern  distance  strand  cigar  match`. Positions are 0-based and half-open on the
/// forward strand.
pub(crate) struct TsvRows {
    /// Whether the first column is the name of the input.
    pub file: bool,
    /// Colours of names and matches.
    pub colours: Colours,
}

impl TsvRows {
    /// Returns the header line with the names of the columns.
    pub(crate) fn header(&self) -> &'static str {
        if self.file {
            "file\trecord\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n"
        } else {
            "record\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n"
        }
    }
}

impl Rows for TsvRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        if self.file {
            self.colours.push(ColouredPart::File, out, |out| push_field(hit.label, out));
            out.push(b'\t');
        }
        self.colours.push(ColouredPart::File, out, |out| out.extend_from_slice(hit.record));
        for position in [hit.start, hit.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_field(hit.pattern, out);
        out.push(b'\t');
        push_number(hit.distance as u64, out);
        out.extend_from_slice(&[b'\t', hit.strand.sign(), b'\t']);
        push_cigar(hit, out);
        out.push(b'\t');
        self.colours.push(ColouredPart::Match, out, |out| push_match(hit, out));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_support::{cigar, hit, row};

    #[test]
    fn a_row_has_a_field_for_each_name_in_the_header() {
        let cigar = cigar("2=1X3=");
        for (file, expected) in [
            (false, "chr1\t10\t16\tsite 1\t1\t+\t2=1X3=\tACCTAC\n"),
            (true, "in.fa\tchr1\t10\t16\tsite 1\t1\t+\t2=1X3=\tACCTAC\n"),
        ] {
            let rows = TsvRows { file, colours: Colours::off() };
            assert_eq!(row(&rows, &hit(&cigar)), expected);
            assert_eq!(rows.header().matches('\t').count(), expected.matches('\t').count());
        }
    }

    #[test]
    fn control_characters_in_names_end_no_field() {
        let cigar = cigar("2=1X3=");
        let hit = HitRow { label: b"a\tb", pattern: b"c\nd", ..hit(&cigar) };
        let printed = row(&TsvRows { file: true, colours: Colours::off() }, &hit);
        assert_eq!(printed, "a b\tchr1\t10\t16\tc d\t1\t+\t2=1X3=\tACCTAC\n");
    }
}
