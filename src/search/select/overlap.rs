//! Best first: which of several overlapping matches are shown.
//!
//! Matches are considered in the order of their rank, which begins with the distance. A match is shown if it overlaps none that
//! is shown already. So no match is hidden by a worse one, and a larger k only adds matches: a match with more edits is
//! considered after all those with fewer.
//!
//! A decision depends on better matches only, so it can be made before the whole text has been searched. Matches that are not
//! known yet start at or after some position, the frontier. A match that ends at or before the frontier is decided. One that ends
//! behind it is not, and the frontier moves back to its start for all matches of a lower rank, which it may hide.
//! There are at most (k + 1)(k + 2) / 2 pairs of distance and length, and each moves the frontier back by at
//! most one match, which bounds the text between the last match that is known and the first that is not decided.

use std::collections::BTreeMap;
use std::ops::Range;

/// What is decided about a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is shown.
    Shown,
    /// It overlaps a better match that is shown.
    Hidden,
    /// A better match that overlaps it may follow.
    Undecided,
}

/// The matches that are shown of one pattern or line. None overlaps another.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    end_by_start: BTreeMap<u64, u64>,
}

impl Shown {
    /// Whether a match that is shown overlaps this range.
    pub(crate) fn overlaps(&self, range: &Range<u64>) -> bool {
        // Of all that start before the end of the range, the last ends last.
        self.end_by_start.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    /// Adds a match that overlaps no other.
    pub(crate) fn insert(&mut self, range: Range<u64>) {
        self.end_by_start.insert(range.start, range.end);
    }

    /// The matches that end after this position, in order.
    pub(crate) fn after(&self, position: u64) -> impl Iterator<Item = Range<u64>> {
        self.end_by_start.iter().filter(move |&(_, &end)| end > position).map(|(&start, &end)| start..end)
    }

    /// Forgets the matches that end at or before this position.
    pub(crate) fn forget_before(&mut self, position: u64) {
        // Ends are in the order of starts.
        while let Some(first) = self.end_by_start.first_entry()
            && *first.get() <= position
        {
            first.remove();
        }
    }

    /// Forgets all matches.
    pub(crate) fn clear(&mut self) {
        self.end_by_start.clear();
    }
}

/// Decides about the matches of one pattern or line, which come in the order of their rank.
pub(crate) struct Judge<'a> {
    shown: &'a mut Shown,
    frontier: u64,
}

impl<'a> Judge<'a> {
    /// A judge who knows all matches that start before `frontier`.
    pub(crate) fn new(shown: &'a mut Shown, frontier: u64) -> Self {
        Judge { shown, frontier }
    }

    /// Decides about the next match, the best of those that are left.
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

    /// Whether a match that is shown already overlaps this range.
    pub(crate) fn is_hidden(&self, range: &Range<u64>) -> bool {
        self.shown.overlaps(range)
    }

    /// The position before which everything is decided.
    pub(crate) fn frontier(&self) -> u64 {
        self.frontier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match, and its rank.
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

    /// The same as matches become known in the order of their ends, none longer than `longest`.
    fn streamed(matches: &[Ranked], longest: u64) -> Vec<Range<u64>> {
        let (mut result, mut pending, mut shown) = (Vec::new(), Vec::new(), Shown::default());
        for (index, next) in matches.iter().enumerate() {
            pending.push(next.clone());
            pending.sort_by_key(|(rank, range): &Ranked| (*rank, range.end));
            let is_last = index + 1 == matches.len();
            let frontier = if is_last { u64::MAX } else { next.1.end.saturating_sub(longest) };
            let mut judge = Judge::new(&mut shown, frontier);
            pending.retain(|(_, range)| {
                let verdict = judge.decide(range.clone());
                if verdict == Verdict::Shown {
                    result.push(range.clone());
                }
                verdict == Verdict::Undecided
            });
            let decided = judge.frontier();
            shown.forget_before(decided);
        }
        result.sort_by_key(|range| range.start);
        result
    }

    #[test]
    fn matches_that_become_known_one_by_one_are_judged_as_if_all_were_known() {
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
