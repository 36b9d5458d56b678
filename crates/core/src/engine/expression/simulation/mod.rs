//! The simulation of an expression, one symbol at a time, with the automaton of its size.
//!
//! Reading order: `automaton` (sets of states for each number of edits), `differences` (for each difference between
//! insertions and deletions too), `backward` (from the ends of matches to their starts), `costs` (for each combination
//! of edits that costs and limits tell apart), `determinized` (all of these as deterministic automata, whose states are
//! made when text reaches them).

pub(super) mod automaton;
pub(super) mod backward;
pub(super) mod costs;
pub(super) mod determinized;
pub(super) mod differences;

use std::ops::Range;

use self::automaton::{Automaton, EndLevels, MAX_WORDS, ReadingDirection, only_from};
use self::backward::{BackwardAutomaton, BackwardSimulation};
use self::costs::CostSets;
use self::determinized::SetAutomaton;
use self::differences::{RatedSets, StartsAt};
use super::line::{EncodedLine, MatchEnd};
use crate::engine::encoder::{Classes, Code};
use crate::pattern::{EditConstraints, Expression, Pattern, State};

/// Finds and aligns the matches of one expression. Positions are numbers of symbols.
pub(super) trait Simulation: Send + Sync {
    /// Returns the simulation of all matches. The value of a set is the least distance of a match that ends at the
    /// position.
    fn ends(&self) -> Box<dyn SetAutomaton + '_>;

    /// Passes the position of each end of a match in `line` that starts in one of the ranges of positions `starts`, which
    /// ascend, and the least distance there to `found`. Ends when `found` returns `false`.
    fn scan_from(&self, line: &EncodedLine<'_>, starts: &[Range<usize>], found: &mut dyn FnMut(MatchEnd) -> bool);

    /// Makes the simulation of the expression in the other direction.
    fn backward(&self, expression: &Expression, classes: &Classes) -> Box<dyn BackwardSimulation>;

    /// Returns the simulation of matches with exactly `distance` edits: those that start at the first position, or those
    /// that start anywhere. The value of a set is the least difference between insertions and deletions of a match that
    /// ends at the position.
    fn rated_ends(&self, distance: usize, starts: StartsAt) -> Box<dyn SetAutomaton + '_>;

    /// Returns the simulation of the matches that satisfy constraints. The value of a set is the least cost of a match that
    /// ends at the position. Text has `classes` classes of symbols.
    fn costs(&self, constrained: (&Expression, &EditConstraints), classes: usize) -> Box<dyn SetAutomaton + '_>;

    /// Returns whether a state reads the symbols of a class.
    fn reads(&self, state: State, code: Code) -> bool;
}

/// Makes the simulation of the expression of `pattern`.
pub(super) fn simulation(pattern: &Pattern, expression: &Expression, classes: &Classes) -> Box<dyn Simulation> {
    fn of<const W: usize>(pattern: &Pattern, expression: &Expression, classes: &Classes) -> Box<dyn Simulation> {
        Box::new(Automaton::<W>::new(expression, pattern.k(), classes, ReadingDirection::Forward))
    }
    match expression.states().div_ceil(64) {
        0..=1 => of::<1>(pattern, expression, classes),
        2 => of::<2>(pattern, expression, classes),
        3..=4 => of::<4>(pattern, expression, classes),
        5..=8 => of::<8>(pattern, expression, classes),
        9..=16 => of::<16>(pattern, expression, classes),
        _ => of::<MAX_WORDS>(pattern, expression, classes),
    }
}

impl<const W: usize> Simulation for Automaton<W> {
    fn ends(&self) -> Box<dyn SetAutomaton + '_> {
        Box::new(EndLevels(self))
    }

    fn scan_from(&self, line: &EncodedLine<'_>, starts: &[Range<usize>], found: &mut dyn FnMut(MatchEnd) -> bool) {
        let Some(first) = starts.first() else { return };
        self.scan(line, first.start, only_from(starts), found);
    }

    fn backward(&self, expression: &Expression, classes: &Classes) -> Box<dyn BackwardSimulation> {
        Box::new(BackwardAutomaton::<W>::new(expression, self.k(), classes))
    }

    fn rated_ends(&self, distance: usize, starts: StartsAt) -> Box<dyn SetAutomaton + '_> {
        Box::new(RatedSets { automaton: self, distance, starts })
    }

    fn costs(&self, constrained: (&Expression, &EditConstraints), classes: usize) -> Box<dyn SetAutomaton + '_> {
        Box::new(CostSets::new(self, constrained, classes))
    }

    fn reads(&self, state: State, code: Code) -> bool {
        self.reads(state, code)
    }
}
