//! Decodes UTF-32 to UTF-8.

use std::io::{self, Read};

/// Size of a read, in bytes.
const CHUNK: usize = 8 << 10;

/// Number of bytes of a code unit.
const UNIT: usize = 4;

/// The order of the bytes of a code unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// The least significant byte is the first.
    LittleEndian,
    /// The most significant byte is the first.
    BigEndian,
}

/// Reads UTF-32 as UTF-8, without a byte order mark at its start. An invalid unit, and an incomplete one at the end,
/// becomes U+FFFD.
pub(crate) struct Utf32Reader<R> {
    reader: R,
    order: ByteOrder,
    /// Bytes that were read. The first `held` of them are an incomplete unit.
    chunk: Box<[u8; CHUNK]>,
    held: usize,
    /// Decoded text, which was returned up to index `returned`.
    text: String,
    returned: usize,
    /// Whether no unit was decoded.
    is_first: bool,
}

impl<R: Read> Utf32Reader<R> {
    pub(crate) fn new(reader: R, order: ByteOrder) -> Self {
        let chunk = Box::new([0; CHUNK]);
        Utf32Reader { reader, order, chunk, held: 0, text: String::new(), returned: 0, is_first: true }
    }

    /// Decodes the first `length` bytes of the chunk, and holds an incomplete unit at their end.
    fn decode(&mut self, length: usize) {
        let (units, rest) = self.chunk[..length].as_chunks::<UNIT>();
        for &unit in units {
            let value = match self.order {
                ByteOrder::LittleEndian => u32::from_le_bytes(unit),
                ByteOrder::BigEndian => u32::from_be_bytes(unit),
            };
            let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            let is_mark = std::mem::take(&mut self.is_first) && character == '\u{feff}';
            if !is_mark {
                self.text.push(character);
            }
        }
        self.held = rest.len();
        self.chunk.copy_within(length - self.held..length, 0);
    }
}

impl<R: Read> Read for Utf32Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.returned == self.text.len() {
            self.text.clear();
            self.returned = 0;
            match self.reader.read(&mut self.chunk[self.held..])? {
                0 if self.held == 0 => return Ok(0),
                0 => {
                    self.held = 0;
                    self.text.push(char::REPLACEMENT_CHARACTER);
                }
                length => self.decode(self.held + length),
            }
        }
        let length = (&self.text.as_bytes()[self.returned..]).read(buffer)?;
        self.returned += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::retry::Retrying;
    use crate::source::retry::tests::Stormy;

    fn decoded(bytes: &[u8], order: ByteOrder) -> String {
        let mut text = String::new();
        Utf32Reader::new(bytes, order).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn utf32_in_reads_of_any_size_becomes_utf8() {
        let text = "\u{feff}näive \u{feff}😀\n".repeat(2000);
        for (order, bytes) in [
            (ByteOrder::LittleEndian, u32::to_le_bytes as fn(u32) -> [u8; 4]),
            (ByteOrder::BigEndian, u32::to_be_bytes),
        ] {
            let utf32: Vec<u8> = text.chars().map(u32::from).flat_map(bytes).collect();
            assert_eq!(decoded(&utf32, order), text["\u{feff}".len()..]);
            let mut stormy = String::new();
            let reader = Retrying::new(Stormy::new(utf32, 1), None);
            Utf32Reader::new(reader, order).read_to_string(&mut stormy).unwrap();
            assert_eq!(stormy, text["\u{feff}".len()..]);
        }
    }

    #[test]
    fn invalid_and_incomplete_units_become_replacement_characters() {
        let little = ByteOrder::LittleEndian;
        assert_eq!(decoded(b"", little), "");
        assert_eq!(decoded(b"a\0\0\0\0\xd8\0\0\0\0\x11\0b\0\0\0", little), "a\u{fffd}\u{fffd}b");
        for end in [&b"c"[..], b"c\0", b"c\0\0"] {
            assert_eq!(decoded(&[b"a\0\0\0", end].concat(), little), "a\u{fffd}");
        }
        assert_eq!(decoded(b"\0\0\0a\0\0\0", ByteOrder::BigEndian), "a\u{fffd}");
    }
}
