//! Reads parts of a file of lines.

use memchr::memrchr;

use super::part::Part;
use crate::cut::lines::{LOOKAHEAD, context_start};
use crate::error::InputError;
use crate::format::LongLines;
use crate::source::encoding::mark_of;
use nigh_text::batch::{Batch, Layout, Lines, TextBuffer};
use nigh_text::text::MAX_SYMBOL_BYTES;

/// Reads the lines of a part into a batch, which takes the buffer; `None` if the part is empty.
pub(crate) fn line_part(
    part: &Part<'_>,
    terminator: u8,
    long: LongLines,
    buffer: &mut TextBuffer,
) -> Result<Option<Batch<'static>>, InputError> {
    let Some(start) = part.start(terminator, long)? else { return Ok(None) };
    let (context, opens) =
        if start.opens_line { (Vec::new(), true) } else { context_before(part, start.offset, terminator)? };
    let room = part.room_before(start.offset, context.len(), buffer);
    let first = room - context.len();
    buffer[first..room].copy_from_slice(&context);
    let mut excerpt = part.excerpt_from(start.offset, buffer, room);
    let end = match part.end(&mut excerpt, room, terminator, long) {
        Err(InputError::TooLong { .. }) => {
            let line = memrchr(terminator, &excerpt.bytes()[room..]).map_or(room, |line_end| room + line_end + 1);
            return Err(InputError::TooLong { offset: excerpt.offset_of(line) });
        }
        end => end?,
    };
    let bytes = excerpt.bytes();
    if end == room {
        return Ok(None);
    }
    let closes = bytes[end - 1] == terminator || (excerpt.has_ended() && end == bytes.len());
    let length = if closes { end } else { bytes.len().min(end + LOOKAHEAD) };
    let offset = start.offset - context.len() as u64;
    let mark = if part.starts_text(offset) { mark_of(offset) } else { b"" };
    let lines = Lines { terminator, opens, closes, offset, mark };
    let (held, owned) = (first..length, context.len()..end - first);
    Ok(Some(Batch::new(std::mem::take(buffer), held, owned, Layout::Lines(lines))))
}

/// Returns the context before `offset`, which is inside a line, and whether the line starts at the start of the
/// context.
fn context_before(part: &Part<'_>, offset: u64, terminator: u8) -> Result<(Vec<u8>, bool), InputError> {
    // One symbol more than needed, so that no needed symbol is cut.
    let mut before = part.bytes_before(offset, (part.window.max_match_len + 2) * MAX_SYMBOL_BYTES)?;
    let line = match memrchr(terminator, &before) {
        Some(end) => Some(end + 1),
        None => part.starts_text(offset - before.len() as u64).then_some(0),
    };
    let floor = line.unwrap_or(0);
    let start = floor + context_start(part.window, &before[floor..], before.len() - floor);
    let opens = line == Some(start);
    Ok((before.split_off(start), opens))
}
