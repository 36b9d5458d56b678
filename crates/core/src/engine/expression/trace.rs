//! The alignment of a match with a string of the expression.
//!
//! The levels are computed from the start of the match to its end, then walked back. At each state the walk tries, in
//! this order: a match, a substitution, a symbol of the pattern only, a symbol of the text only; and of several states
//! before a state the one that is written last. Only the levels at every q-th position are kept, with q about √n for n
//! symbols; the others are computed again when the walk reaches them. Memory is O(√n d w) for distance d and w words a
//! level.

use std::ops::Range;

use super::automaton::{Automaton, Levels, MayStart, States, contains};
use super::context::holds;
use super::line::EncodedLine;
use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::interrupt;
use crate::pattern::{Expression, State};

/// A match to align.
#[derive(Clone, Copy)]
pub(super) struct TracedMatch<'a, const W: usize> {
    pub(super) expression: &'a Expression,
    pub(super) automaton: &'a Automaton<W>,
    pub(super) line: &'a EncodedLine<'a>,
}

/// The levels of consecutive positions.
struct LevelRun<const W: usize> {
    /// The number of levels of a position.
    count: usize,
    states: Vec<States<W>>,
}

impl<const W: usize> LevelRun<W> {
    /// Returns the levels of the position with an index.
    fn at(&self, index: usize) -> &[States<W>] {
        &self.states[index * self.count..(index + 1) * self.count]
    }
}

/// A place in the matrix of states, positions and numbers of edits.
#[derive(Clone, Copy)]
struct TraceCell {
    state: State,
    edits: usize,
}

impl<const W: usize> TracedMatch<'_, W> {
    /// Returns the operations of the match at the positions `range`, with `distance` edits.
    pub(super) fn cigar(&self, range: Range<usize>, distance: usize) -> Cigar {
        let stride = range.len().isqrt().max(1);
        let mut kept = vec![self.automaton.begin(self.line.context(range.start), MayStart::Yes)];
        let mut last = kept[0].clone();
        while kept.len() * stride <= range.len() {
            let position = range.start + (kept.len() - 1) * stride;
            (position..position + stride).for_each(|position| self.step(&mut last, position));
            kept.push(last.clone());
        }
        let mut walk = ExpressionWalk { runs: BackwardRuns::default(), cell: None, start: range.start };
        let mut end = range.end;
        for (index, levels) in kept.into_iter().enumerate().rev() {
            let first = range.start + index * stride;
            let run = self.run(levels, first..end);
            if walk.cell.is_none() {
                walk.cell = Some(self.last_cell(run.at(end - first), end, distance));
            }
            self.walk_back(&mut walk, &run, first..end);
            end = first;
        }
        walk.runs.cigar()
    }

    /// Reads the symbol at a position.
    fn step(&self, levels: &mut Levels<W>, position: usize) {
        interrupt::check_at(position);
        self.automaton.step(levels, self.line.codes[position], self.line.context(position + 1), MayStart::No);
    }

    /// Returns the levels at the first position of a range, and after each of its symbols.
    fn run(&self, mut levels: Levels<W>, range: Range<usize>) -> LevelRun<W> {
        let count = levels.states.len();
        let mut states = Vec::with_capacity((range.len() + 1) * count);
        states.extend_from_slice(&levels.states);
        for position in range {
            self.step(&mut levels, position);
            states.extend_from_slice(&levels.states);
        }
        LevelRun { count, states }
    }

    /// Returns the last of the accepting states with `distance` edits.
    fn last_cell(&self, levels: &[States<W>], position: usize, distance: usize) -> TraceCell {
        let context = self.line.context(position);
        let ends = self.expression.ends().iter().rev();
        let reached = ends.filter(|end| contains(&levels[distance], end.state as usize));
        let mut accepting = reached.filter(|end| holds(end.condition, context));
        TraceCell { state: accepting.next().expect("the match ends here").state, edits: distance }
    }

    /// Walks back to the first position of `range`, or to the start of the match. `run` has the levels of its
    /// positions.
    fn walk_back(&self, walk: &mut ExpressionWalk, run: &LevelRun<W>, range: Range<usize>) {
        let mut position = range.end;
        while let Some(cell) = walk.cell {
            let before = match position - range.start {
                // The levels before this position belong to the previous range.
                0 if position > walk.start => return,
                0 if cell.edits == 0 && self.is_initial(cell) => return,
                0 => None,
                index => Some(run.at(index - 1)),
            };
            let (edit, cell) = self.step_back(cell, position, run.at(position - range.start), before);
            walk.runs.push(1, edit);
            position -= usize::from(edit != Edit::PatternOnly);
            walk.cell = Some(cell);
        }
    }

    fn is_initial(&self, cell: TraceCell) -> bool {
        (cell.state as usize) < self.expression.starts().len()
    }

    /// Returns the first step back from a cell, and the cell that it leads to. `here` has the levels of the position,
    /// and `before` those of the position before it; `None` at the start of the match.
    fn step_back(
        &self,
        cell: TraceCell,
        position: usize,
        here: &[States<W>],
        before: Option<&[States<W>]>,
    ) -> (Edit, TraceCell) {
        let TraceCell { state, edits } = cell;
        if let Some(levels) = before
            && self.automaton.reads(state, self.line.codes[position - 1])
            && let Some(state) = self.state_before(state, &levels[edits], position - 1)
        {
            return (Edit::Match, TraceCell { state, edits });
        }
        let edits = edits.checked_sub(1).expect("a cell without edits is reached by a match");
        if let Some(levels) = before
            && let Some(state) = self.state_before(state, &levels[edits], position - 1)
        {
            return (Edit::Substitution, TraceCell { state, edits });
        }
        match self.state_before(state, &here[edits], position) {
            Some(state) => (Edit::PatternOnly, TraceCell { state, edits }),
            None => (Edit::TextOnly, TraceCell { state, edits }),
        }
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
