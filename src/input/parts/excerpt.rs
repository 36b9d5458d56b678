//! Bytes of a file from some place on, read as they are asked for.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::{memchr, memchr2};

use crate::input::buffer::{make_room, try_room};
use crate::input::error::InputError;

/// So many bytes at least are read at once when more are needed than were thought.
const STEP: usize = 4 << 10;

/// What was read, behind room that belongs to the caller.
pub(crate) struct Excerpt<'a> {
    file: &'a File,
    buffer: &'a mut Vec<u8>,
    room: usize,
    /// Offset in the file of the byte behind the room.
    offset: u64,
    length: usize,
    ended: bool,
}

impl<'a> Excerpt<'a> {
    /// Nothing yet; what is read goes into the buffer from `room` on.
    pub(crate) fn new(file: &'a File, offset: u64, buffer: &'a mut Vec<u8>, room: usize) -> Self {
        make_room(buffer, room);
        Excerpt { file, buffer, room, offset, length: room, ended: false }
    }

    /// Nothing yet of another place in the file.
    pub(crate) fn elsewhere<'b>(&'b self, offset: u64, buffer: &'b mut Vec<u8>) -> Excerpt<'b> {
        Excerpt::new(self.file, offset, buffer, 0)
    }

    /// Reads on until there are so many bytes with the room, or to the end of the file.
    pub(crate) fn read_to(&mut self, length: usize) -> Result<(), InputError> {
        try_room(self.buffer, length, self.offset)?;
        while self.length < length && !self.ended {
            let offset = self.offset_of(self.length);
            match self.file.read_at(&mut self.buffer[self.length..length], offset) {
                Ok(read) => {
                    self.ended = read == 0;
                    self.length += read;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads on to the end of the file.
    pub(crate) fn read_to_end(&mut self) -> Result<(), InputError> {
        while !self.ended {
            self.read_more(usize::MAX)?;
        }
        Ok(())
    }

    /// Reads an eighth more, so that there are few copies and little more than what is needed, but not beyond `limit`.
    fn read_more(&mut self, limit: usize) -> Result<(), InputError> {
        self.read_to(limit.min(self.length + STEP.max(self.length / 8)))
    }

    /// What `search` finds in the bytes from `from` on, of which it sees `most` at most, reading as many as it takes.
    pub(crate) fn find(
        &mut self,
        from: usize,
        most: usize,
        search: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<usize>, InputError> {
        let (mut from, limit) = (from, from.saturating_add(most));
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

    /// The first place at or behind `at` where a line starts, if it is among `most` places. There is a byte before `at`.
    pub(crate) fn line_start(&mut self, at: usize, most: usize, terminator: u8) -> Result<Option<usize>, InputError> {
        let end = self.find(at - 1, most, |bytes| memchr(terminator, bytes))?;
        Ok(end.map(|end| end + 1))
    }

    /// The first place at or behind `at` where a line starts or that follows a NUL byte, if it is among `most` places. There is a byte
    /// before `at`. If a line starts within `near` bytes of the NUL, it is that place.
    pub(crate) fn line_start_or_nul(
        &mut self,
        at: usize,
        most: usize,
        near: usize,
        terminator: u8,
    ) -> Result<Option<usize>, InputError> {
        let Some(end) = self.find(at - 1, most, |bytes| memchr2(terminator, 0, bytes))? else { return Ok(None) };
        match self.buffer[end] == terminator {
            true => Ok(Some(end + 1)),
            false => Ok(self.line_start(end + 1, near, terminator)?.or(Some(end + 1))),
        }
    }

    /// Forgets what was read from `length` on. What is pushed then takes its place, and nothing more can be read.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = length;
        self.ended = true;
    }

    /// Adds bytes that are not in the file.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        make_room(self.buffer, end);
        self.buffer[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    /// What was read, and the room before it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Whether the file ends with what was read.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Where a byte of the file stands, or would stand.
    pub(crate) fn index_of(&self, offset: u64) -> usize {
        self.room + (offset - self.offset) as usize
    }

    /// Where in the file a byte stands.
    pub(crate) fn offset_of(&self, index: usize) -> u64 {
        self.offset + (index - self.room) as u64
    }
}
