//! Starts the threads of a search, and writes in the one that calls.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use crossbeam_channel::unbounded;

use super::alone::Alone;
use super::crew::Crew;
use super::pool::Pool;
use super::reader::Reader;
use super::shared::{Shared, WorkerConfig};
use super::writer::Writer;
use crate::search::ordered::handoff::OrderedHandoff;
use crate::search::ordered::turn::WriteTurn;
use crate::search::select::best_hits::Undecided;
use crate::search::{Notice, Outcome, Search, SearchError, SearchRoute};

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
    let config = |route: &Option<SearchRoute>| route.as_ref().map(WorkerConfig::of);
    let (text_duty, sequence_duty) = (config(&text), config(&sequences));
    let (wanted, turn, undecided) =
        (AtomicUsize::new(0), WriteTurn::default(), OrderedHandoff::new(Undecided::default()));
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
    let workers = [&text, &sequences].into_iter().flatten().map(|route| route.engine.workers()).max().unwrap_or(1);
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
