//! `--ends`: a row for every end position in text.

use std::io::Write;

use super::{Place, Rows};

/// `file  end  distance  pattern`; the end is the byte offset just past the match.
pub struct EndRows;

impl Rows for EndRows {
    fn wants_alignment(&self) -> bool {
        false
    }

    fn row(&self, place: &Place<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(place.label);
        write!(out, "\t{}\t{}\t", place.end, place.distance).expect("a buffer takes all that is written to it");
        out.extend_from_slice(place.pattern);
        out.push(b'\n');
    }
}
