//! Text whose encoding changes in the middle, such as a log in UTF-8 to which a program appended UTF-16, or the reverse.
//! Such text is not decoded in parts, but the change is found, so that it can be reported.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memchr_iter, memrchr};

use super::charset::Charset;

/// Fewest characters of ASCII in a row that count as UTF-16.
const MIN_WIDE: usize = 8;

/// Fewest bytes in a row before a line end that count as a line of UTF-8: before a carriage return and a line feed, and
/// before a line feed alone. In UTF-16, eight bytes before the byte pair of a line end that are all printable ASCII are
/// four rare characters in a row, and U+0A0D is none.
const MIN_NARROW: (usize, usize) = (8, 24);

/// Number of bytes that are kept from one read to the next, to find the start of the line in which the encoding changes.
const KEPT: usize = 4 << 10;

/// UTF-16 within bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideText {
    /// Offset of its first byte.
    pub at: usize,
    /// Its encoding.
    pub charset: Charset,
}

/// A place in a text where its encoding changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodingChange {
    /// Offset in the text, after decompression, of the first byte in another encoding.
    pub at: u64,
    /// The encoding before that byte.
    pub from: Charset,
    /// The encoding from that byte on.
    pub to: Charset,
}

impl fmt::Display for EncodingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodingChange { at, from, to } = self;
        let name = to.to_string().to_lowercase();
        write!(
            f,
            "from byte {at} on, the text is {to} instead of {from}, and matches in it are not found; \
             use 'tail -c +{} FILE | nigh --encoding {name} ...' to search it",
            at + 1
        )
    }
}

/// Returns the first UTF-16 of which several characters in a row are ASCII. A byte order mark before it belongs to it.
///
/// Takes time in proportion to the bytes up to there, and to the number of zero bytes among them.
pub fn find_wide_text(bytes: &[u8]) -> Option<WideText> {
    let little = |at: usize| wide_from(bytes, at.checked_sub(1)?, u16::from_le_bytes, Charset::UTF16_LE);
    let big = |at: usize| wide_from(bytes, at, u16::from_be_bytes, Charset::UTF16_BE);
    memchr_iter(0, bytes).find_map(|zero| match bytes[..zero] {
        // A line feed before the zero byte ends a line of UTF-8.
        [] | [.., b'\n'] => big(zero).or_else(|| little(zero)),
        _ => little(zero).or_else(|| big(zero)),
    })
}

/// Returns the UTF-16 that starts at an offset, if several characters in a row are ASCII.
fn wide_from(bytes: &[u8], at: usize, unit: fn([u8; 2]) -> u16, charset: Charset) -> Option<WideText> {
    let units = bytes[at..].as_chunks().0.iter().map(|&pair| unit(pair));
    let is_ascii = |unit: &u16| u8::try_from(*unit).is_ok_and(is_text);
    let has_mark = at >= 2 && unit([bytes[at - 2], bytes[at - 1]]) == 0xfeff;
    let at = if has_mark { at - 2 } else { at };
    (units.take(MIN_WIDE).filter(is_ascii).count() == MIN_WIDE).then_some(WideText { at, charset })
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// The change that a [`ChangeWatch`] has found, for its owner.
#[derive(Debug, Clone)]
pub(crate) struct FoundChange {
    /// `u64::MAX` if none was found yet.
    at: Arc<AtomicU64>,
    from: Charset,
}

impl FoundChange {
    /// Makes a handle for a text in UTF-16; `None` for other encodings.
    pub(crate) fn of(charset: Charset) -> Option<Self> {
        let is_wide = charset == Charset::UTF16_LE || charset == Charset::UTF16_BE;
        is_wide.then(|| FoundChange { at: Arc::new(AtomicU64::new(u64::MAX)), from: charset })
    }

    /// Returns the change, if one was found in the bytes read so far.
    pub(crate) fn get(&self) -> Option<EncodingChange> {
        let at = self.at.load(Ordering::Relaxed);
        (at != u64::MAX).then_some(EncodingChange { at, from: self.from, to: Charset::UTF8 })
    }
}

/// Reads the bytes of UTF-16, and looks for the first line of UTF-8 among them.
pub(crate) struct ChangeWatch<R> {
    reader: R,
    found: FoundChange,
    /// The last bytes read.
    window: Vec<u8>,
    /// Offset in the text of the first byte of the window.
    offset: u64,
}

impl<R: Read> ChangeWatch<R> {
    /// Makes a reader of the bytes of `reader`, the first of which has an offset in the text. It stores what it finds in
    /// `found`.
    pub(crate) fn new(reader: R, offset: u64, found: FoundChange) -> Self {
        ChangeWatch { reader, found, window: Vec::new(), offset }
    }

    fn look(&mut self, bytes: &[u8]) {
        let passed = self.window.len().saturating_sub(KEPT);
        self.window.drain(..passed);
        self.offset += passed as u64;
        let fresh = self.window.len();
        self.window.extend_from_slice(bytes);
        let mut line_ends = memchr_iter(b'\n', bytes).map(|at| &self.window[..fresh + at]);
        if let Some(line) = line_ends.find_map(narrow_line) {
            self.found.at.store(self.offset + line as u64, Ordering::Relaxed);
            self.window = Vec::new();
        }
    }
}

/// Returns the start of the text that is UTF-8 up to the end of `before`, which a line feed follows, if its last line is
/// long enough.
fn narrow_line(before: &[u8]) -> Option<usize> {
    let (line, least) = match before {
        [line @ .., b'\r'] => (line, MIN_NARROW.0),
        line => (line, MIN_NARROW.1),
    };
    let is_narrow = line.len() >= least && line[line.len() - least..].iter().all(|&byte| is_text(byte));
    is_narrow.then(|| {
        let start = memrchr(0, line).map_or(0, |zero| zero + 1);
        // In big-endian UTF-16, the line feed comes after its zero byte.
        start + memchr(b'\n', &line[start..line.len().min(start + 1)]).map_or(0, |_| 1)
    })
}

impl<R: Read> Read for ChangeWatch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        if self.found.get().is_none() {
            self.look(&buffer[..length]);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a code unit in an order.
    type UnitBytes = fn(u16) -> [u8; 2];

    fn wide(text: &str, bytes: UnitBytes) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    const ORDERS: [(UnitBytes, Charset); 2] =
        [(u16::to_le_bytes, Charset::UTF16_LE), (u16::to_be_bytes, Charset::UTF16_BE)];

    #[test]
    fn utf16_is_found_where_it_begins() {
        for (bytes, charset) in ORDERS {
            for before in ["", "first\n", "first\r\n", "first\n\n", "näive\n", "a\0b\0c\n"] {
                for text in ["second timeout\r\n", "eight ch"] {
                    let all = [before.as_bytes(), &wide(text, bytes)].concat();
                    let expected = Some(WideText { at: before.len(), charset });
                    assert_eq!(find_wide_text(&all), expected, "{before:?} {text:?} {charset}");
                    let marked = [before.as_bytes(), &wide("\u{feff}", bytes), &wide(text, bytes)].concat();
                    assert_eq!(find_wide_text(&marked), expected, "{before:?} {text:?} {charset} with a mark");
                }
            }
        }
        let words = wide("seven c", u16::to_le_bytes);
        for other in [&b""[..], b"text", b"a\0b", &[0; 64], &words, &b"\x01\0\x02\0\x03\0".repeat(9)] {
            assert_eq!(find_wide_text(other), None, "{}", other.escape_ascii());
        }
    }

    /// Returns where the encoding changes, as found in reads of `size` bytes.
    fn change(bytes: &[u8], charset: Charset, size: usize) -> Option<u64> {
        let found = FoundChange::of(charset).unwrap();
        let (mut watch, mut buffer) = (ChangeWatch::new(bytes, 0, found.clone()), vec![0; size]);
        while watch.read(&mut buffer).unwrap() > 0 {}
        found.get().map(|change| change.at)
    }

    #[test]
    fn a_line_of_utf8_behind_utf16_is_found_where_it_begins() {
        for (bytes, charset) in ORDERS {
            let before = wide("\u{feff}first\r\nnäive 上下 \u{4e0a}\n", bytes);
            for line in ["a timeout\r\n", "näive timeout\r\n", "a line with a line feed only\n"] {
                let all = [&before, line.as_bytes(), b"more\n"].concat();
                for size in [1, 2, 7, 9000] {
                    assert_eq!(change(&all, charset, size), Some(before.len() as u64), "{line:?} {charset} {size}");
                }
            }
            for line in ["", "short\r\n", "a line, too short\n"] {
                assert_eq!(change(&[&before, line.as_bytes()].concat(), charset, 7), None, "{line:?} {charset}");
            }
        }
        assert!(FoundChange::of(Charset::Standard(encoding_rs::WINDOWS_1252)).is_none());
    }
}
