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

#[cfg(test)]
mod tests {
    use super::*;

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
