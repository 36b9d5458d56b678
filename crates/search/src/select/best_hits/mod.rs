//! `--hits best` and `--hits sites`: the first selects non-overlapping matches of each pattern and strand, best first,
//! and returns them in the order of hits: (end, pattern). The second applies the rule of [`sites`](nigh_verify::choice::sites)
//! to patterns with a site. If the site is at the start of matches, it finds the matches of the pattern by their starts.
//!
//! The rank of matches, the rule, its streaming form and its bound are in [`overlap`](nigh_verify::choice::overlap). A round
//! of decisions about n matches takes O(n log n) time, for sorting.
//!
//! A match may overlap matches in later batches. Matches that are undecided at the end of a batch are handed on to the
//! next batch, with their positions in the record, edits and text, so that no cut of the input shows in the output.

mod in_lines;
mod later;
mod ranked;

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use self::later::{FindLater, LaterMatches};
pub(crate) use self::ranked::{MatchedText, RankedMatch};
use super::outranked::{GroupedHit, OutrankedHits};
use super::positions::{Positions, end_of_owned, start_of_owned};
use super::spans::UndecidedLine;
use crate::ordered::handoff::HandoffSlot;
use nigh_pattern::{Pattern, PatternSet};
use nigh_report::HitSelection;
use nigh_text::alignment::Alignment;
use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::Hit;
use nigh_text::text::{MAX_SYMBOL_BYTES, next_symbol};
use nigh_verify::choice::overlap::{BestFirst, DisjointMatches, Rank, Verdict};
use nigh_verify::choice::sites::{SiteChooser, SiteEdge, SiteStarts};
use nigh_verify::{Aligner, EngineError, StartPatterns, excesses};

/// Number of matches collected for a round of decisions. A match takes about 150 bytes, so a round fits the
/// second-level cache.
const MATCHES_PER_ROUND: usize = 1 << 12;

/// Number of matches collected before the worker waits for the hand-off of the previous batch.
const MATCHES_BEFORE_WAIT: usize = 1 << 15;

/// Number of hits aligned at a time, which bounds the memory of alignments and of the rows made from them. One core of a
/// Zen 4 server, 4 million rows: 1.35 s with each of 128, 1,024, 4,096 and 16,384 hits.
pub(super) const HITS_PER_ALIGNMENT: usize = 1 << 10;

/// The state at the end of a batch, for the line or record that continues in the next one.
#[derive(Debug, Default)]
pub struct CarriedSelection {
    /// Undecided matches, and selected matches that must be printed after an undecided one, in the order (end,
    /// pattern).
    matches: Vec<RankedMatch>,
    /// The last selected matches, which may overlap later matches.
    shown: LastShown,
    /// The undecided matches of a line, for a report that selects among the matches of all patterns together.
    pub(super) line: UndecidedLine,
}

impl CarriedSelection {
    /// Makes the state for a report that selects among the matches of all patterns in a line together.
    pub(super) fn of_line(line: UndecidedLine) -> Self {
        CarriedSelection { line, ..CarriedSelection::default() }
    }
}

/// The current line or record.
#[derive(Debug, Clone, Copy)]
struct CurrentItem {
    /// Index of the line or record, as in `RankedMatch::item`.
    number: u32,
    /// Offset in the batch of the end of the line or record, or of the end of the batch if the line or record
    /// continues.
    end: usize,
    /// Whether the line or record continues in the next batch.
    open: bool,
}

/// Selects matches, one batch at a time.
pub(crate) struct BestHits<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    /// The length of the longest match, plus the number of symbols by which hits are reported late.
    reach: usize,
    /// The index of the group of each pattern. The alternatives of a pattern on one strand are a group.
    group_of: Vec<u32>,
    /// For each group, the edge of its sites; `None` if the best of overlapping matches are selected.
    site_edges: Vec<Option<SiteEdge>>,
    /// Aligns the hits of patterns whose sites are at the start of matches.
    starts: SiteStarts,
    /// Whether the hits of a regular expression in a line are selected together, without aligning each of them.
    joins_lines: bool,
    /// The end of the last hit for which the start of its line was looked for.
    looked_to: usize,
    /// Hits without an alignment yet.
    hits: Vec<Hit>,
    /// The hits of `hits` with their line or record, group and position; a buffer that is reused.
    placed: Vec<GroupedHit>,
    aligned: Vec<Alignment>,
    outranked: OutrankedHits,
    positions: Positions,
    item: Option<CurrentItem>,
    /// Whether the state of the previous batch has been received and merged.
    has_begun: bool,
    pending: CarriedSelection,
    /// Number of matches left undecided by the last round.
    still_undecided: usize,
}

impl<'a> BestHits<'a> {
    /// Makes a stage that selects the best match of each site, or of overlapping matches. `starts` are the patterns
    /// whose sites are at the start of matches, if sites are selected and there are such patterns.
    pub(crate) fn new(
        patterns: &'a PatternSet,
        aligner: Box<dyn Aligner + 'a>,
        selection: HitSelection,
        starts: Option<Arc<StartPatterns>>,
    ) -> Self {
        let (mut groups, mut site_edges) = (Vec::new(), Vec::new());
        let mut group_of = Vec::with_capacity(patterns.patterns().len());
        for pattern in patterns.patterns() {
            let group = (pattern.source(), pattern.strand());
            // The alternatives of a pattern on one strand are adjacent.
            if groups.last() != Some(&group) {
                groups.push(group);
                let has_sites = selection == HitSelection::Sites;
                site_edges.push(if has_sites { SiteEdge::of(pattern) } else { None });
            }
            group_of.push(groups.len() as u32 - 1);
        }
        BestHits {
            patterns,
            aligner,
            reach: patterns.max_match_len().saturating_add(patterns.lag()),
            group_of,
            site_edges,
            starts: SiteStarts::new(starts),
            joins_lines: patterns.has_expressions() && patterns.overhang().is_none(),
            looked_to: 0,
            hits: Vec::new(),
            placed: Vec::new(),
            aligned: Vec::new(),
            outranked: OutrankedHits::default(),
            positions: Positions::default(),
            item: None,
            has_begun: false,
            pending: CarriedSelection::default(),
            still_undecided: 0,
        }
    }

    /// Adds the next hits of a batch. Appends the matches that are selected by now to `chosen`, in the order (end,
    /// pattern). They may be matches of hits of earlier calls.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn take(
        &mut self,
        batch: &Batch,
        hits: &[Hit],
        slot: &HandoffSlot<'_, CarriedSelection>,
        chosen: &mut Vec<RankedMatch>,
    ) -> Result<(), EngineError> {
        for piece in hits.chunks(HITS_PER_ALIGNMENT) {
            self.hits.extend_from_slice(piece);
            if self.hits.len() >= HITS_PER_ALIGNMENT {
                self.align_complete(batch)?;
            }
            let round = if self.has_begun || slot.is_ready() { MATCHES_PER_ROUND } else { MATCHES_BEFORE_WAIT };
            if self.pending.matches.len() >= round.max(2 * self.still_undecided) {
                self.begin(batch, slot);
                let seen = self.pending.matches.last().map_or(0, |last| last.range.end);
                self.decide(batch, Some(self.frontier(batch, seen)), chosen)?;
            }
        }
        Ok(())
    }

    /// Ends a batch. Appends the remaining selected matches to `chosen`, and hands on the undecided ones. Returns a
    /// position in the line or record that continues: all matches that end at or before this position are decided and,
    /// if selected, appended.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn finish(
        &mut self,
        batch: &Batch,
        slot: &HandoffSlot<'_, CarriedSelection>,
        chosen: &mut Vec<RankedMatch>,
    ) -> Result<u64, EngineError> {
        self.align(batch)?;
        // Residues are counted before this batch waits for the previous one, so that the next batch does not wait for
        // the counting.
        let owned = start_of_owned(batch)..end_of_owned(batch);
        let mut is_handed_on = false;
        if !self.has_begun {
            self.decide_early(batch, &owned)?;
            is_handed_on = self.leaves_nothing(batch, &owned);
        }
        if is_handed_on {
            slot.hand_on(CarriedSelection::default());
        }
        self.begin(batch, slot);
        let is_open = self.item.is_some_and(|item| item.open);
        let last_frontier = self.frontier(batch, owned.end);
        self.decide(batch, is_open.then_some(last_frontier), chosen)?;
        let mut undecided = std::mem::take(&mut self.pending);
        let known_to =
            undecided.matches.first().map_or(last_frontier, |one| last_frontier.min(one.range.end.saturating_sub(1)));
        if is_handed_on {
            assert!(undecided.matches.is_empty(), "all matches are decided");
        } else {
            undecided.matches.iter_mut().for_each(|one| one.carry(self.patterns.alphabet(), batch));
            undecided.shown.item = 0;
            slot.hand_on(undecided);
        }
        (self.positions, self.item, self.has_begun, self.still_undecided) = (Positions::default(), None, false, 0);
        self.looked_to = 0;
        self.starts.clear();
        Ok(known_to)
    }

    /// Returns the frontier: the position before which all matches that start there are known, if all hits that end
    /// before the position `seen` are known.
    fn frontier(&self, batch: &Batch, seen: u64) -> u64 {
        seen.saturating_sub(self.reach(batch))
    }

    /// Returns the length of the longest match plus the delay of hits, in the unit of positions.
    fn reach(&self, batch: &Batch) -> u64 {
        let width = match batch.layout() {
            Layout::Lines(_) => MAX_SYMBOL_BYTES,
            Layout::Records(_) => 1,
        };
        (width * self.reach) as u64
    }

    /// Returns whether all matches of the batch are decided, and no match of an earlier batch can overlap one of a
    /// later batch, directly or through a chain of overlapping matches.
    fn leaves_nothing(&self, batch: &Batch, owned: &Range<u64>) -> bool {
        let is_crossed = continued_item(batch).is_some_and(|item| item.open);
        let is_long = owned.end.saturating_sub(owned.start) >= 2 * self.reach(batch);
        (!is_crossed || is_long) && self.pending.matches.iter().all(|one| one.is_shown)
    }

    /// Decides about the matches that no match of another batch can affect: by overlapping them, directly or through a
    /// chain of overlapping matches, or by having the same site. These decisions do not depend on the state of the
    /// previous batch, and the next batch does not depend on them. All matches of the batch must be collected.
    fn decide_early(&mut self, batch: &Batch, owned: &Range<u64>) -> Result<(), EngineError> {
        let reach = self.reach(batch);
        let frontier = self.frontier(batch, owned.end);
        let open_item = self.item.filter(|item| item.open).map(|item| item.number);
        let matches = std::mem::take(&mut self.pending.matches);
        let mut order: Vec<u64> =
            matches.iter().enumerate().map(|(index, one)| u64::from(one.group) << 32 | index as u64).collect();
        order.sort_unstable();
        let one = |ranked: &u64| &matches[*ranked as u32 as usize];
        let may_overlap = |before: &u64, after: &u64| {
            let (before, after) = (one(before), one(after));
            before.group == after.group && before.item == after.item && after.range.end - before.range.end < reach
        };
        let mut is_apart = vec![false; matches.len()];
        for cluster in order.chunk_by(may_overlap) {
            let (first, last) = (one(&cluster[0]), one(&cluster[cluster.len() - 1]));
            let is_begun = first.item == 0 && first.range.end < owned.start + reach;
            let is_open = open_item == Some(last.item) && last.range.end > frontier;
            if !is_begun && !is_open {
                cluster.iter().for_each(|&ranked| is_apart[ranked as u32 as usize] = true);
            }
        }
        let (mut apart, mut others) = (Vec::new(), Vec::new());
        for (one, is_apart) in matches.into_iter().zip(is_apart) {
            if is_apart { apart.push(one) } else { others.push(one) }
        }
        let rules = GroupRules { patterns: self.patterns.patterns(), site_edges: &self.site_edges, reach };
        let closed = OpenItem { item: u32::MAX, frontier: u64::MAX };
        let mut later = LaterMatches { patterns: self.patterns, aligner: self.aligner.as_mut(), batch };
        let verdicts = verdicts(&mut apart, &mut LastShown::default(), closed, rules, &mut later)?;
        let shown = apart.into_iter().zip(verdicts).filter(|(_, verdict)| *verdict == Verdict::Shown);
        let mut shown = shown.map(|(one, _)| RankedMatch { is_shown: true, ..one }).peekable();
        let place = |one: &RankedMatch| (one.item, one.range.end, one.hit.pattern);
        for other in others {
            while let Some(one) = shown.next_if(|one| place(one) < place(&other)) {
                self.pending.matches.push(one);
            }
            self.pending.matches.push(other);
        }
        self.pending.matches.extend(shown);
        Ok(())
    }

    /// Waits for the state of the previous batch and puts it before the matches of this batch. Does nothing if this was
    /// already done.
    fn begin(&mut self, batch: &Batch, slot: &HandoffSlot<'_, CarriedSelection>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        // A batch that does not begin inside a line or record does not depend on the previous batch, even if the input
        // of that batch could not be read to its end.
        let Some(item) = continued_item(batch) else { return };
        let before = slot.wait().unwrap_or_default();
        self.item = self.item.or(Some(item));
        let collected = std::mem::replace(&mut self.pending, before);
        self.pending.matches.extend(collected.matches);
    }

    /// Aligns the hits, except those of a line that may have more if the hits of a line are selected together.
    fn align_complete(&mut self, batch: &Batch) -> Result<(), EngineError> {
        if !self.joins_lines {
            return self.align(batch);
        }
        let complete = self.in_complete_lines(batch);
        if complete > 0 {
            let mut rest = self.hits.split_off(complete);
            self.align(batch)?;
            self.hits.append(&mut rest);
        }
        Ok(())
    }

    fn align(&mut self, batch: &Batch) -> Result<(), EngineError> {
        if self.hits.is_empty() {
            return Ok(());
        }
        let hits = std::mem::take(&mut self.hits);
        let mut placed = std::mem::take(&mut self.placed);
        placed.clear();
        placed.extend(hits.iter().map(|&hit| self.placed(batch, hit)));
        let first = self.pending.matches.len();
        let are_joined = self.joins_lines && self.select_in_lines(batch, &mut placed);
        self.outranked.remove(&mut placed, self.reach(batch));
        self.hits = hits;
        self.hits.clear();
        let by_end = placed.iter().filter(|one| !self.starts.has(one.hit.pattern));
        self.hits.extend(by_end.map(|one| one.hit));
        self.aligned.clear();
        self.aligner.align(batch, &self.hits, &mut self.aligned)?;
        let excesses = excesses(self.aligner.as_mut(), self.patterns, batch, (&self.hits, &self.aligned));
        let mut aligned = std::mem::take(&mut self.aligned).into_iter().zip(excesses);
        for one in &placed {
            if self.starts.has(one.hit.pattern) {
                self.align_starts(batch, one);
            } else {
                let (alignment, excess) = aligned.next().expect("one alignment per hit");
                let excess = excess as u32;
                self.pending.matches.push(RankedMatch { excess, ..self.ranked(batch, one, alignment) });
            }
        }
        self.hits.clear();
        self.placed = placed;
        if are_joined {
            self.pending.matches[first..].sort_by_key(|one| (one.item, one.range.end, one.hit.pattern));
        }
        Ok(())
    }

    /// Adds the matches of a hit of a pattern whose sites are at the start of matches.
    fn align_starts(&mut self, batch: &Batch, placed: &GroupedHit) {
        let found: Vec<_> = self.starts.matches(batch, placed.hit).collect();
        for (hit, alignment) in found {
            let ranked = self.ranked(batch, &GroupedHit { hit, ..*placed }, alignment);
            self.pending.matches.push(ranked);
        }
    }

    fn placed(&mut self, batch: &Batch, hit: Hit) -> GroupedHit {
        let group = self.group_of[hit.pattern];
        let (item, end) = (self.item_of(batch, hit.end), self.positions.after(batch, hit.end));
        let least = if self.site_edges[group as usize].is_none() { self.least_length(batch, hit, end) } else { 0 };
        GroupedHit { hit, item, group, end, least }
    }

    /// Returns the least length of the match of a hit, which ends at the position `end`; 0 if it is not known.
    fn least_length(&self, batch: &Batch, hit: Hit, end: u64) -> u64 {
        let pattern = &self.patterns.patterns()[hit.pattern];
        let Some(overhang) = self.patterns.overhang() else { return pattern.min_match_len() as u64 };
        if batch.lines().is_some() {
            return 0;
        }
        let item_end = self.item.map_or(hit.end, |item| item.end);
        let is_last = next_symbol(self.patterns.alphabet(), &batch.bytes()[..item_end], hit.end).is_none();
        let after = if is_last { pattern.max_symbols_after(overhang) } else { 0 };
        // A match that hangs over the start of a record has all residues before its end.
        (pattern.min_match_len().saturating_sub(after) as u64).min(end)
    }

    fn ranked(&self, batch: &Batch, placed: &GroupedHit, alignment: Alignment) -> RankedMatch {
        let &GroupedHit { hit, item, group, end, .. } = placed;
        let length = alignment.cigar.text_length();
        let covered = match batch.layout() {
            Layout::Lines(_) => alignment.end - alignment.start,
            Layout::Records(_) => length,
        };
        RankedMatch {
            hit,
            range: end - covered as u64..end,
            excess: self.patterns.patterns()[hit.pattern].excess(&alignment.cigar) as u32,
            cigar: alignment.cigar,
            text: MatchedText::InBatch(alignment.start..alignment.end),
            item,
            group,
            is_shown: false,
        }
    }

    /// Returns the index of the line or record that holds the last symbol before `end`, as in `RankedMatch::item`.
    fn item_of(&mut self, batch: &Batch, end: usize) -> u32 {
        let item = self.item.or_else(|| continued_item(batch));
        let item = match item {
            Some(item) if end <= item.end => item,
            item => item_at(batch, end, item.map_or(1, |item| item.number + 1)),
        };
        self.item = Some(item);
        item.number
    }

    /// Decides about the pending matches, and appends the selected ones before the first undecided match to `chosen`.
    /// Matches that start at or after the position `frontier` may still be unknown; if `frontier` is `None`, all
    /// matches are known.
    fn decide(
        &mut self,
        batch: &Batch,
        frontier: Option<u64>,
        chosen: &mut Vec<RankedMatch>,
    ) -> Result<(), EngineError> {
        let open_item = self.item.map_or(0, |item| item.number);
        let rules =
            GroupRules { patterns: self.patterns.patterns(), site_edges: &self.site_edges, reach: self.reach(batch) };
        let CarriedSelection { matches, shown, .. } = &mut self.pending;
        let open = OpenItem { item: open_item, frontier: frontier.unwrap_or(u64::MAX) };
        let mut later = LaterMatches { patterns: self.patterns, aligner: self.aligner.as_mut(), batch };
        let verdicts = verdicts(matches, shown, open, rules, &mut later)?;
        let first_undecided = verdicts.iter().position(|verdict| *verdict == Verdict::Undecided);
        let limit = first_undecided.map(|index| (matches[index].item, matches[index].range.end));
        let mut rest = Vec::new();
        for (mut one, verdict) in matches.drain(..).zip(verdicts) {
            one.is_shown = verdict == Verdict::Shown;
            match verdict {
                Verdict::Shown if limit.is_none_or(|limit| (one.item, one.range.end) < limit) => chosen.push(one),
                Verdict::Shown | Verdict::Undecided => rest.push(one),
                Verdict::Hidden => {}
            }
        }
        self.still_undecided = rest.len();
        *matches = rest;
        Ok(())
    }
}

/// The line or record whose matches are not all known, and the position from which on matches may still be unknown.
#[derive(Clone, Copy)]
struct OpenItem {
    item: u32,
    frontier: u64,
}

/// The rules by which the matches of all groups are selected.
#[derive(Clone, Copy)]
struct GroupRules<'a> {
    patterns: &'a [Pattern],
    /// For each group, the edge of its sites; `None` if the group has no sites.
    site_edges: &'a [Option<SiteEdge>],
    /// Length of the longest possible match, in the unit of positions.
    reach: u64,
}

/// Decides about each match. Sets `shown` to the selected matches of the open line or record that may overlap later
/// matches. Replaces matches that overlap a selected one by the matches that `later` finds.
///
/// # Errors
/// Errors of `later`.
fn verdicts(
    matches: &mut [RankedMatch],
    shown: &mut LastShown,
    open: OpenItem,
    rules: GroupRules<'_>,
    later: &mut dyn FindLater,
) -> Result<Vec<Verdict>, EngineError> {
    let known = |one: &RankedMatch| if one.is_shown { Verdict::Shown } else { Verdict::Hidden };
    let mut verdicts: Vec<Verdict> = matches.iter().map(known).collect();
    let rank = |one: &RankedMatch| Rank::new(rules.patterns, &one.hit, one.range.clone(), one.excess as usize);
    let mut next_shown = LastShown { item: open.item, ranges: Vec::new() };
    let mut first = 0;
    for in_item in matches.chunk_by_mut(|a, b| a.item == b.item) {
        let item = in_item[0].item;
        let frontier = if item == open.item { open.frontier } else { u64::MAX };
        let verdicts = &mut verdicts[first..first + in_item.len()];
        first += in_item.len();
        for group in by_group(in_item).chunk_by(|a, b| group_of(*a) == group_of(*b)) {
            let number = group_of(group[0]);
            let indices = || group.iter().map(|&number| index_of(number));
            if let Some(edge) = rules.site_edges[number as usize] {
                decide_sites(in_item, indices().collect(), SiteChooser::new(edge, frontier, rules.reach), verdicts);
                continue;
            }
            let mut in_group = shown.take(item, number);
            if let [only] = *group
                && in_group.is_empty()
            {
                let index = index_of(only);
                let is_known = in_item[index].range.end <= frontier;
                verdicts[index] = if is_known { Verdict::Shown } else { Verdict::Undecided };
                continue;
            }
            let mut selection = BestFirst::new(&mut in_group, frontier);
            let ranked: Vec<(Rank, usize)> = indices().map(|index| (rank(&in_item[index]), index)).collect();
            let replaced = |index: usize, from| {
                let is_found = later.replace(&mut in_item[index], from)?;
                Ok(is_found.then(|| (rank(&in_item[index]), index)))
            };
            selection.decide_all(ranked, replaced, |index, verdict| {
                verdicts[index] = verdict;
                Ok::<_, EngineError>(())
            })?;
            let frontier = selection.frontier();
            next_shown.ranges.extend(in_group.after(frontier).map(|range| (number, range)));
        }
    }
    if shown.item == open.item {
        let rest = shown.ranges.drain(..).filter(|(_, range)| range.end > open.frontier);
        next_shown.ranges.extend(rest);
        next_shown.ranges.sort_unstable_by_key(|(group, range)| (*group, range.start));
    }
    *shown = next_shown;
    Ok(verdicts)
}

/// Decides about the matches of a group with sites, whose indices in `matches` are `group`.
fn decide_sites(matches: &[RankedMatch], mut group: Vec<usize>, mut sites: SiteChooser, verdicts: &mut [Verdict]) {
    group.iter().for_each(|&index| sites.note(&matches[index].of_site()));
    group.sort_by_key(|&index| (matches[index].hit.distance, matches[index].excess));
    for index in group {
        verdicts[index] = sites.decide(&matches[index].of_site());
    }
}

/// Returns those of `matches` that are not selected yet, sorted by group. `matches` are of one line or record, in the
/// order (end, pattern). Each number packs the group and the index in `matches`.
fn by_group(matches: &[RankedMatch]) -> Vec<u64> {
    let undecided = matches.iter().enumerate().filter(|(_, one)| !one.is_shown);
    let mut numbers: Vec<u64> = undecided.map(|(index, one)| u64::from(one.group) << 32 | index as u64).collect();
    numbers.sort_unstable();
    numbers
}

fn group_of(number: u64) -> u32 {
    (number >> 32) as u32
}

fn index_of(number: u64) -> usize {
    number as u32 as usize
}

/// The last selected matches of one line or record, by group.
#[derive(Debug, Default)]
struct LastShown {
    item: u32,
    /// The group index and the range of each match, sorted by group index and start.
    ranges: Vec<(u32, Range<u64>)>,
}

impl LastShown {
    /// Removes the matches of `group` and returns them. Returns no matches if `item` is not the line or record of the
    /// stored matches.
    fn take(&mut self, item: u32, group: u32) -> DisjointMatches {
        let mut shown = DisjointMatches::default();
        if item == self.item {
            let start = self.ranges.partition_point(|(other, _)| *other < group);
            let end = self.ranges.partition_point(|(other, _)| *other <= group);
            self.ranges.drain(start..end).for_each(|(_, range)| shown.insert(range));
        }
        shown
    }
}

/// Returns the line or record of the last symbol before `end`, with the index `number`.
fn item_at(batch: &Batch, end: usize, number: u32) -> CurrentItem {
    match batch.layout() {
        Layout::Lines(lines) => {
            let line_end = memchr(lines.terminator, &batch.bytes()[end..]).map(|length| end + length);
            CurrentItem {
                number,
                end: line_end.unwrap_or(batch.bytes().len()),
                open: line_end.is_none() && !lines.closes,
            }
        }
        Layout::Records(segments) => {
            let segment = &segments[batch.segment_before(end)];
            CurrentItem { number, end: segment.bytes.end, open: !segment.closes }
        }
    }
}

/// Returns the line or record that was open at the end of the previous batch, with the index 0.
fn continued_item(batch: &Batch) -> Option<CurrentItem> {
    match batch.layout() {
        Layout::Lines(_) => {
            let start = batch.owned().start;
            (start > 0).then(|| item_at(batch, start, 0))
        }
        Layout::Records(segments) => {
            let segment = segments.first().filter(|segment| segment.continues)?;
            Some(CurrentItem { number: 0, end: segment.bytes.end, open: !segment.closes })
        }
    }
}

#[cfg(test)]
mod tests;
