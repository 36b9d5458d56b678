//! `--line-buffered`: lines are written as soon as they are whole.

use std::io::{self, BufWriter, Write};

/// Collects the pieces of a line, and writes them with its end.
pub(super) struct LineWriter<W: Write> {
    out: BufWriter<W>,
    terminator: u8,
}

impl<W: Write> LineWriter<W> {
    /// Lines end with this byte, or a line feed.
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
