//! A file that workers read in parts.

use std::sync::Arc;

use crate::input::{Batch, Handover, InputError, Parts};
use crate::search::ordered::handoff::OrderedHandoff;

/// The file, and what its parts hand on.
pub(crate) struct Divided {
    parts: Parts,
    handoff: OrderedHandoff<Handover>,
}

/// What a worker searches.
pub(crate) enum Text {
    /// What the reader has read.
    Batch(Batch),
    /// What it reads itself, with a buffer for it.
    Part(Arc<Divided>, u64, Vec<u8>),
}

/// There is nothing to search: the buffer, and what went wrong, if something did.
pub(crate) struct NoBatch(pub(crate) Vec<u8>, pub(crate) Option<InputError>);

impl Divided {
    pub(crate) fn new(parts: Parts) -> Self {
        Divided { parts, handoff: OrderedHandoff::new(Handover::default()) }
    }

    /// Whether there is such a part. What was added to the file is divided too, before the last one is handed out: that has
    /// all the rest, which would be too much for a buffer where a file grows faster than it is searched.
    pub(crate) fn has(&self, index: u64) -> bool {
        if index + 1 == self.parts.count() {
            self.parts.extend();
        }
        index < self.parts.count()
    }

    /// Whether the rest of it need not be read.
    pub(crate) fn has_ended(&self) -> bool {
        self.handoff.has_ended()
    }

    /// Reads a part, and hands on what it leaves open before its batch is made. After a part that failed, or was
    /// dropped, there is nothing more.
    fn read(&self, index: u64, buffer: &mut Vec<u8>) -> Result<Option<Batch>, InputError> {
        let slot = self.handoff.slot(index);
        let draft = self.parts.read(index, buffer);
        let Some(before) = slot.wait() else { return Ok(None) };
        let draft = draft?;
        slot.hand_on(draft.handover(&before));
        draft.batch(&before, buffer)
    }
}

impl Text {
    /// The batch to be searched.
    pub(crate) fn into_batch(self) -> Result<Batch, NoBatch> {
        match self {
            Text::Batch(batch) => Ok(batch),
            Text::Part(file, index, mut buffer) => match file.read(index, &mut buffer) {
                Ok(Some(batch)) => Ok(batch),
                Ok(None) => Err(NoBatch(buffer, None)),
                Err(error) => Err(NoBatch(buffer, Some(error))),
            },
        }
    }

    /// Gives back the buffer of what is not wanted any more, and the rest of its file up.
    pub(crate) fn give_up(self) -> NoBatch {
        match self {
            Text::Batch(batch) => NoBatch(batch.into_buffer(), None),
            Text::Part(file, index, buffer) => {
                drop(file.handoff.slot(index));
                NoBatch(buffer, None)
            }
        }
    }
}
