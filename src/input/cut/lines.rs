//! Cuts text into batches of lines, and lines that are too long into pieces.

use memchr::{memchr, memrchr};

use super::{Cut, Cutter, End};
use crate::alphabet::Alphabet;
use crate::input::batch::{Layout, Lines};
use crate::input::error::InputError;
use crate::input::format::{LongLines, Window};
use crate::input::source::encoding::mark_of;
use crate::text::{MAX_SYMBOL_BYTES, previous_symbol, symbol_boundary};

/// Bytes kept behind a cut inside a line, so that the symbol behind it is whole.
pub(crate) const BEHIND: usize = 2 * MAX_SYMBOL_BYTES;

/// Where a batch ends that does not end with a line.
pub(crate) struct LongLineCutter {
    long: LongLines,
    /// The fewest bytes that are worth cutting.
    least: usize,
    /// How many bytes stay behind the cut.
    behind: usize,
    alphabet: Alphabet,
    /// Whether a NUL byte was met at the start of the input, or in a long line.
    is_binary: bool,
    is_first: bool,
}

impl LongLineCutter {
    /// Keeps at least `behind` bytes behind a cut.
    pub(crate) fn new(long: LongLines, window: Window, behind: usize) -> Self {
        let least = window.bytes.max(2 * behind);
        LongLineCutter { long, least, behind, alphabet: window.alphabet, is_binary: false, is_first: true }
    }

    /// Looks for a NUL byte in the first bytes that are read: later ones are looked at only in lines that are long.
    pub(crate) fn look_at(&mut self, bytes: &[u8]) {
        if std::mem::take(&mut self.is_first) && self.long == LongLines::WholeText {
            self.is_binary = memchr(0, bytes).is_some();
        }
    }

    /// Where the part ends that a batch owns, and whether that is the end of a line, if no line ends behind `context`.
    pub(crate) fn owned_end(&mut self, bytes: &[u8], context: usize, end: End) -> Option<(usize, bool)> {
        let fresh = &bytes[context..];
        match end {
            End::Reached => return (!fresh.is_empty()).then_some((bytes.len(), true)),
            // The line is not known to end there.
            End::Broken => {
                let last = previous_symbol(self.alphabet, bytes, bytes.len())?;
                return (last.start > context).then_some((last.start, false));
            }
            End::Ahead if fresh.len() < self.least => return None,
            End::Ahead => {}
        }
        let may_cut = match self.long {
            LongLines::Cut => true,
            LongLines::Whole => false,
            LongLines::WholeText => {
                self.is_binary = self.is_binary || memchr(0, fresh).is_some();
                self.is_binary
            }
        };
        may_cut.then(|| (symbol_boundary(self.alphabet, bytes, bytes.len() - self.behind), false))
    }
}

/// Where the text is, between two batches.
pub(crate) struct LineCutter {
    long: LongLineCutter,
    window: Window,
    /// How many bytes of the carry are context.
    context: usize,
    /// What holds at the first byte of the carry, but for `closes`.
    lines: Lines,
}

impl LineCutter {
    /// For an input of which so many bytes were passed over at the start.
    pub(crate) fn new(terminator: u8, long: LongLines, window: Window, skipped: u64) -> Self {
        let mark = mark_of(skipped);
        let lines = Lines { terminator, width: 1, opens: true, closes: true, offset: skipped, mark };
        LineCutter { long: LongLineCutter::new(long, window, BEHIND), window, context: 0, lines }
    }

    /// Where the part that the batch owns ends, and whether that is the end of a line.
    fn owned_end(&mut self, bytes: &[u8], end: End) -> Option<(usize, bool)> {
        self.long.look_at(bytes);
        match memrchr(self.lines.terminator, &bytes[self.context..]) {
            Some(last) => Some((self.context + last + 1, true)),
            None => self.long.owned_end(bytes, self.context, end),
        }
    }
}

impl Cutter for LineCutter {
    fn cut(&mut self, bytes: &[u8], end: End, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
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
        Ok(Some(Cut { owned, length, layout: Layout::Lines(lines) }))
    }
}

/// Where the context starts that is needed before `end`, inside a line.
pub(crate) fn context_start(window: Window, bytes: &[u8], end: usize) -> usize {
    // One symbol more than a match covers: the edges of a match are judged by it.
    let mut start = end;
    for _ in 0..=window.reach {
        match previous_symbol(window.alphabet, bytes, start) {
            Some(symbol) => start = symbol.start,
            None => break,
        }
    }
    start
}
