//! The alignment of a match with a string of the expression.
//!
//! The sets of `differences` are computed from the start of the match to its end, then walked back from the least
//! difference between insertions and deletions. At each state the walk tries, in this order: a match, a substitution, a
//! symbol of the pattern only, a symbol of the text only; and of several states before a state the one that is written
//! last. Only the sets at every q-th position are kept, with q about √n for n symbols; the others are computed again when
//! the walk reaches them. Memory is O(√n d² w) for distance d and w words a set.

use std::ops::Range;

use super::automaton::{Automaton, contains};
use super::context::holds;
use super::differences::DifferenceSets;
use super::line::EncodedLine;
use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::encoder::{Code, OTHER};
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

/// A match to align.
#[derive(Clone, Copy)]
pub(super) struct TracedMatch<'a, const W: usize> {
    pub(super) expression: &'a Expression,
    pub(super) automaton: &'a Automaton<W>,
    pub(super) line: &'a EncodedLine<'a>,
}

impl<const W: usize> TracedMatch<'_, W> {
    /// Returns the operations of the match at the positions `range`, with `distance` edits.
    pub(super) fn cigar(&self, range: Range<usize>, distance: usize) -> Cigar {
        let stride = range.len().isqrt().max(1);
        let mut kept = vec![self.begin(range.start, distance)];
        let mut last = kept[0].clone();
        while kept.len() * stride <= range.len() {
            let position = range.start + (kept.len() - 1) * stride;
            (position..position + stride).for_each(|position| last = self.step(&last, position, distance));
            kept.push(last.clone());
        }
        let mut walk = ExpressionWalk { runs: BackwardRuns::default(), cell: None, start: range.start };
        let mut end = range.end;
        for (index, sets) in kept.into_iter().enumerate().rev() {
            let first = range.start + index * stride;
            let run = self.run(sets, first..end, distance);
            self.walk_back(&mut walk, &run, first..end, distance);
            end = first;
        }
        walk.runs.cigar()
    }

    /// Returns the sets at the first position of the match.
    fn begin(&self, first: usize, distance: usize) -> DifferenceSets<W> {
        let none = DifferenceSets::new(distance);
        let mut sets = none.clone();
        let context = self.line.context(first);
        // There is no state before this position, so the symbol is of no consequence.
        sets.step(self.automaton, &none, (OTHER, context), self.automaton.initial(context));
        sets
    }

    /// Returns the sets after the symbol at a position.
    fn step(&self, before: &DifferenceSets<W>, position: usize, distance: usize) -> DifferenceSets<W> {
        interrupt::check_at(position);
        let mut sets = DifferenceSets::new(distance);
        let (code, context) = (self.line.codes[position], self.line.context(position + 1));
        sets.step(self.automaton, before, (code, context), &[0; W]);
        sets
    }

    /// Returns the sets at the first position of a range, and after each of its symbols.
    fn run(&self, sets: DifferenceSets<W>, range: Range<usize>, distance: usize) -> Vec<DifferenceSets<W>> {
        let mut run = Vec::with_capacity(range.len() + 1);
        run.push(sets);
        for position in range {
            let next = self.step(&run[run.len() - 1], position, distance);
            run.push(next);
        }
        run
    }

    /// Walks back to the first position of `range`, or to the start of the match. `run` has the sets of its positions.
    fn walk_back(&self, walk: &mut ExpressionWalk, run: &[DifferenceSets<W>], range: Range<usize>, distance: usize) {
        let transitions = self.expression.transitions();
        let into = |state: State| {
            let first = transitions.partition_point(|transition| transition.to < state);
            let after = transitions.partition_point(|transition| transition.to <= state);
            &transitions[first..after]
        };
        let reads = |state, code| self.automaton.reads(state, code);
        let reached = |position: usize, cell: TraceCell| {
            contains(run[position - range.start].states(cell.edits, cell.difference), cell.state as usize)
        };
        let aligned = AlignedExpression { expression: self.expression, line: self.line, reads, into };
        let mut position = range.end;
        let mut cell =
            walk.cell.unwrap_or_else(|| aligned.last_cell(position, distance, |cell| reached(position, cell)));
        // At the first position, the sets before it belong to the previous range.
        while position > range.start || position == walk.start && cell.edits > 0 {
            let (edit, before) = aligned.step_back(cell, position, position > walk.start, reached);
            walk.runs.push(1, edit);
            position -= usize::from(edit != Edit::PatternOnly);
            cell = before;
        }
        walk.cell = Some(cell);
    }
}

/// The state of a walk.
struct ExpressionWalk {
    runs: BackwardRuns,
    /// The current cell; `None` before the first.
    cell: Option<TraceCell>,
    /// The position where the match starts.
    start: usize,
}
