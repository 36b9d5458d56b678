//! The size of batches.

use crate::alphabet::Alphabet;

/// The size of batches and of their context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of bytes to read per batch. Context, and a line that must stay whole, are added to it.
    pub bytes: usize,
    /// Number of symbols that a match can cover before the owned range.
    pub max_match_len: usize,
    /// The alphabet, which determines symbol boundaries.
    pub alphabet: Alphabet,
}
