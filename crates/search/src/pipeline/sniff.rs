//! Recognises text that looks like sequence records, an archive, or text in another encoding.

use memchr::memchr;

use crate::{RecordsLike, WideEncoding};

/// Fewest bases in a line that counts as a sequence. A shorter line may be a word.
const MIN_BASES: usize = 8;

/// Returns the sequence format that the first lines of a text resemble. The line after the header of FASTA and FASTQ
/// must consist of bases, which excludes quoted mail, logs and the output of diff.
pub(super) fn resembled_format(text: &[u8]) -> Option<RecordsLike> {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.next()?;
    if is_sam(first) {
        return Some(RecordsLike::Sam);
    }
    let sequence = lines.next()?;
    match first.first()? {
        b'>' if are_bases(sequence) => Some(RecordsLike::Fasta),
        b'@' if are_bases(sequence) && lines.next()?.starts_with(b"+") => Some(RecordsLike::Fastq),
        _ => None,
    }
}

fn are_bases(sequence: &[u8]) -> bool {
    sequence.len() >= MIN_BASES && sequence.iter().all(|byte| b"ACGTUNacgtun".contains(byte))
}

/// Returns whether a line is one of a header of SAM, or an alignment: the second column is a number, and the tenth has
/// the bases.
fn is_sam(line: &[u8]) -> bool {
    const HEADERS: [&[u8]; 4] = [b"@HD\tVN:", b"@SQ\tSN:", b"@RG\tID:", b"@PG\tID:"];
    let mut columns = line.split(|&byte| byte == b'\t');
    let is_number = |column: &[u8]| !column.is_empty() && column.iter().all(u8::is_ascii_digit);
    HEADERS.iter().any(|header| line.starts_with(header))
        || columns.nth(1).is_some_and(is_number) && columns.nth(7).is_some_and(are_bases) && columns.next().is_some()
}

/// Returns whether a text is a tar archive: the header of its first file has this magic number.
pub(super) fn is_tar(text: &[u8]) -> bool {
    const MAGIC: &[u8] = b"ustar";
    const AT: usize = 257;
    text.get(AT..).is_some_and(|rest| rest.starts_with(MAGIC))
}

/// Returns whether a FASTA record has carriage returns but no line feeds, so that the whole record is read as a header.
pub(super) fn has_carriage_returns(record: &[u8]) -> bool {
    let record = record.trim_ascii_end();
    // Most records have a line feed near their start, so the first search is short.
    record.starts_with(b">") && memchr(b'\n', record).is_none() && memchr(b'\r', record).is_some()
}

/// Returns the encoding that text seems to have if its bytes were not decoded: its first bytes are characters of UTF-32,
/// or every second one is NUL, as in UTF-16 of ASCII.
pub(super) fn wide_encoding(text: &[u8]) -> Option<WideEncoding> {
    const SHOWN: usize = 64;
    const FEWEST: usize = 2;
    let head = &text[..text.len().min(SHOWN)];
    let is_character = |unit| char::from_u32(unit).is_some_and(|c| !c.is_control() || c.is_ascii_whitespace());
    let units = || head.chunks_exact(4).map(|unit| unit.try_into().expect("four bytes"));
    let is_utf32 = |of: fn([u8; 4]) -> u32| units().len() >= FEWEST && units().all(|unit| is_character(of(unit)));
    let pairs = || head.chunks_exact(2);
    let is_utf16 = |zero: usize| pairs().len() >= FEWEST && pairs().all(|pair| pair[zero] == 0 && pair[1 - zero] != 0);
    match () {
        () if is_utf32(u32::from_le_bytes) || is_utf32(u32::from_be_bytes) => Some(WideEncoding::Utf32),
        () if is_utf16(1) => Some(WideEncoding::Utf16Le),
        () if is_utf16(0) => Some(WideEncoding::Utf16Be),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_wide_characters_is_recognized() {
        let text = "The service terminated\r\n";
        let wide = |of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
        assert_eq!(wide_encoding(&wide(u16::to_le_bytes)), Some(WideEncoding::Utf16Le));
        assert_eq!(wide_encoding(&wide(u16::to_be_bytes)), Some(WideEncoding::Utf16Be));
        for of in [u32::to_le_bytes, u32::to_be_bytes] {
            let utf32: Vec<u8> = "\u{feff}Ошибка 5\n".chars().flat_map(|c| of(c.into())).collect();
            assert_eq!(wide_encoding(&utf32), Some(WideEncoding::Utf32));
        }
        let tar = [&b"a.txt"[..], &[0; 59]].concat();
        let others: [&[u8]; 9] = [
            b"",
            b"\0",
            b"a\0",
            b"text",
            b"a\0b\0plain text",
            &[0; 64],
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            &tar,
            b"\x01\0\0\0\x02\0\0\0",
        ];
        for other in others {
            assert_eq!(wide_encoding(other), None, "{other:?}");
        }
    }

    #[test]
    fn only_a_header_with_bases_after_it_looks_like_records() {
        assert_eq!(resembled_format(b">chr1 human\r\nACGTNNacgt\r\n"), Some(RecordsLike::Fasta));
        assert_eq!(resembled_format(b"@read/1\nACGTNNACGT\n+\nIIIIIIIIII\n"), Some(RecordsLike::Fastq));
        for text in ["@HD\tVN:1.6\n", "r1\t16\tc\t1\t60\t8M\t*\t0\t0\tACGTACGT\tIIIIIIII\n"] {
            assert_eq!(resembled_format(text.as_bytes()), Some(RecordsLike::Sam), "{text}");
        }
        let table = "a\t1\tb\tc\td\te\tf\tg\th\tACGTACGT\n";
        for text in
            [table, "", ">", "> quoted\nand an answer\n", ">a\ntag\n", "@alice\nACGTACGTAC\nbob\n", "ACGTACGTACGT\n"]
        {
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
