//! Constraints beyond a plain distance: limits by kind of edit, edit costs, transpositions and exact groups.
//!
//! A transposition follows optimal string alignment: a swapped pair is not edited again.
//!
//! `bound` and `edits` read the values of `-k` and `--edits`.

pub(super) mod bound;
pub(super) mod edits;

use std::num::NonZeroUsize;

use self::bound::{Bound, EditKind, MaxEdits};
use nigh_text::alignment::SearchEdits;

/// The cost of each kind of edit and its limit, for all patterns of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditCosts {
    /// Text symbols that are absent from the pattern.
    pub insertion: EditLimit,
    /// Pattern symbols that are absent from the text.
    pub deletion: EditLimit,
    /// Text symbols that differ from the pattern's symbol.
    pub substitution: EditLimit,
    /// Whether swapping two adjacent symbols is one edit.
    pub transpositions: Transpositions,
}

/// The cost of one kind of edit, and the largest number of such edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EditLimit {
    /// Cost of each edit.
    pub cost: NonZeroUsize,
    /// Largest number of edits of this kind.
    pub max: usize,
}

impl EditLimit {
    /// Makes a limit of at most `max` edits that cost `cost` each.
    ///
    /// # Panics
    /// When the cost is 0.
    pub fn new(cost: usize, max: usize) -> Self {
        EditLimit { cost: NonZeroUsize::new(cost).expect("an edit costs at least 1"), max }
    }
}

/// Whether swapping two adjacent symbols is one edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transpositions {
    /// Such a swap is two edits.
    Two,
    /// Such a swap is one edit of cost 1, and the two symbols are not edited further (optimal string alignment).
    One,
}

impl Default for EditCosts {
    /// Every edit costs 1, without limits by kind.
    fn default() -> Self {
        let unlimited = EditLimit::new(1, usize::MAX);
        EditCosts {
            insertion: unlimited,
            deletion: unlimited,
            substitution: unlimited,
            transpositions: Transpositions::Two,
        }
    }
}

impl EditCosts {
    /// Lowers each limit to what `max_cost` can pay for, and to 0 for the kinds that `bound` excludes.
    fn within(self, bound: Bound, max_cost: usize) -> Self {
        let limited = |limit: EditLimit, kind: EditKind| {
            let payable = if bound.allows(kind) { max_cost / limit.cost } else { 0 };
            EditLimit { max: limit.max.min(payable), ..limit }
        };
        EditCosts {
            insertion: limited(self.insertion, EditKind::Insertion),
            deletion: limited(self.deletion, EditKind::Deletion),
            substitution: limited(self.substitution, EditKind::Substitution),
            ..self
        }
    }

    /// Returns the cost and the limit of each kind of edit, in the order of [`EditKind`].
    pub(super) fn limits(&self) -> [EditLimit; 3] {
        [self.insertion, self.deletion, self.substitution]
    }

    /// Like [`limits`](Self::limits), to change them.
    pub(super) fn limits_mut(&mut self) -> [&mut EditLimit; 3] {
        [&mut self.insertion, &mut self.deletion, &mut self.substitution]
    }
}

/// Whether a pattern symbol may be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExactGroupRole {
    /// The symbol may be edited.
    Free,
    /// The first symbol of an exact group.
    First,
    /// Another symbol of an exact group: nothing may be inserted before it.
    Next,
}

/// The numbers of symbols in the exact groups at the two edges of a pattern; 0 if there is no group. They do not
/// overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeGroups {
    /// The number of symbols in the group before all others.
    pub before: usize,
    /// The number of symbols in the group after all others.
    pub after: usize,
}

/// The plain distance with which a search replaces the constraints of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelaxedDistance {
    /// Indel distance if the costs of the constraints amount to it, otherwise Levenshtein distance.
    WithoutTranspositions,
    /// Optimal string alignment if a transposition is one edit, indel distance if the costs amount to it, otherwise
    /// Levenshtein distance.
    Narrowest,
}

/// A distance, and the largest distance of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DistanceBound {
    pub(super) edit_model: SearchEdits,
    pub(super) max: usize,
}

/// The constraints on the matches of one pattern, beyond the number of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditConstraints {
    max_cost: usize,
    costs: EditCosts,
    /// Indexed by [`EditKind`]: whether the limit of the kind is lower than the number of such edits that the largest
    /// cost and the pattern's length allow anyway.
    limited: [bool; 3],
    /// Per symbol, whether it must match; empty if there is no exact group.
    locked: Vec<bool>,
    /// Per symbol, whether nothing may be inserted before it; empty if there is no exact group.
    joined: Vec<bool>,
}

impl EditConstraints {
    /// Makes the constraints of a pattern whose edits cost at most `max_cost` in total. `holds` has one element per
    /// symbol.
    pub(super) fn new(bound: Bound, max_cost: usize, costs: EditCosts, holds: &[ExactGroupRole]) -> Self {
        let is_held = holds.iter().any(|&hold| hold != ExactGroupRole::Free);
        let held = if is_held { holds } else { &[] };
        let open = holds.iter().filter(|&&hold| hold == ExactGroupRole::Free).count();
        EditConstraints {
            locked: held.iter().map(|&hold| hold != ExactGroupRole::Free).collect(),
            joined: held.iter().map(|&hold| hold == ExactGroupRole::Next).collect(),
            ..Self::without_groups(bound, max_cost, costs, open)
        }
    }

    /// Makes the constraints of a pattern without exact groups, of which `open` symbols may be edited.
    fn without_groups(bound: Bound, max_cost: usize, costs: EditCosts, open: usize) -> Self {
        let mut costs = costs.within(bound, max_cost);
        let is_limited = |limit: EditLimit, max: usize| limit.max < max.min(max_cost / limit.cost);
        let limited = [
            is_limited(costs.insertion, usize::MAX),
            is_limited(costs.deletion, open),
            is_limited(costs.substitution, open),
        ];
        costs.deletion.max = costs.deletion.max.min(open);
        costs.substitution.max = costs.substitution.max.min(open);
        EditConstraints { max_cost, costs, limited, locked: Vec::new(), joined: Vec::new() }
    }

    /// Makes the constraints of a regular expression. Its exact groups are in its automaton. In its strings, which may
    /// be long, all symbols may be edited as far as the costs allow.
    pub(super) fn of_expression(bound: Bound, max_cost: usize, costs: EditCosts) -> Self {
        let limited = [false; 3];
        EditConstraints {
            max_cost,
            costs: costs.within(bound, max_cost),
            limited,
            locked: Vec::new(),
            joined: Vec::new(),
        }
    }

    /// Makes the constraints of a pattern of `length` symbols with a plain distance of at most that of `bound`.
    pub(super) fn plain(DistanceBound { edit_model, max }: DistanceBound, length: usize) -> Self {
        let costs = EditCosts {
            substitution: EditLimit::new(edit_model.edits_of_substitution(), usize::MAX),
            transpositions: if edit_model.has_transpositions() { Transpositions::One } else { Transpositions::Two },
            ..EditCosts::default()
        };
        Self::without_groups(MaxEdits::Count(max).into(), max, costs, length)
    }

    /// Returns whether the constraints are a plain limit on the number of edits.
    pub(super) fn are_plain(&self) -> bool {
        let is_plain = |limit: &EditLimit| limit.cost == NonZeroUsize::MIN && limit.max >= self.max_cost;
        let by_kind = self.costs.limits().iter().all(is_plain) && !self.has_transpositions();
        self.max_cost == 0 || (by_kind && self.locked.is_empty())
    }

    /// Returns whether all of a pattern's `length` symbols may be deleted, so that it would match everywhere.
    pub(super) fn match_nothing(&self, length: usize) -> bool {
        self.costs.deletion.max >= length
    }

    /// Returns the largest number of edits of a match, counting a transposition as two.
    pub(super) fn plain_edits(&self) -> usize {
        let mut limits = self.costs.limits();
        limits.sort_unstable_by_key(|limit| limit.cost);
        let (mut edits, mut left) = (0, self.max_cost);
        if self.has_transpositions() {
            // No edit is cheaper than a transposition: two edits for a cost of 1.
            return 2 * self.max_cost;
        }
        for limit in limits {
            let count = limit.max.min(left / limit.cost);
            edits += count;
            left -= count * limit.cost.get();
        }
        edits
    }

    /// Returns a plain distance, and a bound on it that no match exceeds, to search with in place of the constraints.
    pub(super) fn widened(&self, widening: RelaxedDistance) -> DistanceBound {
        match widening {
            // An edit costs at least 1.
            RelaxedDistance::Narrowest if self.has_transpositions() => {
                DistanceBound { edit_model: SearchEdits::StringAlignment, max: self.max_cost }
            }
            _ if self.cost_of_indel().is_some() => {
                DistanceBound { edit_model: SearchEdits::Indel, max: self.plain_edits() }
            }
            _ => DistanceBound { edit_model: SearchEdits::Levenshtein, max: self.plain_edits() },
        }
    }

    /// Returns the cost of an edit if the least cost of a match is always this cost times its distance under `model`.
    pub fn cost_of_edit(&self, model: SearchEdits) -> Option<usize> {
        match model {
            SearchEdits::Levenshtein => None,
            SearchEdits::Indel => self.cost_of_indel(),
            SearchEdits::StringAlignment => {
                let is_plain = |limit: &EditLimit| limit.cost == NonZeroUsize::MIN;
                let are_plain = self.costs.limits().iter().all(is_plain) && !self.limited.contains(&true);
                (self.has_transpositions() && are_plain && self.locked.is_empty()).then_some(1)
            }
        }
    }

    /// Returns the cost of an insertion if the least cost of a match is always this cost times the indel distance. For
    /// this, a deletion must cost as much, neither may be limited, and a substitution must be no cheaper than both
    /// together.
    fn cost_of_indel(&self) -> Option<usize> {
        let EditCosts { insertion, deletion, substitution, .. } = self.costs;
        let are_free = insertion.cost == deletion.cost
            && !self.limits(EditKind::Insertion)
            && !self.limits(EditKind::Deletion)
            && self.locked.is_empty()
            && !self.has_transpositions();
        let is_dear = substitution.max == 0 || substitution.cost.get() / 2 >= insertion.cost.get();
        (are_free && is_dear).then_some(insertion.cost.get())
    }

    /// Returns the exact groups at the edges of a pattern of `length` symbols.
    pub fn edge_groups(&self, length: usize) -> EdgeGroups {
        let first = |index: usize| !self.is_locked(index) || !self.is_joined(index);
        let before = if self.is_locked(0) { (1..length).find(|&at| first(at)).unwrap_or(length) } else { 0 };
        if before == length {
            return EdgeGroups::default();
        }
        let start_of_last = || (0..length).rev().find(|&at| !self.is_joined(at)).unwrap_or(0);
        let after = if self.is_locked(length - 1) { length - start_of_last() } else { 0 };
        EdgeGroups { before, after }
    }

    /// Returns the largest total cost of the edits of a match.
    pub fn max_cost(&self) -> usize {
        self.max_cost
    }

    /// Returns the cost and the limit of each kind of edit.
    pub fn costs(&self) -> &EditCosts {
        &self.costs
    }

    /// Returns whether the limit of `kind` is lower than the number of such edits that the largest cost and the
    /// pattern's length allow anyway.
    pub fn limits(&self, kind: EditKind) -> bool {
        self.limited[kind as usize]
    }

    /// Returns whether a transposition is one edit.
    pub fn has_transpositions(&self) -> bool {
        self.costs.transpositions == Transpositions::One
    }

    /// Returns whether there are exact groups.
    pub fn has_groups(&self) -> bool {
        !self.locked.is_empty()
    }

    /// Returns whether the symbol at `index` must match.
    pub fn is_locked(&self, index: usize) -> bool {
        self.locked.get(index).is_some_and(|&locked| locked)
    }

    /// Returns whether nothing may be inserted before the symbol at `index`.
    pub fn is_joined(&self, index: usize) -> bool {
        self.joined.get(index).is_some_and(|&joined| joined)
    }

    /// Returns the constraints of the reversed pattern.
    pub(super) fn reversed(&self) -> Self {
        // If nothing may be inserted before a symbol, then after the reversal nothing may be inserted after it.
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

    fn constraints(bound: &str, costs: EditCosts, holds: &[ExactGroupRole]) -> EditConstraints {
        let bound: Bound = bound.parse().unwrap();
        EditConstraints::new(bound, bound.max_edits().of_length(holds.len()), costs, holds)
    }

    #[test]
    fn constraints_without_effect_are_plain() {
        let free = [ExactGroupRole::Free; 5];
        assert!(constraints("2", EditCosts::default(), &free).are_plain());
        assert!(!constraints("2s", EditCosts::default(), &free).are_plain());
        let limited = EditCosts { deletion: EditLimit::new(1, 2), ..EditCosts::default() };
        assert!(constraints("2", limited, &free).are_plain() && !constraints("3", limited, &free).are_plain());
        assert!(!constraints("1", EditCosts::default(), &[ExactGroupRole::First, ExactGroupRole::Free]).are_plain());
        assert!(constraints("0s", EditCosts::default(), &[ExactGroupRole::First, ExactGroupRole::Free]).are_plain());
    }

    #[test]
    fn a_plain_distance_bounds_every_match() {
        let free = [ExactGroupRole::Free; 9];
        let weighted = EditCosts {
            insertion: EditLimit::new(3, usize::MAX),
            deletion: EditLimit::new(1, 2),
            substitution: EditLimit::new(2, usize::MAX),
            ..EditCosts::default()
        };
        assert_eq!(constraints("7", weighted, &free).plain_edits(), 4);
        assert_eq!(constraints("2s", EditCosts::default(), &free).plain_edits(), 2);
        let swapped = EditCosts { transpositions: Transpositions::One, ..EditCosts::default() };
        assert_eq!(constraints("2", swapped, &free).plain_edits(), 4);
    }

    #[test]
    fn dear_substitutions_make_an_indel_distance() {
        let cost_of_indel = |bound: &str, costs: [usize; 3]| {
            let [insertion, deletion, substitution] = costs.map(|cost| EditLimit::new(cost, usize::MAX));
            let costs = EditCosts { insertion, deletion, substitution, ..EditCosts::default() };
            constraints(bound, costs, &[ExactGroupRole::Free; 9]).cost_of_indel()
        };
        assert_eq!(cost_of_indel("4", [1, 1, 2]), Some(1));
        assert_eq!(cost_of_indel("4", [1, 1, 9]), Some(1));
        assert_eq!(cost_of_indel("9", [2, 2, 4]), Some(2));
        assert_eq!(cost_of_indel("4id", [1, 1, 1]), Some(1), "no substitutions");
        assert_eq!(cost_of_indel("2", [1, 1, 3]), Some(1), "no substitution can be paid for");
        for (bound, costs) in [("4", [1, 1, 1]), ("9", [2, 2, 3]), ("4", [1, 2, 3]), ("4i", [1, 1, 2])] {
            assert_eq!(cost_of_indel(bound, costs), None, "-k{bound}, {costs:?}");
        }
        let dear = EditCosts { substitution: EditLimit::new(2, usize::MAX), ..EditCosts::default() };
        let swaps = EditCosts { transpositions: Transpositions::One, ..dear };
        let few = EditCosts { insertion: EditLimit::new(1, 3), ..dear };
        for costs in [swaps, few] {
            assert_eq!(constraints("4", costs, &[ExactGroupRole::Free; 9]).cost_of_indel(), None);
        }
        assert_eq!(constraints("1", dear, &[ExactGroupRole::First, ExactGroupRole::Free]).cost_of_indel(), None);
    }

    #[test]
    fn groups_at_the_edges_are_rigid() {
        use ExactGroupRole::{First, Free, Next};
        let edges = |holds: &[ExactGroupRole]| {
            let constraints = constraints("1", EditCosts::default(), holds);
            let EdgeGroups { before, after } = constraints.edge_groups(holds.len());
            (before, after)
        };
        assert_eq!(edges(&[Free, Free, First, Next, Next]), (0, 3));
        assert_eq!(edges(&[First, Next, Free, Free, First]), (2, 1));
        assert_eq!(edges(&[First, First, Next, Free]), (1, 0), "two groups with a gap between them");
        assert_eq!(edges(&[Free, First, Free]), (0, 0));
        assert_eq!(edges(&[First, Next, Next]), (0, 0), "nothing but a group");
    }

    #[test]
    fn reversed_constraints_have_reversed_groups() {
        let holds = [ExactGroupRole::Free, ExactGroupRole::First, ExactGroupRole::Next, ExactGroupRole::First];
        let turned = constraints("1", EditCosts::default(), &holds).reversed();
        assert_eq!(turned.locked, [true, true, true, false]);
        assert_eq!(turned.joined, [false, false, true, false]);
    }
}
