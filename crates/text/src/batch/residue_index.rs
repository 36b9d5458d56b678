//! Numbers of residues before an offset, for texts in which many are asked for, and the starts of records.
//!
//! The residues before each block are counted once: those of a part of a FASTA file while it is read, because its bytes are
//! in the cache then. A query counts those of one block: O(1) time after O(n).

use std::ops::Range;

use memchr::memchr_iter;

use crate::alphabet::count_residues;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};

/// Number of bytes of a block. Counting one takes about 20 ns.
const BLOCK: usize = 512;

/// The number of residues before each block of a text of sequences. Bytes of headers count like residues, so only numbers
/// of residues within one record have a meaning.
#[derive(Debug, Clone)]
pub struct ResidueIndex {
    isa: Isa,
    /// Offset of the first byte.
    first: usize,
    /// Offset just past the last byte that was read.
    end: usize,
    /// For each block from `first` on, the number of residues before it.
    before: Vec<u64>,
    /// Number of residues.
    residues: u64,
    /// The offsets of each `>` after a line feed, ascending.
    record_starts: Vec<usize>,
}

impl ResidueIndex {
    /// Makes the index of an empty text that begins at the offset `first`.
    pub fn new(first: usize) -> Self {
        let (isa, before, record_starts) = (Isa::preferred(), Vec::new(), Vec::new());
        ResidueIndex { isa, first, end: first, before, residues: 0, record_starts }
    }

    /// Makes the index of a whole text.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut index = ResidueIndex::new(0);
        index.read(bytes, bytes.len());
        index
    }

    /// Adds the bytes up to the offset `to`.
    pub fn read(&mut self, bytes: &[u8], to: usize) {
        self.isa.run(AddBytes { index: self, bytes, to });
    }

    /// Returns the offsets of each `>` after a line feed, ascending.
    pub fn record_starts(&self) -> &[usize] {
        &self.record_starts
    }

    /// Returns the number of residues in a range of the text that was read; `bytes` is the text.
    pub fn residues_in(&self, bytes: &[u8], range: Range<usize>) -> u64 {
        self.before(bytes, range.end) - self.before(bytes, range.start)
    }

    /// Returns the number of residues from the first byte up to the offset `at`.
    fn before(&self, bytes: &[u8], at: usize) -> u64 {
        let Some(last) = at.checked_sub(self.first + 1) else { return 0 };
        let block = last / BLOCK;
        self.before[block] + count_residues(&bytes[self.first + block * BLOCK..at]) as u64
    }

    /// Adds the starts of records among the offsets of bytes that are `>`.
    fn add_starts(&mut self, bytes: &[u8], at: impl Iterator<Item = usize>) {
        let first = self.first;
        self.record_starts.extend(at.filter(|&at| at > first && bytes[at - 1] == b'\n'));
    }
}

/// Adds bytes, a block at a time.
struct AddBytes<'a> {
    index: &'a mut ResidueIndex,
    bytes: &'a [u8],
    to: usize,
}

impl SimdOp for AddBytes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let AddBytes { index, bytes, to } = self;
        while index.end < to {
            let (start, within) = (index.end, (index.end - index.first) % BLOCK);
            if within == 0 {
                index.before.push(index.residues);
            }
            index.end = to.min(start + BLOCK - within);
            let (parts, rest) = bytes[start..index.end].as_chunks::<64>();
            let (mut residues, mut starts) = (count_residues(rest), rest.contains(&b'>'));
            for part in parts {
                residues += L::above_blank(part).count_ones() as usize;
                starts |= L::equal_to(part, b'>') != 0;
            }
            if starts {
                let block = start..index.end;
                index.add_starts(bytes, memchr_iter(b'>', &bytes[block]).map(|at| start + at));
            }
            index.residues += residues as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::is_residue;

    #[test]
    fn random_texts_are_counted_in_any_steps() {
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..300 {
            let letters: &[u8] = if round % 2 == 0 { b"ACGT\n>" } else { b"ACGTACGTACGTACGTACGTACGTACGTAACGT \r\n" };
            let first = rng.usize(..40);
            let mut text = vec![b'\n'; first];
            text.extend((0..rng.usize(..3000)).map(|_| *rng.choice(letters).unwrap()));
            let mut index = ResidueIndex::new(first);
            let mut at = first;
            while at < text.len() {
                at = (at + 1 + rng.usize(..900)).min(text.len());
                index.read(&text, at);
            }
            let starts = (first + 1..text.len()).filter(|&at| text[at - 1..=at] == *b"\n>").collect::<Vec<_>>();
            assert_eq!(index.record_starts(), starts);
            for _ in 0..50 {
                let from = rng.usize(first..=text.len());
                let to = rng.usize(from..=text.len());
                let expected = text[from..to].iter().filter(|&&byte| is_residue(byte)).count() as u64;
                assert_eq!(index.residues_in(&text, from..to), expected, "{first}: {from}..{to}");
            }
        }
    }
}
