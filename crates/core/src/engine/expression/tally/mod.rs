//! Tallies: the combinations of edit counts that a simulation distinguishes.
//!
//! A match is rated by the cost of its edits and by the difference between its insertions and deletions. Without
//! constraints, the number of edits and the difference suffice. With costs or limits for a kind of edit, the number of
//! each kind is needed.
//!
//! Reading order: `starts` (the best start of each hit), `constrained` (the costs of candidates,
//! which the search finds without costs and limits), `trace` (the way back, to alignments), `backward` (the starts of
//! all matches).

mod backward;
pub(super) mod constrained;
pub(super) mod starts;
mod trace;

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::ops::Bound;

use crate::pattern::{EditConstraints, EditKind, EditLimit};

/// A step that costs something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditStep {
    Insertion,
    Deletion,
    Substitution,
    Transposition,
}

/// The number of kinds of steps.
const STEPS: usize = 4;

/// The edits of a partial match, as far as the simulation tells them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditTally {
    pub(super) cost: usize,
    /// Insertions minus deletions.
    pub(super) difference: isize,
    /// For each kind of step, the index of the tally from which the step leads to this tally; `None` if the step cannot
    /// lead to this tally.
    before: [Option<usize>; STEPS],
}

impl EditStep {
    /// All kinds of steps.
    pub(super) const ALL: [EditStep; STEPS] =
        [EditStep::Insertion, EditStep::Deletion, EditStep::Substitution, EditStep::Transposition];
}

impl EditTally {
    /// Returns the index of the tally from which a step leads to this tally; `None` if the step cannot lead to this
    /// tally.
    pub(super) fn before(&self, step: EditStep) -> Option<usize> {
        self.before[step as usize]
    }

    /// Returns the rank among the tallies of a match: the least is the best.
    pub(super) fn rank(&self) -> (usize, usize) {
        (self.cost, self.difference.unsigned_abs())
    }
}

/// All tallies of a pattern. A tally comes after all tallies from which a step leads to it. The first is the tally of
/// no edits.
#[derive(Clone)]
pub(super) struct Tallies(Vec<EditTally>);

/// The number of edits of each kind.
type EditCounts = [usize; STEPS];

impl Tallies {
    /// Returns the tallies of at most `max` edits, of any kind except transpositions. They are ordered by cost.
    pub(super) fn of_edits(max: usize) -> Self {
        let index = |edits: Option<usize>, difference: isize| {
            let edits = edits.filter(|&edits| difference.unsigned_abs() <= edits)?;
            // The tallies of fewer edits, with 2 e + 1 differences for e edits, come first.
            Some(edits * edits + (difference + edits as isize) as usize)
        };
        let tally = |edits: usize, difference: isize| {
            let fewer = edits.checked_sub(1);
            let before = [index(fewer, difference - 1), index(fewer, difference + 1), index(fewer, difference), None];
            EditTally { cost: edits, difference, before }
        };
        let all =
            (0..=max).flat_map(|edits| (-(edits as isize)..=edits as isize).map(move |difference| (edits, difference)));
        Tallies(all.map(|(edits, difference)| tally(edits, difference)).collect())
    }

    /// Returns the tallies that constraints allow, as far as costs need them: the cost, and the number of edits of each
    /// kind whose limit is lower than the number that the largest cost allows. The tallies are ordered by cost, and their
    /// differences are 0.
    pub(super) fn of_costs(constraints: &EditConstraints) -> Self {
        let (max_cost, limits) = (constraints.max_cost(), limits(constraints));
        let is_counted = limits.map(|limit| limit.max < max_cost / limit.cost);
        let mut all: BTreeSet<(usize, EditCounts)> = BTreeSet::from([(0, [0; STEPS])]);
        let mut next = Some((0, [0; STEPS]));
        while let Some((cost, counts)) = next {
            for (kind, limit) in limits.into_iter().enumerate() {
                let mut more = counts;
                more[kind] += usize::from(is_counted[kind]);
                if cost + limit.cost.get() <= max_cost && more[kind] <= limit.max {
                    all.insert((cost + limit.cost.get(), more));
                }
            }
            next = all.range((Bound::Excluded((cost, counts)), Bound::Unbounded)).next().copied();
        }
        let indices: HashMap<(usize, EditCounts), usize> = all.iter().copied().zip(0..).collect();
        let tally = |&(cost, counts): &(usize, EditCounts)| {
            let before = std::array::from_fn(|kind| {
                let mut fewer = counts;
                fewer[kind] = fewer[kind].checked_sub(usize::from(is_counted[kind]))?;
                indices.get(&(cost.checked_sub(limits[kind].cost.get())?, fewer)).copied()
            });
            EditTally { cost, difference: 0, before }
        };
        Tallies(all.iter().map(tally).collect())
    }

    /// Returns the tallies that constraints allow, of which each has the number of edits of every kind.
    pub(super) fn within(constraints: &EditConstraints) -> Self {
        let (max_cost, limits) = (constraints.max_cost(), limits(constraints));
        let cost = |counts: &EditCounts| {
            counts.iter().zip(limits).map(|(count, limit)| count * limit.cost.get()).sum::<usize>()
        };
        let mut all: Vec<EditCounts> = vec![[0; STEPS]];
        for (kind, limit) in limits.into_iter().enumerate() {
            let with_kind = |counts: &EditCounts| {
                let counts = *counts;
                let left = (max_cost - cost(&counts)) / limit.cost;
                (0..=limit.max.min(left)).map(move |count| {
                    let mut counts = counts;
                    counts[kind] = count;
                    counts
                })
            };
            all = all.iter().flat_map(with_kind).collect();
        }
        all.sort_unstable_by_key(|counts| (counts.iter().sum::<usize>(), *counts));
        let indices: HashMap<EditCounts, usize> = all.iter().copied().zip(0..).collect();
        let tally = |counts: &EditCounts| {
            let before = std::array::from_fn(|kind| {
                let mut fewer = *counts;
                fewer[kind] = fewer[kind].checked_sub(1)?;
                indices.get(&fewer).copied()
            });
            let difference =
                counts[EditKind::Insertion as usize] as isize - counts[EditKind::Deletion as usize] as isize;
            EditTally { cost: cost(counts), difference, before }
        };
        Tallies(all.iter().map(tally).collect())
    }

    /// Iterates over the tallies and their indices, in ascending order of the index.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &EditTally)> {
        self.0.iter().enumerate()
    }

    /// Returns the tally with an index.
    pub(super) fn get(&self, index: usize) -> &EditTally {
        &self.0[index]
    }

    /// Returns the number of tallies.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the limit and the cost of each kind of step.
fn limits(constraints: &EditConstraints) -> [EditLimit; STEPS] {
    let costs = constraints.costs();
    let max = if constraints.has_transpositions() { constraints.max_cost() } else { 0 };
    [costs.insertion, costs.deletion, costs.substitution, EditLimit { cost: NonZeroUsize::MIN, max }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::pattern::{EditCosts, MaxEdits, PatternSet, PatternSource, Transpositions};

    fn check(tallies: &Tallies) {
        for (index, tally) in tallies.iter() {
            let steps = [EditStep::Insertion, EditStep::Deletion, EditStep::Substitution, EditStep::Transposition];
            let before = steps.map(|step| tally.before(step));
            assert!(before.iter().flatten().all(|&before| before < index), "{tally:?}");
            let difference = |before: Option<usize>| before.map(|before| tallies.get(before).difference);
            assert!(difference(before[0]).is_none_or(|before| before + 1 == tally.difference));
            assert!(difference(before[1]).is_none_or(|before| before - 1 == tally.difference));
            assert!(index == 0 || before.iter().any(Option::is_some));
        }
    }

    #[test]
    fn a_tally_has_one_edit_more_than_those_before_it() {
        let plain = Tallies::of_edits(3);
        assert_eq!(plain.len(), 16);
        check(&plain);
        let costs = EditCosts {
            insertion: EditLimit::new(2, 1),
            deletion: EditLimit::new(1, 2),
            substitution: EditLimit::new(1, 5),
            transpositions: Transpositions::One,
        };
        let builder = PatternSet::builder(Alphabet::Text).edit_costs(costs).max_edits(MaxEdits::Count(3));
        let set = builder.build(&[PatternSource::new("abcdef")]).unwrap();
        let tallies = Tallies::within(set.patterns()[0].constraints().unwrap());
        check(&tallies);
        // An insertion costs 2. The other edits may cost 3 in tallies without an insertion, and 1 in tallies with one.
        let count = |insertions: usize| {
            let cells = (0..=2).flat_map(|d| (0..=5).flat_map(move |s| (0..=3).map(move |t| d + s + t)));
            cells.filter(|cost| cost + 2 * insertions <= 3).count()
        };
        assert_eq!(tallies.len(), count(0) + count(1));
    }
}
