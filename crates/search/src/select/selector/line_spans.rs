//! Parts of `Sink` for the matches shown in lines: those of the current line, and those of a line that is cut between
//! batches.

use std::sync::Arc;

use super::{CurrentLine, EARLY_ITEMS, HitEnd, Sink};
use crate::batch_work::EarlyOutput;
use crate::ordered::handoff::HandoffSlot;
use crate::select::best_hits::CarriedSelection;
use crate::select::items::{item_starts, line_around};
use crate::select::spans::UndecidedLine;
use nigh_report::{DistanceFloor, EarlySpans};
use nigh_verify::EngineError;

impl Sink<'_, '_, '_> {
    /// Returns whether a hit in the current item is after its current line, because lines form records.
    pub(super) fn is_after_line(&self, hit_end: HitEnd) -> bool {
        matches!((hit_end, &self.line), (HitEnd::Here(end), Some(line)) if end > line.end)
    }

    /// Begins the line of a hit in the current item.
    pub(super) fn begin_line(&mut self, hit_end: HitEnd) {
        let end = match (&self.batch.records, self.batch.lines(), hit_end) {
            (Some(_), Some(lines), HitEnd::Here(end)) => line_around(self.batch, lines, end).end,
            _ => usize::MAX,
        };
        self.line = Some(CurrentLine { end, first_span: self.findings.spans.len() });
    }

    /// Ends the current line or record, which has no more hits in this batch. Does nothing if it has ended before.
    pub(super) fn end_item(&mut self) {
        if self.line.is_none() {
            return;
        }
        self.end_line();
        let (Some(spans), Some(item)) = (&mut self.spans, self.findings.items.last_mut()) else { return };
        let is_cut = self.outputs.slot.is_some();
        item.spans.end = self.findings.spans.len();
        // A line is reported with the batch in which its matches are decided.
        let is_shown = self.reported.line.is_some() || !item.spans.is_empty();
        let awaits_previous = item.continues && spans.awaits_previous();
        if is_cut && (item.continues || item.open) && !is_shown && !awaits_previous {
            self.findings.items.pop();
        }
        if let Some(DistanceFloor::Spans(least)) = self.needs.floor {
            self.findings.keep_spans_from(least);
        }
    }

    /// Ends the current line, which has no more hits in this batch.
    pub(super) fn end_line(&mut self) {
        let Some(line) = self.line.take() else { return };
        let (Some(spans), Some(item)) = (&mut self.spans, self.findings.items.last()) else { return };
        let first = if self.batch.records.is_some() { line.first_span } else { item.spans.start };
        let ended = match self.outputs.slot.is_some() && item.open {
            true => spans.interrupt_line(self.batch, &mut self.findings.spans, first),
            false => spans.end_line(self.batch, &mut self.findings.spans, first),
        };
        if let Err(error) = ended {
            self.failed = Some(error);
        }
    }

    /// Ends the last line of the batch, and hands on its undecided matches if it continues in the next batch.
    pub(super) fn end_lines(&mut self) -> Result<(), EngineError> {
        if self.spans.as_ref().is_some_and(|spans| spans.awaits_previous()) && self.findings.items.is_empty() {
            // The matches of the previous batch belong to this line.
            _ = self.enter_item(HitEnd::Before);
        }
        let is_open = self.findings.items.last().is_some_and(|item| item.open);
        let (Some(spans), Some(slot)) = (&mut self.spans, &self.outputs.slot) else {
            self.end_item();
            return Ok(());
        };
        spans.complete_head(if is_open { spans.frontier(self.batch) } else { u64::MAX });
        if spans.awaits_previous() && !spans.has_complete_head() {
            spans.receive(self.batch, Self::previous(Some(slot)))?;
        }
        self.end_item();
        if let (Some(spans), Some(slot)) = (&mut self.spans, &self.outputs.slot) {
            slot.hand_on(CarriedSelection::of_line(spans.hand_on(self.batch)));
        }
        self.receive_head();
        Ok(())
    }

    /// If the batch begins inside a line, receives the undecided matches of the previous batch. Adds the selected ones
    /// among them and among the matches of this batch that waited for them.
    pub(super) fn receive_head(&mut self) {
        let Some(spans) = self.spans.as_mut().filter(|spans| spans.awaits_previous()) else { return };
        let head = spans.receive(self.batch, Self::previous(self.outputs.slot.as_ref()));
        match head {
            Ok(head) if head.is_empty() => {}
            Ok(head) => {
                let item = self.item_around(HitEnd::Before);
                self.findings.prepend_spans(head, item);
            }
            Err(error) => self.failed = Some(error),
        }
        let items = &mut self.findings.items;
        if items.first().is_some_and(|first| first.continues && first.spans.is_empty()) {
            items.remove(0);
        }
    }

    /// If `EARLY_ITEMS` matches wait, reports those of the current line that end at or before the offset `decided`.
    pub(super) fn report_spans(&mut self, decided: Option<usize>) {
        let Some(decided) = decided.filter(|_| self.needs.early_spans && self.batch.records.is_none()) else { return };
        if self.findings.spans.len() < EARLY_ITEMS {
            return;
        }
        self.receive_head();
        let mut item = self.findings.items.pop().expect("the item of these matches");
        let matches = self.findings.spans.split_off(item.spans.start);
        let start = item.record.start;
        self.report_until(start);
        let (mut early, later) = matches.into_iter().partition::<Vec<_>, _>(|span| span.bytes.end <= decided);
        item.spans = 0..0;
        self.findings.items.push(item);
        self.findings.spans = later;
        early.sort_unstable_by_key(|span| span.in_input(self.batch.position(0)).start);
        for span in early.iter_mut().filter(|span| span.carried.is_none()) {
            span.bytes = span.bytes.start - start..span.bytes.end - start;
        }
        let end = item_starts(self.batch, start, usize::MAX).next().unwrap_or(self.batch.bytes().len());
        let line = self.reported.line.get_or_insert_with(|| Arc::new(self.batch.copy_of(start..end)));
        (self.outputs.early)(EarlyOutput::Spans(EarlySpans { line: line.clone(), spans: early }));
    }

    /// Waits for the undecided matches of the line that continues from the previous batch, and returns them.
    pub(super) fn previous(slot: Option<&HandoffSlot<'_, CarriedSelection>>) -> UndecidedLine {
        slot.and_then(HandoffSlot::wait).unwrap_or_default().line
    }
}
