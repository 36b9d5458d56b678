//! The simulation of an expression, one symbol at a time, with the automaton of its size.
//!
//! Reading order: `automaton` (sets of states for each number of edits), `tally` (the combinations of edits that are told
//! apart), `costs` (sets of states for each of these, in both directions), `determinized` (both as deterministic automata,
//! whose states are made when text reaches them).

pub(super) mod automaton;
pub(super) mod costs;
pub(super) mod determinized;
#[cfg(test)]
mod tests;

use self::automaton::{Automaton, EndLevels, MAX_WORDS, ReadingDirection};
use self::costs::{CostQuery, CostSets, StartsAt, TalliedExpression};
use self::determinized::SetAutomaton;
use nigh_pattern::{Expression, Pattern, State};
use nigh_verify::encoder::{Classes, Code};

/// The automaton of one expression.
pub(super) trait Simulation: Send + Sync {
    /// Returns the simulation of all matches without regard to costs and limits. The value of a set is the least number of
    /// edits of a match that ends at the position.
    fn ends(&self) -> Box<dyn SetAutomaton + '_>;

    /// Returns the simulation of the matches with the tallies of an expression, which begin at the first position that is
    /// read or anywhere. The value of a set is the answer to `query`.
    fn costs<'a>(
        &'a self,
        one: TalliedExpression<'a>,
        query: CostQuery,
        begins: StartsAt,
    ) -> Box<dyn SetAutomaton + 'a>;

    /// Returns whether a state reads the symbols of a class.
    fn reads(&self, state: State, code: Code) -> bool;
}

/// Makes the simulation of the expression of `pattern`, for text that is read in a direction.
pub(super) fn simulation(
    (pattern, expression): (&Pattern, &Expression),
    classes: &Classes,
    direction: ReadingDirection,
) -> Box<dyn Simulation> {
    let k = pattern.k();
    match expression.states().div_ceil(64) {
        0..=1 => Box::new(Automaton::<1>::new(expression, k, classes, direction)),
        2 => Box::new(Automaton::<2>::new(expression, k, classes, direction)),
        3..=4 => Box::new(Automaton::<4>::new(expression, k, classes, direction)),
        5..=8 => Box::new(Automaton::<8>::new(expression, k, classes, direction)),
        9..=16 => Box::new(Automaton::<16>::new(expression, k, classes, direction)),
        _ => Box::new(Automaton::<MAX_WORDS>::new(expression, k, classes, direction)),
    }
}

impl<const W: usize> Simulation for Automaton<W> {
    fn ends(&self) -> Box<dyn SetAutomaton + '_> {
        Box::new(EndLevels(self))
    }

    fn costs<'a>(
        &'a self,
        one: TalliedExpression<'a>,
        query: CostQuery,
        begins: StartsAt,
    ) -> Box<dyn SetAutomaton + 'a> {
        Box::new(CostSets::new(self, one, (query, begins)))
    }

    fn reads(&self, state: State, code: Code) -> bool {
        self.reads(state, code)
    }
}
