//! Merges the hits of two searches.

use super::Refiner;
use crate::EngineError;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;

/// Adds other hits of the same batch.
#[derive(Default)]
pub struct Merger {
    /// The other hits, in the order (end, pattern).
    others: Vec<Hit>,
    /// The number of them that were added.
    added: usize,
}

impl Merger {
    /// Takes the memory of the other hits.
    pub fn take(&mut self) -> Vec<Hit> {
        self.others.clear();
        std::mem::take(&mut self.others)
    }

    /// Replaces the other hits.
    pub fn replace(&mut self, others: Vec<Hit>) {
        (self.others, self.added) = (others, 0);
    }
}

impl Refiner for Merger {
    fn refine(&mut self, _: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        let rest = &self.others[self.added..];
        let before = &rest[..rest.partition_point(|hit| hit.end <= until)];
        if !before.is_empty() {
            self.added += before.len();
            hits.extend_from_slice(before);
            // Of hits with the same end and pattern, the one with the least distance comes first; of equal distances,
            // one with a start.
            hits.sort_unstable_by_key(|hit| (hit.end, hit.pattern, hit.distance, hit.start.is_none(), hit.start));
            hits.dedup_by_key(|hit| (hit.end, hit.pattern));
        }
        Ok(())
    }
}
