//! Encodings that are decoded to UTF-8.

use std::fmt;
use std::io::{BufReader, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;

use super::utf32::{ByteOrder, Utf32Reader};

/// An encoding that is decoded to UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// An encoding of the WHATWG Encoding Standard.
    Standard(&'static encoding_rs::Encoding),
    /// UTF-32.
    Utf32(ByteOrder),
}

/// Fewest bytes requested from a decoder at a time. If asked for fewer than four, encoding_rs_io 0.1.8 drops a part of
/// the replacement character for an incomplete symbol at the end of the input.
const MIN_DECODED: usize = 64;

impl Charset {
    /// UTF-8.
    pub const UTF8: Charset = Charset::Standard(encoding_rs::UTF_8);
    /// UTF-16, little-endian.
    pub const UTF16_LE: Charset = Charset::Standard(encoding_rs::UTF_16LE);
    /// UTF-16, big-endian.
    pub const UTF16_BE: Charset = Charset::Standard(encoding_rs::UTF_16BE);

    /// Returns the encoding with a name: `utf-32`, `utf-32le`, `utf-32be`, or any label of the WHATWG Encoding Standard.
    pub(crate) fn named(label: &str) -> Option<Self> {
        match label.to_ascii_lowercase().as_str() {
            // Like UTF-16, UTF-32 without a mark is taken for little-endian.
            "utf-32" | "utf-32le" => Some(Charset::Utf32(ByteOrder::LittleEndian)),
            "utf-32be" => Some(Charset::Utf32(ByteOrder::BigEndian)),
            _ => encoding_rs::Encoding::for_label(label.as_bytes()).map(Charset::Standard),
        }
    }

    /// Returns the encoding that a byte order mark at the start of `head` indicates, unless it is UTF-8.
    pub(crate) fn of_mark(head: &[u8]) -> Option<Self> {
        match head {
            // This mark begins like that of UTF-16.
            [0xff, 0xfe, 0, 0, ..] => Some(Charset::Utf32(ByteOrder::LittleEndian)),
            [0, 0, 0xfe, 0xff, ..] => Some(Charset::Utf32(ByteOrder::BigEndian)),
            [0xff, 0xfe, ..] => Some(Charset::Standard(encoding_rs::UTF_16LE)),
            [0xfe, 0xff, ..] => Some(Charset::Standard(encoding_rs::UTF_16BE)),
            _ => None,
        }
    }

    /// Returns a reader that decodes the bytes of `reader` to UTF-8 and drops a byte order mark.
    pub(crate) fn decoded(self, reader: impl Read + Send + 'static) -> Box<dyn Read + Send> {
        match self {
            Charset::Standard(encoding) => {
                let mut builder = DecodeReaderBytesBuilder::new();
                let decoded = builder.encoding(Some(encoding)).bom_override(true).strip_bom(true).build(reader);
                Box::new(BufReader::with_capacity(MIN_DECODED, decoded))
            }
            Charset::Utf32(order) => Box::new(Utf32Reader::new(reader, order)),
        }
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Charset::Standard(encoding) => encoding.name(),
            Charset::Utf32(ByteOrder::LittleEndian) => "UTF-32LE",
            Charset::Utf32(ByteOrder::BigEndian) => "UTF-32BE",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_ends_within_a_symbol_is_the_same_in_reads_of_any_size() {
        let texts: [(_, &[u8]); 5] = [
            ("utf-16le", b"u\0u\0u"),
            ("utf-16be", b"\0u\xd8"),
            ("shift_jis", b"uu\x81"),
            ("utf-32le", b"u\0\0\0\x3d\xf6\x01\0\0\xd8\0\0u\0"),
            ("utf-32be", b"\0\0\xfe\xff\0\0\0u\0\x11\0\0\0\0"),
        ];
        for (name, bytes) in texts {
            let charset = Charset::named(name).unwrap();
            let mut whole = Vec::new();
            charset.decoded(bytes).read_to_end(&mut whole).unwrap();
            assert!(whole.starts_with(b"u") && whole.ends_with("\u{fffd}".as_bytes()), "{name}");
            for size in 1..8 {
                let (mut reader, mut text, mut buffer) = (charset.decoded(bytes), Vec::new(), [0; 8]);
                while let length @ 1.. = reader.read(&mut buffer[..size]).unwrap() {
                    text.extend_from_slice(&buffer[..length]);
                }
                assert_eq!(text, whole, "{name} in reads of {size}");
            }
        }
    }
}
