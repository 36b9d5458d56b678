//! The memory of batches, and the permits that limit the number of batches.

use std::sync::{Mutex, PoisonError};

use nigh_text::batch::TextBuffer;

/// A permit for one task. The reader hands out a task with a permit, and the writer gives the permit back when it has
/// written what the task found.
pub(super) struct TaskPermit;

/// Memory that no batch uses. It is taken when a batch is read, and the memory that was given back last is taken first,
/// because a cache may still hold it.
#[derive(Default)]
pub(super) struct BufferPool {
    free: Mutex<Vec<TextBuffer>>,
}

impl BufferPool {
    pub(super) fn take(&self) -> TextBuffer {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(TextBuffer::reused)
    }

    pub(super) fn give_back(&self, buffer: TextBuffer) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}
