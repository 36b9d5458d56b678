//! Patterns as users write them.

use super::bound::Bound;
use super::reading::{Notation, Reading};

/// A pattern as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSource {
    /// The notation, of any bytes.
    pub text: Vec<u8>,
    /// File and line it comes from, for messages.
    pub origin: Option<(String, usize)>,
    /// What it is called in output, if not as it is written.
    pub name: Option<Vec<u8>>,
    /// How many errors it may have, if not as many as others.
    pub bound: Option<Bound>,
    /// How it is written, if not as others are.
    pub notation: Option<Notation>,
}

impl PatternSource {
    /// What it is called in output.
    pub fn label(&self) -> &[u8] {
        self.name.as_ref().unwrap_or(&self.text)
    }

    /// A pattern from nowhere in particular.
    pub fn new(text: impl Into<Vec<u8>>) -> Self {
        PatternSource { text: text.into(), origin: None, name: None, bound: None, notation: None }
    }

    /// How this pattern is read where all are read in some way.
    pub(super) fn reading(&self, of_all: &Reading) -> Reading {
        Reading {
            notation: self.notation.unwrap_or(of_all.notation),
            bound: self.bound.unwrap_or(of_all.bound),
            ..*of_all
        }
    }
}
