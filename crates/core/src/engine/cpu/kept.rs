//! The limit on the number of hits of a batch that are held in memory.

use crate::hit::Hit;

/// The largest number of hits of a batch that are held in memory for sorting. A batch with more hits is scanned by
/// block-based Myers, which finds hits in order.
pub(super) const MAX_HITS: usize = 1 << 19;

/// [`max_hits`] grows by [`MAX_HITS`] for each of this many patterns.
const PATTERNS: usize = 10_000;

/// Returns the largest number of hits of a batch that a filter may hold in memory, in a search for `patterns` patterns.
/// It grows with the patterns, because so does the cost of scanning the batch again.
pub(super) fn max_hits(patterns: usize) -> usize {
    MAX_HITS * (1 + patterns / PATTERNS).min(16)
}

/// Whether the collected hits of a batch are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HitCompleteness {
    /// All hits were collected.
    All,
    /// Hits are missing: there are more than [`MAX_HITS`] or more than are worth verifying one by one, or there is no
    /// filter to find them. The batch must be scanned by block-based Myers.
    TooMany,
}

/// Checks the number of hits after a scan step, removing duplicates first if there are more than `max`.
pub(super) fn check_count(hits: &mut Vec<Hit>, max: usize) -> HitCompleteness {
    if hits.len() > max {
        keep_each_once(hits);
        // Close to the limit, each further step would sort the hits again.
        if hits.len() > max / 2 {
            return HitCompleteness::TooMany;
        }
    }
    HitCompleteness::All
}

/// Sorts hits and keeps, for each end and pattern, the hit with the least distance.
pub(super) fn keep_each_once(hits: &mut Vec<Hit>) {
    // The hits form a few ascending runs, which a stable sort merges fast.
    hits.sort();
    hits.dedup_by_key(|hit| (hit.end, hit.pattern));
}
