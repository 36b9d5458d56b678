//! Buffers for text, from which a device can copy without a staging buffer.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};

#[cfg(feature = "cuda")]
use std::sync::OnceLock;

#[cfg(feature = "cuda")]
use crate::driver::{Device, PageLock};

/// Largest buffer that is page-locked, in bytes. Longer buffers hold very long lines, and are rare.
#[cfg(feature = "cuda")]
const MAX_LOCKED: usize = 64 << 20;

/// Bytes of text. If the buffer is used again and again, a device may page-lock its memory, and copies from it directly.
///
/// Locking takes about as long as copying the text, so a buffer that is used once is not locked: see
/// [`TextBuffer::reused`]. The memory is unlocked before it is freed or moved.
#[derive(Debug, Default)]
pub struct TextBuffer {
    /// The lock on the memory of `bytes`, all of its capacity; `None` inside if the driver refused it. Fields are
    /// dropped in this order, so the memory is unlocked before it is freed.
    #[cfg(feature = "cuda")]
    lock: OnceLock<Option<PageLock>>,
    bytes: Vec<u8>,
    #[cfg(feature = "cuda")]
    is_reused: bool,
}

thread_local! {
    static HANDLES_FAILURE: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether the current thread handles the failure of its allocation. An allocator may end the process if not.
pub fn handles_allocation_failure() -> bool {
    HANDLES_FAILURE.get()
}

/// Calls a function that handles the failure of its allocations.
pub fn handling_allocation_failure<T>(allocate: impl FnOnce() -> T) -> T {
    /// Restores the old value, also after a panic.
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            HANDLES_FAILURE.set(self.0);
        }
    }
    let _restored = Restored(HANDLES_FAILURE.replace(true));
    allocate()
}

impl TextBuffer {
    /// Makes an empty buffer that is worth locking, because it will hold one text after the other.
    pub fn reused() -> Self {
        TextBuffer {
            #[cfg(feature = "cuda")]
            is_reused: true,
            ..TextBuffer::default()
        }
    }

    /// Grows the buffer to at least `length` bytes. New bytes are 0.
    ///
    /// # Errors
    /// Fails if there is not enough memory. The buffer is then unchanged.
    pub fn try_grow(&mut self, length: usize) -> Result<(), TryReserveError> {
        if self.bytes.capacity() < length {
            self.unlock();
            handling_allocation_failure(|| self.bytes.try_reserve_exact(length - self.bytes.len()))?;
        }
        self.grow(length);
        Ok(())
    }

    /// Grows the buffer to at least `length` bytes. New bytes are 0.
    ///
    /// # Panics
    /// Panics or ends the process if there is not enough memory, as a vector does.
    pub fn grow(&mut self, length: usize) {
        if self.bytes.capacity() < length {
            self.unlock();
            self.bytes.reserve_exact(length - self.bytes.len());
        }
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
    }

    /// Frees the memory.
    pub fn reset(&mut self) {
        self.unlock();
        self.bytes = Vec::new();
    }

    /// Returns the bytes as a vector.
    pub fn into_vec(mut self) -> Vec<u8> {
        self.unlock();
        std::mem::take(&mut self.bytes)
    }

    #[cfg(feature = "cuda")]
    fn unlock(&mut self) {
        self.lock.take();
    }

    #[cfg(not(feature = "cuda"))]
    fn unlock(&mut self) {}

    /// Returns whether all bytes are in page-locked memory. The first call locks the memory of a buffer that is used
    /// again and again; a refusal of the driver counts until the memory changes.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    pub fn is_locked(&self, device: &Device) -> bool {
        self.is_reused
            && self.bytes.capacity() <= MAX_LOCKED
            && self.lock.get_or_init(|| self.lock_memory(device)).is_some()
    }

    #[cfg(feature = "cuda")]
    #[allow(unsafe_code)]
    fn lock_memory(&self, device: &Device) -> Option<PageLock> {
        // SAFETY: the lock is stored beside the vector. It is dropped before the vector frees or moves its memory:
        // `try_grow`, `grow`, `reset` and `into_vec` unlock first, and a dropped buffer drops `lock` first. The code that
        // queues a copy from this buffer waits for the copy before the borrow of the buffer ends: see
        // `Queue::upload_text`.
        unsafe { PageLock::new(device, &self.bytes) }
    }
}

impl From<Vec<u8>> for TextBuffer {
    fn from(bytes: Vec<u8>) -> Self {
        TextBuffer {
            bytes,
            #[cfg(feature = "cuda")]
            lock: OnceLock::new(),
            #[cfg(feature = "cuda")]
            is_reused: false,
        }
    }
}

impl Clone for TextBuffer {
    /// Copies the bytes. The copy is not locked.
    fn clone(&self) -> Self {
        TextBuffer::from(self.bytes.clone())
    }
}

impl Deref for TextBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for TextBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_grows_with_zeros_and_keeps_its_bytes() {
        let mut buffer = TextBuffer::from(b"text".to_vec());
        buffer.try_grow(2).unwrap();
        assert_eq!(&*buffer, b"text");
        buffer.try_grow(6).unwrap();
        assert_eq!(&*buffer, b"text\0\0");
        assert!(buffer.try_grow(usize::MAX).is_err());
        assert_eq!(buffer.clone().into_vec(), b"text\0\0");
        buffer.reset();
        assert!(buffer.is_empty());
    }
}
