//! Selection among the matches of an iterator: the best of those that overlap, or one for each site.
//!
//! The rules, and why they can be applied to a stream of matches, are described in [`overlap`](nigh_verify::choice::overlap) and
//! [`sites`](nigh_verify::choice::sites). Memory is bounded by the longest chain of overlapping undecided matches.

use std::borrow::BorrowMut;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::batch_hits::{BatchHits, Returned};
use super::matches::{Cache, Match, Matches, NO_DEVICE};
use nigh_pattern::{PatternSet, Strand};
use nigh_text::alphabet::{Alphabet, is_residue};
use nigh_text::text::MAX_SYMBOL_BYTES;
use nigh_verify::EngineError;
use nigh_verify::choice::overlap::{BestFirst, DisjointMatches, Verdict};
use nigh_verify::choice::sites::{SiteChooser, SiteEdge, SiteMatch};

/// Number of matches collected for a round of decisions.
const MANY: usize = 1 << 10;

/// A pattern and the sign of its strand. Matches of different groups do not compete.
type CompetingGroup = (usize, u8);

/// The matches that compete with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rivals {
    /// The matches of each pattern and strand.
    OfPattern,
    /// All matches.
    All,
}

/// The groups for which sites are selected, each with the edge of the pattern at which its sites are.
#[derive(Debug, Clone, Default)]
pub(super) struct Sites(BTreeMap<CompetingGroup, SiteEdge>);

impl Sites {
    /// The sites of all patterns that begin or end with an exact group.
    pub(super) fn of(patterns: &PatternSet) -> Self {
        let edges = patterns.patterns().iter().filter_map(|pattern| {
            let group = (pattern.source(), pattern.strand().sign());
            SiteEdge::of(pattern).map(|edge| (group, edge))
        });
        Sites(edges.collect())
    }
}

/// An iterator over selected matches; see [`Matches::best`] and [`Matches::sites`].
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("abc", 1)?;
/// let best: Vec<_> = searcher.find_iter(b"xabcx abd").best().map(|found| (found.range(), found.distance())).collect();
/// assert_eq!(best, [(1..4, 0), (6..9, 1)]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
pub struct Selected<'s, 't, C = Cache<'s>> {
    matches: Matches<'s, 't, C>,
    sites: Sites,
    rivals: Rivals,
    /// Matches that are not decided, by group.
    pending: BTreeMap<CompetingGroup, Vec<Match<'t>>>,
    /// Number of matches in `pending`. `left` is the number that the last round left undecided.
    waiting: usize,
    left: usize,
    /// Ranges of chosen matches that may still hide later matches.
    shown: BTreeMap<CompetingGroup, DisjointMatches>,
    /// Matches that were chosen but not returned, since a match with a smaller end may still be chosen.
    chosen: Vec<Match<'t>>,
    /// Matches to be returned.
    ready: VecDeque<Match<'t>>,
    ended: bool,
}

impl<'s, 't, C: BorrowMut<Cache<'s>>> Matches<'s, 't, C> {
    /// Selects non-overlapping matches, best first.
    ///
    /// Matches are ranked by distance, then by start, then by the difference between their length and the pattern's; of
    /// several, the longest comes first. In the order of rank, a match is selected if it overlaps no match of the same
    /// pattern and strand that was selected before. If it does, the best match with the same end that starts later takes
    /// its place, unless it has more than k edits. The iterator returns the selected matches in the order of their ends.
    pub fn best(self) -> Selected<'s, 't, C> {
        Selected::new(self.returning(Returned::Candidates), Sites::default(), Rivals::OfPattern)
    }

    /// Selects non-overlapping matches as [`best`](Self::best) does, but over all patterns and strands.
    pub(super) fn shown(self) -> Selected<'s, 't, C> {
        Selected::new(self.returning(Returned::Candidates), Sites::default(), Rivals::All)
    }

    /// Selects one match for each place of an exact group at the edge of a pattern, such as a PAM.
    ///
    /// A site is the place of the exact group at the end of a pattern or, if the pattern does not end with a group, at
    /// its start, on either strand. Of the matches of a pattern and strand with the group at one place, the best is
    /// selected, even if a better match with the group at another place overlaps it. A selected match has no edit
    /// between the group and the edge of the match. A pattern without such a group is searched as with
    /// [`best`](Self::best). The iterator returns the matches in the order of their ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let guide = Searcher::builder(Alphabet::Dna).pattern("GCGATCACCTGCCGATGCT<NGG>").max_edits(2).build()?;
    /// let text = b"TTGCGATCACTGCCGATGCTAGGTT";
    /// let sites: Vec<_> = guide.find_iter(text).sites().map(|m| (m.range(), m.cigar().to_string())).collect();
    /// assert_eq!(sites, [(2..23, "7=1I14=".to_owned())]);
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn sites(self) -> Selected<'s, 't, C> {
        let matches = self.returning(Returned::SiteCandidates);
        let sites = Sites::of(matches.patterns());
        Selected::new(matches, sites, Rivals::OfPattern)
    }
}

impl<'s, 't, C: BorrowMut<Cache<'s>>> Selected<'s, 't, C> {
    fn new(matches: Matches<'s, 't, C>, sites: Sites, rivals: Rivals) -> Self {
        Selected {
            matches,
            sites,
            rivals,
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
    fn fill(&mut self) -> Result<(), EngineError> {
        let mut last_end = 0;
        while self.waiting < MANY.max(2 * self.left) {
            let Some(one) = self.matches.try_next()? else {
                self.ended = true;
                break;
            };
            last_end = one.end();
            self.pending.entry(self.group(&one)).or_default().push(one);
            self.waiting += 1;
        }
        let frontier = if self.ended { u64::MAX } else { self.frontier(last_end) };
        self.judge(frontier)
    }

    /// Returns the next match; `None` at the end. In contrast to [`next`](Iterator::next), the failure of a device is an
    /// error.
    ///
    /// # Errors
    /// As for [`Matches::try_next`].
    pub fn try_next(&mut self) -> Result<Option<Match<'t>>, EngineError> {
        while self.ready.is_empty() && !self.ended {
            self.fill()?;
        }
        Ok(self.ready.pop_front())
    }

    /// Returns the group of a match.
    fn group(&self, one: &Match<'_>) -> CompetingGroup {
        match self.rivals {
            Rivals::OfPattern => (one.pattern, one.strand.sign()),
            Rivals::All => (0, Strand::Forward.sign()),
        }
    }

    /// Returns the frontier: if `last_end` is the end of the last known match, all unknown matches start at or after
    /// the frontier.
    fn frontier(&self, last_end: usize) -> u64 {
        let (text, patterns) = (self.matches.text(), self.matches.patterns());
        let max_match_len = patterns.max_match_len();
        let start = match patterns.alphabet() {
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
    fn judge(&mut self, frontier: u64) -> Result<(), EngineError> {
        let (mut decided, text) = (frontier, self.matches.text());
        for (group, pending) in &mut self.pending {
            if let Some(&edge) = self.sites.0.get(group) {
                let undecided = judge_sites(edge, std::mem::take(pending), frontier, &mut self.chosen);
                *pending = undecided;
                decided = pending.iter().map(|one| one.end() as u64 - 1).fold(decided, u64::min);
                continue;
            }
            let shown = self.shown.entry(*group).or_default();
            let mut selection = SelectionOfMatches { hits: self.matches.hits(), text, frontier };
            *pending = selection.decide(std::mem::take(pending), shown, &mut self.chosen)?;
            let group_decided = selection.frontier;
            shown.forget_before(group_decided);
            decided = decided.min(group_decided);
        }
        self.waiting = self.pending.values().map(Vec::len).sum();
        self.left = self.waiting;
        let (mut ready, chosen) =
            std::mem::take(&mut self.chosen).into_iter().partition(|one| one.end() as u64 <= decided);
        self.chosen = chosen;
        // A place whose best match has fewer edits is not reported, so this comes after the choice.
        let min_edits = self.matches.min_edits();
        ready.retain(|one: &Match<'_>| one.distance >= min_edits);
        sort_by_end(&mut ready);
        self.ready.extend(ready);
        Ok(())
    }
}

/// A selection among the matches of one group.
struct SelectionOfMatches<'h, 's, 't> {
    hits: &'h mut BatchHits<'s>,
    text: &'t [u8],
    /// The position before which all matches are known; after a decision, the one before which all are decided.
    frontier: u64,
}

impl<'t> SelectionOfMatches<'_, '_, 't> {
    /// Appends the selected matches to `chosen`, and returns the undecided ones.
    fn decide(
        &mut self,
        matches: Vec<Match<'t>>,
        shown: &mut DisjointMatches,
        chosen: &mut Vec<Match<'t>>,
    ) -> Result<Vec<Match<'t>>, EngineError> {
        let (patterns, text) = (self.hits.patterns(), self.text);
        let mut undecided = Vec::new();
        let mut selection = BestFirst::new(shown, self.frontier);
        let ranked = |one: Match<'t>| (one.rank(patterns), one);
        let later = |one: Match<'t>, from| {
            let later = one.later(self.hits, text, from as usize)?;
            Ok::<_, EngineError>(later.map(ranked))
        };
        selection.decide_all(matches.into_iter().map(ranked), later, |one, verdict| {
            if verdict == Verdict::Shown { &mut *chosen } else { &mut undecided }.push(one);
            Ok(())
        })?;
        self.frontier = selection.frontier();
        Ok(undecided)
    }
}

/// Decides about matches of one group whose sites are at an edge of the pattern. Appends the chosen ones to `chosen`, and
/// returns the undecided ones.
fn judge_sites<'t>(
    edge: SiteEdge,
    mut matches: Vec<Match<'t>>,
    frontier: u64,
    chosen: &mut Vec<Match<'t>>,
) -> Vec<Match<'t>> {
    // With a reach of 0, a site at the end of matches is decided only once it is before the frontier, which is later
    // than necessary.
    let mut chooser = SiteChooser::new(edge, frontier, 0);
    let mut undecided = Vec::new();
    matches.sort_by_key(|one| (one.distance, one.excess, one.end()));
    matches.iter().for_each(|one| chooser.note(&one.of_site()));
    for one in matches {
        match chooser.decide(&one.of_site()) {
            Verdict::Shown => chosen.push(one),
            Verdict::Undecided => undecided.push(one),
            Verdict::Hidden => {}
        }
    }
    undecided
}

impl Match<'_> {
    fn of_site(&self) -> SiteMatch<'_> {
        let range = self.start() as u64..self.end() as u64;
        SiteMatch { pattern: self.alternative, range, cigar: &self.cigar }
    }
}

/// Selects among all matches of `text`, as [`Matches::best`] and [`Matches::sites`] do.
///
/// # Errors
/// Errors of the aligner.
pub(super) fn selected<'t>(
    all: Vec<Match<'t>>,
    sites: &Sites,
    hits: &mut BatchHits<'_>,
    text: &'t [u8],
) -> Result<Vec<Match<'t>>, EngineError> {
    let mut groups: BTreeMap<CompetingGroup, Vec<Match<'t>>> = BTreeMap::new();
    for one in all {
        groups.entry((one.pattern, one.strand.sign())).or_default().push(one);
    }
    let mut matches = Vec::new();
    for (group, mut all) in groups {
        if let Some(&edge) = sites.0.get(&group) {
            judge_sites(edge, all, u64::MAX, &mut matches);
        } else if all.len() == 1 {
            matches.append(&mut all);
        } else {
            let mut selection = SelectionOfMatches { hits: &mut *hits, text, frontier: u64::MAX };
            selection.decide(all, &mut DisjointMatches::default(), &mut matches)?;
        }
    }
    sort_by_end(&mut matches);
    Ok(matches)
}

fn sort_by_end(matches: &mut [Match<'_>]) {
    // Sites at the start of matches may have the same end.
    matches.sort_by_key(|one| (one.end(), one.pattern, one.strand.sign(), Reverse(one.start())));
}

impl<'s, 't, C: BorrowMut<Cache<'s>>> Iterator for Selected<'s, 't, C> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        self.try_next().expect(NO_DEVICE)
    }
}
