//! Batches of text that is in memory.

use memchr::memchr;

use super::window::Window;
use super::{Batch, Layout, Segment};
use crate::alphabet::{count_residues, is_residue};

/// The terminator of lines in memory.
pub(super) const LINE_FEED: u8 = b'\n';

/// Cuts text in memory into batches, in order.
///
/// The batches borrow the text. Text is cut at line ends, so a batch is at least as long as its longest line. A sequence is
/// one record without a header; it is cut before any residue, and each batch has the context that a match can cover.
pub struct MemoryBatches<'t> {
    text: &'t [u8],
    window: Window,
    /// Offset in the text of the first byte that no batch owned.
    at: usize,
    /// In a sequence, the number of residues before `at`.
    residues: u64,
}

impl<'t> MemoryBatches<'t> {
    /// Cuts a text into batches that own about `window.bytes` bytes.
    pub fn new(text: &'t [u8], window: Window) -> Self {
        MemoryBatches { text, window, at: 0, residues: 0 }
    }

    /// Sets the number of bytes that the next batches own.
    pub fn set_bytes(&mut self, bytes: usize) {
        self.window.bytes = bytes;
    }

    fn lines(&mut self) -> (Batch<'t>, usize) {
        let nominal_end = self.text.len().min(self.at.saturating_add(self.window.bytes.max(1)));
        // The last byte of the batch may end a line itself.
        let line_end = memchr(LINE_FEED, &self.text[nominal_end - 1..]);
        let end = line_end.map_or(self.text.len(), |length| nominal_end + length);
        (Batch::of_lines(&self.text[self.at..end], LINE_FEED), end)
    }

    fn record(&mut self) -> (Batch<'t>, usize) {
        let (text, at) = (self.text, self.at);
        let nominal_end = text.len().min(at.saturating_add(self.window.bytes.max(1)));
        // The cut is just before a residue. The batch includes this residue, which shows that the record continues.
        let end = text[nominal_end..].iter().position(|&byte| is_residue(byte));
        let end = end.map_or(text.len(), |length| nominal_end + length);
        let start = self.context_start();
        let bytes = &text[start..text.len().min(end + 1)];
        let segment = Segment {
            position: self.residues - count_residues(&text[start..at]) as u64,
            continues: at > 0,
            opens: start == 0,
            closes: end == text.len(),
            ..Segment::whole(0..bytes.len())
        };
        self.residues += count_residues(&text[at..end]) as u64;
        let layout = Layout::Records(vec![segment]);
        (Batch::new(bytes, 0..bytes.len(), at - start..end - start, layout), end)
    }

    /// Returns the offset in the text at which the context of the next batch starts.
    fn context_start(&self) -> usize {
        // One residue more than a match covers, to evaluate the edges of a match.
        let mut residues = self.window.max_match_len + 1;
        let mut start = self.at;
        while start > 0 && residues > 0 {
            start -= 1;
            residues -= usize::from(is_residue(self.text[start]));
        }
        start
    }
}

impl<'t> Iterator for MemoryBatches<'t> {
    /// A batch, and the offset in the text of its first byte.
    type Item = (Batch<'t>, usize);

    fn next(&mut self) -> Option<(Batch<'t>, usize)> {
        if self.at == self.text.len() {
            return None;
        }
        let is_sequence = self.window.alphabet.is_sequence();
        let (batch, end) = if is_sequence { self.record() } else { self.lines() };
        let offset = self.at - batch.owned().start;
        self.at = end;
        Some((batch, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;

    fn batches(text: &[u8], bytes: usize, alphabet: Alphabet) -> Vec<(String, usize)> {
        let window = Window { bytes, max_match_len: 2, alphabet };
        let owned = |(batch, offset): (Batch<'_>, usize)| {
            let owned = &batch.bytes()[batch.owned()];
            (String::from_utf8_lossy(owned).into_owned(), offset)
        };
        MemoryBatches::new(text, window).map(owned).collect()
    }

    #[test]
    fn lines_are_whole() {
        let parts = |bytes| batches(b"one\ntwo\nthree", bytes, Alphabet::Text).into_iter().map(|part| part.0);
        assert_eq!(parts(1).collect::<Vec<_>>(), ["one\n", "two\n", "three"]);
        assert_eq!(parts(4).collect::<Vec<_>>(), ["one\n", "two\n", "three"]);
        assert_eq!(parts(5).collect::<Vec<_>>(), ["one\ntwo\n", "three"]);
        assert_eq!(parts(100).collect::<Vec<_>>(), ["one\ntwo\nthree"]);
        assert!(batches(b"", 4, Alphabet::Text).is_empty());
    }

    #[test]
    fn sequences_are_cut_before_a_residue_and_have_context() {
        let parts = batches(b"ACGT\nACGT\n", 4, Alphabet::Dna);
        assert_eq!(parts, [("ACGT\n".to_owned(), 0), ("ACGT\n".to_owned(), 1)]);
        let whole: String = batches(b"AC\nGT", 1, Alphabet::Dna).into_iter().map(|part| part.0).collect();
        assert_eq!(whole, "AC\nGT");
    }
}
