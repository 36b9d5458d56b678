//! GFF files that hold sequences: annotation, a line `##FASTA`, and FASTA records. See the specification of GFF3,
//! version 1.26, under "Other Syntax". A line that begins with `>` implies the line before it.

use memchr::memchr_iter;

/// The bytes with which a GFF file begins.
pub(crate) const GFF: &[u8] = b"##gff-version";

/// Number of bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// The first record behind annotation.
pub(crate) struct FirstRecord {
    /// Number of bytes before the record.
    pub(crate) offset: u64,
    /// The bytes from the start of the record on that were read.
    pub(crate) bytes: Vec<u8>,
}

/// Passes over annotation. Calls `read` for the next bytes, which are none at the end of the file. Returns `None` if no
/// record follows.
///
/// # Errors
/// An error of `read`.
pub(crate) fn first_record<E>(mut read: impl FnMut(&mut [u8]) -> Result<usize, E>) -> Result<Option<FirstRecord>, E> {
    let mut chunk = vec![0; CHUNK];
    let (mut offset, mut before) = (0, b'\n');
    loop {
        let length = read(&mut chunk)?;
        let bytes = &chunk[..length];
        let Some(&last) = bytes.last() else { return Ok(None) };
        let follows_line_end = |&at: &usize| at.checked_sub(1).map_or(before, |before| bytes[before]) == b'\n';
        if let Some(start) = memchr_iter(b'>', bytes).find(follows_line_end) {
            return Ok(Some(FirstRecord { offset: offset + start as u64, bytes: bytes[start..].to_vec() }));
        }
        (offset, before) = (offset + length as u64, last);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;

    #[test]
    fn the_first_record_is_found_in_reads_of_any_size() {
        let annotation = b"##gff-version 3\nc\tx\tgene\t1\t9\t.\t>\t.\tNote=>a\n##FASTA\n";
        let gff = [&annotation[..], b">c\nACGT\n>d\n"].concat();
        for size in 1..gff.len() {
            let mut reader = &gff[..];
            let found = first_record(|buffer| reader.read(&mut buffer[..size])).unwrap().unwrap();
            assert_eq!(found.offset, annotation.len() as u64, "{size}");
            assert_eq!([&found.bytes[..], reader].concat(), gff[annotation.len()..], "{size}");
        }
        let mut reader = &annotation[..];
        assert!(first_record(|buffer| reader.read(buffer)).unwrap().is_none());
        assert!(first_record(|_| Err(io::Error::other("broken"))).is_err());
    }
}
