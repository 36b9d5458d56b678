//! The parameters that both routes share.

use nigh_core::engine::InputSize;

/// The parameters from which a route builds its patterns and engine.
#[derive(Clone, Copy)]
pub(super) struct RouteParameters<'a> {
    /// Contents of the pattern files.
    pub(super) pattern_files: &'a [Vec<u8>],
    /// Maximum number of edits of all patterns, in addition to their own bounds.
    pub(super) max_edits: Option<usize>,
    /// Number of bytes to be searched, if known.
    pub(super) bytes: InputSize,
}
