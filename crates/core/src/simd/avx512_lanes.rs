//! Vectors of integers of AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::int_lanes::{IntLanes, LOOKUP_ENTRIES, LaneInteger};

/// Moves all bytes of `vector` up by `bytes`, below 64, and fills with those of `fill`.
#[inline(always)]
fn shift_bytes(vector: __m512i, bytes: usize, fill: __m512i) -> __m512i {
    /// Byte i holds the number i, after 64 bytes of 0.
    const POSITIONS: [u8; 128] = {
        let mut positions = [0; 128];
        let mut at = 0;
        while at < 64 {
            positions[64 + at] = at as u8;
            at += 1;
        }
        positions
    };
    let source: &[u8; 64] = POSITIONS[64 - bytes..].first_chunk().expect("fewer than 64 bytes are shifted");
    // SAFETY: AVX-512 is present; the load reads the 64 bytes of `source`, at any address.
    let source = unsafe { _mm512_loadu_si512(source.as_ptr().cast()) };
    // SAFETY: AVX-512 with VBMI is present; no memory is accessed.
    unsafe { _mm512_mask_permutexvar_epi8(fill, !0 << bytes, source, vector) }
}

/// Looks up 64 indices in a table. The upper half of each result is that of the index 0 for bytes that are not given.
#[inline(always)]
fn look_up_64(table: &[i8; LOOKUP_ENTRIES], indices: __m512i) -> __m512i {
    // SAFETY: AVX-512 is present; the load reads the 32 bytes of `table`, at any address.
    let table = unsafe { _mm256_loadu_si256(table.as_ptr().cast()) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    let table = unsafe { _mm512_broadcast_i64x4(table) };
    // SAFETY: AVX-512 with VBMI is present; no memory is accessed.
    unsafe { _mm512_permutexvar_epi8(indices, table) }
}

macro_rules! avx512_lanes {
    ($name:ident, $integer:ty, $count:literal, $splat:ident, $plus:ident, $minus:ident, $clamped:ident, $max:ident,
     $equal:ident, $greater:ident, $blend:ident, $table_lookup:expr) => {
        /// 512 bits of lanes.
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(super) __m512i);

        impl IntLanes for $name {
            type Integer = $integer;
            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(value: i32) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($splat(<$integer>::of(value))) }
            }
            #[inline(always)]
            fn load(integers: &[$integer]) -> Self {
                let integers = &integers[..$count];
                // SAFETY: AVX-512 is present; the slice above has the integers that are loaded, at any address.
                unsafe { $name(_mm512_loadu_si512(integers.as_ptr().cast())) }
            }
            #[inline(always)]
            fn store(self, integers: &mut [$integer]) {
                let integers = &mut integers[..$count];
                // SAFETY: AVX-512 is present; the slice above has the integers that are stored, at any address.
                unsafe { _mm512_storeu_si512(integers.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($plus(self.0, other.0)) }
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($minus(self.0, other.0)) }
            }
            #[inline(always)]
            fn clamped_minus(self, other: Self) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($clamped(self.0, other.0)) }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($max(self.0, other.0)) }
            }
            #[inline(always)]
            fn if_equal(self, other: Self, yes: Self, no: Self) -> Self {
                // SAFETY: AVX-512 is present; no memory is accessed.
                let equal = unsafe { $equal(self.0, other.0) };
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $name($blend(equal, no.0, yes.0)) }
            }
            #[inline(always)]
            fn any_greater(self, other: Self) -> bool {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { $greater(self.0, other.0) != 0 }
            }
            #[inline(always)]
            fn greater_mask(self, other: Self) -> u64 {
                // SAFETY: AVX-512 is present; no memory is accessed.
                unsafe { u64::from($greater(self.0, other.0)) }
            }
            #[inline(always)]
            fn shift_up<const DISTANCE: usize>(self, fill: Self) -> Self {
                $name(shift_bytes(self.0, DISTANCE * size_of::<$integer>(), fill.0))
            }
            #[inline(always)]
            fn table_lookup(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Self {
                $table_lookup(table, indices)
            }
        }
    };
}

avx512_lanes!(
    Avx512Bytes,
    i8,
    64,
    _mm512_set1_epi8,
    _mm512_add_epi8,
    _mm512_sub_epi8,
    _mm512_subs_epi8,
    _mm512_max_epi8,
    _mm512_cmpeq_epi8_mask,
    _mm512_cmpgt_epi8_mask,
    _mm512_mask_blend_epi8,
    look_up_bytes
);
avx512_lanes!(
    Avx512Shorts,
    i16,
    32,
    _mm512_set1_epi16,
    _mm512_add_epi16,
    _mm512_sub_epi16,
    _mm512_subs_epi16,
    _mm512_max_epi16,
    _mm512_cmpeq_epi16_mask,
    _mm512_cmpgt_epi16_mask,
    _mm512_mask_blend_epi16,
    look_up_shorts
);
avx512_lanes!(
    Avx512Ints,
    i32,
    16,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_sub_epi32,
    _mm512_sub_epi32,
    _mm512_max_epi32,
    _mm512_cmpeq_epi32_mask,
    _mm512_cmpgt_epi32_mask,
    _mm512_mask_blend_epi32,
    look_up_ints
);

#[inline(always)]
fn look_up_bytes(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx512Bytes {
    let indices = &indices[..64];
    // SAFETY: AVX-512 is present; the slice above has the 64 bytes that are loaded, at any address.
    let indices = unsafe { _mm512_loadu_si512(indices.as_ptr().cast()) };
    Avx512Bytes(look_up_64(table, indices))
}

#[inline(always)]
fn look_up_shorts(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx512Shorts {
    let indices = &indices[..32];
    // SAFETY: AVX-512 is present; the slice above has the 32 bytes that are loaded, at any address.
    let indices = unsafe { _mm256_loadu_si256(indices.as_ptr().cast()) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    let indices = unsafe { _mm512_zextsi256_si512(indices) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    let found = unsafe { _mm512_castsi512_si256(look_up_64(table, indices)) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    unsafe { Avx512Shorts(_mm512_cvtepi8_epi16(found)) }
}

#[inline(always)]
fn look_up_ints(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx512Ints {
    let indices = &indices[..16];
    // SAFETY: AVX-512 is present; the slice above has the 16 bytes that are loaded, at any address.
    let indices = unsafe { _mm_loadu_si128(indices.as_ptr().cast()) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    let indices = unsafe { _mm512_zextsi128_si512(indices) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    let found = unsafe { _mm512_castsi512_si128(look_up_64(table, indices)) };
    // SAFETY: AVX-512 is present; no memory is accessed.
    unsafe { Avx512Ints(_mm512_cvtepi8_epi32(found)) }
}
