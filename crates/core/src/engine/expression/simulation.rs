//! An expression with the automaton of its size.

use std::ops::Range;

use super::automaton::{Automaton, Levels, MAX_WORDS, MayStart, ReadingDirection, only_from};
use super::backward::{BackwardAutomaton, BackwardSimulation};
use super::context::FREE_CONTEXT;
use super::determinized::SetAutomaton;
use super::differences::{RatedSets, StartsAt};
use super::line::{EncodedLine, MatchEnd};
use crate::engine::encoder::{Classes, Code};
use crate::pattern::{Expression, Pattern, State};

/// Finds and aligns the matches of one expression. Positions are numbers of symbols.
pub(super) trait Simulation: Send + Sync {
    /// Passes the position of each end of a match in `line`, and its distance, to `found`. Ends when `found` returns
    /// `false`.
    fn scan(&self, line: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool);

    /// Starts a scan of a line that is read in pieces. The expression has no conditions.
    fn in_pieces(&self) -> Box<dyn PieceScan + '_>;

    /// Like [`scan`](Self::scan), for matches that start in one of the ranges of positions `starts`, which ascend.
    fn scan_from(&self, line: &EncodedLine<'_>, starts: &[Range<usize>], found: &mut dyn FnMut(MatchEnd) -> bool);

    /// Makes the simulation of the expression in the other direction.
    fn backward(&self, expression: &Expression, classes: &Classes) -> Box<dyn BackwardSimulation>;

    /// Returns the simulation of matches with exactly `distance` edits: those that start at the first position, or those
    /// that start anywhere. The value of a set is the least difference between insertions and deletions of a match that
    /// ends at the position.
    fn rated_ends(&self, distance: usize, starts: StartsAt) -> Box<dyn SetAutomaton + '_>;

    /// Returns whether a state reads the symbols of a class.
    fn reads(&self, state: State, code: Code) -> bool;
}

/// Finds the matches of one expression in a line that is read in pieces.
pub(super) trait PieceScan {
    /// Reads the next piece, and passes each end of a match in it to `found`. Positions are those in the piece.
    fn read(&mut self, piece: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool);
}

/// A scan, and the states that it has reached.
struct OpenScan<'a, const W: usize> {
    automaton: &'a Automaton<W>,
    levels: Levels<W>,
}

impl<const W: usize> PieceScan for OpenScan<'_, W> {
    fn read(&mut self, piece: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool) {
        self.automaton.read(&mut self.levels, piece, |_| MayStart::Yes, found);
    }
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
    fn scan(&self, line: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool) {
        self.scan(line, line.first, |_| MayStart::Yes, found);
    }

    fn in_pieces(&self) -> Box<dyn PieceScan + '_> {
        Box::new(OpenScan { automaton: self, levels: self.begin(FREE_CONTEXT, MayStart::Yes) })
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

    fn reads(&self, state: State, code: Code) -> bool {
        self.reads(state, code)
    }
}
