//! The selection of sites: one match for each place of an exact group at the edge of a pattern, such as a PAM.
//!
//! A site is the place of that group. Of the matches of a pattern and strand whose group is at one place, the best is
//! selected. Matches of other sites may overlap it. A match that goes on beyond the group has an insertion there, and
//! is no match of the site.
//!
//! If the group is at the end of matches, each hit is a site, and its alignment is the best match of the site. If the
//! group is at the start of matches, each start of a match is a site. [`StartAligner`] finds matches with this start;
//! the one with the last end is the best match of the site.
//!
//! Streaming: all matches of a site at a start are known once all hits are known that end within the length of the
//! longest match after that start.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::overlap::Verdict;
use crate::{StartAligner, StartMatch, StartPatterns};
use nigh_pattern::{Pattern, PatternSet, Strand};
use nigh_text::alignment::{Alignment, Cigar, Edit};
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;

/// The edge of a pattern, in the direction of the text, at which an exact group makes sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteEdge {
    /// The start.
    Start,
    /// The end.
    End,
}

impl SiteEdge {
    /// Returns the edge of a pattern; `None` if it neither starts nor ends with an exact group. If it does both, the
    /// group at its end counts, as the pattern was written.
    pub fn of(pattern: &Pattern) -> Option<Self> {
        match (pattern.exact(), pattern.strand()) {
            ([true, .., true], Strand::Reverse) => Some(SiteEdge::Start),
            ([.., true], _) => Some(SiteEdge::End),
            ([true, ..], _) => Some(SiteEdge::Start),
            _ => None,
        }
    }
}

/// Finds the matches of patterns whose sites are at the start of matches, by their starts.
pub struct SiteStarts {
    /// Aligns the hits of these patterns; `None` if there are no such patterns, or sites are not selected.
    aligner: Option<StartAligner>,
    /// Whether patterns match only near each other, so that an end of a match without a partner is no hit. Each batch
    /// then holds whole lines and records.
    is_near: bool,
    /// The ends and patterns of the hits of the batch so far, if `is_near`.
    hits: HashSet<(usize, usize)>,
}

/// Collects the patterns whose sites are at the start of matches; `None` if there are none.
pub fn patterns_with_site_starts(patterns: &Arc<PatternSet>) -> Option<Arc<StartPatterns>> {
    StartPatterns::new(patterns, |pattern| SiteEdge::of(pattern) == Some(SiteEdge::Start)).map(Arc::new)
}

impl SiteStarts {
    /// Makes an aligner for the patterns of [`patterns_with_site_starts`]; `None` if there are none, or sites are not
    /// selected.
    pub fn new(patterns: Option<Arc<StartPatterns>>) -> Self {
        let is_near = patterns.as_ref().is_some_and(|patterns| patterns.set().proximity().is_some());
        SiteStarts { aligner: patterns.map(StartAligner::new), is_near, hits: HashSet::new() }
    }

    /// Returns whether the matches of the pattern with the index `pattern` are found by their starts.
    pub fn has(&self, pattern: usize) -> bool {
        self.aligner.as_ref().is_some_and(|aligner| aligner.patterns().has(pattern))
    }

    /// Returns the matches of a hit of a pattern that [`has`](Self::has) selects, in the order of their starts from the
    /// last to the first. Calls must be in the order of the hits.
    pub fn matches(&mut self, batch: &Batch, hit: Hit) -> impl DoubleEndedIterator<Item = (Hit, Alignment)> {
        let (is_near, hits) = (self.is_near, &self.hits);
        let is_hit = |end: usize| !is_near || hits.contains(&(end, hit.pattern));
        let mut found = Vec::new();
        let aligner = self.aligner.as_mut().expect("the matches of the pattern are found by their starts");
        aligner.align(batch, hit, &is_hit, &mut found);
        if is_near {
            self.hits.insert((hit.end, hit.pattern));
        }
        found.into_iter().map(move |StartMatch { start, distance, cigar }| {
            (Hit { distance, start: Some(start), ..hit }, Alignment { start, end: hit.end, cigar })
        })
    }

    /// Forgets the hits of the batch.
    pub fn clear(&mut self) {
        self.hits.clear();
    }
}

/// A match that competes for a site.
pub struct SiteMatch<'a> {
    /// Index of the alternative of the pattern.
    pub pattern: usize,
    pub range: Range<u64>,
    pub cigar: &'a Cigar,
}

/// Selects the matches of one pattern and strand in one line or record. Matches come in the order of their rank.
pub struct SiteChooser {
    edge: SiteEdge,
    /// Frontier: all matches that start before this position are known.
    frontier: u64,
    /// Length of the longest match, in the unit of positions.
    reach: u64,
    /// If the group is at the start, the last end of the matches with each start and pattern.
    last: HashMap<(u64, usize), u64>,
    taken: HashSet<u64>,
}

impl SiteChooser {
    pub fn new(edge: SiteEdge, frontier: u64, reach: u64) -> Self {
        SiteChooser { edge, frontier, reach, last: HashMap::new(), taken: HashSet::new() }
    }

    /// Notes a match about which `decide` will be asked.
    pub fn note(&mut self, found: &SiteMatch<'_>) {
        if self.edge == SiteEdge::Start {
            let last = self.last.entry((found.range.start, found.pattern)).or_insert(found.range.end);
            *last = found.range.end.max(*last);
        }
    }

    /// Decides about the next match in rank. All matches must have been noted.
    pub fn decide(&mut self, found: &SiteMatch<'_>) -> Verdict {
        let (site, earliest_start, is_hidden) = match self.edge {
            SiteEdge::Start => {
                let start = found.range.start;
                let is_last = self.last.get(&(start, found.pattern)) == Some(&found.range.end);
                (start, start, !is_last || goes_on_before(found.cigar))
            }
            SiteEdge::End => (found.range.end, found.range.end.saturating_sub(self.reach), goes_on_after(found.cigar)),
        };
        if is_hidden {
            Verdict::Hidden
        } else if self.frontier != u64::MAX && earliest_start >= self.frontier {
            Verdict::Undecided
        } else if self.taken.insert(site) {
            Verdict::Shown
        } else {
            Verdict::Hidden
        }
    }
}

fn goes_on_before(cigar: &Cigar) -> bool {
    matches!(cigar.runs().next(), Some((_, Edit::TextOnly)))
}

fn goes_on_after(cigar: &Cigar) -> bool {
    matches!(cigar.runs().next_back(), Some((_, Edit::TextOnly)))
}
