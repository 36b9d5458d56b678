//! Text encodings. Text is searched as UTF-8 or as raw bytes.

use super::charset::Charset;
use super::guess::guess;

/// The encoding of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, UTF-16 or UTF-32 if the text starts with a byte order mark of that encoding; UTF-16 or UTF-32 if the zero
    /// bytes at its start show it; otherwise raw bytes.
    Automatic,
    /// UTF-8, UTF-16 or UTF-32 if the text starts with a byte order mark of that encoding; otherwise raw bytes.
    ByMark,
    /// Raw bytes; a byte order mark is part of the text.
    None,
    /// This encoding, unless a byte order mark indicates another.
    Named(Charset),
}

/// The kind of text that the first bytes of an input show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextStart {
    /// Text that is not decoded, after a byte order mark of this length.
    Plain { mark: usize },
    /// Text in an encoding that was named, or that the byte order mark indicates.
    Encoded(Charset),
    /// Text in an encoding that its zero bytes show, after a byte order mark of UTF-8 of this length.
    Guessed { mark: usize, charset: Charset },
}

/// Number of bytes at the start of a text that show its encoding.
pub(crate) const SAMPLE: usize = 4 << 10;

/// The byte order mark of UTF-8.
const UTF8: &[u8] = b"\xef\xbb\xbf";
const MARKS: [&[u8]; 5] = [UTF8, b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"];
/// Length in bytes of the longest byte order mark.
const MAX_MARK: usize = 4;

/// Returns the byte order mark of text that was not decoded and starts `skipped` bytes after the start of the input;
/// empty if there is none.
pub(crate) fn mark_of(skipped: u64) -> &'static [u8] {
    if skipped == UTF8.len() as u64 { UTF8 } else { b"" }
}

impl Encoding {
    /// Returns the encoding with a name: `auto`, `none`, `utf-32`, `utf-32le`, `utf-32be`, or any label of the WHATWG
    /// Encoding Standard.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Encoding::Automatic),
            "none" => Some(Encoding::None),
            label => match Charset::named(label)? {
                Charset::Standard(encoding) if encoding == encoding_rs::UTF_8 => Some(Encoding::ByMark),
                charset => Some(Encoding::Named(charset)),
            },
        }
    }

    /// Returns the number of bytes at the start of a text that show its encoding, if there are as many.
    pub(crate) fn sample(self) -> usize {
        match self {
            Encoding::Automatic => SAMPLE,
            Encoding::ByMark | Encoding::Named(_) => MAX_MARK,
            Encoding::None => 0,
        }
    }

    /// Returns whether more bytes than `head` are needed to recognise the encoding, even if they have not arrived.
    pub(crate) fn is_undecided(self, head: &[u8]) -> bool {
        // Two characters of UTF-32.
        const SHORTEST: usize = 8;
        // Text without a zero byte is searched up to its first line end before more of it arrives.
        let may_be_wide = || head.contains(&0) || !head.contains(&b'\n');
        let is_short = || head.len() < SHORTEST && may_be_wide() && guess(head).is_none();
        match self {
            Encoding::None => false,
            Encoding::Automatic if is_short() => true,
            Encoding::Automatic | Encoding::ByMark | Encoding::Named(_) => {
                MARKS.iter().any(|mark| mark.len() > head.len() && mark.starts_with(head))
            }
        }
    }

    /// Returns the kind of a text that starts with `head`.
    pub(crate) fn start(self, head: &[u8]) -> TextStart {
        let mark = if head.starts_with(UTF8) { UTF8.len() } else { 0 };
        match (self, Charset::of_mark(head)) {
            (Encoding::None, _) => TextStart::Plain { mark: 0 },
            (_, Some(charset)) => TextStart::Encoded(charset),
            (Encoding::Named(charset), None) if mark == 0 => TextStart::Encoded(charset),
            (Encoding::Automatic, None) => match guess(&head[mark..head.len().min(SAMPLE)]) {
                Some(charset) => TextStart::Guessed { mark, charset },
                None => TextStart::Plain { mark },
            },
            (Encoding::ByMark | Encoding::Named(_), None) => TextStart::Plain { mark },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::utf32::ByteOrder;

    #[test]
    fn a_mark_of_an_encoding_comes_before_its_name_and_before_a_guess() {
        let utf32 = |order| TextStart::Encoded(Charset::Utf32(order));
        for name in ["auto", "utf-8", "latin1", "utf-16", "utf-32be"] {
            let encoding = Encoding::named(name).unwrap();
            assert_eq!(encoding.start(b"\xff\xfe\0\0a\0\0\0"), utf32(ByteOrder::LittleEndian), "{name}");
            assert_eq!(encoding.start(b"\0\0\xfe\xff"), utf32(ByteOrder::BigEndian), "{name}");
            let utf16 = TextStart::Encoded(Charset::Standard(encoding_rs::UTF_16LE));
            assert_eq!(encoding.start(b"\xff\xfea\0"), utf16, "{name}");
            assert_eq!(encoding.start(b"\xef\xbb\xbfa"), TextStart::Plain { mark: 3 }, "{name}");
        }
        assert_eq!(Encoding::None.start(b"\xff\xfea\0"), TextStart::Plain { mark: 0 });
        assert_eq!(Encoding::ByMark.start(b"a\0b\0"), TextStart::Plain { mark: 0 });
        let charset = Charset::Standard(encoding_rs::UTF_16BE);
        assert_eq!(Encoding::Automatic.start(b"\0a\0b"), TextStart::Guessed { mark: 0, charset });
        assert_eq!(Encoding::Automatic.start(b"\xef\xbb\xbf\0a\0b"), TextStart::Guessed { mark: 3, charset });
    }

    #[test]
    fn a_line_of_utf8_is_not_held_back_to_recognise_the_encoding() {
        let decided: [&[u8]; 5] = [b"\n", b"ab\n", b"a\0\n\0", b"\0a\0\n", b"a\0\0\0\n\0\0\0"];
        for head in decided {
            assert!(!Encoding::Automatic.is_undecided(head), "{}", head.escape_ascii());
        }
        let undecided: [&[u8]; 6] = [b"", b"a", b"a\0", b"\0", b"\0\n", b"a\0\0\0\n"];
        for head in undecided {
            assert!(Encoding::Automatic.is_undecided(head), "{}", head.escape_ascii());
        }
    }
}
