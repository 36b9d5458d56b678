//! The alignment of a match with a string of the expression, if the edits have costs or limits.
//!
//! This is the walk of `matches::trace` through the tables of `starts`, with the tally in place of the number of edits.
//! After a substitution the walk tries a transposition.

use std::ops::Range;

use super::EditStep;
use super::starts::{StartSearch, StartTable, StartTables};
use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::expression::context::holds;
use crate::engine::expression::simulation::automaton::MayStart;
use crate::pattern::{State, Transition};

/// A place in the tables: a position, a state and the index of a tally.
#[derive(Clone, Copy)]
struct TallyCell {
    position: usize,
    state: State,
    tally: usize,
}

/// The tables of consecutive positions.
struct TableRun {
    /// The position of the first table.
    first: usize,
    tables: Vec<StartTable>,
}

impl TableRun {
    /// Returns the table of a position; `None` for a position before the start of the match.
    fn at(&self, position: Option<usize>) -> Option<&StartTable> {
        self.tables.get(position?.checked_sub(self.first)?)
    }
}

impl StartSearch<'_> {
    /// Returns the operations of the match at the positions `range`, whose edits cost `distance`.
    pub(in crate::engine) fn cigar(&self, range: Range<usize>, distance: usize) -> Cigar {
        let stride = range.len().isqrt().max(1);
        let mut kept = vec![self.begin(range.start)];
        let mut last = kept[0].clone();
        while last.position + stride <= range.end {
            (0..stride).for_each(|_| self.step(&mut last, MayStart::No));
            kept.push(last.clone());
        }
        let mut runs = BackwardRuns::default();
        let (mut cell, mut end) = (None, range.end);
        for tables in kept.into_iter().rev() {
            let first = tables.position;
            let run = self.run(tables, end);
            let mut at = cell.unwrap_or_else(|| self.last_cell(&run, end, distance));
            while at.position > first || first == range.start && !self.is_initial(at) {
                let (length, edit, before) = self.step_back(at, &run, range.start);
                runs.push(length, edit);
                at = before;
            }
            (cell, end) = (Some(at), first);
        }
        runs.cigar()
    }

    /// Returns the tables from two positions before the position of `tables` up to the position `end`.
    fn run(&self, mut tables: StartTables, end: usize) -> TableRun {
        let first = tables.position.saturating_sub(2);
        let mut run = TableRun { first, tables: tables.last(tables.position - first + 1) };
        while tables.position < end {
            self.step(&mut tables, MayStart::No);
            run.tables.push(tables.here().clone());
        }
        run
    }

    /// Returns the last of the accepting states with the best tally.
    fn last_cell(&self, run: &TableRun, position: usize, distance: usize) -> TallyCell {
        let context = self.line.context(position);
        let table = run.at(Some(position)).expect("the tables reach the end of the match");
        let ends = self.expression.ends().iter().rev().filter(|end| holds(end.condition, context));
        let states = ends.flat_map(|end| [Some(end.state), self.graph.copy_of(end.state)]).flatten();
        let cells = states.flat_map(|state| {
            let reached = self.tallies.iter().filter(move |(tally, _)| table.is_reached(*tally, state));
            reached.map(move |(tally, rated)| (rated.rank(), TallyCell { position, state, tally }))
        });
        let best = cells.filter(|((cost, _), _)| *cost == distance).min_by_key(|(rank, _)| *rank);
        best.expect("the match ends here").1
    }

    fn is_initial(&self, cell: TallyCell) -> bool {
        (cell.state as usize) < self.expression.starts().len() && cell.tally == 0
    }

    /// Returns the operation of the first step back from a cell, its length, and the cell that it leads to. The match
    /// starts at the position `start`.
    fn step_back(&self, cell: TallyCell, run: &TableRun, start: usize) -> (usize, Edit, TallyCell) {
        let TallyCell { position, state, tally } = cell;
        let behind = |count: usize| position.checked_sub(count).filter(|&position| position >= start);
        let code = |count: usize| self.line.codes[position - count];
        let before = |step: EditStep| self.tallies.get(tally).before(step);
        let to = |count: usize, state: State, tally: usize| TallyCell { position: position - count, state, tally };
        let from = |tally: Option<usize>, count: usize| {
            let table = run.at(behind(count))?;
            let state = self.states_before(state, table, tally?, position - count).next()?;
            Some(to(count, state, tally?))
        };
        // Only insertions lead to a copy.
        if self.graph.original(state).is_none() {
            if behind(1).is_some()
                && (self.reads)(state, code(1))
                && let Some(cell) = from(Some(tally), 1)
            {
                return (1, Edit::Match, cell);
            }
            let may_edit = |step: EditStep| before(step).filter(|_| !self.expression.is_exact(state));
            if let Some(cell) = from(may_edit(EditStep::Substitution), 1) {
                return (1, Edit::Substitution, cell);
            }
            if let (Some(table), Some(tally)) = (run.at(behind(2)), may_edit(EditStep::Transposition))
                && (self.reads)(state, code(2))
            {
                let between = self.transitions_into(state, position - 1).map(|transition| transition.from);
                let mut between = between.filter(|&middle| {
                    self.expression.set(middle).is_some()
                        && !self.expression.is_exact(middle)
                        && (self.reads)(middle, code(1))
                });
                let first = between.find_map(|middle| self.states_before(middle, table, tally, position - 2).next());
                if let Some(state) = first {
                    return (2, Edit::Substitution, to(2, state, tally));
                }
            }
            if let Some(cell) = from(may_edit(EditStep::Deletion), 0) {
                return (1, Edit::PatternOnly, cell);
            }
        }
        let tally = before(EditStep::Insertion).expect("some step leads to a cell");
        let table = run.at(behind(1)).expect("a symbol was inserted");
        let original = self.graph.original(state).filter(|&original| table.is_reached(tally, original));
        (1, Edit::TextOnly, to(1, original.unwrap_or(state), tally))
    }

    /// Iterates over the transitions to a state that may be taken at a position. Transitions from states that are
    /// written later come first.
    fn transitions_into(&self, state: State, position: usize) -> impl Iterator<Item = &Transition> {
        let transitions = self.expression.transitions();
        let after = transitions.partition_point(|transition| transition.to <= state);
        let into = transitions[..after].iter().rev().take_while(move |transition| transition.to == state);
        let context = self.line.context(position);
        into.filter(move |transition| holds(transition.condition, context))
    }

    /// Iterates over the states that are reached with a tally and have a transition to `state` at a position.
    fn states_before(
        &self,
        state: State,
        reached: &StartTable,
        tally: usize,
        position: usize,
    ) -> impl Iterator<Item = State> {
        let from = self.transitions_into(state, position).flat_map(|transition| {
            let copy = self.graph.copy_of(transition.from).filter(|_| !transition.joined);
            [Some(transition.from), copy]
        });
        from.flatten().filter(move |&from| reached.is_reached(tally, from))
    }
}
