//! Cuts compressed bytes where they can be decompressed apart: blocks of bgzf, frames of zstd.

use std::io::{self, Read};

/// What came of looking for the next block or frame.
pub(super) enum Next {
    /// It was added to the piece. So many bytes come of it, at most.
    Added(usize),
    /// What follows cannot be cut, or not into pieces of bounded size; of it, these bytes were read.
    Whole(Vec<u8>),
    /// Nothing follows.
    End,
}

/// What a block of bgzf holds at most.
pub(super) const BGZF_BLOCK: usize = 64 << 10;
/// The end of a member of gzip with the length of its text.
const GZIP_LENGTH: usize = 4;
/// The head of a member of gzip with extra fields, up to their length.
const GZIP_HEAD: usize = 12;
const EXTRA: u8 = 4;

const ZSTD_MAGIC: [u8; 4] = *b"\x28\xb5\x2f\xfd";
/// What a block of zstd holds at most.
const ZSTD_BLOCK: usize = 128 << 10;
/// A frame that may hold more than this is not held in memory, nor is one with more compressed bytes.
const MAX_FRAME: usize = 32 << 20;

/// Adds the next block of bgzf.
pub(super) fn bgzf_block(reader: &mut impl Read, piece: &mut Vec<u8>) -> io::Result<Next> {
    let start = piece.len();
    if !read_more(reader, GZIP_HEAD, piece)? {
        return Ok(cut_off(start, piece));
    }
    let head = &piece[start..];
    if !(head.starts_with(b"\x1f\x8b\x08") && head[3] & EXTRA != 0) {
        return Ok(Next::Whole(piece.split_off(start)));
    }
    let extra = usize::from(u16::from_le_bytes([head[10], head[11]]));
    if !read_more(reader, extra, piece)? {
        return Ok(cut_off(start, piece));
    }
    let Some(size) = bgzf_size(&piece[start + GZIP_HEAD..]) else {
        return Ok(Next::Whole(piece.split_off(start)));
    };
    let rest = size.saturating_sub(GZIP_HEAD + extra);
    if !read_more(reader, rest, piece)? {
        return Ok(cut_off(start, piece));
    }
    if claimed_length(&piece[start..]) > BGZF_BLOCK {
        piece.truncate(start);
        return Err(block_too_large());
    }
    Ok(Next::Added(BGZF_BLOCK))
}

/// How many bytes a whole block of bgzf says it holds.
fn claimed_length(block: &[u8]) -> usize {
    block.last_chunk::<GZIP_LENGTH>().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

/// The error for a block that holds more than the format allows, which would take memory without bound.
pub(super) fn block_too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a bgzf block is larger than 64 KiB")
}

/// The size of a block, which the extra fields of a member say if it is one.
fn bgzf_size(mut fields: &[u8]) -> Option<usize> {
    while let [first, second, low, high, rest @ ..] = fields {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        if (*first, *second, length) == (b'B', b'C', 2) {
            return Some(usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?])) + 1);
        }
        fields = rest.get(length..)?;
    }
    None
}

/// Adds the next frame of zstd. Those to be skipped are frames that hold nothing.
pub(super) fn zstd_frame(reader: &mut impl Read, piece: &mut Vec<u8>) -> io::Result<Next> {
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
            return Ok(Next::Added(holds));
        }
    }
}

/// What was read of something that cannot be had as a piece; nothing, if the input ended before it.
fn cut_off(start: usize, piece: &mut Vec<u8>) -> Next {
    match piece.split_off(start) {
        nothing if nothing.is_empty() => Next::End,
        begun => Next::Whole(begun),
    }
}

/// Reads so many bytes behind those that are there. Whether there were as many.
fn read_more(reader: &mut impl Read, length: usize, piece: &mut Vec<u8>) -> io::Result<bool> {
    let read = reader.by_ref().take(length as u64).read_to_end(piece)?;
    Ok(read == length)
}
