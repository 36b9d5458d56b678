//! Best-first selection: chooses a set of non-overlapping matches.
//!
//! Matches are taken in the order of their rank, which begins with the distance; a match is selected if it overlaps
//! none selected before. A match is therefore never hidden by a worse one, and a larger k only adds matches.
//!
//! A decision depends only on better matches, so it can be made on a stream. The frontier is the position from which on
//! matches may still be unknown: all matches that start before it are known. A match that ends at or before the
//! frontier is decided. A match that ends after the frontier is undecided unless a better match hides it. An undecided
//! match moves the frontier back to its start for all lower ranks, since it may hide matches of these ranks. There are
//! at most (k + 1)(k + 2) / 2 pairs of distance and length, and each moves the frontier back by at most one match. This
//! bounds the text between the last known match and the first undecided one, and so the memory. With n selected
//! matches, each decision takes O(log n) time.

use std::collections::BTreeMap;
use std::ops::Range;

/// The decision about a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is selected.
    Shown,
    /// It overlaps a better match that is selected.
    Hidden,
    /// A better match that overlaps it may follow.
    Undecided,
}

/// The selected matches of one group or line. No two overlap.
#[derive(Debug, Default)]
pub(crate) struct DisjointMatches {
    end_by_start: BTreeMap<u64, u64>,
}

impl DisjointMatches {
    /// Returns whether a selected match overlaps the range.
    pub(crate) fn overlaps(&self, range: &Range<u64>) -> bool {
        // The matches are disjoint, so the last one that starts before the end of the range also ends last.
        self.end_by_start.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    /// Adds a match that overlaps no other.
    pub(crate) fn insert(&mut self, range: Range<u64>) {
        self.end_by_start.insert(range.start, range.end);
    }

    /// Iterates over the matches that end after a position, in order.
    #[cfg(feature = "cli")]
    pub(crate) fn after(&self, position: u64) -> impl Iterator<Item = Range<u64>> {
        self.end_by_start.iter().filter(move |&(_, &end)| end > position).map(|(&start, &end)| start..end)
    }

    /// Removes the matches that end at or before a position.
    pub(crate) fn forget_before(&mut self, position: u64) {
        // Ends ascend with starts.
        while let Some(first) = self.end_by_start.first_entry()
            && *first.get() <= position
        {
            first.remove();
        }
    }

    /// Returns whether no match is stored.
    #[cfg(feature = "cli")]
    pub(crate) fn is_empty(&self) -> bool {
        self.end_by_start.is_empty()
    }

    /// Removes all matches.
    #[cfg(feature = "cli")]
    pub(crate) fn clear(&mut self) {
        self.end_by_start.clear();
    }
}

/// Decides about the matches of one group or line, which must come in the order of their rank.
pub(crate) struct BestFirst<'a> {
    shown: &'a mut DisjointMatches,
    frontier: u64,
}

impl<'a> BestFirst<'a> {
    /// Starts a selection in which all matches that start before `frontier` are known.
    pub(crate) fn new(shown: &'a mut DisjointMatches, frontier: u64) -> Self {
        BestFirst { shown, frontier }
    }

    /// Decides about the next match in rank.
    pub(crate) fn decide(&mut self, range: Range<u64>) -> Verdict {
        if self.shown.overlaps(&range) {
            return Verdict::Hidden;
        }
        if range.end > self.frontier {
            self.frontier = self.frontier.min(range.start);
            return Verdict::Undecided;
        }
        self.shown.insert(range);
        Verdict::Shown
    }

    /// Returns whether a selected match overlaps the range.
    #[cfg(feature = "cli")]
    pub(crate) fn is_hidden(&self, range: &Range<u64>) -> bool {
        self.shown.overlaps(range)
    }

    /// Returns the position before which all matches are decided.
    pub(crate) fn frontier(&self) -> u64 {
        self.frontier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match and its rank.
    type Ranked = (usize, Range<u64>);

    /// The definition: best first, with all matches known.
    fn greedy(mut matches: Vec<Ranked>) -> Vec<Range<u64>> {
        matches.sort_by_key(|(rank, range)| (*rank, range.end));
        let mut shown: Vec<Range<u64>> = Vec::new();
        for (_, range) in matches {
            if shown.iter().all(|other| other.end <= range.start || range.end <= other.start) {
                shown.push(range);
            }
        }
        shown.sort_by_key(|range| range.start);
        shown
    }

    /// Streaming selection, while matches become known in the order of their ends, none longer than `longest`.
    fn streamed(matches: &[Ranked], longest: u64) -> Vec<Range<u64>> {
        let (mut result, mut pending, mut shown) = (Vec::new(), Vec::new(), DisjointMatches::default());
        for (index, next) in matches.iter().enumerate() {
            pending.push(next.clone());
            pending.sort_by_key(|(rank, range): &Ranked| (*rank, range.end));
            let is_last = index + 1 == matches.len();
            let frontier = if is_last { u64::MAX } else { next.1.end.saturating_sub(longest) };
            let mut selection = BestFirst::new(&mut shown, frontier);
            pending.retain(|(_, range)| {
                let verdict = selection.decide(range.clone());
                if verdict == Verdict::Shown {
                    result.push(range.clone());
                }
                verdict == Verdict::Undecided
            });
            let decided = selection.frontier();
            shown.forget_before(decided);
        }
        result.sort_by_key(|range| range.start);
        result
    }

    #[test]
    fn matches_are_selected_the_same_one_by_one() {
        let mut random = fastrand::Rng::with_seed(23);
        let mut shown = 0;
        for _ in 0..2000 {
            let longest = random.u64(1..9);
            let mut end = longest;
            let matches: Vec<Ranked> = (0..random.usize(1..40))
                .map(|_| {
                    end += random.u64(1..4);
                    (random.usize(0..4), end - random.u64(1..=longest)..end)
                })
                .collect();
            let expected = greedy(matches.clone());
            shown += expected.len();
            assert_eq!(streamed(&matches, longest), expected, "{matches:?}");
        }
        assert!(shown > 10_000, "{shown}");
    }
}
