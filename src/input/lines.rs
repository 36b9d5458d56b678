//! Cuts text into batches of lines, and lines that are too long into pieces.

use memchr::memrchr;

use super::InputError;
use super::batch::{Layout, Lines};
use super::batcher::{Cut, Cutter, LongLines, Window};
use crate::text::{LONGEST_SYMBOL, previous_symbol, symbol_boundary};

/// Bytes kept behind a cut inside a line, so that the symbol behind it is whole.
const BEHIND: usize = 2 * LONGEST_SYMBOL;

/// Where the text is, between two batches.
pub(super) struct LineCutter {
    long: LongLines,
    window: Window,
    /// How many bytes of the carry are context.
    context: usize,
    /// What holds at the first byte of the carry, but for `closes`.
    lines: Lines,
}

impl LineCutter {
    /// For an input of which so many bytes were passed over at the start.
    pub(super) fn new(terminator: u8, long: LongLines, window: Window, skipped: u64) -> Self {
        let lines = Lines { terminator, opens: true, closes: true, offset: skipped };
        LineCutter { long, window, context: 0, lines }
    }

    /// Where the part that the batch owns ends, and whether that is the end of a line.
    fn owned_end(&self, bytes: &[u8], ended: bool) -> Option<(usize, bool)> {
        let fresh = &bytes[self.context..];
        if let Some(last) = memrchr(self.lines.terminator, fresh) {
            return Some((self.context + last + 1, true));
        }
        match self.long {
            _ if ended => (!fresh.is_empty()).then_some((bytes.len(), true)),
            LongLines::Cut if fresh.len() >= self.window.bytes.max(2 * BEHIND) => {
                let end = symbol_boundary(self.window.alphabet, bytes, bytes.len() - BEHIND);
                Some((end, false))
            }
            LongLines::Cut | LongLines::Whole => None,
        }
    }

    /// Where the context starts that the next batch needs before `end`, inside a line.
    fn context_start(&self, bytes: &[u8], end: usize) -> usize {
        // One symbol more than a match covers: the edges of a match are judged by it.
        let mut start = end;
        for _ in 0..=self.window.reach {
            match previous_symbol(self.window.alphabet, bytes, start) {
                Some(symbol) => start = symbol.start,
                None => break,
            }
        }
        start
    }
}

impl Cutter for LineCutter {
    fn cut(&mut self, bytes: &[u8], ended: bool, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let Some((end, closes)) = self.owned_end(bytes, ended) else { return Ok(None) };
        let owned = self.context..end;
        let lines = Lines { closes, ..self.lines };
        let context_start = if closes { end } else { self.context_start(bytes, end) };
        self.lines.opens = closes || (lines.opens && context_start == 0);
        self.lines.offset += context_start as u64;
        self.context = end - context_start;
        carry.clear();
        carry.extend_from_slice(&bytes[context_start..]);
        let length = if closes { end } else { bytes.len() };
        Ok(Some(Cut { owned, length, layout: Layout::Lines(lines) }))
    }
}
