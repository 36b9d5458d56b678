//! Offsets that count characters.

use std::ops::Range;

/// Converts ranges of a text of UTF-8 from bytes to characters, in the order of their ends.
pub(crate) struct Characters<'t> {
    text: &'t [u8],
    is_ascii: bool,
    /// An end in bytes, and the number of characters before it.
    end: usize,
    count: usize,
}

impl<'t> Characters<'t> {
    pub(crate) fn of(text: &'t [u8]) -> Self {
        Characters { text, is_ascii: text.is_ascii(), end: 0, count: 0 }
    }

    /// Converts a range that does not end before the last one.
    pub(crate) fn range(&mut self, bytes: Range<usize>) -> Range<usize> {
        if self.is_ascii {
            return bytes;
        }
        self.count += count(&self.text[self.end..bytes.end]);
        self.end = bytes.end;
        self.count - count(&self.text[bytes])..self.count
    }
}

fn count(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
