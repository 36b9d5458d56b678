//! What a matrix computes: a pattern with its constraints, a text, and where matches may start.

use crate::tally::EditTally;
use nigh_pattern::{EditConstraints, OverhangLimits, Pattern, SymbolSet, UNIT};
use nigh_text::text::PlacedSymbol;

/// A pattern, its constraints, and the text before the end of a match, last symbol first.
#[derive(Clone, Copy)]
pub(crate) struct MatrixProblem<'a> {
    /// The symbols of the pattern that are not after the end of the text.
    pub(super) symbols: &'a [SymbolSet],
    pub(super) constraints: &'a EditConstraints,
    pub(super) backward: &'a [PlacedSymbol],
    /// Number of symbols of the pattern after the end of the text.
    pub(super) after: usize,
    /// Largest number of symbols of the pattern before the start of the text.
    pub(super) max_before: usize,
    /// The weight of cost 1 in a value.
    pub(super) unit: u64,
    /// The least value that exceeds the cost limit.
    pub(super) limit: u64,
}

/// Where a match starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatrixStart {
    /// Number of symbols of the pattern before the start of the text.
    pub(crate) before: usize,
    /// Number of text symbols that the match covers.
    pub(crate) covered: usize,
}

/// Maps a start to its value, such as its preference; `None` if the start is not allowed. The least value wins.
pub(crate) type Starts<'a> = &'a dyn Fn(MatrixStart) -> Option<u64>;

impl<'a> MatrixProblem<'a> {
    /// Makes the problem of a match inside a line or record. A value is the cost times the unit, plus the value of the
    /// start, which is less than the unit.
    pub(crate) fn new(pattern: &'a Pattern, constraints: &'a EditConstraints, backward: &'a [PlacedSymbol]) -> Self {
        let costs = constraints.costs();
        let unit = 2 * (costs.insertion.max.max(costs.deletion.max) as u64) + 2;
        let limit = (constraints.max_cost() as u64 + 1) * unit;
        MatrixProblem { symbols: pattern.symbols(), constraints, backward, after: 0, max_before: 0, unit, limit }
    }

    /// Returns the problem of a match whose cost is at most `max`, which is at most the largest cost of a match.
    pub(crate) fn at_most(self, max: usize) -> Self {
        MatrixProblem { limit: (max as u64 + 1) * self.unit, ..self }
    }

    /// Returns the problem of a match with `after` symbols after the end of the text, and at most `max_before` before
    /// its start. Values are in the units of sums, and the value of a start is the cost of the symbols before it.
    /// Returns `None` if these symbols cost too much.
    pub(crate) fn hanging_over(self, limits: OverhangLimits, after: usize, max_before: usize) -> Option<Self> {
        let symbols = &self.symbols[..self.symbols.len() - after];
        let limit = limits.max_sum_inside(after)? + 1;
        Some(MatrixProblem { symbols, after, max_before, unit: UNIT, limit, ..self })
    }

    /// Returns the number of words of the rows, of which there is one more than symbols.
    pub(super) fn words(&self) -> usize {
        self.symbols.len() / u64::BITS as usize + 1
    }

    /// Returns the value of a match with the cost of `tally`, without that of its start.
    pub(super) fn value(&self, tally: &EditTally) -> u64 {
        tally.cost as u64 * self.unit
    }
}
