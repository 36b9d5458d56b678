//! `--hits sites`: one match for each place of an exact group at the edge of a pattern, such as a PAM.
//!
//! A site is the place of that group. Of the matches of a pattern and strand whose group is at one place, the best is
//! selected: the one with the least distance, then the length nearest to the pattern's, then the first end. Other sites
//! may overlap it. A match that goes on beyond the group has an insertion beside the group, and is no match of the
//! site.
//!
//! Streaming: all matches of a site are known once all hits are known that end up to the longest match after its start.

use std::collections::HashSet;
use std::ops::Range;

use crate::alignment::{Cigar, Edit};
use crate::pattern::Pattern;
use crate::searcher::overlap::Verdict;

/// The edge of a pattern, in the direction of the text, at which an exact group makes sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteEdge {
    /// The start.
    Start,
    /// The end. It comes first if there are groups at both edges.
    End,
}

impl SiteEdge {
    /// Returns the edge of a pattern; `None` if it neither starts nor ends with an exact group.
    pub(super) fn of(pattern: &Pattern) -> Option<Self> {
        match pattern.exact() {
            [.., true] => Some(SiteEdge::End),
            [true, ..] => Some(SiteEdge::Start),
            _ => None,
        }
    }
}

/// A match that competes for a site.
pub(super) struct SiteMatch<'a> {
    pub(super) range: Range<u64>,
    pub(super) cigar: &'a Cigar,
}

/// Selects the matches of one pattern and strand in one line or record. Matches come in the order of their rank.
pub(super) struct SiteChooser {
    edge: SiteEdge,
    /// Position before which all matches that start there are known.
    frontier: u64,
    /// Length of the longest match, in the unit of positions.
    reach: u64,
    taken: HashSet<u64>,
}

impl SiteChooser {
    pub(super) fn new(edge: SiteEdge, frontier: u64, reach: u64) -> Self {
        SiteChooser { edge, frontier, reach, taken: HashSet::new() }
    }

    /// Decides about the next match in rank.
    pub(super) fn decide(&mut self, found: &SiteMatch<'_>) -> Verdict {
        let (site, earliest_start) = match self.edge {
            SiteEdge::Start => (found.range.start, found.range.start),
            SiteEdge::End => (found.range.end, found.range.end.saturating_sub(self.reach)),
        };
        let goes_on = matches!(found.cigar.runs().next_back(), Some((_, Edit::TextOnly)));
        match self.edge {
            SiteEdge::End if goes_on => Verdict::Hidden,
            _ if self.frontier != u64::MAX && earliest_start >= self.frontier => Verdict::Undecided,
            _ if self.taken.insert(site) => Verdict::Shown,
            _ => Verdict::Hidden,
        }
    }
}
