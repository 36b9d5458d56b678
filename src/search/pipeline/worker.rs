//! Searches batches. Also reads parts of files and small files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::divided::{BatchSource, NoBatch};
use super::group::{self, Outbox};
use super::shared::Shared;
use super::work::{Event, QueuedInput, SmallFile, Work, WorkItem};
use crate::report::Findings;
use crate::search::InputKind;
use crate::search::batch_work::BatchWorker;
use crate::search::ordered::handoff::{HandoffSlot, OrderedHandoff};
use crate::search::select::best_hits::CarriedSelection;
use crate::search::select::selector::{BatchOutputs, EarlyOutput};
use nigh_core::batch::{Batch, TextBuffer};
use nigh_core::engine::EngineError;
use nigh_core::interrupt;

/// Runs tasks until there are no more.
///
/// A worker reads and submits the next batch before it completes the one that it submitted, so that a device searches one
/// batch while the next is read. It completes its tasks in their order, and does not wait for the next task while it has
/// a submitted batch. DESIGN.md shows why workers never wait for each other forever.
pub(super) fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
    let mut worker = Worker::new(shared);
    let mut submitted: Option<BegunWork<'_>> = None;
    loop {
        let next = if submitted.is_some() { work.try_recv().ok() } else { work.recv().ok() };
        if next.is_none() && submitted.is_none() {
            return;
        }
        let begun = next.map(|work| worker.begin(work));
        let before = submitted.take();
        let now;
        (now, submitted) = match begun {
            Some(begun) if begun.is_submitted => (None, Some(begun)),
            begun => (begun, None),
        };
        for begun in [before, now].into_iter().flatten() {
            let number = begun.number;
            let event = worker.complete(begun, &mut |event| {
                shared.turn.wait_for(number);
                // The receiver is gone if the writer has enough.
                let _ = events.send((number, event));
            });
            if events.send((number, event)).is_err() {
                return;
            }
        }
    }
}

/// A task whose batch was read and, if a device searches it, submitted.
pub(super) struct BegunWork<'a> {
    number: u64,
    /// The position in the hand-off of undecided matches; `None` if there are none. Dropping it ends the waits of others.
    slot: Option<HandoffSlot<'a, CarriedSelection>>,
    /// Whether a device searches the batch.
    is_submitted: bool,
    step: NextStep,
}

/// The step that completes a task.
enum NextStep {
    /// Search a batch.
    Search { input: Arc<QueuedInput>, batch: Arc<Batch> },
    /// Report that there is no batch.
    Skip { input: Arc<QueuedInput>, no_batch: NoBatch },
    /// Report that a batch could not be submitted.
    Fail { input: Arc<QueuedInput>, batch: Arc<Batch>, error: EngineError },
    /// Read and search small files.
    Group(Vec<SmallFile>, TextBuffer),
    /// Report a panic.
    Stop,
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

    /// Begins a task: reads its batch and submits it.
    pub(super) fn begin(&mut self, work: Work) -> BegunWork<'a> {
        let number = work.number;
        let slot = match work.task {
            WorkItem::Text { slot, .. } => slot.map(|slot| self.shared.undecided.slot(slot)),
            WorkItem::Group(..) => None,
        };
        let begin = AssertUnwindSafe(|| match work.task {
            WorkItem::Text { input, text, .. } => self.begin_text(input, text),
            WorkItem::Group(files, buffer) => (false, NextStep::Group(files, buffer)),
        });
        // The writer waits for the event with this sequence number, so it must be told of a panic.
        let (is_submitted, step) = catch_unwind(begin).unwrap_or((false, NextStep::Stop));
        BegunWork { number, slot, is_submitted, step }
    }

    fn begin_text(&mut self, input: Arc<QueuedInput>, text: BatchSource) -> (bool, NextStep) {
        let is_wanted = self.shared.is_wanted(&input);
        let batch = if is_wanted { self.shared.times.read.time(|| text.into_batch()) } else { Err(text.give_up()) };
        let batch = match batch {
            Ok(batch) => Arc::new(batch),
            Err(no_batch) => return (false, NextStep::Skip { input, no_batch }),
        };
        let queued = &input.input;
        let times = &self.shared.times;
        match self.worker(queued.kind).and_then(|worker| times.submit.time(|| worker.submit(&batch, queued))) {
            Ok(is_submitted) => (is_submitted, NextStep::Search { input, batch }),
            Err(error) => (false, NextStep::Fail { input, batch, error }),
        }
    }

    /// Completes a task and returns its event. `early` receives the events that must not wait for the end of the task.
    pub(super) fn complete(&mut self, begun: BegunWork<'_>, early: &mut dyn FnMut(Event)) -> Event {
        let BegunWork { slot, step, .. } = begun;
        let complete = AssertUnwindSafe(|| match step {
            NextStep::Search { input, batch } => self.search_text(&input, batch, slot, early),
            NextStep::Skip { input, no_batch } => {
                if let Some(slot) = slot {
                    slot.pass_on();
                }
                Event::NoBatch(input, no_batch)
            }
            NextStep::Fail { input, batch, error } => Event::Searched(input, Arc::unwrap_or_clone(batch), Err(error)),
            NextStep::Group(files, buffer) => {
                let mut send = |events| early(Event::Group(events, None));
                let mut outbox = Outbox::new(files.len(), &mut send);
                files.iter().for_each(|file| self.search_small(file, &mut outbox));
                Event::Group(outbox.into_events(), Some(buffer))
            }
            NextStep::Stop => Event::Stopped,
        });
        catch_unwind(complete).unwrap_or(Event::Stopped)
    }

    fn search_text(
        &mut self,
        input: &Arc<QueuedInput>,
        batch: Arc<Batch>,
        slot: Option<HandoffSlot<'_, CarriedSelection>>,
        early: &mut dyn FnMut(Event),
    ) -> Event {
        if let Some(time) = self.estimate(input, &batch) {
            early(Event::Estimate(input.clone(), batch.owned().len(), time));
        }
        let mut early = |one| early(event_of(input, one));
        let (batch, findings) = self.search_batch(input, batch, BatchOutputs { early: &mut early, slot });
        Event::Searched(input.clone(), batch, findings)
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
                    let (batch, findings) =
                        self.search_batch(input, Arc::new(batch), BatchOutputs { early: &mut early, slot });
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
        batch: Arc<Batch>,
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
                (Arc::unwrap_or_clone(batch).starting_at(start), Ok(findings))
            }
            Err(error) => (Arc::unwrap_or_clone(batch), Err(error)),
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
