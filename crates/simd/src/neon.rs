//! Vectors of NEON.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::int_lanes::PlainLanes;
use super::isa::register_ops;
use super::vector::{ByteTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 128 bits. All operations need NEON; `super` explains why the processor has it.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint64x2_t);

/// 128 bits as bytes.
#[derive(Clone, Copy)]
struct Bytes(uint8x16_t);

impl Bytes {
    register_ops! { ["neon", uint8x16_t]
        /// Repeats a byte.
        fn splat(byte: u8) = vdupq_n_u8(byte);
        /// Repeats the eight bytes of `word`, the lowest byte first.
        fn splat_word(word: u64) = vreinterpretq_u8_u64(vdupq_n_u64(word));
        /// `a & b`
        fn and(a, b) = vandq_u8(a, b);
        /// `a | b`
        fn or(a, b) = vorrq_u8(a, b);
        /// Subtracts, modulo 256.
        fn minus(a, b) = vsubq_u8(a, b);
        /// Returns the high nibble of each byte.
        fn high_nibbles(a) = vshrq_n_u8::<4>(a);
        /// Returns 0xff for each byte that has a bit in common with the same byte of `other`, and 0 for all others.
        fn test(a, other) = vtstq_u8(a, other);
        /// Returns 0xff for each byte that equals the same byte of `other`, and 0 for all others.
        fn equal(a, other) = vceqq_u8(a, other);
        /// Returns 0xff for each byte that is greater than the same byte of `other`, unsigned, and 0 for all others.
        fn greater(a, other) = vcgtq_u8(a, other);
        /// Looks up each byte in the 16 bytes of `table`; 0 for bytes from 16 on.
        fn in_16(a, table) = vqtbl1q_u8(table, a);
        /// Adds each two neighbouring bytes, first of `self`, then of `other`, modulo 256.
        fn add_neighbours(a, other) = vpaddq_u8(a, other);
        /// Returns the first eight bytes as a word, the first byte lowest.
        fn first_word(a) -> u64 = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(a));
    }

    /// Loads 16 bytes.
    #[inline(always)]
    fn load(bytes: &[u8; 16]) -> Self {
        // SAFETY: NEON is present; the load reads the 16 bytes of `bytes`, and allows any address.
        unsafe { Bytes(vld1q_u8(bytes.as_ptr())) }
    }
    /// Looks up each byte in the 64 bytes of `table`; 0 for bytes from 64 on.
    #[inline(always)]
    fn in_64(self, table: [Self; 4]) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Bytes(vqtbl4q_u8(uint8x16x4_t(table[0].0, table[1].0, table[2].0, table[3].0), self.0)) }
    }
}

/// Loads 64 bytes.
#[inline(always)]
fn load_64(bytes: &[u8; 64]) -> [Bytes; 4] {
    // SAFETY: NEON is present; the load reads the 64 bytes of `bytes`, and allows any address.
    let loaded = unsafe { vld1q_u8_x4(bytes.as_ptr()) };
    [Bytes(loaded.0), Bytes(loaded.1), Bytes(loaded.2), Bytes(loaded.3)]
}

/// Gathers one bit from each of 64 bytes. Each byte must be 0x00 or 0xff.
#[inline(always)]
fn mask([a, b, c, d]: [Bytes; 4]) -> u64 {
    let weights = Bytes::splat_word(0x8040_2010_0804_0201);
    let first = a.and(weights).add_neighbours(b.and(weights));
    let second = c.and(weights).add_neighbours(d.and(weights));
    let sums = first.add_neighbours(second);
    sums.add_neighbours(sums).first_word()
}

impl Simd for Neon {
    const WORDS: usize = 2;
    type Bytes = PlainLanes<i8, 16>;
    type Shorts = PlainLanes<i16, 8>;
    type Ints = PlainLanes<i32, 4>;

    register_ops! { ["neon", uint64x2_t]
        fn splat(bits: u64) = vdupq_n_u64(bits);
        fn and(a, b) = vandq_u64(a, b);
        fn and_not(a, b) = vbicq_u64(b, a);
        fn or(a, b) = vorrq_u64(a, b);
        fn xor(a, b) = veorq_u64(a, b);
        fn or_nor(a, b, c) = vornq_u64(a, vorrq_u64(b, c));
        fn shift_left<const BITS: i32>(a) = vshlq_u64(a, vdupq_n_s64(i64::from(BITS)));
        fn shift_right<const BITS: i32>(a) = vshlq_u64(a, vdupq_n_s64(-i64::from(BITS)));
        fn shift_in(a, lower) = vsliq_n_u64::<1>(vshrq_n_u64::<63>(lower), a);
        fn add_words(a, b) = vaddq_u64(a, b);
        fn slide_words(a, previous) = vextq_u64::<1>(previous, a);
        fn any(a) -> bool = vmaxvq_u32(vreinterpretq_u32_u64(a)) != 0;
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }
    #[inline(always)]
    fn ones() -> Self {
        Self::splat(!0)
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: NEON is present; the slice above has the `WORDS` words that are loaded, at any address.
        unsafe { Neon(vld1q_u64(words.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: NEON is present; the slice above has the `WORDS` words that are stored, at any address.
        unsafe { vst1q_u64(words.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }
    #[inline(always)]
    fn into_shorts(self) -> Self::Shorts {
        let mut words = [0; 2];
        self.store(&mut words);
        PlainLanes::of_words(words)
    }
    #[inline(always)]
    fn from_shorts(shorts: Self::Shorts) -> Self {
        Self::load(&shorts.words())
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let (halves, _) = table.codes.as_chunks::<64>();
        let (low, high) = (load_64(&halves[0]), load_64(&halves[1]));
        let mut codes = load_64(block);
        for codes in &mut codes {
            // An index past the 64 bytes of a table yields 0.
            let upper = codes.minus(Bytes::splat(64)).in_64(high);
            *codes = codes.in_64(low).or(upper);
        }
        let mut planes = [0; P];
        for (plane, bits) in planes.iter_mut().enumerate() {
            let bit = Bytes::splat(1 << plane);
            let mut set = codes;
            for set in &mut set {
                *set = set.test(bit);
            }
            *bits = mask(set);
        }
        planes
    }
    #[inline(always)]
    fn bit_planes<const P: usize>(block: &[u8; 64], bits: &[u8; P]) -> [u64; P] {
        let bytes = load_64(block);
        let mut planes = [0; P];
        for (plane, bit) in planes.iter_mut().zip(bits) {
            let bit = Bytes::splat(1 << bit);
            let mut set = bytes;
            for set in &mut set {
                *set = set.test(bit);
            }
            *plane = mask(set);
        }
        planes
    }
    #[inline(always)]
    fn equal_to(block: &[u8; 64], byte: u8) -> u64 {
        let byte = Bytes::splat(byte);
        let [a, b, c, d] = load_64(block);
        mask([a.equal(byte), b.equal(byte), c.equal(byte), d.equal(byte)])
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        let blank = Bytes::splat(0x20);
        let [a, b, c, d] = load_64(block);
        mask([a.greater(blank), b.greater(blank), c.greater(blank), d.greater(blank)])
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        let ascii = Bytes::splat(0x7f);
        let [a, b, c, d] = load_64(block);
        mask([a.greater(ascii), b.greater(ascii), c.greater(ascii), d.greater(ascii)])
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        let mut groups = [Bytes::splat(!0); 4];
        for at in 0..TEDDY_BYTES {
            let (low, high) = (Bytes::load(&nibbles.low[at]), Bytes::load(&nibbles.high[at]));
            let bytes = load_64(text[at..].first_chunk().expect("the text has three more bytes"));
            for (groups, bytes) in groups.iter_mut().zip(bytes) {
                let low = bytes.and(Bytes::splat(15)).in_16(low);
                let high = bytes.high_nibbles().in_16(high);
                *groups = groups.and(low.and(high));
            }
        }
        for groups in &mut groups {
            *groups = groups.test(*groups);
        }
        mask(groups)
    }
}
