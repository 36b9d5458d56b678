//! Conversion of offsets in bytes to offsets in characters.

use std::ops::Range;

/// Converts ranges of a UTF-8 text from bytes to characters. The ranges must come in the order of their ends.
pub(crate) struct CharacterOffsets<'t> {
    text: &'t [u8],
    is_ascii: bool,
    /// The end of the last converted range, in bytes.
    end: usize,
    /// The number of characters before `end`.
    count: usize,
}

impl<'t> CharacterOffsets<'t> {
    pub(crate) fn of(text: &'t [u8]) -> Self {
        CharacterOffsets { text, is_ascii: text.is_ascii(), end: 0, count: 0 }
    }

    /// Converts a range, which must not end before the range of the last call.
    pub(crate) fn range(&mut self, bytes: Range<usize>) -> Range<usize> {
        if self.is_ascii {
            return bytes;
        }
        self.count += count(&self.text[self.end..bytes.end]);
        self.end = bytes.end;
        self.count - count(&self.text[bytes])..self.count
    }
}

/// Returns the number of characters of a UTF-8 text.
pub(crate) fn count(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
