//! The alignment of a match with a string of the expression.
//!
//! The sets of `differences` are computed from the start of the match to its end, then walked back from the least
//! difference between insertions and deletions. At each state the walk tries, in this order: a match, a substitution, a
//! symbol of the pattern only, a symbol of the text only; and of several states before a state the one that is written
//! last. Only the sets at every q-th position are kept, with q about √n for n symbols; the others are computed again when
//! the walk reaches them. Memory is O(√n d² w) for distance d and w words a set.

use std::ops::Range;

use super::automaton::{Automaton, States, contains};
use super::context::holds;
use super::differences::DifferenceSets;
use super::line::EncodedLine;
use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::encoder::OTHER;
use crate::interrupt;
use crate::pattern::{Expression, State};

/// A match to align.
#[derive(Clone, Copy)]
pub(super) struct TracedMatch<'a, const W: usize> {
    pub(super) expression: &'a Expression,
    pub(super) automaton: &'a Automaton<W>,
    pub(super) line: &'a EncodedLine<'a>,
}

/// A place in the matrix of states, positions, numbers of edits and differences.
#[derive(Clone, Copy)]
struct TraceCell {
    state: State,
    edits: usize,
    difference: isize,
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
            if walk.cell.is_none() {
                walk.cell = Some(self.last_cell(&run[end - first], end, distance));
            }
            self.walk_back(&mut walk, &run, first..end);
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

    /// Returns the last of the accepting states that are reached with `distance` edits and the least difference.
    fn last_cell(&self, sets: &DifferenceSets<W>, position: usize, distance: usize) -> TraceCell {
        let context = self.line.context(position);
        let accepting = || self.expression.ends().iter().rev().filter(|end| holds(end.condition, context));
        let cells = (0..=distance as isize).flat_map(|least| {
            accepting().flat_map(move |end| [-least, least].map(|difference| (end.state, difference)))
        });
        let mut reached =
            cells.filter(|&(state, difference)| contains(sets.states(distance, difference), state as usize));
        let (state, difference) = reached.next().expect("the match ends here");
        TraceCell { state, edits: distance, difference }
    }

    /// Walks back to the first position of `range`, or to the start of the match. `run` has the sets of its positions.
    fn walk_back(&self, walk: &mut ExpressionWalk, run: &[DifferenceSets<W>], range: Range<usize>) {
        let mut position = range.end;
        while let Some(cell) = walk.cell {
            let before = match position - range.start {
                // The sets before this position belong to the previous range.
                0 if position > walk.start => return,
                0 if cell.edits == 0 && self.is_initial(cell) => return,
                0 => None,
                index => Some(&run[index - 1]),
            };
            let (edit, cell) = self.step_back(cell, position, &run[position - range.start], before);
            walk.runs.push(1, edit);
            position -= usize::from(edit != Edit::PatternOnly);
            walk.cell = Some(cell);
        }
    }

    fn is_initial(&self, cell: TraceCell) -> bool {
        (cell.state as usize) < self.expression.starts().len()
    }

    /// Returns the first step back from a cell, and the cell that it leads to. `here` has the sets of the position, and
    /// `before` those of the position before it; `None` at the start of the match.
    fn step_back(
        &self,
        cell: TraceCell,
        position: usize,
        here: &DifferenceSets<W>,
        before: Option<&DifferenceSets<W>>,
    ) -> (Edit, TraceCell) {
        let TraceCell { state, edits, difference } = cell;
        if let Some(before) = before
            && self.automaton.reads(state, self.line.codes[position - 1])
            && let Some(state) = self.state_before(state, before.states(edits, difference), position - 1)
        {
            return (Edit::Match, TraceCell { state, edits, difference });
        }
        let edits = edits.checked_sub(1).expect("a cell without edits is reached by a match");
        let exists = |difference: isize| difference.unsigned_abs() <= edits;
        if let Some(before) = before.filter(|_| exists(difference))
            && let Some(state) = self.state_before(state, before.states(edits, difference), position - 1)
        {
            return (Edit::Substitution, TraceCell { state, edits, difference });
        }
        if exists(difference + 1)
            && let Some(state) = self.state_before(state, here.states(edits, difference + 1), position)
        {
            return (Edit::PatternOnly, TraceCell { state, edits, difference: difference + 1 });
        }
        (Edit::TextOnly, TraceCell { state, edits, difference: difference - 1 })
    }

    /// Returns the last of the states `reached` at a position that have a transition to `state` there.
    fn state_before(&self, state: State, reached: &States<W>, position: usize) -> Option<State> {
        let transitions = self.expression.transitions();
        let after = transitions.partition_point(|transition| transition.to <= state);
        let into = transitions[..after].iter().rev().take_while(|transition| transition.to == state);
        let context = self.line.context(position);
        let mut from = into
            .filter(|transition| contains(reached, transition.from as usize))
            .filter(|transition| holds(transition.condition, context));
        from.next().map(|transition| transition.from)
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
