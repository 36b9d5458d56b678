//! The alignment of a match with a string of the expression.
//!
//! The sets of `simulation::differences` are computed from the start of the match to its end, then walked back from the
//! least difference between insertions and deletions. At each state the walk tries, in this order: a match, a
//! substitution, a symbol of the pattern only, a symbol of the text only; and of several states before a state the one
//! that is written last. Only the sets at every q-th position are kept, with q = max(√n, 256) for n symbols; the others
//! are computed again when the walk reaches them. Memory is O(√n d² w) for distance d and w words a set.

use std::ops::Range;
use std::sync::Arc;

use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::encoder::Code;
use crate::engine::expression::context::holds;
use crate::engine::expression::line::EncodedLine;
use crate::engine::expression::simulation::determinized::{Determinized, Reached};
use crate::engine::expression::simulation::differences::has_state;
use crate::interrupt;
use crate::pattern::{Expression, State, Transition};

/// An expression and the line or record that its matches are in. Both ways to align a match walk back by it.
#[derive(Clone, Copy)]
pub(super) struct AlignedExpression<'a, R, I> {
    pub(super) expression: &'a Expression,
    pub(super) line: &'a EncodedLine<'a>,
    /// Tells whether a state reads the symbols of a class.
    pub(super) reads: R,
    /// Returns the transitions into a state, in the order of the states that they lead from.
    pub(super) into: I,
}

/// A place in the matrix of states, numbers of edits and differences of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceCell {
    pub(super) state: State,
    pub(super) edits: usize,
    pub(super) difference: isize,
}

impl<'a, R: Fn(State, Code) -> bool, I: Fn(State) -> &'a [Transition]> AlignedExpression<'a, R, I> {
    /// Returns the operations of the match at the positions `range`, with `distance` edits. `reached` tells whether a path
    /// from the start of the match reaches a cell at a position.
    pub(super) fn cigar(
        &self,
        range: Range<usize>,
        distance: usize,
        reached: impl Fn(usize, TraceCell) -> bool,
    ) -> Cigar {
        let mut runs = BackwardRuns::default();
        let mut position = range.end;
        let mut cell = self.last_cell(position, distance, |cell| reached(position, cell));
        // Without edits, only matches are left.
        while cell.edits > 0 {
            let (edit, before) = self.step_back(cell, position, position > range.start, &reached);
            runs.push(1, edit);
            position -= usize::from(edit != Edit::PatternOnly);
            cell = before;
        }
        runs.push(position - range.start, Edit::Match);
        runs.cigar()
    }

    /// Returns the last of the accepting states that are reached at a position with `distance` edits and the least
    /// difference.
    fn last_cell(&self, position: usize, distance: usize, reached: impl Fn(TraceCell) -> bool) -> TraceCell {
        let context = self.line.context(position);
        let accepting = || self.expression.ends().iter().rev().filter(|end| holds(end.condition, context));
        let mut cells = (0..=distance as isize).flat_map(|least| {
            accepting().flat_map(move |end| {
                [-least, least].map(|difference| TraceCell { state: end.state, edits: distance, difference })
            })
        });
        cells.find(|&cell| reached(cell)).expect("the match ends here")
    }

    /// Returns the first step back from a cell, and the cell that it leads to. `has_symbol` tells whether the match has a
    /// symbol before the position.
    fn step_back(
        &self,
        cell: TraceCell,
        position: usize,
        has_symbol: bool,
        reached: impl Fn(usize, TraceCell) -> bool,
    ) -> (Edit, TraceCell) {
        let TraceCell { state, edits, difference } = cell;
        // The last state with a transition to this one that is reached.
        let before = |position: usize, edits: usize, difference: isize| {
            let context = self.line.context(position);
            let into = (self.into)(state).iter().rev().filter(|transition| holds(transition.condition, context));
            let mut cells = into.map(|transition| TraceCell { state: transition.from, edits, difference });
            cells.find(|&cell| reached(position, cell))
        };
        if has_symbol
            && (self.reads)(state, self.line.codes[position - 1])
            && let Some(cell) = before(position - 1, edits, difference)
        {
            return (Edit::Match, cell);
        }
        let edits = edits.checked_sub(1).expect("a cell without edits is reached by a match");
        let exists = |difference: isize| difference.unsigned_abs() <= edits;
        if has_symbol
            && exists(difference)
            && let Some(cell) = before(position - 1, edits, difference)
        {
            return (Edit::Substitution, cell);
        }
        if exists(difference + 1)
            && let Some(cell) = before(position, edits, difference + 1)
        {
            return (Edit::PatternOnly, cell);
        }
        (Edit::TextOnly, TraceCell { state, edits, difference: difference - 1 })
    }
}

/// The number of symbols up to which the sets at all positions of a match are kept.
const MIN_STRIDE: usize = 256;

/// Aligns the matches of an expression with exactly `distance` edits in a line.
pub(super) struct MatchTrace<'t, 'a, R> {
    pub(super) expression: &'t Expression,
    pub(super) line: &'t EncodedLine<'t>,
    /// Tells whether a state reads the symbols of a class.
    pub(super) reads: R,
    pub(super) distance: usize,
    /// The sets of `simulation::differences`, for matches that start at the first position.
    pub(super) sets: &'t mut Determinized<'a>,
}

impl<R: Fn(State, Code) -> bool> MatchTrace<'_, '_, R> {
    /// Returns the operations of the match at the positions `range`.
    pub(super) fn cigar(mut self, range: Range<usize>) -> Cigar {
        let stride = range.len().isqrt().max(MIN_STRIDE);
        let mut reached = self.sets.begin(self.line.context(range.start));
        let mut kept = vec![self.sets.set(reached)];
        while kept.len() * stride <= range.len() {
            let position = range.start + (kept.len() - 1) * stride;
            for position in position..position + stride {
                reached = self.step(reached, position);
            }
            kept.push(self.sets.set(reached));
        }
        let (mut runs, mut cell, mut position) = (BackwardRuns::default(), None, range.end);
        for (index, sets) in kept.into_iter().enumerate().rev() {
            let run = self.run(sets, range.start + index * stride..position);
            let last = self.walk_back(&mut runs, &run, (range.start, position), cell);
            position -= last.1;
            cell = Some(last.0);
            if last.0.edits == 0 {
                break;
            }
        }
        // Without edits, only matches are left.
        runs.push(position - range.start, Edit::Match);
        runs.cigar()
    }

    /// Reads the symbol at a position.
    fn step(&mut self, reached: Reached, position: usize) -> Reached {
        interrupt::check_at(position);
        self.sets.step(reached, self.line.codes[position], self.line.context(position + 1))
    }

    /// Returns the sets at the first position of a range, and after each of its symbols.
    fn run(&mut self, sets: Arc<[u64]>, range: Range<usize>) -> Vec<Arc<[u64]>> {
        let mut run = Vec::with_capacity(range.len() + 1);
        let mut reached = self.sets.enter(&sets);
        run.push(sets);
        for position in range {
            reached = self.step(reached, position);
            run.push(self.sets.set(reached));
        }
        run
    }

    /// Walks back from the position `end` to the first position of `run`, which has the sets of the positions up to `end`,
    /// or to a cell without edits, or to the start of the match. Returns the cell, and the number of symbols walked over.
    /// Starts in the last cell of the match if `cell` is `None`.
    fn walk_back(
        &self,
        runs: &mut BackwardRuns,
        run: &[Arc<[u64]>],
        (start, end): (usize, usize),
        cell: Option<TraceCell>,
    ) -> (TraceCell, usize) {
        let transitions = self.expression.transitions();
        let into = |state: State| {
            let first = transitions.partition_point(|transition| transition.to < state);
            let after = transitions.partition_point(|transition| transition.to <= state);
            &transitions[first..after]
        };
        let first = end + 1 - run.len();
        let reached = |position: usize, cell: TraceCell| {
            has_state(&run[position - first], self.distance, (cell.state, cell.edits, cell.difference))
        };
        let aligned = AlignedExpression { expression: self.expression, line: self.line, reads: &self.reads, into };
        let mut position = end;
        let mut cell = cell.unwrap_or_else(|| aligned.last_cell(end, self.distance, |cell| reached(end, cell)));
        // At the first position, the sets before it belong to the previous run.
        while cell.edits > 0 && (position > first || position == start) {
            let (edit, before) = aligned.step_back(cell, position, position > start, reached);
            runs.push(1, edit);
            position -= usize::from(edit != Edit::PatternOnly);
            cell = before;
        }
        (cell, end - position)
    }
}
