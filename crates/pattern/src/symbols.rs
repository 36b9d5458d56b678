//! Symbol sets: the symbols that one position of a pattern matches.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use nigh_text::alphabet::{Alphabet, Symbol};

/// A set of symbols, stored as sorted ranges that neither overlap nor touch. Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolSet {
    // Thin pointer: patterns can have millions of symbols.
    parts: Arc<SetParts>,
}

/// The symbols of a set.
#[derive(Debug, PartialEq, Eq)]
struct SetParts {
    /// A bit for each of the first symbols, which are the most frequent: residues, and characters of ASCII.
    first: [u64; 2],
    ranges: Vec<(Symbol, Symbol)>,
}

/// The sets of one symbol of ASCII, made once: there may be millions of patterns.
static OF_ASCII: LazyLock<Vec<SymbolSet>> =
    LazyLock::new(|| (0..0x80).map(|symbol| SymbolSet::from_ranges([(symbol, symbol)])).collect());

impl Hash for SymbolSet {
    /// Hashes the number of ranges, the first and the last one: `\w` has hundreds, and a set is looked up for each symbol
    /// of a pattern.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.parts.ranges.len(), self.parts.ranges.first(), self.parts.ranges.last()).hash(state);
    }
}

impl SymbolSet {
    /// Makes the union of inclusive ranges, given in any order.
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
        let is_in = |symbol: u32| merged.iter().any(|&(first, last)| (first..=last).contains(&symbol));
        let bits = |word: u32| (0..64).filter(|bit| is_in(64 * word + bit)).fold(0, |bits, bit| bits | 1 << bit);
        SymbolSet { parts: Arc::new(SetParts { first: [bits(0), bits(1)], ranges: merged }) }
    }

    /// Returns the set of one symbol. All sets of a symbol of ASCII share their memory.
    pub fn single(symbol: Symbol) -> Self {
        match OF_ASCII.get(symbol as usize) {
            Some(set) => set.clone(),
            None => SymbolSet::from_ranges([(symbol, symbol)]),
        }
    }

    /// Returns the inclusive ranges in ascending order.
    pub fn ranges(&self) -> &[(Symbol, Symbol)] {
        &self.parts.ranges
    }

    /// Returns whether this is a set of one symbol of ASCII that shares its memory with all other sets of this symbol.
    pub(super) fn is_shared_single(&self) -> bool {
        let [(symbol, _), ..] = self.parts.ranges[..] else { return false };
        OF_ASCII.get(symbol as usize).is_some_and(|single| single.is_same(self))
    }

    /// Returns whether both sets share their memory. Equal sets of one pattern set do.
    pub fn is_same(&self, other: &SymbolSet) -> bool {
        Arc::ptr_eq(&self.parts, &other.parts)
    }

    /// Returns whether the set contains the symbol.
    #[inline]
    pub fn contains(&self, symbol: Symbol) -> bool {
        match self.parts.first.get(symbol as usize / 64) {
            Some(bits) => bits >> (symbol % 64) & 1 == 1,
            None => self.parts.ranges.iter().any(|&(first, last)| (first..=last).contains(&symbol)),
        }
    }

    /// Returns the character that represents the set in an alphabet. In sequences it is a code of residues. In text it
    /// is the last symbol if all symbols are cases of one character, and otherwise `?`.
    pub fn letter(&self, alphabet: Alphabet) -> char {
        if alphabet.is_sequence() {
            char::from(alphabet.letter(|residue| self.contains(alphabet.symbol_of_byte(residue))))
        } else {
            self.character()
        }
    }

    /// Returns the character that represents the set: its last symbol if all symbols are cases of one character, else
    /// `?`.
    pub(super) fn character(&self) -> char {
        const MAX_CASES: u32 = 4;
        let count =
            self.parts.ranges.iter().fold(0, |count: u32, (first, last)| count.saturating_add(last - first + 1));
        let to_char = |symbol| char::from_u32(symbol).unwrap_or(char::REPLACEMENT_CHARACTER);
        let Some(&(_, last)) = self.parts.ranges.last().filter(|_| count <= MAX_CASES) else { return '?' };
        let folded = |character: char| character.to_uppercase().flat_map(char::to_lowercase).collect::<String>();
        let wanted = folded(to_char(last));
        let all = self.parts.ranges.iter().flat_map(|&(first, last)| first..=last);
        if all.into_iter().all(|symbol| folded(to_char(symbol)) == wanted) { to_char(last) } else { '?' }
    }

    /// Returns whether the set is white space, or a class: more symbols than the cases of one character.
    pub(super) fn is_blank_or_class(&self) -> bool {
        match self.parts.ranges[..] {
            [(first, last)] if first == last => char::from_u32(first).is_some_and(char::is_whitespace),
            _ => self.character() == '?',
        }
    }

    /// Returns the set without the symbols for which `is_left_out` returns true.
    pub(super) fn without(&self, is_left_out: impl Fn(Symbol) -> bool) -> Self {
        let symbols = self.parts.ranges.iter().flat_map(|&(first, last)| first..=last);
        SymbolSet::from_ranges(symbols.filter(|&symbol| !is_left_out(symbol)).map(|symbol| (symbol, symbol)))
    }

    /// Returns the set of the images of all symbols under `change`.
    pub fn map(&self, change: impl Fn(Symbol) -> Symbol) -> Self {
        let symbols = self.parts.ranges.iter().flat_map(|&(first, last)| first..=last);
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
        assert_eq!(SymbolSet::single(nigh_text::alphabet::INVALID_BYTE + 0xff).character(), '\u{fffd}');
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let set = SymbolSet::from_ranges([(7, 9), (1, 3), (4, 5), (8, 12)]);
        assert_eq!(set.ranges(), [(1, 5), (7, 12)]);
        assert!(set.contains(4) && !set.contains(6));
    }
}
