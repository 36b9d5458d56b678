//! Whether text looks like records of sequences.

use memchr::memchr;

use crate::search::Records;

/// The fewest bases by which a line is taken for a sequence, and not for a word.
const MIN_BASES: usize = 8;

/// The format that the first lines of a text look like. A header must be followed by bases only, so that quoted mail, logs and
/// the output of diff do not.
pub(crate) fn resembled(text: &[u8]) -> Option<Records> {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (header, sequence) = (lines.next()?, lines.next()?);
    let are_bases = sequence.len() >= MIN_BASES && sequence.iter().all(|byte| b"ACGTUNacgtun".contains(byte));
    match header.first()? {
        b'>' if are_bases => Some(Records::Fasta),
        b'@' if are_bases && lines.next()?.starts_with(b"+") => Some(Records::Fastq),
        _ => None,
    }
}

/// Whether a record of FASTA is one header with carriage returns in it, as if they ended its lines.
pub(crate) fn has_carriage_returns(record: &[u8]) -> bool {
    let record = record.trim_ascii_end();
    record.starts_with(b">") && memchr(b'\r', record).is_some() && memchr(b'\n', record).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_header_with_bases_behind_it_looks_like_records() {
        assert_eq!(resembled(b">chr1 human\r\nACGTNNacgt\r\n"), Some(Records::Fasta));
        assert_eq!(resembled(b"@read/1\nACGTNNACGT\n+\nIIIIIIIIII\n"), Some(Records::Fastq));
        for text in ["", ">", "> quoted\nand an answer\n", ">a\ntag\n", "@alice\nACGTACGTAC\nbob\n", "ACGTACGTACGT\n"] {
            assert_eq!(resembled(text.as_bytes()), None, "{text}");
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
