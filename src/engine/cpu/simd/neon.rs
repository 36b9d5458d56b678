//! Vectors of NEON.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::vector::{ByteTable, Simd, TEDDY_BYTES, TeddyMasks};

/// 128 bits.
#[derive(Clone, Copy)]
pub(crate) struct Neon(uint64x2_t);

// Operations on this type run only inside `run_neon`, which `Isa::run` calls after detection of NEON: this is why
// "NEON is present" in the SAFETY comments of this file. All loads and stores allow unaligned addresses.
impl Simd for Neon {
    const WORDS: usize = 2;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }
    #[inline(always)]
    fn ones() -> Self {
        Self::splat(!0)
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vdupq_n_u64(bits)) }
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        // SAFETY: NEON is present; the slice above has the `WORDS` words that are loaded.
        unsafe { Neon(vld1q_u64(words.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        // SAFETY: NEON is present; the slice above has the `WORDS` words that are stored.
        unsafe { vst1q_u64(words.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vandq_u64(self.0, other.0)) }
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vbicq_u64(other.0, self.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vorrq_u64(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(veorq_u64(self.0, other.0)) }
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }
    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vornq_u64(self.0, b.or(c).0)) }
    }
    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vshlq_u64(self.0, vdupq_n_s64(i64::from(BITS)))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { Neon(vshlq_u64(self.0, vdupq_n_s64(-i64::from(BITS)))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: NEON is present; no memory is accessed.
        unsafe { vmaxvq_u32(vreinterpretq_u32_u64(self.0)) != 0 }
    }

    #[inline(always)]
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        // SAFETY: NEON is present; the loads read the 64 bytes of `block` and the two halves of the table.
        unsafe {
            let low = vld1q_u8_x4(table.codes.as_ptr());
            let high = vld1q_u8_x4(table.codes[64..].as_ptr());
            let bytes = vld1q_u8_x4(block.as_ptr());
            let bytes = [bytes.0, bytes.1, bytes.2, bytes.3];
            let mut codes = bytes;
            for (codes, bytes) in codes.iter_mut().zip(bytes) {
                // An index past the table of 64 bytes yields 0.
                let upper = vqtbl4q_u8(high, vsubq_u8(bytes, vdupq_n_u8(64)));
                *codes = vorrq_u8(vqtbl4q_u8(low, bytes), upper);
            }
            for (plane, bits) in planes.iter_mut().enumerate() {
                let bit = vdupq_n_u8(1 << plane);
                let mut set = codes;
                for set in &mut set {
                    *set = vtstq_u8(*set, bit);
                }
                *bits = mask(set);
            }
        }
        planes
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        // SAFETY: NEON is present; the load reads the 64 bytes of `block`.
        unsafe {
            let blank = vdupq_n_u8(0x20);
            let bytes = vld1q_u8_x4(block.as_ptr());
            let above = [bytes.0, bytes.1, bytes.2, bytes.3];
            mask([
                vcgtq_u8(above[0], blank),
                vcgtq_u8(above[1], blank),
                vcgtq_u8(above[2], blank),
                vcgtq_u8(above[3], blank),
            ])
        }
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        // SAFETY: NEON is present; the load reads the 64 bytes of `block`.
        unsafe {
            let ascii = vdupq_n_u8(0x7f);
            let bytes = vld1q_u8_x4(block.as_ptr());
            mask([
                vcgtq_u8(bytes.0, ascii),
                vcgtq_u8(bytes.1, ascii),
                vcgtq_u8(bytes.2, ascii),
                vcgtq_u8(bytes.3, ascii),
            ])
        }
    }
    #[inline(always)]
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64 {
        // SAFETY: NEON is present; the loads read 16 bytes of each table and the 64 bytes of the slice of `text`.
        unsafe {
            let mut groups = [vdupq_n_u8(!0); 4];
            for at in 0..TEDDY_BYTES {
                let low = vld1q_u8(nibbles.low[at].as_ptr());
                let high = vld1q_u8(nibbles.high[at].as_ptr());
                let bytes = vld1q_u8_x4(text[at..at + 64].as_ptr());
                for (groups, bytes) in groups.iter_mut().zip([bytes.0, bytes.1, bytes.2, bytes.3]) {
                    let low = vqtbl1q_u8(low, vandq_u8(bytes, vdupq_n_u8(15)));
                    let high = vqtbl1q_u8(high, vshrq_n_u8::<4>(bytes));
                    *groups = vandq_u8(*groups, vandq_u8(low, high));
                }
            }
            for groups in &mut groups {
                *groups = vtstq_u8(*groups, *groups);
            }
            mask(groups)
        }
    }
}

/// Gathers one bit from each of 64 bytes. Each byte must be 0x00 or 0xff.
#[inline(always)]
fn mask(bytes: [uint8x16_t; 4]) -> u64 {
    // SAFETY: NEON is present; only methods of `Neon` call this; no memory is accessed.
    unsafe {
        let weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let [a, b, c, d] = bytes;
        let first = vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights));
        let second = vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights));
        let sums = vpaddq_u8(first, second);
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
    }
}
