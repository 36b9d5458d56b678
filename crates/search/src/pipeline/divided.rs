//! A file that workers read in parts.

use std::sync::Arc;

use super::buffers::BufferPool;
use crate::ordered::handoff::OrderedHandoff;
use nigh_input::{BoundaryState, InputError, Parts};
use nigh_text::batch::{Batch, TextBuffer};

/// The file, and the hand-off between its parts.
pub(super) struct DividedFile {
    parts: Parts,
    /// Index of the first part to be read.
    first: u64,
    handoff: OrderedHandoff<BoundaryState>,
}

/// The input of a search task.
pub(super) enum BatchSource {
    /// A batch that the reader has read.
    Batch(Box<Batch<'static>>),
    /// A part that the worker reads itself: the file, and the part's index.
    Part(Arc<DividedFile>, u64),
}

impl DividedFile {
    /// Makes a divided file that begins with the part `first`.
    ///
    /// # Errors
    /// Fails if the parts before `first` cannot be read. They are read back to the start of the record that is open where
    /// `first` begins.
    pub(super) fn new(parts: Parts, first: u64) -> Result<Self, InputError> {
        let handoff = OrderedHandoff::new(parts.handover_before(first)?);
        Ok(DividedFile { parts, first, handoff })
    }

    /// Returns whether the part exists. If it is the last part, first adds parts for the bytes that were appended to
    /// the file meanwhile. Otherwise the last part, which extends to the end of the file, would outgrow its buffer if
    /// the file grows faster than it is searched.
    pub(super) fn has(&self, index: u64) -> bool {
        if index + 1 == self.parts.count() {
            self.parts.extend();
        }
        index < self.parts.count()
    }

    /// Returns whether the rest of the file need not be read.
    pub(super) fn has_ended(&self) -> bool {
        self.handoff.has_ended()
    }

    /// Reads a part. Before the batch is made, hands on a function that computes the state at the end of the part.
    /// Returns `None` if an earlier part failed or was dropped.
    fn read(&self, index: u64, buffer: &mut TextBuffer) -> Result<Option<Batch<'static>>, InputError> {
        let slot = self.handoff.slot(index - self.first);
        let draft = self.parts.read(index, buffer);
        if let Ok(draft) = &draft {
            let step = draft.handover_step();
            slot.hand_on_step(move |before| step.after(before));
        }
        let Some(before) = slot.wait() else { return Ok(None) };
        draft?.batch(&before, buffer)
    }
}

impl BatchSource {
    /// Returns the batch to search, which is read first if it is a part of a file; `None` if an earlier part failed or
    /// was dropped.
    pub(super) fn into_batch(self, buffers: &BufferPool) -> Result<Option<Batch<'static>>, InputError> {
        match self {
            BatchSource::Batch(batch) => Ok(Some(*batch)),
            BatchSource::Part(file, index) => {
                let mut buffer = buffers.take();
                let read = file.read(index, &mut buffer);
                if !matches!(read, Ok(Some(_))) {
                    buffers.give_back(buffer);
                }
                read
            }
        }
    }

    /// Drops a source that is no longer wanted. If it is a part of a file, later parts of the file are not read either.
    pub(super) fn give_up(self, buffers: &BufferPool) {
        match self {
            BatchSource::Batch(batch) => buffers.give_back(batch.into_buffer()),
            BatchSource::Part(file, index) => drop(file.handoff.slot(index - file.first)),
        }
    }
}
