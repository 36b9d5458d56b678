//! Escape sequences of terminals: colours and other control sequences (CSI), and commands such as links (OSC). See
//! ECMA-48, "Control Functions for Coded Character Sets", 1991, sections 5.4 and 8.3.89. Programs that write logs may
//! spell ESC as text.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::{memchr2, memchr3};

use nigh_text::batch::HiddenBytes;

/// The byte with which an escape sequence starts.
pub const ESCAPE: u8 = 0x1b;

const BELL: u8 = 0x07;

/// Spellings of ESC as text: by rsyslog, by JSON, and by C, shells and Python.
const SPELLINGS: [&[u8]; 7] = [b"#033", b"\\u001b", b"\\u001B", b"\\x1b", b"\\x1B", b"\\033", b"\\e"];

/// The largest length of an escape sequence in bytes. What is longer is text.
const MAX_LENGTH: usize = 4 << 10;

/// The number of bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// The start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeStart {
    /// An escape sequence of this length.
    Whole(usize),
    /// All of the bytes, which may be the start of an escape sequence.
    Incomplete,
    Text,
}

/// Returns the length in bytes of the escape sequence with which `bytes` starts; `None` if they start with none, or end
/// before it does.
///
/// A control sequence is ESC `[`, parameter bytes `0` to `?`, intermediate bytes space to `/`, and a final byte `@` to
/// `~`. A command is ESC `]`, bytes other than control characters, and BEL or ESC `\`. A sequence has at most 4,096 bytes.
pub fn escape_length(bytes: &[u8]) -> Option<usize> {
    match EscapeStart::of(bytes) {
        EscapeStart::Whole(length) => Some(length),
        EscapeStart::Incomplete | EscapeStart::Text => None,
    }
}

impl EscapeStart {
    fn of(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(MAX_LENGTH)];
        let start = match bytes {
            [ESCAPE, b'[', rest @ ..] => EscapeStart::of_control(rest),
            [ESCAPE, b']', rest @ ..] => EscapeStart::of_command(rest),
            [ESCAPE] => EscapeStart::Incomplete,
            _ => EscapeStart::Text,
        };
        match start {
            EscapeStart::Whole(length) => EscapeStart::Whole(length + 2),
            EscapeStart::Incomplete if bytes.len() == MAX_LENGTH => EscapeStart::Text,
            other => other,
        }
    }

    /// Returns the start of bytes that are searched without escape sequences, whether ESC is a byte or spelled.
    fn of_searched(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(MAX_LENGTH)];
        match bytes.first() {
            Some(&ESCAPE) => EscapeStart::of(bytes),
            Some(b'#' | b'\\') => match EscapeStart::of_spelled(bytes) {
                EscapeStart::Incomplete if bytes.len() == MAX_LENGTH => EscapeStart::Text,
                start => start,
            },
            _ => EscapeStart::Text,
        }
    }

    /// Returns the start of bytes that may spell ESC. Of the sequences, only control sequences that end with a letter
    /// and have no intermediate bytes are looked for: others would take in text such as the quotes of JSON. JSON inside
    /// of JSON has more than one backslash.
    fn of_spelled(bytes: &[u8]) -> Self {
        let backslashes = bytes.iter().take_while(|&&byte| byte == b'\\').count();
        let rest = &bytes[backslashes.saturating_sub(1)..];
        if SPELLINGS.iter().any(|spelling| spelling.len() > rest.len() && spelling.starts_with(rest)) {
            return EscapeStart::Incomplete;
        }
        let Some(rest) = SPELLINGS.iter().find_map(|spelling| rest.strip_prefix(*spelling)) else {
            return EscapeStart::Text;
        };
        let parameters = rest.iter().skip(1).take_while(|byte| (b'0'..=b'?').contains(byte)).count();
        match (rest.first(), rest.get(1 + parameters)) {
            (None, _) | (Some(b'['), None) => EscapeStart::Incomplete,
            (Some(b'['), Some(last)) if last.is_ascii_alphabetic() => {
                EscapeStart::Whole(bytes.len() - rest.len() + parameters + 2)
            }
            (Some(_), _) => EscapeStart::Text,
        }
    }

    /// Returns the start of the bytes after ESC `[`.
    fn of_control(rest: &[u8]) -> Self {
        let leading = |bytes: &[u8], of: fn(&u8) -> bool| bytes.iter().take_while(|byte| of(byte)).count();
        let parameters = leading(rest, |byte| (b'0'..=b'?').contains(byte));
        let before_final = parameters + leading(&rest[parameters..], |byte| (b' '..=b'/').contains(byte));
        match rest.get(before_final) {
            Some(b'@'..=b'~') => EscapeStart::Whole(before_final + 1),
            Some(_) => EscapeStart::Text,
            None => EscapeStart::Incomplete,
        }
    }

    /// Returns the start of the bytes after ESC `]`.
    fn of_command(rest: &[u8]) -> Self {
        let end = memchr2(BELL, ESCAPE, rest);
        if rest[..end.unwrap_or(rest.len())].iter().any(u8::is_ascii_control) {
            return EscapeStart::Text;
        }
        match end.map(|end| (end, &rest[end..])) {
            Some((end, [BELL, ..])) => EscapeStart::Whole(end + 1),
            Some((end, [_, b'\\', ..])) => EscapeStart::Whole(end + 2),
            Some((_, [_, _, ..])) => EscapeStart::Text,
            Some(_) | None => EscapeStart::Incomplete,
        }
    }
}

/// The escape sequences that a reader has removed, for the batches of its text.
#[derive(Debug, Clone, Default)]
pub(crate) struct RemovedEscapes(Arc<Mutex<VecDeque<HiddenBytes>>>);

impl RemovedEscapes {
    /// Returns the sequences up to the offset `end`, and forgets those before the offset `next`, which is not greater, but
    /// for the last of them.
    pub(crate) fn take(&self, end: u64, next: u64) -> Vec<HiddenBytes> {
        let mut removed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let past = removed.partition_point(|one| one.before < next);
        let mut hidden: Vec<HiddenBytes> = removed.drain(..past.saturating_sub(1)).collect();
        hidden.extend(removed.iter().take_while(|one| one.before <= end).cloned());
        hidden
    }
}

/// Reads text without its escape sequences.
pub(crate) struct EscapeRemover<R> {
    reader: R,
    /// Bytes that were read. Those from `at` on were not passed on.
    bytes: Vec<u8>,
    at: usize,
    is_at_end: bool,
    /// Offset in the text without escape sequences of the next byte.
    offset: u64,
    /// Number of bytes that were removed.
    removed_bytes: u64,
    removed: RemovedEscapes,
}

impl<R: Read> EscapeRemover<R> {
    /// Makes a reader of the text of `reader`, whose first byte has the given offset.
    pub(crate) fn new(reader: R, offset: u64, removed: RemovedEscapes) -> Self {
        EscapeRemover { reader, bytes: Vec::new(), at: 0, is_at_end: false, offset, removed_bytes: 0, removed }
    }

    /// Reads more bytes behind those that were not passed on.
    fn fill(&mut self) -> io::Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let length = self.bytes.len();
        self.bytes.resize(length + CHUNK, 0);
        let read = self.reader.read(&mut self.bytes[length..]);
        self.bytes.truncate(length + read.as_ref().map_or(0, |&read| read));
        self.is_at_end = read? == 0;
        Ok(())
    }

    /// Copies text to `buffer`, and removes escape sequences. Returns the number of bytes of text.
    fn pass_on(&mut self, buffer: &mut [u8]) -> usize {
        let mut removed = self.removed.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut copied = 0;
        while copied < buffer.len() && self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            let text = match memchr3(ESCAPE, b'#', b'\\', rest) {
                Some(0) => match EscapeStart::of_searched(rest) {
                    EscapeStart::Whole(length) => {
                        let before = self.offset + copied as u64;
                        let offset = before + self.removed_bytes;
                        removed.push_back(HiddenBytes { before, offset, bytes: rest[..length].into() });
                        self.removed_bytes += length as u64;
                        self.at += length;
                        continue;
                    }
                    EscapeStart::Incomplete if !self.is_at_end => break,
                    EscapeStart::Incomplete | EscapeStart::Text => 1,
                },
                escape => escape.unwrap_or(rest.len()),
            };
            let text = &rest[..text.min(buffer.len() - copied)];
            buffer[copied..copied + text.len()].copy_from_slice(text);
            self.at += text.len();
            copied += text.len();
        }
        self.offset += copied as u64;
        copied
    }
}

impl<R: Read> Read for EscapeRemover<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let copied = self.pass_on(buffer);
            if copied > 0 || buffer.is_empty() || self.is_at_end && self.at == self.bytes.len() {
                return Ok(copied);
            }
            self.fill()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    #[test]
    fn control_sequences_and_commands_are_escape_sequences() {
        let whole: [&[u8]; 8] = [
            b"\x1b[m",
            b"\x1b[31m",
            b"\x1b[1;38;5;10m",
            b"\x1b[?25l",
            b"\x1b[ q",
            b"\x1b]0;title\x07",
            b"\x1b]8;;https://a.b/\xc3\xa4\x1b\\",
            b"\x1b]8;;\x07",
        ];
        for sequence in whole {
            let shown = sequence.escape_ascii();
            assert_eq!(escape_length(sequence), Some(sequence.len()), "{shown}");
            assert_eq!(escape_length(&[sequence, b"text"].concat()), Some(sequence.len()), "{shown}");
            for length in 0..sequence.len() {
                assert_eq!(escape_length(&sequence[..length]), None, "{length} bytes of {shown}");
            }
        }
        for other in
            [&b""[..], b"m", b"\x1b", b"\x1bM", b"\x1b[3\n", b"\x1b[\xc3\xa4", b"\x1b]0;a\nb\x07", b"\x1b]0\x1b["]
        {
            assert_eq!(escape_length(other), None, "{}", other.escape_ascii());
        }
    }

    #[test]
    fn esc_may_be_spelled_before_a_control_sequence() {
        let start = |text: &str| EscapeStart::of_searched(text.as_bytes());
        for spelling in ["#033", r"\u001b", r"\u001B", r"\x1b", r"\x1B", r"\033", r"\e", r"\\u001b", r"\\\\u001b"] {
            for rest in ["[m", "[0m", "[1;38;5;10m", "[?25l", "[K"] {
                let sequence = format!("{spelling}{rest}");
                assert_eq!(start(&sequence), EscapeStart::Whole(sequence.len()), "{sequence}");
                assert_eq!(start(&format!("{sequence}text")), EscapeStart::Whole(sequence.len()), "{sequence}");
                for length in 1..sequence.len() {
                    assert_eq!(start(&sequence[..length]), EscapeStart::Incomplete, "{length} bytes of {sequence}");
                }
            }
            for rest in ["x", "[\"", "[,", "[1]", "[ä", "]0;title#007", "\\", "\n"] {
                assert_eq!(start(&format!("{spelling}{rest}")), EscapeStart::Text, "{spelling}{rest}");
            }
        }
        for text in ["# 033[1m", "#03[1m", r"\u001c[1m", r"\n", "\\\n", "#\n", &"\\".repeat(MAX_LENGTH)] {
            assert_eq!(start(text), EscapeStart::Text, "{text}");
        }
    }

    #[test]
    fn text_is_read_without_escape_sequences_in_reads_of_any_size() {
        let mut rng = fastrand::Rng::with_seed(47);
        let pieces: [&[u8]; 14] = [
            b"a",
            b"text\n",
            b"\xc3\xa4",
            b"\x1b[31m",
            b"\x1b[0m",
            b"\x1b]8;;x\x1b\\",
            b"\x1b",
            b"\x1b[",
            b"\x1b]0;",
            b"#033[34m",
            b"\\u001b[0m",
            b"#03",
            b"\\",
            b"\\e[3",
        ];
        for _ in 0..2_000 {
            let input = (0..rng.usize(0..12)).map(|_| *rng.choice(&pieces).unwrap()).collect::<Vec<_>>().concat();
            // By definition: at each byte, a sequence is removed if one starts there.
            let (mut text, mut hidden, mut at) = (Vec::new(), Vec::new(), 0);
            while at < input.len() {
                match EscapeStart::of_searched(&input[at..]) {
                    EscapeStart::Whole(length) => {
                        hidden.push((text.len() as u64 + 3, at as u64 + 3, input[at..at + length].to_vec()));
                        at += length;
                    }
                    EscapeStart::Incomplete | EscapeStart::Text => {
                        text.push(input[at]);
                        at += 1;
                    }
                }
            }
            let removed = RemovedEscapes::default();
            let slow = Slow { bytes: input.clone(), most: rng.usize(1..9) };
            let mut reader = EscapeRemover::new(slow, 3, removed.clone());
            let (mut read, mut buffer) = (Vec::new(), [0; 8]);
            let most = rng.usize(1..=8);
            while let length @ 1.. = reader.read(&mut buffer[..most]).unwrap() {
                read.extend_from_slice(&buffer[..length]);
            }
            assert_eq!(read.as_bstr(), text.as_bstr(), "{}", input.escape_ascii());
            let found = removed.take(u64::MAX, 0);
            let found: Vec<_> = found.iter().map(|one| (one.before, one.offset, one.bytes.to_vec())).collect();
            assert_eq!(found, hidden, "{}", input.escape_ascii());
        }
    }

    /// A reader that returns few bytes at a time.
    struct Slow {
        bytes: Vec<u8>,
        most: usize,
    }

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.most.min(buffer.len()).min(self.bytes.len());
            buffer[..length].copy_from_slice(&self.bytes[..length]);
            self.bytes.drain(..length);
            Ok(length)
        }
    }
}
