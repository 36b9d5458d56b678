//! One reader, as many workers as the engine wants, and a writer, which is the thread that calls.
//!
//! Files that are large enough are only divided by the reader, and read by the workers, part by part. Small files are handed
//! out in groups, which a worker reads and searches. Of all else the reader makes batches itself.
//!
//! Batches travel with sequence numbers and come back in any order; the writer puts them in order. Memory is bounded by
//! the number of buffers: the reader waits for one that the writer has done with.
//!
//! If the system does not start all threads, the search goes on with fewer workers; without any thread, the calling
//! thread does everything.

mod alone;
mod crew;
mod divided;
mod group;
mod pool;
mod reader;
mod sniff;
mod worker;
mod writer;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::unbounded;

use self::alone::Alone;
use self::crew::Crew;
use self::reader::Reader;
use self::writer::Writer;
use super::ordered::handoff::Relay;
use super::ordered::turn::Turn;
use super::select::best_hits::Undecided;
use crate::engine::{Engine, EngineError};
use crate::input::{Batch, Batcher, Format, InputError, Source, Window};
use crate::report::{Detail, EarlyRows, EarlySpans, Findings};
use crate::search::shard::Shard;
use crate::search::{Input, Kind, Lane, Notice, Outcome, Records, Search, SearchError, Trouble, Watch};
use divided::{NoBatch, Text};
use pool::Pool;

/// An input, and its place among the others.
struct Queued {
    index: usize,
    input: Input,
    /// Whether nothing comes behind it.
    is_last: bool,
}

/// What the writer gets, in the order of the input.
enum Event {
    /// Something is not searched.
    Trouble(Vec<u8>, Trouble),
    Begin(Arc<Queued>),
    /// The length of the first batch in bytes, and the time that one worker needs for it.
    Estimate(Arc<Queued>, usize, Duration),
    /// Some rows of the batch whose turn it is.
    Rows(Arc<Queued>, EarlyRows),
    /// Matches of the next line to be reported, of which others follow.
    Spans(Arc<Queued>, EarlySpans),
    /// The first lines or records of the batch whose turn it is.
    Part(Arc<Queued>, Batch, Findings),
    Searched(Arc<Queued>, Batch, Result<Findings, EngineError>),
    /// Somebody else searches it.
    Passed(Arc<Queued>, Batch),
    /// The same of a small file, whose buffer is its own.
    SearchedSmall(Arc<Queued>, Batch, Result<Findings, EngineError>),
    /// Events of a group whose turn it is, and which goes on.
    SomeOfGroup(Vec<Event>),
    /// The last events of a group, and its buffer.
    Group(Vec<Event>, Vec<u8>),
    /// A worker had nothing to search.
    NoBatch(Arc<Queued>, NoBatch),
    Failed(Arc<Queued>, InputError),
    End(Arc<Queued>),
    /// A worker could not finish a batch.
    Stopped,
    /// All inputs have been read.
    Finished,
}

/// Something to search, on its way to a worker.
struct Work {
    number: u64,
    task: Task,
}

/// What a worker does at a time.
enum Task {
    /// A batch, or a part of a file that is to be one.
    Text {
        input: Arc<Queued>,
        text: Text,
        /// Which of those is this that hand on what they have not decided, if it does.
        leg: Option<u64>,
    },
    /// Some small files, with a buffer that bounds how many groups there are at a time.
    Group(Vec<Small>, Vec<u8>),
}

/// A small file.
struct Small {
    input: Arc<Queued>,
    size: usize,
}

/// The engine and the wishes of the report for one kind of input, without the report.
#[derive(Clone)]
struct Duty {
    engine: Arc<dyn Engine>,
    detail: Detail,
    format: Format,
    batch_bytes: usize,
}

/// What reader and workers share.
struct Shared {
    text: Option<Duty>,
    sequences: Option<Duty>,
    shard: Option<Shard>,
    watch: Option<Arc<dyn Watch>>,
    /// Whether the time for a batch has been estimated.
    is_estimated: AtomicBool,
    /// Inputs before this one need not be read on.
    wanted: AtomicUsize,
    /// Whose batch is written.
    turn: Turn,
    /// What a batch leaves undecided for the next.
    undecided: Relay<Undecided>,
    /// Where the text of standard input starts in its file; the largest number if that is of no interest.
    place: AtomicU64,
}

/// Searches all inputs, and writes what the reports say; `notify` hears what the user should be told of an input.
///
/// Threads that still wait for input when nothing more is wanted are left behind.
///
/// # Errors
/// When the output cannot be written or an engine fails.
pub fn run(
    search: Search,
    out: &mut dyn Write,
    notify: &mut dyn FnMut(&[u8], &Notice),
) -> Result<Outcome, SearchError> {
    let Search { inputs, text, sequences, watch, buffers, shard, records_in_text } = search;
    let duty = |lane: &Option<Lane>| lane.as_ref().map(Duty::of);
    let (text_duty, sequence_duty) = (duty(&text), duty(&sequences));
    let (wanted, turn, undecided) = (AtomicUsize::new(0), Turn::default(), Relay::new(Undecided::default()));
    let place = AtomicU64::new(u64::MAX);
    let shared = Arc::new(Shared {
        text: text_duty,
        sequences: sequence_duty,
        shard,
        watch,
        is_estimated: AtomicBool::new(false),
        wanted,
        turn,
        undecided,
        place,
    });
    let workers = [&text, &sequences].into_iter().flatten().map(|lane| lane.engine.workers()).max().unwrap_or(1);
    let crew = Crew::start(&shared, workers);
    let workers = crew.as_ref().map_or(1, Crew::workers);
    // Who is to take little memory decompresses alone: pieces that are decompressed beside each other take some too.
    let helpers = Pool::new(if buffers.is_some() { 1 } else { workers });
    // One batch in each worker's hands, one waiting for it, and one each being read and written.
    let buffers = buffers.unwrap_or(usual_buffers(workers));
    let (spare_in, spare_out) = unbounded();
    for _ in 0..buffers {
        spare_in.send(Vec::new()).expect("the other end is here");
    }
    let reader = Reader { shared: shared.clone(), inputs, spare: spare_out, helpers: Arc::new(helpers) };
    let writer =
        Writer { shared: &shared, text, sequences, spare: spare_in, failed: false, records_in_text, out, notify };
    let outcome = match crew {
        Some(crew) => writer.write_all(&crew.begin(reader, buffers)),
        None => reader.read_all(Alone::new(&shared, writer)).outcome(),
    };
    shared.turn.end();
    outcome
}

/// How many buffers there are for so many workers.
pub fn usual_buffers(workers: usize) -> usize {
    2 * workers + 2
}

impl Duty {
    fn of(lane: &Lane) -> Self {
        Duty {
            engine: lane.engine.clone(),
            detail: lane.report.detail(),
            format: lane.format.clone(),
            batch_bytes: lane.batch_bytes.unwrap_or(lane.engine.batch_bytes()),
        }
    }

    /// Cuts an open input into batches. Records are FASTA or FASTQ as their first byte says, whatever their name.
    fn batcher(&self, mut source: Source, input: &Input, window: Window) -> Result<Batcher, InputError> {
        let format = match &self.format {
            Format::Fasta { .. } => match (source.first_symbol()?, input.records) {
                (Some(b'@'), _) => Format::Fastq,
                (Some(b'>'), _) | (_, Records::Fasta) => self.format.clone(),
                (_, Records::Fastq) => Format::Fastq,
            },
            format => format.clone(),
        };
        Ok(Batcher::new(source, format, window))
    }

    /// How batches are cut.
    fn window(&self) -> Window {
        let patterns = self.engine.patterns();
        Window { bytes: self.batch_bytes, reach: patterns.reach(), alphabet: patterns.alphabet() }
    }
}

impl Shared {
    fn duty(&self, kind: Kind) -> &Duty {
        let duty = match kind {
            Kind::Text => &self.text,
            Kind::Sequences => &self.sequences,
        };
        duty.as_ref().expect("each kind of input has a lane")
    }

    fn is_wanted(&self, input: &Queued) -> bool {
        input.index >= self.wanted.load(Ordering::Relaxed)
    }
}
