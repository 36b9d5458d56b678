//! Turns the hits of a batch into findings: lines or records, the matches shown in them, and rows.

mod hit_rows;
mod line_spans;

use std::ops::ControlFlow;
use std::sync::Arc;

use super::best_hits::{BestHits, HITS_PER_ALIGNMENT, MatchedText, RankedMatch};
use super::circle::CircleHits;
use super::items::{item_around, item_of_segment, item_starts, record_lengths, select_empty};
use super::positions::Positions;
use super::rows::{Located, RowWriter};
use super::spans::LineMatchSelector;
use crate::Input;
use crate::batch_work::{BatchOutputs, BatchWorker, EarlyOutput};
use nigh_engine::Engine;
use nigh_pattern::PatternSet;
use nigh_report::{
    Admission, BatchAllowance, DistanceFloor, Findings, HitList, HitSelection, ItemHits, MatchDetail, MatchedItem,
    ReportNeeds,
};
use nigh_text::alignment::Alignment;
use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::choice::alternatives::keep_best_alternatives;
use nigh_verify::{EngineError, Scanner, StartPatterns, WantedHits};

/// Number of lines or records with a hit, or of matches shown in lines, at which they are reported before the end of
/// their batch. A line or record takes about 100 bytes and a match about 50, and each worker has two batches in flight.
const EARLY_ITEMS: usize = 1 << 16;

/// Searches one batch at a time for a report.
pub(crate) struct Selector<'a> {
    patterns: &'a PatternSet,
    scanner: Box<dyn Scanner + 'a>,
    rows: Option<RowWriter<'a>>,
    spans: Option<LineMatchSelector<'a>>,
    best: Option<BestHits<'a>>,
    needs: &'a ReportNeeds,
    /// For each pattern, the index of its source, if hits are counted by pattern. The patterns also hold this index,
    /// but take far more memory.
    sources: Vec<u32>,
    /// Decides which hits are reported, if their number is limited.
    allowance: Option<BatchAllowance>,
    /// An empty list with room for the hits of the last batch. A list that grows from nothing in each batch costs up to
    /// a fifth of the time of a search with many hits, in page faults.
    found: HitList,
}

impl<'a> Selector<'a> {
    /// Makes a selector. `starts` are the patterns whose sites are at the start of matches, if the report needs sites and
    /// there are such patterns.
    pub(crate) fn new(
        engine: &'a Engine,
        needs: &'a ReportNeeds,
        starts: Option<Arc<StartPatterns>>,
    ) -> Result<Self, EngineError> {
        let rows = match &needs.each_hit {
            Some(form) => Some(RowWriter::new(form, engine)?),
            None => None,
        };
        let spans = match needs.spans {
            MatchDetail::None => None,
            wanted => Some(LineMatchSelector::new(engine.patterns(), engine.aligner()?, wanted)),
        };
        let best = match needs.hits {
            HitSelection::All => None,
            selection => Some(BestHits::new(engine.patterns(), engine.aligner()?, selection, starts)),
        };
        let patterns = engine.patterns();
        let sources = match (needs.cells, &needs.max_hits) {
            (None, None) => Vec::new(),
            _ => patterns.patterns().iter().map(|pattern| pattern.source() as u32).collect(),
        };
        let allowance = needs.max_hits.clone().map(|limit| BatchAllowance::new(limit, patterns.source_count()));
        Ok(Selector {
            patterns,
            scanner: engine.scanner()?,
            rows,
            spans,
            best,
            needs,
            sources,
            allowance,
            found: HitList::default(),
        })
    }

    /// Returns the hits of each line or record that the report needs.
    fn wanted(&self, input: &Input) -> WantedHits {
        // If only some hits count, for example those within the maximum distance of the input, the search must find all.
        let all_count = input.max_distance.is_none()
            && self.needs.floor.is_none()
            && self.needs.max_hits.is_none()
            && self.needs.circle_seam == 0;
        match self.needs.item_hits {
            ItemHits::Any if all_count => self.spans.as_ref().map_or(WantedHits::One, |spans| spans.needed_hits()),
            _ if self.best.is_some() || self.rows.as_ref().is_some_and(|rows| rows.form.wants_alignment()) => {
                WantedHits::Aligned
            }
            _ => WantedHits::All,
        }
    }
}

impl BatchWorker for Selector<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, input: &Input) -> Result<bool, EngineError> {
        self.scanner.submit(batch, self.wanted(input))
    }

    fn work(
        &mut self,
        batch: &Batch,
        input: &Input,
        outputs: BatchOutputs<'_>,
    ) -> Result<(Findings, usize), EngineError> {
        let wanted = self.wanted(input);
        let lengths = if self.needs.lengths { record_lengths(batch) } else { Vec::new() };
        if let Some(allowance) = &mut self.allowance {
            allowance.begin();
        }
        if let Some(spans) = &mut self.spans {
            spans.set_max_distance(input.max_distance);
            if outputs.slot.is_some() && batch.owned().start > 0 {
                spans.begin_inside_line(batch);
            }
        }
        let mut sink = Sink {
            batch,
            input,
            patterns: self.patterns,
            needs: self.needs,
            rows: self.rows.as_mut(),
            spans: self.spans.as_mut(),
            best: self.best.as_mut(),
            sources: &self.sources,
            allowance: self.allowance.as_mut(),
            findings: Findings { found: std::mem::take(&mut self.found), ..Findings::default() },
            lengths,
            reported: EarlyParts::default(),
            line: None,
            positions: Positions::default(),
            columns: Positions::default(),
            circle: CircleHits::new(self.needs.circle_seam),
            kept: Vec::new(),
            failed: None,
            outputs,
        };
        self.scanner.search(batch, wanted, &mut sink)?;
        if batch.records.is_some() {
            // The writer asks whether a record ends in the batch. It must not have to search for that.
            batch.record_start_after(0);
        }
        sink.end_best()?;
        sink.end_lines()?;
        if let Some(error) = sink.failed {
            return Err(error);
        }
        let end = batch.bytes().len();
        sink.report_empty(end);
        let start = sink.reported.to;
        let findings = sink.findings_before(end);
        self.found = findings.found.empty_like();
        Ok((findings, start))
    }
}

/// The end of a hit.
#[derive(Clone, Copy)]
enum HitEnd {
    /// At this offset in the batch.
    Here(usize),
    /// Before this batch, in the line or record with which the batch starts.
    Before,
}

/// Receives the hits of one batch and collects its findings.
struct Sink<'a, 's, 'e> {
    batch: &'a Batch<'a>,
    input: &'a Input,
    patterns: &'a PatternSet,
    needs: &'a ReportNeeds,
    rows: Option<&'a mut RowWriter<'s>>,
    spans: Option<&'a mut LineMatchSelector<'s>>,
    best: Option<&'a mut BestHits<'s>>,
    sources: &'a [u32],
    allowance: Option<&'a mut BatchAllowance>,
    findings: Findings,
    /// The lengths of all records in the batch, if the report needs them.
    lengths: Vec<u64>,
    reported: EarlyParts,
    /// The current line or record; `None` before the first and once it has ended.
    line: Option<CurrentLine>,
    positions: Positions,
    /// Counts the columns of aligned sequences.
    columns: Positions,
    circle: CircleHits,
    /// The hits of the current call that were not dropped; a buffer that is reused.
    kept: Vec<Hit>,
    failed: Option<EngineError>,
    outputs: BatchOutputs<'e>,
}

/// The line or record whose hits arrive. Of a record of lines, it is one of its lines.
struct CurrentLine {
    /// Offset in the batch of the end of a line in a record of lines; otherwise `usize::MAX`.
    end: usize,
    /// The number of matches of earlier lines.
    first_span: usize,
}

/// The parts of a batch that were reported early.
#[derive(Default)]
struct EarlyParts {
    /// Offset in the batch where the reported parts end.
    to: usize,
    /// Number of lines or records with a hit in these parts.
    items: usize,
    /// The current line as a batch of its own, if some of its matches were reported.
    line: Option<Arc<Batch<'static>>>,
    /// Offset in the batch up to which `waiting` counts lines or records.
    counted_to: usize,
    /// Number of unreported lines or records before `counted_to`, if a pattern without symbols may select them.
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
        if let Some(max_distance) = self.input.max_distance {
            kept.retain(|hit| hit.distance <= max_distance);
        }
        if let (Some(best), Some(slot)) = (&mut self.best, &self.outputs.slot) {
            let mut chosen = Vec::new();
            best.take(self.batch, &kept, slot, &mut chosen)?;
            self.kept = kept;
            return self.take_matches(chosen);
        }
        // If matches are shown in lines, the alternatives of a pattern compete in the span chooser, which knows the
        // starts of their matches.
        if self.spans.is_none() {
            keep_best_alternatives(self.patterns.patterns(), &mut kept);
        }
        if self.circle.are_wanted() {
            kept.retain(|hit| self.circle.has(self.batch, hit.end));
        }
        let flow = self.take_hits(&kept)?;
        self.kept = kept;
        Ok(flow)
    }

    /// Adds the remaining selected matches at the end of a batch.
    fn end_best(&mut self) -> Result<(), EngineError> {
        let (mut chosen, mut known_to) = (Vec::new(), 0);
        if let (Some(best), Some(slot)) = (&mut self.best, &self.outputs.slot) {
            known_to = best.finish(self.batch, slot, &mut chosen)?;
        }
        _ = self.take_matches(chosen)?;
        self.findings.known_to = known_to;
        Ok(())
    }

    fn take_matches(&mut self, matches: Vec<RankedMatch>) -> Result<ControlFlow<()>, EngineError> {
        let least = match self.needs.floor {
            Some(DistanceFloor::Hits(least)) => least,
            Some(DistanceFloor::Spans(_)) | None => 0,
        };
        // The match of a site may have a larger distance than the hit at its end, and thus exceed the maximum.
        let most = self.input.max_distance.unwrap_or(usize::MAX);
        for one in matches.into_iter().filter(|one| (least..=most).contains(&one.hit.distance)) {
            if !self.is_on_circle(&one) {
                continue;
            }
            self.findings.hits += 1;
            let flow = self.take_match(&one)?;
            self.send_rows();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_match(&mut self, one: &RankedMatch) -> Result<ControlFlow<()>, EngineError> {
        let (hit_end, matched) = match &one.text {
            MatchedText::InBatch(range) => (HitEnd::Here(range.end), &self.batch.bytes()[range.clone()]),
            MatchedText::Carried(excerpt) => (HitEnd::Before, excerpt.text()),
        };
        if self.enter_item(hit_end).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let admission = self.admit(one.hit);
        self.count_hit(one.hit, admission);
        if admission == Admission::OverLimit {
            return Ok(self.flow());
        }
        if self.rows.as_ref().is_some_and(|rows| rows.form.wants_alignment()) {
            let columns = match &one.text {
                MatchedText::InBatch(range) => self.columns(range),
                // A record with gaps is whole.
                MatchedText::Carried(_) => None,
            };
            let (positions, cigar) = (one.range.clone(), Some(&one.cigar));
            self.add_row(one.hit, &Located { positions, columns, cigar, matched });
        } else {
            self.add_row(one.hit, &Located::unaligned(one.range.end));
        }
        Ok(self.flow())
    }

    fn take_hits(&mut self, hits: &[Hit]) -> Result<ControlFlow<()>, EngineError> {
        self.findings.hits += hits.len() as u64;
        for chunk in hits.chunks(HITS_PER_ALIGNMENT) {
            let flow = self.take_chunk(chunk)?;
            self.send_rows();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_chunk(&mut self, hits: &[Hit]) -> Result<ControlFlow<()>, EngineError> {
        let admissions = self.admissions(hits);
        let mut aligned = Vec::new();
        if let Some(rows) = &mut self.rows {
            match &admissions {
                None => rows.align(self.batch, hits)?,
                Some(admissions) => rows.align(self.batch, &reported(hits, admissions))?,
            }
            aligned = std::mem::take(&mut rows.aligned);
        }
        let mut alignments = aligned.iter();
        let mut flow = ControlFlow::Continue(());
        for (index, &hit) in hits.iter().enumerate() {
            let admission = admissions.as_ref().map_or(Admission::Reported, |admissions| admissions[index]);
            flow = match admission {
                Admission::Reported => self.take_one(hit, admission, alignments.next())?,
                Admission::OverLimit => self.take_one(hit, admission, None)?,
            };
            if flow.is_break() {
                break;
            }
        }
        if let Some(rows) = &mut self.rows {
            rows.aligned = aligned;
        }
        Ok(flow)
    }

    fn take_one(
        &mut self,
        hit: Hit,
        admission: Admission,
        aligned: Option<&Alignment>,
    ) -> Result<ControlFlow<()>, EngineError> {
        if self.enter_item(HitEnd::Here(hit.end)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.count_hit(hit, admission);
        if let Some(spans) = &mut self.spans {
            let slot = self.outputs.slot.as_ref();
            let decided = spans.add(self.batch, hit, &|| Self::previous(slot), &mut self.findings.spans)?;
            self.report_spans(decided);
        }
        if self.rows.is_some() && admission == Admission::Reported {
            let end = self.positions.after(self.batch, hit.end);
            let located = match aligned {
                Some(alignment) => Located {
                    positions: end - self.length(alignment)..end,
                    columns: self.columns(&(alignment.start..alignment.end)),
                    cigar: Some(&alignment.cigar),
                    matched: &self.batch.bytes()[alignment.start..alignment.end],
                },
                None => Located::unaligned(end),
            };
            self.add_row(hit, &located);
        }
        Ok(self.flow())
    }

    /// Moves on to the line or record of a hit. Returns `Break` if no more lines or records are wanted.
    fn enter_item(&mut self, hit_end: HitEnd) -> ControlFlow<()> {
        let is_inside = match (self.findings.items.last(), hit_end) {
            (None, _) => false,
            (Some(item), HitEnd::Here(end)) => end <= item.bytes.end,
            (Some(_), HitEnd::Before) => true,
        };
        if is_inside {
            if self.is_after_line(hit_end) {
                self.end_line();
                self.begin_line(hit_end);
            }
            return ControlFlow::Continue(());
        }
        self.end_item();
        if self.reported.items + self.findings.items.len() >= self.needs.max_items {
            return ControlFlow::Break(());
        }
        self.reported.line = None;
        let item = self.item_around(hit_end);
        let start = item.record.start;
        if self.findings.items.len().max(self.findings.spans.len()) >= EARLY_ITEMS && self.batch.starts_item(start) {
            self.report_until(start);
        }
        self.report_empty(start);
        // The findings before it may have been reported.
        let item = self.without_findings(item);
        if let (Some(spans), false) = (&mut self.spans, item.continues) {
            // The line that continues from the previous batch has ended.
            spans.complete_head(u64::MAX);
        }
        self.findings.items.push(item);
        self.begin_line(hit_end);
        ControlFlow::Continue(())
    }

    /// Returns for each hit whether it is reported; `None` if all hits are reported.
    fn admissions(&mut self, hits: &[Hit]) -> Option<Vec<Admission>> {
        self.allowance.is_some().then(|| hits.iter().map(|&hit| self.admit(hit)).collect())
    }

    /// Returns whether a hit is reported.
    fn admit(&mut self, hit: Hit) -> Admission {
        match &mut self.allowance {
            Some(allowance) => allowance.admit(self.sources[hit.pattern] as usize),
            None => Admission::Reported,
        }
    }

    fn count_hit(&mut self, hit: Hit, admission: Admission) {
        let item = self.findings.items.last_mut().expect("the item of this hit");
        item.hits += 1;
        if hit.distance < item.min_distance {
            item.min_distance = hit.distance;
            if self.needs.nearest {
                self.findings.remove_hits();
            }
        }
        if self.needs.distances {
            self.findings.count_distance(hit.distance);
        }
        if let (Some(layout), Admission::Reported) = (self.needs.cells, admission) {
            self.findings.count_cell(layout, self.sources[hit.pattern] as usize, hit.distance);
        }
    }

    /// Returns whether more hits of the batch are wanted.
    fn flow(&self) -> ControlFlow<()> {
        if !self.needs.needs_each_hit() && self.reported.items + self.findings.items.len() == self.needs.max_items {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Returns the line or segment of a hit.
    fn item_around(&self, hit_end: HitEnd) -> MatchedItem {
        let item = match (self.batch.layout(), hit_end) {
            (Layout::Lines(lines), HitEnd::Here(end)) => item_around(self.batch, lines, end),
            (Layout::Lines(lines), HitEnd::Before) => item_around(self.batch, lines, self.batch.owned().start),
            (Layout::Records(_), HitEnd::Here(end)) => item_of_segment(self.batch, self.batch.segment_before(end)),
            (Layout::Records(_), HitEnd::Before) => item_of_segment(self.batch, 0),
        };
        self.without_findings(item)
    }

    /// Returns a line or segment that has no findings yet.
    fn without_findings(&self, item: MatchedItem) -> MatchedItem {
        let (spans, rows, found) = (self.findings.spans.len(), self.findings.rows.len(), self.findings.found.count());
        let (distances, cells) = (self.findings.distances.len(), self.findings.cells.listed());
        MatchedItem {
            spans: spans..spans,
            rows: rows..rows,
            found: found..found,
            distances: distances..distances,
            cells: cells..cells,
            ..item
        }
    }

    /// Reports the lines or records before `start`, which must be a line or record start.
    fn report_until(&mut self, start: usize) {
        if start > self.reported.to {
            self.receive_head();
            let part = self.batch.copy_of(self.reported.to..start);
            let findings = self.findings_before(start);
            self.reported.items += findings.items.len();
            self.reported.to = start;
            (self.outputs.early)(EarlyOutput::Part(part, Box::new(findings)));
        }
    }

    /// If the set has patterns without symbols, which may select any line or record, reports the lines or records
    /// before `until` in parts of `EARLY_ITEMS`. The last lines or records wait if they are too few for a part.
    fn report_empty(&mut self, until: usize) {
        if self.patterns.empty().is_empty() {
            return;
        }
        let from = std::mem::replace(&mut self.reported.counted_to, until);
        for start in item_starts(self.batch, from, until) {
            self.reported.waiting += 1;
            if self.reported.waiting >= EARLY_ITEMS && self.batch.starts_item(start) {
                self.report_until(start);
                self.reported.waiting = 0;
            }
        }
    }

    /// Takes the findings of the unreported lines or records before `end`, with offsets relative to the first of
    /// them.
    fn findings_before(&mut self, end: usize) -> Findings {
        let start = self.reported.to;
        let mut findings = std::mem::take(&mut self.findings);
        // A match of a pattern without symbols has no edits, so it is below any minimum number of edits.
        if !self.patterns.empty().is_empty() && self.needs.floor.is_none() {
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

/// Returns the hits of `hits` that are reported according to `admissions`.
fn reported(hits: &[Hit], admissions: &[Admission]) -> Vec<Hit> {
    let all = hits.iter().zip(admissions);
    all.filter(|(_, admission)| **admission == Admission::Reported).map(|(&hit, _)| hit).collect()
}
