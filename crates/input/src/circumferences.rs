//! The lengths of circular records, from the reader that repeats their first residues to the batches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nigh_text::batch::Segment;

/// The lengths of the circular records of an input, in order, as far as the ends of these records were read.
#[derive(Debug, Clone, Default)]
pub struct Circumferences(Arc<Mutex<VecDeque<u64>>>);

impl Circumferences {
    /// Adds the length of the next record, without its repeated residues.
    pub fn push(&self, length: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(length);
    }

    /// Returns the length of the record of each segment of the next batch; `None` if the end of the record was not read.
    /// Forgets those of the records that end in the batch.
    pub(crate) fn take(&self, segments: &[Segment]) -> Vec<Option<u64>> {
        let mut lengths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let length = |segment: &Segment| if segment.closes { lengths.pop_front() } else { lengths.front().copied() };
        segments.iter().map(length).collect()
    }
}
