//! Recognises text that looks like sequence records.

use memchr::memchr;

use crate::search::RecordFormat;

/// Fewest bases in a line that counts as a sequence. A shorter line may be a word.
const MIN_BASES: usize = 8;

/// Returns the sequence format that the first lines of a text resemble. The line after the header must consist of
/// bases, which excludes quoted mail, logs and the output of diff.
pub(crate) fn resembled_format(text: &[u8]) -> Option<RecordFormat> {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (header, sequence) = (lines.next()?, lines.next()?);
    let are_bases = sequence.len() >= MIN_BASES && sequence.iter().all(|byte| b"ACGTUNacgtun".contains(byte));
    match header.first()? {
        b'>' if are_bases => Some(RecordFormat::Fasta),
        b'@' if are_bases && lines.next()?.starts_with(b"+") => Some(RecordFormat::Fastq),
        _ => None,
    }
}

/// Returns whether a FASTA record has carriage returns but no line feeds, so that the whole record is read as a header.
pub(crate) fn has_carriage_returns(record: &[u8]) -> bool {
    let record = record.trim_ascii_end();
    // Most records have a line feed near their start, so the first search is short.
    record.starts_with(b">") && memchr(b'\n', record).is_none() && memchr(b'\r', record).is_some()
}

/// Returns the encoding that text seems to have if its bytes were not decoded: half or more of its first bytes are NUL,
/// and they are at the places where UTF-16 or UTF-32 has them in ASCII.
pub(crate) fn wide_encoding(text: &[u8]) -> Option<&'static str> {
    const SHOWN: usize = 64;
    let head = &text[..text.len().min(SHOWN) & !1];
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    match (zeros(0), zeros(1), head.len() / 2) {
        (.., pairs) if pairs < 2 => None,
        (first, second, pairs) if first + second >= pairs + pairs / 4 && first + second < 2 * pairs => Some("UTF-32"),
        (0, second, pairs) if second == pairs => Some("UTF-16LE"),
        (first, 0, pairs) if first == pairs => Some("UTF-16BE"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_wide_characters_is_recognized() {
        let text = "The service terminated\r\n";
        let wide = |of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
        assert_eq!(wide_encoding(&wide(u16::to_le_bytes)), Some("UTF-16LE"));
        assert_eq!(wide_encoding(&wide(u16::to_be_bytes)), Some("UTF-16BE"));
        let utf32: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(wide_encoding(&utf32), Some("UTF-32"));
        // UTF-32 with a byte order mark is decoded as UTF-16.
        assert_eq!(wide_encoding(b"\0T\0h\0e\0 \0s\0e"), Some("UTF-16BE"));
        for other in
            [&b""[..], b"\0", b"a\0", b"text", b"a\0b\0plain text", &[0; 64], b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"]
        {
            assert_eq!(wide_encoding(other), None, "{other:?}");
        }
    }

    #[test]
    fn only_a_header_with_bases_after_it_looks_like_records() {
        assert_eq!(resembled_format(b">chr1 human\r\nACGTNNacgt\r\n"), Some(RecordFormat::Fasta));
        assert_eq!(resembled_format(b"@read/1\nACGTNNACGT\n+\nIIIIIIIIII\n"), Some(RecordFormat::Fastq));
        for text in ["", ">", "> quoted\nand an answer\n", ">a\ntag\n", "@alice\nACGTACGTAC\nbob\n", "ACGTACGTACGT\n"] {
            assert_eq!(resembled_format(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_header_that_takes_in_other_lines_has_carriage_returns() {
        assert!(has_carriage_returns(b">chr1\rACGT\rACGT\r"));
        for record in [&b">chr1\r\nACGT\r\n"[..], b">chr1\r", b">chr1", b">chr1\nACGT\rACGT\n", b"@a\rACGT"] {
            assert!(!has_carriage_returns(record), "{}", record.escape_ascii());
        }
    }
}
