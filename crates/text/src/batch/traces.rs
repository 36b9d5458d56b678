//! Alignments that a device found with the hits of a batch.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::alignment::Cigar;
use crate::hit::Hit;
use nigh_device::abi::DeviceAlignment;

/// Alignments that a device found with the last hits that it reported in a batch. A copy of a batch has none.
#[derive(Debug, Default)]
pub struct BatchTraces(Box<Mutex<HitTraces>>);

/// Alignments of hits, as a device wrote them.
#[derive(Debug, Default)]
pub struct HitTraces {
    /// The address of the patterns of the hits.
    patterns: usize,
    /// The hits, ordered by end and pattern after [`order`](Self::order).
    hits: Vec<TracedHit>,
    /// The words of all alignments.
    words: Vec<u32>,
    /// The index of the hit after the last one that was asked for.
    next: usize,
}

/// A hit with an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TracedHit {
    place: HitPlace,
    /// The index of the first word of the alignment.
    first: u32,
    /// Whether the last edit is written first.
    is_backward: bool,
}

/// The end of a hit and the index of its pattern.
type HitPlace = (usize, u32);

/// Maximum number of words of alignments. It is enough for a million hits of patterns of up to 32 symbols.
const MAX_WORDS: usize = 1 << 23;
/// A hit is first looked for among this number of hits after the last one that was asked for.
const NEAR: usize = 8;

impl Clone for BatchTraces {
    fn clone(&self) -> Self {
        BatchTraces::default()
    }
}

impl BatchTraces {
    /// Returns the alignments of hits of these patterns, which are known by their address; `None` if there are none.
    pub fn of<T>(&self, patterns: &T) -> Option<MutexGuard<'_, HitTraces>> {
        let traces = self.lock();
        (!traces.hits.is_empty() && traces.patterns == address(patterns)).then_some(traces)
    }

    /// Forgets all alignments. Those that are added next are of hits of these patterns.
    pub fn begin<T>(&self, patterns: &T) {
        let mut traces = self.lock();
        traces.hits.clear();
        traces.words.clear();
        traces.next = 0;
        traces.patterns = address(patterns);
    }

    /// Returns the alignments, for adding some.
    pub fn lock(&self) -> MutexGuard<'_, HitTraces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn address<T>(patterns: &T) -> usize {
    std::ptr::from_ref(patterns).addr()
}

impl HitTraces {
    /// Adds the words of alignments. Returns the index of the first; `None` if there would be too many words.
    pub fn add_words(&mut self, words: &[u32]) -> Option<usize> {
        let first = self.words.len();
        let has_room = first + words.len() <= MAX_WORDS;
        has_room.then(|| {
            self.words.extend_from_slice(words);
            first
        })
    }

    /// Adds a hit whose alignment has its words from the index `first` on, as a device wrote them. If `is_backward`, the
    /// last edit is written first. Call [`order`](Self::order) after the last hit.
    pub fn add(&mut self, hit: Hit, first: usize, is_backward: bool) {
        // If the numbers do not fit, the hit has no alignment here.
        let (Ok(first), Ok(pattern)) = (u32::try_from(first), u32::try_from(hit.pattern)) else { return };
        self.hits.push(TracedHit { place: (hit.end, pattern), first, is_backward });
    }

    /// Orders the alignments by their hits.
    pub fn order(&mut self) {
        if !self.hits.is_sorted() {
            self.hits.sort_unstable();
        }
    }

    /// Returns the edits of a hit; `None` if it has no alignment here. It is faster for hits in order.
    pub fn cigar(&mut self, hit: &Hit) -> Option<Cigar> {
        let place = (hit.end, u32::try_from(hit.pattern).ok()?);
        let near = self.hits[self.next..].iter().take(NEAR).position(|traced| traced.place >= place);
        let at = match near {
            Some(after) if after > 0 || self.hits[self.next].place == place => self.next + after,
            _ => self.hits.partition_point(|traced| traced.place < place),
        };
        let TracedHit { first, is_backward, .. } = *self.hits.get(at).filter(|traced| traced.place == place)?;
        self.next = at + 1;
        Some(Cigar::of_device(&DeviceAlignment::of(&self.words[first as usize..]), is_backward))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;

    #[test]
    fn alignments_are_found_by_the_end_and_the_pattern_of_their_hits() {
        // Values of a type without a size may share an address.
        let (own, other) = (["ACGT"], ["ACGT"]);
        let batch = Batch::of_record("ACGTACGT");
        assert!(batch.traces.of(&own).is_none());
        batch.traces.begin(&own);
        let hit = |end, pattern| Hit { end, pattern, distance: 1, start: None };
        {
            let mut traces = batch.traces.lock();
            // Seventeen edits take two words.
            assert_eq!(traces.add_words(&vec![0; MAX_WORDS + 1]), None);
            let first = traces.add_words(&[0, 17, 1, 2, 0, 2, 0b1000, 0]).unwrap();
            for (end, pattern) in [(8, 0), (4, 1), (4, 0), (9, 3)] {
                traces.add(hit(end, pattern), first + 4 * (pattern % 2), pattern == 3);
            }
            traces.order();
        }
        let mut traces = batch.traces.of(&own).unwrap();
        let mut cigar = |end, pattern| traces.cigar(&hit(end, pattern)).map(|cigar| cigar.to_string());
        for _ in 0..2 {
            assert_eq!(cigar(4, 0).unwrap(), "1X15=1I");
            assert_eq!(cigar(4, 1).unwrap(), "1=1I");
            assert_eq!(cigar(8, 0).unwrap(), "1X15=1I");
            assert_eq!(cigar(9, 3).unwrap(), "1I1=");
            assert_eq!((cigar(8, 1), cigar(3, 0), cigar(9, 4)), (None, None, None));
        }
        drop(traces);
        assert!(batch.traces.of(&other).is_none(), "the patterns are those of another set");
        assert!(batch.clone().traces.of(&own).is_none());
        batch.traces.begin(&own);
        assert!(batch.traces.of(&own).is_none());
    }
}
