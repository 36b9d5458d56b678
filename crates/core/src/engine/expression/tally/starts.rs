//! The starts of matches: for each end of a match, the best of its starts.
//!
//! Of the matches that end at a position with its distance, the best has the least difference between its insertions
//! and deletions, then the leftmost start. This is the simulation of the levels with a number for each state and each
//! [tally]: the leftmost start of a match that reaches the state with these edits. For n symbols, t transitions and e
//! tallies, time is O(n t e).
//!
//! [tally]: super

use std::ops::Range;

use super::{EditStep, Tallies};
use crate::engine::encoder::Code;
use crate::engine::expression::context::holds;
use crate::engine::expression::line::{EncodedLine, MatchEnd};
use crate::engine::expression::simulation::automaton::MayStart;
use crate::interrupt;
use crate::pattern::{Expression, State, Transition};

/// The automaton of an expression, with the transitions ordered by the state that they lead from.
///
/// A path that inserted symbols in a state must not continue within the exact group of the state. A state with
/// transitions within a group therefore has a copy for such paths, which has only the other transitions. Copies come
/// after the states of the expression.
pub(in crate::engine) struct StateGraph {
    transitions: Vec<Transition>,
    /// For each state, the index of its first transition; then the number of transitions.
    first: Vec<u32>,
    /// The state after an insertion, for each state of the expression.
    after_insertion: Vec<State>,
    /// The state that each copy was made from, ascending.
    originals: Vec<State>,
}

impl StateGraph {
    pub(in crate::engine) fn new(expression: &Expression) -> Self {
        let mut transitions = expression.transitions().to_vec();
        let mut after_insertion: Vec<State> = (0..expression.states() as State).collect();
        let joined = transitions.iter().filter(|transition| transition.joined);
        let mut originals: Vec<State> = joined.map(|transition| transition.from).collect();
        originals.sort_unstable();
        originals.dedup();
        for (copy, &original) in (expression.states() as State..).zip(&originals) {
            after_insertion[original as usize] = copy;
            let others = expression.transitions().iter().filter(|one| one.from == original && !one.joined);
            transitions.extend(others.map(|transition| Transition { from: copy, ..*transition }));
        }
        transitions.sort_by_key(|transition| (transition.from, transition.to));
        let states = expression.states() + originals.len();
        let before = |state: usize| transitions.partition_point(|transition| (transition.from as usize) < state) as u32;
        let first = (0..=states).map(before).collect();
        StateGraph { transitions, first, after_insertion, originals }
    }

    /// Returns the number of states.
    pub(in crate::engine) fn states(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the transitions from a state.
    pub(in crate::engine) fn from(&self, state: usize) -> &[Transition] {
        &self.transitions[self.first[state] as usize..self.first[state + 1] as usize]
    }

    /// Returns the state after an insertion.
    pub(super) fn after_insertion(&self, state: usize) -> usize {
        self.after_insertion.get(state).map_or(state, |&after| after as usize)
    }

    /// Returns the copy of a state of the expression; `None` if it has none.
    pub(super) fn copy_of(&self, state: State) -> Option<State> {
        Some(self.after_insertion[state as usize]).filter(|&after| after != state)
    }

    /// Returns the state of the expression that a copy was made from; `None` if the state is no copy.
    pub(super) fn original(&self, state: State) -> Option<State> {
        let copy = (state as usize).checked_sub(self.after_insertion.len())?;
        Some(self.originals[copy])
    }
}

/// The leftmost starts of all states, for each tally.
#[derive(Clone)]
pub(in crate::engine) struct StartTable {
    /// The number of states.
    states: usize,
    /// The leftmost starts, ordered by tally and state.
    starts: Vec<u32>,
    /// The states that are reached, as bits: the same number of words for each tally.
    reached: Vec<u64>,
}

impl StartTable {
    /// The value of a state that no match reaches.
    pub(super) const NEVER: u32 = u32::MAX;

    fn new(states: usize, tallies: usize) -> Self {
        let words = states.div_ceil(64);
        StartTable { states, starts: vec![Self::NEVER; tallies * states], reached: vec![0; tallies * words] }
    }

    fn clear(&mut self) {
        self.starts.fill(Self::NEVER);
        self.reached.fill(0);
    }

    fn words(&self) -> usize {
        self.states.div_ceil(64)
    }

    /// Returns the start of a state; `NEVER` if no match reaches it with a tally.
    pub(in crate::engine) fn start(&self, tally: usize, state: State) -> u32 {
        self.starts[tally * self.states + state as usize]
    }

    /// Sets the start of a state to `start`, if that is less.
    #[inline]
    pub(in crate::engine) fn reach(&mut self, tally: usize, state: usize, start: u32) {
        let least = &mut self.starts[tally * self.states + state];
        *least = start.min(*least);
        let words = self.words();
        self.reached[tally * words + state / 64] |= 1 << (state % 64);
    }

    /// Passes each state that is reached with a tally, and its start, to `each`.
    #[inline]
    fn for_each(&self, tally: usize, mut each: impl FnMut(usize, u32)) {
        let words = self.words();
        for (word, &reached) in self.reached[tally * words..(tally + 1) * words].iter().enumerate() {
            let mut rest = reached;
            while rest != 0 {
                let state = 64 * word + rest.trailing_zeros() as usize;
                each(state, self.starts[tally * self.states + state]);
                rest &= rest - 1;
            }
        }
    }

    /// Returns whether a match reaches a state with a tally.
    pub(super) fn is_reached(&self, tally: usize, state: State) -> bool {
        self.start(tally, state) != Self::NEVER
    }
}

/// A search for starts in a line.
#[derive(Clone, Copy)]
pub(in crate::engine) struct StartSearch<'a> {
    pub(in crate::engine) expression: &'a Expression,
    pub(in crate::engine) graph: &'a StateGraph,
    /// Tells whether a state reads the symbols of a class.
    pub(in crate::engine) reads: &'a dyn Fn(State, Code) -> bool,
    pub(in crate::engine) line: &'a EncodedLine<'a>,
    pub(in crate::engine) tallies: &'a Tallies,
}

/// The tables of a position and of the two positions before it.
#[derive(Clone)]
pub(in crate::engine) struct StartTables {
    pub(in crate::engine) position: usize,
    /// The tables of the position, the one before it, and the one before that.
    tables: [StartTable; 3],
}

impl StartTables {
    pub(in crate::engine) fn here(&self) -> &StartTable {
        &self.tables[0]
    }

    pub(super) fn here_mut(&mut self) -> &mut StartTable {
        &mut self.tables[0]
    }

    /// Returns the tables of the position, and of the two positions that were left last.
    pub(in crate::engine) fn all(&self) -> &[StartTable; 3] {
        &self.tables
    }

    /// Returns whether no match reaches a state at the position, or at the position that was left last.
    pub(super) fn are_empty(&self) -> bool {
        self.tables[..2].iter().all(|table| table.reached.iter().all(|&word| word == 0))
    }

    /// Moves to a position, whose table is empty.
    pub(super) fn advance_to(&mut self, position: usize) {
        self.position = position;
        self.tables.rotate_right(1);
        self.tables[0].clear();
    }

    /// Returns the last `count` tables, at most three, in the order of their positions.
    pub(in crate::engine) fn last(&self, count: usize) -> Vec<StartTable> {
        self.tables[..count].iter().rev().cloned().collect()
    }
}

impl StartSearch<'_> {
    /// Returns the best match for each end. `ends` are ordered by position. A match has at most `longest` symbols.
    pub(in crate::engine) fn best_matches(&self, ends: &[MatchEnd], longest: usize) -> Vec<BestMatch> {
        let mut matches = Vec::with_capacity(ends.len());
        let mut tables = self.begin(self.line.first);
        for end in ends {
            let first = end.position.saturating_sub(longest);
            if first > tables.position {
                tables = self.begin(first);
            }
            while tables.position < end.position {
                self.step(&mut tables, MayStart::Yes);
            }
            let best = self.best(&tables).filter(|best| best.distance == end.distance);
            matches.push(best.expect("a match ends here"));
        }
        matches
    }

    /// Returns the best match that starts in a range of positions and ends at its end.
    pub(in crate::engine) fn best_match_in(&self, positions: Range<usize>) -> Option<BestMatch> {
        let mut tables = self.begin(positions.start);
        while tables.position < positions.end {
            self.step(&mut tables, MayStart::Yes);
        }
        self.best(&tables)
    }

    /// Returns the tables of the position `first` for matches that start there or later.
    pub(in crate::engine) fn begin(&self, first: usize) -> StartTables {
        let mut tables = StartTables { position: first, ..self.without_matches() };
        self.fill(&mut tables, MayStart::Yes);
        tables
    }

    /// Returns tables in which no match reaches a state.
    pub(super) fn without_matches(&self) -> StartTables {
        let none = || StartTable::new(self.graph.states(), self.tallies.len());
        StartTables { position: 0, tables: [none(), none(), none()] }
    }

    /// Moves to the next position. `may_start` tells whether a match may start there.
    pub(in crate::engine) fn step(&self, tables: &mut StartTables, may_start: MayStart) {
        tables.advance_to(tables.position + 1);
        self.fill(tables, may_start);
    }

    /// Computes the table of the current position, which must be empty, from the tables of the positions before it.
    fn fill(&self, tables: &mut StartTables, may_start: MayStart) {
        let position = tables.position;
        interrupt::check_at(position);
        let [new, old, older] = &mut tables.tables;
        if may_start == MayStart::Yes {
            let context = self.line.context(position);
            for (state, _) in self.expression.starts().iter().enumerate().filter(|(_, start)| holds(**start, context)) {
                new.reach(0, state, position as u32);
            }
        }
        let is_first = position <= self.line.first;
        for (index, tally) in self.tallies.iter() {
            if !is_first {
                if let Some(fewer) = tally.before(EditStep::Insertion) {
                    old.for_each(fewer, |state, start| new.reach(index, self.graph.after_insertion(state), start));
                }
                self.consume((old, index), ConsumptionKind::Read, position, (new, index));
                if let Some(fewer) = tally.before(EditStep::Substitution) {
                    self.consume((old, fewer), ConsumptionKind::Substituted, position, (new, index));
                }
            }
            if let Some(fewer) = tally.before(EditStep::Transposition).filter(|_| position >= self.line.first + 2) {
                self.transpose((older, fewer), position, (new, index));
            }
            if let Some(fewer) = tally.before(EditStep::Deletion) {
                self.delete(fewer, position, (new, index));
            }
        }
    }

    /// Takes the transitions that consume the symbol before the position.
    fn consume(
        &self,
        (from, tally): (&StartTable, usize),
        consumed: ConsumptionKind,
        position: usize,
        (to, new_tally): (&mut StartTable, usize),
    ) {
        let code = self.line.codes[position - 1];
        let context = self.line.context(position - 1);
        from.for_each(tally, |state, start| {
            for transition in self.graph.from(state) {
                if self.may_consume(transition.to, consumed, code) && holds(transition.condition, context) {
                    to.reach(new_tally, transition.to as usize, start);
                }
            }
        });
    }

    /// Returns whether a text symbol can be consumed by a transition to a state.
    fn may_consume(&self, to: State, consumed: ConsumptionKind, code: Code) -> bool {
        match consumed {
            ConsumptionKind::Read => (self.reads)(to, code),
            ConsumptionKind::Substituted => !self.expression.is_exact(to),
        }
    }

    /// Takes pairs of transitions that read the last two symbols before the position in exchanged order.
    fn transpose(
        &self,
        (from, tally): (&StartTable, usize),
        position: usize,
        (to, new_tally): (&mut StartTable, usize),
    ) {
        let (first, last) = (self.line.codes[position - 2], self.line.codes[position - 1]);
        let contexts = [position - 2, position - 1].map(|position| self.line.context(position));
        from.for_each(tally, |state, start| {
            let read = |state: State, code: Code, context: u8| {
                let transitions = self.graph.from(state as usize).iter();
                let held = transitions.filter(move |transition| holds(transition.condition, context));
                held.map(|transition| transition.to)
                    .filter(move |&to| !self.expression.is_exact(to) && (self.reads)(to, code))
            };
            for between in read(state as State, last, contexts[0]) {
                for end in read(between, first, contexts[1]) {
                    to.reach(new_tally, end as usize, start);
                }
            }
        });
    }

    /// Takes transitions without a symbol, which are deletions, from the states with the tally `fewer` to states with
    /// another tally.
    fn delete(&self, fewer: usize, position: usize, (table, tally): (&mut StartTable, usize)) {
        let context = self.line.context(position);
        for word in 0..table.words() {
            let mut rest = table.reached[fewer * table.words() + word];
            while rest != 0 {
                let state = 64 * word + rest.trailing_zeros() as usize;
                let start = table.start(fewer, state as State);
                let transitions = self.graph.from(state).iter().filter(|one| !self.expression.is_exact(one.to));
                for transition in transitions.filter(|one| holds(one.condition, context)) {
                    table.reach(tally, transition.to as usize, start);
                }
                rest &= rest - 1;
            }
        }
    }

    /// Returns the best match that ends at the position, if there is one.
    pub(in crate::engine) fn best(&self, tables: &StartTables) -> Option<BestMatch> {
        let context = self.line.context(tables.position);
        let ends = self.expression.ends().iter().filter(|end| holds(end.condition, context));
        let states = ends.flat_map(|end| [Some(end.state), self.graph.copy_of(end.state)]).flatten();
        let matches = states.flat_map(|state| {
            self.tallies.iter().filter_map(move |(index, tally)| {
                let start = tables.here().start(index, state);
                // A match covers at least one symbol.
                ((start as usize) < tables.position).then_some((tally.rank(), start as usize))
            })
        });
        matches.min().map(|((distance, difference), start)| BestMatch { distance, difference, start })
    }
}

/// The best match that ends at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct BestMatch {
    pub(in crate::engine) distance: usize,
    /// The difference between the numbers of insertions and deletions.
    pub(in crate::engine) difference: usize,
    pub(in crate::engine) start: usize,
}

/// The way in which a transition consumes a text symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConsumptionKind {
    Read,
    Substituted,
}
