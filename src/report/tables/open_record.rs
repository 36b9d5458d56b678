//! The length of a record in rows that are made before it is known.

use std::io::{self, Write};

use memchr::memchr;

/// Stands for a length that is not known yet. No field of a row can hold it.
pub(super) const OPEN: u8 = 0;

/// Writes rows of a record that was open, which has this length.
pub(super) fn write_with_length(mut rows: &[u8], length: u64, out: &mut dyn Write) -> io::Result<()> {
    while let Some(place) = memchr(OPEN, rows) {
        out.write_all(&rows[..place])?;
        write!(out, "{length}")?;
        rows = &rows[place + 1..];
    }
    out.write_all(rows)
}
