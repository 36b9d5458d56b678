//! The text that a match can cover, read backwards from its end.

use nigh_pattern::{Pattern, Reach};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::text::{PlacedSymbol, last_symbols, next_symbol, previous_symbol};

/// The symbols that a match can cover, last first, and one more symbol before them if there is one.
pub(super) struct MatchWindow {
    pub(super) symbols: Vec<PlacedSymbol>,
    end: usize,
    /// Whether the line or record starts with the last of `symbols`. `false` if it has more symbols than a match
    /// covers.
    opens: bool,
    /// Number of units of the line or record before `end`. May be too small, but never so small that the check of the
    /// pattern's range of positions gives another result.
    before_end: u64,
    /// Number of units of the line or record after `end`. May be too small, like `before_end`.
    after_end: u64,
    unit: PositionUnit,
    /// Largest number of the last symbols that a match may cover, so that it has no more ambiguous letters than
    /// allowed, and starts where matches may start.
    longest: usize,
    /// Whether the pattern's range of positions restricts matches.
    has_range: bool,
    /// Largest number of symbols of a match.
    max_match_len: usize,
}

/// The unit of positions in lines and records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PositionUnit {
    Byte,
    Residue,
}

impl MatchWindow {
    /// Reads the window of the matches of `pattern` that end at the offset `end` of the batch.
    pub(super) fn before(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, end: usize) -> Self {
        let max_match_len = pattern.max_match_len();
        let around = batch.surroundings(end, max_match_len + 1);
        let start = around.bytes.start;
        let count = max_match_len + 1;
        let mut symbols = Vec::with_capacity(count.min(end - start));
        last_symbols(alphabet, (&batch.bytes()[start..end], start), count, &mut symbols);
        let unit = if alphabet.is_sequence() { PositionUnit::Residue } else { PositionUnit::Byte };
        let longest = longest_allowed(alphabet, pattern, &symbols);
        let has_range = !pattern.within().is_all();
        let mut window = MatchWindow {
            symbols,
            end,
            opens: around.opens,
            before_end: 0,
            after_end: 0,
            unit,
            longest,
            has_range,
            max_match_len,
        };
        if has_range {
            let Reach { from_start, from_end } = pattern.within().reach();
            let longest = window.units(window.symbols.len());
            window.before_end = batch.units_before(end, from_start.saturating_add(longest + 1));
            window.after_end = batch.units_after(end, from_end.saturating_add(longest + 1));
        }
        window
    }

    /// Restricts matches to those that start at or after the offset `from`. Some match of the pattern starts before it,
    /// so its range of positions allows them all.
    pub(super) fn start_from(&mut self, from: usize) {
        let later = self.symbols.iter().take_while(|symbol| symbol.start >= from).count();
        (self.longest, self.has_range) = (self.longest.min(later), false);
    }

    /// Returns the symbols that a match can cover, last first.
    pub(super) fn within_reach(&self) -> &[PlacedSymbol] {
        &self.symbols[..self.symbols.len().min(self.max_match_len)]
    }

    /// Returns the number of symbols from the start of the line or record to the end of the window; `None` if a match cannot
    /// cover as many.
    pub(super) fn symbols_from_start(&self) -> Option<usize> {
        let count = self.symbols.len();
        (self.opens && count <= self.max_match_len).then_some(count)
    }

    /// Returns whether the line or record ends at the end of the window.
    pub(super) fn closes(&self, alphabet: Alphabet, batch: &Batch) -> bool {
        let around = batch.surroundings(self.end, 1);
        around.closes && next_symbol(alphabet, &batch.bytes()[..around.bytes.end], self.end).is_none()
    }

    /// Returns the number of units of the last `covered` symbols.
    fn units(&self, covered: usize) -> u64 {
        match (self.unit, covered) {
            (PositionUnit::Residue, _) => covered as u64,
            (PositionUnit::Byte, 0) => 0,
            (PositionUnit::Byte, _) => (self.end - self.symbols[covered - 1].start) as u64,
        }
    }

    /// Returns whether the start edge of the pattern, its range of positions and its limit on ambiguous letters allow a
    /// match that covers the last `covered` symbols.
    pub(super) fn allows(&self, pattern: &Pattern, covered: usize) -> bool {
        let first = &self.symbols[covered - 1];
        let outside = self.symbols.get(covered).map(|placed| placed.symbol);
        let known = outside.is_some() || self.opens || pattern.start().is_free();
        covered <= self.longest
            && known
            && pattern.start().holds(outside, Some(first.symbol))
            && self.is_within(pattern, covered)
    }

    fn is_within(&self, pattern: &Pattern, covered: usize) -> bool {
        let units = self.units(covered);
        !self.has_range || pattern.within().allows(self.before_end - units, units, self.after_end)
    }
}

/// Returns whether the end edge of the pattern allows a match to end at the offset `end` of the batch.
pub(super) fn end_holds(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, end: usize) -> bool {
    if pattern.end().is_free() {
        return true;
    }
    let around = batch.surroundings(end, 1);
    let behind = next_symbol(alphabet, &batch.bytes()[..around.bytes.end], end);
    let last = previous_symbol(alphabet, &batch.bytes()[..end], end);
    let last = last.filter(|placed| placed.start >= around.bytes.start);
    let is_known = behind.is_some() || around.closes;
    is_known && pattern.end().holds(behind.map(|placed| placed.symbol), last.map(|placed| placed.symbol))
}

/// Returns the largest number of the last symbols of a text, `backward`, that have no more ambiguous letters than a
/// match may have.
fn longest_allowed(alphabet: Alphabet, pattern: &Pattern, backward: &[PlacedSymbol]) -> usize {
    let Some(max) = pattern.max_ambiguous() else { return backward.len() };
    let mut ambiguous = backward.iter().enumerate().filter(|(_, placed)| alphabet.is_ambiguous(placed.symbol));
    ambiguous.nth(max).map_or(backward.len(), |(covered, _)| covered)
}

/// Returns whether every match that ends at the offset `end` has too many ambiguous letters. A match covers at least
/// the last m - k symbols. In a run of ambiguous letters, only a few of them are read.
pub(super) fn is_too_ambiguous(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, end: usize) -> bool {
    let Some(max) = pattern.max_ambiguous() else { return false };
    let shortest = pattern.symbols().len().saturating_sub(pattern.k());
    let backward = |&at: &usize| previous_symbol(alphabet, batch.bytes(), at).map(|placed| placed.start);
    let starts = std::iter::successors(Some(end), backward).skip(1).take(shortest);
    let is_ambiguous = |&start: &usize| alphabet.is_ambiguous(alphabet.symbol_of_byte(batch.bytes()[start]));
    starts.filter(is_ambiguous).nth(max).is_some()
}

/// Returns the tie-break key of a match that covers `covered` symbols: of matches with equal distance, the smallest key
/// wins. Prefers the match length closest to `length`, the pattern's, then the later start.
pub(super) fn preference(covered: usize, length: usize) -> usize {
    2 * covered.abs_diff(length) + usize::from(covered > length)
}
