//! Vectors of AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::vector::{ByteTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 512 bits.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

/// Truth tables of three-input logic: the result for the inputs (a, b, c) is bit 4a + 2b + c.
mod truth {
    pub(crate) const OR3: i32 = 0b1111_1110;
    pub(crate) const OR_NOR: i32 = 0b1111_0001;
    pub(crate) const AND3: i32 = 0b1000_0000;
}

// Operations on this type run only inside `run_avx512`, which `Isa::run` calls after detection of AVX-512 F, BW and
// VBMI and of BMI2: this is why "AVX-512 is present" in the SAFETY comments of this file. All loads and stores allow
// unaligned addresses.
impl Simd for Avx512 {
    const WORDS: usize = 8;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_setzero_si512()) }
    }
    #[inline(always)]
    fn ones() -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_set1_epi64(-1)) }
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_set1_epi64(bits as i64)) }
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: AVX-512 is present; the slice above has the `WORDS` words that are loaded.
        unsafe { Avx512(_mm512_loadu_si512(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: AVX-512 is present; the slice above has the `WORDS` words that are stored.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_and_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_andnot_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_or_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_xor_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_ternarylogic_epi64::<{ truth::OR3 }>(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_ternarylogic_epi64::<{ truth::OR_NOR }>(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn minterm<const CODE: i32>(a: Self, b: Self, c: Self) -> Self {
        // The immediate has one bit per combination of inputs, the first input being the highest bit of its number.
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe {
            match CODE {
                0 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 0 }>(c.0, b.0, a.0)),
                1 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 1 }>(c.0, b.0, a.0)),
                2 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 2 }>(c.0, b.0, a.0)),
                3 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 3 }>(c.0, b.0, a.0)),
                4 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 4 }>(c.0, b.0, a.0)),
                5 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 5 }>(c.0, b.0, a.0)),
                6 => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 6 }>(c.0, b.0, a.0)),
                _ => Avx512(_mm512_ternarylogic_epi64::<{ 1 << 7 }>(c.0, b.0, a.0)),
            }
        }
    }
    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { Avx512(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: AVX-512 is present; no memory is accessed.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        // SAFETY: AVX-512 is present; the loads read the 64 bytes of `block` and the two halves of the table.
        unsafe {
            let bytes = _mm512_loadu_si512(block.as_ptr().cast());
            let low = _mm512_loadu_si512(table.codes.as_ptr().cast());
            let high = _mm512_loadu_si512(table.codes[64..].as_ptr().cast());
            let ascii = !_mm512_movepi8_mask(bytes);
            let codes = _mm512_maskz_permutex2var_epi8(ascii, low, bytes, high);
            let mut planes = [0; P];
            for (plane, bits) in planes.iter_mut().enumerate() {
                *bits = _mm512_test_epi8_mask(codes, _mm512_set1_epi8(1 << plane));
            }
            planes
        }
    }
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // SAFETY: AVX-512 is present; `run_avx512` also enables BMI2; no memory is accessed.
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        // SAFETY: AVX-512 is present; the load reads the 64 bytes of `block`.
        unsafe {
            let bytes = _mm512_loadu_si512(block.as_ptr().cast());
            _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(0x20))
        }
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        // SAFETY: AVX-512 is present; the load reads the 64 bytes of `block`.
        unsafe { _mm512_movepi8_mask(_mm512_loadu_si512(block.as_ptr().cast())) }
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        // SAFETY: AVX-512 is present; the loads read the 64 bytes of the slice of `text` and 16 bytes of each table.
        unsafe {
            let nibble = _mm512_set1_epi8(0x0f);
            let mut groups = _mm512_set1_epi8(-1);
            for at in 0..TEDDY_BYTES {
                let bytes = _mm512_loadu_si512(text[at..at + 64].as_ptr().cast());
                let low = _mm512_broadcast_i32x4(_mm_loadu_si128(nibbles.low[at].as_ptr().cast()));
                let high = _mm512_broadcast_i32x4(_mm_loadu_si128(nibbles.high[at].as_ptr().cast()));
                let low = _mm512_shuffle_epi8(low, _mm512_and_si512(bytes, nibble));
                let high = _mm512_shuffle_epi8(high, _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble));
                groups = _mm512_ternarylogic_epi64::<{ truth::AND3 }>(groups, low, high);
            }
            _mm512_test_epi8_mask(groups, groups)
        }
    }
}
