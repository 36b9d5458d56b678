//! The last residues of a record, without line breaks.

use std::ops::Range;

use memchr::memchr;

use nigh_text::alphabet::{count_residues, is_residue};

/// Keeps the residues of a record from some position on.
#[derive(Debug, Default)]
pub(crate) struct RecordText {
    /// Position in the record of the first residue kept.
    start: u64,
    residues: Vec<u8>,
}

impl RecordText {
    /// Begins a record.
    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.residues.clear();
    }

    /// Adds the next bytes of the record.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (line, after) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            // Fast path: lines rarely have blanks. The count is vectorised.
            if count_residues(line) == line.len() {
                self.residues.extend_from_slice(line);
            } else {
                self.residues.extend(line.iter().filter(|&&byte| is_residue(byte)));
            }
            rest = after.get(1..).unwrap_or_default();
        }
    }

    /// Removes the residues before a position.
    pub(crate) fn forget_before(&mut self, position: u64) {
        let before = (position.saturating_sub(self.start) as usize).min(self.residues.len());
        self.residues.drain(..before);
        self.start += before as u64;
    }

    /// Returns the residues at `range`, in positions of the record. All must be kept.
    pub(crate) fn get(&self, range: Range<u64>) -> &[u8] {
        &self.residues[(range.start - self.start) as usize..(range.end - self.start) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_have_their_positions_in_the_record() {
        let mut text = RecordText::default();
        text.push(b"AC\nG T\r\nA");
        text.forget_before(2);
        text.push(b"\nCC");
        text.forget_before(1);
        assert_eq!(text.get(2..6), b"GTAC");
        text.forget_before(100);
        text.push(b"T");
        assert_eq!(text.get(7..8), b"T");
    }
}
