//! Matches that count only near a match of another pattern (`--near`), on top of any engine.
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
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use memchr::memrchr;

use crate::alphabet::{Alphabet, count_residues};
use crate::batch::{Batch, Layout};
use crate::engine::deliver::deliver;
use crate::engine::expression::{AutomatonEngine, FoundStarts, StartFinder, StartsQuery};
use crate::engine::text_item::start_of_residue;
use crate::engine::verify::match_lengths;
use crate::engine::{Aligner, Engine, EngineError, EngineFacts, Scanner, WantedHits};
use crate::hit::{Hit, HitSink};
use crate::interrupt;
use crate::pattern::{PatternSet, Proximity, ProximityGroup};
use crate::text::symbols;

/// The number of hits that are collected before a round of decisions.
const HITS_PER_ROUND: usize = 1 << 12;

/// An engine for patterns whose matches count only near each other.
pub(in crate::engine) struct NearEngine {
    inner: Arc<dyn Engine>,
    /// The regular expressions among the patterns.
    expressions: Option<AutomatonPart>,
    proximity: Proximity,
}

/// Some patterns of a set, which are regular expressions, and their automata.
pub(in crate::engine) struct AutomatonPart {
    pub(in crate::engine) automata: Arc<AutomatonEngine>,
    /// For each pattern of the automata, its index in the set; ascending.
    pub(in crate::engine) indices: Vec<usize>,
}

impl NearEngine {
    /// Makes an engine that filters the hits of `inner`.
    pub(in crate::engine) fn new(
        inner: Arc<dyn Engine>,
        expressions: Option<AutomatonPart>,
        proximity: Proximity,
    ) -> Self {
        NearEngine { inner, expressions, proximity }
    }
}

impl Engine for NearEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        self.inner.patterns()
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.inner.plan();
        lines.push(format!(
            "--near: hits are kept only if a hit of the other group is at most {} symbols away",
            self.proximity.gap
        ));
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.inner.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.inner.estimate(batch)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let expressions = self.expressions.as_ref();
        let finder = MatchFinder {
            patterns: self.inner.patterns(),
            aligner: self.inner.aligner()?,
            expressions: expressions.map(|part| (part.automata.start_finder(), &*part.indices)),
        };
        Ok(Box::new(NearScanner { engine: self, inner: self.inner.scanner()?, finder }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        self.inner.aligner()
    }
}

struct NearScanner<'a> {
    engine: &'a NearEngine,
    inner: Box<dyn Scanner + 'a>,
    finder: MatchFinder<'a>,
}

impl Scanner for NearScanner<'_> {
    fn search(&mut self, batch: &Batch, _: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        match CutBatch::of(batch, self.engine.patterns().lag()) {
            Some(cut) => self.scan_part(&cut.batch, cut.decided, hits),
            None => self.scan_part(batch, 0..usize::MAX, hits),
        }
    }
}

impl NearScanner<'_> {
    /// Passes on the hits that have a partner and end in `decided`: after its start, and not after its end.
    fn scan_part(&mut self, batch: &Batch, decided: Range<usize>, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let mut sink = NearSink {
            patterns: self.engine.patterns(),
            proximity: &self.engine.proximity,
            batch,
            decided,
            finder: &mut self.finder,
            cursor: ItemCursor::default(),
            known: Vec::new(),
            delivered: 0,
            round: HITS_PER_ROUND,
            ended: None,
            sink: hits,
        };
        self.inner.scan(batch, &mut sink)?;
        match sink.ended.take() {
            Some(ScanStop::Failed(error)) => Err(error),
            Some(ScanStop::Enough) => Ok(()),
            None => match sink.end_item() {
                Err(ScanStop::Failed(error)) => Err(error),
                // These are the last hits of the batch.
                Err(ScanStop::Enough) | Ok(()) => Ok(()),
            },
        }
    }
}

/// A batch that begins or ends inside a record, with its context as part of the owned range.
struct CutBatch<'b> {
    batch: Batch<'b>,
    /// The ends of the hits that this batch decides about: those after the start of the range, up to its end.
    decided: Range<usize>,
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

/// The reason why a scan ended early.
enum ScanStop {
    /// The sink needs no more hits.
    Enough,
    Failed(EngineError),
}

/// Receives the hits of the inner engine, and passes those with a partner on to a sink.
struct NearSink<'a, 'e> {
    patterns: &'a PatternSet,
    proximity: &'a Proximity,
    batch: &'a Batch<'a>,
    /// The ends of the hits to pass on: those after the start of the range, up to its end.
    decided: Range<usize>,
    finder: &'a mut MatchFinder<'e>,
    cursor: ItemCursor,
    /// Hits of the current line or record, in the order (end, pattern). First come the delivered or dropped hits that
    /// may be partners of later ones, then the undecided hits.
    known: Vec<PlacedHit>,
    /// The number of hits in `known` that were delivered or dropped.
    delivered: usize,
    /// The length of `known` at which hits are decided before the line or record ends.
    round: usize,
    ended: Option<ScanStop>,
    sink: &'a mut dyn HitSink,
}

impl HitSink for NearSink<'_, '_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        match self.take(hits) {
            Ok(()) => ControlFlow::Continue(()),
            Err(end) => {
                self.ended = Some(end);
                ControlFlow::Break(())
            }
        }
    }
}

impl NearSink<'_, '_> {
    fn take(&mut self, hits: &[Hit]) -> Result<(), ScanStop> {
        for &hit in hits {
            interrupt::check();
            if self.cursor.is_past(self.batch, hit.end) {
                self.end_item()?;
            }
            let end = self.cursor.advance(self.patterns.alphabet(), self.batch, hit.end);
            if self.known.len() >= self.round && self.known.last().is_some_and(|last| last.end < end) {
                self.end_round(end)?;
            }
            self.add(PlacedHit { hit, end, group: self.group(&hit) });
        }
        Ok(())
    }

    /// Adds a hit, unless another alternative of its pattern has a hit there with a smaller distance. Removes the hits
    /// of other alternatives with a greater distance. Matches with these distances are no matches of the pattern's hit.
    fn add(&mut self, placed: PlacedHit) {
        let pattern = |hit: Hit| &self.patterns.patterns()[hit.pattern];
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
        self.proximity.group(self.patterns.patterns()[hit.pattern].source())
    }

    /// Returns the least number of symbols before the start of a match of a hit.
    fn first_start(&self, placed: &PlacedHit) -> u64 {
        placed.end.saturating_sub(self.patterns.patterns()[placed.hit.pattern].max_match_len() as u64)
    }

    /// Decides about all remaining hits of the current line or record, at its end.
    fn end_item(&mut self) -> Result<(), ScanStop> {
        let counts = self.counts()?;
        let rest = self.known.iter().zip(counts).skip(self.delivered);
        let kept: Vec<Hit> = rest.filter(|(_, counts)| *counts).map(|(placed, _)| placed.hit).collect();
        self.known.clear();
        (self.delivered, self.round) = (0, HITS_PER_ROUND);
        self.deliver(&kept)
    }

    /// Decides about the hits whose possible partners are all known. The known hits include all that end before the
    /// symbol `seen` of the line or record.
    fn end_round(&mut self, seen: u64) -> Result<(), ScanStop> {
        let counts = self.counts()?;
        let longest = self.patterns.max_match_len() as u64;
        // An unknown hit ends at or after `seen`, so its matches start at `first_start` or later.
        let first_start = seen.saturating_sub(longest);
        let is_open = |(placed, &counts): (&PlacedHit, &bool)| {
            !counts && placed.end.saturating_add(self.proximity.gap) >= first_start
        };
        let mut rest = self.known.iter().zip(&counts).skip(self.delivered);
        let open = rest.position(is_open).map_or(self.known.len(), |nth| self.delivered + nth);
        let kept = self.known[..open].iter().zip(&counts).skip(self.delivered).filter(|(_, counts)| **counts);
        let kept: Vec<Hit> = kept.map(|(placed, _)| placed.hit).collect();
        // A hit that ends before `reach` cannot be a partner of an undecided or unknown hit.
        let undecided = self.known[open..].iter().map(|placed| self.first_start(placed));
        let reach = undecided.fold(first_start, u64::min).saturating_sub(self.proximity.gap);
        let mut index = 0;
        self.known.retain(|placed| {
            index += 1;
            index > open || (placed.group.is_some() && placed.end >= reach)
        });
        self.delivered = self.known.len() - (index - open);
        self.round = HITS_PER_ROUND.max(2 * self.known.len());
        self.deliver(&kept)
    }

    /// Returns for each known hit whether it counts: it has a partner among the known hits, or needs none.
    fn counts(&mut self) -> Result<Vec<bool>, ScanStop> {
        let mut counts: Vec<bool> = self.known.iter().map(|placed| placed.group.is_none()).collect();
        for group in [ProximityGroup::First, ProximityGroup::Second] {
            self.find_pairs(group, &mut counts)?;
        }
        Ok(counts)
    }

    /// Marks the hits of the group `later` with a partner before them, and these partners.
    fn find_pairs(&mut self, later: ProximityGroup, counts: &mut [bool]) -> Result<(), ScanStop> {
        let is_earlier = |placed: &PlacedHit| placed.group.is_some_and(|group| group != later);
        let ends = self.known.iter().filter(|placed| is_earlier(placed)).map(|placed| placed.end);
        let ranges = ranges_after(ends, self.proximity.gap);
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
        let FoundStarts { are_from, mut starts } =
            self.finder.find(self.batch, &placed, &ranges).map_err(ScanStop::Failed)?;
        asked.iter().zip(are_from).for_each(|(&index, is_from)| counts[index] |= is_from);
        starts.sort_unstable();
        for (placed, counts) in self.known.iter().zip(counts).filter(|(placed, _)| is_earlier(placed)) {
            *counts |= any_in(&starts, placed.end..=placed.end.saturating_add(self.proximity.gap));
        }
        Ok(())
    }

    fn deliver(&mut self, hits: &[Hit]) -> Result<(), ScanStop> {
        let first = hits.partition_point(|hit| hit.end <= self.decided.start);
        let after = hits.partition_point(|hit| hit.end <= self.decided.end);
        match deliver(&hits[first..after.max(first)], self.sink) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ScanStop::Enough),
        }
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
