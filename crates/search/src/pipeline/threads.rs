//! Starts the threads of a search: a reader and as many workers as the system allows.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle, available_parallelism};

use crossbeam_channel::{Receiver, Sender, bounded};
use rustix::process::{Resource, getrlimit};

use super::finder::{InputList, found_inputs};
use super::reader::{Reader, ReaderOutput};
use super::shared::Shared;
use super::work::{Event, Work};
use super::worker::work_on;
use crate::Inputs;
use nigh_text::interrupt::Inherited;

/// Bytes of address space that a thread may need, for systems that limit it. glibc reserves about this number of bytes
/// for the allocations of a thread, and a thread without room for its stacks aborts the process.
const ADDRESS_SPACE_PER_THREAD: u64 = 128 << 20;

/// A reader and workers, all started but idle.
pub(super) struct SearchThreads {
    reader: IdleThread<Reader<ReaderChannels>>,
    workers: Vec<IdleThread<Exchange>>,
}

/// A worker's channels: it receives work and sends events.
type Exchange = (Receiver<Work>, Sender<(u64, Event)>);

/// The reader's channels to workers and writer.
pub(super) struct ReaderChannels {
    work: Sender<Work>,
    events: Sender<(u64, Event)>,
}

/// Returns the number of threads that fit into the address space; at least one.
fn threads_with_room() -> usize {
    let limit = getrlimit(Resource::As).current;
    limit.map_or(usize::MAX, |bytes| usize::try_from(bytes / ADDRESS_SPACE_PER_THREAD).unwrap_or(usize::MAX).max(1))
}

/// A thread that waits for its argument, and ends if `cue` is dropped without sending an argument.
struct IdleThread<T> {
    cue: Sender<T>,
    thread: JoinHandle<()>,
}

impl SearchThreads {
    /// Starts a reader and up to `count` workers; in a limited address space, at most as many as fit into it. Returns
    /// `None` if the system starts fewer than two threads.
    ///
    /// If fewer than `count` workers start, half of them are kept, and at most one per core. The other workers end,
    /// because the search or other processes may need the memory and threads.
    pub(super) fn start(shared: &Arc<Shared>, count: usize) -> Option<Self> {
        let count = count.min(threads_with_room());
        let reader = IdleThread::start(|reader: Reader<ReaderChannels>| drop(reader.read_all()))?;
        let call = Inherited::current();
        let start_worker = || {
            let (shared, call) = (shared.clone(), call.clone());
            IdleThread::start(move |(work, events): Exchange| {
                call.run(|| work_on(&shared, &work, &events));
            })
        };
        let mut workers: Vec<_> = (0..count).map_while(|_| start_worker()).collect();
        if workers.len() < count {
            let cores = available_parallelism().map_or(1, usize::from);
            let kept = workers.len().div_ceil(2).min(cores);
            workers.drain(kept..).for_each(IdleThread::dismiss);
        }
        (!workers.is_empty()).then_some(SearchThreads { reader, workers })
    }

    /// Returns the number of workers.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Starts reading and searching with up to `permits` tasks in flight. Returns the channel of events for the writer, and
    /// the threads.
    pub(super) fn begin(
        self,
        reader: impl FnOnce(ReaderChannels) -> Reader<ReaderChannels>,
        permits: usize,
    ) -> (Receiver<(u64, Event)>, Vec<JoinHandle<()>>) {
        let (work_sender, work_receiver) = bounded(permits);
        let (event_sender, event_receiver) = bounded(permits);
        let exchange = || (work_receiver.clone(), event_sender.clone());
        let mut threads: Vec<_> = self.workers.into_iter().map(|worker| worker.begin(exchange())).collect();
        threads.push(self.reader.begin(reader(ReaderChannels { work: work_sender, events: event_sender.clone() })));
        (event_receiver, threads)
    }
}

/// Returns the list of `inputs`. If their number is not known, finding them may take time, so a thread of its own finds
/// them, if the system starts one.
pub(super) fn list_inputs(inputs: Inputs) -> InputList {
    if inputs.size_hint().1.is_none() {
        let (find_all, found) = found_inputs();
        if let Some(thread) = IdleThread::start(find_all) {
            thread.begin(inputs);
            return InputList::Ahead(found);
        }
    }
    InputList::InPlace(inputs.peekable())
}

impl<T: Send + 'static> IdleThread<T> {
    fn start(run: impl FnOnce(T) + Send + 'static) -> Option<Self> {
        let (cue, start) = bounded(1);
        let wait = move || {
            if let Ok(cue) = start.recv() {
                run(cue);
            }
        };
        Builder::new().spawn(wait).ok().map(|thread| IdleThread { cue, thread })
    }

    fn begin(self, cue: T) -> JoinHandle<()> {
        self.cue.send(cue).expect("an idle thread waits for its argument");
        self.thread
    }

    /// Ends the thread, and waits until the system has freed its memory.
    fn dismiss(self) {
        drop(self.cue);
        // The thread did nothing that could fail.
        let _ = self.thread.join();
    }
}

impl ReaderOutput for ReaderChannels {
    fn give(&mut self, work: Work) -> Option<()> {
        self.work.send(work).ok()
    }

    fn send(&mut self, number: u64, event: Event) -> Option<()> {
        self.events.send((number, event)).ok()
    }
}
