//! Groups small files, because passing a small file from thread to thread would cost more than searching it.

use std::fs;
use std::time::{Duration, Instant};

use super::shared::{Shared, WorkerConfig};
use super::work::{Event, SmallFile};
use crate::Input;
use nigh_input::{InputError, MatedBatcher, Origin, Source};
use nigh_text::batch::Window;

/// Largest size of a small file, in bytes.
const MAX_SIZE: u64 = 64 << 10;
/// Largest number of files in a group, and number of bytes at which a group is handed out. The first groups have fewer
/// files, so that output begins early.
const MAX_FILES: usize = 64;
const MAX_BYTES: usize = 512 << 10;
/// Longest time a file waits for its group to fill.
const PATIENCE: Duration = Duration::from_millis(10);

/// Small files that wait to be handed out.
pub(super) struct FileGroup {
    files: Vec<SmallFile>,
    bytes: usize,
    /// The time at which the first of the files was added.
    since: Instant,
    /// Number of files at which the group is full.
    target: usize,
}

impl FileGroup {
    pub(super) fn new() -> Self {
        FileGroup { files: Vec::new(), bytes: 0, since: Instant::now(), target: 1 }
    }

    /// Adds a file. Returns whether the group should be handed out.
    pub(super) fn add(&mut self, small: SmallFile, config: &WorkerConfig) -> bool {
        if self.files.is_empty() {
            self.since = Instant::now();
        }
        self.bytes += small.size;
        self.files.push(small);
        self.files.len() >= self.target
            || self.bytes >= MAX_BYTES.min(config.batch_bytes)
            || self.since.elapsed() >= PATIENCE
    }

    /// Returns the time until which the files may wait for others; `None` if there are none.
    pub(super) fn deadline(&self) -> Option<Instant> {
        (!self.files.is_empty()).then(|| self.since + PATIENCE)
    }

    /// Takes the files, if there are any. The next group may have twice as many files, up to [`MAX_FILES`].
    pub(super) fn take(&mut self) -> Option<Vec<SmallFile>> {
        if self.files.is_empty() {
            return None;
        }
        self.bytes = 0;
        self.target = (2 * self.target).min(MAX_FILES);
        Some(std::mem::take(&mut self.files))
    }
}

/// Returns the size in bytes of a small file; `None` for any other input. With shards, no file counts as small, because
/// the shard of a batch depends on the sizes of all earlier batches.
pub(super) fn small_size(shared: &Shared, input: &Input) -> Option<usize> {
    let Origin::File(path) = &input.origin else { return None };
    if shared.shard.is_some() {
        return None;
    }
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    usize::try_from(metadata.len()).ok().filter(|_| metadata.len() <= MAX_SIZE)
}

/// Opens a small file. The file fits in one batch, unless it is compressed or has grown since its size was read.
pub(super) fn open(shared: &Shared, SmallFile { input: queued, size }: &SmallFile) -> Result<MatedBatcher, InputError> {
    let input = &queued.input;
    let config = shared.config(input.kind);
    let source = match &input.origin {
        Origin::File(path) => Source::open_small(path, *size, input.decoding)?,
        Origin::Stdin => Source::open(&input.origin, input.decoding, None)?,
    };
    let bytes = if source.is_compressed() { MAX_SIZE as usize } else { size + 1 };
    let window = config.window();
    config.batcher(source, input, Window { bytes: window.bytes.min(bytes), ..window })
}

/// Collects the events of a group, in order. Sends them early if they hold too many bytes.
pub(super) struct Outbox<'a> {
    events: Vec<Event>,
    bytes: usize,
    send: &'a mut dyn FnMut(Vec<Event>),
}

impl<'a> Outbox<'a> {
    /// Makes an outbox for a group of `files` files. `send` sends events early, and must first wait until everything before
    /// the group is written.
    pub(super) fn new(files: usize, send: &'a mut dyn FnMut(Vec<Event>)) -> Self {
        // Most files have three events: their begin, their batch and their end.
        Outbox { events: Vec::with_capacity(3 * files), bytes: 0, send }
    }

    pub(super) fn put(&mut self, event: Event) {
        if let Event::SearchedSmall(_, batch, _) = &event {
            self.bytes += batch.owned().len();
        }
        self.events.push(event);
        if self.bytes > 2 * MAX_BYTES {
            self.send();
        }
    }

    /// Sends the events so far.
    pub(super) fn send(&mut self) {
        self.bytes = 0;
        (self.send)(std::mem::take(&mut self.events));
    }

    pub(super) fn into_events(self) -> Vec<Event> {
        self.events
    }
}
