//! `--hits best`: the matches of each pattern and strand that are shown, best first, in the order of all hits.
//!
//! The rank of a match is (distance, difference between its length and the pattern's, end). The rule and why it can be applied
//! to a stream are in [`overlap`](super::overlap).
//!
//! A match may overlap others in the next batches. Matches that are not decided at the end of a batch are handed on to the
//! next one, with their positions in the record, edits and text. So no cut of the input shows in the output.

use std::ops::Range;

use memchr::memchr;

use super::overlap::{Judge, Shown, Verdict};
use super::positions::{Positions, end_of_owned};
use crate::alignment::{Alignment, Cigar};
use crate::alphabet::is_residue;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::{Batch, Layout};
use crate::pattern::PatternSet;
use crate::search::ordered::handoff::HandoffSlot;
use crate::text::MAX_SYMBOL_BYTES;

/// Number of matches that are collected before they are judged. One of them takes about 150 bytes, and so all of them fit the
/// second-level cache.
const MANY_MATCHES: usize = 1 << 12;

/// Number of matches that are collected before the worker waits for what the batch before hands on.
const MANY_WAITING: usize = 1 << 15;

/// Number of hits that are aligned at a time.
const PIECE: usize = 1 << 10;

/// A match of one pattern.
#[derive(Debug)]
pub(crate) struct Match {
    /// The hit. Its offsets are those of the batch in which it was found.
    pub(crate) hit: Hit,
    /// Where it lies: residues of the record, or bytes of the text.
    pub(crate) range: Range<u64>,
    /// Its edits.
    pub(crate) cigar: Cigar,
    /// Its text.
    pub(crate) text: MatchedText,
    /// Number of its line or record, in the order of the batch.
    unit: u32,
    /// The pattern and strand with which it competes.
    group: u32,
    /// Difference between its length and the pattern's, in symbols.
    excess: u32,
    /// It is shown, after others that are not decided.
    is_shown: bool,
}

/// The text of a match.
#[derive(Debug)]
pub(crate) enum MatchedText {
    /// It lies here in the batch.
    InBatch(Range<usize>),
    /// It was found in an earlier batch, in the line or record with which this batch begins.
    Carried(Box<[u8]>),
}

/// What is not decided at the end of a batch, in the line or record that goes on.
#[derive(Debug, Default)]
pub(crate) struct Undecided {
    /// Matches that better ones may hide, and matches to be shown after these, in the order (end, pattern).
    matches: Vec<Match>,
    /// The matches last shown, which may hide others.
    shown: LastShown,
}

/// The line or record at hand.
#[derive(Debug, Clone, Copy)]
struct Unit {
    number: u32,
    end: usize,
    /// Whether it goes on in the next batch.
    open: bool,
}

/// Chooses among the hits of one batch at a time.
pub(crate) struct BestHits<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    /// The group of each pattern: its label and strand.
    group_of: Vec<u32>,
    /// Hits that have no alignment yet.
    hits: Vec<Hit>,
    aligned: Vec<Alignment>,
    positions: Positions,
    unit: Option<Unit>,
    /// What the batch before has handed on is among the matches.
    has_begun: bool,
    pending: Undecided,
    /// Number of matches that were left the last time they were judged.
    left: usize,
}

impl<'a> BestHits<'a> {
    pub(crate) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>) -> Self {
        let mut groups = Vec::new();
        let mut group_of = Vec::with_capacity(patterns.patterns().len());
        for pattern in patterns.patterns() {
            let group = (pattern.label(), pattern.strand());
            // The alternatives of a pattern on one strand follow each other.
            if groups.last() != Some(&group) {
                groups.push(group);
            }
            group_of.push(groups.len() as u32 - 1);
        }
        BestHits {
            patterns,
            aligner,
            group_of,
            hits: Vec::new(),
            aligned: Vec::new(),
            positions: Positions::default(),
            unit: None,
            has_begun: false,
            pending: Undecided::default(),
            left: 0,
        }
    }

    /// Takes the next hits of a batch. Adds the matches that are decided, which may be of earlier hits, in the order (end,
    /// pattern).
    ///
    /// # Errors
    /// When the aligner fails.
    pub(crate) fn take(
        &mut self,
        batch: &Batch,
        hits: &[Hit],
        slot: &HandoffSlot<'_, Undecided>,
        chosen: &mut Vec<Match>,
    ) -> Result<(), EngineError> {
        for piece in hits.chunks(PIECE) {
            self.hits.extend_from_slice(piece);
            if self.hits.len() >= PIECE {
                self.align(batch)?;
            }
            let many = if self.has_begun || slot.is_ready() { MANY_MATCHES } else { MANY_WAITING };
            if self.pending.matches.len() >= many.max(2 * self.left) {
                self.begin(batch, slot);
                let seen = self.pending.matches.last().map_or(0, |last| last.range.end);
                self.judge(Some(self.frontier(batch, seen)), chosen);
            }
        }
        Ok(())
    }

    /// Takes note that a batch has no more hits. Adds the rest of the matches that are decided, and hands on the others.
    ///
    /// # Errors
    /// When the aligner fails.
    pub(crate) fn finish(
        &mut self,
        batch: &Batch,
        slot: HandoffSlot<'_, Undecided>,
        chosen: &mut Vec<Match>,
    ) -> Result<(), EngineError> {
        self.align(batch)?;
        self.begin(batch, &slot);
        let is_open = self.unit.is_some_and(|unit| unit.open);
        let frontier = is_open.then(|| self.frontier(batch, end_of_owned(batch)));
        self.judge(frontier, chosen);
        let mut undecided = std::mem::take(&mut self.pending);
        undecided.matches.iter_mut().for_each(|one| one.carry(batch));
        undecided.shown.unit = 0;
        slot.hand_on(undecided);
        (self.positions, self.unit, self.has_begun, self.left) = (Positions::default(), None, false, 0);
        Ok(())
    }

    /// Positions before which all matches are known, when all hits that end before `seen` are.
    fn frontier(&self, batch: &Batch, seen: u64) -> u64 {
        let width = match batch.layout() {
            Layout::Lines(_) => MAX_SYMBOL_BYTES,
            Layout::Records(_) => 1,
        };
        seen.saturating_sub((width * self.patterns.reach()) as u64)
    }

    /// Waits for what the batch before hands on, if that has not come yet.
    fn begin(&mut self, batch: &Batch, slot: &HandoffSlot<'_, Undecided>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let before = slot.wait().unwrap_or_default();
        // Where an input could not be read to its end, something may be left of it.
        let Some(unit) = continued_unit(batch) else { return };
        self.unit = self.unit.or(Some(unit));
        let found = std::mem::replace(&mut self.pending, before);
        self.pending.matches.extend(found.matches);
    }

    fn align(&mut self, batch: &Batch) -> Result<(), EngineError> {
        if self.hits.is_empty() {
            return Ok(());
        }
        self.aligned.clear();
        self.aligner.align(batch, &self.hits, &mut self.aligned)?;
        let hits = std::mem::take(&mut self.hits);
        for (&hit, alignment) in hits.iter().zip(std::mem::take(&mut self.aligned)) {
            let one = self.placed(batch, hit, alignment);
            self.pending.matches.push(one);
        }
        self.hits = hits;
        self.hits.clear();
        Ok(())
    }

    fn placed(&mut self, batch: &Batch, hit: Hit, alignment: Alignment) -> Match {
        let length = alignment.cigar.text_length();
        let end = self.positions.after(batch, hit.end);
        let covered = match batch.layout() {
            Layout::Lines(_) => alignment.end - alignment.start,
            Layout::Records(_) => length,
        };
        Match {
            hit,
            range: end - covered as u64..end,
            excess: length.abs_diff(self.patterns.patterns()[hit.pattern].symbols().len()) as u32,
            cigar: alignment.cigar,
            text: MatchedText::InBatch(alignment.start..alignment.end),
            unit: self.unit_of(batch, hit.end),
            group: self.group_of[hit.pattern],
            is_shown: false,
        }
    }

    /// Number of the line or record with the last symbol before `end`: 0 if the batch before has a part of it.
    fn unit_of(&mut self, batch: &Batch, end: usize) -> u32 {
        let unit = self.unit.or_else(|| continued_unit(batch));
        let unit = match unit {
            Some(unit) if end <= unit.end => unit,
            unit => unit_at(batch, end, unit.map_or(1, |unit| unit.number + 1)),
        };
        self.unit = Some(unit);
        unit.number
    }

    /// Judges all matches. Those that start at or after the frontier are not all known; without one, all are known.
    fn judge(&mut self, frontier: Option<u64>, chosen: &mut Vec<Match>) {
        let open_unit = self.unit.map_or(0, |unit| unit.number);
        let Undecided { matches, shown } = &mut self.pending;
        let verdicts = verdicts(matches, shown, Open { unit: open_unit, frontier: frontier.unwrap_or(u64::MAX) });
        let first_undecided = verdicts.iter().position(|verdict| *verdict == Verdict::Undecided);
        let limit = first_undecided.map(|index| (matches[index].unit, matches[index].range.end));
        let mut rest = Vec::new();
        for (mut one, verdict) in matches.drain(..).zip(verdicts) {
            one.is_shown = verdict == Verdict::Shown;
            match verdict {
                Verdict::Shown if limit.is_none_or(|limit| (one.unit, one.range.end) < limit) => chosen.push(one),
                Verdict::Shown | Verdict::Undecided => rest.push(one),
                Verdict::Hidden => {}
            }
        }
        self.left = rest.len();
        *matches = rest;
    }
}

/// The line or record of which not all matches are known, and where those begin that are not.
#[derive(Clone, Copy)]
struct Open {
    unit: u32,
    frontier: u64,
}

/// Decides about each match, and keeps the matches shown in the open line or record that may hide others.
fn verdicts(matches: &[Match], shown: &mut LastShown, open: Open) -> Vec<Verdict> {
    let known = |one: &Match| if one.is_shown { Verdict::Shown } else { Verdict::Hidden };
    let mut verdicts: Vec<Verdict> = matches.iter().map(known).collect();
    let mut next_shown = LastShown { unit: open.unit, ranges: Vec::new() };
    let mut first = 0;
    for in_unit in matches.chunk_by(|a, b| a.unit == b.unit) {
        let unit = in_unit[0].unit;
        let frontier = if unit == open.unit { open.frontier } else { u64::MAX };
        let ranges: Vec<Range<u64>> = in_unit.iter().map(|one| one.range.clone()).collect();
        for group in by_rank(in_unit).chunk_by(|a, b| group_of(*a) == group_of(*b)) {
            let number = group_of(group[0]);
            let mut in_group = shown.take(unit, number);
            let mut judge = Judge::new(&mut in_group, frontier);
            for &ranked in group {
                let index = index_of(ranked);
                verdicts[first + index] = judge.decide(ranges[index].clone());
            }
            let frontier = judge.frontier();
            next_shown.ranges.extend(in_group.after(frontier).map(|range| (number, range)));
        }
        first += in_unit.len();
    }
    if shown.unit == open.unit {
        let rest = shown.ranges.drain(..).filter(|(_, range)| range.end > open.frontier);
        next_shown.ranges.extend(rest);
        next_shown.ranges.sort_unstable_by_key(|(group, range)| (*group, range.start));
    }
    *shown = next_shown;
    verdicts
}

/// The matches of one line or record, which come in the order (end, pattern), by group and rank. Each is a number that holds
/// group, distance, excess and index, 32 bits each: sorting such numbers takes a third of the time that sorting
/// structures does.
fn by_rank(matches: &[Match]) -> Vec<u128> {
    let ranked = |(index, one): (usize, &Match)| {
        let rank = u128::from(one.group) << 32 | one.hit.distance as u128;
        (rank << 32 | u128::from(one.excess)) << 32 | index as u128
    };
    let undecided = matches.iter().enumerate().filter(|(_, one)| !one.is_shown);
    let mut ranks: Vec<u128> = undecided.map(ranked).collect();
    ranks.sort_unstable();
    ranks
}

fn group_of(ranked: u128) -> u32 {
    (ranked >> 96) as u32
}

fn index_of(ranked: u128) -> usize {
    ranked as u32 as usize
}

/// The matches last shown in one line or record, by group.
#[derive(Debug, Default)]
struct LastShown {
    unit: u32,
    /// Sorted by group.
    ranges: Vec<(u32, Range<u64>)>,
}

impl LastShown {
    /// Takes out the matches of one group.
    fn take(&mut self, unit: u32, group: u32) -> Shown {
        let mut shown = Shown::default();
        if unit == self.unit {
            let start = self.ranges.partition_point(|(other, _)| *other < group);
            let end = self.ranges.partition_point(|(other, _)| *other <= group);
            self.ranges.drain(start..end).for_each(|(_, range)| shown.insert(range));
        }
        shown
    }
}

impl Match {
    /// Makes the match independent of the batch, to be handed on to the next.
    fn carry(&mut self, batch: &Batch) {
        self.unit = 0;
        if let MatchedText::InBatch(range) = &self.text {
            let bytes = &batch.bytes()[range.clone()];
            self.text = MatchedText::Carried(match batch.layout() {
                Layout::Lines(_) => bytes.into(),
                Layout::Records(_) => bytes.iter().copied().filter(|&byte| is_residue(byte)).collect(),
            });
        }
    }
}

/// The line or record around the last symbol before `end`.
fn unit_at(batch: &Batch, end: usize, number: u32) -> Unit {
    match batch.layout() {
        Layout::Lines(lines) => {
            let line_end = memchr(lines.terminator, &batch.bytes()[end..]).map(|length| end + length);
            Unit { number, end: line_end.unwrap_or(batch.bytes().len()), open: line_end.is_none() && !lines.closes }
        }
        Layout::Records(segments) => {
            let segment = &segments[batch.segment_before(end)];
            Unit { number, end: segment.bytes.end, open: !segment.closes }
        }
    }
}

/// The line or record that was open when the batch before ended. Its number is 0.
fn continued_unit(batch: &Batch) -> Option<Unit> {
    match batch.layout() {
        Layout::Lines(_) => {
            let start = batch.owned().start;
            (start > 0).then(|| unit_at(batch, start, 0))
        }
        Layout::Records(segments) => {
            let segment = segments.first().filter(|segment| segment.continues)?;
            Some(Unit { number: 0, end: segment.bytes.end, open: !segment.closes })
        }
    }
}
