//! The table of a search in sequences: eight columns, a row a hit.

use super::{Place, Rows, push_number};
use crate::alignment::Cigar;
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
        for position in [place.start, place.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        out.extend_from_slice(place.pattern);
        out.push(b'\t');
        push_number(place.distance as u64, out);
        out.extend_from_slice(&[b'\t', place.strand.sign(), b'\t']);
        for &(length, edit) in place.cigar.map_or(&[][..], Cigar::runs) {
            push_number(u64::from(length), out);
            out.push(edit.letter());
        }
        out.push(b'\t');
        push_residues(place, out);
        out.push(b'\n');
    }
}

/// Adds the match without line breaks.
fn push_residues(place: &Place<'_>, out: &mut Vec<u8>) {
    // Most matches stand in one line, and so have as many bytes as residues.
    match place.matched.len() as u64 == place.end - place.start {
        true => out.extend_from_slice(place.matched),
        false => out.extend(place.matched.iter().filter(|&&byte| is_residue(byte))),
    }
}
