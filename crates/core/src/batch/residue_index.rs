//! Numbers of residues before an offset, for batches in which many are asked for.
//!
//! The residues before each block are counted once. A query then counts those of one block: O(1) time after O(n).

use crate::alphabet::count_residues;

/// The number of residues before each block of a text.
#[derive(Debug, Clone)]
pub(crate) struct ResidueIndex {
    before: Vec<u64>,
}

impl ResidueIndex {
    /// Number of bytes of a block. Counting one takes about 100 ns.
    pub(super) const BLOCK: usize = 4 << 10;

    /// Counts the residues of each block of `bytes`.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut sum = 0;
        let mut before = vec![0];
        for block in bytes.chunks(Self::BLOCK) {
            sum += count_residues(block) as u64;
            before.push(sum);
        }
        ResidueIndex { before }
    }

    /// Returns the number of bytes before the offset `at` that are residues if they are in a record. `bytes` is the text
    /// that the index was made of.
    pub(crate) fn before(&self, bytes: &[u8], at: usize) -> u64 {
        let block = at / Self::BLOCK;
        self.before[block] + count_residues(&bytes[block * Self::BLOCK..at]) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_counted_up_to_any_offset() {
        const BLOCK: usize = ResidueIndex::BLOCK;
        let bytes = b"ACGTA\nCC\r\n".repeat(1000);
        let index = ResidueIndex::new(&bytes);
        for at in [0, 1, 6, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, bytes.len()] {
            assert_eq!(index.before(&bytes, at), count_residues(&bytes[..at]) as u64, "at {at}");
        }
    }
}
