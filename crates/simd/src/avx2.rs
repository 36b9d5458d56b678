//! Vectors of AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2_lanes::{Avx2Bytes, Avx2Ints, Avx2Shorts};
use super::isa::register_ops;
use super::vector::{ByteTable, NibbleTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 256 bits. All operations need AVX2 and BMI2; `super` explains why the processor has them.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// Operations on bytes.
impl Avx2 {
    register_ops! { ["avx2,bmi2", __m256i]
        /// Repeats a byte.
        fn splat_byte(byte: u8) = _mm256_set1_epi8(byte as i8);
        /// Looks up the low nibble of each byte in the 16 bytes of the same half of `table`; 0 for bytes from 0x80 on.
        fn nibbles_in(a, table) = _mm256_shuffle_epi8(table, a);
        /// Returns the high nibble of each byte.
        fn high_nibbles(a) = _mm256_and_si256(_mm256_srli_epi16::<4>(a), _mm256_set1_epi8(0x0f));
        /// Returns 0xff for each byte that equals the same byte of `other`, and 0 for all others.
        fn equal_bytes(a, other) = _mm256_cmpeq_epi8(a, other);
        /// Returns the larger of each byte and the same byte of `other`, unsigned.
        fn max_bytes(a, other) = _mm256_max_epu8(a, other);
        /// Returns the highest bit of each byte.
        fn high_bits(a) -> u32 = _mm256_movemask_epi8(a) as u32;
    }

    /// Loads 32 bytes.
    #[inline(always)]
    fn load_bytes(bytes: &[u8; 32]) -> Self {
        // SAFETY: AVX2 is present; the load reads the 32 bytes of `bytes`, and allows any address.
        unsafe { Avx2(_mm256_loadu_si256(bytes.as_ptr().cast())) }
    }
    /// Loads 16 bytes into both halves.
    #[inline(always)]
    fn load_twice(bytes: &[u8; 16]) -> Self {
        // SAFETY: AVX2 is present; the load reads the 16 bytes of `bytes`, and allows any address.
        let once = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_broadcastsi128_si256(once)) }
    }
    /// Returns bit `bit` of each byte.
    #[inline(always)]
    fn bits(self, bit: usize) -> u32 {
        // SAFETY: AVX2 is present; no memory is accessed.
        let count = unsafe { _mm_cvtsi32_si128(7 - bit as i32) };
        // SAFETY: AVX2 is present; no memory is accessed.
        let highest = unsafe { Avx2(_mm256_sll_epi16(self.0, count)) };
        highest.high_bits()
    }

    /// Looks up the codes of 32 bytes in `table`, which the low nibble of a byte indexes.
    #[inline(always)]
    fn codes_by_nibble(self, table: &NibbleTable) -> Self {
        let nibbles = self.and(Self::splat_byte(0x0f));
        let counting = self.and(Self::splat_byte(table.compared));
        let is_byte = counting.equal_bytes(nibbles.nibbles_in(Self::load_twice(&table.bytes)));
        nibbles.nibbles_in(Self::load_twice(&table.codes)).and(is_byte)
    }

    /// Looks up the codes of 32 bytes in one row of 16 entries of `table` after the other.
    #[inline(always)]
    fn codes_by_row(self, table: &ByteTable) -> Self {
        let row = self.high_nibbles();
        let mut codes = Self::zero();
        let rows = table.codes.as_chunks::<16>().0.iter().zip(&table.rows).enumerate();
        for (index, (entries, _)) in rows.filter(|(_, (_, has_codes))| **has_codes) {
            // A byte of at least 0x80 is in row 8 or above, and keeps code 0.
            let found = self.and(Self::splat_byte(0x0f)).nibbles_in(Self::load_twice(entries));
            let here = row.equal_bytes(Self::splat_byte(index as u8));
            codes = codes.or(found.and(here));
        }
        codes
    }
}

/// Returns both halves of 64 bytes.
#[inline(always)]
fn halves(block: &[u8; 64]) -> [Avx2; 2] {
    let (halves, _) = block.as_chunks::<32>();
    [Avx2::load_bytes(&halves[0]), Avx2::load_bytes(&halves[1])]
}

/// Combines a mask for each half of 64 bytes.
#[inline(always)]
fn both([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl Simd for Avx2 {
    const WORDS: usize = 4;
    type Bytes = Avx2Bytes;
    type Shorts = Avx2Shorts;
    type Ints = Avx2Ints;

    register_ops! { ["avx2,bmi2", __m256i]
        fn zero() = _mm256_setzero_si256();
        fn ones() = _mm256_set1_epi64x(-1);
        fn splat(bits: u64) = _mm256_set1_epi64x(bits as i64);
        fn and(a, b) = _mm256_and_si256(a, b);
        fn and_not(a, b) = _mm256_andnot_si256(a, b);
        fn or(a, b) = _mm256_or_si256(a, b);
        fn xor(a, b) = _mm256_xor_si256(a, b);
        fn shift_left<const BITS: i32>(a) = _mm256_sll_epi64(a, _mm_cvtsi32_si128(BITS));
        fn shift_right<const BITS: i32>(a) = _mm256_srl_epi64(a, _mm_cvtsi32_si128(BITS));
        fn add_words(a, b) = _mm256_add_epi64(a, b);
        fn slide_words(a, previous) = _mm256_alignr_epi8::<8>(a, _mm256_permute2x128_si256::<0x21>(previous, a));
        fn any(a) -> bool = _mm256_testz_si256(a, a) == 0;
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: AVX2 is present; the slice above has the `WORDS` words that are loaded, at any address.
        unsafe { Avx2(_mm256_loadu_si256(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: AVX2 is present; the slice above has the `WORDS` words that are stored, at any address.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }
    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        b.or(c).xor(Self::ones()).or(self)
    }
    #[inline(always)]
    fn shift_in(self, lower: Self) -> Self {
        self.add_words(self).or(lower.shift_right::<63>())
    }
    #[inline(always)]
    fn into_shorts(self) -> Avx2Shorts {
        Avx2Shorts(self.0)
    }
    #[inline(always)]
    fn from_shorts(shorts: Avx2Shorts) -> Self {
        Avx2(shorts.0)
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        for (half, bytes) in halves(block).into_iter().enumerate() {
            let codes = match &table.by_nibble {
                Some(by_nibble) => bytes.codes_by_nibble(by_nibble),
                None => bytes.codes_by_row(table),
            };
            for (plane, bits) in planes.iter_mut().enumerate() {
                *bits |= u64::from(codes.bits(plane)) << (32 * half);
            }
        }
        planes
    }
    #[inline(always)]
    fn bit_planes<const P: usize>(block: &[u8; 64], bits: &[u8; P]) -> [u64; P] {
        let [low, high] = halves(block);
        let mut planes = [0; P];
        for (plane, &bit) in planes.iter_mut().zip(bits) {
            *plane = both([low.bits(usize::from(bit)), high.bits(usize::from(bit))]);
        }
        planes
    }
    #[inline(always)]
    fn equal_to(block: &[u8; 64], byte: u8) -> u64 {
        let [low, high] = halves(block);
        let byte = Self::splat_byte(byte);
        both([low.equal_bytes(byte).high_bits(), high.equal_bytes(byte).high_bits()])
    }
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // SAFETY: BMI2 is present; no memory is accessed.
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        let [low, high] = halves(block);
        let least = Self::splat_byte(0x21);
        both([low.max_bytes(least).equal_bytes(low).high_bits(), high.max_bytes(least).equal_bytes(high).high_bits()])
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        let [low, high] = halves(block);
        both([low.high_bits(), high.high_bits()])
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        let mut mask = 0;
        for half in 0..2 {
            let mut groups = Self::ones();
            for at in 0..TEDDY_BYTES {
                let bytes = text[32 * half + at..].first_chunk().expect("the text has three more bytes");
                let bytes = Self::load_bytes(bytes);
                let low = bytes.and(Self::splat_byte(0x0f)).nibbles_in(Self::load_twice(&nibbles.low[at]));
                let high = bytes.high_nibbles().nibbles_in(Self::load_twice(&nibbles.high[at]));
                groups = groups.and(low.and(high));
            }
            let none = groups.equal_bytes(Self::zero());
            mask |= u64::from(!none.high_bits()) << (32 * half);
        }
        mask
    }
}
