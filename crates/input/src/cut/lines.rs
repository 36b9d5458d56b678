//! Cuts text into batches of lines, and lines that are too long into pieces.
//!
//! A batch ends with the last line end that was read. A longer line is read whole or cut at a symbol boundary, as
//! [`LongLines`] says.

use memchr::{memchr, memrchr};

use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use crate::format::LongLines;
use crate::source::encoding::mark_of;
use nigh_text::batch::{Layout, Lines, Window};
use nigh_text::text::{MAX_SYMBOL_BYTES, previous_symbol, symbol_boundary};

/// Number of bytes kept after a cut inside a line, so that the symbol after the cut is complete.
pub(crate) const LOOKAHEAD: usize = 2 * MAX_SYMBOL_BYTES;

/// Cuts text into batches of lines; holds the state between two batches.
pub(crate) struct LineCutter {
    long: LongLines,
    window: Window,
    /// Number of bytes of context at the start of the carry.
    context: usize,
    /// The layout of the bytes from the start of the carry on; `closes` has no meaning.
    lines: Lines,
    /// Whether a NUL byte occurred at the start of the input or in a long line.
    is_binary: bool,
    /// Whether no bytes have been examined for a NUL byte.
    is_first: bool,
}

impl LineCutter {
    /// Makes a cutter for an input whose first `skipped` bytes are a byte order mark.
    pub(crate) fn new(terminator: u8, long: LongLines, window: Window, skipped: u64) -> Self {
        let mark = mark_of(skipped);
        let lines = Lines { terminator, opens: true, closes: true, offset: skipped, mark };
        LineCutter { long, window, context: 0, lines, is_binary: false, is_first: true }
    }

    /// Returns the end of the owned range, and whether a line ends there; `None` if there is nothing to own yet.
    fn owned_end(&mut self, bytes: &[u8], end: InputEnd) -> Option<(usize, bool)> {
        // After the first bytes read, only long lines are examined for a NUL byte.
        if std::mem::take(&mut self.is_first) && self.long == LongLines::WholeText {
            self.is_binary = memchr(0, bytes).is_some();
        }
        let (alphabet, fresh) = (self.window.alphabet, &bytes[self.context..]);
        match (end, memrchr(self.lines.terminator, fresh)) {
            (InputEnd::Reached, _) => return (!fresh.is_empty()).then_some((bytes.len(), true)),
            (_, Some(last)) => return Some((self.context + last + 1, true)),
            // The line may continue after the error, so its last symbol is not owned.
            (InputEnd::Broken, None) => {
                let last = previous_symbol(alphabet, bytes, bytes.len())?;
                return (last.start > self.context).then_some((last.start, false));
            }
            // A cut keeps at least `LOOKAHEAD` bytes after it.
            (InputEnd::Paused, None) => return None,
            (InputEnd::Ahead, None) if fresh.len() < self.window.bytes.max(2 * LOOKAHEAD) => return None,
            (InputEnd::Ahead, None) => {}
        }
        let may_cut = match self.long {
            LongLines::Cut => true,
            LongLines::Whole => false,
            LongLines::WholeText => {
                self.is_binary = self.is_binary || memchr(0, fresh).is_some();
                self.is_binary
            }
        };
        may_cut.then(|| (symbol_boundary(alphabet, bytes, bytes.len() - LOOKAHEAD), false))
    }
}

impl Cutter for LineCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let Some((end, closes)) = self.owned_end(bytes, end) else { return Ok(None) };
        let owned = self.context..end;
        let lines = Lines { closes, ..self.lines };
        let context_start = if closes { end } else { context_start(self.window, bytes, end) };
        self.lines.opens = closes || (lines.opens && context_start == 0);
        self.lines.pass(context_start);
        self.context = end - context_start;
        carry.clear();
        carry.extend_from_slice(&bytes[context_start..]);
        let length = if closes { end } else { bytes.len() };
        Ok(Some(Cut { owned, length, layout: Layout::Lines(lines), records: None }))
    }
}

/// Returns the offset at which the context of a cut at `end` starts. The cut is inside a line.
pub(crate) fn context_start(window: Window, bytes: &[u8], end: usize) -> usize {
    // One symbol more than a match covers, for the conditions on edges.
    let mut start = end;
    for _ in 0..=window.max_match_len {
        match previous_symbol(window.alphabet, bytes, start) {
            Some(symbol) => start = symbol.start,
            None => break,
        }
    }
    start
}
