//! `--line-buffered`: writes each line as soon as it is complete.

use std::io::{self, BufWriter, Write};

/// A writer that buffers parts of a line, and flushes at the line end.
pub(super) struct LineWriter<W: Write> {
    out: BufWriter<W>,
    terminator: u8,
}

impl<W: Write> LineWriter<W> {
    /// Creates a writer for lines that end with `terminator` or a line feed.
    pub(super) fn new(out: W, terminator: u8) -> Self {
        LineWriter { out: BufWriter::new(out), terminator }
    }
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        if bytes[..written].last().is_some_and(|&last| last == b'\n' || last == self.terminator) {
            self.out.flush()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
