//! Hits: end positions of matches with their distances.

use std::ops::ControlFlow;

/// An end position in a batch at which a pattern matches with at most k edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// Offset in the batch's bytes just past the last symbol of the match.
    pub end: usize,
    /// Index of the pattern in its set.
    pub pattern: usize,
    /// Least distance of all matches that end here and whose start the pattern's edges allow.
    pub distance: usize,
    /// Offset in the batch's bytes of the first symbol of the match; `None` if an alignment must determine it. It is
    /// set for patterns with edges, which restrict the start.
    pub start: Option<usize>,
}

/// A match that ends where another match of the pattern ends, and starts later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaterMatch {
    /// The hit with the distance and the start of this match.
    pub hit: Hit,
    /// The difference between the insertions and the deletions of the match.
    pub excess: usize,
}

/// Receives hits from a scanner, a slice at a time.
pub trait HitSink {
    /// Receives the next hits. Hits arrive in the order (end, pattern) over all calls for a batch. Returns
    /// [`ControlFlow::Break`] to end the scan of this batch.
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()>;
}

impl HitSink for Vec<Hit> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        self.extend_from_slice(hits);
        ControlFlow::Continue(())
    }
}
