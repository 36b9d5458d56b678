//! The text before hits as codes, made once for hits that are near each other.

use std::ops::Range;

use super::encoder::{Classes, Code};
use crate::input::{Batch, Layout};
use crate::text::start_of_last;

/// A stretch that has so many symbols more than a match covers is not gone on with, so that it stays in the cache.
const MAX_TEXT: usize = 1 << 12;

/// Symbols of one line or record, numbered. Symbols of others have other numbers, and none has the number 0.
#[derive(Clone, Copy)]
pub(super) struct Symbols<'a> {
    pub(super) codes: &'a [Code],
    pub(super) first: usize,
}

impl Symbols<'_> {
    /// The number that comes after the last symbol.
    pub(super) fn end(&self) -> usize {
        self.first + self.codes.len()
    }
}

/// A stretch of one line or record that ends where a hit does.
pub(super) struct TextWindow {
    codes: Vec<Code>,
    /// Where the symbol of each code starts in the batch.
    starts: Vec<usize>,
    /// The number of the first symbol; no symbol of an earlier stretch has it.
    first: usize,
    /// Where it lies in the batch.
    bytes: Range<usize>,
    /// Where the record ends, if it is one.
    record_end: usize,
    /// Whether nothing of the line or record, as far as the batch has it, comes before.
    opens: bool,
}

impl TextWindow {
    pub(super) fn new() -> Self {
        TextWindow { codes: Vec::new(), starts: Vec::new(), first: 1, bytes: 0..0, record_end: 0, opens: false }
    }

    /// Another batch comes.
    pub(super) fn forget(&mut self) {
        self.first += self.codes.len() + 1;
        self.codes.clear();
        self.starts.clear();
        self.bytes = 0..0;
        self.opens = false;
    }

    /// Goes to the end of a hit, with the last `reach` symbols before it, or as many as the line or record has.
    pub(super) fn extend_to(&mut self, classes: &Classes, batch: &Batch, end: usize, reach: usize) {
        if !self.can_lead_to(batch, end, reach) {
            self.forget();
            let around = batch.surroundings(end, reach).bytes;
            let start = around.start + start_of_last(classes.alphabet(), &batch.bytes()[around.start..end], reach);
            self.opens = start == around.start;
            self.bytes = start..start;
            self.record_end = around.end;
        }
        let part = self.bytes.end..end;
        classes.encode(batch.bytes(), part, &mut self.codes, &mut self.starts);
        self.bytes.end = end;
    }

    /// Whether it can be gone on with up to the end of a hit, and it is worth it.
    fn can_lead_to(&self, batch: &Batch, end: usize, reach: usize) -> bool {
        let at = self.bytes.end;
        let near = at <= end && end - at <= reach;
        let holds = (reach..MAX_TEXT + reach).contains(&self.codes.len()) || self.opens;
        near && holds
            && match batch.layout() {
                Layout::Lines(lines) => memchr::memchr(lines.terminator, &batch.bytes()[at..end]).is_none(),
                Layout::Records(_) => end <= self.record_end,
            }
    }

    /// The symbols.
    pub(super) fn symbols(&self) -> Symbols<'_> {
        Symbols { codes: &self.codes, first: self.first }
    }

    /// At most so many of the last symbols.
    pub(super) fn last(&self, count: usize) -> Symbols<'_> {
        self.from(self.codes.len().saturating_sub(count))
    }

    /// At most so many of the last symbols, of those that start at an offset or behind it.
    pub(super) fn last_from(&self, start: usize, count: usize) -> Symbols<'_> {
        let index = self.starts.partition_point(|&before| before < start);
        self.from(index.max(self.codes.len().saturating_sub(count)))
    }

    fn from(&self, index: usize) -> Symbols<'_> {
        Symbols { codes: &self.codes[index..], first: self.first + index }
    }

    /// Where each of some symbols starts in the batch.
    pub(super) fn starts(&self, symbols: Symbols<'_>) -> &[usize] {
        let first = symbols.first - self.first;
        &self.starts[first..first + symbols.codes.len()]
    }

    /// Where the symbol of a number starts in the batch; the end of the stretch if it has no such symbol.
    pub(super) fn start_of(&self, number: usize) -> usize {
        self.starts.get(number - self.first).copied().unwrap_or(self.bytes.end)
    }
}
