//! Parameters from which a route builds its patterns and engine.

use crate::engine::InputSize;

/// Parameters that the routes share.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Contents of the pattern files.
    pub(super) pattern_files: &'a [Vec<u8>],
    /// Bound on the edits of all patterns, in addition to their own bounds.
    pub(super) max_edits: Option<usize>,
    /// Number of bytes to be searched, if known.
    pub(super) bytes: InputSize,
}
