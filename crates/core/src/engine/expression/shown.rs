//! The shown matches of a line, without the matches of all hits.
//!
//! The rule is in DESIGN, "Shown matches". A pass back over a part of the line finds the least number of edits of the
//! matches that start at each position. With the least of these numbers, d, the part is swept from its start: the first
//! position where a match with d edits starts begins the match with the best rank, unless each end that it reaches has a
//! match with a smaller difference between insertions and deletions, which then starts later. What is shown divides the
//! part into gaps. All matches that lie in a gap have more than d edits, and each gap is searched in the same way.
//!
//! All passes are those of deterministic automata, so a line of n symbols takes O(n k) looks into tables if its matches
//! are short, however many hits it has.

use std::ops::Range;

use smallvec::SmallVec;

use super::differences::StartsAt;
use super::line::EncodedLine;
use super::match_automata::{MatchAutomata, RatedEnd};
use crate::pattern::PreferredLength;

/// The number of starts for which memory is reserved at once.
const FEW_STARTS: usize = 64;

/// A line, and the pattern to search for in it. Edits of the pattern have no costs or limits.
pub(super) struct SearchedLine<'s, 'a> {
    pub(super) pattern: usize,
    pub(super) preferred_length: PreferredLength,
    pub(super) min_match_len: usize,
    pub(super) line: EncodedLine<'s>,
    /// The ends of the matches that count, ascending; `None` if all matches count.
    pub(super) ends: Option<Vec<usize>>,
    pub(super) automata: &'s mut MatchAutomata<'a>,
}

/// A shown match.
#[derive(Debug, Clone)]
pub(super) struct ShownMatch {
    pub(super) pattern: usize,
    pub(super) range: Range<usize>,
    pub(super) distance: usize,
}

/// The positions where matches with the least distance of all matches start, descending.
struct MatchStarts {
    distance: usize,
    positions: Vec<usize>,
}

/// A match that may be shown. The best has the least rank: start, difference, length, pattern.
struct RankedStart {
    start: usize,
    difference: usize,
    /// The length, or its complement if the longest is preferred.
    length: usize,
    end: usize,
}

/// The matches of one pattern in a gap.
struct GapSearch<'l, 's, 'a> {
    searched: &'l mut SearchedLine<'s, 'a>,
    starts: MatchStarts,
    /// The last position of a match.
    last: usize,
    /// The ends up to the position `known_to` of the matches that start after the last shown one.
    least: Vec<RatedEnd>,
    known_to: usize,
    /// The best match that starts at or after the end of the last shown one.
    next: Option<RankedStart>,
}

impl SearchedLine<'_, '_> {
    /// Returns the starts of the matches in a gap with at most `max_distance` edits; `None` if there are none.
    fn starts_in(&mut self, gap: &Range<usize>, max_distance: usize) -> Option<MatchStarts> {
        let (mut least, mut positions) = (max_distance, Vec::with_capacity(gap.len().min(FEW_STARTS)));
        self.automata.for_each_start(&self.line, gap.clone(), self.ends.as_deref(), |position, distance| {
            if distance < least {
                least = distance;
                positions.clear();
            }
            if distance == least {
                positions.push(position);
            }
        });
        (!positions.is_empty()).then_some(MatchStarts { distance: least, positions })
    }

    /// Returns the ends of the matches with `distance` edits that start at the first position of a range.
    fn ends_in(&mut self, range: Range<usize>, distance: usize) -> SmallVec<[RatedEnd; 16]> {
        let counts = |end: &RatedEnd| self.ends.as_ref().is_none_or(|all| all.binary_search(&end.position).is_ok());
        let mut ends = SmallVec::new();
        self.automata
            .for_each_end(&self.line, range, (distance, StartsAt::First), |end| ends.extend(Some(end).filter(counts)));
        ends
    }

    /// Returns the length of a match, or its complement if the longest is preferred.
    fn rank_of_length(&self, length: usize) -> usize {
        match self.preferred_length {
            PreferredLength::Longest => usize::MAX - length,
            PreferredLength::Shortest => length,
        }
    }
}

/// Returns the shown matches of a line with at most `max_distance` edits, ordered by start.
pub(super) fn shown_in_line(mut searched: Vec<SearchedLine<'_, '_>>, max_distance: usize) -> Vec<ShownMatch> {
    let length = searched.iter().map(|one| one.line.codes.len()).max().unwrap_or(0);
    let mut shown: Vec<ShownMatch> = Vec::new();
    let mut gaps: Vec<Range<usize>> = std::iter::once(0..length).collect();
    while let Some(gap) = gaps.pop() {
        let before = shown.len();
        sweep(&mut searched, &gap, max_distance, &mut shown);
        let new = &shown[before..];
        if !new.is_empty() {
            let starts = new.iter().map(|one| one.range.start).chain([gap.end]);
            let ends = [gap.start].into_iter().chain(new.iter().map(|one| one.range.end));
            gaps.extend(ends.zip(starts).map(|(end, start)| end..start));
        }
    }
    shown.sort_unstable_by_key(|one| one.range.start);
    shown
}

/// Appends the shown matches in a gap that have the least distance of all matches in the gap.
fn sweep(searched: &mut [SearchedLine<'_, '_>], gap: &Range<usize>, max_distance: usize, shown: &mut Vec<ShownMatch>) {
    let mut searches: Vec<GapSearch<'_, '_, '_>> =
        searched.iter_mut().filter_map(|one| GapSearch::new(one, gap, max_distance)).collect();
    let Some(distance) = searches.iter().map(|search| search.starts.distance).min() else { return };
    searches.retain(|search| search.starts.distance == distance);
    let mut from = gap.start;
    loop {
        searches.retain_mut(|search| search.advance(from));
        let Some(best) = searches.iter().min_by_key(|search| search.rank()) else { return };
        let RankedStart { start, end, .. } = *best.best();
        shown.push(ShownMatch { pattern: best.searched.pattern, range: start..end, distance });
        from = end;
    }
}

impl<'l, 's, 'a> GapSearch<'l, 's, 'a> {
    /// Returns `None` if no match with at most `max_distance` edits lies in the gap.
    fn new(searched: &'l mut SearchedLine<'s, 'a>, gap: &Range<usize>, max_distance: usize) -> Option<Self> {
        let gap = gap.start.max(searched.line.first)..gap.end.min(searched.line.last);
        let is_long_enough = gap.len() >= searched.min_match_len.max(1);
        let starts = is_long_enough.then(|| searched.starts_in(&gap, max_distance))??;
        Some(GapSearch { searched, starts, last: gap.end, least: Vec::new(), known_to: 0, next: None })
    }

    /// Moves on to the best match that starts at or after a position. Returns whether there is one.
    fn advance(&mut self, from: usize) -> bool {
        if self.next.as_ref().is_none_or(|next| next.start < from) {
            self.next = self.first_from(from);
        }
        self.next.is_some()
    }

    /// Returns the best match that starts at or after a position.
    fn first_from(&mut self, from: usize) -> Option<RankedStart> {
        self.known_to = 0;
        while let Some(start) = self.starts.positions.pop() {
            if start >= from
                && let Some(best) = self.best_from(start)
            {
                return Some(best);
            }
        }
        None
    }

    /// Returns the best match that starts at a position; `None` if all of its ends have better matches.
    fn best_from(&mut self, start: usize) -> Option<RankedStart> {
        let mut ends = self.searched.ends_in(start..self.last, self.starts.distance);
        if ends.iter().all(|end| end.difference > 0) {
            self.rate_until(start, ends.last()?.position);
            ends.retain(|end| {
                self.least
                    .binary_search_by_key(&end.position, |least| least.position)
                    .is_ok_and(|at| self.least[at] == *end)
            });
        }
        let ranked = ends.into_iter().map(|RatedEnd { position: end, difference }| {
            let length = self.searched.rank_of_length(end - start);
            RankedStart { start, difference, length, end }
        });
        ranked.min_by_key(|one| (one.difference, one.length))
    }

    /// Finds the least differences of the ends of all matches that start at or after the position `start`, up to `last`. If
    /// they are known for an earlier start after the last shown match, these are the same: no end of an earlier start had
    /// its best match there.
    fn rate_until(&mut self, start: usize, last: usize) {
        if last <= self.known_to {
            return;
        }
        // The matches of the next starts end a little later.
        self.known_to = self.last.min(last + (last - start));
        self.least.clear();
        let (searched, positions) = (&mut *self.searched, start..self.known_to);
        let rated = (self.starts.distance, StartsAt::Anywhere);
        searched.automata.for_each_end(&searched.line, positions, rated, |end| self.least.push(end));
    }

    /// Returns the best match after [`advance`](Self::advance) returned `true`.
    fn best(&self) -> &RankedStart {
        self.next.as_ref().expect("there is a match")
    }

    fn rank(&self) -> (usize, usize, usize, usize) {
        let RankedStart { start, difference, length, .. } = *self.best();
        (start, difference, length, self.searched.pattern)
    }
}
