//! From the hits of a batch to what a report needs: lines and records, the matches shown in them, rows.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::best_hits::{BestHits, Match, MatchedText, Undecided};
use super::positions::Positions;
use super::rows::RowWriter;
use super::spans::SpanChooser;
use super::units::{item_of_segment, item_starts, line_around, select_empty};
use crate::alignment::{Alignment, Cigar};
use crate::alphabet::count_residues;
use crate::engine::{Engine, EngineError, Scanner};
use crate::hit::{Hit, HitSink};
use crate::input::{Batch, Layout, Segment};
use crate::pattern::{Pattern, PatternSet};
use crate::report::{EarlyRows, EarlySpans, Findings, HitRow, Hits, MatchedItem, ReportNeeds, Spans};
use crate::search::Input;
use crate::search::ordered::handoff::HandoffSlot;

/// So many bytes of rows do not wait for the end of their batch.
const MANY_ROWS: usize = 4 << 20;

/// So many hits are aligned before their rows are written, which bounds the memory of alignments and of rows. One core
/// of a Zen 4 server, 4 million rows: 1.35 s with 128, 1,024, 4,096 and 16,384.
const PIECE: usize = 1 << 10;

/// Number of lines or records with a hit, or of matches shown in them, that do not wait for the end of their batch. They take
/// about 100 and 50 bytes each, and there are two batches under way for each worker.
const MANY_UNITS: usize = 1 << 15;

/// Searches one batch at a time.
pub(crate) struct Selector<'a> {
    patterns: &'a PatternSet,
    scanner: Box<dyn Scanner + 'a>,
    rows: Option<RowWriter<'a>>,
    spans: Option<SpanChooser<'a>>,
    best: Option<BestHits<'a>>,
    detail: &'a ReportNeeds,
}

/// What is reported of a batch before all of it is searched.
pub(crate) enum EarlyOutput {
    /// Some rows.
    Rows(EarlyRows),
    /// Some matches of the next line.
    Spans(EarlySpans),
    /// The next lines or records of the batch, and what was found in them.
    Part(Batch, Findings),
}

/// Where something of a batch goes before all of it is searched.
pub(crate) struct BatchOutputs<'e> {
    /// Takes what is too much to wait for the end of the batch.
    pub(crate) early: &'e mut dyn FnMut(EarlyOutput),
    /// Takes from the batch before and hands on to the next what is not decided, where hits are chosen.
    pub(crate) slot: Option<HandoffSlot<'e, Undecided>>,
}

impl<'a> Selector<'a> {
    pub(crate) fn new(engine: &'a dyn Engine, detail: &'a ReportNeeds) -> Result<Self, EngineError> {
        let rows = match &detail.rows {
            Some(rows) => Some(RowWriter::new(rows.as_ref(), engine)?),
            None => None,
        };
        let spans = match detail.spans {
            Spans::None => None,
            wanted => Some(SpanChooser::new(engine.patterns(), engine.aligner()?, wanted)),
        };
        let best = match detail.hits {
            Hits::All => None,
            Hits::Best => Some(BestHits::new(engine.patterns(), engine.aligner()?)),
        };
        Ok(Selector { patterns: engine.patterns(), scanner: engine.scanner()?, rows, spans, best, detail })
    }

    /// Finds what the report needs in a batch. Returns what was found behind the parts that were given away, and the place
    /// where these end.
    pub(crate) fn search(
        &mut self,
        batch: &Batch,
        input: &Input,
        exits: BatchOutputs<'_>,
    ) -> Result<(Findings, usize), EngineError> {
        let lengths = if self.detail.lengths { record_lengths(batch) } else { Vec::new() };
        let mut sink = Sink {
            batch,
            input,
            patterns: self.patterns,
            detail: self.detail,
            rows: self.rows.as_mut(),
            spans: self.spans.as_mut(),
            best: self.best.as_mut(),
            findings: Findings::default(),
            lengths,
            reported: Reported::default(),
            positions: Positions::default(),
            kept: Vec::new(),
            failed: None,
            exits,
        };
        self.scanner.scan(batch, &mut sink)?;
        sink.end_best()?;
        sink.end_item();
        if let Some(error) = sink.failed {
            return Err(error);
        }
        let end = batch.bytes().len();
        sink.report_empty(end);
        let start = sink.reported.to;
        Ok((sink.findings_before(end), start))
    }
}

/// Where the end of a hit lies.
#[derive(Clone, Copy)]
enum Found {
    /// At this offset in the batch.
    Here(usize),
    /// In the part of the first line or record that earlier batches had.
    Before,
}

/// A hit with its position and alignment.
struct Located<'a> {
    /// Where it lies: residues of the record, or bytes of the text. Empty, at its end, if it was not aligned.
    positions: Range<u64>,
    cigar: Option<&'a Cigar>,
    matched: &'a [u8],
}

/// Takes the hits of one batch.
struct Sink<'a, 's, 'e> {
    batch: &'a Batch,
    input: &'a Input,
    patterns: &'a PatternSet,
    detail: &'a ReportNeeds,
    rows: Option<&'a mut RowWriter<'s>>,
    spans: Option<&'a mut SpanChooser<'s>>,
    best: Option<&'a mut BestHits<'s>>,
    findings: Findings,
    /// The lengths of all records in the batch, if they are wanted.
    lengths: Vec<u64>,
    reported: Reported,
    positions: Positions,
    kept: Vec<Hit>,
    failed: Option<EngineError>,
    exits: BatchOutputs<'e>,
}

/// The parts of a batch that were given away.
#[derive(Default)]
struct Reported {
    /// Where they end in the batch.
    to: usize,
    /// Number of lines or records with a hit in them.
    items: usize,
    /// The line at hand, if some matches of it were given away.
    line: Option<Arc<Batch>>,
    /// Where all lines or records have been counted that a pattern without symbols may select.
    counted_to: usize,
    /// Number of these that were not given away.
    waiting: usize,
}

impl HitSink for Sink<'_, '_, '_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        match self.take(hits) {
            Ok(flow) => flow,
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Sink<'_, '_, '_> {
    fn take(&mut self, hits: &[Hit]) -> Result<ControlFlow<()>, EngineError> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.extend_from_slice(hits);
        if let Some(most) = self.input.most {
            kept.retain(|hit| hit.distance <= most);
        }
        if let (Some(best), Some(slot)) = (&mut self.best, &self.exits.slot) {
            let mut chosen = Vec::new();
            best.take(self.batch, &kept, slot, &mut chosen)?;
            self.kept = kept;
            return self.take_matches(chosen);
        }
        // Among the matches to be shown in lines, the alternatives of a pattern compete by where they start.
        if self.spans.is_none() {
            keep_best_alternatives(self.patterns.patterns(), &mut kept);
        }
        let flow = self.take_pieces(&kept)?;
        self.kept = kept;
        Ok(flow)
    }

    /// Takes the last matches that are chosen.
    fn end_best(&mut self) -> Result<(), EngineError> {
        let mut chosen = Vec::new();
        if let (Some(best), Some(slot)) = (&mut self.best, self.exits.slot.take()) {
            best.finish(self.batch, slot, &mut chosen)?;
        }
        self.take_matches(chosen).map(|_| ())
    }

    fn take_matches(&mut self, matches: Vec<Match>) -> Result<ControlFlow<()>, EngineError> {
        self.findings.hits += matches.len() as u64;
        for one in matches {
            let flow = self.take_match(&one)?;
            self.send_rows();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_match(&mut self, one: &Match) -> Result<ControlFlow<()>, EngineError> {
        let (found, matched) = match &one.text {
            MatchedText::InBatch(range) => (Found::Here(range.end), &self.batch.bytes()[range.clone()]),
            MatchedText::Carried(text) => (Found::Before, &text[..]),
        };
        if self.enter_item(found).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.count_hit(one.hit);
        if self.rows.as_ref().is_some_and(|rows| rows.rows.wants_alignment()) {
            self.add_row(one.hit, &Located { positions: one.range.clone(), cigar: Some(&one.cigar), matched });
        } else {
            self.add_row(one.hit, &Located { positions: one.range.end..one.range.end, cigar: None, matched: &[] });
        }
        Ok(self.flow())
    }

    fn take_pieces(&mut self, hits: &[Hit]) -> Result<ControlFlow<()>, EngineError> {
        self.findings.hits += hits.len() as u64;
        for piece in hits.chunks(PIECE) {
            let flow = self.take_piece(piece)?;
            self.send_rows();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_piece(&mut self, hits: &[Hit]) -> Result<ControlFlow<()>, EngineError> {
        let mut aligned = Vec::new();
        if let Some(rows) = &mut self.rows {
            rows.align(self.batch, hits)?;
            aligned = std::mem::take(&mut rows.aligned);
        }
        let mut flow = ControlFlow::Continue(());
        for (index, &hit) in hits.iter().enumerate() {
            flow = self.take_one(hit, aligned.get(index))?;
            if flow.is_break() {
                break;
            }
        }
        if let Some(rows) = &mut self.rows {
            rows.aligned = aligned;
        }
        Ok(flow)
    }

    /// Sends the rows so far on their way, if they are many.
    fn send_rows(&mut self) {
        let findings = &mut self.findings;
        if self.detail.all_rows && findings.rows.len() >= MANY_ROWS {
            // The record that the batches before left open is the first of the batch.
            let ended = if self.reported.to == 0 { ended_record(self.batch, &self.lengths) } else { None };
            (self.exits.early)(EarlyOutput::Rows(EarlyRows { bytes: std::mem::take(&mut findings.rows), ended }));
            findings.items.iter_mut().for_each(|item| item.rows = 0..0);
        }
    }

    fn take_one(&mut self, hit: Hit, aligned: Option<&Alignment>) -> Result<ControlFlow<()>, EngineError> {
        if self.enter_item(Found::Here(hit.end)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.count_hit(hit);
        if let Some(spans) = &mut self.spans {
            let decided = spans.add(self.batch, hit, &mut self.findings.spans)?;
            self.report_spans(decided);
        }
        if self.rows.is_some() {
            let end = self.positions.after(self.batch, hit.end);
            let located = match aligned {
                Some(alignment) => Located {
                    positions: end - self.length(alignment)..end,
                    cigar: Some(&alignment.cigar),
                    matched: &self.batch.bytes()[alignment.start..alignment.end],
                },
                None => Located { positions: end..end, cigar: None, matched: &[] },
            };
            self.add_row(hit, &located);
        }
        Ok(self.flow())
    }

    /// Goes on to the line or record of a hit; breaks if no more of them are wanted.
    fn enter_item(&mut self, found: Found) -> ControlFlow<()> {
        let is_inside = match (self.findings.items.last(), found) {
            (None, _) => false,
            (Some(item), Found::Here(end)) => end <= item.bytes.end,
            (Some(_), Found::Before) => true,
        };
        if is_inside {
            return ControlFlow::Continue(());
        }
        if self.reported.items + self.findings.items.len() >= self.detail.max_items {
            return ControlFlow::Break(());
        }
        self.end_item();
        self.reported.line = None;
        let start = self.item_around(found).record.start;
        if self.findings.items.len().max(self.findings.spans.len()) >= MANY_UNITS {
            self.report_until(start);
        }
        self.report_empty(start);
        let item = self.item_around(found);
        if let Some(spans) = &mut self.spans {
            spans.begin_line(item.spans.start);
        }
        self.findings.items.push(item);
        ControlFlow::Continue(())
    }

    fn count_hit(&mut self, hit: Hit) {
        let item = self.findings.items.last_mut().expect("the item of this hit");
        item.cost = item.cost.min(hit.distance);
        item.hits += 1;
    }

    /// Adds the row of a hit, if there are rows.
    fn add_row(&mut self, hit: Hit, located: &Located<'_>) {
        let Some(rows) = &self.rows else { return };
        let findings = &mut self.findings;
        let item = findings.items.last_mut().expect("the item of this hit");
        let pattern = &self.patterns.patterns()[hit.pattern];
        let length = match self.lengths.is_empty() {
            true => None,
            false => self.lengths.get(self.batch.segment_before(item.bytes.end)),
        };
        let place = HitRow {
            label: &self.input.label,
            record: &self.batch.bytes()[item.name.clone()],
            start: located.positions.start,
            end: located.positions.end,
            record_length: length.copied().filter(|_| !item.open),
            pattern: self.patterns.label(pattern),
            number: pattern.label(),
            letters: rows.letters(self.patterns, hit.pattern),
            distance: hit.distance,
            strand: pattern.strand(),
            cigar: located.cigar,
            matched: located.matched,
        };
        rows.rows.row(&place, &mut findings.rows);
        item.rows.end = findings.rows.len();
    }

    /// Whether more hits of the batch are wanted.
    fn flow(&self) -> ControlFlow<()> {
        let first_is_enough = self.spans.is_none() && self.rows.is_none();
        match first_is_enough && self.reported.items + self.findings.items.len() == self.detail.max_items {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Length of a match: residues of a record, or bytes of text.
    fn length(&self, alignment: &Alignment) -> u64 {
        match self.batch.layout() {
            Layout::Lines(_) => (alignment.end - alignment.start) as u64,
            Layout::Records(_) => alignment.cigar.text_length() as u64,
        }
    }

    /// The line or segment of a hit.
    fn item_around(&self, found: Found) -> MatchedItem {
        let item = match (self.batch.layout(), found) {
            (Layout::Lines(lines), Found::Here(end)) => line_around(self.batch, lines, end),
            (Layout::Lines(lines), Found::Before) => line_around(self.batch, lines, self.batch.owned().start),
            (Layout::Records(_), Found::Here(end)) => item_of_segment(self.batch, self.batch.segment_before(end)),
            (Layout::Records(_), Found::Before) => item_of_segment(self.batch, 0),
        };
        let (spans, rows) = (self.findings.spans.len(), self.findings.rows.len());
        MatchedItem { cost: usize::MAX, spans: spans..spans, rows: rows..rows, ..item }
    }

    /// No more hits are in the item at hand.
    fn end_item(&mut self) {
        if let (Some(spans), Some(item)) = (&mut self.spans, self.findings.items.last_mut()) {
            if let Err(error) = spans.end_line(self.batch, &mut self.findings.spans) {
                self.failed = Some(error);
            }
            item.spans.end = self.findings.spans.len();
        }
    }
}

impl Sink<'_, '_, '_> {
    /// Gives away the lines or records before a place, which is the start of one of them, and what was found in them.
    fn report_until(&mut self, start: usize) {
        if start > self.reported.to {
            let part = self.batch.copy_of(self.reported.to..start);
            let findings = self.findings_before(start);
            self.reported.items += findings.items.len();
            self.reported.to = start;
            (self.exits.early)(EarlyOutput::Part(part, findings));
        }
    }

    /// Gives away the matches of the line at hand that end before a place, if there are many.
    fn report_spans(&mut self, decided: Option<usize>) {
        let Some(decided) = decided.filter(|_| self.detail.early_spans) else { return };
        if self.findings.spans.len() < MANY_UNITS {
            return;
        }
        let mut item = self.findings.items.pop().expect("the item of these matches");
        let matches = self.findings.spans.split_off(item.spans.start);
        let start = item.record.start;
        self.report_until(start);
        let (mut early, later) = matches.into_iter().partition::<Vec<_>, _>(|span| span.bytes.end <= decided);
        item.spans = 0..0;
        self.findings.items.push(item);
        self.findings.spans = later;
        if let Some(spans) = &mut self.spans {
            spans.begin_line(0);
        }
        early.sort_unstable_by_key(|span| span.bytes.start);
        for span in &mut early {
            span.bytes = span.bytes.start - start..span.bytes.end - start;
        }
        let end = item_starts(self.batch, start, usize::MAX).next().unwrap_or(self.batch.bytes().len());
        let line = self.reported.line.get_or_insert_with(|| Arc::new(self.batch.copy_of(start..end)));
        (self.exits.early)(EarlyOutput::Spans(EarlySpans { line: line.clone(), spans: early }));
    }

    /// Where a pattern without symbols may select any line or record: gives away those before a place, but for the last ones.
    fn report_empty(&mut self, until: usize) {
        if self.patterns.empty().is_empty() {
            return;
        }
        let from = std::mem::replace(&mut self.reported.counted_to, until);
        for start in item_starts(self.batch, from, until) {
            self.reported.waiting += 1;
            if self.reported.waiting >= MANY_UNITS {
                self.report_until(start);
                self.reported.waiting = 0;
            }
        }
    }

    /// What was found in the lines or records up to a place that were not given away, in offsets of a batch of these alone.
    fn findings_before(&mut self, end: usize) -> Findings {
        let start = self.reported.to;
        let mut findings = std::mem::take(&mut self.findings);
        if !self.patterns.empty().is_empty() {
            select_empty(self.patterns, self.batch, start..end, &mut findings);
        }
        if !self.lengths.is_empty() {
            let segments = self.batch.segments();
            let first = segments.partition_point(|segment| segment.record.start < start);
            let last = segments.partition_point(|segment| segment.record.start < end);
            findings.lengths = self.lengths[first..last].to_vec();
        }
        findings.shift_back(start);
        findings
    }
}

/// Alternatives of one pattern may end at the same place: the best of them is the pattern's hit.
pub(crate) fn keep_best_alternatives(patterns: &[Pattern], hits: &mut Vec<Hit>) {
    let same = |a: &Hit, b: &Hit| {
        let (first, second) = (&patterns[a.pattern], &patterns[b.pattern]);
        a.end == b.end && first.label() == second.label() && first.strand() == second.strand()
    };
    // The alternatives of a pattern follow each other in the set, so their hits do.
    hits.dedup_by(|later, kept| {
        let is_same = same(later, kept);
        if is_same && later.distance < kept.distance {
            *kept = *later;
        }
        is_same
    });
}

/// The length of the record that the batches before left open, if it ends in this one and lengths are wanted.
fn ended_record(batch: &Batch, lengths: &[u64]) -> Option<u64> {
    let ends = batch.segments().first().is_some_and(|segment| segment.continues && segment.closes);
    lengths.first().copied().filter(|_| ends)
}

/// For each part of a record, how many residues the record has up to the end of what the batch owns of it.
fn record_lengths(batch: &Batch) -> Vec<u64> {
    let until = |segment: &Segment| if segment.closes { segment.bytes.end } else { batch.owned().end };
    let residues = |segment: &Segment| {
        let end = until(segment).clamp(segment.bytes.start, segment.bytes.end);
        count_residues(&batch.bytes()[segment.bytes.start..end]) as u64
    };
    batch.segments().iter().map(|segment| segment.position + residues(segment)).collect()
}
