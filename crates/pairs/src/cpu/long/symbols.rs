//! The symbols of a pair as codes of few bits, and the bit planes of the codes.

use crate::pairs::Pair;

/// The numbers of bits of a code for which there is a kernel.
const PLANES: [usize; 4] = [2, 3, 5, 8];

/// The codes of both strings. Two symbols have the same code if they are equal. All symbols that the query lacks have
/// one code.
#[derive(Debug, Default)]
pub(super) struct CodedPair {
    planes: usize,
    query: Vec<u8>,
    target: Vec<u8>,
}

impl CodedPair {
    /// Encodes a pair.
    pub(super) fn set(&mut self, pair: Pair<'_>) {
        let mut present = [false; 256];
        pair.query.iter().for_each(|&symbol| present[usize::from(symbol)] = true);
        let count = present.iter().filter(|present| **present).count();
        // If the query has all 256 symbols, the target has no other.
        let mut codes = [count as u8; 256];
        let with_code = codes.iter_mut().zip(present).filter(|(_, present)| *present);
        with_code.zip(0..=u8::MAX).for_each(|((code, _), next)| *code = next);
        for (codes_of, string) in [(&mut self.query, pair.query), (&mut self.target, pair.target)] {
            codes_of.clear();
            codes_of.extend(string.iter().map(|&symbol| codes[usize::from(symbol)]));
        }
        let largest = self.query.iter().chain(&self.target).copied().max().map_or(0, usize::from);
        let planes = PLANES.into_iter().find(|&planes| largest < 1 << planes);
        self.planes = planes.expect("a code has 8 bits at most");
    }

    /// Returns the number of bits of a code.
    pub(super) fn planes(&self) -> usize {
        self.planes
    }

    /// Returns the codes of the query.
    pub(super) fn query(&self) -> &[u8] {
        &self.query
    }

    /// Returns the codes of the target.
    pub(super) fn target(&self) -> &[u8] {
        &self.target
    }

    /// Writes the bit planes of the query, `[vector][plane][word]`. A word has 64 symbols, and a vector `words` words.
    /// The number of vectors is a multiple of `vectors`.
    pub(super) fn query_planes(&self, words: usize, vectors: usize, planes: &mut Vec<u64>) {
        let strips = self.query.len().div_ceil(64 * words * vectors);
        planes.clear();
        planes.resize(strips * vectors * self.planes * words, 0);
        for (block, codes) in self.query.chunks(64).enumerate() {
            let first = block / words * self.planes * words + block % words;
            for (eighth, codes) in codes.chunks(8).enumerate() {
                let mut bytes = [0; 8];
                bytes[..codes.len()].copy_from_slice(codes);
                let bytes = u64::from_le_bytes(bytes);
                for plane in 0..self.planes {
                    // The product moves the lowest bit of each byte to the highest byte.
                    let bits = (bytes >> plane & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                    planes[first + plane * words] |= bits << (8 * eighth);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_symbols_have_equal_codes() {
        let mut symbols = CodedPair::default();
        let all: Vec<u8> = (0..=255).collect();
        for (query, target, planes) in [(&b"ACGT"[..], &b"TTGCA"[..], 2), (b"ACGT", b"ACNXT", 3), (&all, &all, 8)] {
            symbols.set(Pair { query, target });
            assert_eq!(symbols.planes(), planes);
            for (&symbol, code) in query.iter().zip(symbols.query()) {
                for (&other, other_code) in target.iter().zip(symbols.target()) {
                    assert_eq!(symbol == other, code == other_code);
                }
            }
        }
    }

    #[test]
    fn planes_hold_the_bits_of_the_codes() {
        let mut symbols = CodedPair::default();
        let query: Vec<u8> = (0..300).map(|at| (at * 7 % 31) as u8).collect();
        symbols.set(Pair { query: &query, target: b"" });
        let mut planes = Vec::new();
        symbols.query_planes(2, 2, &mut planes);
        assert_eq!(planes.len(), 2 * 2 * 5 * 2);
        for (row, &code) in symbols.query().iter().enumerate() {
            let first = row / 128 * 10 + row / 64 % 2;
            let bits = (0..5).map(|plane| (planes[first + 2 * plane] >> (row % 64) & 1) << plane);
            assert_eq!(bits.sum::<u64>(), u64::from(code));
        }
    }
}
