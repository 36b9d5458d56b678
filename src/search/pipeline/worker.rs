//! Searches batches. Also reads parts of files and small files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::divided::BatchSource;
use super::group::{self, Outbox};
use super::shared::Shared;
use super::work::{Event, QueuedInput, SmallFile, Work, WorkItem};
use crate::report::Findings;
use crate::search::InputKind;
use crate::search::batch_work::BatchWorker;
use crate::search::ordered::handoff::OrderedHandoff;
use crate::search::select::best_hits::CarriedSelection;
use crate::search::select::selector::{BatchOutputs, EarlyOutput};
use nigh_core::batch::{Batch, TextBuffer};
use nigh_core::engine::EngineError;
use nigh_core::interrupt;

/// Runs tasks until there are no more.
pub(super) fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
    let mut worker = Worker::new(shared);
    while let Ok(work) = work.recv() {
        let number = work.number;
        let event = worker.search(work, &mut |event| {
            shared.turn.wait_for(number);
            // The receiver is gone if the writer has enough.
            let _ = events.send((number, event));
        });
        if events.send((number, event)).is_err() {
            return;
        }
    }
}

/// The search state of one thread.
pub(super) struct Worker<'a> {
    shared: &'a Shared,
    text: Option<Box<dyn BatchWorker + 'a>>,
    sequences: Option<Box<dyn BatchWorker + 'a>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared) -> Self {
        Worker { shared, text: None, sequences: None }
    }

    /// Runs a task and returns its event. `early` receives the events that must not wait for the end of the task.
    pub(super) fn search(&mut self, work: Work, early: &mut dyn FnMut(Event)) -> Event {
        let search = AssertUnwindSafe(|| match work.task {
            WorkItem::Text { input, text, slot } => self.search_text(&input, text, slot, early),
            WorkItem::Group(files, buffer) => {
                let mut send = |events| early(Event::Group(events, None));
                let mut outbox = Outbox::new(files.len(), &mut send);
                files.iter().for_each(|file| self.search_small(file, &mut outbox));
                Event::Group(outbox.into_events(), Some(buffer))
            }
        });
        // The writer waits for the event with this sequence number, so it must be told of a panic.
        catch_unwind(search).unwrap_or(Event::Stopped)
    }

    fn search_text(
        &mut self,
        input: &Arc<QueuedInput>,
        text: BatchSource,
        slot: Option<u64>,
        early: &mut dyn FnMut(Event),
    ) -> Event {
        let slot = slot.map(|slot| self.shared.undecided.slot(slot));
        let times = &self.shared.times;
        let is_wanted = self.shared.is_wanted(input);
        let batch = if is_wanted { times.read.time(|| text.into_batch()) } else { Err(text.give_up()) };
        match batch {
            Ok(batch) => {
                if let Some(time) = self.estimate(input, &batch) {
                    early(Event::Estimate(input.clone(), batch.owned().len(), time));
                }
                let mut early = |one| early(event_of(input, one));
                let (batch, findings) = self.search_batch(input, batch, BatchOutputs { early: &mut early, slot });
                Event::Searched(input.clone(), batch, findings)
            }
            Err(no_batch) => {
                if let Some(slot) = slot {
                    slot.pass_on();
                }
                Event::NoBatch(input.clone(), no_batch)
            }
        }
    }

    /// Estimates the time for a batch, if it is the first of the search.
    fn estimate(&self, input: &QueuedInput, batch: &Batch) -> Option<Duration> {
        let is_first = !self.shared.is_estimated.load(Ordering::Relaxed)
            && !self.shared.is_estimated.swap(true, Ordering::Relaxed);
        let estimate = || self.shared.config(input.input.kind).work.estimate(batch);
        if is_first { estimate() } else { None }
    }

    /// Reads and searches a small file.
    fn search_small(&mut self, small: &SmallFile, outbox: &mut Outbox<'_>) {
        let input = &small.input;
        if !self.shared.is_wanted(input) {
            return;
        }
        let mut batcher = match group::open(self.shared, small) {
            Ok(batcher) => batcher,
            Err(error) => return outbox.put(Event::Failed(input.clone(), error)),
        };
        outbox.put(Event::Begin(input.clone()));
        let hands_on = self.shared.config(input.input.kind).hands_on;
        let handoff = hands_on.then(|| OrderedHandoff::new(CarriedSelection::default()));
        for part in 0.. {
            if !self.shared.is_wanted(input) {
                break;
            }
            let slot = handoff.as_ref().map(|handoff| handoff.slot(part));
            match self.shared.times.read.time(|| batcher.next_batch(&mut TextBuffer::default())) {
                Ok(Some(batch)) => {
                    let mut early = |one| {
                        outbox.put(event_of(input, one));
                        outbox.send();
                    };
                    let (batch, findings) = self.search_batch(input, batch, BatchOutputs { early: &mut early, slot });
                    outbox.put(Event::SearchedSmall(input.clone(), batch, findings));
                }
                Ok(None) => break,
                Err(error) => {
                    outbox.put(Event::Failed(input.clone(), error));
                    break;
                }
            }
        }
        outbox.put(Event::End(input.clone()));
    }

    /// Searches a batch. Returns the part of the batch that was not reported early, and the findings in this part.
    fn search_batch(
        &mut self,
        input: &QueuedInput,
        batch: Batch,
        outputs: BatchOutputs<'_>,
    ) -> (Batch, Result<Findings, EngineError>) {
        let BatchOutputs { early, slot } = outputs;
        let watch = self.shared.watch.as_ref();
        let mut early = |one| {
            if let (Some(watch), EarlyOutput::Part(_, findings)) = (watch, &one) {
                watch.searched(0, findings.hits);
            }
            early(one);
        };
        interrupt::check();
        let search = &self.shared.times.search;
        search.add_bytes(batch.owned().len());
        let result = search.time(|| {
            self.worker(input.input.kind)?.work(&batch, &input.input, BatchOutputs { early: &mut early, slot })
        });
        match result {
            Ok((findings, start)) => {
                if let Some(watch) = watch {
                    watch.searched(batch.owned().len() as u64, findings.hits);
                }
                (batch.starting_at(start), Ok(findings))
            }
            Err(error) => (batch, Err(error)),
        }
    }

    /// Returns the worker for inputs of a kind. The first call for a kind makes the worker.
    fn worker(&mut self, kind: InputKind) -> Result<&mut (dyn BatchWorker + 'a), EngineError> {
        let worker = match kind {
            InputKind::Text => &mut self.text,
            InputKind::Sequences => &mut self.sequences,
        };
        match worker {
            Some(worker) => Ok(worker.as_mut()),
            None => {
                let config = self.shared.config(kind);
                Ok(worker.insert(config.work.worker(&config.needs)?).as_mut())
            }
        }
    }
}

/// Converts an early output to an event.
fn event_of(input: &Arc<QueuedInput>, early: EarlyOutput) -> Event {
    match early {
        EarlyOutput::Rows(rows) => Event::Rows(input.clone(), rows),
        EarlyOutput::Spans(spans) => Event::Spans(input.clone(), spans),
        EarlyOutput::Part(batch, findings) => Event::Part(input.clone(), batch, *findings),
    }
}
