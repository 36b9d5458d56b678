//! Transposes matrices of 64 x 64 bits by the butterfly method, one matrix for each 64-bit word of a vector.
//!
//! Six stages of masked swaps exchange the off-diagonal quarters of ever smaller blocks: 6 x 32 swaps for 64 x 64 bits.
//! H. S. Warren, "Hacker's Delight", section 7-3.

use crate::vector::Simd;

/// Transposes 64 vectors in place, word by word: bit t of row r moves to bit r of row t.
///
/// The six stages swap bits of rows that are 32, 16, ... 1 apart. Eight rows go through three stages in registers.
#[inline(always)]
pub fn transpose<L: Simd>(block: &mut [u64]) {
    for first in 0..8 {
        exchange_eight::<L, 32, 16, 8>(block, first, 8);
    }
    for first in (0..64).step_by(8) {
        exchange_eight::<L, 4, 2, 1>(block, first, 1);
    }
}

/// Transposes tiles of `SIDE` x `SIDE` bits in place, word by word, in `SIDE` vectors: bit `c * SIDE + t` of row r moves
/// to bit `c * SIDE + r` of row t. `SIDE` must be 8, 16, 32 or 64.
#[inline(always)]
pub fn transpose_tiles<L: Simd, const SIDE: usize>(block: &mut [u64]) {
    if SIDE == 64 {
        return transpose::<L>(block);
    }
    if SIDE >= 32 {
        exchange_all::<L, SIDE, 16>(block);
    }
    if SIDE >= 16 {
        exchange_all::<L, SIDE, 8>(block);
    }
    for first in (0..SIDE).step_by(8) {
        exchange_eight::<L, 4, 2, 1>(block, first, 1);
    }
}

/// Runs one stage for `SIDE` rows.
#[inline(always)]
fn exchange_all<L: Simd, const SIDE: usize, const APART: i32>(block: &mut [u64]) {
    let apart = APART as usize;
    for low in (0..SIDE).filter(|row| row & apart == 0) {
        let (low, high) = (low * L::WORDS, (low + apart) * L::WORDS);
        let mut rows = [L::load(&block[low..]), L::load(&block[high..])];
        let [low_row, high_row] = &mut rows;
        exchange_rows::<L, APART>(low_row, high_row);
        rows[0].store(&mut block[low..]);
        rows[1].store(&mut block[high..]);
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
    let (mut low_row, mut high_row) = (rows[low], rows[high]);
    exchange_rows::<L, APART>(&mut low_row, &mut high_row);
    (rows[low], rows[high]) = (low_row, high_row);
}

/// In each group of 2 x `APART` bits, swaps the upper half of `low` with the lower half of `high`.
#[inline(always)]
fn exchange_rows<L: Simd, const APART: i32>(low: &mut L, high: &mut L) {
    let lower = L::splat(!0 / ((1u64 << APART) + 1));
    let different = low.shift_right::<APART>().xor(*high).and(lower);
    *high = high.xor(different);
    *low = low.xor(different.shift_left::<APART>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;
    use crate::vector::SimdOp;

    struct Check;

    impl SimdOp for Check {
        type Output = ();

        fn run<L: Simd>(self) {
            check_tiles::<L, 8>();
            check_tiles::<L, 16>();
            check_tiles::<L, 32>();
            check_tiles::<L, 64>();
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

    fn check_tiles<L: Simd, const SIDE: usize>() {
        let mut rng = fastrand::Rng::with_seed(1);
        let before: Vec<u64> = (0..SIDE * L::WORDS).map(|_| rng.u64(..)).collect();
        let mut after = before.clone();
        transpose_tiles::<L, SIDE>(&mut after);
        for (row, bit) in (0..SIDE).flat_map(|row| (0..64).map(move |bit| (row, bit))) {
            let (tile, t) = (bit / SIDE, bit % SIDE);
            for word in 0..L::WORDS {
                let from = before[row * L::WORDS + word] >> bit & 1;
                let to = after[t * L::WORDS + word] >> (tile * SIDE + row) & 1;
                assert_eq!(from, to, "side {SIDE}, row {row}, bit {bit} of word {word}");
            }
        }
    }

    #[test]
    fn transpose_is_right_on_every_instruction_set() {
        Isa::all().into_iter().for_each(|isa| isa.run(Check));
    }
}
