//! Escapes control characters in names that are printed on a terminal, so that no name moves the cursor or forges
//! output.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{HitRow, Rows};

/// Treatment of control characters in the names of files, records and patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controls {
    /// Control characters are printed unchanged, for programs.
    Raw,
    /// Control characters are escaped, for terminals.
    Escaped,
}

impl Controls {
    /// Returns `name`, with its control characters escaped if this setting asks for it.
    pub fn show(self, name: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Controls::Raw => Cow::Borrowed(name),
            Controls::Escaped => visible(name),
        }
    }

    /// Wraps `rows` so that it receives names as [`show`](Self::show) returns them.
    pub fn rows(self, rows: Arc<dyn Rows>) -> Arc<dyn Rows> {
        match self {
            Controls::Raw => rows,
            Controls::Escaped => Arc::new(VisibleRows(rows)),
        }
    }
}

/// Formats rows with the inner formatter, after escaping control characters in names.
struct VisibleRows(Arc<dyn Rows>);

impl Rows for VisibleRows {
    fn wants_alignment(&self) -> bool {
        self.0.wants_alignment()
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let [label, record, pattern, sequence] = [hit.label, hit.record, hit.pattern, hit.sequence].map(visible);
        let name = hit.name.map(visible);
        let shown = HitRow {
            label: &label,
            record: &record,
            pattern: &pattern,
            name: name.as_deref(),
            sequence: &sequence,
            ..*hit
        };
        self.0.row(&shown, out);
    }
}

/// Escapes control characters (ASCII, and U+0080 to U+009F whether in UTF-8 or as a single byte) as `\n`, `\t`, `\r` or
/// `\xHH`.
pub fn visible(name: &[u8]) -> Cow<'_, [u8]> {
    if name.iter().all(|byte| (b' '..=b'~').contains(byte)) {
        return Cow::Borrowed(name);
    }
    let mut shown = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        let mut bytes = [0; 4];
        for symbol in chunk.valid().chars() {
            let bytes = symbol.encode_utf8(&mut bytes).as_bytes();
            if symbol.is_control() {
                bytes.iter().for_each(|&byte| escape(byte, &mut shown));
            } else {
                shown.extend(bytes);
            }
        }
        for &byte in chunk.invalid() {
            match byte {
                0x80..=0x9f => escape(byte, &mut shown),
                _ => shown.push(byte),
            }
        }
    }
    Cow::Owned(shown)
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'\n' => out.extend(br"\n"),
        b'\t' => out.extend(br"\t"),
        b'\r' => out.extend(br"\r"),
        _ => out.extend([b'\\', b'x', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_characters_are_escaped() {
        for (name, expected) in [
            (&b"plain name.txt"[..], &b"plain name.txt"[..]),
            (b"a\x1b[31mb\x07\x7f", br"a\x1b[31mb\x07\x7f"),
            (b"a\nb\tc\rd\0", br"a\nb\tc\rd\x00"),
            ("é日本 \u{9b}2J".as_bytes(), "é日本 \\xc2\\x9b2J".as_bytes()),
            (b"\x9b2J \xe9t\xe9", b"\\x9b2J \xe9t\xe9"),
            (br"a\nb", br"a\nb"),
        ] {
            assert_eq!(visible(name), expected);
        }
    }
}
