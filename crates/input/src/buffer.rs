//! Grows buffers to a length that may exceed memory.

use super::error::InputError;

/// Grows a buffer to at least `length` bytes for the line or record at `offset` in the input.
///
/// # Errors
/// [`InputError::TooLong`] if there is not enough memory.
pub(crate) fn try_room(buffer: &mut Vec<u8>, length: usize, offset: u64) -> Result<(), InputError> {
    let more = length.saturating_sub(buffer.len());
    buffer.try_reserve_exact(more).map_err(|_| InputError::TooLong { offset })?;
    make_room(buffer, length);
    Ok(())
}

/// Grows a buffer to at least `length` bytes.
pub(crate) fn make_room(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        buffer.reserve_exact(length - buffer.len());
        buffer.resize(length, 0);
    }
}
