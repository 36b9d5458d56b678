//! Best-first selection among the matches of an iterator.
//!
//! The rule, and why it can be applied to a stream of matches, are described in [`overlap`](super::overlap). Memory is
//! bounded by the longest chain of overlapping undecided matches.

use std::collections::{BTreeMap, VecDeque};

use super::matches::{Match, Matches};
use super::overlap::{BestFirst, Shown, Verdict};
use nigh_core::alphabet::{Alphabet, is_residue};
use nigh_core::text::MAX_SYMBOL_BYTES;

/// Number of matches collected for a round of decisions.
const MANY: usize = 1 << 10;

/// A pattern and the sign of its strand. Matches of different groups do not compete.
type CompetingGroup = (usize, u8);

/// An iterator over the matches that overlap no better one; see [`Matches::best`].
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("abc", 1)?;
/// let best: Vec<_> = searcher.find_iter(b"xabcx abd").best().map(|found| (found.range(), found.distance())).collect();
/// assert_eq!(best, [(1..4, 0), (6..9, 1)]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
pub struct Best<'s, 't> {
    matches: Matches<'s, 't>,
    /// Matches that are not decided, by group.
    pending: BTreeMap<CompetingGroup, Vec<Match<'t>>>,
    /// Number of matches in `pending`, and the number of matches that the last round left undecided.
    waiting: usize,
    left: usize,
    /// Ranges of chosen matches that may still hide later matches.
    shown: BTreeMap<CompetingGroup, Shown>,
    /// Matches that were chosen but not returned, since a match with a smaller end may still be chosen.
    chosen: Vec<Match<'t>>,
    /// Matches to be returned.
    ready: VecDeque<Match<'t>>,
    ended: bool,
}

impl<'s, 't> Matches<'s, 't> {
    /// Selects non-overlapping matches, best first.
    ///
    /// Matches are ranked by distance, then by the difference between their length and the pattern's, then by end. In
    /// the order of rank, a match is selected if it overlaps no match of the same pattern and strand that was selected
    /// before. The iterator returns the selected matches in the order of their ends.
    pub fn best(self) -> Best<'s, 't> {
        Best::new(self)
    }
}

impl<'s, 't> Best<'s, 't> {
    pub(super) fn new(matches: Matches<'s, 't>) -> Self {
        Best {
            matches,
            pending: BTreeMap::new(),
            waiting: 0,
            left: 0,
            shown: BTreeMap::new(),
            chosen: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// Collects matches for a round of decisions, and decides.
    fn fill(&mut self) {
        let mut last_end = 0;
        while self.waiting < MANY.max(2 * self.left) {
            let Some(one) = self.matches.next() else {
                self.ended = true;
                break;
            };
            last_end = one.end();
            self.pending.entry((one.pattern, one.strand.sign())).or_default().push(one);
            self.waiting += 1;
        }
        let frontier = if self.ended { u64::MAX } else { self.frontier(last_end) };
        self.judge(frontier);
    }

    /// Returns the frontier: if `last_end` is the end of the last known match, all unknown matches start at or after
    /// the frontier.
    fn frontier(&self, last_end: usize) -> u64 {
        let (text, max_match_len) = (self.matches.text(), self.matches.max_match_len());
        let start = match self.matches.alphabet() {
            Alphabet::Text | Alphabet::Bytes => last_end.saturating_sub(MAX_SYMBOL_BYTES * max_match_len),
            Alphabet::Dna | Alphabet::Protein => {
                let residues = text[..last_end].iter().enumerate().rev().filter(|(_, byte)| is_residue(**byte));
                residues.take(max_match_len).last().map_or(0, |(start, _)| start)
            }
        };
        start as u64
    }

    /// Decides about the pending matches, unless unknown matches may overlap them. All matches that start before
    /// `frontier` are known. Moves chosen matches to `ready` if no match with a smaller end is undecided.
    fn judge(&mut self, frontier: u64) {
        let mut decided = frontier;
        for (group, pending) in &mut self.pending {
            let shown = self.shown.entry(*group).or_default();
            let mut selection = BestFirst::new(shown, frontier);
            let mut matches = std::mem::take(pending);
            matches.sort_by_key(Match::rank);
            for one in matches {
                match selection.decide(one.start() as u64..one.end() as u64) {
                    Verdict::Shown => self.chosen.push(one),
                    Verdict::Undecided => pending.push(one),
                    Verdict::Hidden => {}
                }
            }
            let group_decided = selection.frontier();
            shown.forget_before(group_decided);
            decided = decided.min(group_decided);
        }
        self.waiting = self.pending.values().map(Vec::len).sum();
        self.left = self.waiting;
        let (mut ready, chosen) =
            std::mem::take(&mut self.chosen).into_iter().partition(|one| one.end() as u64 <= decided);
        self.chosen = chosen;
        sort_by_end(&mut ready);
        self.ready.extend(ready);
    }
}

/// Selects among all matches of a text, as [`Matches::best`] does.
pub(super) fn best_of(mut matches: Vec<Match<'_>>) -> Vec<Match<'_>> {
    let mut shown: BTreeMap<CompetingGroup, Shown> = BTreeMap::new();
    if matches.len() > 1 {
        matches.sort_by_key(Match::rank);
        matches.retain(|one| {
            let shown = shown.entry((one.pattern, one.strand.sign())).or_default();
            let verdict = BestFirst::new(shown, u64::MAX).decide(one.start() as u64..one.end() as u64);
            verdict == Verdict::Shown
        });
        sort_by_end(&mut matches);
    }
    matches
}

fn sort_by_end(matches: &mut [Match<'_>]) {
    matches.sort_by_key(|one| (one.end(), one.pattern, one.strand.sign()));
}

impl<'t> Iterator for Best<'_, 't> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        while self.ready.is_empty() && !self.ended {
            self.fill();
        }
        self.ready.pop_front()
    }
}
