//! A hit: an end position of a match, and the least distance of the matches that end there.

use std::ops::ControlFlow;

/// An end position in a batch at which a pattern matches with at most k errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// Offset in the batch's bytes just past the last symbol of the match.
    pub end: usize,
    /// Index of the pattern in its set.
    pub pattern: usize,
    /// The least number of edits over all starts the pattern allows.
    pub distance: usize,
    /// Offset of the first symbol where the pattern's edges fix it; otherwise an alignment finds it.
    pub start: Option<usize>,
}

/// Takes hits from a scanner, in pieces.
pub trait HitSink {
    /// Takes the next hits, which follow the earlier ones in the order (end, pattern).
    /// [`ControlFlow::Break`] says that no more are wanted from this batch.
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()>;
}

impl HitSink for Vec<Hit> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        self.extend_from_slice(hits);
        ControlFlow::Continue(())
    }
}
