//! A cache of the encoded text before a hit. It is extended from one hit to the next while hits are close together.

use std::ops::Range;

use super::encoder::{Classes, Code};
use nigh_text::batch::{Batch, Layout};
use nigh_text::text::start_of_last;

/// The maximum number of symbols that a window holds beyond the length of the longest match. If there are more, a new
/// window starts, so that the window stays in the CPU cache. A window that begins at the start of a line or record has
/// no limit.
const MAX_TEXT: usize = 1 << 12;

/// Consecutive symbols of one line or record, with consecutive serial numbers. Different windows never share a serial
/// number, and no symbol has the serial number 0.
#[derive(Clone, Copy)]
pub struct Symbols<'a> {
    pub codes: &'a [Code],
    /// The serial number of the first symbol.
    pub first: usize,
}

impl Symbols<'_> {
    /// Returns one more than the serial number of the last symbol.
    pub fn end(&self) -> usize {
        self.first + self.codes.len()
    }
}

/// Position at which a match may start in the text before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchStart {
    /// At any symbol.
    Anywhere,
    /// At the first symbol.
    Fixed,
}

/// The encoded text of a range of one line or record. The range ends at the end of a hit.
pub struct TextWindow {
    codes: Vec<Code>,
    /// Offset in the batch at which the symbol of each code starts.
    starts: Vec<usize>,
    /// The serial number of the first symbol. No symbol of an earlier window has it.
    first: usize,
    /// The range of the window in the batch.
    bytes: Range<usize>,
    /// For sequences, the offset at which the record, or its part in the batch, ends.
    record_end: usize,
    /// Whether the window begins at the start of the line or record, or of its part in the batch.
    is_line_start: bool,
}

impl Default for TextWindow {
    fn default() -> Self {
        TextWindow { codes: Vec::new(), starts: Vec::new(), first: 1, bytes: 0..0, record_end: 0, is_line_start: false }
    }
}

impl TextWindow {
    /// Empties the window.
    pub fn clear(&mut self) {
        self.first += self.codes.len() + 1;
        self.codes.clear();
        self.starts.clear();
        self.bytes = 0..0;
        self.is_line_start = false;
    }

    /// Extends the window to `end`, the end of a hit, or starts a new window that ends there. The window then holds at
    /// least the last `max_match_len` symbols before `end`, or all symbols that the line or record has before `end`.
    pub fn extend_to(&mut self, classes: &Classes, batch: &Batch, end: usize, max_match_len: usize) {
        if !self.can_extend_to(batch, end, max_match_len) {
            self.clear();
            let around = batch.surroundings(end, max_match_len).bytes;
            let start =
                around.start + start_of_last(classes.alphabet(), &batch.bytes()[around.start..end], max_match_len);
            self.is_line_start = start == around.start;
            self.bytes = start..start;
            self.record_end = around.end;
        }
        let part = self.bytes.end..end;
        classes.encode(batch.bytes(), part, &mut self.codes, &mut self.starts);
        self.bytes.end = end;
    }

    /// Returns whether the window can be extended to `end`, and extending it is worthwhile.
    pub fn can_extend_to(&self, batch: &Batch, end: usize, max_match_len: usize) -> bool {
        let at = self.bytes.end;
        let is_close = at <= end && end - at <= max_match_len;
        let is_long_enough = self.codes.len() >= max_match_len || self.is_line_start;
        let is_small = self.codes.len() < MAX_TEXT + max_match_len;
        is_close
            && is_long_enough
            && is_small
            && match batch.layout() {
                Layout::Lines(lines) => memchr::memchr(lines.terminator, &batch.bytes()[at..end]).is_none(),
                Layout::Records(_) => end <= self.record_end,
            }
    }

    /// Returns all symbols of the window.
    pub fn symbols(&self) -> Symbols<'_> {
        Symbols { codes: &self.codes, first: self.first }
    }

    /// Returns the last `count` symbols, or fewer if the window is shorter.
    pub fn last(&self, count: usize) -> Symbols<'_> {
        self.from(self.codes.len().saturating_sub(count))
    }

    /// Like [`last`](Self::last), but leaves out symbols that start before the offset `start`.
    pub fn last_from(&self, start: usize, count: usize) -> Symbols<'_> {
        let index = self.starts.partition_point(|&before| before < start);
        self.from(index.max(self.codes.len().saturating_sub(count)))
    }

    fn from(&self, index: usize) -> Symbols<'_> {
        Symbols { codes: &self.codes[index..], first: self.first + index }
    }

    /// Returns the offset in the batch at which the symbol with the serial number `number` starts, or the end of the
    /// window if the number is past the last symbol.
    pub fn start_of(&self, number: usize) -> usize {
        self.starts.get(number - self.first).copied().unwrap_or(self.bytes.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{PatternSet, PatternSource};
    use nigh_text::alphabet::Alphabet;

    #[test]
    fn a_window_with_dense_hits_stays_small() {
        let set = PatternSet::builder(Alphabet::Dna).build(&[PatternSource::new("ACGT")]).unwrap();
        let classes = Classes::new(&set).unwrap();
        let max_match_len = set.max_match_len();
        let batch = Batch::of_record(b"ACGT".repeat(MAX_TEXT));
        let mut window = TextWindow::default();
        for end in (4..=batch.bytes().len()).step_by(4) {
            window.extend_to(&classes, &batch, end, max_match_len);
            let count = window.symbols().codes.len();
            assert!(count >= max_match_len.min(end) && count < MAX_TEXT + 2 * max_match_len, "{count} symbols");
            assert_eq!(window.start_of(window.symbols().end() - 1), end - 1);
        }
    }
}
