//! The parts of a gzip member around its deflate stream (RFC 1952).

use std::io;

use flate2::Crc;

/// The flags of a header.
const CHECKED: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 7 << 5;

/// The bytes with which a member begins.
const MAGIC: &[u8] = b"\x1f\x8b";
/// Length in bytes of the part of a header that every member has.
const FIXED: usize = 10;
/// Longest name or comment, in bytes. This limit bounds the bytes that are kept until a header is complete.
const MAX_FIELD: usize = 65_535;
/// Length of a trailer in bytes.
pub(crate) const TRAILER: usize = 8;

/// A fault in gzip data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GzipError {
    /// The input ends in a header or trailer.
    EndOfFile,
    /// The input ends in the deflate stream.
    EndOfStream,
    /// Bytes follow a member that are neither padding nor another member.
    Garbage,
    Header,
    Field,
    Stream,
    Checksum,
}

/// The error for bytes after a member that are neither padding nor another member.
#[derive(Debug, thiserror::Error)]
#[error("garbage after the data")]
pub struct Garbage;

impl GzipError {
    pub(crate) fn error(self) -> io::Error {
        let (kind, message) = match self {
            GzipError::EndOfFile => return io::ErrorKind::UnexpectedEof.into(),
            GzipError::Garbage => return io::Error::new(io::ErrorKind::InvalidData, Garbage),
            GzipError::EndOfStream => (io::ErrorKind::UnexpectedEof, "incomplete deflate stream"),
            GzipError::Header => (io::ErrorKind::InvalidInput, "invalid gzip header"),
            GzipError::Field => (io::ErrorKind::InvalidInput, "gzip header field too long"),
            GzipError::Stream => (io::ErrorKind::InvalidInput, "corrupt deflate stream"),
            GzipError::Checksum => {
                (io::ErrorKind::InvalidInput, "corrupt gzip stream does not have a matching checksum")
            }
        };
        io::Error::new(kind, message)
    }
}

/// Returns whether `input`, which follows a member, begins with the magic number of another member. Fails with
/// [`GzipError::EndOfFile`] if more input is needed to tell.
pub(crate) fn begins_member(input: &[u8]) -> Result<bool, GzipError> {
    match input.len() < MAGIC.len() && MAGIC.starts_with(input) {
        true => Err(GzipError::EndOfFile),
        false => Ok(input.starts_with(MAGIC)),
    }
}

/// Returns the length in bytes of the header at the start of `input`. Fails with [`GzipError::EndOfFile`] if it is
/// incomplete.
pub(crate) fn header_length(input: &[u8]) -> Result<usize, GzipError> {
    let fixed = input.get(..FIXED).ok_or(GzipError::EndOfFile)?;
    let flags = fixed[3];
    if !fixed.starts_with(b"\x1f\x8b\x08") || flags & RESERVED != 0 {
        return Err(GzipError::Header);
    }
    let mut length = FIXED;
    if flags & EXTRA != 0 {
        let bytes = input.get(length..length + 2).ok_or(GzipError::EndOfFile)?;
        length += 2 + usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    }
    for _ in 0..(flags & (NAME | COMMENT)).count_ones() {
        let rest = input.get(length..).ok_or(GzipError::EndOfFile)?;
        length += field_length(rest)?;
    }
    let header = input.get(..length).ok_or(GzipError::EndOfFile)?;
    if flags & CHECKED == 0 {
        return Ok(length);
    }
    let stored = input.get(length..length + 2).ok_or(GzipError::EndOfFile)?;
    let mut checksum = Crc::new();
    checksum.update(header);
    match checksum.sum().to_le_bytes().starts_with(stored) {
        true => Ok(length + 2),
        false => Err(GzipError::Checksum),
    }
}

/// Returns the length of a name or comment, including the zero byte at its end.
fn field_length(input: &[u8]) -> Result<usize, GzipError> {
    match memchr::memchr(0, &input[..input.len().min(MAX_FIELD + 1)]) {
        Some(length) => Ok(length + 1),
        None if input.len() > MAX_FIELD => Err(GzipError::Field),
        None => Err(GzipError::EndOfFile),
    }
}

/// The checksum and the length of the text of a member, as its trailer states them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trailer {
    checksum: u32,
    /// The length in bytes modulo 2^32.
    length: u32,
}

impl Trailer {
    pub(crate) fn of(bytes: [u8; TRAILER]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        Trailer { checksum: u32::from_le_bytes([a, b, c, d]), length: u32::from_le_bytes([e, f, g, h]) }
    }

    /// Returns whether text with this checksum and length agrees with the trailer.
    pub(crate) fn agrees(self, text: &Crc) -> bool {
        (text.sum(), text.amount()) == (self.checksum, self.length)
    }
}
