//! Starts the threads of a search, as many as the system allows.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle, available_parallelism};

use crossbeam_channel::{Receiver, Sender, bounded};
use rustix::process::{Resource, getrlimit};

use super::reader::{Outlet, Reader};
use super::shared::Shared;
use super::work::{Event, Work};
use super::worker::work_on;

/// Address space for a thread, in bytes, where that is limited: glibc reserves as much for what a thread allocates, and without
/// room for its stacks a thread that has begun aborts the process.
const ROOM: u64 = 128 << 20;

/// A reader and workers, all waiting for their cue.
pub(super) struct Crew {
    reader: Candidate<(Reader, Links)>,
    workers: Vec<Candidate<Exchange>>,
}

/// Where a worker gets its work, and where events go.
type Exchange = (Receiver<Work>, Sender<(u64, Event)>);

/// Ways from the reader to workers and writer.
struct Links {
    work: Sender<Work>,
    events: Sender<(u64, Event)>,
}

/// How many threads have room in the address space, one at least.
fn threads_with_room() -> usize {
    let limit = getrlimit(Resource::As).current;
    limit.map_or(usize::MAX, |bytes| usize::try_from(bytes / ROOM).unwrap_or(usize::MAX).max(1))
}

/// A thread that begins when it gets its cue, and ends without one.
struct Candidate<T> {
    cue: Sender<T>,
    thread: JoinHandle<()>,
}

impl Crew {
    /// Starts a reader and up to `count` workers, fewer in a limited address space. `None`: the system starts no two threads.
    ///
    /// If it starts fewer than `count`, half of them are kept, and no more than there are cores: the others took memory or
    /// threads that the rest of the search, or another process, needs.
    pub(super) fn start(shared: &Arc<Shared>, count: usize) -> Option<Self> {
        let count = count.min(threads_with_room());
        let reader = Candidate::start(|(reader, links): (Reader, Links)| drop(reader.read_all(links)))?;
        let start_worker = || {
            let shared = shared.clone();
            Candidate::start(move |(work, events): Exchange| work_on(&shared, &work, &events))
        };
        let mut workers: Vec<_> = (0..count).map_while(|_| start_worker()).collect();
        if workers.len() < count {
            let cores = available_parallelism().map_or(1, usize::from);
            let kept = workers.len().div_ceil(2).min(cores);
            workers.drain(kept..).for_each(Candidate::dismiss);
        }
        (!workers.is_empty()).then_some(Crew { reader, workers })
    }

    /// How many workers there are.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Begins to read and to search, with so many batches under way; gives what the writer is told.
    pub(super) fn begin(self, reader: Reader, buffers: usize) -> Receiver<(u64, Event)> {
        let (work_in, work_out) = bounded(buffers);
        let (event_in, event_out) = bounded(buffers);
        for worker in self.workers {
            worker.begin((work_out.clone(), event_in.clone()));
        }
        self.reader.begin((reader, Links { work: work_in, events: event_in }));
        event_out
    }
}

impl<T: Send + 'static> Candidate<T> {
    fn start(run: impl FnOnce(T) + Send + 'static) -> Option<Self> {
        let (cue, start) = bounded(1);
        let wait = move || {
            if let Ok(cue) = start.recv() {
                run(cue);
            }
        };
        Builder::new().spawn(wait).ok().map(|thread| Candidate { cue, thread })
    }

    fn begin(self, cue: T) {
        self.cue.send(cue).expect("the thread waits for it");
    }

    /// Lets the thread end, and waits until its memory is free.
    fn dismiss(self) {
        drop(self.cue);
        // It has done nothing that could fail.
        let _ = self.thread.join();
    }
}

impl Outlet for Links {
    fn give(&mut self, work: Work) -> Option<()> {
        self.work.send(work).ok()
    }

    fn send(&mut self, number: u64, event: Event) -> Option<()> {
        self.events.send((number, event)).ok()
    }
}
