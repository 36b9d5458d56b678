//! The simulation of an automaton whose edits have costs or limits, or that has exact groups.
//!
//! There is one set of states for each [tally](Tallies::of_costs), so the step of `automaton` becomes, with F(t) the
//! states that follow the set of the tally t, and t - x the tally before an edit of the kind x:
//!
//! ```text
//! set'(t) = F(t) & states that read the symbol                      a match
//!         | set(t - insertion)                                      the symbol is inserted
//!         | F(t - substitution) & states that may be edited         the symbol is substituted
//!         | F'(t - deletion) & states that may be edited            a symbol of the pattern is deleted
//!         | F(F''(t - transposition) & states that read the symbol)
//!           & states that read the symbol before                    two symbols are transposed
//! ```
//!
//! F'' are the states that followed one symbol earlier. A path that inserted a symbol must not continue within an exact
//! group, so such paths have sets of their own, whose transitions are those between groups. A state that is in the set
//! of a tally with fewer edits is left out of those with more: it costs more there. With t tallies and w words a set, n symbols take O(n t w) time.
//!
//! S. Wu and U. Manber, "Fast text searching allowing errors", 1992, index such sets by the number of edits.

use smallvec::SmallVec;

use super::automaton::{Automaton, States, TransitionMasks, contains, insert, or};
use super::determinized::SetAutomaton;
use crate::engine::encoder::Code;
use crate::engine::expression::context::{CONTEXTS, holds};
use crate::engine::expression::tally::{EditStep, EditTally, Tallies};
use crate::pattern::{EditConstraints, Expression, State, Transition};

/// The simulation of all matches that satisfy constraints. The value of a set is the least cost of a match that ends at
/// the position.
pub(in crate::engine) struct CostSets<'a, const W: usize> {
    automaton: &'a Automaton<W>,
    tallies: Tallies,
    /// The states that may be edited: those that are in no exact group.
    free: States<W>,
    /// The states and transitions between exact groups; `None` if the expression has no exact group.
    groups: Option<GroupSets<W>>,
    /// Whether edits lead from an initial state to an accepting one without a symbol of the text, which is no match.
    may_be_empty: bool,
    /// For each class of symbols, the free states with a transition to a free state that reads it; empty if there are no
    /// transpositions.
    before_readers: Vec<States<W>>,
}

/// The states and transitions between exact groups.
struct GroupSets<const W: usize> {
    /// The states with transitions within a group.
    inner: States<W>,
    /// For each context, the transitions between groups.
    between: Vec<TransitionMasks<W>>,
}

/// The sets of one tally at a position.
#[derive(Clone, Copy)]
struct TallySets<const W: usize> {
    /// The states whose transitions all may be taken.
    states: States<W>,
    /// The states in exact groups in which a symbol was inserted.
    inserted: States<W>,
    /// The states that follow either.
    following: States<W>,
    /// The states that followed one symbol earlier and may be the first of a transposition.
    earlier: States<W>,
}

/// The number of sets in [`TallySets`].
const SETS: usize = 4;

impl<const W: usize> TallySets<W> {
    const NONE: Self = TallySets { states: [0; W], inserted: [0; W], following: [0; W], earlier: [0; W] };

    /// Returns the sets of the tally with an index from the row of all sets.
    #[inline]
    fn load(row: &[u64], index: usize) -> Self {
        let sets = &row.as_chunks::<W>().0[SETS * index..SETS * (index + 1)];
        TallySets { states: sets[0], inserted: sets[1], following: sets[2], earlier: sets[3] }
    }

    #[inline]
    fn store(&self, row: &mut [u64], index: usize) {
        let sets = &mut row.as_chunks_mut::<W>().0[SETS * index..SETS * (index + 1)];
        sets.copy_from_slice(&[self.states, self.inserted, self.following, self.earlier]);
    }
}

/// The symbol that was read last: its code, and the context of the position after it. A transposition depends on both.
#[derive(Clone, Copy)]
struct LastSymbol {
    code: Code,
    context: u8,
}

impl LastSymbol {
    fn to_word(self) -> u64 {
        1 << 63 | u64::from(self.context) << 32 | u64::from(self.code)
    }

    fn from_word(word: u64) -> Self {
        LastSymbol { code: word as Code, context: (word >> 32) as u8 }
    }
}

impl<'a, const W: usize> CostSets<'a, W> {
    /// Makes the simulation of an expression with constraints from its automaton, which reads text forward and
    /// distinguishes `classes` classes of symbols.
    pub(in crate::engine) fn new(
        automaton: &'a Automaton<W>,
        (expression, constraints): (&Expression, &EditConstraints),
        classes: usize,
    ) -> Self {
        let mut free = [0; W];
        (0..expression.states()).filter(|&state| !expression.is_exact(state as State)).for_each(|state| {
            insert(&mut free, state);
        });
        let transitions = expression.transitions();
        let groups = transitions.iter().any(|transition| transition.joined).then(|| {
            let mut inner = [0; W];
            transitions.iter().filter(|one| one.joined).for_each(|one| insert(&mut inner, one.from as usize));
            let contexts = if expression.has_conditions() { CONTEXTS } else { 1 };
            let between = |context: usize| {
                let is_taken = |one: &&Transition| !one.joined && holds(one.condition, context as u8);
                let taken = transitions.iter().filter(is_taken);
                TransitionMasks::new(taken.map(|one| (one.from as usize, one.to as usize)))
            };
            GroupSets { inner, between: (0..contexts).map(between).collect() }
        });
        let before_readers = |code: usize| {
            let readers = automaton.readers(code as Code);
            let mut before = [0; W];
            let free = |state: State| contains(&free, state as usize);
            for one in transitions.iter().filter(|one| free(one.from) && free(one.to)) {
                if contains(readers, one.to as usize) {
                    insert(&mut before, one.from as usize);
                }
            }
            before
        };
        let coded = if constraints.has_transpositions() { 0..classes } else { 0..0 };
        let before_readers = coded.map(before_readers).collect();
        let tallies = Tallies::of_costs(constraints);
        let mut sets = CostSets { automaton, tallies, free, groups, may_be_empty: false, before_readers };
        let mut row = vec![0; sets.words()];
        let contexts = if expression.has_conditions() { CONTEXTS } else { 1 };
        sets.may_be_empty = (0..contexts).any(|context| sets.begin_with(context as u8, &mut row).is_some());
        sets
    }

    /// Returns the states that follow the sets of a tally at a position with a context.
    #[inline]
    fn follow(&self, sets: &TallySets<W>, context: u8) -> States<W> {
        let following = self.automaton.follow(&sets.states, context);
        match &self.groups {
            Some(groups) => {
                let between = &groups.between[if groups.between.len() == 1 { 0 } else { usize::from(context) }];
                or(&following, &between.of(&sets.inserted))
            }
            None => following,
        }
    }

    /// Computes the sets at the first position of a text. Returns the least cost of a match without a symbol.
    fn begin_with(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        self.fill(to, context, |index, _| match index {
            0 => TallySets { states: *self.automaton.initial(context), ..TallySets::NONE },
            _ => TallySets::NONE,
        })
    }

    /// Completes the sets of the tallies in order. `entered` returns the states that a tally is entered with and those in
    /// which a symbol was inserted. Returns the least cost of a match that ends at the position.
    #[inline]
    fn fill(
        &self,
        to: &mut [u64],
        context: u8,
        mut entered: impl FnMut(usize, &EditTally) -> TallySets<W>,
    ) -> Option<u16> {
        // For each tally, the states of the tallies up to it.
        let mut up_to: SmallVec<[[States<W>; 2]; 8]> = SmallVec::with_capacity(self.tallies.len());
        let mut least = None;
        for (index, tally) in self.tallies.iter() {
            let mut sets = entered(index, tally);
            if let Some(fewer) = tally.before(EditStep::Deletion) {
                sets.states = or(&sets.states, &and(&TallySets::load(to, fewer).following, &self.free));
            }
            let mut smaller = [[0; W]; 2];
            for step in EditStep::ALL {
                if let Some(before) = tally.before(step) {
                    smaller = [or(&smaller[0], &up_to[before][0]), or(&smaller[1], &up_to[before][1])];
                }
            }
            sets.states = and_not(&sets.states, &smaller[0]);
            smaller[0] = or(&smaller[0], &sets.states);
            sets.inserted = and_not(&sets.inserted, &or(&smaller[0], &smaller[1]));
            smaller[1] = or(&smaller[1], &sets.inserted);
            up_to.push(smaller);
            sets.following = self.follow(&sets, context);
            if least.is_none() && self.automaton.accepts(&or(&sets.states, &sets.inserted), context) {
                least = Some(tally.cost as u16);
            }
            sets.store(to, index);
        }
        least
    }
}

impl<const W: usize> SetAutomaton for CostSets<'_, W> {
    fn words(&self) -> usize {
        self.tallies.len() * SETS * W + 1
    }

    fn begin(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        self.begin_with(context, to);
        // A match covers at least one symbol.
        None
    }

    fn step(&self, from: &[u64], code: Code, context: u8, to: &mut [u64]) -> Option<u16> {
        let (Some((&last, from)), Some((next_last, to))) = (from.split_last(), to.split_last_mut()) else {
            return None;
        };
        let last = LastSymbol::from_word(last);
        let readers = self.automaton.readers(code);
        let sets_of = |index: usize| TallySets::<W>::load(from, index);
        let mut has_earlier = false;
        let mut read = |index: usize, tally: &EditTally| {
            let old = sets_of(index);
            let mut states = and(&old.following, readers);
            let mut inserted = [0; W];
            if let Some(fewer) = tally.before(EditStep::Insertion) {
                let TallySets { states: before, inserted: twice, .. } = sets_of(fewer);
                let before = or(&before, &twice);
                match &self.groups {
                    Some(groups) => {
                        states = or(&states, &and_not(&before, &groups.inner));
                        inserted = and(&before, &groups.inner);
                    }
                    None => states = or(&states, &before),
                }
            }
            if let Some(fewer) = tally.before(EditStep::Substitution) {
                states = or(&states, &and(&sets_of(fewer).following, &self.free));
            }
            if let Some(fewer) = tally.before(EditStep::Transposition) {
                let first = and(&sets_of(fewer).earlier, readers);
                if first.iter().any(|&word| word != 0) {
                    let after = self.automaton.follow(&first, last.context);
                    states = or(&states, &and(&and(&after, self.automaton.readers(last.code)), &self.free));
                }
            }
            let before_readers = self.before_readers.get(usize::from(code));
            let earlier = before_readers.map_or([0; W], |before| and(&old.following, before));
            has_earlier |= earlier.iter().any(|&word| word != 0);
            TallySets { states, inserted, earlier, ..TallySets::NONE }
        };
        let not_empty = if self.may_be_empty { self.fill(to, context, &mut read) } else { None };
        let least = self.fill(to, context, |index, tally| {
            let mut sets = read(index, tally);
            if index == 0 {
                sets.states = or(&sets.states, self.automaton.initial(context));
            }
            sets
        });
        *next_last = if has_earlier { LastSymbol { code, context }.to_word() } else { 0 };
        if self.may_be_empty { not_empty } else { least }
    }
}

/// Returns the states that are in both sets.
#[inline]
fn and<const W: usize>(a: &States<W>, b: &States<W>) -> States<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

/// Returns the states of `a` that are not in `b`.
#[inline]
fn and_not<const W: usize>(a: &States<W>, b: &States<W>) -> States<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}
