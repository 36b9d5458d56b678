//! Finds the two cuts of a part. A cut depends only on the bytes near it, so that neighbouring parts find the same cut.

use super::excerpt::Excerpt;
use crate::error::InputError;
use crate::format::LongLines;
use crate::source::text_file::TextFile;
use nigh_text::batch::{TextBuffer, Window};
use nigh_text::text::{MAX_SYMBOL_BYTES, symbol_boundary};

/// Largest number of bytes after a nominal start or end in which a line start is sought.
pub(super) const MAX_LINE_SEARCH: usize = 64 << 10;
/// Smallest number of bytes after a nominal start or end in which a line start is sought. Fewer would not cover the
/// symbol after a cut inside a line.
const MIN_LINE_SEARCH: usize = 4 * MAX_SYMBOL_BYTES;
/// Number of bytes read past the nominal end of a part at first. Most lines are shorter.
const AHEAD: usize = 4 << 10;
/// A byte's address in memory equals its offset in the file modulo this number. Zen 4 server: Linux copies 1 MiB out of
/// the page cache in 0.14 ms, but in 0.44 ms if the low twelve bits of the address exceed those of the file offset by 1
/// to 15, which is frequent after short lines.
const ALIGNMENT: usize = 64;

/// A part of a file, given by its nominal range.
pub(crate) struct Part<'a> {
    pub(super) file: &'a TextFile,
    /// Offset in the file of the first byte of text.
    pub(super) text: u64,
    /// Offset in the file of the nominal start.
    pub(super) from: u64,
    /// Offset in the file of the nominal end; `None` for the last part.
    pub(super) to: Option<u64>,
    pub(crate) window: Window,
    /// Offset in the file of the first NUL byte, if there is one near the start.
    pub(super) nul: Option<u64>,
}

/// The actual start of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartStart {
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Whether a line is known to start there.
    pub(crate) opens_line: bool,
}

impl Part<'_> {
    /// Returns the cut near the nominal start; `None` if it is at or after the nominal end, so that the part is
    /// empty.
    pub(crate) fn start(&self, terminator: u8, long: LongLines) -> Result<Option<PartStart>, InputError> {
        if self.from == self.text {
            return Ok(Some(PartStart { offset: self.text, opens_line: true }));
        }
        let mut head = TextBuffer::default();
        // A cut at a symbol boundary may precede the nominal start by a few bytes.
        let mut excerpt =
            self.excerpt_from(self.text.max(self.from.saturating_sub(MAX_SYMBOL_BYTES as u64)), &mut head, 0);
        let Some(at) = self.cut(&mut excerpt, self.from, terminator, long)? else { return Ok(None) };
        let opens_line = at > 0 && excerpt.bytes()[at - 1] == terminator;
        let start = PartStart { offset: excerpt.offset_of(at), opens_line };
        Ok(Some(start).filter(|start| self.to.is_none_or(|to| start.offset < to)))
    }

    /// Reads the part, which begins at index `start`, and returns the index of the cut near its nominal end.
    pub(crate) fn end(
        &self,
        excerpt: &mut Excerpt<'_>,
        start: usize,
        terminator: u8,
        long: LongLines,
    ) -> Result<usize, InputError> {
        let Some(to) = self.to else {
            excerpt.read_to(start + 2 * self.window.bytes)?;
            excerpt.read_to_end()?;
            return Ok(excerpt.bytes().len());
        };
        excerpt.read_to(excerpt.index_of(to) + self.window.bytes.min(AHEAD))?;
        let end = self.cut(excerpt, to, terminator, long)?.unwrap_or(excerpt.bytes().len());
        // Reads the symbol after a cut inside a line.
        excerpt.read_to(end + 2 * MAX_SYMBOL_BYTES)?;
        // The end is never before the start, even if the file has changed.
        Ok(end.max(start))
    }

    /// Returns the index of the cut near `nominal`, a nominal start or end; `None` if there is none before the nominal
    /// end, or before the end of the file if `nominal` is that end.
    fn cut(
        &self,
        excerpt: &mut Excerpt<'_>,
        nominal: u64,
        terminator: u8,
        long: LongLines,
    ) -> Result<Option<usize>, InputError> {
        let at = excerpt.index_of(nominal);
        let max = match self.to {
            Some(to) if nominal < to => (to - nominal) as usize,
            _ => usize::MAX,
        };
        match self.cutting(long, nominal) {
            LongLines::Whole => excerpt.line_start(at, max, terminator),
            LongLines::WholeText => excerpt.line_start_or_nul(at, max, MIN_LINE_SEARCH, terminator),
            LongLines::Cut => match excerpt.line_start(at, self.line_search(), terminator)? {
                Some(start) => Ok(Some(start)),
                None => Ok(Some(self.boundary(excerpt, at))),
            },
        }
    }

    /// Returns the treatment of long lines near `nominal`. Under [`LongLines::WholeText`], lines may be cut after a NUL
    /// byte.
    fn cutting(&self, long: LongLines, nominal: u64) -> LongLines {
        match (long, self.nul) {
            (LongLines::WholeText, Some(nul)) if nul < nominal => LongLines::Cut,
            _ => long,
        }
    }

    /// Returns an empty excerpt at `offset`.
    pub(crate) fn excerpt_from<'b>(&'b self, offset: u64, buffer: &'b mut TextBuffer, room: usize) -> Excerpt<'b> {
        Excerpt::new(self.file, offset, buffer, room)
    }

    /// Returns the number of bytes, at least `min`, to reserve in `buffer` before the bytes at `offset`; see
    /// `ALIGNMENT`.
    pub(crate) fn room_before(&self, offset: u64, min: usize, buffer: &mut TextBuffer) -> usize {
        // Grows the buffer first, since growing it later would change the address of its bytes.
        buffer.grow(min + ALIGNMENT + self.window.bytes + 2 * AHEAD);
        let address = buffer.as_ptr().addr() + min;
        min + (offset as usize).wrapping_sub(address) % ALIGNMENT
    }

    /// Returns the last bytes of text before `offset`, at most `max`.
    pub(crate) fn bytes_before(&self, offset: u64, max: usize) -> Result<Vec<u8>, InputError> {
        let length = (offset - self.text).min(max as u64) as usize;
        let mut bytes = TextBuffer::default();
        self.excerpt_from(offset - length as u64, &mut bytes, 0).read_to(length)?;
        Ok(bytes.into_vec())
    }

    /// Returns whether the text starts at `offset`.
    pub(crate) fn starts_text(&self, offset: u64) -> bool {
        offset == self.text
    }

    /// Returns the number of bytes after a nominal start or end in which a line start is sought.
    fn line_search(&self) -> usize {
        self.window.bytes.clamp(MIN_LINE_SEARCH, MAX_LINE_SEARCH)
    }

    fn boundary(&self, excerpt: &Excerpt<'_>, at: usize) -> usize {
        symbol_boundary(self.window.alphabet, excerpt.bytes(), at.min(excerpt.bytes().len()))
    }
}
