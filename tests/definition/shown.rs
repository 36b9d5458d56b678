//! What is shown of the matches: hits, hits near each other, and matches that do not overlap.

use crate::matches::PlainMatch;

/// A match of one of several patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) pattern: usize,
    pub(crate) found: PlainMatch,
}

/// A pattern's matches.
pub(crate) struct PatternMatches {
    pub(crate) matches: Vec<PlainMatch>,
    /// Whether the shortest of equal matches is shown.
    pub(crate) is_lazy: bool,
    /// For each start, the end of the match without edits that Perl finds; empty if the longest is shown instead.
    pub(crate) first_ends: Vec<Option<usize>>,
}

impl PatternMatches {
    /// Returns the matches with the least distance of their end, for each end.
    fn at_ends(&self) -> Vec<Vec<PlainMatch>> {
        let last = self.matches.iter().map(|found| found.end).max().unwrap_or(0);
        let of_end = |end: usize| {
            let here = self.matches.iter().filter(move |found| found.end == end);
            let least = here.clone().map(|found| found.distance).min();
            here.filter(move |found| Some(found.distance) == least).copied().collect::<Vec<_>>()
        };
        (0..=last).map(of_end).filter(|matches| !matches.is_empty()).collect()
    }

    /// Returns the best match that ends at `end` and starts at `from` or later: with the least distance, then the least
    /// difference, then the leftmost.
    fn best(&self, end: usize, from: usize) -> Option<PlainMatch> {
        let here = self.matches.iter().filter(|found| found.end == end && found.start >= from);
        here.min_by_key(|found| (found.distance, found.difference, found.start)).copied()
    }

    /// Returns whether Perl's match without edits from the start of `found` on ends elsewhere.
    fn ends_elsewhere(&self, found: &PlainMatch) -> bool {
        let first = self.first_ends.get(found.start).copied().flatten();
        found.distance == 0 && first.is_some_and(|end| end != found.end)
    }

    /// Returns the match of each hit.
    pub(crate) fn hits(&self) -> Vec<PlainMatch> {
        self.at_ends().iter().filter_map(|matches| self.best(matches[0].end, 0)).collect()
    }

    /// Keeps the matches of hits that have a partner in `others`: a match that is the best at its end, does not overlap
    /// a match of the hit with its distance, and has at most `gap` symbols between them.
    pub(crate) fn near(&self, others: &PatternMatches, gap: usize) -> Vec<PlainMatch> {
        let partners: Vec<PlainMatch> = others.at_ends().concat();
        let are_near = |a: &PlainMatch, b: &PlainMatch| b.start >= a.end && b.start - a.end <= gap;
        let has_partner =
            |found: &PlainMatch| partners.iter().any(|partner| are_near(found, partner) || are_near(partner, found));
        let hits = self.at_ends().into_iter().filter(|matches| matches.iter().any(has_partner));
        hits.filter_map(|matches| self.best(matches[0].end, 0)).collect()
    }
}

/// Returns the matches that are shown of those of some patterns that compete: the best of `hits`, in the order of their
/// starts.
pub(crate) fn shown(patterns: &[PatternMatches], hits: Vec<Shown>) -> Vec<Shown> {
    let rank = |one: &Shown| {
        let length = (one.found.end - one.found.start) as isize;
        // Of lazy and other expressions, the lazy ones come first.
        let length = if patterns[one.pattern].is_lazy { (0, length) } else { (1, -length) };
        let difference = one.found.difference + u8::from(patterns[one.pattern].ends_elsewhere(&one.found));
        (one.found.distance, one.found.start, difference, length, one.pattern)
    };
    let mut waiting = hits;
    let mut chosen: Vec<Shown> = Vec::new();
    while let Some(nth) = (0..waiting.len()).min_by_key(|&nth| rank(&waiting[nth])) {
        let one = waiting.swap_remove(nth);
        let overlaps = |other: &&Shown| other.found.start < one.found.end && one.found.start < other.found.end;
        match chosen.iter().find(overlaps) {
            None => chosen.push(one),
            Some(other) => {
                let later = patterns[one.pattern].best(one.found.end, other.found.end);
                waiting.extend(later.map(|found| Shown { found, ..one }));
            }
        }
    }
    chosen.sort_by_key(|one| (one.found.start, one.found.end));
    chosen
}
