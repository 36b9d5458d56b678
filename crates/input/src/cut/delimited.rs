//! Cuts text whose lines end with a string, or with a line feed after an optional carriage return.
//!
//! Engines expect a single byte at the end of a line, so line ends are overwritten in place and no offset changes. Each
//! byte of a string delimiter becomes an ASCII byte that does not occur in the batch, and `Batch::line_end` keeps the
//! string for printing. A carriage return before a line feed becomes a second line feed, and `Batch::shown` keeps the
//! original bytes.

use std::sync::Arc;

use memchr::{memchr, memmem};

use super::lines::{LOOKAHEAD, LineCutter, LongLineCutter, context_start};
use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use crate::format::LongLines;
use crate::source::encoding::mark_of;
use nigh_core::batch::Window;
use nigh_core::batch::{Batch, Layout, Lines};
use nigh_core::text::MAX_SYMBOL_BYTES;

/// Cuts text whose lines end with a string.
pub(crate) struct DelimitedCutter {
    delimiter: Arc<[u8]>,
    finder: memmem::Finder<'static>,
    long: LongLineCutter,
    window: Window,
    /// Number of bytes of context at the start of the carry.
    context: usize,
    /// The layout of the bytes from the start of the carry on; `closes` has no meaning.
    lines: Lines,
    /// Offsets at which the delimiters in the last batch start.
    ends: Vec<usize>,
}

impl DelimitedCutter {
    pub(crate) fn new(delimiter: Arc<[u8]>, long: LongLines, window: Window, skipped: u64) -> Self {
        let finder = memmem::Finder::new(&delimiter).into_owned();
        let (width, mark) = (delimiter.len(), mark_of(skipped));
        // Enough bytes are kept after a cut that a delimiter of which only the start was read lies wholly after the
        // cut.
        let long = LongLineCutter::new(long, window, LOOKAHEAD.max(width + MAX_SYMBOL_BYTES));
        let lines = Lines { terminator: 0, width, opens: true, closes: true, offset: skipped, mark };
        DelimitedCutter { delimiter, finder, long, window, context: 0, lines, ends: Vec::new() }
    }

    /// Returns the end of the owned range, and whether a line ends there.
    fn owned_end(&mut self, bytes: &[u8], end: InputEnd) -> Option<(usize, bool)> {
        self.long.look_at(bytes);
        let last_end = self.ends.last().map(|last| last + self.delimiter.len());
        self.long.owned_end(bytes, (self.context, last_end), end)
    }
}

/// Returns a byte that does not occur in `bytes`. It is ASCII, so that it is a symbol of its own, and not NUL, which
/// marks binary files.
fn free_byte(bytes: &[u8]) -> Option<u8> {
    let rare = [0x1e, 0x1f, 0x1d, 0x1c];
    rare.into_iter().chain((1..0x80).rev()).find(|&byte| memchr(byte, bytes).is_none())
}

impl Cutter for DelimitedCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
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

/// Cuts text whose lines end with a line feed after an optional carriage return.
pub(crate) struct CrlfLineCutter(pub(crate) LineCutter);

impl Cutter for CrlfLineCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        self.0.cut(bytes, end, carry)
    }

    fn finish(&self, batch: &mut Batch) {
        hide_returns(batch);
    }
}

/// Overwrites each carriage return before a line feed with a line feed. Keeps the bytes as read in `shown`.
pub(crate) fn hide_returns(batch: &mut Batch) {
    let bytes = &mut batch.buffer[batch.held.clone()];
    let returns: Vec<usize> = memmem::find_iter(bytes, b"\r\n").collect();
    if !returns.is_empty() {
        batch.shown = Some(bytes.to_vec());
        returns.into_iter().for_each(|at| bytes[at] = b'\n');
    }
}
