//! The alignment of a match with a string of the expression.
//!
//! The sets of `simulation::costs` are computed from the start of the match to its end, then walked back from the least
//! difference between insertions and deletions. At each state the walk tries, in this order: a match, a substitution, a
//! transposition, a symbol of the pattern only, a symbol of the text only; and of several states before a state the one
//! that is written last. Only the sets at every q-th position are kept, with q = max(√n, 256) for n symbols; the others
//! are computed again when the walk reaches them. Memory is O(√n t w) for t tallies and w words a set.

use std::ops::Range;

use crate::line::EncodedLine;
use crate::simulation::costs::{RowLayout, TalliedExpression, TallySet};
use crate::simulation::determinized::{Determinized, Reached};
use nigh_pattern::{State, Transition};
use nigh_tables::context::holds;
use nigh_text::alignment::{BackwardRuns, Cigar, Edit};
use nigh_text::interrupt;
use nigh_verify::encoder::Code;
use nigh_verify::tally::EditStep;

/// An expression and the line or record that its matches are in. Both ways to align a match walk back by it.
#[derive(Clone, Copy)]
pub(super) struct AlignedExpression<'a, R> {
    pub(super) one: TalliedExpression<'a>,
    pub(super) line: &'a EncodedLine<'a>,
    /// Tells whether a state reads the symbols of a class.
    pub(super) reads: R,
}

/// A place in the matrix of states and tallies of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceCell {
    pub(super) state: State,
    /// Whether the state is in an exact group and a symbol was inserted in it.
    pub(super) is_inserted: bool,
    /// The index of the tally.
    pub(super) tally: usize,
}

impl<R: Fn(State, Code) -> bool> AlignedExpression<'_, R> {
    /// Returns the operations of the match at the positions `range`, with this `distance`. `reached` tells whether a path
    /// from the start of the match reaches a cell at a position.
    pub(super) fn cigar(
        &self,
        range: Range<usize>,
        distance: usize,
        reached: impl Fn(usize, TraceCell) -> bool,
    ) -> Cigar {
        let mut runs = BackwardRuns::default();
        let cell = self.last_cell(range.end, distance, |cell| reached(range.end, cell));
        let (_, position) = self.walk_back(&mut runs, (cell, range.end), (range.start, range.start), reached);
        runs.push(position - range.start, Edit::Match);
        runs.cigar()
    }

    /// Walks back from a cell at a position until no edits are left, or while the position is greater than `until`. The match
    /// starts at the position `start`. Returns the cell and its position.
    fn walk_back(
        &self,
        runs: &mut BackwardRuns,
        (mut cell, mut position): (TraceCell, usize),
        (start, until): (usize, usize),
        reached: impl Fn(usize, TraceCell) -> bool,
    ) -> (TraceCell, usize) {
        while self.has_edits(cell) && (position > until || until == start) {
            let (length, edit, before) = self.step_back(cell, (start, position), &reached);
            runs.push(length, edit);
            position -= if edit == Edit::PatternOnly { 0 } else { length };
            cell = before;
        }
        (cell, position)
    }

    /// Returns whether there are edits on the way to a cell. If there are none, there are only matches.
    fn has_edits(&self, cell: TraceCell) -> bool {
        self.one.tallies[cell.tally].cost > 0
    }

    /// Returns the last of the accepting states that are reached at a position with this `distance` and the least
    /// difference.
    fn last_cell(&self, position: usize, distance: usize, reached: impl Fn(TraceCell) -> bool) -> TraceCell {
        let TalliedExpression { expression, tallies, .. } = self.one;
        let context = self.line.context(position);
        let accepting = || expression.ends().iter().rev().filter(|end| holds(end.condition, context));
        let with_difference = |least: usize| {
            let is_equal = move |tally: usize| {
                tallies[tally].cost == distance && tallies[tally].difference.unsigned_abs() == least
            };
            let fewer = tallies.partition_point(|tally| tally.cost < distance);
            (fewer..tallies.len()).filter(move |&tally| is_equal(tally))
        };
        let mut cells = (0..=distance).flat_map(|least| {
            let states = accepting().flat_map(|end| [(end.state, false), (end.state, true)]);
            states.flat_map(move |(state, is_inserted)| {
                with_difference(least).map(move |tally| TraceCell { state, is_inserted, tally })
            })
        });
        cells.find(|&cell| reached(cell)).expect("the match ends here")
    }

    /// Returns the first step back from a cell at a position, the number of its symbols, and the cell that it leads to.
    fn step_back(
        &self,
        cell: TraceCell,
        (start, position): (usize, usize),
        reached: impl Fn(usize, TraceCell) -> bool,
    ) -> (usize, Edit, TraceCell) {
        let TraceCell { state, is_inserted, tally } = cell;
        let expression = self.one.expression;
        let before = |step: EditStep| self.one.tallies[tally].before(step);
        let has_code = |nth: usize, codes: &[Code]| codes.contains(&self.line.codes[position - nth]);
        let is_beyond = position > start && has_code(1, self.one.beyond);
        // The tally before the last symbols of the text are read, if the tally after them is known.
        let unread = |tally: usize, count: usize| match is_beyond {
            true => self.one.tallies[tally].before(EditStep::Overhang).expect("the symbol was counted"),
            false => {
                let letters = (1..=count).filter(|&nth| has_code(nth, self.one.letters));
                letters.fold(tally, |tally, _| self.one.tallies[tally].fewer_letters.expect("the letter was counted"))
            }
        };
        let has_symbols = |count: usize| position - start >= count;
        let reads = |state: State, count: usize| (self.reads)(state, self.line.codes[position - count]);
        // The last state with a transition to a state that is reached at a position.
        let from = |into: &[Transition], position: usize, tally: usize| {
            self.taken(into, position).find_map(|transition| {
                let cell = |is_inserted: bool| TraceCell { state: transition.from, is_inserted, tally };
                let last = if transition.joined { 0 } else { 1 };
                (0..=last).map(|nth| cell(nth > 0)).find(|&cell| reached(position, cell))
            })
        };
        let into = self.into(state);
        // Only insertions lead to an inserted state.
        if !is_inserted {
            if has_symbols(1)
                && reads(state, 1)
                && let Some(cell) = from(into, position - 1, unread(tally, 1))
            {
                return (1, Edit::Match, cell);
            }
            let may_edit = |step: EditStep| before(step).filter(|_| !expression.is_exact(state));
            // A symbol beyond an end is read without edits.
            if has_symbols(1)
                && !is_beyond
                && let Some(fewer) = may_edit(EditStep::Substitution)
                && let Some(cell) = from(into, position - 1, unread(fewer, 1))
            {
                return (1, Edit::Substitution, cell);
            }
            if has_symbols(2)
                && !is_beyond
                && let Some(fewer) = may_edit(EditStep::Transposition)
                && reads(state, 2)
            {
                let middle = self.taken(into, position - 1).map(|transition| transition.from);
                let mut middle = middle.filter(|&middle| {
                    expression.set(middle).is_some() && !expression.is_exact(middle) && reads(middle, 1)
                });
                if let Some(cell) = middle.find_map(|middle| from(self.into(middle), position - 2, unread(fewer, 2))) {
                    return (2, Edit::Substitution, cell);
                }
            }
            if let Some(fewer) = may_edit(EditStep::Deletion)
                && let Some(cell) = from(into, position, fewer)
            {
                return (1, Edit::PatternOnly, cell);
            }
        }
        let tally = unread(before(EditStep::Insertion).expect("some step leads to a cell"), 1);
        let [before, inserted] = [false, true].map(|is_inserted| TraceCell { state, is_inserted, tally });
        (1, Edit::TextOnly, if reached(position - 1, before) { before } else { inserted })
    }

    /// Returns the transitions into a state, in the order of the states that they lead from.
    fn into(&self, state: State) -> &[Transition] {
        let into = &self.one.into[state as usize..];
        &self.one.expression.transitions()[into[0] as usize..into[1] as usize]
    }

    /// Iterates over the transitions that may be taken at a position. Those from states that are written later come first.
    fn taken<'t>(&self, transitions: &'t [Transition], position: usize) -> impl Iterator<Item = &'t Transition> {
        let context = self.line.context(position);
        transitions.iter().rev().filter(move |transition| holds(transition.condition, context))
    }
}

/// The number of symbols up to which the sets at all positions of a match are kept.
const MIN_STRIDE: usize = 256;

/// Sets of `simulation::costs` at positions of a match, in memory that is reused.
#[derive(Debug, Default)]
pub(super) struct TraceMemory {
    /// The sets at every position where a run begins.
    kept: Vec<u64>,
    /// The sets at the positions of a run.
    run: Vec<u64>,
}

/// Aligns the matches of an expression in a line.
pub(super) struct MatchTrace<'t, 'a, R> {
    pub(super) aligned: AlignedExpression<'t, R>,
    pub(super) layout: RowLayout,
    /// The sets of `simulation::costs`, for matches that start at the first position.
    pub(super) sets: &'t mut Determinized<'a>,
    pub(super) memory: &'t mut TraceMemory,
}

impl<R: Fn(State, Code) -> bool> MatchTrace<'_, '_, R> {
    /// Returns the operations of the match at the positions `range`, with this `distance`.
    pub(super) fn cigar(mut self, range: Range<usize>, distance: usize) -> Cigar {
        let stride = range.len().isqrt().max(MIN_STRIDE);
        let mut reached = self.sets.begin(self.aligned.line.context(range.start));
        self.memory.kept.clear();
        self.memory.kept.extend_from_slice(self.sets.set(reached));
        let words = self.memory.kept.len();
        let last = range.len() / stride;
        for position in range.start..range.start + last * stride {
            reached = self.step(reached, position);
            if (position + 1 - range.start).is_multiple_of(stride) {
                self.memory.kept.extend_from_slice(self.sets.set(reached));
            }
        }
        let (mut runs, mut at) = (BackwardRuns::default(), None);
        for index in (0..=last).rev() {
            let first = range.start + index * stride;
            let end = at.map_or(range.end, |(_, position)| position);
            self.read_run(index * words..(index + 1) * words, first..end);
            let reached = |position: usize, TraceCell { state, is_inserted, tally }: TraceCell| {
                let set = if is_inserted { TallySet::Inserted } else { TallySet::States };
                let row = &self.memory.run[(position - first) * words..][..words];
                self.layout.contains(row, tally, set, state)
            };
            let cell = match at {
                Some((cell, _)) => cell,
                None => self.aligned.last_cell(end, distance, |cell| reached(end, cell)),
            };
            // A step goes back two symbols at most. The sets before the first position belong to the previous run.
            let until = if index == 0 { first } else { first + 1 };
            at = Some(self.aligned.walk_back(&mut runs, (cell, end), (range.start, until), reached));
            if !at.is_some_and(|(cell, _)| self.aligned.has_edits(cell)) {
                break;
            }
        }
        // Without edits, only matches are left.
        let position = at.map_or(range.end, |(_, position)| position);
        runs.push(position - range.start, Edit::Match);
        runs.cigar()
    }

    /// Reads the symbol at a position.
    fn step(&mut self, reached: Reached, position: usize) -> Reached {
        interrupt::check_at(position);
        let line = self.aligned.line;
        self.sets.step(reached, line.codes[position], line.context(position + 1))
    }

    /// Finds the sets at the first position of a range, which are `kept`, and after each of its symbols.
    fn read_run(&mut self, kept: Range<usize>, range: Range<usize>) {
        let mut reached = self.sets.enter(&self.memory.kept[kept.clone()]);
        self.memory.run.clear();
        self.memory.run.extend_from_slice(&self.memory.kept[kept]);
        for position in range {
            reached = self.step(reached, position);
            self.memory.run.extend_from_slice(self.sets.set(reached));
        }
    }
}
