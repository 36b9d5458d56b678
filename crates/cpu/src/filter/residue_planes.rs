//! The residues of a batch in the forms that the seed index needs.

use nigh_tables::seeds::layout::LENGTH;
use nigh_tables::seeds::residues::group_planes;

/// The number of residues of padding before the packed residues, so that a q-gram may begin before the first residue.
pub(crate) const BEFORE: usize = 32;
/// The number of words of padding after planes.
pub(crate) const AFTER: usize = 2;

/// The residues next to a boundary, the nearest in the lowest bit of each plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearResidues {
    pub(crate) low: i16,
    pub(crate) high: i16,
}

/// The groups of all residues of a batch in two forms: packed, and as bit planes in both directions.
#[derive(Default)]
pub(crate) struct ResiduePlanes {
    /// Two bits for each residue, from [`BEFORE`] residues before the first on.
    packed: Vec<u64>,
    /// The low and high bits of the groups.
    forward: [Vec<u64>; 2],
    /// The low and high bits, in reverse order.
    backward: [Vec<u64>; 2],
    symbols: usize,
}

impl ResiduePlanes {
    /// Takes `symbols` residues, in the order of the text. `low` and `high` are the two lowest bit planes of their
    /// codes.
    pub(crate) fn fill(&mut self, low: &[u64], high: &[u64], symbols: usize) {
        self.symbols = symbols;
        self.packed.clear();
        self.packed.push(0);
        self.forward.iter_mut().chain(&mut self.backward).for_each(Vec::clear);
        for (&low, &high) in low.iter().zip(high) {
            let (low, high) = group_planes(low, high);
            self.packed.push(spread(low as u32) | spread(high as u32) << 1);
            self.packed.push(spread((low >> 32) as u32) | spread((high >> 32) as u32) << 1);
            self.forward[0].push(low);
            self.forward[1].push(high);
        }
        // One more word, because masks are computed for two words at a time.
        self.packed.push(0);
        for (backward, forward) in self.backward.iter_mut().zip(&mut self.forward) {
            backward.extend(forward.iter().rev().map(|word| word.reverse_bits()));
            backward.extend([0; AFTER]);
            forward.extend([0; AFTER]);
        }
    }

    /// Returns the low and the high bits of the groups, 64 residues a word, with [`AFTER`] words of
    /// padding.
    pub(crate) fn forward(&self) -> &[Vec<u64>; 2] {
        &self.forward
    }

    /// Returns the packed residues. The first of them is [`BEFORE`] residues before the text.
    pub(crate) fn packed(&self) -> &[u64] {
        &self.packed
    }

    /// Returns the 32 residues from the position `at` of the packed residues on, two bits each.
    #[inline(always)]
    pub(crate) fn packed_at(&self, at: usize) -> u64 {
        const { assert!(LENGTH <= 32) };
        let word = at / 32;
        let next = self.packed.get(word + 1).copied().unwrap_or(0);
        let both = u128::from(self.packed[word]) | u128::from(next) << 64;
        (both >> (2 * (at % 32))) as u64
    }

    /// Returns the boundary before the q-gram at the position `at` of the packed residues, as the number of residues of
    /// the text before the boundary. Returns `None` outside the text.
    #[inline(always)]
    pub(crate) fn boundary_before(&self, at: usize) -> Option<usize> {
        at.checked_sub(BEFORE).filter(|&boundary| boundary < self.symbols)
    }

    /// Returns the boundary after the q-gram at the position `at` of the packed residues, as the number of residues of
    /// the text before the boundary. Returns `None` outside the text.
    #[inline(always)]
    pub(crate) fn boundary_after(&self, at: usize) -> Option<usize> {
        (at + LENGTH).checked_sub(BEFORE).filter(|&boundary| boundary <= self.symbols)
    }

    /// Returns the residues after a boundary, in the order of the text.
    #[inline(always)]
    pub(crate) fn after(&self, boundary: usize) -> NearResidues {
        near(&self.forward, boundary)
    }

    /// Returns the residues before a boundary, the last first.
    #[inline(always)]
    pub(crate) fn before(&self, boundary: usize) -> NearResidues {
        near(&self.backward, 64 * (self.backward[0].len() - AFTER) - boundary)
    }
}

/// Returns the 16 residues from the index `at` on.
#[inline(always)]
fn near([low, high]: &[Vec<u64>; 2], at: usize) -> NearResidues {
    let bits = |words: &[u64]| {
        let (word, shift) = (at / 64, at % 64);
        (words[word] >> shift | words[word + 1] << 1 << (63 - shift)) as i16
    };
    NearResidues { low: bits(low), high: bits(high) }
}

/// Spreads 32 bits to the even bits of a 64-bit word.
#[inline(always)]
fn spread(bits: u32) -> u64 {
    let mut word = u64::from(bits);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        word = (word | word << shift) & mask;
    }
    word
}
