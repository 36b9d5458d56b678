//! The shown matches of a line, without the matches of all hits.
//!
//! The rule is in DESIGN, "Shown matches". Distance by distance, each gap between shown matches is swept from its start.
//! A pass back from the ends of the hits in the gap finds the positions where a match with this distance may start. The
//! first of them begins the match with the best rank, unless each end that it reaches has a match with a smaller
//! difference between insertions and deletions, which then starts later. What is shown ends the sweep of this part of the
//! gap, and the rest is the next gap: a hit whose match would start before it has a later match now, or none.
//!
//! So a line of n symbols takes O(n k²) time for each distance if its matches are short, however many hits it has.

use std::ops::Range;

use super::compiled::{CompiledExpression, CompiledExpressions};
use super::differences::RatedEnd;
use super::line::{EncodedLine, MatchEnd};
use crate::pattern::PreferredLength;

/// The hits of an expression in a line.
pub(super) struct HitsInLine<'a> {
    pub(super) one: &'a CompiledExpression,
    pub(super) line: EncodedLine<'a>,
    /// The ends of the hits, ascending.
    pub(super) ends: Vec<MatchEnd>,
}

/// A shown match of the expression with the number `nth`.
#[derive(Debug, Clone)]
pub(super) struct ShownMatch {
    pub(super) nth: usize,
    pub(super) range: Range<usize>,
    pub(super) distance: usize,
}

/// A match that may be shown. The best has the least rank: start, difference, length, number of the expression.
struct RankedStart {
    start: usize,
    difference: usize,
    /// The length, or its complement if the longest is preferred.
    length: usize,
    end: usize,
}

/// The search for the matches of one expression with one distance in a gap.
struct GapSearch<'a> {
    compiled: &'a CompiledExpressions,
    hits: &'a HitsInLine<'a>,
    distance: usize,
    /// The ends in the gap, ascending.
    ends: Vec<usize>,
    /// The positions where a match may start, ascending.
    starts: Vec<usize>,
    /// The best match that starts at or after the end of the last shown one.
    next: Option<RankedStart>,
}

/// Returns the shown matches of a line with at most `max_distance` edits, ordered by start. `all` are the hits of all
/// expressions, whose edits have no costs or limits.
pub(super) fn shown_in_line(
    compiled: &CompiledExpressions,
    all: &[HitsInLine<'_>],
    max_distance: usize,
) -> Vec<ShownMatch> {
    let mut shown: Vec<ShownMatch> = Vec::new();
    let length = all.iter().map(|hits| hits.line.codes.len()).max().unwrap_or(0);
    let limit = all.iter().map(|hits| compiled.pattern(hits.one.index).0.k()).max().unwrap_or(0).min(max_distance);
    for distance in 0..=limit {
        let starts = shown.iter().map(|one| one.range.start).chain([length]);
        let ends = [0].into_iter().chain(shown.iter().map(|one| one.range.end));
        let gaps: Vec<Range<usize>> = ends.zip(starts).map(|(end, start)| end..start).collect();
        for gap in gaps.into_iter().filter(|gap| !gap.is_empty()) {
            sweep(compiled, all, (gap, distance), &mut shown);
        }
        shown.sort_unstable_by_key(|one| one.range.start);
    }
    shown
}

/// Appends the matches with a distance that are shown in a gap. All matches with fewer edits are shown.
fn sweep(
    compiled: &CompiledExpressions,
    all: &[HitsInLine<'_>],
    (gap, distance): (Range<usize>, usize),
    shown: &mut Vec<ShownMatch>,
) {
    let search = |hits| GapSearch::new(compiled, hits, &gap, distance);
    let mut searches: Vec<(usize, GapSearch<'_>)> =
        all.iter().enumerate().filter_map(|(nth, hits)| Some((nth, search(hits)?))).collect();
    let mut from = gap.start;
    loop {
        searches.retain_mut(|(_, search)| search.advance(from));
        let rank = |(nth, search): &&(usize, GapSearch<'_>)| {
            let RankedStart { start, difference, length, .. } = search.best();
            (*start, *difference, *length, *nth)
        };
        let Some((nth, best)) = searches.iter().min_by_key(rank) else { return };
        let RankedStart { start, end, .. } = *best.best();
        shown.push(ShownMatch { nth: *nth, range: start..end, distance });
        from = end;
    }
}

impl<'a> GapSearch<'a> {
    /// Returns `None` if no match with this distance lies in the gap.
    fn new(
        compiled: &'a CompiledExpressions,
        hits: &'a HitsInLine<'a>,
        gap: &Range<usize>,
        distance: usize,
    ) -> Option<Self> {
        let pattern = compiled.pattern(hits.one.index).0;
        if distance > pattern.k() {
            return None;
        }
        let first = hits.ends.partition_point(|end| end.position < gap.start + pattern.min_match_len().max(1));
        let last = hits.ends.partition_point(|end| end.position <= gap.end);
        let in_gap = hits.ends.get(first..last)?.iter().filter(|end| end.distance <= distance);
        let entered: Vec<MatchEnd> = in_gap.map(|end| MatchEnd { distance: pattern.k() - distance, ..*end }).collect();
        if entered.is_empty() {
            return None;
        }
        let line = hits.line.from(gap.start);
        let mut starts = Vec::new();
        compiled.backward(hits.one).scan(&line, &entered, &mut |start| {
            starts.push(start.position);
            true
        });
        starts.reverse();
        let ends = entered.iter().map(|end| end.position).collect();
        (!starts.is_empty()).then_some(GapSearch { compiled, hits, distance, ends, starts, next: None })
    }

    /// Moves on to the best match that starts at or after a position. Returns whether there is one.
    fn advance(&mut self, from: usize) -> bool {
        if self.next.as_ref().is_none_or(|next| next.start < from) {
            self.next = self.first_from(from);
        }
        self.next.is_some()
    }

    /// Returns the best match after [`advance`](Self::advance) returned `true`.
    fn best(&self) -> &RankedStart {
        self.next.as_ref().expect("there is a match")
    }

    /// Returns the best match that starts at or after a position.
    fn first_from(&self, from: usize) -> Option<RankedStart> {
        let starts = &self.starts[self.starts.partition_point(|&start| start < from)..];
        // The least difference of each end, over the starts that are left. Known up to some position.
        let (mut least, mut known_to) = (Vec::new(), 0);
        for start in starts {
            let reached = self.rated_ends(std::slice::from_ref(start), usize::MAX);
            let exact = reached.iter().filter(|end| end.difference == 0);
            if let Some(best) = self.best_of(*start, exact) {
                return Some(best);
            }
            let last = reached.last()?.position;
            if last > known_to {
                (least, known_to) = (self.rated_ends(starts, last), last);
            }
            let own = reached.iter().filter(|end| least.contains(end));
            if let Some(best) = self.best_of(*start, own) {
                return Some(best);
            }
        }
        None
    }

    /// Returns the ends of hits up to the position `until` that have a match with this distance from one of `starts`.
    fn rated_ends(&self, starts: &[usize], until: usize) -> Vec<RatedEnd> {
        let until = until.min(*self.ends.last().expect("there is a hit"));
        let mut ends = self.ends.iter().peekable();
        let mut rated = Vec::new();
        self.hits.one.simulation.rated_ends(&self.hits.line, (starts, until), self.distance, &mut |end| {
            while ends.next_if(|&&position| position < end.position).is_some() {}
            // A match covers at least one symbol.
            if ends.peek() == Some(&&end.position) && end.position > starts[0] {
                rated.push(end);
            }
        });
        rated
    }

    /// Returns the best match from `start` to one of `ends`.
    fn best_of<'e>(&self, start: usize, ends: impl Iterator<Item = &'e RatedEnd>) -> Option<RankedStart> {
        let expression = self.compiled.pattern(self.hits.one.index).1;
        let candidates = ends.map(|&RatedEnd { position, difference }| {
            let length = match expression.preferred_length() {
                PreferredLength::Longest => usize::MAX - (position - start),
                PreferredLength::Shortest => position - start,
            };
            RankedStart { start, difference, length, end: position }
        });
        candidates.min_by_key(|one| (one.difference, one.length))
    }
}
