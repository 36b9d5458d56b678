//! Searches batches. Also reads parts of files and small files.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::divided::BatchSource;
use super::group::{self, Outbox};
use super::shared::Shared;
use super::work::{Event, OpenedFacts, QueuedInput, SmallFile, Work, WorkItem};
use crate::InputKind;
use crate::batch_work::{BatchOutputs, BatchWorker, EarlyOutput};
use crate::ordered::handoff::{HandoffSlot, OrderedHandoff};
use crate::ordered::in_flight::{Tasks, run_tasks};
use crate::select::best_hits::CarriedSelection;
use nigh_input::{InputError, MatedBatcher};
use nigh_report::Findings;
use nigh_text::batch::{Batch, TextBuffer};
use nigh_text::interrupt;
use nigh_verify::EngineError;

/// Runs tasks of the queue until there are no more, in the order of [`in_flight`](crate::ordered::in_flight).
/// DESIGN.md shows why workers never wait for each other forever.
pub(super) fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
    run_tasks(&mut QueuedTasks { worker: Worker::new(shared), work, events });
}

/// The tasks of the queue, and the worker that does them.
struct QueuedTasks<'a> {
    worker: Worker<'a>,
    work: &'a Receiver<Work>,
    events: &'a Sender<(u64, Event)>,
}

impl<'a> Tasks for QueuedTasks<'a> {
    type Task = Work;
    type Begun = BegunWork<'a>;

    fn take(&mut self, may_wait: bool) -> Option<Work> {
        if may_wait { self.work.recv().ok() } else { self.work.try_recv().ok() }
    }

    fn begin(&mut self, work: Work) -> (BegunWork<'a>, bool) {
        let begun = self.worker.begin(work);
        let is_submitted = begun.is_submitted();
        (begun, is_submitted)
    }

    fn complete(&mut self, begun: BegunWork<'a>) -> ControlFlow<()> {
        let (number, turn, events) = (begun.number, &self.worker.shared.turn, self.events);
        let event = self.worker.complete(begun, &mut |event| {
            turn.wait_for(number);
            // The receiver is gone if the writer has enough.
            let _ = events.send((number, event));
        });
        if events.send((number, event)).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// A task whose batch was read and, if a device searches it, submitted.
pub(super) struct BegunWork<'a> {
    number: u64,
    /// The position in the hand-off of undecided matches; `None` if there are none. Dropping it ends the waits of others.
    slot: Option<HandoffSlot<'a, CarriedSelection>>,
    step: NextStep,
}

impl BegunWork<'_> {
    fn is_submitted(&self) -> bool {
        matches!(&self.step, NextStep::Search { started, .. } if started.is_submitted())
    }
}

/// The step that completes a task.
enum NextStep {
    /// Search a batch.
    Search { input: Arc<QueuedInput>, started: StartedBatch },
    /// Report that there is no batch, with the error if reading failed.
    Skip { input: Arc<QueuedInput>, failure: Option<InputError> },
    /// Read and search small files.
    Group(Vec<SmallFile>),
    /// Report a panic.
    Stop,
}

/// A batch, and whether a device searches it already.
struct StartedBatch {
    batch: Arc<Batch<'static>>,
    submitted: Result<bool, EngineError>,
}

impl StartedBatch {
    fn is_submitted(&self) -> bool {
        matches!(self.submitted, Ok(true))
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

    /// Begins a task: reads its batch and submits it.
    pub(super) fn begin(&mut self, work: Work) -> BegunWork<'a> {
        let number = work.number;
        let slot = match work.task {
            WorkItem::Batch { slot, .. } => slot.map(|slot| self.shared.undecided.slot(slot)),
            WorkItem::Group(_) => None,
        };
        let begin = AssertUnwindSafe(|| match work.task {
            WorkItem::Batch { input, text, .. } => self.begin_batch(input, text),
            WorkItem::Group(files) => NextStep::Group(files),
        });
        // The writer waits for the event with this sequence number, so it must be told of a panic.
        BegunWork { number, slot, step: catch_unwind(begin).unwrap_or(NextStep::Stop) }
    }

    fn begin_batch(&mut self, input: Arc<QueuedInput>, text: BatchSource) -> NextStep {
        let (is_wanted, buffers) = (self.shared.is_wanted(&input), &self.shared.buffers);
        let batch = if is_wanted {
            self.shared.times.read.time(|| text.into_batch(buffers))
        } else {
            text.give_up(buffers);
            Ok(None)
        };
        match batch {
            Ok(Some(batch)) => {
                let started = self.start(&input, batch);
                NextStep::Search { input, started }
            }
            Ok(None) => NextStep::Skip { input, failure: None },
            Err(error) => NextStep::Skip { input, failure: Some(error) },
        }
    }

    /// Submits a batch.
    fn start(&mut self, input: &QueuedInput, batch: Batch<'static>) -> StartedBatch {
        let (queued, times, batch) = (&input.input, &self.shared.times, Arc::new(batch));
        let submitted = self.worker(queued.kind).and_then(|worker| times.submit.time(|| worker.submit(&batch, queued)));
        StartedBatch { batch, submitted }
    }

    /// Completes a task and returns its event. `early` receives the events that must not wait for the end of the task.
    pub(super) fn complete(&mut self, begun: BegunWork<'_>, early: &mut dyn FnMut(Event)) -> Event {
        let BegunWork { slot, step, .. } = begun;
        let complete = AssertUnwindSafe(|| match step {
            NextStep::Search { input, started } => self.complete_batch(&input, started, slot, early),
            NextStep::Skip { input, failure } => {
                if let Some(slot) = slot {
                    slot.pass_on();
                }
                Event::NoBatch { input, failure }
            }
            NextStep::Group(files) => {
                let mut send = |events| early(Event::GroupPart(events));
                let outbox = Outbox::new(files.len(), &mut send);
                let mut group = GroupFiles { worker: self, files: files.iter(), outbox };
                run_tasks(&mut group);
                Event::Group(group.outbox.into_events())
            }
            NextStep::Stop => Event::Stopped,
        });
        catch_unwind(complete).unwrap_or(Event::Stopped)
    }

    fn complete_batch(
        &mut self,
        input: &Arc<QueuedInput>,
        started: StartedBatch,
        slot: Option<HandoffSlot<'_, CarriedSelection>>,
        early: &mut dyn FnMut(Event),
    ) -> Event {
        if let Some(time) = self.estimate(input, &started.batch) {
            early(Event::Estimate(input.clone(), started.batch.owned().len(), time));
        }
        let mut early = |one| early(Event::Early(input.clone(), one));
        let (batch, findings) = self.search_batch(input, started, BatchOutputs { early: &mut early, slot });
        Event::Searched(input.clone(), batch, findings)
    }

    /// Estimates the time for a batch, if it is the first of the search.
    fn estimate(&self, input: &QueuedInput, batch: &Batch) -> Option<Duration> {
        let is_first = !self.shared.is_estimated.load(Ordering::Relaxed)
            && !self.shared.is_estimated.swap(true, Ordering::Relaxed);
        let estimate = || self.shared.config(input.input.kind).work.estimate(batch);
        if is_first { estimate() } else { None }
    }

    /// Opens a small file, reads its first batch and submits it. Returns `None` if the file is no longer wanted.
    fn begin_small<'f>(&mut self, small: &'f SmallFile) -> Option<BegunFile<'f>> {
        let input = &small.input;
        if !self.shared.is_wanted(input) {
            return None;
        }
        let opened = group::open(self.shared, small).map(|mut batcher| {
            let first = self.read_small(input, &mut batcher);
            (batcher, first)
        });
        Some(BegunFile { input, opened })
    }

    /// Reads and submits the next batch of a small file.
    fn read_small(&mut self, input: &QueuedInput, batcher: &mut MatedBatcher) -> NextBatch {
        let batch = self.shared.times.read.time(|| batcher.next_batch(&mut TextBuffer::default()))?;
        Ok(batch.map(|batch| self.start(input, batch)))
    }

    /// Searches a small file.
    fn search_small(&mut self, BegunFile { input, opened }: BegunFile<'_>, outbox: &mut Outbox<'_>) {
        let (mut batcher, mut first) = match opened {
            Ok((batcher, first)) => (batcher, Some(first)),
            Err(error) => return outbox.put(Event::Failed(input.clone(), error)),
        };
        outbox.put(Event::Begin(input.clone(), OpenedFacts::of(&batcher)));
        let hands_on = self.shared.config(input.input.kind).hands_on;
        let handoff = hands_on.then(|| OrderedHandoff::new(CarriedSelection::default()));
        for part in 0.. {
            if !self.shared.is_wanted(input) {
                break;
            }
            let slot = handoff.as_ref().map(|handoff| handoff.slot(part));
            match first.take().unwrap_or_else(|| self.read_small(input, &mut batcher)) {
                Ok(Some(started)) => {
                    let mut early = |one| {
                        outbox.put(Event::Early(input.clone(), one));
                        outbox.send();
                    };
                    let (batch, findings) = self.search_batch(input, started, BatchOutputs { early: &mut early, slot });
                    outbox.put(Event::SearchedSmall(input.clone(), batch, findings));
                }
                Ok(None) => break,
                Err(error) => {
                    outbox.put(Event::Failed(input.clone(), error));
                    break;
                }
            }
        }
        if let Some(change) = batcher.encoding_change() {
            outbox.put(Event::EncodingChanged(input.clone(), change));
        }
        outbox.put(Event::End(input.clone()));
    }

    /// Searches a batch. Returns the part of the batch that was not reported early, and the findings in this part.
    fn search_batch(
        &mut self,
        input: &QueuedInput,
        StartedBatch { batch, submitted }: StartedBatch,
        outputs: BatchOutputs<'_>,
    ) -> (Batch<'static>, Result<Findings, EngineError>) {
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
        let result = submitted.and_then(|_| {
            search.time(|| {
                self.worker(input.input.kind)?.work(&batch, &input.input, BatchOutputs { early: &mut early, slot })
            })
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

/// The small files of a group, and the worker that searches them.
struct GroupFiles<'w, 'a> {
    worker: &'w mut Worker<'a>,
    files: slice::Iter<'w, SmallFile>,
    outbox: Outbox<'w>,
}

/// A small file that was opened, with its first batch; or the error of opening it.
struct BegunFile<'f> {
    input: &'f Arc<QueuedInput>,
    opened: Result<(MatedBatcher, NextBatch), InputError>,
}

/// The next batch of a file; `None` at its end.
type NextBatch = Result<Option<StartedBatch>, InputError>;

impl<'w> Tasks for GroupFiles<'w, '_> {
    type Task = &'w SmallFile;
    type Begun = Option<BegunFile<'w>>;

    fn take(&mut self, _: bool) -> Option<&'w SmallFile> {
        self.files.next()
    }

    fn begin(&mut self, small: &'w SmallFile) -> (Option<BegunFile<'w>>, bool) {
        let begun = self.worker.begin_small(small);
        let first = begun.as_ref().and_then(|file| file.opened.as_ref().ok()).map(|(_, first)| first);
        let is_submitted = matches!(first, Some(Ok(Some(started))) if started.is_submitted());
        (begun, is_submitted)
    }

    fn complete(&mut self, begun: Option<BegunFile<'w>>) -> ControlFlow<()> {
        if let Some(file) = begun {
            self.worker.search_small(file, &mut self.outbox);
        }
        ControlFlow::Continue(())
    }
}
