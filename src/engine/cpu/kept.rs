//! The bound on the hits of a batch that are in memory at a time.

use crate::hit::Hit;

/// Number of hits of a batch that are kept until they are in order; with more, the batch is searched in words, which finds
/// hits in order.
pub(super) const MAX_HITS: usize = 1 << 19;

/// Whether the hits of a batch are all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// They are.
    All,
    /// They are more than [`MAX_HITS`], or than should be verified one by one.
    TooMany,
}

/// Whether the hits so far may stay in memory, once each is there but once.
pub(super) fn bound(hits: &mut Vec<Hit>) -> Kept {
    if hits.len() > MAX_HITS {
        keep_each_once(hits);
        // With more, they would be put in order again and again.
        if hits.len() > MAX_HITS / 2 {
            return Kept::TooMany;
        }
    }
    Kept::All
}

/// Puts hits in order; of those of a pattern at one end, the one with the least distance stays.
pub(super) fn keep_each_once(hits: &mut Vec<Hit>) {
    // They come in a few ascending runs, which is what this sort is fast at.
    hits.sort();
    hits.dedup_by_key(|hit| (hit.end, hit.pattern));
}
