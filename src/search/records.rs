//! Whether text looks like records of sequences.

use super::Records;

/// The fewest bases by which a line is taken for a sequence, and not for a word.
const MIN_BASES: usize = 8;

/// The format that the first lines of a text look like. A header must be followed by bases only, so that quoted mail, logs and
/// the output of diff do not.
pub(super) fn resembled(text: &[u8]) -> Option<Records> {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (header, sequence) = (lines.next()?, lines.next()?);
    let are_bases = sequence.len() >= MIN_BASES && sequence.iter().all(|byte| b"ACGTUNacgtun".contains(byte));
    match header.first()? {
        b'>' if are_bases => Some(Records::Fasta),
        b'@' if are_bases && lines.next()?.starts_with(b"+") => Some(Records::Fastq),
        _ => None,
    }
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
}
