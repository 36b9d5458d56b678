//! Patterns as given by the user, before parsing.

use std::sync::Arc;

use super::constraints::EditCosts;
use super::constraints::bound::Bound;
use super::reading::{Notation, ReadingOptions};

/// A pattern as given by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSource {
    /// The text of the pattern, as bytes in any encoding.
    pub text: Vec<u8>,
    /// File and line number, for messages.
    pub origin: Option<(Arc<str>, usize)>,
    /// Name in output; `None` shows the text of the pattern.
    pub name: Option<Vec<u8>>,
    /// Limit on edits of this pattern; `None` takes the limit of the set.
    pub bound: Option<Bound>,
    /// Notation of this pattern; `None` takes the notation of the set.
    pub notation: Option<Notation>,
    /// Costs and limits of each kind of edit in this pattern; `None` takes those of the set.
    pub costs: Option<Box<EditCosts>>,
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
            costs: self.costs.as_deref().copied().unwrap_or(defaults.costs),
            ..*defaults
        }
    }
}

/// A pattern with fewer edits than the bound of its set, because it is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReducedPattern {
    /// Index of the source.
    pub source: usize,
    /// Upper limit on the edits, or on their cost.
    pub k: usize,
}

/// The texts and the names of the sources, one after the other: there may be millions.
#[derive(Debug, Default)]
pub(super) struct SourceTexts {
    bytes: Vec<u8>,
    sources: Vec<SourceText>,
    /// The sources with fewer edits than the others, because they are short.
    reduced: Vec<ReducedPattern>,
}

/// The ends of a text and of the name after it in the bytes of [`SourceTexts`].
#[derive(Debug)]
struct SourceText {
    text_end: usize,
    /// End of the name; `None` if the source has no name.
    name_end: Option<usize>,
}

impl SourceTexts {
    /// Copies the texts and the names. `reduced` are the sources with fewer edits than the others.
    pub(super) fn new(sources: &[PatternSource], reduced: Vec<ReducedPattern>) -> Self {
        let mut texts = SourceTexts { reduced, ..SourceTexts::default() };
        for PatternSource { text, name, .. } in sources {
            texts.bytes.extend_from_slice(text);
            let text_end = texts.bytes.len();
            texts.bytes.extend(name.iter().flatten());
            let name_end = name.as_ref().map(|_| texts.bytes.len());
            texts.sources.push(SourceText { text_end, name_end });
        }
        texts.bytes.shrink_to_fit();
        texts.sources.shrink_to_fit();
        texts
    }

    /// Returns the sources with fewer edits than the others, in order.
    pub(super) fn reduced(&self) -> &[ReducedPattern] {
        &self.reduced
    }

    /// Returns the number of sources.
    pub(super) fn count(&self) -> usize {
        self.sources.len()
    }

    /// Returns the text of a source.
    pub(super) fn text(&self, index: usize) -> &[u8] {
        let before = index.checked_sub(1).map(|before| &self.sources[before]);
        let start = before.map_or(0, |before| before.name_end.unwrap_or(before.text_end));
        &self.bytes[start..self.sources[index].text_end]
    }

    /// Returns the name of a source; `None` if it has none.
    pub(super) fn name(&self, index: usize) -> Option<&[u8]> {
        let SourceText { text_end, name_end } = self.sources[index];
        Some(&self.bytes[text_end..name_end?])
    }
}
