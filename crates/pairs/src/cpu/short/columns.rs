//! Bit-parallel length of the longest common subsequence, column by column: all rows of a column are an integer of
//! several words.
//!
//! A column takes one addition, one subtraction and two logic operations for each word, and the words of the rows that
//! match a symbol are found once for each distinct symbol of the target. The words depend on each other only by the
//! carry of the addition, so a processor computes several of them at a time. For m rows and n columns, a pair takes
//! O(n⌈m/64⌉) time.
//!
//! - M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon and J. F. Reid, "A fast and practical bit-vector algorithm for the
//!   longest common subsequence problem", 2001.
//! - H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.

use super::blocks::{MAX_WORDS, ROWS, padded};
use crate::pairs::Pair;
use nigh_simd::vector::Simd;

/// The rows that match each byte, `[byte][word]`. Reused from pair to pair.
pub(super) struct MatchTable {
    rows: Vec<[u64; MAX_WORDS]>,
}

impl Default for MatchTable {
    fn default() -> Self {
        MatchTable { rows: vec![[0; MAX_WORDS]; 256] }
    }
}

impl MatchTable {
    /// Returns the length of the longest common subsequence of a pair. The query must fit in [`MAX_WORDS`] words.
    #[inline(always)]
    pub(super) fn common_length<L: Simd>(&mut self, pair: Pair<'_>) -> i32 {
        let Pair { query, target } = pair;
        self.set::<L>(query, target);
        match query.len().div_ceil(ROWS) {
            0 => 0,
            1 => self.sweep::<1>(query.len(), target),
            2 => self.sweep::<2>(query.len(), target),
            3 => self.sweep::<3>(query.len(), target),
            4 => self.sweep::<4>(query.len(), target),
            5 => self.sweep::<5>(query.len(), target),
            6 => self.sweep::<6>(query.len(), target),
            7 => self.sweep::<7>(query.len(), target),
            _ => self.sweep::<MAX_WORDS>(query.len(), target),
        }
    }

    /// Finds the rows of `query` that match each symbol of `target`.
    #[inline(always)]
    fn set<L: Simd>(&mut self, query: &[u8], target: &[u8]) {
        let mut blocks = [[0; ROWS]; MAX_WORDS];
        let words = query.len().div_ceil(ROWS);
        for (block, rows) in blocks.iter_mut().zip(query.chunks(ROWS)) {
            *block = padded(rows);
        }
        let mut is_set = [false; 256];
        for &symbol in target {
            if !std::mem::replace(&mut is_set[usize::from(symbol)], true) {
                for (word, block) in self.rows[usize::from(symbol)].iter_mut().zip(&blocks[..words]) {
                    *word = L::equal_to(block, symbol);
                }
            }
        }
    }

    /// Computes the columns of a query of `length` symbols in `W` words. The code is the same for all vectors.
    #[inline(never)]
    fn sweep<const W: usize>(&self, length: usize, target: &[u8]) -> i32 {
        // Rows whose cell equals the cell above it.
        let mut still = [!0u64; W];
        for &symbol in target {
            let matches: &[u64; W] = self.rows[usize::from(symbol)].first_chunk().expect("a row has the most words");
            let mut carry = false;
            for (still, matches) in still.iter_mut().zip(matches) {
                let matching = *still & matches;
                let (sum, overflows) = still.overflowing_add(matching);
                let (sum, overflows_again) = sum.overflowing_add(u64::from(carry));
                carry = overflows | overflows_again;
                *still = sum | (*still - matching);
            }
        }
        let inside = |word: usize| !0 >> (ROWS - (length - word * ROWS).min(ROWS));
        still.iter().enumerate().map(|(word, still)| (!still & inside(word)).count_ones() as i32).sum()
    }
}
