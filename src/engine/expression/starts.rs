//! The starts of matches: for each end of a match, the best of its starts.
//!
//! Of the matches that end at a position with its distance, the best has the least difference between its insertions and
//! deletions, then the leftmost start. This is the simulation of the levels with a number for each state and each [tally]: the
//! leftmost start of a match that reaches the state with these edits. For n symbols, t transitions and e tallies, time is
//! O(n t e).
//!
//! [tally]: super::tally

use super::automaton::MayStart;
use super::context::holds;
use super::line::EncodedLine;
use super::tally::{EditStep, Tallies};
use crate::engine::encoder::Code;
use crate::pattern::{Expression, State};

/// The value of a state that no match reaches.
const NEVER: u32 = u32::MAX;

/// The end of a match: a position in a line or record, and the least distance there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchEnd {
    pub(super) position: usize,
    pub(super) distance: usize,
}

/// The leftmost starts of all states, for each tally.
#[derive(Clone)]
pub(super) struct StartTable {
    /// The number of states.
    states: usize,
    /// Ordered by the tally and the state.
    starts: Vec<u32>,
}

impl StartTable {
    fn new(states: usize, tallies: usize) -> Self {
        StartTable { states, starts: vec![NEVER; tallies * states] }
    }

    /// Returns the starts of all states, for the tally with the index `tally`; none if there is none.
    fn level(&self, tally: Option<usize>) -> &[u32] {
        tally.map_or(&[], |tally| &self.starts[tally * self.states..(tally + 1) * self.states])
    }

    /// Returns whether a match reaches a state with a tally.
    pub(super) fn is_reached(&self, tally: usize, state: State) -> bool {
        self.level(Some(tally))[state as usize] != NEVER
    }
}

/// A search for starts in a line.
#[derive(Clone, Copy)]
pub(super) struct StartSearch<'a> {
    pub(super) expression: &'a Expression,
    /// Tells whether a state reads the symbols of a class.
    pub(super) reads: &'a dyn Fn(State, Code) -> bool,
    pub(super) line: &'a EncodedLine<'a>,
    pub(super) tallies: &'a Tallies,
}

/// The tables of a position and of the positions before it.
#[derive(Clone)]
pub(super) struct StartTables {
    pub(super) position: usize,
    /// The tables of the position, the one before it, and the one before that.
    tables: [StartTable; 3],
}

impl StartTables {
    pub(super) fn here(&self) -> &StartTable {
        &self.tables[0]
    }

    /// Returns the last `count` tables, at most three, in the order of their positions.
    pub(super) fn last(&self, count: usize) -> Vec<StartTable> {
        self.tables[..count].iter().rev().cloned().collect()
    }
}

impl StartSearch<'_> {
    /// Returns the start of the best match for each end. `ends` are ordered by position.
    pub(super) fn best_starts(&self, ends: &[MatchEnd]) -> Vec<usize> {
        let mut starts = Vec::with_capacity(ends.len());
        let mut tables = self.begin(self.line.first);
        for end in ends {
            while tables.position < end.position {
                self.step(&mut tables, MayStart::Yes);
            }
            let best = self.best(&tables).filter(|best| best.distance == end.distance);
            starts.push(best.expect("a match ends here").start);
        }
        starts
    }

    /// Returns the least cost of a match that ends at each of some positions, if there is one. `ends` are ordered by
    /// position.
    pub(super) fn costs(&self, ends: &[usize]) -> Vec<Option<usize>> {
        let mut costs = Vec::with_capacity(ends.len());
        let mut tables = self.begin(self.line.first);
        for &end in ends {
            while tables.position < end {
                self.step(&mut tables, MayStart::Yes);
            }
            costs.push(self.best(&tables).map(|best| best.distance));
        }
        costs
    }

    /// Returns the tables of the position `first` for matches that start there or later.
    pub(super) fn begin(&self, first: usize) -> StartTables {
        let none = || StartTable::new(self.expression.states(), self.tallies.len());
        let mut tables = StartTables { position: first, tables: [none(), none(), none()] };
        self.fill(&mut tables, MayStart::Yes);
        tables
    }

    /// Moves to the next position, where a match may start or not.
    pub(super) fn step(&self, tables: &mut StartTables, may_start: MayStart) {
        tables.position += 1;
        tables.tables.rotate_right(1);
        tables.tables[0].starts.fill(NEVER);
        self.fill(tables, may_start);
    }

    /// Computes the table of the position, in which no match reaches a state, from those of the positions before it.
    fn fill(&self, tables: &mut StartTables, may_start: MayStart) {
        let position = tables.position;
        let [new, old, older] = &mut tables.tables;
        if may_start == MayStart::Yes {
            let context = self.line.context(position);
            for (start, condition) in new.starts.iter_mut().zip(self.expression.starts()) {
                if holds(*condition, context) {
                    *start = position as u32;
                }
            }
        }
        for (index, tally) in self.tallies.iter() {
            let (before, after) = new.starts.split_at_mut(index * new.states);
            let target = &mut after[..new.states];
            for (start, &inserted) in target.iter_mut().zip(old.level(tally.before(EditStep::Insertion))) {
                *start = inserted.min(*start);
            }
            self.consume(old.level(Some(index)), Consumed::Read, position, target);
            self.consume(old.level(tally.before(EditStep::Substitution)), Consumed::Substituted, position, target);
            self.transpose(older.level(tally.before(EditStep::Transposition)), position, target);
            if let Some(fewer) = tally.before(EditStep::Deletion) {
                self.delete(&before[fewer * new.states..(fewer + 1) * new.states], position, target);
            }
        }
    }

    /// Takes transitions with the symbol before the position.
    fn consume(&self, from: &[u32], consumed: Consumed, position: usize, to: &mut [u32]) {
        if from.is_empty() || position <= self.line.first {
            return;
        }
        let code = self.line.codes[position - 1];
        let context = self.line.context(position - 1);
        for transition in self.expression.transitions() {
            let start = from[transition.from as usize];
            if start < to[transition.to as usize]
                && (consumed == Consumed::Substituted || (self.reads)(transition.to, code))
                && holds(transition.condition, context)
            {
                to[transition.to as usize] = start;
            }
        }
    }

    /// Takes two transitions that read the two symbols before the position in the other order.
    fn transpose(&self, from: &[u32], position: usize, to: &mut [u32]) {
        if from.is_empty() || position < self.line.first + 2 {
            return;
        }
        // The starts of the states between the two transitions.
        let mut between = vec![NEVER; to.len()];
        let (first, last) = (self.line.codes[position - 2], self.line.codes[position - 1]);
        for (code, offset) in [(last, 2), (first, 1)] {
            let context = self.line.context(position - offset);
            for transition in self.expression.transitions() {
                let source = if offset == 2 { from } else { &between };
                let start = source[transition.from as usize];
                let target = if offset == 2 { &mut between } else { &mut *to };
                if start < target[transition.to as usize]
                    && (self.reads)(transition.to, code)
                    && holds(transition.condition, context)
                {
                    target[transition.to as usize] = start;
                }
            }
        }
    }

    /// Takes transitions without a symbol.
    fn delete(&self, from: &[u32], position: usize, to: &mut [u32]) {
        let context = self.line.context(position);
        for transition in self.expression.transitions() {
            let start = from[transition.from as usize];
            if start < to[transition.to as usize] && holds(transition.condition, context) {
                to[transition.to as usize] = start;
            }
        }
    }

    /// Returns the best match that ends at the position, if there is one.
    fn best(&self, tables: &StartTables) -> Option<BestMatch> {
        let context = self.line.context(tables.position);
        let ends = self.expression.ends().iter().filter(|end| holds(end.condition, context));
        let matches = ends.flat_map(|end| {
            self.tallies.iter().filter_map(move |(index, tally)| {
                let start = tables.here().level(Some(index))[end.state as usize];
                (start != NEVER).then_some((tally.rank(), start as usize))
            })
        });
        matches.min().map(|((distance, _), start)| BestMatch { distance, start })
    }
}

/// The best match that ends at a position.
struct BestMatch {
    distance: usize,
    start: usize,
}

/// How a symbol of the text is consumed by a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consumed {
    Read,
    Substituted,
}
