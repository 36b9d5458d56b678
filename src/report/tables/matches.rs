//! `-o` in sequences: the residues of each match, on a line of their own.

use crate::report::fields::push_match;
use crate::report::style::colours::Part;
use crate::report::{HitRow, Prefix, Rows};

/// The match alone, without line breaks.
pub struct MatchRows {
    /// Of this, the file name and the colours count.
    pub prefix: Prefix,
}

impl Rows for MatchRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        let mut residues = Vec::with_capacity(place.matched.len());
        push_match(place, &mut residues);
        let written = self.prefix.file(place.label, b":", out);
        let written = written.and_then(|()| self.prefix.colours.write(Part::Match, &residues, out));
        written.expect("memory can be written to");
        out.push(b'\n');
    }
}
