//! Sets of symbols: what one position of a pattern matches.

use std::sync::Arc;

use crate::alphabet::Symbol;

/// A set of symbols, as sorted ranges that neither overlap nor touch; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SymbolSet {
    ranges: Arc<[(Symbol, Symbol)]>,
}

impl SymbolSet {
    /// The set of all symbols in some ranges, both ends included, in any order.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (Symbol, Symbol)>) -> Self {
        let mut sorted: Vec<(Symbol, Symbol)> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<(Symbol, Symbol)> = Vec::with_capacity(sorted.len());
        for (first, last) in sorted {
            match merged.last_mut() {
                Some(previous) if first <= previous.1.saturating_add(1) => previous.1 = previous.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        SymbolSet { ranges: merged.into() }
    }

    /// The set of one symbol.
    pub fn single(symbol: Symbol) -> Self {
        SymbolSet { ranges: [(symbol, symbol)].into() }
    }

    /// The ranges, ascending.
    pub fn ranges(&self) -> &[(Symbol, Symbol)] {
        &self.ranges
    }

    /// Whether the symbol is in the set.
    pub fn contains(&self, symbol: Symbol) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&symbol))
    }

    /// The character that stands for the set: the last of it, if all are cases of one, or `?`.
    pub(super) fn character(&self) -> char {
        const MOST_CASES: u32 = 4;
        let count = self.ranges.iter().fold(0, |count: u32, (first, last)| count.saturating_add(last - first + 1));
        let of = |symbol| char::from_u32(symbol).unwrap_or(char::REPLACEMENT_CHARACTER);
        let Some(&(_, last)) = self.ranges.last().filter(|_| count <= MOST_CASES) else { return '?' };
        let folded = |character: char| character.to_uppercase().flat_map(char::to_lowercase).collect::<String>();
        let wanted = folded(of(last));
        let all = self.ranges.iter().flat_map(|&(first, last)| first..=last);
        if all.into_iter().all(|symbol| folded(of(symbol)) == wanted) { of(last) } else { '?' }
    }

    /// The set of what each symbol becomes.
    pub fn map(&self, change: impl Fn(Symbol) -> Symbol) -> Self {
        let symbols = self.ranges.iter().flat_map(|&(first, last)| first..=last);
        SymbolSet::from_ranges(symbols.map(|symbol| (change(symbol), change(symbol))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_stands_for_its_cases_and_none_for_a_class() {
        let set = |symbols: &[char]| SymbolSet::from_ranges(symbols.iter().map(|&c| (c as Symbol, c as Symbol)));
        assert_eq!(set(&['日']).character(), '日');
        assert_eq!(set(&['d', 'D']).character(), 'd');
        assert_eq!(set(&['4', '5']).character(), '?');
        assert_eq!(SymbolSet::from_ranges([(0, 0x10ffff)]).character(), '?');
        assert_eq!(SymbolSet::single(crate::alphabet::INVALID_BYTE + 0xff).character(), '\u{fffd}');
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let set = SymbolSet::from_ranges([(7, 9), (1, 3), (4, 5), (8, 12)]);
        assert_eq!(set.ranges(), [(1, 5), (7, 12)]);
        assert!(set.contains(4) && !set.contains(6));
    }
}
