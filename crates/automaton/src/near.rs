//! Matches that count only near a match of another pattern (`--near`).
//!
//! Two hits are partners if a match of one, with its distance, starts at most the gap after the end of the other. So a
//! group's ends are ranges of starts for the other group. Hits with a match from these ranges count, and the starts of
//! these matches tell which hits before them count. Hits that end too far behind the other group are left out.
//!
//! The starts of a string are computed hit by hit, in O(k m) time each, those of an expression by two passes over the
//! line for all its hits. Ends and starts are sorted, so n hits take O(n log n) time besides. A hit is decided as soon
//! as all its possible partners are known. So memory is bounded by the hits within the gap and a few match lengths.
//!
//! A batch must hold whole lines. If a record was cut, a hit near the end of a batch is left to the next batch. That
//! batch sees all possible partners of the hit, and has enough context to find the hit again.

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use memchr::memrchr;

use crate::{AutomatonFinder, FoundStarts, StartFinder, StartsQuery};
use nigh_pattern::{PatternSet, Proximity, ProximityGroup};
use nigh_text::alphabet::{Alphabet, count_residues};
use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::symbols;
use nigh_text::text_item::start_of_residue;
use nigh_verify::distance::match_lengths;
use nigh_verify::refine::Refiner;
use nigh_verify::{Aligner, EngineError, WantedHits};

/// The number of hits that are collected before a round of decisions.
const HITS_PER_ROUND: usize = 1 << 12;

/// The hits of patterns that match only near each other.
pub struct Near {
    patterns: Arc<PatternSet>,
    proximity: Proximity,
    /// The regular expressions among the patterns.
    expressions: Option<AutomatonPart>,
}

/// Some patterns of a set, which are regular expressions, and their automata.
#[derive(Clone)]
pub struct AutomatonPart {
    pub automata: Arc<AutomatonFinder>,
    /// For each pattern of the automata, its index in the set; ascending.
    pub indices: Vec<usize>,
}

impl Near {
    pub fn new(patterns: Arc<PatternSet>, proximity: Proximity, expressions: Option<AutomatonPart>) -> Self {
        Near { patterns, proximity, expressions }
    }

    /// Returns a description for display.
    pub fn description(&self) -> String {
        format!("--near: hits are kept only if a hit of the other group is at most {} symbols away", self.proximity.gap)
    }

    /// Makes a refiner. `aligner` aligns the hits before.
    pub fn refiner<'a>(&'a self, aligner: Box<dyn Aligner + 'a>) -> NearRefiner<'a> {
        let expressions = self.expressions.as_ref();
        let expressions = expressions.map(|part| (part.automata.start_finder(), &*part.indices));
        NearRefiner {
            near: self,
            finder: MatchFinder { patterns: &self.patterns, aligner, expressions },
            decided: 0..usize::MAX,
            cursor: ItemCursor::default(),
            known: Vec::new(),
            delivered: 0,
            round: HITS_PER_ROUND,
            kept: Vec::new(),
        }
    }
}

/// A batch that begins or ends inside a record, with its context as part of the owned range.
pub struct CutBatch<'b> {
    pub batch: Batch<'b>,
    /// The ends of the hits that this batch decides about: those after the start of the range, up to its end.
    pub decided: Range<usize>,
}

impl<'b> CutBatch<'b> {
    /// Makes a batch that owns the context too; returns `None` if the lines or records are whole. A hit is decided once
    /// `lag` symbols after it are known, or the end of its record.
    fn of(batch: &'b Batch<'b>, lag: usize) -> Option<Self> {
        let (Layout::Records(segments), owned) = (batch.layout(), batch.owned()) else { return None };
        let (first, last) = (segments.first()?, segments.last()?);
        let bytes = batch.bytes();
        let begins_inside = first.continues && owned.start > first.bytes.start;
        if !begins_inside && last.closes {
            return None;
        }
        let start = if begins_inside { first.bytes.start } else { owned.start };
        let before = if begins_inside { start_of_residue(bytes, first.bytes.start..owned.start, lag) } else { 0 };
        let until = match last.closes {
            true => usize::MAX,
            false => start_of_residue(bytes, last.bytes.start..owned.end.max(last.bytes.start), lag),
        };
        let widened = Batch::new(bytes, 0..bytes.len(), start..owned.end, Layout::Records(segments.clone()));
        Some(CutBatch { batch: widened, decided: before..until })
    }
}

/// A hit and its place in its line or record.
#[derive(Clone, Copy)]
struct PlacedHit {
    hit: Hit,
    /// The number of symbols of the line or record before the end of the hit.
    end: u64,
    group: Option<ProximityGroup>,
}

/// Keeps the hits with a partner.
pub struct NearRefiner<'a> {
    near: &'a Near,
    finder: MatchFinder<'a>,
    /// The ends of the hits to keep: those after the start of the range, up to its end.
    pub decided: Range<usize>,
    cursor: ItemCursor,
    /// Hits of the current line or record, in the order (end, pattern). First come the delivered or dropped hits that
    /// may be partners of later ones, then the undecided hits.
    known: Vec<PlacedHit>,
    /// The number of hits in `known` that were delivered or dropped.
    delivered: usize,
    /// The length of `known` at which hits are decided before the line or record ends.
    round: usize,
    /// The hits to pass on.
    kept: Vec<Hit>,
}

impl Refiner for NearRefiner<'_> {
    fn begin(&mut self, _: &Batch, _: WantedHits) {
        self.cursor = ItemCursor::default();
        self.known.clear();
        (self.delivered, self.round) = (0, HITS_PER_ROUND);
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        self.kept.clear();
        for &hit in &*hits {
            interrupt::check();
            if self.cursor.is_past(batch, hit.end) {
                self.end_item(batch)?;
            }
            let end = self.cursor.advance(self.near.patterns.alphabet(), batch, hit.end);
            if self.known.len() >= self.round && self.known.last().is_some_and(|last| last.end < end) {
                self.end_round(batch, end)?;
            }
            self.add(PlacedHit { hit, end, group: self.group(&hit) });
        }
        if until == usize::MAX {
            self.end_item(batch)?;
        }
        std::mem::swap(hits, &mut self.kept);
        Ok(())
    }
}

impl NearRefiner<'_> {
    /// Returns the batch that must be searched for the hits of a batch; `None` if it is the batch itself.
    pub fn widened<'b>(&self, batch: &'b Batch<'b>) -> Option<CutBatch<'b>> {
        CutBatch::of(batch, self.near.patterns.lag())
    }

    /// Adds a hit, unless another alternative of its pattern has a hit there with a smaller distance. Removes the hits
    /// of other alternatives with a greater distance. Matches with these distances are no matches of the pattern's hit.
    fn add(&mut self, placed: PlacedHit) {
        let pattern = |hit: Hit| &self.near.patterns.patterns()[hit.pattern];
        let competing = |other: &PlacedHit| {
            let (own, other_pattern) = (pattern(placed.hit), pattern(other.hit));
            other.end == placed.end && (own.source(), own.strand()) == (other_pattern.source(), other_pattern.strand())
        };
        while let Some(last) = self.known.last().filter(|last| competing(last)) {
            match last.hit.distance.cmp(&placed.hit.distance) {
                Ordering::Less => return,
                Ordering::Equal => break,
                Ordering::Greater => self.known.pop(),
            };
        }
        self.known.push(placed);
    }

    fn group(&self, hit: &Hit) -> Option<ProximityGroup> {
        self.near.proximity.group(self.near.patterns.patterns()[hit.pattern].source())
    }

    /// Returns the least number of symbols before the start of a match of a hit.
    fn first_start(&self, placed: &PlacedHit) -> u64 {
        placed.end.saturating_sub(self.near.patterns.patterns()[placed.hit.pattern].max_match_len() as u64)
    }

    /// Decides about all remaining hits of the current line or record, at its end.
    fn end_item(&mut self, batch: &Batch) -> Result<(), EngineError> {
        let counts = self.counts(batch)?;
        let rest = self.known.iter().zip(counts).skip(self.delivered);
        let kept: Vec<Hit> = rest.filter(|(_, counts)| *counts).map(|(placed, _)| placed.hit).collect();
        self.known.clear();
        (self.delivered, self.round) = (0, HITS_PER_ROUND);
        self.keep(&kept);
        Ok(())
    }

    /// Decides about the hits whose possible partners are all known. The known hits include all that end before the
    /// symbol `seen` of the line or record.
    fn end_round(&mut self, batch: &Batch, seen: u64) -> Result<(), EngineError> {
        let counts = self.counts(batch)?;
        let longest = self.near.patterns.max_match_len() as u64;
        // An unknown hit ends at or after `seen`, so its matches start at `first_start` or later.
        let first_start = seen.saturating_sub(longest);
        let is_open = |(placed, &counts): (&PlacedHit, &bool)| {
            !counts && placed.end.saturating_add(self.near.proximity.gap) >= first_start
        };
        let mut rest = self.known.iter().zip(&counts).skip(self.delivered);
        let open = rest.position(is_open).map_or(self.known.len(), |nth| self.delivered + nth);
        let kept = self.known[..open].iter().zip(&counts).skip(self.delivered).filter(|(_, counts)| **counts);
        let kept: Vec<Hit> = kept.map(|(placed, _)| placed.hit).collect();
        // A hit that ends before `reach` cannot be a partner of an undecided or unknown hit.
        let undecided = self.known[open..].iter().map(|placed| self.first_start(placed));
        let reach = undecided.fold(first_start, u64::min).saturating_sub(self.near.proximity.gap);
        let mut index = 0;
        self.known.retain(|placed| {
            index += 1;
            index > open || (placed.group.is_some() && placed.end >= reach)
        });
        self.delivered = self.known.len() - (index - open);
        self.round = HITS_PER_ROUND.max(2 * self.known.len());
        self.keep(&kept);
        Ok(())
    }

    /// Returns for each known hit whether it counts: it has a partner among the known hits, or needs none.
    fn counts(&mut self, batch: &Batch) -> Result<Vec<bool>, EngineError> {
        let mut counts: Vec<bool> = self.known.iter().map(|placed| placed.group.is_none()).collect();
        for group in [ProximityGroup::First, ProximityGroup::Second] {
            self.find_pairs(batch, group, &mut counts)?;
        }
        Ok(counts)
    }

    /// Marks the hits of the group `later` with a partner before them, and these partners.
    fn find_pairs(&mut self, batch: &Batch, later: ProximityGroup, counts: &mut [bool]) -> Result<(), EngineError> {
        let is_earlier = |placed: &PlacedHit| placed.group.is_some_and(|group| group != later);
        let ends = self.known.iter().filter(|placed| is_earlier(placed)).map(|placed| placed.end);
        let ranges = ranges_after(ends, self.near.proximity.gap);
        let is_within_reach = |placed: &PlacedHit| {
            let first_start = self.first_start(placed);
            let nth = ranges.partition_point(|range| range.end <= first_start);
            ranges.get(nth).is_some_and(|range| range.start < placed.end)
        };
        let is_asked = |placed: &PlacedHit| placed.group == Some(later) && is_within_reach(placed);
        let asked: Vec<usize> = (0..self.known.len()).filter(|&index| is_asked(&self.known[index])).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let placed: Vec<PlacedHit> = asked.iter().map(|&index| self.known[index]).collect();
        let FoundStarts { are_from, mut starts } = self.finder.find(batch, &placed, &ranges)?;
        asked.iter().zip(are_from).for_each(|(&index, is_from)| counts[index] |= is_from);
        starts.sort_unstable();
        for (placed, counts) in self.known.iter().zip(counts).filter(|(placed, _)| is_earlier(placed)) {
            *counts |= any_in(&starts, placed.end..=placed.end.saturating_add(self.near.proximity.gap));
        }
        Ok(())
    }

    fn keep(&mut self, hits: &[Hit]) {
        let Range { start, end } = self.decided;
        self.kept.extend(hits.iter().filter(|hit| start < hit.end && hit.end <= end));
    }
}

/// Finds the starts of the matches of hits of any pattern.
struct MatchFinder<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    /// The finder for regular expressions, and for each of its patterns the index in the set.
    expressions: Option<(StartFinder<'a>, &'a [usize])>,
}

impl MatchFinder<'_> {
    /// Finds the matches of the hits of a line or record that start in one of the ranges `starts`.
    fn find(&mut self, batch: &Batch, placed: &[PlacedHit], starts: &[Range<u64>]) -> Result<FoundStarts, EngineError> {
        let mut found = FoundStarts { are_from: vec![false; placed.len()], starts: Vec::new() };
        let mut of_expressions = Vec::new();
        for (at, PlacedHit { hit, end, .. }) in placed.iter().enumerate() {
            if self.patterns.patterns()[hit.pattern].expression().is_some() {
                of_expressions.push(at);
                continue;
            }
            let before = found.starts.len();
            let lengths = self.lengths(batch, *hit)?;
            found
                .starts
                .extend(lengths.into_iter().map(|length| end - length as u64).filter(|start| contain(starts, *start)));
            found.are_from[at] = found.starts.len() > before;
        }
        if let Some((finder, indices)) = &mut self.expressions {
            let in_part = |&at: &usize| {
                let hit = placed[at].hit;
                let pattern = indices.binary_search(&hit.pattern).expect("the pattern is an expression");
                Hit { pattern, ..hit }
            };
            let hits: Vec<Hit> = of_expressions.iter().map(in_part).collect();
            let ends: Vec<u64> = of_expressions.iter().map(|&at| placed[at].end).collect();
            let of_these = finder.find(StartsQuery { batch, hits: &hits, ends: &ends, starts });
            of_expressions.iter().zip(of_these.are_from).for_each(|(&at, is_from)| found.are_from[at] = is_from);
            found.starts.extend(of_these.starts);
        }
        Ok(found)
    }

    /// Returns the number of symbols of each match of a string that has the distance of a hit.
    fn lengths(&mut self, batch: &Batch, hit: Hit) -> Result<Vec<usize>, EngineError> {
        let lengths = match_lengths(self.patterns.alphabet(), batch, &self.patterns.patterns()[hit.pattern], hit);
        if !lengths.is_empty() {
            return Ok(lengths);
        }
        // Only matches with an overhang have this distance.
        let mut aligned = Vec::new();
        self.aligner.align(batch, &[hit], &mut aligned)?;
        Ok(aligned.iter().map(|alignment| alignment.cigar.text_length()).collect())
    }
}

/// Returns the ranges of the positions at most `gap` after one of `ends`, which ascend.
fn ranges_after(ends: impl Iterator<Item = u64>, gap: u64) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for end in ends {
        let after = end.saturating_add(gap).saturating_add(1);
        match ranges.last_mut() {
            Some(last) if last.end >= end => last.end = after,
            _ => ranges.push(end..after),
        }
    }
    ranges
}

/// Returns whether one of the ascending `ranges` contains a position.
fn contain(ranges: &[Range<u64>], position: u64) -> bool {
    let nth = ranges.partition_point(|range| range.end <= position);
    ranges.get(nth).is_some_and(|range| range.contains(&position))
}

/// Returns whether one of the ascending `positions` is in `range`.
fn any_in(positions: &[u64], range: RangeInclusive<u64>) -> bool {
    let first = positions.partition_point(|position| position < range.start());
    positions.get(first).is_some_and(|position| range.contains(position))
}

/// A position in a line or record, with the number of symbols before it.
#[derive(Default)]
struct ItemCursor {
    /// Offset in the batch at which the line or record starts.
    start: usize,
    at: usize,
    symbols: u64,
}

impl ItemCursor {
    /// Returns whether the last symbol before the offset `end`, which is not before the cursor, is in a later line or
    /// record.
    fn is_past(&self, batch: &Batch, end: usize) -> bool {
        match batch.layout() {
            Layout::Lines(lines) => memrchr(lines.terminator, &batch.bytes()[self.at..end]).is_some(),
            Layout::Records(segments) => segments[batch.segment_before(end)].bytes.start != self.start,
        }
    }

    /// Moves to the offset `end`, and returns the number of symbols before it in its line or record.
    fn advance(&mut self, alphabet: Alphabet, batch: &Batch, end: usize) -> u64 {
        if self.is_past(batch, end) {
            self.start = match batch.layout() {
                Layout::Lines(lines) => {
                    let line_end = memrchr(lines.terminator, &batch.bytes()[self.at..end]);
                    line_end.map_or(self.at, |line_end| self.at + line_end + 1)
                }
                Layout::Records(segments) => segments[batch.segment_before(end)].bytes.start,
            };
            (self.at, self.symbols) = (self.start, 0);
        }
        let text = &batch.bytes()[self.at..end];
        self.symbols += match alphabet {
            Alphabet::Text if !text.is_ascii() => symbols(alphabet, text).count(),
            Alphabet::Text | Alphabet::Bytes => text.len(),
            Alphabet::Dna | Alphabet::Protein => count_residues(text),
        } as u64;
        self.at = end;
        self.symbols
    }
}
