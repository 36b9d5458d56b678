//! Tests whether the symbols on one side of a seed match the text within the edits that are left: 32 seeds at a time
//! with AVX-512.
//!
//! A lane has 16 bits, one for each row of the matrix. For each number of edits and each diagonal it keeps one bit, the
//! furthest row that is reached. One addition follows a diagonal from a row through all symbols that match: its carry
//! passes through the run of ones. With t edits there are (t + 1)^2 states of about five operations, whatever the
//! number of rows.
//!
//! A transposition of the next two symbols leads two rows further on the same diagonal, for one edit. Only
//! transpositions from the furthest row need a test: one from the row before ends in the same row as a substitution.
//!
//! - E. Ukkonen, "Algorithms for approximate string matching", 1985, for the furthest rows on diagonals.
//! - R. Baeza-Yates and G. Navarro, "Faster approximate string matching", 1999, for diagonals in bits.

use nigh_simd::int_lanes::IntLanes;
use nigh_simd::vector::Simd;
use nigh_tables::seeds::layout::{EDITS_SHIFT, MAX_TEST_EDITS, SeedTests};

/// The largest number of diagonals of a test.
const DIAGONALS: usize = 2 * MAX_TEST_EDITS + 1;

/// The planes of the seeds in a vector and of the text next to them.
pub(crate) struct SeedVector<L> {
    pub(crate) low: L,
    pub(crate) high: L,
    /// The rows that match any residue; used with three planes.
    pub(crate) wild: L,
    pub(crate) text_low: L,
    pub(crate) text_high: L,
    pub(crate) tests: SeedTests,
}

/// Loads a vector of 16-bit lanes.
#[inline(always)]
pub(crate) fn load<L: Simd>(integers: &[i16]) -> L {
    L::from_shorts(L::Shorts::load(integers))
}

impl<L: Simd> SeedVector<L> {
    /// Returns a bit for each lane: whether all rows match within the number of edits in the lane's low plane.
    #[inline(always)]
    pub(crate) fn passing<const PLANES: usize>(&self) -> u64 {
        match self.tests.edits.has_transpositions() {
            false => self.passing_within::<PLANES, false>(),
            true => self.passing_within::<PLANES, true>(),
        }
    }

    /// Like [`passing`](Self::passing). `SWAPS` tells whether transpositions are edits.
    #[inline(always)]
    fn passing_within<const PLANES: usize, const SWAPS: bool>(&self) -> u64 {
        let few = L::from_shorts(L::Shorts::splat(7));
        let edits = self.low.shift_right::<{ EDITS_SHIFT as i32 }>().and(few).into_shorts();
        if edits.any_greater(L::Shorts::splat(2)) {
            if edits.any_greater(L::Shorts::splat(3)) {
                return self.reach::<PLANES, SWAPS, MAX_TEST_EDITS>(edits);
            }
            return self.reach::<PLANES, SWAPS, 3>(edits);
        }
        if edits.any_greater(L::Shorts::splat(1)) {
            return self.reach::<PLANES, SWAPS, 2>(edits);
        }
        self.reach::<PLANES, SWAPS, 1>(edits)
    }

    /// Returns a bit for each lane: whether all rows match within the lane's number of edits, at most `EDITS`.
    #[inline(always)]
    fn reach<const PLANES: usize, const SWAPS: bool, const EDITS: usize>(&self, edits: L::Shorts) -> u64 {
        let matches = self.matches::<PLANES, EDITS>();
        let diagonals = MatchingRows { swaps: if SWAPS { swaps::<L, EDITS>(&matches) } else { matches }, matches };
        let mut furthest = [L::Shorts::splat(0); DIAGONALS];
        // The loops over levels and diagonals are unrolled by hand, so that all rows stay in registers.
        advance::<L, SWAPS, EDITS, 0>(&mut furthest, &diagonals, edits);
        advance::<L, SWAPS, EDITS, 1>(&mut furthest, &diagonals, edits);
        advance::<L, SWAPS, EDITS, 2>(&mut furthest, &diagonals, edits);
        advance::<L, SWAPS, EDITS, 3>(&mut furthest, &diagonals, edits);
        advance::<L, SWAPS, EDITS, 4>(&mut furthest, &diagonals, edits);
        advance::<L, SWAPS, EDITS, 5>(&mut furthest, &diagonals, edits);
        let mut reached = furthest[0];
        for row in &furthest[1..=2 * EDITS] {
            reached = reached.max(*row);
        }
        reached.greater_mask(L::Shorts::splat((1 << self.tests.rows) - 1))
    }

    /// Returns those of `rows` that match the text with the planes `low` and `high`.
    #[inline(always)]
    fn on_diagonal<const PLANES: usize>(&self, low: L, high: L, rows: L) -> L {
        let matches = self.low.xor(low).or(self.high.xor(high)).and_not(rows);
        if PLANES == 3 { matches.or(self.wild) } else { matches }
    }

    /// Returns the rows that match on each diagonal.
    #[inline(always)]
    fn matches<const PLANES: usize, const EDITS: usize>(&self) -> [L; DIAGONALS] {
        let rows = L::from_shorts(L::Shorts::splat((1 << self.tests.rows) - 1));
        let mut matches = [L::zero(); DIAGONALS];
        let (mut low, mut high) = (self.text_low, self.text_high);
        for on_diagonal in &mut matches[EDITS..=2 * EDITS] {
            *on_diagonal = self.on_diagonal::<PLANES>(low, high, rows);
            // The shifts carry bits of neighbouring lanes into a lane. Here they enter rows that are not tested, and in
            // the loop below rows that cannot be reached.
            (low, high) = (low.shift_right::<1>(), high.shift_right::<1>());
        }
        (low, high) = (self.text_low, self.text_high);
        for on_diagonal in matches[..EDITS].iter_mut().rev() {
            (low, high) = (low.shift_left::<1>(), high.shift_left::<1>());
            *on_diagonal = self.on_diagonal::<PLANES>(low, high, rows);
        }
        matches
    }
}

/// The rows that match, for each diagonal.
struct MatchingRows<L> {
    matches: [L; DIAGONALS],
    /// The rows that match together with the row below if the two are transposed.
    swaps: [L; DIAGONALS],
}

/// Returns, for each diagonal, the rows that match together with the row below if the two are transposed. The row then
/// matches on the diagonal above, and the row below on the diagonal below. No edit is left on the outermost diagonals.
#[inline(always)]
fn swaps<L: Simd, const EDITS: usize>(matches: &[L; DIAGONALS]) -> [L; DIAGONALS] {
    let mut swaps = [L::zero(); DIAGONALS];
    for diagonal in 1..2 * EDITS {
        swaps[diagonal] = matches[diagonal + 1].and(matches[diagonal - 1].shift_right::<1>());
    }
    swaps
}

/// Turns the furthest rows by diagonal with one edit less than `LEVEL` into those with `LEVEL` edits; does nothing if
/// `LEVEL` is more than `EDITS`. Diagonal `EDITS` is the main one. No bit means that no row is reached.
#[inline(always)]
fn advance<L: Simd, const SWAPS: bool, const EDITS: usize, const LEVEL: usize>(
    furthest: &mut [L::Shorts; DIAGONALS],
    diagonals: &MatchingRows<L>,
    edits: L::Shorts,
) {
    if LEVEL > EDITS {
        return;
    }
    let zero = L::Shorts::splat(0);
    // A lane with fewer than `EDITS` edits starts at a later level.
    let begins = edits.if_equal(L::Shorts::splat((EDITS - LEVEL) as i32), L::Shorts::splat(1), zero);
    let mut below = zero;
    // Unrolled by hand: in a loop, the compiler would keep the rows in memory.
    below = relax::<L, SWAPS, EDITS, LEVEL, 0>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 1>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 2>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 3>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 4>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 5>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 6>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 7>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 8>(furthest, diagonals, (below, begins));
    below = relax::<L, SWAPS, EDITS, LEVEL, 9>(furthest, diagonals, (below, begins));
    relax::<L, SWAPS, EDITS, LEVEL, 10>(furthest, diagonals, (below, begins));
}

/// Computes the furthest row on the diagonal `DIAGONAL`. The inputs are the row on the diagonal below with one edit
/// less, and the row at which lanes begin on the main diagonal. Returns the row on this diagonal with one edit less.
#[inline(always)]
fn relax<L: Simd, const SWAPS: bool, const EDITS: usize, const LEVEL: usize, const DIAGONAL: usize>(
    furthest: &mut [L::Shorts; DIAGONALS],
    diagonals: &MatchingRows<L>,
    (below, begins): (L::Shorts, L::Shorts),
) -> L::Shorts {
    if DIAGONAL + LEVEL < EDITS || DIAGONAL > EDITS + LEVEL {
        return below;
    }
    let before = furthest[DIAGONAL];
    // A pattern symbol is skipped on the diagonal above, a text symbol on the one below.
    let next_row = if DIAGONAL < EDITS + LEVEL { before.max(furthest[DIAGONAL + 1]) } else { before };
    let mut start = next_row.plus(next_row).max(below);
    if DIAGONAL == EDITS {
        start = start.max(begins);
    }
    if SWAPS {
        let swapped = L::from_shorts(before).and(diagonals.swaps[DIAGONAL]).into_shorts();
        let next_row = swapped.plus(swapped);
        start = start.max(next_row.plus(next_row));
    }
    furthest[DIAGONAL] = follow::<L>(start, diagonals.matches[DIAGONAL]);
    before
}

/// Moves a row, which is a single bit or none, past the run of matching rows that starts there.
#[inline(always)]
fn follow<L: Simd>(row: L::Shorts, matches: L) -> L::Shorts {
    let past = L::from_shorts(matches.into_shorts().plus(row));
    matches.and_not(past).into_shorts()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_simd::isa::Isa;
    use nigh_simd::vector::SimdOp;
    use nigh_text::alignment::SearchEdits;

    /// A seed: its residues and the edits that are left, the rows that match anything, and the text.
    struct Case {
        residues: [u8; 12],
        edits: usize,
        wild: u16,
        text: [u8; 16],
    }

    impl Case {
        fn random(rng: &mut fastrand::Rng, most: usize) -> Self {
            let residues = std::array::from_fn(|_| rng.u8(..4));
            let mut text: [u8; 16] = std::array::from_fn(|at| *residues.get(at).unwrap_or(&0));
            for _ in 0..rng.usize(..=most + 1) {
                let at = rng.usize(..12);
                match rng.u8(..4) {
                    0 => text[at] = rng.u8(..4),
                    3 => text.swap(at, at + 1),
                    1 => text.copy_within(at..15, at + 1),
                    _ => text.copy_within(at + 1.., at),
                }
            }
            let wild = if rng.bool() { 0 } else { 1 << rng.u8(..12) };
            Case { residues, edits: rng.usize(..=most), wild, text }
        }

        /// Whether the first rows match a beginning of the text, by Sellers' recurrence.
        fn passes(&self, SeedTests { rows, edits }: SeedTests) -> bool {
            let mut column: Vec<usize> = (0..=rows).collect();
            let mut earlier = column.clone();
            let mut least = column[rows];
            for (at, &residue) in self.text.iter().enumerate() {
                let before = column.clone();
                column[0] = at + 1;
                for row in 1..=rows {
                    let matches =
                        |row: usize, residue| self.residues[row - 1] == residue || self.wild >> (row - 1) & 1 == 1;
                    let diagonal = before[row - 1] + usize::from(!matches(row, residue));
                    column[row] = diagonal.min(before[row] + 1).min(column[row - 1] + 1);
                    let can_swap = edits.has_transpositions() && row > 1 && at > 0;
                    if can_swap && matches(row - 1, residue) && matches(row, self.text[at - 1]) {
                        column[row] = column[row].min(earlier[row - 2] + 1);
                    }
                }
                earlier = before;
                least = least.min(column[rows]);
            }
            least <= self.edits
        }
    }

    fn plane(residues: &[u8], bit: u8) -> i16 {
        residues.iter().enumerate().fold(0, |plane, (at, residue)| plane | i16::from(residue >> bit & 1) << at)
    }

    struct Check {
        most: usize,
        tests: SeedTests,
    }

    impl SimdOp for Check {
        type Output = usize;

        fn run<L: Simd>(self) -> usize {
            let mut rng = fastrand::Rng::with_seed(5);
            let mut passed = 0;
            for _ in 0..300 {
                let cases: Vec<Case> = (0..L::Shorts::COUNT).map(|_| Case::random(&mut rng, self.most)).collect();
                let lanes = |of: &dyn Fn(&Case) -> i16| cases.iter().map(of).collect::<Vec<i16>>();
                let mask = (1 << self.tests.rows) - 1;
                let low = |case: &Case| plane(&case.residues, 0) & mask | (case.edits << EDITS_SHIFT) as i16;
                let vector: SeedVector<L> = SeedVector {
                    low: load(&lanes(&low)),
                    high: load(&lanes(&|case| plane(&case.residues, 1) & mask)),
                    wild: load(&lanes(&|case| case.wild as i16 & mask)),
                    text_low: load(&lanes(&|case| plane(&case.text, 0))),
                    text_high: load(&lanes(&|case| plane(&case.text, 1))),
                    tests: self.tests,
                };
                let expected = cases.iter().enumerate();
                let expected = expected.fold(0, |all, (lane, case)| all | u64::from(case.passes(self.tests)) << lane);
                assert_eq!(vector.passing::<3>(), expected, "{:?}, {} edits", self.tests, self.most);
                passed += expected.count_ones() as usize;
            }
            passed
        }
    }

    #[test]
    fn the_test_is_the_recurrence() {
        for isa in Isa::all() {
            for (most, rows) in [(0, 12), (1, 12), (2, 12), (2, 7), (3, 11), (4, 10), (5, 9), (5, 4)] {
                for edits in [SearchEdits::Levenshtein, SearchEdits::StringAlignment] {
                    let passed = isa.run(Check { most, tests: SeedTests { rows, edits } });
                    assert!(passed > 500, "{}: {passed}", isa.name());
                }
            }
        }
    }
}
