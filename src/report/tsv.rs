//! The table of a search in sequences: eight columns, a row a hit.

use std::io::Write;

use super::{Place, Rows};
use crate::alphabet::is_residue;

/// `record  start  end  pattern  distance  strand  cigar  match`, 0-based and half-open on the forward strand.
pub struct TsvRows {
    /// Whether the input's name stands before the record's.
    pub file: bool,
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

    fn row(&self, place: &Place<'_>, out: &mut Vec<u8>) {
        if self.file {
            out.extend_from_slice(place.label);
            out.push(b'\t');
        }
        out.extend_from_slice(place.record);
        let Place { start, end, distance, .. } = place;
        let written = write!(out, "\t{start}\t{end}\t").and_then(|()| {
            out.extend_from_slice(place.pattern);
            write!(out, "\t{distance}\t{}\t", place.strand.sign())?;
            place.cigar.map_or(Ok(()), |cigar| write!(out, "{cigar}"))
        });
        written.expect("a buffer takes all that is written to it");
        out.push(b'\t');
        out.extend(place.matched.iter().filter(|&&byte| is_residue(byte)));
        out.push(b'\n');
    }
}
