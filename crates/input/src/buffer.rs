//! Grows buffers to a length that may exceed memory.

use nigh_core::batch::TextBuffer;

use super::error::InputError;

/// Grows a buffer to at least `length` bytes for the line or record at `offset` in the input.
///
/// # Errors
/// [`InputError::TooLong`] if there is not enough memory.
pub(crate) fn try_room(buffer: &mut TextBuffer, length: usize, offset: u64) -> Result<(), InputError> {
    buffer.try_grow(length).map_err(|_| InputError::TooLong { offset })
}
