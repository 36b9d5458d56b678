//! Reads the first bytes of a file, to recognise its format.

use std::path::Path;

use super::foreign::{MAGIC, UnsupportedFormat};
use super::open::Source;
use crate::format::{Decoding, Origin};

impl UnsupportedFormat {
    /// Returns the format of a file if both its lower-case `extension` and its magic number show a format that nigh
    /// does not read.
    pub fn of_file(path: &Path, extension: &str) -> Option<Self> {
        if !matches!(extension, "bam" | "cram" | "2bit" | "zip" | "z") {
            return None;
        }
        UnsupportedFormat::of(&first_bytes(path, MAGIC)?)
    }
}

/// Returns the first bytes of a regular file, at most `count`, decompressed and without a byte order mark; `None` if it
/// cannot be read.
pub fn first_bytes(path: &Path, count: usize) -> Option<Vec<u8>> {
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut source = Source::open(&Origin::File(path.to_owned()), Decoding::AUTOMATIC, None).ok()?;
    let mut head = vec![0; count];
    let mut length = 0;
    while let Ok(read @ 1..) = source.read(&mut head[length..]) {
        length += read;
    }
    head.truncate(length);
    Some(head)
}
