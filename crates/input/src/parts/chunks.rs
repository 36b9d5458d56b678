//! Finds the record starts of a part and counts its residues, chunk by chunk as they are read, while their bytes are in
//! the cache.
//!
//! H100 host, 16 threads, FASTA in memory: two passes over a part of 2 MiB, after reading it, took 0.8 times as long as
//! the read. With chunks they take half of that.

use std::ops::Range;

use super::excerpt::Excerpt;
use crate::cut::fasta::record_starts;
use crate::error::InputError;
use nigh_core::alphabet::count_residues;

/// Number of bytes of a chunk, which is read and then indexed.
const CHUNK: usize = 128 << 10;

/// Record starts and residue counts of a part up to its nominal end, by chunk. The index is empty for the last part of
/// a file, which has no nominal end.
#[derive(Debug)]
pub(crate) struct ChunkIndex {
    /// Index in the buffer of the first chunk.
    first: usize,
    /// Number of residues of each whole chunk.
    residues: Vec<u32>,
    /// Indices in the buffer at which records start, ascending, up to the end of the last whole chunk.
    starts: Vec<usize>,
}

impl ChunkIndex {
    /// Reads until `excerpt` holds `length` bytes or the file ends, and indexes the bytes.
    pub(crate) fn read(excerpt: &mut Excerpt<'_>, length: usize) -> Result<Self, InputError> {
        let first = excerpt.bytes().len();
        let mut index = ChunkIndex { first, residues: Vec::new(), starts: Vec::new() };
        while excerpt.bytes().len() < length && !excerpt.has_ended() {
            excerpt.read_to(length.min(index.end() + CHUNK))?;
            index.add_whole_chunks(excerpt.bytes());
        }
        Ok(index)
    }

    /// Returns the index in the buffer just past the last whole chunk.
    fn end(&self) -> usize {
        self.first + self.residues.len() * CHUNK
    }

    fn add_whole_chunks(&mut self, bytes: &[u8]) {
        while let Some(chunk) = bytes.get(self.end()..self.end() + CHUNK) {
            self.starts.extend(record_starts(&bytes[..self.end() + CHUNK], self.before_end()));
            self.residues.push(count_residues(chunk) as u32);
        }
    }

    /// Returns the index of the last byte of the whole chunks, which may be the line feed before a record; `first` if
    /// there is no whole chunk.
    fn before_end(&self) -> usize {
        self.end().saturating_sub(1).max(self.first)
    }

    /// Returns the indices at which records start in `bytes`, after the line that ends at `line_end`.
    pub(crate) fn record_starts(&self, bytes: &[u8], line_end: usize) -> Vec<usize> {
        let known = self.starts.iter().copied().filter(|&start| line_end < start && start < bytes.len());
        known.chain(record_starts(bytes, self.before_end().max(line_end).min(bytes.len()))).collect()
    }

    /// Returns the number of residues in a range of the bytes.
    pub(crate) fn residues(&self, bytes: &[u8], range: Range<usize>) -> u64 {
        let chunk_from = range.start.saturating_sub(self.first).div_ceil(CHUNK);
        let chunk_to = (range.end.saturating_sub(self.first) / CHUNK).min(self.residues.len());
        let count = |range: Range<usize>| count_residues(&bytes[range]) as u64;
        if chunk_from >= chunk_to {
            return count(range);
        }
        let whole: u64 = self.residues[chunk_from..chunk_to].iter().map(|&residues| u64::from(residues)).sum();
        let (from, to) = (self.first + chunk_from * CHUNK, self.first + chunk_to * CHUNK);
        count(range.start..from) + whole + count(to..range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::text_file::TextFile;
    use nigh_core::batch::TextBuffer;

    #[test]
    fn chunks_have_the_records_and_residues_of_all_bytes() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..20 {
            let length = rng.usize(0..4 * CHUNK);
            let mut text: Vec<u8> = (0..length).map(|_| if rng.u8(..) < 3 { b'\n' } else { b'A' }).collect();
            for at in [CHUNK - 1, CHUNK, 2 * CHUNK, rng.usize(0..length.max(1))] {
                if at > 0 && at < length {
                    text[at - 1..=at].copy_from_slice(b"\n>");
                }
            }
            let mut file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut file, &text).unwrap();
            let file = TextFile::Plain(file);
            let (mut buffer, room) = (TextBuffer::default(), rng.usize(0..100));
            let mut excerpt = Excerpt::new(&file, 0, &mut buffer, room);
            let index = ChunkIndex::read(&mut excerpt, room + rng.usize(0..=length)).unwrap();
            excerpt.read_to(room + length).unwrap();
            let end = room + rng.usize(0..=length);
            let bytes = &excerpt.bytes()[..end];
            let from = rng.usize(room..=end);
            assert_eq!(index.record_starts(bytes, from), record_starts(bytes, from));
            assert_eq!(index.residues(bytes, from..end), count_residues(&bytes[from..]) as u64);
        }
    }
}
