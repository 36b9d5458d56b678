//! An expression with the automaton of its size.

use super::automaton::{Automaton, MAX_WORDS};
use super::line::{EncodedLine, MatchEnd};
use super::trace::TracedMatch;
use crate::alignment::Cigar;
use crate::engine::encoder::{Classes, Code};
use crate::pattern::{Expression, Pattern, State};

/// Finds and aligns the matches of one expression. Positions are numbers of symbols.
pub(super) trait Simulation: Send + Sync {
    /// Passes the position of each end of a match in `line`, and its distance, to `found`. Ends when `found` returns
    /// `false`.
    fn scan(&self, line: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool);

    /// Returns whether a state reads the symbols of a class.
    fn reads(&self, state: State, code: Code) -> bool;

    /// Returns the operations of the match from the position `start` to `end`.
    fn cigar(&self, expression: &Expression, line: &EncodedLine<'_>, start: usize, end: MatchEnd) -> Cigar;
}

/// Makes the simulation of the expression of `pattern`.
pub(super) fn simulation(pattern: &Pattern, expression: &Expression, classes: &Classes) -> Box<dyn Simulation> {
    fn of<const W: usize>(pattern: &Pattern, expression: &Expression, classes: &Classes) -> Box<dyn Simulation> {
        Box::new(Automaton::<W>::new(expression, pattern.k(), classes))
    }
    match expression.states().div_ceil(64) {
        0..=1 => of::<1>(pattern, expression, classes),
        2 => of::<2>(pattern, expression, classes),
        3..=4 => of::<4>(pattern, expression, classes),
        5..=16 => of::<16>(pattern, expression, classes),
        _ => of::<MAX_WORDS>(pattern, expression, classes),
    }
}

impl<const W: usize> Simulation for Automaton<W> {
    fn scan(&self, line: &EncodedLine<'_>, found: &mut dyn FnMut(MatchEnd) -> bool) {
        self.scan(line, found);
    }

    fn reads(&self, state: State, code: Code) -> bool {
        self.reads(state, code)
    }

    fn cigar(&self, expression: &Expression, line: &EncodedLine<'_>, start: usize, end: MatchEnd) -> Cigar {
        TracedMatch { expression, automaton: self, line }.cigar(start..end.position, end.distance)
    }
}
