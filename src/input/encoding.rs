//! In what encoding text comes. It is searched as UTF-8, or as whatever bytes it has.

use std::io::Read;

use encoding_rs_io::DecodeReaderBytesBuilder;

/// How bytes are to be read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As they are, except where they begin with a byte order mark: then as UTF-8 behind it, or as UTF-16.
    ByMark,
    /// As they are, a byte order mark included.
    None,
    /// In this encoding, unless a byte order mark says another.
    Named(&'static encoding_rs::Encoding),
}

/// The byte order mark of UTF-8.
const UTF8: &[u8] = b"\xef\xbb\xbf";
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The byte order mark of text that starts so many bytes behind the start of the input and was not decoded.
pub(super) fn mark_of(skipped: u64) -> &'static [u8] {
    if skipped == UTF8.len() as u64 { UTF8 } else { b"" }
}

impl Encoding {
    /// The encoding of a name: `auto`, `none`, or any label of the WHATWG's standard.
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

    /// Whether more bytes may turn these into a byte order mark.
    pub(super) fn may_begin_mark(self, head: &[u8]) -> bool {
        let mut marks = UTF16.iter().chain([&UTF8]);
        self != Encoding::None && marks.any(|mark| mark.len() > head.len() && mark.starts_with(head))
    }

    /// How long the mark is with which text begins that is searched as it is; `None` if it has to be decoded.
    pub(super) fn mark(self, head: &[u8]) -> Option<usize> {
        match self {
            Encoding::None => Some(0),
            Encoding::ByMark if UTF16.iter().any(|mark| head.starts_with(mark)) => None,
            Encoding::ByMark | Encoding::Named(_) if head.starts_with(UTF8) => Some(UTF8.len()),
            Encoding::ByMark => Some(0),
            Encoding::Named(_) => None,
        }
    }

    /// Decodes to UTF-8; a byte order mark is dropped.
    pub(super) fn decoded(self, reader: impl Read + Send + 'static) -> impl Read + Send {
        let encoding = match self {
            Encoding::Named(encoding) => Some(encoding),
            Encoding::ByMark | Encoding::None => None,
        };
        let mut builder = DecodeReaderBytesBuilder::new();
        builder.encoding(encoding).bom_override(true).strip_bom(true).build(reader)
    }
}
