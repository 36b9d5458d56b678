//! Cuts compressed bytes into pieces that decompress independently: BGZF blocks (SAM specification, section 4.1) and
//! zstd frames (RFC 8878).
//!
//! Only headers are parsed. A block or frame is buffered whole, so frames are limited to `MAX_FRAME`; the caller
//! reads anything else sequentially.

use std::io::{self, Read};

/// The result of looking for the next block or frame.
pub(super) enum NextFrame {
    /// A block or frame was appended to the piece. Holds the upper bound on its text, in bytes.
    Added(usize),
    /// The rest of the input cannot be cut into pieces of bounded size. Holds the bytes of this rest that were already
    /// read.
    Whole(Vec<u8>),
    /// The end of the input.
    End,
}

/// Largest text of a BGZF block, in bytes.
pub(super) const BGZF_BLOCK: usize = 64 << 10;
/// Size in bytes of the last field of a gzip member, which holds the length of its text.
const GZIP_LENGTH: usize = 4;
/// Size in bytes of the header of a gzip member, up to and including the field with the length of the extra fields.
const GZIP_HEAD: usize = 12;
/// The flag of a gzip header for extra fields.
const EXTRA: u8 = 4;

pub(super) const ZSTD_MAGIC: [u8; 4] = *b"\x28\xb5\x2f\xfd";
/// Largest text of a zstd block, in bytes.
const ZSTD_BLOCK: usize = 128 << 10;
/// Largest frame that is buffered, in bytes of text and in compressed bytes.
const MAX_FRAME: usize = 32 << 20;

/// Appends the next BGZF block to `piece`.
pub(super) fn bgzf_block(reader: &mut impl Read, piece: &mut Vec<u8>) -> io::Result<NextFrame> {
    let start = piece.len();
    if !read_more(reader, GZIP_HEAD, piece)? {
        return Ok(cut_off(start, piece));
    }
    let head = &piece[start..];
    if !(head.starts_with(b"\x1f\x8b\x08") && head[3] & EXTRA != 0) {
        return Ok(NextFrame::Whole(piece.split_off(start)));
    }
    let extra = usize::from(u16::from_le_bytes([head[10], head[11]]));
    if !read_more(reader, extra, piece)? {
        return Ok(cut_off(start, piece));
    }
    let Some(size) = bgzf_size(&piece[start + GZIP_HEAD..]) else {
        return Ok(NextFrame::Whole(piece.split_off(start)));
    };
    let rest = size.saturating_sub(GZIP_HEAD + extra);
    if !read_more(reader, rest, piece)? {
        return Ok(cut_off(start, piece));
    }
    if claimed_length(&piece[start..]) > BGZF_BLOCK {
        piece.truncate(start);
        return Err(block_too_large());
    }
    Ok(NextFrame::Added(BGZF_BLOCK))
}

/// Returns the length of the text in bytes, as a whole BGZF block states it in its last field.
fn claimed_length(block: &[u8]) -> usize {
    block.last_chunk::<GZIP_LENGTH>().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

/// Makes the error for a block whose text exceeds the format's limit, which would take unbounded memory.
pub(super) fn block_too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a bgzf block is larger than 64 KiB")
}

/// Returns the size in bytes of a BGZF block, given the extra fields of its gzip member; `None` if the member is not a
/// BGZF block.
pub(super) fn bgzf_size(mut fields: &[u8]) -> Option<usize> {
    while let [first, second, low, high, rest @ ..] = fields {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        if (*first, *second, length) == (b'B', b'C', 2) {
            return Some(usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?])) + 1);
        }
        fields = rest.get(length..)?;
    }
    None
}

/// Appends the next zstd frame to `piece`. Returns [`NextFrame::Whole`] at anything else, including a skippable frame.
pub(super) fn zstd_frame(reader: &mut impl Read, piece: &mut Vec<u8>) -> io::Result<NextFrame> {
    let start = piece.len();
    let complete = read_more(reader, 5, piece)?;
    if !complete || piece[start..start + 4] != ZSTD_MAGIC {
        return Ok(cut_off(start, piece));
    }
    let descriptor = piece[start + 4];
    let single = descriptor >> 5 & 1;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(single), 2, 4, 8][usize::from(descriptor >> 6)];
    if !read_more(reader, usize::from(1 - single) + dictionary + content, piece)? {
        return Ok(cut_off(start, piece));
    }
    let mut holds = 0;
    loop {
        let at = piece.len();
        if holds > MAX_FRAME || at - start > MAX_FRAME || !read_more(reader, 3, piece)? {
            return Ok(cut_off(start, piece));
        }
        let header = u32::from_le_bytes([piece[at], piece[at + 1], piece[at + 2], 0]);
        let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 3, (header >> 3) as usize);
        let length = match kind {
            0 | 2 => size,
            1 => 1,
            _ => return Ok(cut_off(start, piece)),
        };
        holds += if kind == 2 { ZSTD_BLOCK } else { size };
        let checksum = if is_last && descriptor & 4 != 0 { 4 } else { 0 };
        if length > ZSTD_BLOCK || !read_more(reader, length + checksum, piece)? {
            return Ok(cut_off(start, piece));
        }
        if is_last {
            return Ok(NextFrame::Added(holds));
        }
    }
}

/// Removes the bytes from index `start` on from `piece`, and returns them as [`NextFrame::Whole`]; [`NextFrame::End`]
/// if there are none.
fn cut_off(start: usize, piece: &mut Vec<u8>) -> NextFrame {
    match piece.split_off(start) {
        nothing if nothing.is_empty() => NextFrame::End,
        begun => NextFrame::Whole(begun),
    }
}

/// Appends `length` bytes to `piece`. Returns whether the input had that many bytes left.
fn read_more(reader: &mut impl Read, length: usize, piece: &mut Vec<u8>) -> io::Result<bool> {
    let read = reader.by_ref().take(length as u64).read_to_end(piece)?;
    Ok(read == length)
}
