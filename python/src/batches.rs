//! Iteration over the hits of a file in small tables.
//!
//! A thread searches the file, and a channel that holds one table makes it wait for the caller.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, spawn};

use arrow_array::RecordBatch;
use nigh::{FileError, FileEvent, FileSplit, Interrupted, Searcher, interruptible};
use pyo3::prelude::*;

use crate::file;
use crate::hits::{HitColumns, Hits, TableLayout};
use crate::options::TableSearch;
use crate::threads::{SIGNAL_INTERVAL, of_panic};

/// Maximum number of rows of a table.
const MAX_ROWS: usize = 1 << 16;

/// Number of bytes in the texts of records at which a table ends.
const MAX_RECORD_TEXT: usize = 16 << 20;

/// An iterator over tables of hits; see :meth:`Searcher.search_file_batches`.
#[pyclass(module = "nigh")]
pub(crate) struct HitBatches {
    /// Messages of the thread; `None` when the iterator ends.
    messages: Option<Mutex<Receiver<Message>>>,
    /// Columns of the tables.
    layout: TableLayout,
    /// The thread that searches; `None` once its result was taken.
    search: Option<JoinHandle<Result<Result<(), FileError>, Interrupted>>>,
    /// Whether the thread must end.
    is_dropped: Arc<AtomicBool>,
}

/// A message of the thread that searches.
enum Message {
    Hits(Vec<RecordBatch>),
    Warning(String),
}

/// The hits that are not sent yet.
struct HitSender<'s> {
    searcher: &'s Searcher,
    hits: HitColumns,
    layout: TableLayout,
    messages: SyncSender<Message>,
}

impl HitBatches {
    /// Starts the search of a file, or of a part of one.
    pub(crate) fn new(searcher: Arc<Searcher>, part: FileSplit, options: TableSearch) -> Self {
        let (sender, receiver) = sync_channel(1);
        let layout = options.layout;
        let is_dropped = Arc::new(AtomicBool::new(false));
        let flag = is_dropped.clone();
        let call = move || {
            let mut hits = HitSender { searcher: &searcher, hits: HitColumns::new(layout), layout, messages: sender };
            let result = options.of_file(&searcher, &part).for_each(|event| hits.add(event));
            let _ = hits.send_table();
            result
        };
        let search = spawn(move || interruptible(move || flag.load(Ordering::Relaxed), call));
        HitBatches { messages: Some(Mutex::new(receiver)), layout, search: Some(search), is_dropped }
    }

    /// Waits for the end of the thread.
    ///
    /// # Errors
    /// Fails if the search has failed; only the first call does.
    fn finish(&mut self) -> PyResult<()> {
        match self.search.take().map(JoinHandle::join) {
            Some(Ok(Ok(Err(error)))) => Err(file::of_file(error)),
            Some(Err(panic)) => Err(of_panic(&*panic)),
            _ => Ok(()),
        }
    }
}

impl HitSender<'_> {
    /// Adds an event of the search. Breaks if the iterator was dropped.
    fn add(&mut self, event: FileEvent<'_>) -> ControlFlow<()> {
        match event {
            FileEvent::Record(record) => {
                self.hits.set_record(&record);
                ControlFlow::Continue(())
            }
            FileEvent::Hit(hit) => {
                self.hits.push(file::values(self.searcher, &hit, self.layout));
                let is_full = self.hits.len() >= MAX_ROWS || self.hits.record_text_len() >= MAX_RECORD_TEXT;
                if is_full { self.send_table() } else { ControlFlow::Continue(()) }
            }
            FileEvent::Progress => self.send_table(),
            FileEvent::Warning(message) => self.send(Message::Warning(message.to_owned())),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Sends the hits, unless there are none.
    fn send_table(&mut self) -> ControlFlow<()> {
        if self.hits.len() == 0 {
            return ControlFlow::Continue(());
        }
        let batches = self.hits.take_batches();
        self.send(Message::Hits(batches))
    }

    fn send(&self, message: Message) -> ControlFlow<()> {
        self.messages.send(message).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }
}

#[pymethods]
impl HitBatches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Hits>> {
        loop {
            let Some(messages) = &self.messages else { return Ok(None) };
            let receive = || messages.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL);
            match py.detach(receive) {
                Ok(Message::Hits(batches)) => return Ok(Some(Hits::new(self.layout, batches))),
                Ok(Message::Warning(message)) => file::warn(py, &message)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.finish().map(|()| None),
            }
            py.check_signals()?;
        }
    }
}

impl Drop for HitBatches {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
        // The thread must not wait for a place in the channel.
        self.messages = None;
        // The caller has no use for a failure any more.
        let _ = self.search.take().map(JoinHandle::join);
    }
}
