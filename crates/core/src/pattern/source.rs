//! Patterns as given by the user, before parsing.

use super::bound::Bound;
use super::constraints::EditCosts;
use super::reading::{Notation, ReadingOptions};

/// A pattern as given by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSource {
    /// The text of the pattern, as bytes in any encoding.
    pub text: Vec<u8>,
    /// File and line number, for messages.
    pub origin: Option<(String, usize)>,
    /// Name in output; `None` shows the text of the pattern.
    pub name: Option<Vec<u8>>,
    /// Limit on edits of this pattern; `None` takes the limit of the set.
    pub bound: Option<Bound>,
    /// Notation of this pattern; `None` takes the notation of the set.
    pub notation: Option<Notation>,
    /// Costs and limits of each kind of edit in this pattern; `None` takes those of the set.
    pub costs: Option<EditCosts>,
}

impl PatternSource {
    /// Returns the name in output: the pattern's own name, or its text.
    pub fn shown_name(&self) -> &[u8] {
        self.name.as_ref().unwrap_or(&self.text)
    }

    /// Makes a pattern without origin, name or options of its own.
    pub fn new(text: impl Into<Vec<u8>>) -> Self {
        PatternSource { text: text.into(), origin: None, name: None, bound: None, notation: None, costs: None }
    }

    /// Returns the options for this pattern: `defaults`, overridden by the pattern's own options.
    pub(super) fn reading(&self, defaults: &ReadingOptions) -> ReadingOptions {
        ReadingOptions {
            notation: self.notation.unwrap_or(defaults.notation),
            bound: self.bound.unwrap_or(defaults.bound),
            costs: self.costs.unwrap_or(defaults.costs),
            ..*defaults
        }
    }
}
