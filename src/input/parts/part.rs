//! One part of a file: where it starts and ends, so that its neighbours find the same cuts.

use std::fs::File;

use super::excerpt::Excerpt;
use crate::input::buffer::make_room;
use crate::input::error::InputError;
use crate::input::format::{LongLines, Window};
use crate::text::{MAX_SYMBOL_BYTES, symbol_boundary};

/// Within so many bytes the start of a line is near.
pub(super) const NEAR: usize = 64 << 10;
/// Shorter than this, `NEAR` would not hold the symbol behind a cut in a line.
const MIN_NEAR: usize = 4 * MAX_SYMBOL_BYTES;
/// So many bytes are read behind the nominal end of a part at first: most lines are shorter.
const AHEAD: usize = 4 << 10;
/// The low bits of an address in which text in memory is to agree with the file. On a Zen 4 server Linux copies 1 MiB out
/// of the page cache in 0.14 ms, but in 0.44 ms where the low twelve bits are greater by 1 to 15, as behind short lines they
/// often would be.
const ALIGNMENT: usize = 64;

/// A part as the size of the file gives it.
pub(crate) struct Part<'a> {
    pub(super) file: &'a File,
    /// Where the text starts.
    pub(super) text: u64,
    pub(super) from: u64,
    /// The nominal end, but for the last part.
    pub(super) to: Option<u64>,
    pub(crate) window: Window,
    /// Offset of the first NUL byte, if there is one near the start of the file.
    pub(super) nul: Option<u64>,
}

/// Where a part starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    /// Where in the file.
    pub(crate) offset: u64,
    /// Whether that is known to be the start of a line.
    pub(crate) opens_line: bool,
}

impl Part<'_> {
    /// The cut near the nominal start; `None` if it lies at or behind that near the nominal end, so that the part is empty.
    pub(crate) fn start(&self, terminator: u8, long: LongLines) -> Result<Option<Start>, InputError> {
        if self.from == self.text {
            return Ok(Some(Start { offset: self.text, opens_line: true }));
        }
        let mut head = Vec::new();
        // A cut between two symbols may lie a little before the place asked for.
        let mut excerpt =
            self.excerpt_from(self.text.max(self.from.saturating_sub(MAX_SYMBOL_BYTES as u64)), &mut head, 0);
        let Some(at) = self.cut(&mut excerpt, self.from, terminator, long)? else { return Ok(None) };
        let opens_line = at > 0 && excerpt.bytes()[at - 1] == terminator;
        let start = Start { offset: excerpt.offset_of(at), opens_line };
        Ok(Some(start).filter(|start| self.to.is_none_or(|to| start.offset < to)))
    }

    /// Reads the part and finds the cut near its nominal end.
    pub(crate) fn end(&self, excerpt: &mut Excerpt<'_>, terminator: u8, long: LongLines) -> Result<usize, InputError> {
        let start = excerpt.bytes().len();
        let Some(to) = self.to else {
            excerpt.read_to(start + 2 * self.window.bytes)?;
            excerpt.read_to_end()?;
            return Ok(excerpt.bytes().len());
        };
        excerpt.read_to(excerpt.index_of(to) + self.window.bytes.min(AHEAD))?;
        let end = self.cut(excerpt, to, terminator, long)?.unwrap_or(excerpt.bytes().len());
        // The symbol behind a cut in a line.
        excerpt.read_to(end + 2 * MAX_SYMBOL_BYTES)?;
        // Never before the start, whatever somebody writes into the file meanwhile.
        Ok(end.max(start))
    }

    /// The cut near a nominal start or end of a part; `None` if there is none within the part that starts there.
    fn cut(
        &self,
        excerpt: &mut Excerpt<'_>,
        place: u64,
        terminator: u8,
        long: LongLines,
    ) -> Result<Option<usize>, InputError> {
        let at = excerpt.index_of(place);
        let most = match self.to {
            Some(to) if place < to => (to - place) as usize,
            _ => usize::MAX,
        };
        match self.cutting(long, place) {
            LongLines::Whole => excerpt.line_start(at, most, terminator),
            LongLines::WholeText => excerpt.line_start_or_nul(at, most, MIN_NEAR, terminator),
            LongLines::Cut => match excerpt.line_start(at, self.near(), terminator)? {
                Some(start) => Ok(Some(start)),
                None => Ok(Some(self.boundary(excerpt, at))),
            },
        }
    }

    /// How lines are cut near a nominal end of a part: behind a NUL byte, all of them may be.
    fn cutting(&self, long: LongLines, place: u64) -> LongLines {
        match (long, self.nul) {
            (LongLines::WholeText, Some(nul)) if nul < place => LongLines::Cut,
            _ => long,
        }
    }

    /// The bytes from some offset on, none of which has been read.
    pub(crate) fn excerpt_from<'b>(&'b self, offset: u64, buffer: &'b mut Vec<u8>, room: usize) -> Excerpt<'b> {
        Excerpt::new(self.file, offset, buffer, room)
    }

    /// How much room to leave in a buffer, so much at least, before the bytes from some offset on.
    pub(crate) fn room_before(&self, offset: u64, least: usize, buffer: &mut Vec<u8>) -> usize {
        // All of it now: an address holds only until the buffer grows.
        make_room(buffer, least + ALIGNMENT + self.window.bytes + 2 * AHEAD);
        let address = buffer.as_ptr().addr() + least;
        least + (offset as usize).wrapping_sub(address) % ALIGNMENT
    }

    /// The last bytes before some offset, as many as there are of so many.
    pub(crate) fn bytes_before(&self, offset: u64, most: usize) -> Result<Vec<u8>, InputError> {
        let length = (offset - self.text).min(most as u64) as usize;
        let mut bytes = Vec::with_capacity(length);
        self.excerpt_from(offset - length as u64, &mut bytes, 0).read_to(length)?;
        Ok(bytes)
    }

    /// Whether the text starts there.
    pub(crate) fn starts_text(&self, offset: u64) -> bool {
        offset == self.text
    }

    /// Among how many places the start of a line is near.
    fn near(&self) -> usize {
        self.window.bytes.clamp(MIN_NEAR, NEAR)
    }

    fn boundary(&self, excerpt: &Excerpt<'_>, at: usize) -> usize {
        symbol_boundary(self.window.alphabet, excerpt.bytes(), at.min(excerpt.bytes().len()))
    }
}
