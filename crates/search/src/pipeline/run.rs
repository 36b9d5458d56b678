//! Runs a search: starts its threads, and writes in the calling thread.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use crossbeam_channel::{Receiver, Sender, unbounded};
use nigh_gunzip::Pool;

use super::buffers::{BufferPool, TaskPermit};
use super::finder::InputList;
use super::reader::Reader;
use super::shared::{Shared, WorkerConfig};
use super::single_thread::SingleThread;
use super::sniff::WideTextSniffer;
use super::threads::{SearchThreads, list_inputs};
use super::writer::Writer;
use crate::ordered::handoff::OrderedHandoff;
use crate::ordered::turn::WriteTurn;
use crate::select::best_hits::CarriedSelection;
use crate::{Notice, Outcome, Search, SearchError, SearchRoute, ThreadsAtEnd};
use nigh_input::{StopSignal, Stopper, stop_signal};

/// Searches all inputs and writes their reports to `out`. `notify` receives the name of an input and a message about
/// it.
///
/// # Errors
/// Write errors and engine errors.
pub fn run(
    search: Search,
    out: &mut dyn Write,
    notify: &mut dyn FnMut(&[u8], &Notice),
) -> Result<Outcome, SearchError> {
    let (workers, in_flight) = (search.workers(), search.in_flight());
    let Search { inputs, text, sequences, watch, permits, shard, records_in_text, times, threads_at_end } = search;
    let config = |route: &Option<SearchRoute<'_>>| route.as_ref().map(WorkerConfig::of);
    let (stopper, stop) = stop_at_end(threads_at_end);
    let shared = Arc::new(Shared {
        text: config(&text),
        sequences: config(&sequences),
        shard,
        watch,
        is_estimated: AtomicBool::new(false),
        first_wanted: AtomicUsize::new(0),
        turn: WriteTurn::default(),
        undecided: OrderedHandoff::new(CarriedSelection::default()),
        stdin_offset: AtomicU64::new(u64::MAX),
        times,
        buffers: BufferPool::default(),
        stop,
    });
    let is_joined = stopper.is_some();
    let end = ThreadRelease { shared: shared.clone(), _stopper: stopper };
    let threads = SearchThreads::start(&shared, workers);
    let workers = threads.as_ref().map_or(1, SearchThreads::workers);
    // Decompression with several threads takes memory beyond that of the batches, so there are no helper threads under a memory
    // limit.
    let helpers = Pool::new(if permits.is_some() { 1 } else { workers });
    let count = permits.unwrap_or(usual_permits(workers, in_flight));
    let (permits, permitted) = permit_channel(count);
    let inputs = match &threads {
        Some(_) => list_inputs(inputs),
        None => InputList::InPlace(inputs.peekable()),
    };
    let writer = Writer {
        shared: &shared,
        text,
        sequences,
        permits,
        failed: false,
        records_in_text,
        is_tar: false,
        is_decompressed: false,
        wide_text: WideTextSniffer::default(),
        is_only_verified: false,
        out,
        notify,
    };
    let Some(threads) = threads else {
        let outlet = SingleThread::new(&shared, writer);
        return Reader::new(shared.clone(), inputs, permitted, helpers, outlet).read_all().outcome();
    };
    let reader = |outlet| Reader::new(shared.clone(), inputs, permitted, helpers, outlet);
    let (events, threads) = threads.begin(reader, count);
    let outcome = writer.write_all(&events);
    drop((events, end));
    if is_joined {
        // A panic was reported as an event.
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
    outcome
}

/// Returns the two ends of the signal that ends the threads; none if they are left running.
fn stop_at_end(threads: ThreadsAtEnd) -> (Option<Stopper>, Option<StopSignal>) {
    match threads {
        ThreadsAtEnd::Left => (None, None),
        // Without descriptors for the signal, the threads are left running too.
        ThreadsAtEnd::Joined => stop_signal().ok().unzip(),
    }
}

/// Returns the two ends of a channel that holds `count` permits.
fn permit_channel(count: usize) -> (Sender<TaskPermit>, Receiver<TaskPermit>) {
    let (sender, receiver) = unbounded();
    (0..count).for_each(|_| sender.send(TaskPermit).expect("the other end is here"));
    (sender, receiver)
}

/// Ends the waits of the threads of a search when it is dropped, also by an interrupt.
struct ThreadRelease {
    shared: Arc<Shared>,
    _stopper: Option<Stopper>,
}

impl Drop for ThreadRelease {
    fn drop(&mut self) {
        self.shared.turn.end();
    }
}

/// Returns the default number of permits for `workers` workers with `in_flight` batches each: these batches and one that
/// waits for each worker, and two more, one being read and one being written.
pub fn usual_permits(workers: usize, in_flight: usize) -> usize {
    (in_flight + 1) * workers + 2
}
