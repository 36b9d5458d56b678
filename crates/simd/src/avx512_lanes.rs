//! Vectors of integers of AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::int_lanes::{IntLanes, LOOKUP_ENTRIES, LaneInteger};
use super::isa::register_ops;

/// Moves all bytes of `vector` up by `bytes`, below 64, and fills the gap with bytes of `fill`.
#[inline(always)]
fn shift_bytes(vector: __m512i, bytes: usize, fill: __m512i) -> __m512i {
    /// 64 bytes of 0, then the numbers from 0 to 63.
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

/// Looks up 64 indices in a table. Callers with fewer indices pass 0 for the others, and ignore the results for these.
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

            register_ops! { ["avx512f,avx512bw,avx512vbmi,avx512vbmi2", __m512i]
                fn splat(value: i32) = $splat(<$integer>::of(value));
                fn plus(a, b) = $plus(a, b);
                fn minus(a, b) = $minus(a, b);
                fn clamped_minus(a, b) = $clamped(a, b);
                fn max(a, b) = $max(a, b);
                fn if_equal(a, b, yes, no) = $blend($equal(a, b), no, yes);
                fn any_greater(a, b) -> bool = $greater(a, b) != 0;
                fn greater_mask(a, b) -> u64 = u64::from($greater(a, b));
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
