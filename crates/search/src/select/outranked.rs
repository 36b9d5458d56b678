//! Drops hits before they are aligned, if the match of a better hit hides their matches, wherever these matches start.
//!
//! Hits of one group form a cluster if their matches may overlap. If every match is longer than the distance between
//! the first and the last end of the cluster, all matches overlap each other. Only one match is then selected, of the
//! least distance, so the hits with a larger distance can be dropped. For example, where a pattern of 20 symbols
//! matches with 3 edits, it has about nine hits, of which one or two remain. Time is O(n log n) for n hits.

use nigh_text::hit::Hit;

/// A hit with its line or record, its group and its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupedHit {
    pub(super) hit: Hit,
    /// Index of the line or record of the hit.
    pub(super) item: u32,
    /// Index of the group of the hit: the matches of one group compete with each other.
    pub(super) group: u32,
    /// Position just past the match of the hit, in residues of the record or bytes of the text.
    pub(super) end: u64,
    /// The least length of the match, in the same unit; 0 if the hit must not be dropped.
    pub(super) least: u64,
}

/// Finds the hits whose matches are certainly hidden. Owns the buffers for this.
#[derive(Default)]
pub(super) struct OutrankedHits {
    /// The group and the index of each hit, 32 bits each.
    order: Vec<u64>,
    is_hidden: Vec<bool>,
}

impl OutrankedHits {
    /// Removes those of `hits` whose matches are certainly hidden by the match of a better hit in `hits`. `hits` are in
    /// the order of their ends, and no match is longer than `reach`. Hits that end before the first or after the last
    /// of `hits` may exist.
    pub(super) fn remove(&mut self, hits: &mut Vec<GroupedHit>, reach: u64) {
        let (Some(&first), Some(&last)) = (hits.first(), hits.last()) else { return };
        self.order.clear();
        self.order.extend(hits.iter().enumerate().map(|(index, one)| u64::from(one.group) << 32 | index as u64));
        self.order.sort_unstable();
        self.is_hidden.clear();
        self.is_hidden.resize(hits.len(), false);
        let hit = |ranked: &u64| hits[*ranked as u32 as usize];
        let may_overlap = |before: &u64, after: &u64| {
            let (before, after) = (hit(before), hit(after));
            before.group == after.group && before.item == after.item && after.end - before.end < reach
        };
        for cluster in self.order.chunk_by(may_overlap) {
            let (Some(begin), Some(end)) = (cluster.first().map(hit), cluster.last().map(hit)) else { continue };
            let is_begun = begin.item == first.item && begin.end < first.end + reach;
            let is_open = end.item == last.item && last.end < end.end + reach;
            let least = cluster.iter().map(|ranked| hit(ranked).least).min().unwrap_or(0);
            if is_begun || is_open || end.end - begin.end >= least {
                continue;
            }
            let distance = cluster.iter().map(|ranked| hit(ranked).hit.distance).min().unwrap_or(0);
            let worse = cluster.iter().filter(|ranked| hit(ranked).hit.distance > distance);
            worse.for_each(|&ranked| self.is_hidden[ranked as u32 as usize] = true);
        }
        let mut is_hidden = self.is_hidden.iter();
        hits.retain(|_| !is_hidden.next().is_some_and(|&is_hidden| is_hidden));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the ends and distances of the hits that remain. All are of one group, with matches of 17 to 23 symbols.
    fn remaining(hits: &[(u64, usize)]) -> Vec<(u64, usize)> {
        let placed = |&(end, distance): &(u64, usize)| {
            let hit = Hit { end: end as usize, pattern: 0, distance, start: None };
            GroupedHit { hit, item: 0, group: 0, end, least: 17 }
        };
        let mut hits: Vec<GroupedHit> = hits.iter().map(placed).collect();
        OutrankedHits::default().remove(&mut hits, 23);
        hits.iter().map(|one| (one.end, one.hit.distance)).collect()
    }

    #[test]
    fn the_best_hits_of_a_cluster_remain() {
        let hits = [(20, 0), (99, 3), (100, 2), (101, 3), (102, 2), (200, 0)];
        assert_eq!(remaining(&hits), [(20, 0), (100, 2), (102, 2), (200, 0)]);
    }

    #[test]
    fn a_cluster_that_may_have_other_hits_stays() {
        assert_eq!(remaining(&[(99, 3), (100, 2), (200, 0)]).len(), 3, "others may end before 99");
        assert_eq!(remaining(&[(20, 0), (99, 3), (100, 2)]).len(), 3, "others may end after 100");
        assert_eq!(remaining(&[(77, 0), (99, 3), (100, 2), (200, 0)]).len(), 4, "one ends at 77");
    }

    #[test]
    fn matches_that_need_not_overlap_stay() {
        assert_eq!(remaining(&[(20, 0), (100, 3), (116, 2), (200, 0)]).len(), 3);
        assert_eq!(remaining(&[(20, 0), (100, 3), (117, 2), (200, 0)]).len(), 4, "a match may cover 17 symbols");
        assert_eq!(remaining(&[(20, 0), (100, 3), (110, 2), (120, 1), (200, 0)]).len(), 5, "a chain");
    }
}
