//! Text encodings. Text is searched as UTF-8 or as raw bytes.

use std::io::{BufReader, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;

/// The encoding of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 or UTF-16 if the text starts with a byte order mark of that encoding; otherwise raw bytes.
    ByMark,
    /// Raw bytes; a byte order mark is part of the text.
    None,
    /// This encoding, unless a byte order mark indicates another.
    Named(&'static encoding_rs::Encoding),
}

/// The byte order mark of UTF-8.
const UTF8: &[u8] = b"\xef\xbb\xbf";
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// The byte order mark of UTF-32 in little-endian order, which begins like that of UTF-16. UTF-32 is not decoded.
const UTF32: &[u8] = b"\xff\xfe\0\0";

/// Fewest bytes requested from a decoder at a time. If asked for fewer than four, encoding_rs_io 0.1.8 drops a part of
/// the replacement character for an incomplete symbol at the end of the input.
const MIN_DECODED: usize = 64;

/// Returns the byte order mark of text that was not decoded and starts `skipped` bytes after the start of the input;
/// empty if there is none.
pub(crate) fn mark_of(skipped: u64) -> &'static [u8] {
    if skipped == UTF8.len() as u64 { UTF8 } else { b"" }
}

impl Encoding {
    /// Returns the encoding with a name: `auto`, `none`, or any label of the WHATWG Encoding Standard.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Encoding::ByMark),
            "none" => Some(Encoding::None),
            label => match encoding_rs::Encoding::for_label(label.as_bytes())? {
                encoding if encoding == encoding_rs::UTF_8 => Some(Encoding::ByMark),
                encoding => Some(Encoding::Named(encoding)),
            },
        }
    }

    /// Returns whether `head` is a proper prefix of a byte order mark.
    pub(crate) fn is_incomplete_mark(self, head: &[u8]) -> bool {
        let mut marks = UTF16.iter().chain([&UTF8, &UTF32]);
        self != Encoding::None && marks.any(|mark| mark.len() > head.len() && mark.starts_with(head))
    }

    /// Returns the length in bytes of the byte order mark at the start of `head`, or 0; `None` if the text must be
    /// decoded.
    pub(crate) fn mark(self, head: &[u8]) -> Option<usize> {
        match self {
            Encoding::None => Some(0),
            Encoding::ByMark if head.starts_with(UTF32) => Some(0),
            Encoding::ByMark if UTF16.iter().any(|mark| head.starts_with(mark)) => None,
            Encoding::ByMark | Encoding::Named(_) if head.starts_with(UTF8) => Some(UTF8.len()),
            Encoding::ByMark => Some(0),
            Encoding::Named(_) => None,
        }
    }

    /// Returns a reader that decodes the bytes of `reader` to UTF-8 and drops a byte order mark.
    pub(crate) fn decoded(self, reader: impl Read + Send + 'static) -> impl Read + Send {
        let encoding = match self {
            Encoding::Named(encoding) => Some(encoding),
            Encoding::ByMark | Encoding::None => None,
        };
        let mut builder = DecodeReaderBytesBuilder::new();
        let decoded = builder.encoding(encoding).bom_override(true).strip_bom(true).build(reader);
        BufReader::with_capacity(MIN_DECODED, decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_ends_within_a_symbol_is_the_same_in_reads_of_any_size() {
        for (name, bytes) in [("utf-16le", &b"u\0u\0u"[..]), ("utf-16be", b"\0u\xd8"), ("shift_jis", b"uu\x81")] {
            let encoding = Encoding::named(name).unwrap();
            let mut whole = Vec::new();
            encoding.decoded(bytes).read_to_end(&mut whole).unwrap();
            assert!(whole.ends_with("\u{fffd}".as_bytes()), "{name}");
            for size in 1..8 {
                let (mut reader, mut text, mut buffer) = (encoding.decoded(bytes), Vec::new(), [0; 8]);
                while let length @ 1.. = reader.read(&mut buffer[..size]).unwrap() {
                    text.extend_from_slice(&buffer[..length]);
                }
                assert_eq!(text, whole, "{name} in reads of {size}");
            }
        }
    }
}
