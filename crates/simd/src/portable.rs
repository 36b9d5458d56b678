//! Vectors of plain 64-bit words, for every processor.

use super::int_lanes::PlainLanes;
use super::vector::{ByteTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 128 bits, in whatever registers the compiler picks.
#[derive(Clone, Copy)]
pub(super) struct Portable([u64; 2]);

impl Portable {
    #[inline]
    fn map(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Portable(std::array::from_fn(|word| operation(self.0[word], other.0[word])))
    }
}

impl Simd for Portable {
    const WORDS: usize = 2;
    type Bytes = PlainLanes<i8, 16>;
    type Shorts = PlainLanes<i16, 8>;
    type Ints = PlainLanes<i32, 4>;

    #[inline]
    fn zero() -> Self {
        Portable([0; 2])
    }
    #[inline]
    fn ones() -> Self {
        Portable([!0; 2])
    }
    #[inline]
    fn splat(bits: u64) -> Self {
        Portable([bits; 2])
    }
    #[inline]
    fn load(words: &[u64]) -> Self {
        Portable([words[0], words[1]])
    }
    #[inline]
    fn store(self, words: &mut [u64]) {
        words[..2].copy_from_slice(&self.0);
    }
    #[inline]
    fn and(self, other: Self) -> Self {
        self.map(other, |a, b| a & b)
    }
    #[inline]
    fn and_not(self, other: Self) -> Self {
        self.map(other, |a, b| !a & b)
    }
    #[inline]
    fn or(self, other: Self) -> Self {
        self.map(other, |a, b| a | b)
    }
    #[inline]
    fn xor(self, other: Self) -> Self {
        self.map(other, |a, b| a ^ b)
    }
    #[inline]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }
    #[inline]
    fn or_nor(self, b: Self, c: Self) -> Self {
        self.or(b.map(c, |b, c| !(b | c)))
    }
    #[inline]
    fn shift_left<const BITS: i32>(self) -> Self {
        self.map(self, |a, _| a << BITS)
    }
    #[inline]
    fn shift_right<const BITS: i32>(self) -> Self {
        self.map(self, |a, _| a >> BITS)
    }
    #[inline]
    fn shift_in(self, lower: Self) -> Self {
        self.map(lower, |word, lower| word << 1 | lower >> 63)
    }
    #[inline]
    fn add_words(self, other: Self) -> Self {
        self.map(other, u64::wrapping_add)
    }
    #[inline]
    fn slide_words(self, previous: Self) -> Self {
        Portable([previous.0[1], self.0[0]])
    }
    #[inline]
    fn into_shorts(self) -> Self::Shorts {
        PlainLanes::of_words(self.0)
    }
    #[inline]
    fn from_shorts(shorts: Self::Shorts) -> Self {
        Portable(shorts.words())
    }
    #[inline]
    fn any(self) -> bool {
        self.0[0] | self.0[1] != 0
    }

    #[inline]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        for (eighth, bytes) in block.chunks_exact(8).enumerate() {
            // Bit i of byte p is bit p of the code of byte i.
            let spread = bytes.iter().enumerate();
            let bits = spread.fold(0, |bits, (at, &byte)| bits | table.spread[usize::from(byte)] << at);
            for (plane, word) in planes.iter_mut().enumerate() {
                *word |= (bits >> (8 * plane) & 0xff) << (8 * eighth);
            }
        }
        planes
    }
    #[inline]
    fn bit_planes<const P: usize>(block: &[u8; 64], bits: &[u8; P]) -> [u64; P] {
        let mut planes = [0; P];
        for (plane, &bit) in planes.iter_mut().zip(bits) {
            *plane = gather_high_bits(block, |word| word << (7 - bit));
        }
        planes
    }
    #[inline]
    fn equal_to(block: &[u8; 64], byte: u8) -> u64 {
        let repeated = u64::from(byte) * 0x0101_0101_0101_0101;
        // The sum carries into the highest bit of a byte unless its lower bits are 0.
        gather_high_bits(block, |word| {
            let different = word ^ repeated;
            !(((different & SEVEN_BITS) + SEVEN_BITS) | different)
        })
    }
    #[inline]
    fn above_blank(block: &[u8; 64]) -> u64 {
        // The sum carries into the highest bit of a byte from 0x21 to 0x7f. Bytes from 0x80 on have the bit already.
        gather_high_bits(block, |word| ((word & SEVEN_BITS) + 0x5f5f_5f5f_5f5f_5f5f) | word)
    }
    #[inline]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        gather_high_bits(block, |word| word)
    }
    #[inline]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        let mut mask = 0;
        for at in 0..64 {
            let run = text[at..].first_chunk().expect("the text has three more bytes");
            mask |= u64::from(nibbles.groups(run) != 0) << at;
        }
        mask
    }
}

const SEVEN_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Gathers the highest bit of each byte, after `change` was applied to eight bytes at a time.
#[inline]
fn gather_high_bits(block: &[u8; 64], change: impl Fn(u64) -> u64) -> u64 {
    block.as_chunks::<8>().0.iter().enumerate().fold(0, |mask, (eighth, bytes)| {
        let high = change(u64::from_le_bytes(*bytes)) & !SEVEN_BITS;
        mask | (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * eighth)
    })
}
