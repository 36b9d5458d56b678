//! Parts that the patterns of a set have in common: symbol sets, constraints and exact groups.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::constraints::EditConstraints;
use super::reading::AmbiguousLetters;
use super::symbols::SymbolSet;
use nigh_text::alphabet::{Alphabet, complement};

/// Interns the parts of patterns, so that equal parts share memory: millions of patterns use few distinct symbol sets,
/// and the guides of a library have the same constraints. Adds to each set the ambiguous letters that match it.
#[derive(Debug)]
pub(super) struct SharedParts {
    alphabet: Alphabet,
    ambiguous: AmbiguousLetters,
    /// For each set as read, the set to search for.
    sets: HashMap<SymbolSet, SymbolSet>,
    /// The first entries of `sets` for nucleotides, in a list that is faster to search. Sets of bases share their
    /// memory, so they are compared by address.
    few: Vec<(SymbolSet, SymbolSet)>,
    /// The first sets of nucleotides whose complements were asked for, with their complements.
    complements: Vec<(SymbolSet, SymbolSet)>,
    constraints: FewShared<EditConstraints>,
    exact: FewShared<[bool]>,
}

/// The values that were shared last, the most recent one first.
#[derive(Debug)]
struct FewShared<T: ?Sized>(VecDeque<Arc<T>>);

impl<T: ?Sized + PartialEq> FewShared<T> {
    /// The number of values: enough for both strands of guides with a few different groups.
    const MAX: usize = 8;

    /// Replaces a value by an equal one that was shared before, if it is still known.
    fn share(&mut self, value: &mut Arc<T>) {
        match self.0.iter().find(|known| *known == value) {
            Some(known) => *value = known.clone(),
            None => {
                self.0.truncate(Self::MAX - 1);
                self.0.push_front(value.clone());
            }
        }
    }
}

/// The number of symbol sets in the fast list: enough for all sets of bases.
const FEW_SETS: usize = 16;

impl SharedParts {
    pub(super) fn new(alphabet: Alphabet, ambiguous: AmbiguousLetters) -> Self {
        SharedParts {
            alphabet,
            ambiguous,
            sets: HashMap::new(),
            few: Vec::new(),
            complements: Vec::new(),
            constraints: FewShared(VecDeque::new()),
            exact: FewShared(VecDeque::new()),
        }
    }

    pub(super) fn share_constraints(&mut self, constraints: &mut Arc<EditConstraints>) {
        self.constraints.share(constraints);
    }

    /// Shares the marks of the symbols that belong to exact groups.
    pub(super) fn share_exact(&mut self, exact: &mut Arc<[bool]>) {
        self.exact.share(exact);
    }

    /// Replaces each set by the shared set to search for.
    pub(super) fn share(&mut self, sets: &mut [SymbolSet]) {
        let are_unchanged = self.are_unchanged();
        for set in sets.iter_mut().filter(|set| !are_unchanged || !set.is_shared_single()) {
            *set = match self.few.iter().find(|(few, _)| few.is_same(set)) {
                Some((_, known)) => known.clone(),
                None => self.shared(set),
            }
        }
    }

    /// Returns the shared set to search for in place of a set that is not in the fast list.
    fn shared(&mut self, set: &SymbolSet) -> SymbolSet {
        let searched = match self.sets.get(set) {
            Some(known) => known.clone(),
            None => {
                let searched = self.searched(set);
                self.sets.insert(set.clone(), searched.clone());
                searched
            }
        };
        if self.alphabet == Alphabet::Dna && self.few.len() < FEW_SETS {
            self.few.push((set.clone(), searched.clone()));
        }
        searched
    }

    /// Returns the set of the complements of the symbols of a set of nucleotides, before it is shared.
    pub(super) fn complement(&mut self, set: &SymbolSet) -> SymbolSet {
        if let Some((_, known)) = self.complements.iter().find(|(known, _)| known.is_same(set)) {
            return known.clone();
        }
        let other = set.map(complement);
        if self.complements.len() < FEW_SETS {
            self.complements.push((set.clone(), other.clone()));
        }
        other
    }

    /// Returns whether each set is searched for as it was read.
    fn are_unchanged(&self) -> bool {
        !self.alphabet.is_sequence() || self.ambiguous == AmbiguousLetters::Contained
    }

    fn searched(&self, set: &SymbolSet) -> SymbolSet {
        if self.are_unchanged() {
            return match *set.ranges() {
                [(first, last)] if first == last => SymbolSet::single(first),
                _ => set.clone(),
            };
        }
        let residues = self.alphabet.residues_where(|residue| set.contains(self.alphabet.symbol_of_byte(residue)));
        let symbols = self.alphabet.symbols_overlapping(residues);
        SymbolSet::from_ranges(symbols.into_iter().map(|symbol| (symbol, symbol)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_text::alphabet::Symbol;

    #[test]
    fn equal_sets_share_their_memory() {
        let mut shared = SharedParts::new(Alphabet::Text, AmbiguousLetters::Contained);
        let mut sets = vec![SymbolSet::single(7), SymbolSet::single(8), SymbolSet::single(7)];
        let mut more = vec![SymbolSet::single(8)];
        shared.share(&mut sets);
        shared.share(&mut more);
        assert!(sets[0].is_same(&sets[2]) && sets[1].is_same(&more[0]));
        assert_eq!(sets, [SymbolSet::single(7), SymbolSet::single(8), SymbolSet::single(7)]);
    }

    #[test]
    fn only_equal_sets_share_their_memory() {
        let mut shared = SharedParts::new(Alphabet::Text, AmbiguousLetters::Contained);
        let set = |middle: Symbol| SymbolSet::from_ranges([(1, 1), (middle, middle), (90, 90)]);
        let letter = SymbolSet::from_ranges([(97, 97)]);
        let mut sets = [set(3), set(5), set(3), letter, SymbolSet::single(97)];
        shared.share(&mut sets);
        assert!(sets[0].is_same(&sets[2]) && !sets[0].is_same(&sets[1]));
        assert!(sets[3].is_same(&sets[4]));
        assert_eq!(sets[1], set(5));
    }

    #[test]
    fn few_equal_values_share_their_memory() {
        let mut shared: FewShared<[bool]> = FewShared(VecDeque::new());
        let values: Vec<Arc<[bool]>> = (0..20).map(|length| vec![true; length % 10].into()).collect();
        let mut after = values.clone();
        after.iter_mut().for_each(|value| shared.share(value));
        assert_eq!(after, values);
        let mut again: Arc<[bool]> = vec![true; 9].into();
        shared.share(&mut again);
        assert!(Arc::ptr_eq(&again, &after[19]) && shared.0.len() == FewShared::<[bool]>::MAX);
    }
}
