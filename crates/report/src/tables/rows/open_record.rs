//! Fills in the length of a record in rows that were formatted before the length was known.

use std::io::{self, Write};

use memchr::memchr;

/// Placeholder byte for an unknown length. No field of a row can contain it.
pub(crate) const OPEN: u8 = 0;

/// Writes rows with `length` in place of each placeholder.
pub(crate) fn write_with_length(mut rows: &[u8], length: u64, out: &mut dyn Write) -> io::Result<()> {
    while let Some(at) = memchr(OPEN, rows) {
        out.write_all(&rows[..at])?;
        write!(out, "{length}")?;
        rows = &rows[at + 1..];
    }
    out.write_all(rows)
}
