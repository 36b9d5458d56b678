//! The size of batches.

use crate::alphabet::Alphabet;

/// The size of batches and of their context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of bytes to read per batch. A batch is longer by its context, and if a line must stay whole.
    pub bytes: usize,
    /// Largest number of symbols that a match covers, or more if the search needs a longer context.
    pub max_match_len: usize,
    /// The alphabet, which determines symbol boundaries.
    pub alphabet: Alphabet,
}
