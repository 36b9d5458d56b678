//! Vectors of AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::vector::{ByteTable, NibbleTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 256 bits.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i);

// Operations on this type run only inside `run_avx2`, which `Isa::run` calls after detection of AVX2 and BMI2: this is
// why "AVX2 is present" in the SAFETY comments of this file. All loads and stores allow unaligned addresses.
impl Simd for Avx2 {
    const WORDS: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_setzero_si256()) }
    }
    #[inline(always)]
    fn ones() -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_set1_epi64x(-1)) }
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_set1_epi64x(bits as i64)) }
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: AVX2 is present; the slice above has the `WORDS` words that are loaded.
        unsafe { Avx2(_mm256_loadu_si256(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: AVX2 is present; the slice above has the `WORDS` words that are stored.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_and_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_andnot_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_or_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_xor_si256(self.0, other.0)) }
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
    fn shift_left<const BITS: i32>(self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { Avx2(_mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: AVX2 is present; no memory is accessed.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        for half in 0..2 {
            // SAFETY: AVX2 is present; each half loads 32 of the 64 bytes of `block`.
            unsafe {
                let bytes = _mm256_loadu_si256(block[32 * half..].as_ptr().cast());
                let codes = match &table.by_nibble {
                    Some(by_nibble) => codes_by_nibble(bytes, by_nibble),
                    None => codes_by_row(bytes, table),
                };
                for (plane, bits) in planes.iter_mut().enumerate() {
                    let highest = _mm256_sll_epi16(codes, _mm_cvtsi32_si128(7 - plane as i32));
                    *bits |= u64::from(_mm256_movemask_epi8(highest) as u32) << (32 * half);
                }
            }
        }
        planes
    }
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // SAFETY: AVX2 is present; `run_avx2` also enables BMI2; no memory is accessed.
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        let mut mask = 0;
        for half in 0..2 {
            // SAFETY: AVX2 is present; each half loads 32 of the 64 bytes of `block`.
            unsafe {
                let bytes = _mm256_loadu_si256(block[32 * half..].as_ptr().cast());
                let at_least = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8(0x21)), bytes);
                mask |= u64::from(_mm256_movemask_epi8(at_least) as u32) << (32 * half);
            }
        }
        mask
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        let mut mask = 0;
        for half in 0..2 {
            // SAFETY: AVX2 is present; each half loads 32 of the 64 bytes of `block`.
            unsafe {
                let bytes = _mm256_loadu_si256(block[32 * half..].as_ptr().cast());
                mask |= u64::from(_mm256_movemask_epi8(bytes) as u32) << (32 * half);
            }
        }
        mask
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        let mut mask = 0;
        for half in 0..2 {
            // SAFETY: AVX2 is present; the slice of `text` has the 32 bytes that are loaded.
            unsafe {
                let nibble = _mm256_set1_epi8(0x0f);
                let mut groups = _mm256_set1_epi8(-1);
                for at in 0..TEDDY_BYTES {
                    let bytes = _mm256_loadu_si256(text[32 * half + at..32 * half + at + 32].as_ptr().cast());
                    let low = _mm256_shuffle_epi8(twice(&nibbles.low[at]), _mm256_and_si256(bytes, nibble));
                    let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
                    let high = _mm256_shuffle_epi8(twice(&nibbles.high[at]), upper);
                    groups = _mm256_and_si256(groups, _mm256_and_si256(low, high));
                }
                let none = _mm256_cmpeq_epi8(groups, _mm256_setzero_si256());
                mask |= u64::from(!_mm256_movemask_epi8(none) as u32) << (32 * half);
            }
        }
        mask
    }
}

/// Repeats 16 bytes in both halves of a vector.
#[inline(always)]
fn twice(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: AVX2 is present; only methods of `Avx2` call this. The load reads the 16 bytes of `bytes`.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) }
}

/// Looks up the codes of 32 bytes by their low nibble.
#[inline(always)]
fn codes_by_nibble(bytes: __m256i, table: &NibbleTable) -> __m256i {
    // SAFETY: AVX2 is present; only `Avx2::bytes_to_planes` calls this; no memory is accessed.
    unsafe {
        let nibbles = _mm256_and_si256(bytes, _mm256_set1_epi8(0x0f));
        let counting = _mm256_and_si256(bytes, _mm256_set1_epi8(table.compared as i8));
        let is_byte = _mm256_cmpeq_epi8(counting, _mm256_shuffle_epi8(twice(&table.bytes), nibbles));
        _mm256_and_si256(_mm256_shuffle_epi8(twice(&table.codes), nibbles), is_byte)
    }
}

/// Looks up the codes of 32 bytes row by row, each of 16 bytes.
#[inline(always)]
fn codes_by_row(bytes: __m256i, table: &ByteTable) -> __m256i {
    // SAFETY: AVX2 is present; only `Avx2::bytes_to_planes` calls this; no memory is accessed.
    unsafe {
        let nibble = _mm256_set1_epi8(0x0f);
        let row = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        let mut codes = _mm256_setzero_si256();
        for (index, entries) in table.codes.as_chunks::<16>().0.iter().enumerate().filter(|&(row, _)| table.rows[row]) {
            // A byte of at least 0x80 is in row 8 or above, and keeps code 0.
            let found = _mm256_shuffle_epi8(twice(entries), _mm256_and_si256(bytes, nibble));
            let here = _mm256_cmpeq_epi8(row, _mm256_set1_epi8(index as i8));
            codes = _mm256_or_si256(codes, _mm256_and_si256(found, here));
        }
        codes
    }
}
