//! Transposes matrices of 64 x 64 bits by the butterfly method, one matrix for each 64-bit word of a vector.
//!
//! Six stages of masked swaps exchange the off-diagonal quarters of ever smaller blocks: 6 x 32 swaps for 64 x 64 bits.
//! H. S. Warren, "Hacker's Delight", section 7-3.

use crate::simd::vector::Simd;

/// Transposes 64 vectors in place, word by word: bit t of row r moves to bit r of row t.
///
/// The six stages swap bits of rows that are 32, 16, ... 1 apart. Eight rows go through three stages in registers.
#[inline(always)]
pub(crate) fn transpose<L: Simd>(block: &mut [u64]) {
    for first in 0..8 {
        exchange_eight::<L, 32, 16, 8>(block, first, 8);
    }
    for first in (0..64).step_by(8) {
        exchange_eight::<L, 4, 2, 1>(block, first, 1);
    }
}

/// Runs three stages for eight rows from row `first` on, which are `stride` rows apart.
#[inline(always)]
fn exchange_eight<L: Simd, const A: i32, const B: i32, const C: i32>(block: &mut [u64], first: usize, stride: usize) {
    let mut rows = [L::zero(); 8];
    for (row, word) in rows.iter_mut().enumerate() {
        *word = L::load(&block[(first + row * stride) * L::WORDS..]);
    }
    for low in [0, 1, 2, 3] {
        exchange::<L, A>(&mut rows, low, low + 4);
    }
    for low in [0, 1, 4, 5] {
        exchange::<L, B>(&mut rows, low, low + 2);
    }
    for low in [0, 2, 4, 6] {
        exchange::<L, C>(&mut rows, low, low + 1);
    }
    for (row, word) in rows.into_iter().enumerate() {
        word.store(&mut block[(first + row * stride) * L::WORDS..]);
    }
}

/// In each group of 2 x `APART` bits, swaps the upper half in row `low` with the lower half in row `high`.
#[inline(always)]
fn exchange<L: Simd, const APART: i32>(rows: &mut [L; 8], low: usize, high: usize) {
    let lower = L::splat(!0 / ((1u64 << APART) + 1));
    let different = rows[low].shift_right::<APART>().xor(rows[high]).and(lower);
    rows[high] = rows[high].xor(different);
    rows[low] = rows[low].xor(different.shift_left::<APART>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::isa::Isa;
    use crate::simd::vector::SimdOp;

    struct Check;

    impl SimdOp for Check {
        type Output = ();

        fn run<L: Simd>(self) {
            let mut rng = fastrand::Rng::with_seed(1);
            let before: Vec<u64> = (0..64 * L::WORDS).map(|_| rng.u64(..)).collect();
            let mut after = before.clone();
            transpose::<L>(&mut after);
            for word in 0..L::WORDS {
                for (row, bit) in (0..64).flat_map(|row| (0..64).map(move |bit| (row, bit))) {
                    let from = before[row * L::WORDS + word] >> bit & 1;
                    let to = after[bit * L::WORDS + word] >> row & 1;
                    assert_eq!(from, to, "row {row}, bit {bit} of word {word}");
                }
            }
        }
    }

    #[test]
    fn transpose_is_right_on_every_instruction_set() {
        Isa::all().into_iter().for_each(|isa| isa.run(Check));
    }
}
