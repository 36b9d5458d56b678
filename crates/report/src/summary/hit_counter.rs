//! Counts the hits of selected records by distance, for `--count-matches` and `--format histogram` in sequences.

use crate::tally::{Tally, has_end};
use crate::{DistanceCount, Findings, Flow, HitChoice, Keep, KeptHits, Limits, MatchedItem, ReportNeeds};
use nigh_text::batch::Batch;

/// Counts the hits in selected records, one input after another. Passes the numbers of hits by distance to a function.
pub struct HitCounter {
    tally: Tally,
    choice: HitChoice,
    /// The least distance so far in the record that continues, and the number of its hits. Used if only the nearest
    /// hits of each record count.
    open: Option<DistanceCount>,
}

impl HitCounter {
    /// Makes a counter of the hits in at most `max_records` records with a hit per input. `choice` selects the hits;
    /// their number is not limited.
    pub fn new(max_records: Option<u64>, choice: HitChoice) -> Self {
        let limits = Limits { keep: Keep::Matching, max: max_records };
        HitCounter { tally: Tally::new(limits), choice, open: None }
    }

    /// Returns what the counter needs from the workers.
    pub(super) fn needs(&self) -> ReportNeeds {
        let items = ReportNeeds::items(self.tally.limits().max_items_in_batch());
        ReportNeeds { hits: self.choice.selection, distances: true, ..items }
    }

    pub(super) fn begin(&mut self) {
        self.tally.begin();
    }

    /// Counts the hits of a batch. Calls `count` with the numbers of hits by distance.
    pub(super) fn add(&mut self, batch: &Batch, findings: &Findings, count: &mut dyn FnMut(DistanceCount)) -> Flow {
        let items = self.tally.add_matching(batch, findings);
        if self.choice.kept == KeptHits::Nearest {
            self.add_nearest(batch, findings, items, count);
        } else {
            items.iter().flat_map(|item| counts(item, findings)).copied().for_each(count);
        }
        if self.tally.is_complete() { Flow::EnoughOfInput } else { Flow::More }
    }

    /// Counts the hits with the least distance in each record, once the record has ended.
    fn add_nearest(
        &mut self,
        batch: &Batch,
        findings: &Findings,
        items: &[MatchedItem],
        count: &mut dyn FnMut(DistanceCount),
    ) {
        let continued = usize::from(items.first().is_some_and(|item| item.continues));
        let (continued, others) = items.split_at(continued);
        self.open =
            nearest(self.open.into_iter().chain(continued.iter().flat_map(|item| counts(item, findings)).copied()));
        if has_end(batch) {
            self.end(count);
        }
        for item in others {
            let nearest = nearest(counts(item, findings).iter().copied());
            if item.open {
                self.open = nearest;
            } else {
                nearest.into_iter().for_each(&mut *count);
            }
        }
    }

    /// Counts the hits with the least distance in the open record. At the end of an input, a record is open only after
    /// a read error.
    pub(super) fn end(&mut self, count: &mut dyn FnMut(DistanceCount)) {
        self.open.take().into_iter().for_each(count);
    }

    pub(super) fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

/// Returns the numbers of hits of a line or record by distance.
fn counts<'f>(item: &MatchedItem, findings: &'f Findings) -> &'f [DistanceCount] {
    &findings.distances[item.distances.clone()]
}

/// Returns the least distance and the number of hits with it; `None` if there are no hits.
fn nearest(counts: impl Iterator<Item = DistanceCount>) -> Option<DistanceCount> {
    counts.reduce(|least, count| match count.distance.cmp(&least.distance) {
        std::cmp::Ordering::Less => count,
        std::cmp::Ordering::Equal => DistanceCount { hits: least.hits + count.hits, ..least },
        std::cmp::Ordering::Greater => least,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(distance: usize, hits: u64) -> DistanceCount {
        DistanceCount { distance, hits }
    }

    #[test]
    fn the_nearest_hits_are_those_with_the_least_distance() {
        assert_eq!(nearest([].into_iter()), None);
        assert_eq!(nearest([count(2, 5), count(1, 3), count(2, 1)].into_iter()), Some(count(1, 3)));
        assert_eq!(nearest([count(1, 3), count(2, 5), count(1, 4)].into_iter()), Some(count(1, 7)));
    }
}
