//! The text that a match can cover, read backwards from its end.

use crate::alphabet::Alphabet;
use crate::input::Batch;
use crate::pattern::Pattern;
use crate::text::{Placed, next_symbol, previous_symbol};

/// The symbols that a match can cover, last first, and one more symbol before them if there is one.
pub(super) struct MatchWindow {
    pub(super) symbols: Vec<Placed>,
    end: usize,
}

impl MatchWindow {
    /// Reads the window of the matches of `pattern` that end at the offset `end` of the batch.
    pub(super) fn before(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, end: usize) -> Self {
        let around = batch.surroundings(end, pattern.max_match_len() + 1);
        let bytes = &batch.bytes()[..end];
        let mut at = end;
        let backward = std::iter::from_fn(|| {
            let placed = previous_symbol(alphabet, bytes, at).filter(|placed| placed.start >= around.bytes.start)?;
            at = placed.start;
            Some(placed)
        });
        let symbols = backward.take(pattern.max_match_len() + 1).collect();
        MatchWindow { symbols, end }
    }

    /// Returns whether the start edge of the pattern allows a match that covers the last `covered` symbols.
    pub(super) fn allows(&self, pattern: &Pattern, covered: usize) -> bool {
        let first = &self.symbols[covered - 1];
        let outside = self.symbols.get(covered).map(|placed| placed.symbol);
        pattern.start().holds(outside, Some(first.symbol))
    }

    /// Returns whether the end edge of the pattern allows a match to end at the end of the window.
    pub(super) fn end_holds(&self, alphabet: Alphabet, batch: &Batch, pattern: &Pattern) -> bool {
        let around = batch.surroundings(self.end, 1);
        let behind = next_symbol(alphabet, &batch.bytes()[..around.bytes.end], self.end);
        let last = self.symbols.first().map(|placed| placed.symbol);
        pattern.end().holds(behind.map(|placed| placed.symbol), last)
    }
}

/// Returns the tie-break key of a match that covers `covered` symbols: of matches with equal distance, the smallest key
/// wins. Prefers the match length closest to `length`, the pattern's, then the later start.
pub(super) fn preference(covered: usize, length: usize) -> usize {
    2 * covered.abs_diff(length) + usize::from(covered > length)
}
