//! The starts of the matches that have the cost of their hit, if the edits have costs or limits.
//!
//! This is the pass of `simulation::backward` with a table of tallies in place of the levels. The value of a state and
//! a tally is the largest cost of a hit whose match continues from the state with these edits: a match starts where an
//! initial state has a tally that costs no more. For n symbols, t transitions and e tallies, time is O(n t e).

use std::ops::Range;

use super::starts::{StartSearch, StartTable, StartTables};
use super::{EditStep, EditTally};
use crate::engine::expression::context::holds;
use crate::engine::expression::line::MatchEnd;
use crate::engine::expression::simulation::automaton::only_from;
use crate::interrupt;
use crate::pattern::State;

impl StartSearch<'_> {
    /// Returns, for each position in `ends`, the least cost of a match that starts in one of the ranges `starts` and
    /// ends there; `None` if no match does. `starts` and `ends` ascend.
    pub(in crate::engine) fn costs_from(&self, starts: &[Range<usize>], ends: &[usize]) -> Vec<Option<usize>> {
        let Some(first) = starts.first() else { return vec![None; ends.len()] };
        let mut tables = self.begin(first.start);
        let mut may_start = only_from(starts);
        let mut cost = |&end: &usize| {
            while tables.position < end {
                let next = may_start(tables.position + 1);
                self.step(&mut tables, next);
            }
            self.best(&tables).filter(|_| tables.position == end).map(|best| best.distance)
        };
        ends.iter().map(&mut cost).collect()
    }

    /// Passes the start of each match that ends at one of `ends` with its distance to `each`, the last first. `ends`
    /// are ordered by position.
    pub(in crate::engine) fn starts_before(&self, ends: &[MatchEnd], each: &mut dyn FnMut(usize)) {
        let most = ends.iter().map(|end| end.distance).max().unwrap_or(0);
        let mut ends = ends.iter().rev().peekable();
        let mut next = ends.peek().map(|end| end.position);
        let mut tables = self.without_matches();
        while let Some(position) = next {
            interrupt::check_at(position);
            tables.advance_to(position);
            if let Some(end) = ends.next_if(|end| end.position == position) {
                self.enter(&mut tables, most - end.distance);
            }
            for (index, tally) in self.tallies.iter() {
                self.fill_back(&mut tables, (index, tally));
            }
            if self.is_start(&tables, most) {
                each(position);
            }
            let before = position.checked_sub(1).filter(|&before| before >= self.line.first && !tables.are_empty());
            next = before.or_else(|| ends.peek().map(|end| end.position));
        }
    }

    /// Adds the accepting states at the current position. `spent` is their value, which stands for the largest cost
    /// less the cost of the hit.
    fn enter(&self, tables: &mut StartTables, spent: usize) {
        let context = self.line.context(tables.position);
        let ends = self.expression.ends().iter().filter(|end| holds(end.condition, context));
        for state in ends.flat_map(|end| [Some(end.state), self.graph.copy_of(end.state)]).flatten() {
            tables.here_mut().reach(0, state as usize, spent as u32);
        }
    }

    /// Computes the values of a tally at the current position, from those of the tallies before it, and from the tables
    /// of the next positions.
    fn fill_back(&self, tables: &mut StartTables, (index, tally): (usize, &EditTally)) {
        for state in 0..self.graph.states() {
            let value = self.value_back(tables, (index, tally), state);
            if value != StartTable::NEVER {
                tables.here_mut().reach(index, state, value);
            }
        }
    }

    fn value_back(&self, tables: &StartTables, (index, tally): (usize, &EditTally), state: usize) -> u32 {
        let (position, [here, next, after_next]) = (tables.position, tables.all());
        let (code, next_code) = (self.line.codes.get(position), self.line.codes.get(position + 1));
        let (context, next_context) = (self.line.context(position), self.line.context(position + 1));
        let value = |table: &StartTable, step: EditStep, to: State| {
            tally.before(step).map_or(StartTable::NEVER, |fewer| table.start(fewer, to))
        };
        let reads = |to: State, code: Option<&u16>| code.is_some_and(|&code| (self.reads)(to, code));
        let mut least = value(next, EditStep::Insertion, self.graph.after_insertion(state) as State);
        for transition in self.graph.from(state).iter().filter(|one| holds(one.condition, context)) {
            let to = transition.to;
            if reads(to, code) {
                least = least.min(next.start(index, to));
            }
            if self.expression.is_exact(to) {
                continue;
            }
            least = least.min(value(next, EditStep::Substitution, to)).min(value(here, EditStep::Deletion, to));
            if tally.before(EditStep::Transposition).is_some() && reads(to, next_code) {
                let second = self.graph.from(to as usize).iter().filter(|one| holds(one.condition, next_context));
                let swapped = second.filter(|one| !self.expression.is_exact(one.to) && reads(one.to, code));
                let values = swapped.map(|one| value(after_next, EditStep::Transposition, one.to));
                least = values.fold(least, u32::min);
            }
        }
        least
    }

    /// Returns whether a match starts at the current position that costs no more than its hit.
    fn is_start(&self, tables: &StartTables, most: usize) -> bool {
        let context = self.line.context(tables.position);
        let mut initial = (0..).zip(self.expression.starts()).filter(|(_, start)| holds(**start, context));
        initial.any(|(state, _)| {
            let costs = self.tallies.iter().map(|(index, tally)| (tables.here().start(index, state), tally.cost));
            costs.into_iter().any(|(spent, cost)| spent != StartTable::NEVER && spent as usize + cost <= most)
        })
    }
}
