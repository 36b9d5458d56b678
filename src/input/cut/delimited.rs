//! Text whose lines end otherwise than with one byte: with a string, or with a line feed that a carriage return may precede.
//!
//! Who searches it is to see one byte as the end of a line. So a string is overwritten with as many bytes of one value that
//! the batch does not have, and a carriage return before a line feed with another line feed; the latter is kept aside as
//! it was, to be printed. Nothing changes its place.

use std::sync::Arc;

use memchr::{memchr, memmem};

use super::lines::{BEHIND, LineCutter, LongLineCutter, context_start};
use super::{Cut, Cutter, End};
use crate::input::batch::{Batch, Layout, Lines};
use crate::input::error::InputError;
use crate::input::format::{LongLines, Window};
use crate::input::source::encoding::mark_of;
use crate::text::MAX_SYMBOL_BYTES;

/// Cuts text whose lines end with a string.
pub(crate) struct DelimitedCutter {
    delimiter: Arc<[u8]>,
    finder: memmem::Finder<'static>,
    long: LongLineCutter,
    window: Window,
    /// How many bytes of the carry are context.
    context: usize,
    /// What holds at the first byte of the carry, but for `closes`.
    lines: Lines,
    /// Where the delimiters stand that the last batch has.
    ends: Vec<usize>,
}

impl DelimitedCutter {
    pub(crate) fn new(delimiter: Arc<[u8]>, long: LongLines, window: Window, skipped: u64) -> Self {
        let finder = memmem::Finder::new(&delimiter).into_owned();
        let (width, mark) = (delimiter.len(), mark_of(skipped));
        // A delimiter of which only the beginning has come stays behind the cut.
        let long = LongLineCutter::new(long, window, BEHIND.max(width + MAX_SYMBOL_BYTES));
        let lines = Lines { terminator: 0, width, opens: true, closes: true, offset: skipped, mark };
        DelimitedCutter { delimiter, finder, long, window, context: 0, lines, ends: Vec::new() }
    }

    /// Where the part that the batch owns ends, and whether that is the end of a line.
    fn owned_end(&mut self, bytes: &[u8], end: End) -> Option<(usize, bool)> {
        self.long.look_at(bytes);
        match self.ends.last() {
            Some(last) => Some((last + self.delimiter.len(), true)),
            None => self.long.owned_end(bytes, self.context, end),
        }
    }
}

/// A byte that some others do not have. It is ASCII, so that it is a symbol by itself, and not NUL, which tells binary files.
fn free_byte(bytes: &[u8]) -> Option<u8> {
    let rare = [0x1e, 0x1f, 0x1d, 0x1c];
    rare.into_iter().chain((1..0x80).rev()).find(|&byte| memchr(byte, bytes).is_none())
}

impl Cutter for DelimitedCutter {
    fn cut(&mut self, bytes: &[u8], end: End, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let context = self.context;
        self.ends = self.finder.find_iter(&bytes[context..]).map(|at| context + at).collect();
        let Some((end, closes)) = self.owned_end(bytes, end) else { return Ok(None) };
        let length = if closes { end } else { bytes.len() };
        self.lines.terminator = free_byte(&bytes[..length]).ok_or(InputError::NoFreeByte)?;
        let lines = Lines { closes, ..self.lines };
        let context_start = if closes { end } else { context_start(self.window, bytes, end) };
        self.lines.opens = closes || (lines.opens && context_start == 0);
        self.lines.pass(context_start);
        self.context = end - context_start;
        carry.clear();
        carry.extend_from_slice(&bytes[context_start..]);
        Ok(Some(Cut { owned: context..end, length, layout: Layout::Lines(lines) }))
    }

    fn finish(&self, batch: &mut Batch) {
        let Layout::Lines(lines) = batch.layout else { return };
        for &at in &self.ends {
            batch.buffer[at..at + lines.width].fill(lines.terminator);
        }
        batch.delimiter = Some(self.delimiter.clone());
    }
}

/// Cuts text whose lines end with a line feed that a carriage return may precede.
pub(crate) struct ReturnCutter(pub(crate) LineCutter);

impl Cutter for ReturnCutter {
    fn cut(&mut self, bytes: &[u8], end: End, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        self.0.cut(bytes, end, carry)
    }

    fn finish(&self, batch: &mut Batch) {
        hide_returns(batch);
    }
}

/// Makes carriage returns before line feeds part of what ends their lines.
pub(crate) fn hide_returns(batch: &mut Batch) {
    let bytes = &mut batch.buffer[batch.held.clone()];
    let returns: Vec<usize> = memmem::find_iter(bytes, b"\r\n").collect();
    if !returns.is_empty() {
        batch.shown = Some(bytes.to_vec());
        returns.into_iter().for_each(|at| bytes[at] = b'\n');
    }
}
