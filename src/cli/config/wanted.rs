//! Patterns as they are asked for.

use crate::engine::InputSize;

/// What is to be found.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// What the files of patterns hold.
    pub(super) pattern_files: &'a [Vec<u8>],
    /// The most errors that patterns may have, if there is a bound beside their own.
    pub(super) max_edits: Option<usize>,
    /// How many bytes are to be searched, if that is known.
    pub(super) bytes: InputSize,
}
