//! How patterns are read: their notation, case, edges and groups.

use super::bound::Bound;
use super::rules::EditCosts;
use crate::alphabet::Alphabet;

/// How patterns are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Regular expressions that are finite.
    Regex,
    /// Every symbol stands for itself.
    Literal,
}

/// Whether upper and lower case are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They differ.
    Sensitive,
    /// They are the same, as simple Unicode case folding says.
    Insensitive,
    /// They are the same if there is a literal symbol in the patterns and none is in upper case.
    Smart,
}

/// What a match must be as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Anything.
    Anything,
    /// Whole words: no symbol of a word on either side.
    Words,
    /// A whole line or record.
    Record,
}

/// What angle brackets are in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Symbols like others, or what they are in a regular expression.
    Ordinary,
    /// What stands between `<` and `>` must match without an edit; `\<` and `\>` are the symbols.
    Exact,
}

/// How the patterns of a set are read and searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) alphabet: Alphabet,
    pub(super) notation: Notation,
    pub(super) case: Case,
    pub(super) groups: Groups,
    pub(super) whole: Whole,
    pub(super) bound: Bound,
    /// No pattern may have more errors than this, whatever its bound.
    pub(super) most: usize,
    pub(super) terms: EditCosts,
    pub(super) terminator: u8,
}
