//! What reader, workers and writer hand to each other.

use std::sync::Arc;
use std::time::Duration;

use super::divided::{NoBatch, Text};
use crate::engine::EngineError;
use crate::input::{Batch, InputError};
use crate::report::{EarlyRows, EarlySpans, Findings};
use crate::search::{Input, Trouble};

/// An input, and its place among the others.
pub(super) struct Queued {
    pub(super) index: usize,
    pub(super) input: Input,
    /// Whether nothing comes behind it.
    pub(super) is_last: bool,
}

/// What the writer gets, in the order of the input.
pub(super) enum Event {
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
pub(super) struct Work {
    pub(super) number: u64,
    pub(super) task: Task,
}

/// What a worker does at a time.
pub(super) enum Task {
    /// A batch, or a part of a file that is to be one.
    Text {
        input: Arc<Queued>,
        text: Text,
        /// Which of those is this that hand on what they have not decided, if it does.
        slot: Option<u64>,
    },
    /// Some small files, with a buffer that bounds how many groups there are at a time.
    Group(Vec<Small>, Vec<u8>),
}

/// A small file.
pub(super) struct Small {
    pub(super) input: Arc<Queued>,
    pub(super) size: usize,
}
