//! Tallies: the combinations of edits that a simulation distinguishes.
//!
//! A match is rated by the cost of its edits and by the difference between its insertions and deletions. If a kind of edit
//! has a limit that the cost does not imply, the number of its edits is needed too, and so is the number of ambiguous letters
//! of the text if that has a limit.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use nigh_pattern::{EditConstraints, EditLimit, OverhangLimits, Pattern, UNIT};

/// A step that costs something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditStep {
    Insertion,
    Deletion,
    Substitution,
    Transposition,
    /// A symbol of the pattern is beyond an end of the text.
    Overhang,
}

/// The number of kinds of steps.
const STEPS: usize = 5;

/// The edits of a partial match, as far as the simulation tells them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditTally {
    pub cost: usize,
    /// Insertions minus deletions.
    pub difference: isize,
    /// Number of ambiguous letters of the text; 0 if that has no limit.
    pub letters: usize,
    /// The index of the tally with one ambiguous letter less; `None` if this tally has none.
    pub fewer_letters: Option<usize>,
    /// For each kind of step, the index of the tally from which the step leads to this tally; `None` if the step cannot
    /// lead to this tally.
    before: [Option<usize>; STEPS],
    /// For each kind of step, the index of the tally to which the step leads; `None` if there is no such tally.
    after: [Option<usize>; STEPS],
}

impl EditTally {
    /// Returns the index of the tally from which a step leads to this tally; `None` if the step cannot lead to this
    /// tally.
    pub fn before(&self, step: EditStep) -> Option<usize> {
        self.before[step as usize]
    }

    /// Returns the index of the tally to which a step leads from this tally; `None` if the step leads to no tally.
    pub(crate) fn after(&self, step: EditStep) -> Option<usize> {
        self.after[step as usize]
    }
}

/// The limits on the edits of a match: the largest cost of all edits, and the limit and the cost of each kind of step. Also
/// the limit on the ambiguous letters of its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TallyLimits {
    max_cost: usize,
    steps: [StepLimit; STEPS],
    /// 0 if ambiguous letters are not counted.
    max_letters: usize,
}

/// The cost of a kind of step, and the largest number of such steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct StepLimit {
    cost: usize,
    max: usize,
}

impl StepLimit {
    /// No step of its kind is allowed.
    const NONE: StepLimit = StepLimit { cost: 1, max: 0 };

    /// Returns whether the number of steps has a limit that the largest cost of all steps does not imply.
    fn is_counted(self, max_cost: usize) -> bool {
        max_cost.checked_div(self.cost).is_some_and(|most| self.max < most)
    }
}

impl From<EditLimit> for StepLimit {
    fn from(limit: EditLimit) -> Self {
        StepLimit { cost: limit.cost.get(), max: limit.max }
    }
}

impl TallyLimits {
    /// Returns the limits of `k` edits, each of which costs 1.
    pub(crate) fn of_edits(k: usize) -> Self {
        let edit = StepLimit { cost: 1, max: k };
        TallyLimits { max_cost: k, steps: [edit, edit, edit, StepLimit::NONE, StepLimit::NONE], max_letters: 0 }
    }

    /// Returns the limits of a pattern.
    pub fn of_pattern(pattern: &Pattern) -> Self {
        let plain = || TallyLimits::of_edits(pattern.k());
        let max_letters = pattern.max_ambiguous().unwrap_or(0);
        TallyLimits { max_letters, ..pattern.constraints().map_or_else(plain, TallyLimits::of_constraints) }
    }

    /// Returns the limits of matches whose ambiguous letters are not counted.
    pub fn without_letters(self) -> Self {
        TallyLimits { max_letters: 0, ..self }
    }

    /// Returns the limits that constraints set.
    pub(crate) fn of_constraints(constraints: &EditConstraints) -> Self {
        let (costs, max_cost) = (constraints.costs(), constraints.max_cost());
        let swaps = if constraints.has_transpositions() { max_cost } else { 0 };
        let [insertion, deletion, substitution] = [costs.insertion, costs.deletion, costs.substitution].map(Into::into);
        let transposition = StepLimit { cost: 1, max: swaps };
        let steps = [insertion, deletion, substitution, transposition, StepLimit::NONE];
        TallyLimits { max_cost, steps, max_letters: 0 }
    }

    /// Returns the limits of matches that may hang over: all costs are in units of 1 / [`UNIT`].
    pub fn hanging_over(self, limits: OverhangLimits) -> Self {
        let mut steps = self.steps.map(|step| StepLimit { cost: step.cost * UNIT as usize, ..step });
        steps[EditStep::Overhang as usize] = StepLimit { cost: limits.cost(1) as usize, max: usize::MAX };
        TallyLimits { max_cost: limits.max_sum() as usize, steps, ..self }
    }
}

/// All tallies of a pattern. A tally comes after all tallies from which a step leads to it. The first is the tally of
/// no edits.
#[derive(Clone)]
pub struct Tallies(Vec<EditTally>);

/// The number of edits of each kind.
type EditCounts = [usize; STEPS];

/// The cost, the difference, the number of ambiguous letters and the counted edits. Two tallies differ in one of these.
type TallyKey = (usize, isize, usize, EditCounts);

impl Tallies {
    /// Returns the tallies that the limits allow: the cost, the difference between insertions and deletions, or 0 in place
    /// of it, the number of ambiguous letters, and the number of edits of each kind whose limit is lower than the number that
    /// the largest cost allows. They are ordered by cost, then by difference, so those of a lower largest cost are the first
    /// of them.
    pub fn new(limits: &TallyLimits, have_differences: bool) -> Self {
        let &TallyLimits { max_cost, steps: limits, max_letters } = limits;
        let is_counted = limits.map(|limit| limit.is_counted(max_cost));
        let unit = isize::from(have_differences);
        let differences = [unit, -unit, 0, 0, 0];
        let mut all: BTreeSet<TallyKey> = (0..=max_letters).map(|letters| (0, 0, letters, [0; STEPS])).collect();
        let mut next = all.first().copied();
        while let Some((cost, difference, letters, counts)) = next {
            for (kind, limit) in limits.into_iter().enumerate() {
                let mut more = counts;
                more[kind] += usize::from(is_counted[kind]);
                if cost + limit.cost <= max_cost && more[kind] <= limit.max {
                    all.insert((cost + limit.cost, difference + differences[kind], letters, more));
                }
            }
            next = all.range((Bound::Excluded((cost, difference, letters, counts)), Bound::Unbounded)).next().copied();
        }
        let indices: HashMap<TallyKey, usize> = all.iter().copied().zip(0..).collect();
        let tally = |&(cost, difference, letters, counts): &TallyKey| {
            let before = std::array::from_fn(|kind| {
                let mut fewer = counts;
                fewer[kind] = fewer[kind].checked_sub(usize::from(is_counted[kind]))?;
                let cost = cost.checked_sub(limits[kind].cost)?;
                indices.get(&(cost, difference - differences[kind], letters, fewer)).copied()
            });
            let fewer_letters = letters.checked_sub(1).map(|fewer| indices[&(cost, difference, fewer, counts)]);
            EditTally { cost, difference, letters, fewer_letters, before, after: [None; STEPS] }
        };
        let mut tallies: Vec<EditTally> = all.iter().map(tally).collect();
        for after in 0..tallies.len() {
            for (step, before) in tallies[after].before.into_iter().enumerate() {
                if let Some(before) = before {
                    tallies[before].after[step] = Some(after);
                }
            }
        }
        Tallies(tallies)
    }

    /// Replaces each cost by its rank among the different costs, from 0 on. Also returns these costs, in order.
    pub fn ranked(mut self) -> (Self, Vec<usize>) {
        let mut costs: Vec<usize> = self.0.iter().map(|tally| tally.cost).collect();
        costs.dedup();
        for tally in &mut self.0 {
            tally.cost = costs.partition_point(|&cost| cost < tally.cost);
        }
        (self, costs)
    }

    /// Returns all tallies.
    pub(crate) fn all(&self) -> &[EditTally] {
        &self.0
    }

    /// Returns the tallies of matches that cost at most `cost`.
    pub fn up_to(&self, cost: usize) -> &[EditTally] {
        &self.0[..self.0.partition_point(|tally| tally.cost <= cost)]
    }
}

/// Returns whether there are transpositions among the steps that lead to tallies.
pub fn has_transpositions(tallies: &[EditTally]) -> bool {
    tallies.iter().any(|tally| tally.before(EditStep::Transposition).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{EditCosts, MaxEdits, PatternSet, PatternSetBuilder, PatternSource, Transpositions};
    use nigh_text::alphabet::Alphabet;

    /// Checks that each tally has one edit more than those before it.
    fn check(tallies: &[EditTally]) {
        for (index, tally) in tallies.iter().enumerate() {
            let steps = [EditStep::Insertion, EditStep::Deletion, EditStep::Substitution, EditStep::Transposition];
            let before = steps.map(|step| tally.before(step));
            assert!(before.iter().flatten().all(|&before| before < index), "{tally:?}");
            let difference = |before: Option<usize>| before.map(|before| tallies[before].difference);
            assert!(difference(before[0]).is_none_or(|before| before + 1 == tally.difference));
            assert!(difference(before[1]).is_none_or(|before| before - 1 == tally.difference));
            assert!(index == 0 || before.iter().any(Option::is_some));
            assert!(index == 0 || tallies[index - 1].cost <= tally.cost);
        }
    }

    #[test]
    fn a_tally_has_one_edit_more_than_those_before_it() {
        let tallies = |builder: PatternSetBuilder| {
            let set = builder.max_edits(MaxEdits::Count(3)).build(&[PatternSource::new("abcdef")]).unwrap();
            Tallies::new(&TallyLimits::of_pattern(&set.patterns()[0]), true)
        };
        let plain = tallies(PatternSet::builder(Alphabet::Text));
        check(&plain.0);
        assert_eq!([0, 1, 2, 3].map(|cost| plain.up_to(cost).len()), [1, 4, 9, 16]);
        let costs = EditCosts {
            insertion: EditLimit::new(2, 1),
            deletion: EditLimit::new(1, 2),
            substitution: EditLimit::new(1, 5),
            transpositions: Transpositions::One,
        };
        let limited = tallies(PatternSet::builder(Alphabet::Text).edit_costs(costs));
        check(&limited.0);
        // An insertion costs 2, and is one at most in any case. Deletions are counted, and substitutions and transpositions
        // are not.
        let cells = (0..=1).flat_map(|i| (0..=2).map(move |d| 2 * i + d)).filter(|cost| *cost <= 3);
        assert_eq!(limited.0.len(), cells.map(|cost| 3 - cost + 1).sum::<usize>());
    }
}
