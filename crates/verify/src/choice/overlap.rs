//! Best-first selection: chooses a set of non-overlapping matches.
//!
//! Matches are taken in the order of their [`Rank`], which begins with the distance and the start. A match is selected
//! if it overlaps none selected before. Otherwise the best later match with the same end takes its place: it starts
//! where the selected match ends, or after that, and may have more edits. So a hit is dropped only if each of its
//! matches within k edits overlaps a selected one. A match is never hidden by a worse one, and a larger k only adds
//! matches.
//!
//! A decision depends only on better matches, so it can be made on a stream. The frontier is the position from which on
//! matches may still be unknown: all matches that start before it are known. A match that ends at or before the
//! frontier is decided. A match that ends after the frontier is undecided unless a better match hides it. An undecided
//! match moves the frontier back to its start for all lower ranks, since it may hide matches of these ranks. Ranks of
//! equal distance ascend with the start, so each distance moves the frontier back by at most one match. This bounds the
//! text between the last known match and the first undecided one, and so the memory. With n selected matches, each
//! decision takes O(log n) time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use nigh_pattern::{Expression, Pattern, PreferredLength};
use nigh_text::hit::Hit;

/// The rank of a match: distance, start, the difference between insertions and deletions, length, pattern. The best
/// match has the smallest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    distance: usize,
    start: u64,
    excess: usize,
    /// The length of the match, or its complement: of several lengths, the preferred one has the smallest number.
    length: u64,
    pattern: usize,
}

impl Rank {
    /// Returns the rank of a match of `hit` in the range `range`, in a unit in which matches are compared.
    pub fn new(patterns: &[Pattern], hit: &Hit, range: Range<u64>, excess: usize) -> Self {
        let pattern = &patterns[hit.pattern];
        let length = match pattern.expression().map_or(PreferredLength::Longest, Expression::preferred_length) {
            PreferredLength::Longest => !(range.end - range.start),
            PreferredLength::Shortest => range.end - range.start,
        };
        Rank { distance: hit.distance, start: range.start, excess, length, pattern: hit.pattern }
    }

    /// Returns the range that the match covers.
    pub fn range(&self) -> Range<u64> {
        // No match takes half of the address space.
        self.start..self.start + self.length.min(!self.length)
    }
}

/// The decision about a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is selected.
    Shown,
    /// It overlaps a better match that is selected.
    Hidden,
    /// A better match that overlaps it may follow.
    Undecided,
}

/// The selected matches of one group or line. No two overlap.
#[derive(Debug, Default)]
pub struct DisjointMatches {
    end_by_start: BTreeMap<u64, u64>,
}

impl DisjointMatches {
    /// Returns whether a selected match overlaps the range.
    pub fn overlaps(&self, range: &Range<u64>) -> bool {
        // The matches are disjoint, so the last one that starts before the end of the range also ends last.
        self.end_by_start.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    /// Returns the end of the last selected match before a match that ends at `end`; 0 if there is none, `None` if a
    /// selected match covers the symbol before `end`.
    fn free_from(&self, end: u64) -> Option<u64> {
        match self.end_by_start.range(..end).next_back() {
            Some((_, &shown_end)) => (shown_end < end).then_some(shown_end),
            None => Some(0),
        }
    }

    /// Adds a match that overlaps no other.
    pub fn insert(&mut self, range: Range<u64>) {
        self.end_by_start.insert(range.start, range.end);
    }

    /// Iterates over the matches that end after a position, in order.
    pub fn after(&self, position: u64) -> impl Iterator<Item = Range<u64>> {
        self.end_by_start.iter().filter(move |&(_, &end)| end > position).map(|(&start, &end)| start..end)
    }

    /// Removes the matches that end at or before a position.
    pub fn forget_before(&mut self, position: u64) {
        // Ends ascend with starts.
        while let Some(first) = self.end_by_start.first_entry()
            && *first.get() <= position
        {
            first.remove();
        }
    }

    /// Returns whether no match is stored.
    pub fn is_empty(&self) -> bool {
        self.end_by_start.is_empty()
    }

    /// Removes all matches.
    pub fn clear(&mut self) {
        self.end_by_start.clear();
    }
}

/// Decides about the matches of one group or line, which must come in the order of their rank.
pub struct BestFirst<'a> {
    shown: &'a mut DisjointMatches,
    frontier: u64,
}

impl<'a> BestFirst<'a> {
    /// Starts a selection in which all matches that start before `frontier` are known.
    pub fn new(shown: &'a mut DisjointMatches, frontier: u64) -> Self {
        BestFirst { shown, frontier }
    }

    /// Decides about matches whose ranks follow those of earlier calls, and passes each with its verdict to `decided`.
    /// `later` replaces a match that overlaps a selected match by the best match with the same end that starts at or
    /// after a position. It returns `None` if there is no such match, or if that match is left to a later call.
    ///
    /// # Errors
    /// Fails if `later` or `decided` fails.
    pub fn decide_all<M, E>(
        &mut self,
        matches: impl IntoIterator<Item = (Rank, M)>,
        mut later: impl FnMut(M, u64) -> Result<Option<(Rank, M)>, E>,
        mut decided: impl FnMut(M, Verdict) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut ranks, mut all) = (Vec::new(), Vec::new());
        for (index, (rank, one)) in matches.into_iter().enumerate() {
            ranks.push(Reverse((rank, index)));
            all.push(Some(one));
        }
        // The top of the heap is the best match.
        let mut ranks = BinaryHeap::from(ranks);
        while let Some(Reverse((rank, index))) = ranks.pop() {
            let (range, one) = (rank.range(), all[index].take().expect("a match is decided once"));
            match self.decide(range.clone()) {
                Verdict::Hidden => {
                    if let Some(from) = self.shown.free_from(range.end)
                        && let Some((rank, other)) = later(one, from)?
                    {
                        ranks.push(Reverse((rank, index)));
                        all[index] = Some(other);
                    }
                }
                verdict => decided(one, verdict)?,
            }
        }
        Ok(())
    }

    /// Decides about the next match in rank.
    fn decide(&mut self, range: Range<u64>) -> Verdict {
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
    pub fn is_hidden(&self, range: &Range<u64>) -> bool {
        self.shown.overlaps(range)
    }

    /// Returns the position before which all matches are decided.
    pub fn frontier(&self) -> u64 {
        self.frontier
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// The matches of one end, by ascending start, with their distances.
    type MatchesOfEnd = (u64, Vec<(u64, usize)>);

    fn rank(end: u64, (start, distance): (u64, usize)) -> Rank {
        Rank { distance, start, excess: 0, length: !(end - start), pattern: 0 }
    }

    /// Returns the best match of an end that starts at or after a position.
    fn best((end, matches): &MatchesOfEnd, from: u64) -> Option<Rank> {
        let later = matches.iter().filter(|(start, _)| *start >= from);
        later.min_by_key(|(start, distance)| (*distance, *start)).map(|&one| rank(*end, one))
    }

    /// The definition: of the best matches in the text that is left, the best one is selected, until none is left.
    fn greedy(all: &[MatchesOfEnd]) -> Vec<Rank> {
        let mut shown: Vec<Rank> = Vec::new();
        loop {
            let left = all.iter().filter_map(|of_end| {
                let end = of_end.0;
                let covered = shown.iter().any(|one| one.start < end && end <= one.range().end);
                let from =
                    shown.iter().map(|one| one.range().end).filter(|&shown_end| shown_end <= end).max().unwrap_or(0);
                if covered { None } else { best(of_end, from) }
            });
            match left.min() {
                Some(next) => shown.push(next),
                None => break,
            }
        }
        shown.sort_by_key(|one| one.start);
        shown
    }

    /// Streaming selection, while matches become known in the order of their ends, none longer than `longest`.
    fn streamed(all: &[MatchesOfEnd], longest: u64) -> Vec<Rank> {
        let (mut result, mut pending, mut shown) = (Vec::new(), Vec::new(), DisjointMatches::default());
        for (index, of_end) in all.iter().enumerate() {
            pending.extend(best(of_end, 0).map(|one| (one, one)));
            let is_last = index + 1 == all.len();
            let frontier = if is_last { u64::MAX } else { of_end.0.saturating_sub(longest) };
            let mut selection = BestFirst::new(&mut shown, frontier);
            let mut undecided = Vec::new();
            let later = |one: Rank, from| {
                let of_end = all.iter().find(|(end, _)| *end == one.range().end).expect("its end");
                Ok::<_, Infallible>(best(of_end, from).map(|one| (one, one)))
            };
            let decided = |one: Rank, verdict| {
                match verdict {
                    Verdict::Shown => result.push(one),
                    _ => undecided.push((one, one)),
                }
                Ok(())
            };
            selection.decide_all(std::mem::take(&mut pending), later, decided).expect("nothing fails");
            let decided_to = selection.frontier();
            shown.forget_before(decided_to);
            pending = undecided;
        }
        result.sort_by_key(|one: &Rank| one.start);
        result
    }

    #[test]
    fn matches_are_selected_the_same_one_by_one() {
        let mut random = fastrand::Rng::with_seed(23);
        let (mut shown, mut later) = (0, 0);
        for _ in 0..2000 {
            let longest = random.u64(1..9);
            let mut end = longest;
            let matches: Vec<MatchesOfEnd> = (0..random.usize(1..40))
                .map(|_| {
                    end += random.u64(1..4);
                    let mut of_end: Vec<(u64, usize)> =
                        (0..random.usize(1..4)).map(|_| (end - random.u64(1..=longest), random.usize(0..4))).collect();
                    of_end.sort_unstable();
                    (end, of_end)
                })
                .collect();
            let expected = greedy(&matches);
            shown += expected.len();
            later += expected
                .iter()
                .filter(|one| {
                    let of_end = matches.iter().find(|(end, _)| *end == one.range().end).expect("its end");
                    best(of_end, 0) != Some(**one)
                })
                .count();
            assert_eq!(streamed(&matches, longest), expected, "{matches:?}");
        }
        assert!(shown > 10_000 && later > 1000, "{shown}, of these {later} in place of an earlier start");
    }
}
