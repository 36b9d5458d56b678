//! The table of a search in sequences: eight columns, a row a hit.

use crate::report::fields::{push_cigar, push_field, push_match, push_number};
use crate::report::style::colours::{Colours, Part};
use crate::report::{HitRow, Rows};

/// `record  start  end  pattern  distance  strand  cigar  match`, 0-based and half-open on the forward strand.
pub struct TsvRows {
    /// Whether the input's name stands before the record's.
    pub file: bool,
    /// How names and matches are coloured.
    pub colours: Colours,
}

impl TsvRows {
    /// The names of the columns, as a line.
    pub fn header(&self) -> &'static str {
        match self.file {
            true => "file\trecord\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n",
            false => "record\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n",
        }
    }
}

impl Rows for TsvRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        if self.file {
            self.colours.push(Part::File, out, |out| push_field(place.label, out));
            out.push(b'\t');
        }
        self.colours.push(Part::File, out, |out| out.extend_from_slice(place.record));
        for position in [place.start, place.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_field(place.pattern, out);
        out.push(b'\t');
        push_number(place.distance as u64, out);
        out.extend_from_slice(&[b'\t', place.strand.sign(), b'\t']);
        push_cigar(place, out);
        out.push(b'\t');
        self.colours.push(Part::Match, out, |out| push_match(place, out));
        out.push(b'\n');
    }
}
