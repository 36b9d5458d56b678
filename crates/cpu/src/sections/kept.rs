//! The limit on the number of hits of a batch that are held in memory.

use nigh_pattern::PatternSet;
use nigh_text::hit::Hit;

/// The largest number of hits that are held in memory for sorting: 24 MiB. A batch with more hits is searched in
/// sections.
const MAX_HITS: usize = 3 << 19;

/// The limit of a search in sequences grows by [`MAX_HITS`] for each of this many patterns.
const PATTERNS: usize = 10_000;

/// The largest number of sections into which a section is divided at once.
const MAX_PARTS: usize = 64;

/// Returns the largest number of hits of a section that are held in memory. In sequences it grows with the patterns,
/// because each section reads their seed index again.
pub(crate) fn hit_capacity(set: &PatternSet) -> usize {
    let many = if set.alphabet().is_sequence() { set.patterns().len() / PATTERNS } else { 0 };
    MAX_HITS * (1 + many).min(16)
}

/// Whether the collected hits of a section are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitCompleteness {
    /// All hits were collected.
    All,
    /// Hits are missing, because there are more than the limit.
    TooMany {
        /// The number of sections in which to search again, so that the hits of each fit.
        parts: usize,
    },
    /// No filter and no bit-sliced search suits the section.
    Unsuited,
}

impl HitCompleteness {
    /// Returns `TooMany` for a search that has `hits` hits after `done` of `all` steps, and may hold `max`.
    pub(crate) fn too_many(hits: usize, [done, all]: [usize; 2], max: usize) -> Self {
        let expected = hits as f64 * all as f64 / done.max(1) as f64;
        // Half as many again as the hits fill, because they are not evenly distributed.
        let parts = (1.5 * expected / max.max(1) as f64).ceil() as usize;
        HitCompleteness::TooMany { parts: parts.clamp(2, MAX_PARTS) }
    }
}

/// Returns whether there are too many hits after a scan step. Removes duplicates first if there are more than `max`.
pub(crate) fn exceeds(hits: &mut Vec<KeptHit>, max: usize) -> bool {
    if hits.len() > max {
        keep_each_once(hits);
        // Close to the limit, each further step would sort the hits again.
        return hits.len() > max / 2;
    }
    false
}

/// Sorts hits and keeps, for each end and pattern, the hit with the least distance.
pub(crate) fn keep_each_once(hits: &mut Vec<KeptHit>) {
    hits.sort_unstable();
    hits.dedup_by_key(|hit| hit.place());
}

/// A hit of a batch of less than 4 GiB. Takes 16 bytes instead of 40, and sorts fast: from the highest bits, 32 bits each
/// are the end, the pattern, the distance, and the start or [`NO_START`](Self::NO_START).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeptHit(u128);

impl KeptHit {
    const NO_START: u32 = u32::MAX;

    /// Returns the end and the pattern.
    fn place(self) -> u64 {
        (self.0 >> 64) as u64
    }
}

impl From<Hit> for KeptHit {
    fn from(hit: Hit) -> Self {
        let start = hit.start.map_or(KeptHit::NO_START, |start| start as u32);
        let parts = [hit.end as u32, hit.pattern as u32, hit.distance as u32, start];
        KeptHit(parts.into_iter().fold(0, |bits, part| bits << 32 | u128::from(part)))
    }
}

impl From<KeptHit> for Hit {
    fn from(KeptHit(bits): KeptHit) -> Self {
        let [start, distance, pattern, end] = [0, 32, 64, 96].map(|shift| (bits >> shift) as u32);
        let start = (start != KeptHit::NO_START).then_some(start as usize);
        Hit { end: end as usize, pattern: pattern as usize, distance: distance as usize, start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_hits_are_the_hits_in_their_order() {
        let hit = |end, pattern, distance, start| Hit { end, pattern, distance, start };
        let hits = [
            hit(1, 9, 3, None),
            hit(7, 0, 0, Some(0)),
            hit(7, 0, 1, Some(4)),
            hit(7, 2, 0, None),
            hit(u32::MAX as usize, 70_000, 300, Some(u32::MAX as usize - 1)),
        ];
        let mut held: Vec<KeptHit> = hits.iter().rev().map(|&hit| hit.into()).collect();
        held.sort_unstable();
        assert!(held.iter().map(|&held| Hit::from(held)).eq(hits));
        keep_each_once(&mut held);
        assert!(held.iter().map(|&held| Hit::from(held)).eq([0, 1, 3, 4].map(|index| hits[index])));
    }
}
