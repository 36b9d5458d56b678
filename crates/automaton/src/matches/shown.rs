//! The shown matches of a line, without the matches of all hits.
//!
//! The rule is in DESIGN, "Shown matches". All matches end between the first hit of the line and the last one. A pass back
//! from the last hit finds the least number of edits of the matches that start at each position. With the least of these
//! numbers, d, the part is swept from its start: the first position where a match with d edits starts begins the match with
//! the best rank, unless each end that it reaches has a match with a smaller difference between insertions and deletions,
//! which then starts later. What is shown divides the part into gaps. All matches that lie in a gap have more than d edits.
//! If more are allowed, each gap is searched in the same way.
//!
//! All passes are those of deterministic automata, so a line of n symbols takes O(n k) looks into tables if its matches
//! are short, however many hits it has.

use std::ops::Range;

use smallvec::SmallVec;

use super::match_automata::{MatchAutomata, RatedEnd};
use crate::line::EncodedLine;
use crate::simulation::costs::StartsAt;
use nigh_pattern::PreferredLength;

/// A line, and the pattern to search for in it.
pub(crate) struct SearchedLine<'s, 'a> {
    /// The line. All matches lie between its first and its last position.
    pub(crate) line: EncodedLine<'s>,
    /// The last position of a match that Perl finds, which may not count.
    last_of_perl: usize,
    /// The ends of the matches that count, ascending; `None` if all matches count.
    pub(crate) ends: Option<Vec<usize>>,
    pub(crate) automata: Box<MatchAutomata<'a>>,
    /// The positions where the matches with the least distance in a gap start, descending.
    starts: SmallVec<[usize; 16]>,
    /// The ends of the matches that start at one position.
    one_start: SmallVec<[RatedEnd; 8]>,
}

/// A shown match.
#[derive(Debug, Clone)]
pub(crate) struct ShownMatch {
    /// The index of its pattern among the searched ones.
    pub(crate) nth: usize,
    pub(crate) range: Range<usize>,
    pub(crate) distance: usize,
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
    /// The index of its pattern among the searched ones.
    nth: usize,
    /// The least distance of the matches.
    distance: usize,
    /// The last position of a match.
    last: usize,
    /// The ends up to the position `known_to` of the matches that start after the last shown one.
    least: Vec<RatedEnd>,
    known_to: usize,
    /// The best match that starts at or after the end of the last shown one.
    next: Option<RankedStart>,
}

impl<'s, 'a> SearchedLine<'s, 'a> {
    /// Makes the part of a line in which matches end at the positions `outermost` or between them. `ends` are the ends of
    /// the matches that count; `None` if all do.
    pub(crate) fn new(
        mut line: EncodedLine<'s>,
        (first, last): (usize, usize),
        ends: Option<Vec<usize>>,
        automata: Box<MatchAutomata<'a>>,
    ) -> Self {
        let last_of_perl = line.last;
        line.first = line.first.max(first.saturating_sub(automata.facts.max_length));
        line.last = last;
        SearchedLine { line, last_of_perl, ends, automata, starts: SmallVec::new(), one_start: SmallVec::new() }
    }

    /// Finds the starts of the matches in a gap with the least distance, which is at most `max_distance`. Returns this
    /// distance; `None` if there are no matches.
    fn find_starts(&mut self, gap: &Range<usize>, max_distance: usize) -> Option<usize> {
        let (mut least, mut first) = (max_distance, gap.end);
        self.starts.clear();
        self.automata.for_each_start(&self.line, gap.clone(), self.ends.as_deref(), |position, distance| {
            first = position;
            if distance < least {
                least = distance;
                self.starts.clear();
            }
            if distance == least {
                self.starts.push(position);
            }
        });
        if gap.start == self.line.first && gap.end == self.line.last {
            self.line.first = first;
        }
        (!self.starts.is_empty()).then_some(least)
    }

    /// Finds the ends of the matches with `distance` edits that start at the first position of a range.
    fn find_ends(&mut self, range: Range<usize>, distance: usize) {
        let counts = |end: &RatedEnd| self.ends.as_ref().is_none_or(|all| all.binary_search(&end.position).is_ok());
        self.one_start.clear();
        self.automata.for_each_end(&self.line, range, (distance, StartsAt::First), |end| {
            self.one_start.extend(Some(end).filter(counts));
        });
    }

    /// Returns the length of a match, or its complement if the longest is preferred.
    fn rank_of_length(&self, length: usize) -> usize {
        match self.automata.facts.preferred_length {
            PreferredLength::Longest => usize::MAX - length,
            PreferredLength::Shortest => length,
        }
    }
}

/// Returns the shown matches of a line with at most `max_distance` edits, ordered by start.
pub(crate) fn shown_in_line(searched: &mut [SearchedLine<'_, '_>], max_distance: usize) -> SmallVec<[ShownMatch; 4]> {
    let length = searched.iter().map(|one| one.line.last).max().unwrap_or(0);
    let most = searched.iter().map(|one| one.automata.facts.max_distance).max().unwrap_or(0).min(max_distance);
    let mut shown: SmallVec<[ShownMatch; 4]> = SmallVec::new();
    let mut gaps: SmallVec<[Range<usize>; 8]> = SmallVec::new();
    gaps.push(0..length);
    while let Some(gap) = gaps.pop() {
        let before = shown.len();
        sweep(searched, &gap, most, &mut shown);
        let new = &shown[before..];
        // The matches in the new gaps have more edits.
        if new.first().is_some_and(|one| one.distance < most) {
            let starts = new.iter().map(|one| one.range.start).chain([gap.end]);
            let ends = [gap.start].into_iter().chain(new.iter().map(|one| one.range.end));
            gaps.extend(ends.zip(starts).map(|(end, start)| end..start));
        }
    }
    shown.sort_unstable_by_key(|one| one.range.start);
    shown
}

/// Appends the shown matches in a gap that have the least distance of all matches in the gap.
fn sweep(
    searched: &mut [SearchedLine<'_, '_>],
    gap: &Range<usize>,
    max_distance: usize,
    shown: &mut SmallVec<[ShownMatch; 4]>,
) {
    let all = searched.iter_mut().enumerate();
    let mut searches: SmallVec<[GapSearch<'_, '_, '_>; 1]> =
        all.filter_map(|(nth, one)| GapSearch::new((nth, one), gap, max_distance)).collect();
    let Some(distance) = searches.iter().map(|search| search.distance).min() else { return };
    searches.retain(|search| search.distance == distance);
    let mut from = gap.start;
    loop {
        searches.retain_mut(|search| search.advance(from));
        let Some(best) = searches.iter().min_by_key(|search| search.rank()) else { return };
        let RankedStart { start, end, .. } = *best.best();
        shown.push(ShownMatch { nth: best.nth, range: start..end, distance });
        from = end;
    }
}

impl<'l, 's, 'a> GapSearch<'l, 's, 'a> {
    /// Returns `None` if no match with at most `max_distance` edits lies in the gap.
    fn new(
        (nth, searched): (usize, &'l mut SearchedLine<'s, 'a>),
        gap: &Range<usize>,
        max_distance: usize,
    ) -> Option<Self> {
        let gap = gap.start.max(searched.line.first)..gap.end.min(searched.line.last);
        let is_long_enough = gap.len() >= searched.automata.facts.min_length.max(1);
        let distance = is_long_enough.then(|| searched.find_starts(&gap, max_distance))??;
        Some(GapSearch { searched, nth, distance, last: gap.end, least: Vec::new(), known_to: 0, next: None })
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
        while let Some(start) = self.searched.starts.pop() {
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
        self.searched.find_ends(start..self.last, self.distance);
        let ends = &self.searched.one_start;
        if ends.iter().all(|end| end.difference > 0) {
            let last = ends.last()?.position;
            self.rate_until(start, last);
            let (ends, least) = (&mut self.searched.one_start, &self.least);
            ends.retain(|end| {
                least.binary_search_by_key(&end.position, |least| least.position).is_ok_and(|at| least[at] == *end)
            });
        }
        let end_of_perl = self.end_of_perl(start);
        let ranked = self.searched.one_start.iter().map(|&RatedEnd { position: end, difference }| {
            let length = self.searched.rank_of_length(end - start);
            let difference = difference + usize::from(end_of_perl.is_some_and(|of_perl| of_perl != end));
            RankedStart { start, difference, length, end }
        });
        ranked.min_by_key(|one| (one.difference, one.length))
    }

    /// Returns the end of the match that Perl finds from a position on, if the matches in the gap have no edits and the
    /// expression ends as in Perl. The other matches come after it, as those with a greater difference do.
    fn end_of_perl(&self, start: usize) -> Option<usize> {
        let &SearchedLine { ref line, last_of_perl, ref automata, .. } = &*self.searched;
        let ends_as_in_perl = self.distance == 0 && automata.facts.ends_as_in_perl;
        ends_as_in_perl.then(|| automata.first_end(line, start..last_of_perl)).flatten()
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
        let rated = (self.distance, StartsAt::Anywhere);
        searched.automata.for_each_end(&searched.line, positions, rated, |end| self.least.push(end));
    }

    /// Returns the best match after [`advance`](Self::advance) returned `true`.
    fn best(&self) -> &RankedStart {
        self.next.as_ref().expect("there is a match")
    }

    fn rank(&self) -> (usize, usize, usize, usize) {
        let RankedStart { start, difference, length, .. } = *self.best();
        (start, difference, length, self.searched.automata.facts.pattern)
    }
}
