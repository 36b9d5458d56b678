//! Matches that count only near a match of another pattern (`--near`), on top of any engine.
//!
//! A hit is kept if a match of the other group starts at most the gap after the end of the hit, or ends at most the gap
//! before the start of one of the hit's matches. All matches with the distance of the hit count. The starts of matches
//! are computed, in O(k m) time, only if a hit of the other group ends near enough before the hit to be a partner. The
//! matches of a line or record are sorted by start and by end, so n hits take O(n log n) time besides. A hit is decided
//! as soon as all its possible partners are known. So memory is bounded by the hits within the gap and a few match
//! lengths.
//!
//! A batch must hold whole lines. If a record was cut, a hit near the end of a batch is left to the next batch. That
//! batch sees all possible partners of the hit, and has enough context to find the hit again.

use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use memchr::memrchr;

use super::deliver::deliver;
use super::text_item::start_of_residue;
use super::verify::match_lengths;
use super::{Aligner, Engine, EngineError, EngineFacts, Scanner};
use crate::alphabet::{Alphabet, count_residues};
use crate::batch::{Batch, Layout};
use crate::hit::{Hit, HitSink};
use crate::pattern::{PatternSet, Proximity, ProximityGroup};
use crate::text::symbols;

/// The number of hits that are collected before a round of decisions.
const HITS_PER_ROUND: usize = 1 << 12;

/// An engine for patterns whose matches count only near each other.
pub(super) struct NearEngine {
    inner: Arc<dyn Engine>,
    proximity: Proximity,
}

impl NearEngine {
    /// Makes an engine that filters the hits of `inner`.
    pub(super) fn new(inner: Arc<dyn Engine>, proximity: Proximity) -> Self {
        NearEngine { inner, proximity }
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
        Ok(Box::new(NearScanner { engine: self, inner: self.inner.scanner()?, aligner: self.inner.aligner()? }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        self.inner.aligner()
    }
}

struct NearScanner<'a> {
    engine: &'a NearEngine,
    inner: Box<dyn Scanner + 'a>,
    aligner: Box<dyn Aligner + 'a>,
}

impl Scanner for NearScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
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
            aligner: self.aligner.as_mut(),
            cursor: ItemCursor::default(),
            last_ends: [None; 2],
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
struct CutBatch {
    batch: Batch,
    /// The ends of the hits that this batch decides about: those after the start of the range, up to its end.
    decided: Range<usize>,
}

impl CutBatch {
    /// Copies a batch; returns `None` if its lines or records are whole. A hit is decided once `lag` symbols after it
    /// are known, or the end of its record.
    fn of(batch: &Batch, lag: usize) -> Option<Self> {
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
        let copy = Batch::new(bytes.to_vec(), 0..bytes.len(), start..owned.end, Layout::Records(segments.clone()));
        Some(CutBatch { batch: copy, decided: before..until })
    }
}

/// A hit and its matches.
struct PlacedHit {
    hit: Hit,
    /// The number of symbols of the line or record before the end of the hit.
    end: u64,
    /// For each match with the distance of the hit, the number of symbols before its start. Empty if no partner can end
    /// before the hit.
    starts: Vec<u64>,
    group: Option<ProximityGroup>,
}

impl PlacedHit {
    /// Returns the least number of symbols before the start of a match of the hit, or before its end if `starts` is
    /// empty. No partner ends more than the gap before this position.
    fn first_start(&self) -> u64 {
        self.starts.iter().copied().fold(self.end, u64::min)
    }
}

/// The reason why a scan ended early.
enum ScanStop {
    /// The sink needs no more hits.
    Enough,
    Failed(EngineError),
}

/// Receives the hits of the inner engine, and passes those with a partner on to a sink.
struct NearSink<'a> {
    patterns: &'a PatternSet,
    proximity: &'a Proximity,
    batch: &'a Batch,
    /// The ends of the hits to pass on: those after the start of the range, up to its end.
    decided: Range<usize>,
    aligner: &'a mut dyn Aligner,
    cursor: ItemCursor,
    /// The end of the last hit of each group in the current line or record.
    last_ends: [Option<u64>; 2],
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

impl HitSink for NearSink<'_> {
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

impl NearSink<'_> {
    fn take(&mut self, hits: &[Hit]) -> Result<(), ScanStop> {
        for &hit in hits {
            if self.cursor.is_past(self.batch, hit.end) {
                self.end_item()?;
            }
            let end = self.cursor.advance(self.patterns.alphabet(), self.batch, hit.end);
            let group = self.group(&hit);
            let mut starts = Vec::new();
            if let Some(group) = group {
                if self.may_follow_partner(hit, group, end) {
                    starts = self.starts(hit, end)?;
                }
                self.last_ends[group as usize] = Some(end);
            }
            self.known.push(PlacedHit { hit, end, starts, group });
            if self.known.len() >= self.round {
                self.end_round(end)?;
            }
        }
        Ok(())
    }

    /// Returns whether a known hit of the other group may be a partner before the start of `hit`, which ends at `end`.
    fn may_follow_partner(&self, hit: Hit, group: ProximityGroup, end: u64) -> bool {
        let longest = self.patterns.patterns()[hit.pattern].max_match_len() as u64;
        let first = end.saturating_sub(longest).saturating_sub(self.proximity.gap);
        self.last_ends[1 - group as usize].is_some_and(|last| last >= first)
    }

    /// Returns, for each match with the distance of a hit that ends at `end`, the number of symbols before its start.
    fn starts(&mut self, hit: Hit, end: u64) -> Result<Vec<u64>, ScanStop> {
        let pattern = &self.patterns.patterns()[hit.pattern];
        let mut lengths = match_lengths(self.patterns.alphabet(), self.batch, pattern, hit);
        if lengths.is_empty() {
            let mut aligned = Vec::new();
            self.aligner.align(self.batch, &[hit], &mut aligned).map_err(ScanStop::Failed)?;
            lengths.extend(aligned.iter().map(|alignment| alignment.cigar.text_length()));
        }
        Ok(lengths.into_iter().map(|length| end - length as u64).collect())
    }

    fn group(&self, hit: &Hit) -> Option<ProximityGroup> {
        self.proximity.group(self.patterns.patterns()[hit.pattern].source())
    }

    /// Decides about all remaining hits of the current line or record, at its end.
    fn end_item(&mut self) -> Result<(), ScanStop> {
        let partners = Partners::of(&self.known, self.proximity.gap);
        let rest = &self.known[self.delivered..];
        let kept: Vec<Hit> = rest.iter().filter(|placed| partners.has(placed)).map(|placed| placed.hit).collect();
        self.known.clear();
        (self.delivered, self.round, self.last_ends) = (0, HITS_PER_ROUND, [None; 2]);
        self.deliver(&kept)
    }

    /// Decides about the hits whose possible partners are all known. The known hits include all that end before the
    /// symbol `seen` of the line or record.
    fn end_round(&mut self, seen: u64) -> Result<(), ScanStop> {
        let partners = Partners::of(&self.known, self.proximity.gap);
        let longest = self.patterns.max_match_len() as u64;
        // An unknown hit ends at or after `seen`, so its matches start at `first_start` or later.
        let first_start = seen.saturating_sub(longest);
        let is_open = |placed: &PlacedHit| {
            placed.group.is_some()
                && placed.end.saturating_add(self.proximity.gap) >= first_start
                && !partners.has(placed)
        };
        let rest = &self.known[self.delivered..];
        let open = self.delivered + rest.iter().position(is_open).unwrap_or(rest.len());
        let kept = self.known[self.delivered..open].iter().filter(|placed| partners.has(placed));
        let kept: Vec<Hit> = kept.map(|placed| placed.hit).collect();
        // A hit that ends before `reach` cannot be a partner of an undecided or unknown hit.
        let undecided = self.known[open..].iter().map(PlacedHit::first_start);
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

    fn deliver(&mut self, hits: &[Hit]) -> Result<(), ScanStop> {
        let first = hits.partition_point(|hit| hit.end <= self.decided.start);
        let after = hits.partition_point(|hit| hit.end <= self.decided.end);
        match deliver(&hits[first..after.max(first)], self.sink) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ScanStop::Enough),
        }
    }
}

/// The matches of both groups in a line or record, to find partners in.
struct Partners {
    gap: u64,
    /// The first symbols of the matches of each group, ascending.
    starts: [Vec<u64>; 2],
    /// The ends of the hits of each group, ascending.
    ends: [Vec<u64>; 2],
}

impl Partners {
    /// Collects the starts and ends of the matches of `known`, which are in the order of their ends.
    fn of(known: &[PlacedHit], gap: u64) -> Self {
        let mut partners = Partners { gap, starts: [Vec::new(), Vec::new()], ends: [Vec::new(), Vec::new()] };
        for PlacedHit { end, starts, group, .. } in known {
            if let Some(group) = *group {
                partners.starts[group as usize].extend_from_slice(starts);
                partners.ends[group as usize].push(*end);
            }
        }
        partners.starts.iter_mut().for_each(|starts| starts.sort_unstable());
        partners
    }

    /// Returns whether a hit counts: it has a partner, or needs none.
    fn has(&self, placed: &PlacedHit) -> bool {
        let Some(group) = placed.group else { return true };
        let other = 1 - group as usize;
        let follows = |&start: &u64| any_in(&self.ends[other], start.saturating_sub(self.gap)..=start);
        any_in(&self.starts[other], placed.end..=placed.end.saturating_add(self.gap))
            || placed.starts.iter().any(follows)
    }
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
