//! Messages between reader, workers and writer.

use std::sync::Arc;
use std::time::Duration;

use super::divided::BatchSource;
use crate::batch_work::EarlyOutput;
use crate::{Input, SkipReason};
use nigh_input::{Charset, EncodingChange, InputError, MatedBatcher};
use nigh_report::Findings;
use nigh_text::batch::Batch;
use nigh_verify::EngineError;

/// An input and its index in the search, from 1.
pub(super) struct QueuedInput {
    pub(super) index: usize,
    pub(super) input: Input,
    /// Whether it is the last input.
    pub(super) is_last: bool,
}

/// Facts about an open input that the writer needs.
#[derive(Clone, Copy)]
pub(super) struct OpenedFacts {
    /// The encoding from which the text is decoded, if nothing but its zero bytes shows it.
    pub(super) guessed: Option<Charset>,
    /// Whether the text is decoded to UTF-8.
    pub(super) is_decoded: bool,
    /// Whether the input is decompressed in order, so that a checksum may follow text that was handed out.
    pub(super) is_decompressed: bool,
}

impl OpenedFacts {
    pub(super) fn of(batcher: &MatedBatcher) -> Self {
        OpenedFacts {
            guessed: batcher.guessed(),
            is_decoded: batcher.is_decoded(),
            is_decompressed: batcher.is_compressed(),
        }
    }

    /// Returns the facts about a file that is read in parts. Its compressed blocks are verified before they are searched.
    pub(super) fn of_parts() -> Self {
        OpenedFacts { guessed: None, is_decoded: false, is_decompressed: false }
    }
}

/// A message to the writer. Messages sent ahead of their batch or group are processed when they arrive, all others in
/// input order.
pub(super) enum Event {
    /// The name of something that is not searched, and the reason.
    NotSearched(Vec<u8>, SkipReason),
    Begin(Arc<QueuedInput>, OpenedFacts),
    /// The length of the first batch in bytes, and the estimated time that one worker needs for it.
    Estimate(Arc<QueuedInput>, usize, Duration),
    /// An output of the batch that is written next, sent before the rest of the batch.
    Early(Arc<QueuedInput>, EarlyOutput),
    Searched(Arc<QueuedInput>, Batch<'static>, Result<Findings, EngineError>),
    /// A batch that belongs to another shard.
    Passed(Arc<QueuedInput>, Batch<'static>),
    /// A searched batch of a small file. Its buffer is not reused.
    SearchedSmall(Arc<QueuedInput>, Batch<'static>, Result<Findings, EngineError>),
    /// The last events of a group.
    Group(Vec<Event>),
    /// Events of the group that is written next, ahead of its other events.
    GroupPart(Vec<Event>),
    /// The result of a task that had nothing to search, with the error if reading failed.
    NoBatch {
        input: Arc<QueuedInput>,
        failure: Option<InputError>,
    },
    Failed(Arc<QueuedInput>, InputError),
    /// The encoding of an input changed in the bytes that were read.
    EncodingChanged(Arc<QueuedInput>, EncodingChange),
    End(Arc<QueuedInput>),
    /// A worker panicked.
    Stopped,
    /// All inputs have been read.
    Finished,
}

/// A task and its sequence number.
pub(super) struct Work {
    pub(super) number: u64,
    pub(super) task: WorkItem,
}

/// A task for a worker.
pub(super) enum WorkItem {
    /// A batch, or a part of a file that the worker reads into a batch.
    Batch {
        input: Arc<QueuedInput>,
        text: BatchSource,
        /// Index in the hand-off of undecided matches; `None` if there are none.
        slot: Option<u64>,
    },
    /// Small files.
    Group(Vec<SmallFile>),
}

/// A small file and its size in bytes.
pub(super) struct SmallFile {
    pub(super) input: Arc<QueuedInput>,
    pub(super) size: usize,
}
