//! The parts of lines and records that matches with an overhang can cover.

use std::ops::Range;

use nigh_pattern::{Pattern, PositionRange};
use nigh_text::alphabet::{Alphabet, count_residues};
use nigh_text::text::{end_of_first, next_symbol, previous_symbol, start_of_last, symbol_boundary};
use nigh_text::text_item::{TextItem, end_of_residue};

/// The conditions on the text of matches that all patterns of a set share.
#[derive(Clone, Copy)]
pub struct TextConditions {
    alphabet: Alphabet,
    within: PositionRange,
    max_ambiguous: Option<usize>,
}

impl TextConditions {
    pub fn new(alphabet: Alphabet, pattern: &Pattern) -> Self {
        TextConditions { alphabet, within: pattern.within(), max_ambiguous: pattern.max_ambiguous() }
    }

    /// Returns whether matches may be anywhere in a line or record.
    pub(super) fn allow_anywhere(self) -> bool {
        self.within.is_all()
    }

    /// Returns the part of a line or record in which matches may be. It opens or closes only if matches in it may hang
    /// over.
    pub(super) fn allowed(self, bytes: &[u8], item: TextItem) -> TextItem {
        if self.within.is_all() {
            return item;
        }
        let text = &bytes[item.bytes.clone()];
        let units = if self.alphabet.is_sequence() { count_residues(text) } else { text.len() } as u64;
        let length = if item.closes { item.position + units } else { u64::MAX };
        let Range { start, end } = self.within.of_length(length);
        let [start_unit, end_unit] = [start, end].map(|unit| unit.saturating_sub(item.position).min(units) as usize);
        let (start_byte, end_byte) = match self.alphabet.is_sequence() {
            true => (residues_after(bytes, &item.bytes, start_unit), residues_after(bytes, &item.bytes, end_unit)),
            false => self.symbols_between(bytes, &item.bytes, start_unit..end_unit),
        };
        TextItem {
            bytes: start_byte.min(end_byte)..end_byte,
            opens: item.opens && start == 0,
            closes: item.closes && end >= length,
            ..item
        }
    }

    /// Returns the range of the whole symbols in `units`, a range of bytes in a line.
    fn symbols_between(self, bytes: &[u8], line: &Range<usize>, units: Range<usize>) -> (usize, usize) {
        let text = &bytes[line.clone()];
        let start = symbol_boundary(self.alphabet, text, units.start);
        let after = |start| next_symbol(self.alphabet, text, start).map_or(text.len(), |placed| placed.end);
        let start = if start < units.start { after(start) } else { start };
        (line.start + start, line.start + symbol_boundary(self.alphabet, text, units.end))
    }

    /// Returns the range of the first symbols, at most `count`, that a match over the start can cover.
    pub fn head(self, bytes: &[u8], item: &TextItem, count: usize) -> Range<usize> {
        let text = &bytes[item.bytes.clone()];
        let end = end_of_first(self.alphabet, text, count);
        let range = item.bytes.start..item.bytes.start + end;
        let Some(max) = self.max_ambiguous else { return range };
        let ambiguous = range.clone().filter(|&at| self.is_ambiguous(bytes[at])).nth(max);
        range.start..ambiguous.unwrap_or(range.end)
    }

    /// Returns the range of the last symbols, at most `count`, that a match over the end can cover.
    pub fn tail(self, bytes: &[u8], item: &TextItem, count: usize) -> Range<usize> {
        let text = &bytes[item.bytes.clone()];
        let end = previous_symbol(self.alphabet, text, text.len()).map_or(0, |placed| placed.end);
        let start = start_of_last(self.alphabet, &text[..end], count);
        let range = item.bytes.start + start..item.bytes.start + end;
        let Some(max) = self.max_ambiguous else { return range };
        let ambiguous = range.clone().rev().filter(|&at| self.is_ambiguous(bytes[at])).nth(max);
        ambiguous.map_or(range.start, |at| at + 1)..range.end
    }

    fn is_ambiguous(self, byte: u8) -> bool {
        self.alphabet.is_ambiguous(self.alphabet.symbol_of_byte(byte))
    }
}

/// Returns the offset just past the first `count` residues of a record.
fn residues_after(bytes: &[u8], record: &Range<usize>, count: usize) -> usize {
    if count == 0 { record.start } else { end_of_residue(&bytes[..record.end], record.start, count) }
}
