//! The leaves of a parsed regular expression, and the number of copies of a repeated part: the same for each automaton that is
//! made of it.

use regex_syntax::hir::{Capture, Hir, Repetition};

use super::SymbolSet;
use super::edge::Condition;
use super::problem::PatternProblem;

/// Converts the leaves of an expression to symbol sets and conditions.
pub(super) trait Leaves {
    /// Returns the symbols of a literal or class, one set for each symbol of the text.
    fn sets(&self, leaf: &Hir) -> Result<Vec<SymbolSet>, PatternProblem>;
    /// Returns the number of symbols of a literal or class.
    fn count(&self, leaf: &Hir) -> Result<usize, PatternProblem>;
    /// Returns the condition of an assertion.
    fn condition(&self, leaf: &Hir) -> Result<Condition, PatternProblem>;
    /// Returns whether a group must match without an edit.
    fn is_exact(&self, group: &Capture) -> bool;
}

/// Returns how many copies of the repeated part are written out.
pub(super) fn copies(repetition: &Repetition) -> usize {
    repetition.max.unwrap_or(repetition.min.max(1)) as usize
}
