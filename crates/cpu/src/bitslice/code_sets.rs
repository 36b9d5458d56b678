//! Computes the streams whose symbol is in a set of symbols, from the bit planes of the codes.

use super::planes::Planes;
use nigh_simd::vector::{PLANES, Simd};
use nigh_tables::code_sets::CodeSets;

/// Computes the streams whose symbol is in each set, `[set][step]` in `equal`, for `STEPS` steps from `first` on. A
/// step below 0 belongs to the text before a stream, which is the end of the previous stream. The first stream has
/// no text before it.
#[inline(always)]
pub(super) fn read_sets<L: Simd, const STEPS: usize>(
    sets: &CodeSets,
    planes: &Planes,
    first: isize,
    equal: &mut [u64],
) {
    match planes.planes() {
        2 => members(sets, &bits::<L, 2, STEPS>(planes, first), equal),
        3 => members(sets, &bits::<L, 3, STEPS>(planes, first), equal),
        4 => members(sets, &bits::<L, 4, STEPS>(planes, first), equal),
        5 => members(sets, &bits::<L, 5, STEPS>(planes, first), equal),
        6 => members(sets, &bits::<L, 6, STEPS>(planes, first), equal),
        _ => members(sets, &bits::<L, PLANES, STEPS>(planes, first), equal),
    }
}

/// Computes the streams whose symbol is in each set, from the planes of `STEPS` steps.
#[inline(always)]
fn members<L: Simd, const P: usize, const STEPS: usize>(sets: &CodeSets, bits: &[[L; P]; STEPS], equal: &mut [u64]) {
    for (codes, equal) in sets.iter().zip(equal.chunks_exact_mut(STEPS * L::WORDS)) {
        equal.fill(0);
        for code in codes.iter().map(|&code| usize::from(code)) {
            match code & 7 {
                0 => add_code::<L, P, STEPS, 0>(code, bits, equal),
                1 => add_code::<L, P, STEPS, 1>(code, bits, equal),
                2 => add_code::<L, P, STEPS, 2>(code, bits, equal),
                3 => add_code::<L, P, STEPS, 3>(code, bits, equal),
                4 => add_code::<L, P, STEPS, 4>(code, bits, equal),
                5 => add_code::<L, P, STEPS, 5>(code, bits, equal),
                6 => add_code::<L, P, STEPS, 6>(code, bits, equal),
                _ => add_code::<L, P, STEPS, 7>(code, bits, equal),
            }
        }
    }
}

/// Loads the planes of `STEPS` steps from `first` on.
#[inline(always)]
fn bits<L: Simd, const P: usize, const STEPS: usize>(planes: &Planes, first: isize) -> [[L; P]; STEPS] {
    let mut bits = [[L::zero(); P]; STEPS];
    for (at, bits) in bits.iter_mut().enumerate() {
        for (plane, bits) in bits.iter_mut().enumerate() {
            *bits = match usize::try_from(first) {
                Ok(first) => L::load(planes.step(plane, first + at)),
                Err(_) => next_streams(planes.step(plane, planes.steps() - first.unsigned_abs() + at)),
            };
        }
    }
    bits
}

/// Moves the bit of each stream to the next stream. The bit of the first stream is 0.
#[inline(always)]
fn next_streams<L: Simd>(streams: &[u64]) -> L {
    let mut moved = [0; 8];
    moved[1..L::WORDS].copy_from_slice(&streams[..L::WORDS - 1]);
    moved[0] = streams[L::WORDS - 1] << 1;
    L::load(&moved)
}

/// Sets, in `equal`, the bits of the streams whose symbol has the code `code`. `LOW` is the lowest three bits of the
/// code.
#[inline(always)]
fn add_code<L: Simd, const P: usize, const STEPS: usize, const LOW: i32>(
    code: usize,
    bits: &[[L; P]; STEPS],
    equal: &mut [u64],
) {
    // The planes from the fourth on are inverted where the code has a 0 bit. A stream has the code if all of them are
    // then 1.
    let mut turned = [L::zero(); P];
    for (plane, turned) in turned.iter_mut().enumerate().skip(3) {
        *turned = L::splat((code as u64 >> plane & 1).wrapping_sub(1));
    }
    for (bits, words) in bits.iter().zip(equal.chunks_exact_mut(L::WORDS)) {
        let third = if P > 2 { bits[2] } else { L::zero() };
        let mut is_code = L::minterm::<LOW>(bits[0], bits[1], third);
        for plane in 3..P {
            is_code = is_code.and(bits[plane].xor(turned[plane]));
        }
        L::load(words).or(is_code).store(words);
    }
}
