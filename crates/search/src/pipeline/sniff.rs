//! Recognises text that looks like sequence records or an archive, and UTF-16 in text that is not decoded.

use memchr::memchr;
use memchr::memmem::find;

use crate::{Notice, RecordsLike};
use nigh_input::{Charset, EncodingChange, find_wide_text};
use nigh_text::batch::Batch;

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
    if first.starts_with(b"##gff-version") && find(text, b"\n##FASTA").is_some() {
        return Some(RecordsLike::Gff);
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

/// Returns whether a batch is the first one of its text. A byte order mark may precede it.
pub(super) fn is_start(batch: &Batch) -> bool {
    batch.lines().is_some_and(|lines| lines.offset == lines.mark.len() as u64)
}

/// Number of bytes at the end of a batch that are examined for UTF-16. A program that appends UTF-16 to a log leaves it
/// at the end, and so in the last batch.
const WIDE_SAMPLE: usize = 4 << 10;

/// Looks for UTF-16 in inputs whose text is not decoded: in all of the first batch, and at the ends of the others.
#[derive(Default)]
pub(super) struct WideTextSniffer {
    /// Whether UTF-16 is still looked for in the current input.
    is_sought: bool,
    /// Whether the current input has zero bytes that are not UTF-16.
    is_binary: bool,
    /// Whether UTF-16 in a binary input was reported. It is reported once in a search.
    has_binary: bool,
}

impl WideTextSniffer {
    /// Begins an input, in which UTF-16 may be sought.
    pub(super) fn begin(&mut self, is_sought: bool) {
        (self.is_sought, self.is_binary) = (is_sought, false);
    }

    /// Looks at the next batch of the input. Returns a notice about the first UTF-16.
    pub(super) fn look(&mut self, batch: &Batch) -> Option<Notice> {
        let lines = batch.lines().filter(|lines| self.is_sought && lines.terminator != 0)?;
        let bytes = batch.shown();
        let sample = if is_start(batch) { bytes } else { &bytes[bytes.len().saturating_sub(WIDE_SAMPLE)..] };
        memchr(0, sample)?;
        if find_wide_text(sample).is_none() {
            self.is_binary = true;
            return None;
        }
        self.is_sought = false;
        let wide = find_wide_text(bytes)?;
        if wide.at > 0 && !self.is_binary && memchr(0, &bytes[..wide.at]).is_none() {
            let (at, from) = (lines.offset + wide.at as u64, Charset::UTF8);
            return Some(Notice::EncodingChange(EncodingChange { at, from, to: wide.charset }));
        }
        (!std::mem::replace(&mut self.has_binary, true)).then_some(Notice::WideInBinary(wide.charset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_header_with_bases_after_it_looks_like_records() {
        assert_eq!(resembled_format(b">chr1 human\r\nACGTNNacgt\r\n"), Some(RecordsLike::Fasta));
        assert_eq!(resembled_format(b"@read/1\nACGTNNACGT\n+\nIIIIIIIIII\n"), Some(RecordsLike::Fastq));
        for text in ["@HD\tVN:1.6\n", "r1\t16\tc\t1\t60\t8M\t*\t0\t0\tACGTACGT\tIIIIIIII\n"] {
            assert_eq!(resembled_format(text.as_bytes()), Some(RecordsLike::Sam), "{text}");
        }
        assert_eq!(resembled_format(b"##gff-version 3\nc\tx\n##FASTA\n>c\nACGT\n"), Some(RecordsLike::Gff));
        assert_eq!(resembled_format(b"##gff-version 3\nc\tx\n"), None);
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
