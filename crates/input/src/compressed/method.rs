//! Compression methods: recognition by magic number, and errors.

use std::io;
use std::ops::RangeInclusive;

use nigh_gunzip::Garbage;

use crate::error::InputError;

/// A compression method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Gzip,
    Zstd,
    Xz,
    Lzma,
    Bzip2,
    Lz4,
}

/// A magic number: the bytes with which compressed data begins.
struct Magic {
    bytes: &'static [u8],
    /// A byte that may also have any value of a range: the index of the byte, and the range.
    free: Option<(usize, RangeInclusive<u8>)>,
    method: Method,
}

impl Magic {
    const fn of(bytes: &'static [u8], method: Method) -> Self {
        Magic { bytes, free: None, method }
    }
}

/// The magic numbers of all methods. LZMA has none: its files begin with the usual properties, and a size of the
/// dictionary that is a multiple of 64 KiB. The magic number of bzip2 is printable text, so the marker of the first
/// block, or of the end, is required as well.
const MAGICS: [Magic; 9] = [
    Magic::of(b"\x1f\x8b", Method::Gzip),
    Magic::of(b"\x28\xb5\x2f\xfd", Method::Zstd),
    // A skippable frame. LZ4 has the same skippable frames, but files of multi-threaded zstd begin with one.
    Magic { bytes: b"\x50\x2a\x4d\x18", free: Some((0, 0x50..=0x5f)), method: Method::Zstd },
    Magic::of(b"\xfd7zXZ\x00", Method::Xz),
    Magic::of(b"\x5d\0\0", Method::Lzma),
    Magic { bytes: b"BZh91AY&SY", free: Some((3, b'1'..=b'9')), method: Method::Bzip2 },
    Magic { bytes: b"BZh9\x17rE8P\x90", free: Some((3, b'1'..=b'9')), method: Method::Bzip2 },
    Magic::of(b"\x04\x22\x4d\x18", Method::Lz4),
    Magic::of(b"\x02\x21\x4c\x18", Method::Lz4),
];

impl Magic {
    /// Returns whether `head` and the magic number agree in the bytes that both have.
    fn agrees(&self, head: &[u8]) -> bool {
        let is_free =
            |at: usize, byte: u8| self.free.as_ref().is_some_and(|(free, may)| *free == at && may.contains(&byte));
        head.iter().zip(self.bytes).enumerate().all(|(at, (byte, expected))| byte == expected || is_free(at, *byte))
    }
}

/// The error for a thread that decompresses pieces and ended without a result.
#[derive(Debug, thiserror::Error)]
#[error("a decompression thread stopped unexpectedly")]
pub(super) struct HelperStopped;

impl Method {
    /// Returns the method whose magic number `head` begins with.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|magic| head.len() >= magic.bytes.len() && magic.agrees(head)).map(|magic| magic.method)
    }

    /// Returns whether `head` is a proper prefix of a magic number.
    pub(crate) fn is_incomplete(head: &[u8]) -> bool {
        MAGICS.iter().any(|magic| head.len() < magic.bytes.len() && magic.agrees(head))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Gzip => "gzip",
            Method::Zstd => "zstd",
            Method::Xz => "xz",
            Method::Lzma => "lzma",
            Method::Bzip2 => "bzip2",
            Method::Lz4 => "lz4",
        }
    }

    /// Translates a decompressor's error. Not every error means corrupt data.
    pub(crate) fn error(self, error: io::Error) -> InputError {
        let is_memory = match error.get_ref().and_then(|source| source.downcast_ref()) {
            Some(liblzma::stream::Error::Mem | liblzma::stream::Error::MemLimit) => true,
            _ => error.kind() == io::ErrorKind::OutOfMemory,
        };
        let is_garbage = error.get_ref().is_some_and(|source| source.is::<Garbage>());
        let has_stopped = error.get_ref().is_some_and(|source| source.is::<HelperStopped>());
        match (self, error.to_string().as_str()) {
            _ if has_stopped => InputError::Io(error),
            _ if is_garbage => InputError::Garbage(self.name()),
            _ if is_memory => InputError::NoMemory(self.name()),
            // The library has numbers for these errors, but only their messages reach this crate.
            (Method::Zstd, "Allocation error : not enough memory") => InputError::NoMemory(self.name()),
            (Method::Zstd, "Frame requires too much memory for decoding") => InputError::Window,
            _ => InputError::Corrupt(self.name(), error),
        }
    }
}
