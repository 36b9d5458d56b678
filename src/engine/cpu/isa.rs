//! The instruction sets: lanes in the registers each has, and the choice among them at run time.
//!
//! This file has `unsafe` code, because an intrinsic may only run on a processor that has its instruction. The only way
//! to run a task in lanes is [`Isa::run`], and the only way to an [`Isa`] is a check that the processor has it.
//!
//! Code that is generic over lanes has no closures around their operations: a closure that is not inlined is compiled
//! without the instructions, and was seen to cost half of the speed.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::lanes::{ByteTable, Lanes, Task};
use crate::engine::EngineError;

/// An instruction set that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Isa {
    /// All that this processor has, the fastest first.
    pub fn all() -> Vec<Isa> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi");
            let has_256 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            if has_512 && has_256 {
                all.push(Isa(Kind::Avx512));
            }
            if has_256 {
                all.push(Isa(Kind::Avx2));
            }
        }
        all.push(Isa(Kind::Portable));
        all
    }

    /// The one that the environment variable NIGH_ISA names, or else the fastest.
    ///
    /// # Errors
    /// When this processor does not have the one that is named.
    pub(super) fn chosen() -> Result<Isa, EngineError> {
        let all = Isa::all();
        let Some(wanted) = std::env::var_os("NIGH_ISA").filter(|name| !name.is_empty()) else { return Ok(all[0]) };
        let named = all.iter().find(|isa| wanted == isa.name());
        named.copied().ok_or_else(|| EngineError::NoIsa {
            wanted: wanted.to_string_lossy().into_owned(),
            present: all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Its name: `avx512`, `avx2` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            Kind::Portable => "portable",
        }
    }

    /// How many streams its lanes have.
    pub(super) fn streams(self) -> usize {
        64 * match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Avx512::WORDS,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Avx2::WORDS,
            Kind::Portable => Portable::WORDS,
        }
    }

    /// Does a task in the lanes of this instruction set.
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            // SAFETY: an `Isa` of this kind is only made by `all`, which saw that the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { run_avx512(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { run_avx2(task) },
            Kind::Portable => task.run::<Portable>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx2,bmi1,bmi2,popcnt")]
fn run_avx512<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

/// 512 streams.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx512(__m512i);

/// Three-input logic as the instruction wants it: the result for the inputs (a, b, c) is bit 4a + 2b + c.
#[cfg(target_arch = "x86_64")]
mod truth {
    pub(super) const OR3: i32 = 0b1111_1110;
    pub(super) const OR_NOR: i32 = 0b1111_0001;
}

// SAFETY of all blocks: lanes of this type exist only inside `run_avx512`, which needs a processor with AVX-512 F, BW and
// VBMI and with BMI2. Loads and stores are of arrays and slices whose length is known or checked.
#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512 {
    const WORDS: usize = 8;

    #[inline(always)]
    fn zero() -> Self {
        unsafe { Avx512(_mm512_setzero_si512()) }
    }
    #[inline(always)]
    fn ones() -> Self {
        unsafe { Avx512(_mm512_set1_epi64(-1)) }
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        unsafe { Avx512(_mm512_set1_epi64(bits as i64)) }
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        unsafe { Avx512(_mm512_loadu_si512(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { Avx512(_mm512_and_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        unsafe { Avx512(_mm512_andnot_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { Avx512(_mm512_or_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        unsafe { Avx512(_mm512_xor_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        unsafe { Avx512(_mm512_ternarylogic_epi64::<{ truth::OR3 }>(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        unsafe { Avx512(_mm512_ternarylogic_epi64::<{ truth::OR_NOR }>(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        unsafe { Avx512(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        unsafe { Avx512(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        unsafe { _mm512_test_epi64_mask(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn look_up<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
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
    fn squeeze(bits: u64, keep: u64) -> u64 {
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        unsafe {
            let bytes = _mm512_loadu_si512(block.as_ptr().cast());
            _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(0x20))
        }
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        unsafe { _mm512_movepi8_mask(_mm512_loadu_si512(block.as_ptr().cast())) }
    }
}

/// 256 streams.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2(__m256i);

// SAFETY of all blocks: lanes of this type exist only inside `run_avx2`, which needs a processor with AVX2 and BMI2. Loads
// and stores are of arrays and slices whose length is known or checked.
#[cfg(target_arch = "x86_64")]
impl Lanes for Avx2 {
    const WORDS: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        unsafe { Avx2(_mm256_setzero_si256()) }
    }
    #[inline(always)]
    fn ones() -> Self {
        unsafe { Avx2(_mm256_set1_epi64x(-1)) }
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        unsafe { Avx2(_mm256_set1_epi64x(bits as i64)) }
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..Self::WORDS];
        unsafe { Avx2(_mm256_loadu_si256(words.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..Self::WORDS];
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_and_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_andnot_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_or_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
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
        unsafe { Avx2(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        unsafe { Avx2(_mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn look_up<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        for half in 0..2 {
            unsafe {
                let bytes = _mm256_loadu_si256(block[32 * half..].as_ptr().cast());
                let nibble = _mm256_set1_epi8(0x0f);
                let row = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
                let mut codes = _mm256_setzero_si256();
                for index in 0..8 {
                    if !table.rows[index] {
                        continue;
                    }
                    // A byte from 0x80 on has a row from 8 on, and code 0.
                    let entries = _mm_loadu_si128(table.codes[16 * index..16 * index + 16].as_ptr().cast());
                    let found =
                        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), _mm256_and_si256(bytes, nibble));
                    let here = _mm256_cmpeq_epi8(row, _mm256_set1_epi8(index as i8));
                    codes = _mm256_or_si256(codes, _mm256_and_si256(found, here));
                }
                for (plane, bits) in planes.iter_mut().enumerate() {
                    let highest = _mm256_sll_epi16(codes, _mm_cvtsi32_si128(7 - plane as i32));
                    *bits |= u64::from(_mm256_movemask_epi8(highest) as u32) << (32 * half);
                }
            }
        }
        planes
    }
    #[inline(always)]
    fn squeeze(bits: u64, keep: u64) -> u64 {
        unsafe { _pext_u64(bits, keep) }
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        let mut mask = 0;
        for half in 0..2 {
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
            unsafe {
                let bytes = _mm256_loadu_si256(block[32 * half..].as_ptr().cast());
                mask |= u64::from(_mm256_movemask_epi8(bytes) as u32) << (32 * half);
            }
        }
        mask
    }
}

/// 128 streams, in whatever the compiler makes of it.
#[derive(Clone, Copy)]
struct Portable([u64; 2]);

impl Portable {
    #[inline(always)]
    fn map(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Portable(std::array::from_fn(|word| operation(self.0[word], other.0[word])))
    }
}

impl Lanes for Portable {
    const WORDS: usize = 2;

    #[inline(always)]
    fn zero() -> Self {
        Portable([0; 2])
    }
    #[inline(always)]
    fn ones() -> Self {
        Portable([!0; 2])
    }
    #[inline(always)]
    fn splat(bits: u64) -> Self {
        Portable([bits; 2])
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Portable([words[0], words[1]])
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[..2].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.map(other, |a, b| a & b)
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.map(other, |a, b| !a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.map(other, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.map(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }
    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        self.or(b.map(c, |b, c| !(b | c)))
    }
    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        self.map(self, |a, _| a << BITS)
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        self.map(self, |a, _| a >> BITS)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0[0] | self.0[1] != 0
    }

    #[inline(always)]
    fn look_up<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P] {
        let mut planes = [0; P];
        for (eighth, bytes) in block.chunks_exact(8).enumerate() {
            // Bit i of byte p is the code's bit p of byte i.
            let spread = bytes.iter().enumerate();
            let bits = spread.fold(0, |bits, (at, &byte)| bits | table.spread[usize::from(byte)] << at);
            for (plane, word) in planes.iter_mut().enumerate() {
                *word |= (bits >> (8 * plane) & 0xff) << (8 * eighth);
            }
        }
        planes
    }
    #[inline(always)]
    fn squeeze(bits: u64, keep: u64) -> u64 {
        // Few bits are left out: close one gap after the other, the highest first.
        let (mut squeezed, mut gaps) = (bits, !keep);
        while gaps != 0 {
            let gap = 63 - gaps.leading_zeros();
            let below = (1 << gap) - 1;
            squeezed = squeezed & below | squeezed >> 1 & !below;
            gaps &= !(1 << gap);
        }
        squeezed
    }
    #[inline(always)]
    fn above_blank(block: &[u8; 64]) -> u64 {
        // Above 0x20 is what carries into the highest bit, or has it.
        gather_high_bits(block, |word| ((word & SEVEN_BITS) + 0x5f5f_5f5f_5f5f_5f5f) | word)
    }
    #[inline(always)]
    fn not_ascii(block: &[u8; 64]) -> u64 {
        gather_high_bits(block, |word| word)
    }
}

const SEVEN_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The highest bit of each byte, after eight bytes at a time were changed.
#[inline(always)]
fn gather_high_bits(block: &[u8; 64], change: impl Fn(u64) -> u64) -> u64 {
    block.as_chunks::<8>().0.iter().enumerate().fold(0, |mask, (eighth, bytes)| {
        let high = change(u64::from_le_bytes(*bytes)) & !SEVEN_BITS;
        mask | (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * eighth)
    })
}
