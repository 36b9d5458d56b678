//! Keeps track of the lines or records of a batch that have a hit, for searches that need one hit of each.

use super::sections::kept::KeptHit;
use nigh_text::batch::Batch;
use nigh_text::text_item::text_items;

/// The hits to find.
pub(super) struct RequestedHits<'a> {
    /// The lines and records of which one hit is enough; `None` if all hits are wanted.
    pub(super) first_of: Option<&'a mut FoundItems>,
    /// Receives the hits.
    pub(super) hits: &'a mut Vec<KeptHit>,
}

/// The lines or records of a batch, and which of them have a hit.
pub(super) struct FoundItems {
    /// Offset at which each line or record starts.
    starts: Vec<usize>,
    has_hit: Vec<bool>,
    /// Index of the item that was looked at last.
    at: usize,
    /// The number of times that an item had a hit when it was looked at.
    passed: usize,
}

impl FoundItems {
    /// Makes a list in which no line or record of `batch` has a hit.
    pub(super) fn none_of(batch: &Batch) -> Self {
        let starts: Vec<usize> = text_items(batch).map(|item| item.bytes.start).collect();
        FoundItems { has_hit: vec![false; starts.len()], starts, at: 0, passed: 0 }
    }

    /// Returns whether the line or record of the last symbol before `end` has a hit. Fast if ends ascend.
    pub(super) fn has_hit(&mut self, end: usize) -> bool {
        if self.starts[self.at] >= end {
            self.at = 0;
        }
        // A galloping search: most items have many hits, or are next to one that has.
        let mut step = 1;
        while self.starts.get(self.at + step).is_some_and(|&start| start < end) {
            step *= 2;
        }
        let near = &self.starts[self.at..self.starts.len().min(self.at + step)];
        self.at += near.partition_point(|&start| start < end).max(1) - 1;
        self.passed += usize::from(self.has_hit[self.at]);
        self.has_hit[self.at]
    }

    /// Returns the number of times that [`has_hit`](Self::has_hit) returned `true`.
    pub(super) fn passed(&self) -> usize {
        self.passed
    }

    /// Forgets the hits in the lines and records that end after the offset `start`.
    pub(super) fn forget_from(&mut self, start: usize) {
        let first = self.starts.partition_point(|&at| at <= start).max(1) - 1;
        self.has_hit[first..].fill(false);
    }

    /// Records that the line or record of the last call of [`has_hit`](Self::has_hit) has a hit.
    pub(super) fn found(&mut self) {
        self.has_hit[self.at] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_an_end_is_found_in_any_order() {
        let batch = Batch::of_lines("a\n\nbcd\ne\nf\ng\nh", b'\n');
        let mut items = FoundItems::none_of(&batch);
        assert!(!items.has_hit(5));
        items.found();
        for (end, expected) in [(1, false), (4, true), (6, true), (8, false), (15, false), (6, true), (1, false)] {
            assert_eq!(items.has_hit(end), expected, "{end}");
        }
    }
}
