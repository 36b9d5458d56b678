//! Vectors of integers of AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::int_lanes::{IntLanes, LOOKUP_ENTRIES, LaneInteger};
use super::isa::register_ops;

/// Moves all bytes of `vector` up by `bytes`, at most 16, and fills the gap with bytes of `fill`.
#[inline(always)]
fn shift_bytes(vector: __m256i, bytes: usize, fill: __m256i) -> __m256i {
    // The lower half of `fill`, then the lower half of `vector`.
    // SAFETY: AVX2 is present; no memory is accessed.
    let below = unsafe { _mm256_permute2x128_si256::<0x02>(vector, fill) };
    match bytes {
        // SAFETY: AVX2 is present; no memory is accessed.
        1 => unsafe { _mm256_alignr_epi8::<15>(vector, below) },
        // SAFETY: AVX2 is present; no memory is accessed.
        2 => unsafe { _mm256_alignr_epi8::<14>(vector, below) },
        // SAFETY: AVX2 is present; no memory is accessed.
        4 => unsafe { _mm256_alignr_epi8::<12>(vector, below) },
        // SAFETY: AVX2 is present; no memory is accessed.
        8 => unsafe { _mm256_alignr_epi8::<8>(vector, below) },
        16 => below,
        _ => unreachable!("lanes are shifted by 1, 2, 4, 8 or 16 bytes"),
    }
}

/// Looks up 16 indices below 32 in a table.
#[inline(always)]
fn look_up_16(table: &[i8; LOOKUP_ENTRIES], indices: &[u8; 16]) -> __m128i {
    let (halves, _) = table.as_chunks::<16>();
    // SAFETY: AVX2 is present; the load reads the 16 bytes of the array, at any address.
    let low = unsafe { _mm_loadu_si128(halves[0].as_ptr().cast()) };
    // SAFETY: AVX2 is present; the load reads the 16 bytes of the array, at any address.
    let high = unsafe { _mm_loadu_si128(halves[1].as_ptr().cast()) };
    // SAFETY: AVX2 is present; the load reads the 16 bytes of the array, at any address.
    let indices = unsafe { _mm_loadu_si128(indices.as_ptr().cast()) };
    // Bit 4 of an index moves to bit 7, which chooses the half.
    // SAFETY: AVX2 is present; no memory is accessed.
    let half = unsafe { _mm_slli_epi16::<3>(indices) };
    // SAFETY: AVX2 is present; no memory is accessed.
    let low = unsafe { _mm_shuffle_epi8(low, indices) };
    // SAFETY: AVX2 is present; no memory is accessed.
    let high = unsafe { _mm_shuffle_epi8(high, indices) };
    // SAFETY: AVX2 is present; no memory is accessed.
    unsafe { _mm_blendv_epi8(low, high, half) }
}

macro_rules! avx2_lanes {
    ($name:ident, $integer:ty, $count:literal, $splat:ident, $plus:ident, $minus:ident, $clamped:ident, $max:ident,
     $equal:ident, $greater:ident, $table_lookup:expr) => {
        /// 256 bits of lanes.
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(super) __m256i);

        impl IntLanes for $name {
            type Integer = $integer;
            const COUNT: usize = $count;

            register_ops! { ["avx2,bmi2", __m256i]
                fn splat(value: i32) = $splat(<$integer>::of(value));
                fn plus(a, b) = $plus(a, b);
                fn minus(a, b) = $minus(a, b);
                fn clamped_minus(a, b) = $clamped(a, b);
                fn max(a, b) = $max(a, b);
                fn if_equal(a, b, yes, no) = _mm256_blendv_epi8(no, yes, $equal(a, b));
                fn any_greater(a, b) -> bool = {
                    let greater = $greater(a, b);
                    _mm256_testz_si256(greater, greater) == 0
                };
                fn greater_mask(a, b) -> u64 = {
                    // Every byte of a lane has the bit of the lane.
                    let first_bytes = u32::MAX / ((1 << size_of::<$integer>()) - 1);
                    u64::from(_pext_u32(_mm256_movemask_epi8($greater(a, b)) as u32, first_bytes))
                };
            }

            #[inline(always)]
            fn load(integers: &[$integer]) -> Self {
                let integers = &integers[..$count];
                // SAFETY: AVX2 is present; the slice above has the integers that are loaded, at any address.
                unsafe { $name(_mm256_loadu_si256(integers.as_ptr().cast())) }
            }
            #[inline(always)]
            fn store(self, integers: &mut [$integer]) {
                let integers = &mut integers[..$count];
                // SAFETY: AVX2 is present; the slice above has the integers that are stored, at any address.
                unsafe { _mm256_storeu_si256(integers.as_mut_ptr().cast(), self.0) }
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

avx2_lanes!(
    Avx2Bytes,
    i8,
    32,
    _mm256_set1_epi8,
    _mm256_add_epi8,
    _mm256_sub_epi8,
    _mm256_subs_epi8,
    _mm256_max_epi8,
    _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8,
    look_up_bytes
);
avx2_lanes!(
    Avx2Shorts,
    i16,
    16,
    _mm256_set1_epi16,
    _mm256_add_epi16,
    _mm256_sub_epi16,
    _mm256_subs_epi16,
    _mm256_max_epi16,
    _mm256_cmpeq_epi16,
    _mm256_cmpgt_epi16,
    look_up_shorts
);
avx2_lanes!(
    Avx2Ints,
    i32,
    8,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_sub_epi32,
    _mm256_sub_epi32,
    _mm256_max_epi32,
    _mm256_cmpeq_epi32,
    _mm256_cmpgt_epi32,
    look_up_ints
);

#[inline(always)]
fn look_up_bytes(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx2Bytes {
    let (halves, _) = indices[..32].as_chunks::<16>();
    let (low, high) = (look_up_16(table, &halves[0]), look_up_16(table, &halves[1]));
    // SAFETY: AVX2 is present; no memory is accessed.
    unsafe { Avx2Bytes(_mm256_set_m128i(high, low)) }
}

#[inline(always)]
fn look_up_shorts(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx2Shorts {
    let found = look_up_16(table, indices.first_chunk().expect("there is an index for each lane"));
    // SAFETY: AVX2 is present; no memory is accessed.
    unsafe { Avx2Shorts(_mm256_cvtepi8_epi16(found)) }
}

#[inline(always)]
fn look_up_ints(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Avx2Ints {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&indices[..8]);
    // SAFETY: AVX2 is present; no memory is accessed.
    unsafe { Avx2Ints(_mm256_cvtepi8_epi32(look_up_16(table, &bytes))) }
}
