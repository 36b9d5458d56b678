//! Room in buffers, which may be too much for memory.

use super::error::InputError;

/// Makes a buffer at least so long, to hold a line or record that starts at some offset of the input.
pub(crate) fn try_room(buffer: &mut Vec<u8>, length: usize, offset: u64) -> Result<(), InputError> {
    let more = length.saturating_sub(buffer.len());
    buffer.try_reserve_exact(more).map_err(|_| InputError::TooLong { offset })?;
    make_room(buffer, length);
    Ok(())
}

/// Makes a buffer at least so long.
pub(crate) fn make_room(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        buffer.reserve_exact(length - buffer.len());
        buffer.resize(length, 0);
    }
}
