//! The hits of circular records, whose first residues are repeated after their end. Each end of a hit on the circle is
//! reported once: where enough residues come before it.

use std::ops::Range;

use super::positions::Positions;
use nigh_text::batch::Batch;

/// Selects the hits of circular records, in one batch.
pub(super) struct CircleHits {
    /// Number of residues at the start of a record in which no hit is reported; 0 if records are linear.
    seam: u64,
    positions: Positions,
}

impl CircleHits {
    pub(super) fn new(seam: u64) -> Self {
        CircleHits { seam, positions: Positions::default() }
    }

    /// Returns whether records are circular.
    pub(super) fn are_wanted(&self) -> bool {
        self.seam > 0
    }

    /// Returns whether a hit that ends at an offset in the batch is reported. Call this with ascending offsets.
    pub(super) fn has(&mut self, batch: &Batch, end: usize) -> bool {
        let position = self.positions.after(batch, end);
        self.has_position(batch, batch.segment_before(end), position)
    }

    /// Returns whether a hit that ends at a position of the record of a segment is reported.
    pub(super) fn has_position(&self, batch: &Batch, segment: usize, end: u64) -> bool {
        match circumference(batch, segment) {
            None => end > self.seam,
            // The repeated residues are those of a whole turn if there are fewer than usual.
            Some(length) => {
                let seam = self.seam.min(length);
                (seam + 1..=seam + length).contains(&end)
            }
        }
    }

    /// Returns the positions of a match with its start in the record.
    pub(super) fn in_record(&self, batch: &Batch, segment: usize, positions: Range<u64>) -> Range<u64> {
        match circumference(batch, segment) {
            Some(length) if self.are_wanted() && positions.start >= length => {
                positions.start - length..positions.end - length
            }
            Some(_) | None => positions,
        }
    }
}

/// Returns the length of the circular record of a segment, if its end was read.
fn circumference(batch: &Batch, segment: usize) -> Option<u64> {
    batch.circumferences.get(segment).copied().flatten()
}
