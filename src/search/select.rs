//! From the hits of a batch to what a report needs: lines and records, the matches shown in them, rows.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memrchr};

use super::Input;
use super::clusters::{Clusters, Undecided};
use super::relay::Leg;
use super::spans::SpanChooser;
use crate::alignment::Alignment;
use crate::alphabet::count_residues;
use crate::engine::{Aligner, Engine, EngineError, Scanner};
use crate::hit::{Hit, HitSink};
use crate::input::{Batch, Layout, Lines, Segment};
use crate::pattern::{Edge, Pattern, PatternSet};
use crate::report::{Detail, EarlyRows, Findings, Hits, Place, Rows, Spans, Unit};
use crate::text::symbols;

/// So many bytes of rows do not wait for the end of their batch.
const MANY_ROWS: usize = 4 << 20;

/// So many hits are aligned before their rows are written, which bounds the memory of alignments and of rows. One core
/// of a Zen 4 server, 4 million rows: 1.35 s with 128, 1,024, 4,096 and 16,384.
const PIECE: usize = 1 << 10;

/// Searches one batch at a time.
pub(super) struct Selector<'a> {
    patterns: &'a PatternSet,
    scanner: Box<dyn Scanner + 'a>,
    rows: Option<RowWriter<'a>>,
    spans: Option<SpanChooser<'a>>,
    clusters: Option<Clusters<'a>>,
    detail: &'a Detail,
}

/// Where something of a batch goes before all of it is searched.
pub(super) struct Exits<'e> {
    /// Takes rows that are too many to wait for the end of the batch.
    pub(super) rows: &'e mut dyn FnMut(EarlyRows),
    /// Takes from the batch before and hands on to the next what is not decided, where hits are chosen.
    pub(super) leg: Option<Leg<'e, Undecided>>,
}

impl<'a> Selector<'a> {
    pub(super) fn new(engine: &'a dyn Engine, detail: &'a Detail) -> Result<Self, EngineError> {
        let rows = match &detail.rows {
            Some(rows) => Some(RowWriter::new(rows.as_ref(), engine)?),
            None => None,
        };
        let spans = match detail.spans {
            Spans::None => None,
            wanted => Some(SpanChooser::new(engine.patterns(), engine.aligner()?, wanted)),
        };
        let clusters = (detail.hits == Hits::Best).then(|| Clusters::new(engine.patterns()));
        Ok(Selector { patterns: engine.patterns(), scanner: engine.scanner()?, rows, spans, clusters, detail })
    }

    /// Finds what the report needs in a batch.
    pub(super) fn search(&mut self, batch: &Batch, input: &Input, exits: Exits<'_>) -> Result<Findings, EngineError> {
        let lengths = if self.detail.lengths { record_lengths(batch) } else { Vec::new() };
        let mut sink = Sink {
            batch,
            input,
            patterns: self.patterns,
            detail: self.detail,
            rows: self.rows.as_mut(),
            spans: self.spans.as_mut(),
            clusters: self.clusters.as_mut(),
            findings: Findings { lengths, ..Findings::default() },
            counted: Counted::default(),
            kept: Vec::new(),
            failed: None,
            exits,
        };
        self.scanner.scan(batch, &mut sink)?;
        sink.end_clusters()?;
        sink.end_unit();
        if let Some(error) = sink.failed {
            return Err(error);
        }
        let mut findings = sink.findings;
        if !self.patterns.empty().is_empty() {
            select_empty(self.patterns, batch, &mut findings);
        }
        Ok(findings)
    }
}

/// Takes the hits of one batch.
struct Sink<'a, 's, 'e> {
    batch: &'a Batch,
    input: &'a Input,
    patterns: &'a PatternSet,
    detail: &'a Detail,
    rows: Option<&'a mut RowWriter<'s>>,
    spans: Option<&'a mut SpanChooser<'s>>,
    clusters: Option<&'a mut Clusters<'s>>,
    findings: Findings,
    counted: Counted,
    kept: Vec<Hit>,
    failed: Option<EngineError>,
    exits: Exits<'e>,
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
        // Among the matches to be shown, the alternatives of a pattern compete by where they start.
        if self.spans.is_none() {
            keep_best_alternatives(self.patterns.patterns(), &mut kept);
        }
        if let (Some(clusters), Some(leg)) = (&mut self.clusters, &self.exits.leg) {
            let mut chosen = Vec::new();
            clusters.take(self.batch, &kept, leg, &mut chosen);
            kept = chosen;
        }
        let flow = self.take_pieces(&kept)?;
        self.kept = kept;
        Ok(flow)
    }

    /// Takes the last hits that are chosen.
    fn end_clusters(&mut self) -> Result<(), EngineError> {
        let mut chosen = Vec::new();
        if let (Some(clusters), Some(leg)) = (&mut self.clusters, self.exits.leg.take()) {
            clusters.finish(self.batch, leg, &mut chosen);
        }
        self.take_pieces(&chosen).map(|_| ())
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
        if let Some(rows) = &mut self.rows {
            rows.align(self.batch, hits)?;
        }
        for (index, &hit) in hits.iter().enumerate() {
            let flow = self.take_one(index, hit)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Sends the rows so far on their way, if they are many.
    fn send_rows(&mut self) {
        let findings = &mut self.findings;
        if self.detail.all_rows && findings.rows.len() >= MANY_ROWS {
            let ended = findings.ended(self.batch);
            (self.exits.rows)(EarlyRows { bytes: std::mem::take(&mut findings.rows), ended });
            findings.units.iter_mut().for_each(|unit| unit.rows = 0..0);
        }
    }

    fn take_one(&mut self, index: usize, hit: Hit) -> Result<ControlFlow<()>, EngineError> {
        let units = &self.findings.units;
        if units.last().is_none_or(|unit| hit.end > unit.bytes.end) {
            if units.len() >= self.detail.units {
                return Ok(ControlFlow::Break(()));
            }
            self.end_unit();
            let unit = self.unit_around(hit);
            self.findings.units.push(unit);
        }
        let findings = &mut self.findings;
        let unit = findings.units.last_mut().expect("the unit of this hit");
        unit.cost = unit.cost.min(hit.distance);
        unit.hits += 1;
        if let Some(spans) = &mut self.spans {
            spans.add(self.batch, hit, &mut findings.spans)?;
        }
        if let Some(rows) = &self.rows {
            let pattern = &self.patterns.patterns()[hit.pattern];
            let end = self.counted.position(self.batch, hit.end);
            let aligned = rows.aligned.get(index);
            let length = findings.lengths.get(self.counted.segment);
            let place = Place {
                label: &self.input.label,
                record: &self.batch.bytes()[unit.name.clone()],
                start: end
                    - aligned.map_or(0, |alignment| match self.batch.layout() {
                        Layout::Lines(_) => (alignment.end - alignment.start) as u64,
                        Layout::Records(_) => alignment.cigar.text_length() as u64,
                    }),
                end,
                record_length: length.copied().filter(|_| !unit.open),
                pattern: self.patterns.label(pattern),
                number: pattern.label(),
                letters: &rows.letters[hit.pattern],
                distance: hit.distance,
                strand: pattern.strand(),
                cigar: aligned.map(|alignment| &alignment.cigar),
                matched: aligned.map_or(&[], |alignment| &self.batch.bytes()[alignment.start..alignment.end]),
            };
            rows.rows.row(&place, &mut findings.rows);
            unit.rows.end = findings.rows.len();
        }
        let first_is_enough = self.spans.is_none() && self.rows.is_none() && findings.units.len() == self.detail.units;
        Ok(if first_is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The line or segment with the last symbol of the hit.
    fn unit_around(&self, hit: Hit) -> Unit {
        let unit = match self.batch.layout() {
            Layout::Lines(lines) => line_around(self.batch, lines, hit.end),
            Layout::Records(_) => segment_unit(self.batch, self.batch.segment_before(hit.end)),
        };
        let (spans, rows) = (self.findings.spans.len(), self.findings.rows.len());
        Unit { cost: hit.distance, spans: spans..spans, rows: rows..rows, ..unit }
    }

    /// No more hits are in the unit at hand.
    fn end_unit(&mut self) {
        if let (Some(spans), Some(unit)) = (&mut self.spans, self.findings.units.last_mut()) {
            if let Err(error) = spans.end_line(self.batch, &mut self.findings.spans) {
                self.failed = Some(error);
            }
            if let Some(most) = self.input.most {
                // A match that may not reach over the one before can have more errors than its end alone says.
                let shown = self.findings.spans.split_off(unit.spans.start);
                self.findings.spans.extend(shown.into_iter().filter(|span| span.distance <= most));
            }
            unit.spans.end = self.findings.spans.len();
        }
    }
}

/// Alternatives of one pattern may end at the same place: the best of them is the pattern's hit.
fn keep_best_alternatives(patterns: &[Pattern], hits: &mut Vec<Hit>) {
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

fn line_around(batch: &Batch, lines: &Lines, end: usize) -> Unit {
    let bytes = batch.bytes();
    let start = memrchr(lines.terminator, &bytes[..end]).map_or(0, |before| before + 1);
    let stop = memchr(lines.terminator, &bytes[end..]).map_or(bytes.len(), |behind| end + behind);
    line_unit(batch, lines, start..stop)
}

fn line_unit(batch: &Batch, lines: &Lines, bytes: Range<usize>) -> Unit {
    Unit {
        // Context is there only before a line that was cut.
        continues: bytes.start == 0 && batch.owned().start > 0,
        open: bytes.end == batch.bytes().len() && !lines.closes,
        record: bytes.clone(),
        bytes,
        name: 0..0,
        cost: 0,
        hits: 0,
        spans: 0..0,
        rows: 0..0,
    }
}

fn segment_unit(batch: &Batch, index: usize) -> Unit {
    let segment = &batch.segments()[index];
    Unit {
        bytes: segment.bytes.clone(),
        name: segment.name.clone(),
        record: segment.record.clone(),
        continues: segment.continues,
        open: !segment.closes,
        cost: 0,
        hits: 0,
        spans: 0..0,
        rows: 0..0,
    }
}

/// Adds the lines and records in which a pattern without symbols matches; it does so without an error.
fn select_empty(patterns: &PatternSet, batch: &Batch, findings: &mut Findings) {
    let all: Vec<Unit> = match batch.layout() {
        Layout::Lines(lines) => {
            let end = |bytes: &[u8]| memchr(lines.terminator, bytes).unwrap_or(bytes.len());
            let mut start = 0;
            let mut units = Vec::new();
            while start < batch.bytes().len() {
                units.push(line_unit(batch, lines, start..start + end(&batch.bytes()[start..])));
                start += end(&batch.shown()[start..]) + lines.width;
            }
            units
        }
        Layout::Records(segments) => (0..segments.len()).map(|index| segment_unit(batch, index)).collect(),
    };
    let mut found = std::mem::take(&mut findings.units).into_iter().peekable();
    for unit in all {
        let with_hits = found.next_if(|with_hits| with_hits.bytes == unit.bytes);
        match matches_empty(patterns, batch, &unit) {
            true => findings.units.push(Unit { cost: 0, ..with_hits.unwrap_or(unit) }),
            false => findings.units.extend(with_hits),
        }
    }
}

/// Whether there is a place in a line or record where both edges of a pattern without symbols hold.
fn matches_empty(patterns: &PatternSet, batch: &Batch, unit: &Unit) -> bool {
    if patterns.empty().contains(&(Edge::FREE, Edge::FREE)) {
        return true;
    }
    let text = &batch.bytes()[unit.bytes.clone()];
    let mut before = None;
    let mut after = symbols(patterns.alphabet(), text).map(|placed| placed.symbol);
    loop {
        let next = after.next();
        // What is beyond a cut is in another batch, and with it the places next to the cut.
        let at_cut = (before.is_none() && starts_before(batch, unit)) || (next.is_none() && unit.open);
        let mut edges = patterns.empty().iter();
        if !at_cut && edges.any(|(start, end)| start.holds(before, next) && end.holds(next, before)) {
            return true;
        }
        if next.is_none() {
            return false;
        }
        before = next;
    }
}

/// Whether a line or record starts before the batch. A part of it may be in the batch before and its start here all the
/// same: the header alone, say.
fn starts_before(batch: &Batch, unit: &Unit) -> bool {
    let opens = match batch.layout() {
        Layout::Lines(lines) => lines.opens,
        // Only the first can have a part in the batch before.
        Layout::Records(segments) => segments[0].opens,
    };
    unit.continues && !opens
}

/// Formats hits as rows.
struct RowWriter<'a> {
    rows: &'a dyn Rows,
    aligner: Box<dyn Aligner + 'a>,
    /// The alignments of the hits at hand, if rows show them.
    aligned: Vec<Alignment>,
    /// The letters of each pattern.
    letters: Vec<String>,
}

impl<'a> RowWriter<'a> {
    fn new(rows: &'a dyn Rows, engine: &'a dyn Engine) -> Result<Self, EngineError> {
        let patterns = engine.patterns();
        let letters = patterns.patterns().iter().map(|pattern| pattern.letters(patterns.alphabet())).collect();
        Ok(RowWriter { rows, aligner: engine.aligner()?, aligned: Vec::new(), letters })
    }

    fn align(&mut self, batch: &Batch, hits: &[Hit]) -> Result<(), EngineError> {
        self.aligned.clear();
        match self.rows.wants_alignment() {
            true => self.aligner.align(batch, hits, &mut self.aligned),
            false => Ok(()),
        }
    }
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

/// Counts residues from one hit to the next, so that all positions of a batch cost one pass over it.
#[derive(Default)]
struct Counted {
    segment: usize,
    at: usize,
    position: u64,
}

impl Counted {
    /// The position that follows the symbol before `end`: in its record, or in the text.
    fn position(&mut self, batch: &Batch, end: usize) -> u64 {
        let segments = match batch.layout() {
            Layout::Lines(lines) => return lines.offset + end as u64,
            Layout::Records(segments) => segments,
        };
        let same = |segment: &Segment| segment.bytes.start < end && end <= segment.bytes.end;
        if self.at == 0 || !same(&segments[self.segment]) {
            let index = batch.segment_before(end);
            let segment = &segments[index];
            *self = Counted { segment: index, at: segment.bytes.start, position: segment.position };
        }
        self.position += count_residues(&batch.bytes()[self.at..end]) as u64;
        self.at = end;
        self.position
    }
}
