//! Restores input order among events, and writes the reports.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError};

use super::buffers::TaskPermit;
use super::shared::Shared;
use super::sniff::{WideTextSniffer, has_carriage_returns, is_start, is_tar, resembled_format};
use super::work::{Event, QueuedInput};
use crate::batch_work::EarlyOutput;
use crate::ordered::reorder::Reorder;
use crate::{Input, InputKind, Notice, Outcome, RecordsInText, SearchError, SearchRoute, SkipReason};
use nigh_input::{BinaryInput, Decoding, Encoding, InputError, Origin, leave_stdin_at};
use nigh_report::{EarlyRows, EarlySpans, Findings, Flow, InputFault};
use nigh_text::batch::Batch;
use nigh_text::interrupt;

/// A search that is expected to take at least this long is announced.
const LONG: Duration = Duration::from_secs(180);

/// Time between two checks of a waiting writer whether the search was interrupted.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Receives events, and writes the output of the reports in input order.
pub(super) struct Writer<'a> {
    pub(super) shared: &'a Shared,
    pub(super) text: Option<SearchRoute<'a>>,
    pub(super) sequences: Option<SearchRoute<'a>>,
    /// Gives permits back to the reader.
    pub(super) permits: Sender<TaskPermit>,
    pub(super) failed: bool,
    /// Treatment of text that looks like sequence records; `Ignored` after the first notice.
    pub(super) records_in_text: RecordsInText,
    /// Whether the current input is a tar archive.
    pub(super) is_tar: bool,
    /// Whether the current input is decompressed in order.
    pub(super) is_decompressed: bool,
    /// Looks for UTF-16 in the current input.
    pub(super) wide_text: WideTextSniffer,
    /// Whether the report has ended the current input, whose rest is only read to find damage.
    pub(super) is_only_verified: bool,
    pub(super) out: &'a mut dyn Write,
    pub(super) notify: &'a mut dyn FnMut(&[u8], &Notice),
}

impl<'a> Writer<'a> {
    /// Writes until all inputs have been read or all reports have enough.
    pub(super) fn write_all(mut self, events: &Receiver<(u64, Event)>) -> Result<Outcome, SearchError> {
        let mut order = Reorder::new();
        loop {
            match self.next_event(events)? {
                (_, event @ (Event::Estimate(..) | Event::Early(..) | Event::GroupPart(_))) => {
                    if self.take(event)? == Flow::EnoughOfAll {
                        return self.outcome();
                    }
                }
                (number, event) => order.put(number, event),
            }
            while let Some(event) = order.take() {
                if let Event::Finished = event {
                    return self.outcome();
                }
                if self.take(event)? == Flow::EnoughOfAll {
                    return self.outcome();
                }
                self.shared.turn.pass_to(order.next());
            }
        }
    }

    /// Returns the next event to arrive. Flushes the output before waiting for one.
    fn next_event(&mut self, events: &Receiver<(u64, Event)>) -> Result<(u64, Event), SearchError> {
        match events.try_recv() {
            Ok(event) => return Ok(event),
            Err(TryRecvError::Empty) => self.flush()?,
            Err(TryRecvError::Disconnected) => {}
        }
        loop {
            match events.recv_timeout(CHECK_INTERVAL) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => interrupt::check(),
                Err(RecvTimeoutError::Disconnected) => return Err(SearchError::WorkerStopped),
            }
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), SearchError> {
        self.out.flush().map_err(SearchError::Write)
    }

    pub(super) fn take(&mut self, event: Event) -> Result<Flow, SearchError> {
        match event {
            Event::NotSearched(label, reason) => {
                self.failed |= !matches!(reason, SkipReason::PassedOver(_));
                self.tell(&label, &Notice::NotSearched(reason))?;
                Ok(Flow::More)
            }
            Event::Begin(input, facts) => {
                if let (Some(charset), true) = (facts.guessed, self.shared.is_wanted(&input)) {
                    self.tell(&input.input.label, &Notice::WideText(charset))?;
                }
                let Input { label, origin, .. } = &input.input;
                (self.is_tar, self.is_only_verified) = (false, false);
                self.is_decompressed = facts.is_decompressed;
                self.wide_text.begin(!facts.is_decoded && may_hold_wide_text(&input));
                let report = &mut self.route(&input).report;
                report.begin(label, &|| origin.size());
                Ok(Flow::More)
            }
            Event::Estimate(input, bytes, time) => self.tell_if_long(&input, bytes, time).map(|()| Flow::More),
            Event::Searched(input, batch, findings) => {
                let flow = self.add(&input, &batch, &findings?)?;
                self.give_back(batch);
                Ok(flow)
            }
            Event::SearchedSmall(input, batch, findings) => self.add(&input, &batch, &findings?),
            Event::Group(events) => {
                self.give_permit();
                self.take_all(events)
            }
            Event::GroupPart(events) => self.take_all(events),
            Event::Passed(input, batch) => {
                if !self.is_only_verified {
                    self.route(&input).report.pass(&batch);
                }
                self.give_back(batch);
                Ok(Flow::More)
            }
            Event::NoBatch { input, failure } => {
                self.give_permit();
                failure.map_or(Ok(()), |error| self.fail(&input, error)).map(|()| Flow::More)
            }
            Event::Failed(input, error) => self.fail(&input, error).map(|()| Flow::More),
            Event::EncodingChanged(input, change) => {
                if self.is_reported(&input) {
                    self.tell(&input.input.label, &Notice::EncodingChange(change))?;
                }
                Ok(Flow::More)
            }
            Event::End(input) if self.is_reported(&input) => self.end(&input).map(|()| Flow::More),
            Event::End(_) => Ok(Flow::More),
            Event::Stopped => Err(SearchError::WorkerStopped),
            Event::Early(input, output) => match output {
                EarlyOutput::Rows(rows) => self.add_rows(&input, &rows).map(|()| Flow::More),
                EarlyOutput::Spans(spans) => self.add_spans(&input, &spans).map(|()| Flow::More),
                EarlyOutput::Part(batch, findings) => self.add(&input, &batch, &findings),
            },
            Event::Finished => Ok(Flow::More),
        }
    }

    /// Processes the events of a group, until all reports have enough.
    fn take_all(&mut self, events: Vec<Event>) -> Result<Flow, SearchError> {
        for event in events {
            if self.take(event)? == Flow::EnoughOfAll {
                return Ok(Flow::EnoughOfAll);
            }
        }
        Ok(Flow::More)
    }

    fn add(&mut self, input: &QueuedInput, batch: &Batch, findings: &Findings) -> Result<Flow, SearchError> {
        if !self.is_reported(input) {
            // The reader handed out this batch before it knew that the input is no longer wanted.
            return Ok(Flow::More);
        }
        self.look_for_records(input, batch)?;
        self.look_for_carriage_returns(input, batch)?;
        if let Some(notice) = self.wide_text.look(batch) {
            self.tell(&input.input.label, &notice)?;
        }
        if is_start(batch) {
            self.is_tar = is_tar(batch.shown());
        }
        let times = &self.shared.times;
        let (route, out) = self.route_and_out(input);
        let flow = times.report.time(|| route.report.add(batch, findings, out));
        let flow = flow.map_err(SearchError::of_report)?;
        if flow == Flow::Binary {
            self.tell(&input.input.label, if self.is_tar { &Notice::Tar } else { &Notice::Binary })?;
        }
        if flow == Flow::More {
            return Ok(flow);
        }
        self.end(input)?;
        self.leave_stdin(input);
        if flow == Flow::Binary && self.is_decompressed {
            // The NUL byte may come from damage, which only a checksum after it shows.
            self.is_only_verified = true;
            return Ok(Flow::More);
        }
        self.shared.first_wanted.store(input.index + 1, Ordering::Relaxed);
        // The reader may still be waiting for more of the last input.
        Ok(if input.is_last { Flow::EnoughOfAll } else { flow })
    }

    /// Warns if an input will take minutes or more, given the time that one worker needs for a batch of `bytes`
    /// bytes.
    fn tell_if_long(&mut self, input: &QueuedInput, bytes: usize, time: Duration) -> Result<(), SearchError> {
        let size = input.input.origin.size().unwrap_or(0).max(bytes as u64);
        let workers = self.route(input).work.facts().workers.max(1);
        let seconds = time.as_secs_f64() * size as f64 / bytes.max(1) as f64 / workers as f64;
        match Duration::try_from_secs_f64(seconds) {
            Ok(time) if time >= LONG => self.tell(&input.input.label, &Notice::TakesLong(time)),
            _ => Ok(()),
        }
    }

    /// Gives a notice for the first input of text that begins like sequence records.
    fn look_for_records(&mut self, input: &QueuedInput, batch: &Batch) -> Result<(), SearchError> {
        if self.records_in_text == RecordsInText::Ignored || !is_start(batch) {
            return Ok(());
        }
        match resembled_format(batch.shown()) {
            Some(records) => {
                self.records_in_text = RecordsInText::Ignored;
                self.tell(&input.input.label, &Notice::LooksLike(records))
            }
            None => Ok(()),
        }
    }

    /// Gives a notice if the first header of a FASTA input contains lines that end with carriage returns
    /// alone.
    fn look_for_carriage_returns(&mut self, input: &QueuedInput, batch: &Batch) -> Result<(), SearchError> {
        match batch.segments().first() {
            Some(first) if first.opens && has_carriage_returns(&batch.bytes()[first.record.clone()]) => {
                self.failed = true;
                self.tell(&input.input.label, &Notice::CarriageReturns)
            }
            _ => Ok(()),
        }
    }

    /// Sets the offset of standard input just past the last selected line, for the next process that reads it.
    fn leave_stdin(&mut self, input: &QueuedInput) {
        let start = self.shared.stdin_offset.load(Ordering::Relaxed);
        let selected_to = self.route(input).report.selected_to();
        if let (Origin::Stdin, true, Some(to)) = (&input.input.origin, start != u64::MAX, selected_to) {
            // An error concerns only the next process that reads standard input, so it is ignored.
            let _ = leave_stdin_at(start + to);
        }
    }

    /// Returns whether the report takes more findings in an input.
    fn is_reported(&self, input: &QueuedInput) -> bool {
        self.shared.is_wanted(input) && !self.is_only_verified
    }

    /// Writes rows ahead of the rest of their batch.
    fn add_rows(&mut self, input: &QueuedInput, rows: &EarlyRows) -> Result<(), SearchError> {
        let (route, out) = self.route_and_out(input);
        route.report.add_rows(rows, out).map_err(SearchError::of_report)
    }

    /// Writes matches of a line ahead of its other matches.
    fn add_spans(&mut self, input: &QueuedInput, spans: &EarlySpans) -> Result<(), SearchError> {
        if !self.is_reported(input) {
            return Ok(());
        }
        self.look_for_records(input, &spans.line)?;
        let (route, out) = self.route_and_out(input);
        route.report.add_spans(spans, out).map_err(SearchError::of_report)
    }

    fn end(&mut self, input: &QueuedInput) -> Result<(), SearchError> {
        let (route, out) = self.route_and_out(input);
        for fault in route.report.end(out).map_err(SearchError::of_report)? {
            self.failed = true;
            let notice = match fault {
                InputFault::Records(records) => Notice::BadRecords(records),
                InputFault::Invalid(error) => Notice::Failed(error),
            };
            self.tell(&input.input.label, &notice)?;
        }
        Ok(())
    }

    fn fail(&mut self, input: &QueuedInput, error: InputError) -> Result<(), SearchError> {
        // Errors of an unwanted input are ignored: a search with one thread would not have read this far.
        if self.shared.is_wanted(input) {
            self.failed = true;
            self.tell(&input.input.label, &Notice::Failed(error))?;
        }
        Ok(())
    }

    /// Gives a notice. Flushes the output first, because output and notices may go to the same terminal.
    fn tell(&mut self, label: &[u8], notice: &Notice) -> Result<(), SearchError> {
        self.flush()?;
        (self.notify)(label, notice);
        Ok(())
    }

    /// Gives back the memory and the permit of a batch.
    fn give_back(&self, batch: Batch<'static>) {
        self.shared.buffers.give_back(batch.into_buffer());
        self.give_permit();
    }

    fn give_permit(&self) {
        // The receiver is gone once everything is read.
        let _ = self.permits.send(TaskPermit);
    }

    fn route(&mut self, input: &QueuedInput) -> &mut SearchRoute<'a> {
        self.route_and_out(input).0
    }

    fn route_and_out(&mut self, input: &QueuedInput) -> (&mut SearchRoute<'a>, &mut dyn Write) {
        let route = match input.input.kind {
            InputKind::Text => &mut self.text,
            InputKind::Sequences => &mut self.sequences,
        };
        (route.as_mut().expect("each kind of input has a route"), &mut *self.out)
    }

    pub(super) fn outcome(mut self) -> Result<Outcome, SearchError> {
        let (mut selected, mut exceeded) = (false, Vec::new());
        for route in [&mut self.text, &mut self.sequences].into_iter().flatten() {
            exceeded.extend(route.report.finish(self.out).map_err(SearchError::of_report)?);
            selected |= route.report.has_selected();
        }
        self.flush()?;
        exceeded.into_iter().for_each(|exceeded| (self.notify)(b"", &Notice::MaxHits(exceeded)));
        Ok(Outcome { selected, failed: self.failed })
    }
}

/// Returns whether UTF-16 in an input is reported, unless it is decoded. It is not if the user named an encoding, or asked
/// for no binary files.
fn may_hold_wide_text(QueuedInput { input, .. }: &QueuedInput) -> bool {
    let Decoding { encoding, binary, .. } = input.decoding;
    input.kind == InputKind::Text && encoding == Encoding::Automatic && binary == BinaryInput::Searched
}
