//! Spool: keeps bytes that cannot be written yet. A few stay in memory; more go to a temporary file.

use std::io::{self, BufWriter, Read, Seek, Write};

use tempfile::SpooledTempFile;

use super::ReportError;

/// Maximum number of bytes kept in memory. If there are more, all go to a temporary file.
const IN_MEMORY: usize = 4 << 20;

/// Size of a write to the file and of a read from it, in bytes.
const CHUNK: usize = 128 << 10;

/// Keeps bytes in order until they are drained. Errors are [`ReportError::Spool`].
pub(super) struct Spool {
    file: BufWriter<SpooledTempFile>,
    length: u64,
}

impl Spool {
    pub(super) fn new() -> Self {
        Spool { file: BufWriter::with_capacity(CHUNK, SpooledTempFile::new(IN_MEMORY)), length: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Passes all bytes to `write`, in chunks of at most [`CHUNK`] bytes, and empties the spool.
    pub(super) fn drain(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.length == 0 {
            return Ok(());
        }
        self.file.flush().and_then(|()| self.file.get_mut().rewind()).map_err(ReportError::Spool)?;
        let mut chunk = vec![0; CHUNK];
        let mut left = self.length;
        while left > 0 {
            let length = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
            self.file.get_mut().read_exact(&mut chunk[..length]).map_err(ReportError::Spool)?;
            write(&chunk[..length])?;
            left -= length as u64;
        }
        self.clear()
    }

    /// Passes all bytes to `write`, in chunks of whole items, and empties the spool. `complete` returns the number of
    /// bytes of the whole items at the start of a chunk. The longest item must fit in memory.
    pub(super) fn drain_items(
        &mut self,
        complete: impl Fn(&[u8]) -> usize,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut rest = Vec::new();
        self.drain(|piece| {
            rest.extend_from_slice(piece);
            let end = complete(&rest);
            write(&rest[..end])?;
            rest.drain(..end);
            Ok(())
        })?;
        debug_assert!(rest.is_empty(), "the spool holds whole items");
        Ok(())
    }

    /// Discards all bytes.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        if self.length > 0 {
            self.length = 0;
            // Flushes the write buffer first, so that the truncation also removes the buffered bytes.
            let emptied = self.file.flush().and_then(|()| self.file.get_mut().set_len(0));
            emptied.and_then(|()| self.file.get_mut().rewind()).map_err(ReportError::Spool)?;
        }
        Ok(())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes).map_err(ReportError::Spool)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use memchr::memrchr;

    use super::*;

    #[test]
    fn any_number_of_bytes_is_drained_once() {
        let mut spool = Spool::new();
        for length in [0, 1, CHUNK, IN_MEMORY + 3, 7] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            spool.write_all(b"forgotten").unwrap();
            spool.clear().unwrap();
            spool.write_all(&bytes).unwrap();
            let mut out = Vec::new();
            spool.drain(|piece| out.write_all(piece)).unwrap();
            assert!(out == bytes, "{length}");
        }
    }
    #[test]
    fn items_come_out_whole() {
        let mut spool = Spool::new();
        let lines: Vec<u8> = (0..2 * CHUNK as u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
        spool.write_all(&lines).unwrap();
        let mut out = Vec::new();
        spool
            .drain_items(
                |piece| memrchr(b'\n', piece).map_or(0, |last| last + 1),
                |piece| {
                    assert!(piece.ends_with(b"\n"));
                    out.write_all(piece)
                },
            )
            .unwrap();
        assert!(out == lines);
    }
}
