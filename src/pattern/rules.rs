//! Rules for matches that are no plain distance: limits for kinds of edit, weights, transpositions, exact groups.

use super::{Bound, EditKind};

/// What edits cost and how many of a kind there may be, for all patterns of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditCosts {
    /// Symbols of the text that the pattern lacks.
    pub insertion: EditLimit,
    /// Symbols of the pattern that the text lacks.
    pub deletion: EditLimit,
    /// Symbols in the place of others.
    pub substitution: EditLimit,
    /// Whether two neighbours that are swapped are one edit.
    pub transpositions: Transpositions,
}

/// What one kind of edit costs, and how many there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditLimit {
    /// What each costs: at least 1.
    pub cost: usize,
    /// The most there may be.
    pub most: usize,
}

/// Whether two neighbours that are swapped are one edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transpositions {
    /// They are two.
    Two,
    /// They are one, which costs 1; nothing else is done to the two (optimal string alignment).
    One,
}

impl Default for EditCosts {
    /// Every edit costs 1, and there may be any number of each kind.
    fn default() -> Self {
        let price = EditLimit { cost: 1, most: usize::MAX };
        EditCosts { insertion: price, deletion: price, substitution: price, transpositions: Transpositions::Two }
    }
}

impl EditCosts {
    /// The terms within a bound for all costs together: no kind has more than it can pay for.
    fn within(self, bound: Bound, budget: usize) -> Self {
        let limited = |price: EditLimit, kind: EditKind| {
            let payable = if bound.allows(kind) { budget / price.cost } else { 0 };
            EditLimit { most: price.most.min(payable), ..price }
        };
        EditCosts {
            insertion: limited(self.insertion, EditKind::Insertion),
            deletion: limited(self.deletion, EditKind::Deletion),
            substitution: limited(self.substitution, EditKind::Substitution),
            ..self
        }
    }

    fn prices(&self) -> [EditLimit; 3] {
        [self.insertion, self.deletion, self.substitution]
    }
}

/// Whether a symbol of a pattern may be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExactGroup {
    /// It may.
    Free,
    /// It may not: it is the first of a group.
    First,
    /// It may not, and nothing may come between it and the one before.
    Next,
}

/// What the matches of one pattern keep to, beyond so many edits of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditConstraints {
    budget: usize,
    terms: EditCosts,
    /// Of insertions, deletions and substitutions, whether a limit is less than what the budget and the pattern leave.
    limited: [bool; 3],
    /// For each symbol, whether it must match; empty if none must.
    locked: Vec<bool>,
    /// For each symbol, whether nothing may be inserted before it; empty if none is locked.
    joined: Vec<bool>,
}

impl EditConstraints {
    /// The rules of a pattern whose edits may cost so much together.
    pub(super) fn new(bound: Bound, budget: usize, terms: EditCosts, holds: &[ExactGroup]) -> Self {
        let is_held = holds.iter().any(|&hold| hold != ExactGroup::Free);
        let held = if is_held { holds } else { &[] };
        let mut terms = terms.within(bound, budget);
        let open = holds.iter().filter(|&&hold| hold == ExactGroup::Free).count();
        let is_limited = |price: EditLimit, most: usize| price.most < most.min(budget / price.cost);
        let limited = [
            is_limited(terms.insertion, usize::MAX),
            is_limited(terms.deletion, open),
            is_limited(terms.substitution, open),
        ];
        terms.deletion.most = terms.deletion.most.min(open);
        terms.substitution.most = terms.substitution.most.min(open);
        EditConstraints {
            budget,
            terms,
            limited,
            locked: held.iter().map(|&hold| hold != ExactGroup::Free).collect(),
            joined: held.iter().map(|&hold| hold == ExactGroup::Next).collect(),
        }
    }

    /// Whether they say no more than that there are at most so many edits, of which a pattern has more symbols.
    pub(super) fn are_plain(&self) -> bool {
        let is_plain = |price: &EditLimit| price.cost == 1 && price.most >= self.budget;
        let by_kind = self.terms.prices().iter().all(is_plain) && !self.has_transpositions();
        self.budget == 0 || (by_kind && self.locked.is_empty())
    }

    /// Whether all symbols of a pattern of `length` symbols may be left out, so that it would match everywhere.
    pub(super) fn match_nothing(&self, length: usize) -> bool {
        self.terms.deletion.most >= length
    }

    /// The most edits that a match has where a transposition is two of them.
    pub(super) fn plain_edits(&self) -> usize {
        let mut prices = self.terms.prices();
        prices.sort_unstable_by_key(|price| price.cost);
        let (mut edits, mut left) = (0, self.budget);
        if self.has_transpositions() {
            // Nothing is cheaper than two edits for 1.
            return 2 * self.budget;
        }
        for price in prices {
            let most = price.most.min(left / price.cost);
            edits += most;
            left -= most * price.cost;
        }
        edits
    }

    /// The most that all edits of a match cost together.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// What each kind of edit costs, and how many of it can be in a match.
    pub fn terms(&self) -> &EditCosts {
        &self.terms
    }

    /// Whether edits of a kind have a limit of their own: one that is reached before there is no more to pay for them, or to edit.
    pub fn limits(&self, kind: EditKind) -> bool {
        self.limited[kind as usize]
    }

    /// Whether a transposition is one edit.
    pub fn has_transpositions(&self) -> bool {
        self.terms.transpositions == Transpositions::One
    }

    /// Whether the symbol of an index must match.
    pub fn is_locked(&self, index: usize) -> bool {
        self.locked.get(index).is_some_and(|&locked| locked)
    }

    /// Whether nothing may be inserted before the symbol of an index.
    pub fn is_joined(&self, index: usize) -> bool {
        self.joined.get(index).is_some_and(|&joined| joined)
    }

    /// The rules of the pattern read from its end.
    pub(super) fn reversed(&self) -> Self {
        // What may not come before a symbol may not come behind the one before it.
        let joined = match self.joined.split_first() {
            Some((first, others)) => std::iter::once(first).chain(others.iter().rev()).copied().collect(),
            None => Vec::new(),
        };
        EditConstraints { locked: self.locked.iter().rev().copied().collect(), joined, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(bound: &str, terms: EditCosts, holds: &[ExactGroup]) -> EditConstraints {
        let bound: Bound = bound.parse().unwrap();
        EditConstraints::new(bound, bound.errors().of_length(holds.len()), terms, holds)
    }

    #[test]
    fn rules_that_say_nothing_are_plain() {
        let free = [ExactGroup::Free; 5];
        assert!(rules("2", EditCosts::default(), &free).are_plain());
        assert!(!rules("2s", EditCosts::default(), &free).are_plain());
        let limited = EditCosts { deletion: EditLimit { cost: 1, most: 2 }, ..EditCosts::default() };
        assert!(rules("2", limited, &free).are_plain() && !rules("3", limited, &free).are_plain());
        assert!(!rules("1", EditCosts::default(), &[ExactGroup::First, ExactGroup::Free]).are_plain());
        assert!(rules("0s", EditCosts::default(), &[ExactGroup::First, ExactGroup::Free]).are_plain());
    }

    #[test]
    fn a_plain_distance_bounds_every_match() {
        let free = [ExactGroup::Free; 9];
        let weighted = EditCosts {
            insertion: EditLimit { cost: 3, most: usize::MAX },
            deletion: EditLimit { cost: 1, most: 2 },
            substitution: EditLimit { cost: 2, most: usize::MAX },
            ..EditCosts::default()
        };
        assert_eq!(rules("7", weighted, &free).plain_edits(), 4);
        assert_eq!(rules("2s", EditCosts::default(), &free).plain_edits(), 2);
        let swapped = EditCosts { transpositions: Transpositions::One, ..EditCosts::default() };
        assert_eq!(rules("2", swapped, &free).plain_edits(), 4);
    }

    #[test]
    fn groups_are_turned_round_with_their_pattern() {
        let holds = [ExactGroup::Free, ExactGroup::First, ExactGroup::Next, ExactGroup::First];
        let turned = rules("1", EditCosts::default(), &holds).reversed();
        assert_eq!(turned.locked, [true, true, true, false]);
        assert_eq!(turned.joined, [false, false, true, false]);
    }
}
