//! Packs strings into bit planes, a bit per string, and unpacks bit-sliced sums.
//!
//! A word of 64 bits takes one string of up to 64 symbols, or 2, 4 or 8 strings of at most 32, 16 or 8 symbols. The
//! tiles of these sides are transposed, so string p of a group goes to the bit that [`TransposeTile::place`] returns.

use super::members::{GroupMembers, StringWindow};
use crate::pairs::{Pairs, Strings};
use nigh_simd::transpose::transpose_tiles;
use nigh_simd::vector::{PLANES, Simd, SimdOp};

/// The planes of the strings along one side of the matrices.
pub(super) struct AxisPlanes<'a> {
    /// `[plane][position]`, a vector each. Positions after the end of a string are 0.
    pub(super) words: &'a mut [u64],
    /// The number of positions of a plane: a multiple of the side of a tile.
    pub(super) positions: usize,
}

impl AxisPlanes<'_> {
    /// Stores a word of each plane for the positions from `first` on.
    #[inline(always)]
    fn store<L: Simd, const P: usize>(&mut self, first: usize, word: usize, packed: &[u64; P]) {
        for (plane, packed) in packed.iter().enumerate() {
            self.words[(plane * self.positions + first) * L::WORDS + word] = *packed;
        }
    }
}

/// Packs the strings of a group into planes.
pub(super) struct Pack<'a> {
    pub(super) pairs: &'a Pairs<'a>,
    /// The index of the first pair of the chunk.
    pub(super) chunk: usize,
    pub(super) members: GroupMembers<'a>,
    pub(super) tile: TransposeTile,
    /// The bits of a byte that make up the planes.
    pub(super) bits: &'a [u8],
    /// The planes of the rows; unused if all pairs have the same query.
    pub(super) rows: AxisPlanes<'a>,
    pub(super) columns: AxisPlanes<'a>,
}

impl SimdOp for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        match self.bits.len() {
            2 => self.pack::<L, 2>(),
            3 => self.pack::<L, 3>(),
            5 => self.pack::<L, 5>(),
            _ => self.pack::<L, PLANES>(),
        }
    }
}

impl Pack<'_> {
    #[inline(always)]
    fn pack<L: Simd, const P: usize>(mut self) {
        let bits = *self.bits.first_chunk().expect("the planes are as many as those of a variant");
        match *self.pairs {
            Pairs::OneToMany { targets, .. } => {
                if self.has_tiles(&targets) {
                    let run = StringWindow::of(&targets, self.first()).run(self.members.len());
                    return pack_run::<L, P>(run, &bits, &mut self.columns);
                }
                for first in (0..self.columns.positions).step_by(64) {
                    self.pack_targets::<L, P>(&targets, &bits, first);
                }
            }
            Pairs::Zipped { queries, targets } => {
                if self.has_tiles(&queries) && self.has_tiles(&targets) {
                    let [queries, targets] = [queries, targets]
                        .map(|strings| StringWindow::of(&strings, self.first()).run(self.members.len()));
                    pack_run::<L, P>(queries, &bits, &mut self.rows);
                    return pack_run::<L, P>(targets, &bits, &mut self.columns);
                }
                for first in (0..self.columns.positions).step_by(64) {
                    self.pack_pairs::<L, P>(&queries, &targets, &bits, first);
                }
            }
        }
    }

    /// Returns the index of the first pair.
    fn first(&self) -> usize {
        self.chunk + self.members.get(0).index as usize
    }

    /// Returns whether the strings of the group lie one after the other and each is as long as a tile.
    fn has_tiles(&self, strings: &Strings<'_>) -> bool {
        matches!(strings, Strings::Equal { length, .. } if *length == self.tile.side())
            && matches!(self.members, GroupMembers::Uniform { .. })
    }

    /// Packs the symbols of each target from position `first` on, up to 64.
    #[inline(always)]
    fn pack_targets<L: Simd, const P: usize>(&mut self, targets: &Strings<'_>, bits: &[u8; P], first: usize) {
        let (slots, side, count) = (self.tile.slots(), self.tile.side(), self.members.len());
        let mut index = 0;
        for word in 0..count.div_ceil(slots) {
            let mut packed = [0; P];
            for slot in 0..slots.min(count - index) {
                let target = StringWindow::of(targets, self.chunk + self.members.get(index).index as usize);
                index += 1;
                target.add_planes::<L, P>(first, bits, slot * side, &mut packed);
            }
            self.columns.store::<L, P>(first, word, &packed);
        }
    }

    /// Packs the symbols of both strings of each pair from position `first` on, up to 64. The shorter strings make up
    /// the rows.
    #[inline(always)]
    fn pack_pairs<L: Simd, const P: usize>(
        &mut self,
        queries: &Strings<'_>,
        targets: &Strings<'_>,
        bits: &[u8; P],
        first: usize,
    ) {
        let (slots, side, count) = (self.tile.slots(), self.tile.side(), self.members.len());
        let mut index = 0;
        for word in 0..count.div_ceil(slots) {
            let (mut rows, mut columns) = ([0; P], [0; P]);
            for slot in 0..slots.min(count - index) {
                let pair = self.chunk + self.members.get(index).index as usize;
                index += 1;
                let both = [StringWindow::of(queries, pair), StringWindow::of(targets, pair)];
                // An index instead of a branch, which would often be mispredicted, because the order is random.
                let longer = usize::from(both[0].length <= both[1].length);
                both[1 - longer].add_planes::<L, P>(first, bits, slot * side, &mut rows);
                both[longer].add_planes::<L, P>(first, bits, slot * side, &mut columns);
            }
            if first < self.rows.positions {
                self.rows.store::<L, P>(first, word, &rows);
            }
            self.columns.store::<L, P>(first, word, &columns);
        }
    }
}

/// Packs strings as long as a tile that lie one after the other, 64 bytes at a time.
#[inline(always)]
fn pack_run<L: Simd, const P: usize>(run: &[u8], bits: &[u8; P], planes: &mut AxisPlanes<'_>) {
    for (word, block) in run.chunks(64).enumerate() {
        planes.store::<L, P>(0, word, &L::bit_planes_of_prefix::<P>(block, block.len(), bits));
    }
}

/// Transposes the tiles of planes.
pub(super) struct TransposePlanes<'a> {
    pub(super) tile: TransposeTile,
    pub(super) planes: &'a mut [u64],
}

impl SimdOp for TransposePlanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        match self.tile.side() {
            8 => self.transpose::<L, 8>(),
            16 => self.transpose::<L, 16>(),
            32 => self.transpose::<L, 32>(),
            _ => self.transpose::<L, 64>(),
        }
    }
}

impl TransposePlanes<'_> {
    #[inline(always)]
    fn transpose<L: Simd, const SIDE: usize>(self) {
        self.planes.chunks_exact_mut(SIDE * L::WORDS).for_each(transpose_tiles::<L, SIDE>);
    }
}

/// The size of the tiles of a word. Each tile holds one string, and a word has as many tiles as fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TransposeTile {
    /// The binary logarithm of the side.
    log_side: u32,
}

impl TransposeTile {
    /// Returns the smallest tile for strings of a length; the largest has 64 symbols.
    pub(super) fn fit(length: usize) -> Self {
        TransposeTile { log_side: length.clamp(8, 64).next_power_of_two().ilog2() }
    }

    #[inline(always)]
    pub(super) fn side(self) -> usize {
        1 << self.log_side
    }

    /// Returns the number of tiles of a word.
    #[inline(always)]
    pub(super) fn slots(self) -> usize {
        64 >> self.log_side
    }

    /// Returns the place of the string `index` of a group.
    #[inline(always)]
    pub(super) fn place<L: Simd>(self, index: usize) -> StringBit {
        let (packed, slot) = (index >> (6 - self.log_side), index & (self.slots() - 1));
        StringBit { word: packed % L::WORDS, bit: (slot << self.log_side) + packed / L::WORDS }
    }
}

/// The bit of a string in a vector.
#[derive(Clone, Copy)]
pub(super) struct StringBit {
    pub(super) word: usize,
    pub(super) bit: usize,
}

/// Sums of the pairs of a group, a byte each.
pub(super) struct UnpackedBytes<'a> {
    words: &'a [u64],
}

impl<'a> UnpackedBytes<'a> {
    /// Unpacks eight bits of each sum, which are a vector each.
    #[inline(always)]
    pub(super) fn new<L: Simd>(sums: &'a mut [u64]) -> Self {
        transpose_tiles::<L, 8>(sums);
        UnpackedBytes { words: sums }
    }

    #[inline(always)]
    pub(super) fn get<L: Simd>(&self, place: StringBit) -> i32 {
        let word = self.words[place.bit % 8 * L::WORDS + place.word];
        i32::from((word >> (place.bit & !7)) as u8)
    }
}
