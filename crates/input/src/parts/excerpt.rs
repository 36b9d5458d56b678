//! Reads a range of the text of a file on demand.

use memchr::{memchr, memchr2};

use crate::error::InputError;
use crate::source::text_file::TextFile;
use nigh_text::batch::TextBuffer;

/// Fewest bytes by which `read_more` extends an excerpt.
const STEP: usize = 4 << 10;

/// Bytes of a file, stored after `room` bytes that belong to the caller. All indices are those of the buffer.
pub(crate) struct Excerpt<'a> {
    file: &'a TextFile,
    buffer: &'a mut TextBuffer,
    room: usize,
    /// Offset in the file of the byte at index `room`.
    offset: u64,
    /// Index just past the bytes read.
    length: usize,
    /// Whether the file ends with the bytes read, or was cut off there by `truncate`.
    ended: bool,
}

impl<'a> Excerpt<'a> {
    /// Makes an empty excerpt of the file at `offset`. Bytes are read into `buffer` from index `room` on.
    pub(crate) fn new(file: &'a TextFile, offset: u64, buffer: &'a mut TextBuffer, room: usize) -> Self {
        buffer.grow(room);
        Excerpt { file, buffer, room, offset, length: room, ended: false }
    }

    /// Makes an empty excerpt at another offset of the same file.
    pub(crate) fn elsewhere<'b>(&'b self, offset: u64, buffer: &'b mut TextBuffer) -> Excerpt<'b> {
        Excerpt::new(self.file, offset, buffer, 0)
    }

    /// Reads until the buffer holds `length` bytes, including the room, or the file ends.
    pub(crate) fn read_to(&mut self, length: usize) -> Result<(), InputError> {
        self.buffer.try_grow(length).map_err(|_| InputError::TooLong { offset: self.offset })?;
        while self.length < length && !self.ended {
            let offset = self.offset_of(self.length);
            let read = self.file.read_at(&mut self.buffer[self.length..length], offset)?;
            self.ended = read == 0;
            self.length += read;
        }
        Ok(())
    }

    /// Reads to the end of the file.
    pub(crate) fn read_to_end(&mut self) -> Result<(), InputError> {
        while !self.ended {
            self.read_more(usize::MAX)?;
        }
        Ok(())
    }

    /// Reads until the buffer has grown by an eighth, but not beyond the index `limit`. Growing in such steps costs few
    /// copies, and reads little more than needed.
    fn read_more(&mut self, limit: usize) -> Result<(), InputError> {
        self.read_to(limit.min(self.length + STEP.max(self.length / 8)))
    }

    /// Applies `search` to the bytes from index `from` on, and reads more of the file until `search` finds an index.
    /// Returns this index in the buffer; `None` if it is not among the next `max` indices.
    pub(crate) fn find(
        &mut self,
        from: usize,
        max: usize,
        search: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<usize>, InputError> {
        let (mut from, limit) = (from, from.saturating_add(max));
        loop {
            let known = self.length.clamp(from, limit);
            if let Some(found) = self.buffer.get(from..known).and_then(&search) {
                return Ok(Some(from + found));
            }
            if self.ended || known == limit {
                return Ok(None);
            }
            from = known;
            self.read_more(limit)?;
        }
    }

    /// Returns the index of the first line start at or after `at`, if it is among the next `max` indices. Requires a
    /// byte before `at`.
    pub(crate) fn line_start(&mut self, at: usize, max: usize, terminator: u8) -> Result<Option<usize>, InputError> {
        let end = self.find(at - 1, max, |bytes| memchr(terminator, bytes))?;
        Ok(end.map(|end| end + 1))
    }

    /// Returns the first index at or after `at` where a line starts or that follows a NUL byte, if it is among the
    /// next `max` indices. A line start within `max_after_nul` bytes of the NUL takes precedence. Requires a byte
    /// before `at`.
    pub(crate) fn line_start_or_nul(
        &mut self,
        at: usize,
        max: usize,
        max_after_nul: usize,
        terminator: u8,
    ) -> Result<Option<usize>, InputError> {
        let Some(end) = self.find(at - 1, max, |bytes| memchr2(terminator, 0, bytes))? else { return Ok(None) };
        if self.buffer[end] == terminator {
            return Ok(Some(end + 1));
        }
        Ok(self.line_start(end + 1, max_after_nul, terminator)?.or(Some(end + 1)))
    }

    /// Discards the bytes from the index `length` on. From then on, bytes can only be pushed, not read.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = length;
        self.ended = true;
    }

    /// Appends bytes that are not in the file.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.buffer.grow(end);
        self.buffer[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    /// Returns the bytes read so far, preceded by the room.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Returns whether the file ends with the bytes read.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the index of the byte at `offset` in the file, whether or not it has been read.
    pub(crate) fn index_of(&self, offset: u64) -> usize {
        self.room + (offset - self.offset) as usize
    }

    /// Returns the offset in the file of the byte at `index`.
    pub(crate) fn offset_of(&self, index: usize) -> u64 {
        self.offset + (index - self.room) as u64
    }
}
