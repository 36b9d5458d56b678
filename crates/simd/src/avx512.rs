//! Vectors of AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_lanes::{Avx512Bytes, Avx512Ints, Avx512Shorts};
use super::isa::register_ops;
use super::vector::{ByteTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 512 bits. All operations need AVX-512 F, BW, VBMI and VBMI2, and BMI2; `super` explains why the processor has them.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

/// Truth tables of three-input logic: the result for the inputs (a, b, c) is bit 4a + 2b + c.
mod truth {
    pub(crate) const OR3: i32 = 0b1111_1110;
    pub(crate) const OR_NOR: i32 = 0b1111_0001;
    pub(crate) const AND3: i32 = 0b1000_0000;
}

impl Avx512 {
    register_ops! { ["avx512f,avx512bw,avx512vbmi,avx512vbmi2", __m512i]
        /// Repeats a byte.
        fn splat_byte(byte: u8) = _mm512_set1_epi8(byte as i8);
        /// Looks up the low nibble of each byte in the 16 bytes of the same quarter of `table`; 0 for bytes from 0x80 on.
        fn nibbles_in(a, table) = _mm512_shuffle_epi8(table, a);
        /// Returns the high nibble of each byte.
        fn high_nibbles(a) = _mm512_and_si512(_mm512_srli_epi16::<4>(a), _mm512_set1_epi8(0x0f));
        /// Returns a mask of the bytes that have a bit in common with the same byte of `other`.
        fn test_bytes(a, other) -> u64 = _mm512_test_epi8_mask(a, other);
        /// Returns a mask of the bytes that equal the same byte of `other`.
        fn equal_bytes(a, other) -> u64 = _mm512_cmpeq_epi8_mask(a, other);
        /// Returns a mask of the bytes that are greater than the same byte of `other`, unsigned.
        fn greater_bytes(a, other) -> u64 = _mm512_cmpgt_epu8_mask(a, other);
        /// Returns the highest bit of each byte.
        fn high_bits(a) -> u64 = _mm512_movepi8_mask(a);
    }

    /// A logic operation on three inputs: bit 4a + 2b + c of the table is the result for bits a, b and c.
    #[inline(always)]
    fn logic<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0)) }
    }
    /// Loads 64 bytes.
    #[inline(always)]
    fn load_bytes(bytes: &[u8; 64]) -> Self {
        // SAFETY: AVX-512 is present; the load reads the 64 bytes of `bytes`, and allows any address.
        unsafe { Avx512(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }
    /// Loads the first 64 bytes; 0 for bytes past the end.
    #[inline(always)]
    fn load_prefix(bytes: &[u8]) -> Self {
        let present = !(!0u64).checked_shl(bytes.len() as u32).unwrap_or(0);
        // SAFETY: AVX-512 is present; the load reads only the bytes whose bit in `present` is set, which are in
        // `bytes`, and allows any address.
        unsafe { Avx512(_mm512_maskz_loadu_epi8(present, bytes.as_ptr().cast())) }
    }
    /// Loads 16 bytes into all quarters.
    #[inline(always)]
    fn load_four_times(bytes: &[u8; 16]) -> Self {
        // SAFETY: AVX-512 is present; the load reads the 16 bytes of `bytes`, and allows any address.
        let once = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_broadcast_i32x4(once)) }
    }
    /// Looks up the low seven bits of each byte in the 128 bytes of `low` and `high`; 0 for bytes whose bit in `keep`
    /// is 0.
    #[inline(always)]
    fn lookup(self, keep: u64, low: Self, high: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_maskz_permutex2var_epi8(keep, low.0, self.0, high.0)) }
    }
}

impl Simd for Avx512 {
    const WORDS: usize = 8;
    type Bytes = Avx512Bytes;
    type Shorts = Avx512Shorts;
    type Ints = Avx512Ints;

    register_ops! { ["avx512f,avx512bw,avx512vbmi,avx512vbmi2", __m512i]
        fn zero() = _mm512_setzero_si512();
        fn ones() = _mm512_set1_epi64(-1);
        fn splat(bits: u64) = _mm512_set1_epi64(bits as i64);
        fn and(a, b) = _mm512_and_si512(a, b);
        fn and_not(a, b) = _mm512_andnot_si512(a, b);
        fn or(a, b) = _mm512_or_si512(a, b);
        fn xor(a, b) = _mm512_xor_si512(a, b);
        fn or3(a, b, c) = _mm512_ternarylogic_epi64::<{ truth::OR3 }>(a, b, c);
        fn or_nor(a, b, c) = _mm512_ternarylogic_epi64::<{ truth::OR_NOR }>(a, b, c);
        fn shift_left<const BITS: i32>(a) = _mm512_sll_epi64(a, _mm_cvtsi32_si128(BITS));
        fn shift_right<const BITS: i32>(a) = _mm512_srl_epi64(a, _mm_cvtsi32_si128(BITS));
        fn shift_in(a, lower) = _mm512_shldi_epi64::<1>(a, lower);
        fn add_words(a, b) = _mm512_add_epi64(a, b);
        fn slide_words(a, previous) = _mm512_alignr_epi64::<7>(a, previous);
        fn any(a) -> bool = _mm512_test_epi64_mask(a, a) != 0;
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: AVX-512 is present; the slice above has the `WORDS` words that are loaded, at any address.
        unsafe { Avx512(_mm512_loadu_si512(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: AVX-512 is present; the slice above has the `WORDS` words that are stored, at any address.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn minterm<const CODE: i32>(a: Self, b: Self, c: Self) -> Self {
        // The table has a single 1, for the inputs (c, b, a) whose bits make up `CODE`.
        match CODE {
            0 => Self::logic::<{ 1 << 0 }>(c, b, a),
            1 => Self::logic::<{ 1 << 1 }>(c, b, a),
            2 => Self::logic::<{ 1 << 2 }>(c, b, a),
            3 => Self::logic::<{ 1 << 3 }>(c, b, a),
            4 => Self::logic::<{ 1 << 4 }>(c, b, a),
            5 => Self::logic::<{ 1 << 5 }>(c, b, a),
            6 => Self::logic::<{ 1 << 6 }>(c, b, a),
            _ => Self::logic::<{ 1 << 7 }>(c, b, a),
        }
    }
    #[inline(always)]
    fn into_shorts(self) -> Avx512Shorts {
        Avx512Shorts(self.0)
    }
    #[inline(always)]
    fn from_shorts(shorts: Avx512Shorts) -> Self {
        Avx512(shorts.0)
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let bytes = Self::load_bytes(block);
        let (halves, _) = table.codes.as_chunks::<64>();
        let (low, high) = (Self::load_bytes(&halves[0]), Self::load_bytes(&halves[1]));
        let codes = bytes.lookup(!bytes.high_bits(), low, high);
        let mut planes = [0; P];
        for (plane, bits) in planes.iter_mut().enumerate() {
            *bits = codes.test_bytes(Self::splat_byte(1 << plane));
        }
        planes
    }
    #[inline(always)]
    fn bit_planes<const P: usize>(block: &[u8; 64], bits: &[u8; P]) -> [u64; P] {
        let bytes = Self::load_bytes(block);
        let mut planes = [0; P];
        for (plane, bit) in planes.iter_mut().zip(bits) {
            *plane = bytes.test_bytes(Self::splat_byte(1 << bit));
        }
        planes
    }
    #[inline(always)]
    fn bit_planes_of_prefix<const P: usize>(bytes: &[u8], length: usize, bits: &[u8; P]) -> [u64; P] {
        let bytes = Self::load_prefix(&bytes[..length]);
        let mut planes = [0; P];
        for (plane, bit) in planes.iter_mut().zip(bits) {
            *plane = bytes.test_bytes(Self::splat_byte(1 << bit));
        }
        planes
    }
    #[inline(always)]
    fn equal_to(block: &[u8; 64], byte: u8) -> u64 {
        Self::load_bytes(block).equal_bytes(Self::splat_byte(byte))
    }
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // SAFETY: BMI2 is present; no memory is accessed.
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        Self::load_bytes(block).greater_bytes(Self::splat_byte(0x20))
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        Self::load_bytes(block).high_bits()
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        let mut groups = Self::ones();
        for at in 0..TEDDY_BYTES {
            let bytes = text[at..].first_chunk().expect("the text has three more bytes");
            let bytes = Self::load_bytes(bytes);
            let low = bytes.and(Self::splat_byte(0x0f)).nibbles_in(Self::load_four_times(&nibbles.low[at]));
            let high = bytes.high_nibbles().nibbles_in(Self::load_four_times(&nibbles.high[at]));
            groups = Self::logic::<{ truth::AND3 }>(groups, low, high);
        }
        groups.test_bytes(groups)
    }
}
