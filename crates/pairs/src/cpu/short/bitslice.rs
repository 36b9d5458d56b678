//! The matrix of many pairs at a time, bit-sliced: a bit per pair.
//!
//! Neighbouring cells differ by -1, 0 or +1 (Levenshtein), or by 0 or 1 (longest common subsequence). Each difference
//! takes one or two bits, so a cell of as many matrices as a vector has bits costs a few logic operations. The vertical
//! differences of a row are kept in memory, the horizontal differences of a few columns in registers. All matrices have
//! the same rows; a pair with fewer columns is masked below the last row, where a bit-sliced counter adds up the
//! horizontal differences. For m rows, n columns and w pairs, the matrices take O(mn) vector operations, which is
//! O(mn/w) for each pair.
//!
//! - G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999, for
//!   the differences.
//! - H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004, for those of the longest common subsequence.

use nigh_simd::vector::Simd;

/// The number of bits of a sum: twice the largest number of columns fits.
pub(super) const SUM_BITS: usize = 16;

/// The differences of neighbouring cells, and how they follow from one cell to the next.
pub(super) trait Recurrence {
    /// The number of bits of a difference.
    const BITS: usize;
    /// The vertical differences in the first column, one constant for each bit.
    const FIRST_COLUMN: [u64; 2];
    /// The horizontal differences in the first row.
    const FIRST_ROW: [u64; 2];

    /// Computes the differences of a cell. `differs` has a bit for each pair whose symbols differ. Replaces the
    /// vertical difference left of the cell, and the horizontal difference above it, by those of the cell.
    fn cell<L: Simd>(differs: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]);

    /// Returns the bits to be added to the sums for columns with the horizontal differences `horizontal`, eight columns
    /// at a time. `within` has a bit for each pair that has the column.
    fn addends<L: Simd, const STEPS: usize>(horizontal: &[[L; 2]; STEPS], within: &[L; STEPS]) -> [[L; 8]; 2];
}

/// Levenshtein distance. Bit 0 of a difference is set for +1, bit 1 for -1. The sum is the distance minus the number of
/// rows plus the number of columns.
pub(super) struct LevenshteinCells;

/// Longest common subsequence. The vertical differences are stored inverted. The sum is the length.
pub(super) struct SubsequenceCells;

impl Recurrence for LevenshteinCells {
    const BITS: usize = 2;
    const FIRST_COLUMN: [u64; 2] = [!0, 0];
    const FIRST_ROW: [u64; 2] = [!0, 0];

    #[inline(always)]
    fn cell<L: Simd>(differs: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) {
        let [pv, mv] = *vertical;
        let [ph, mh] = *horizontal;
        // The bits of the pairs whose cell is one more than its upper left neighbour.
        let rises = mv.or(mh).and_not(differs);
        *horizontal = [mv.or(pv.and_not(rises)), rises.and_not(pv)];
        *vertical = [mh.or(ph.and_not(rises)), rises.and_not(ph)];
    }

    #[inline(always)]
    fn addends<L: Simd, const STEPS: usize>(horizontal: &[[L; 2]; STEPS], within: &[L; STEPS]) -> [[L; 8]; 2] {
        let mut bits = [[L::zero(); 8]; 2];
        for at in 0..STEPS {
            let [plus, minus] = horizontal[at];
            bits[at / 4][2 * (at % 4)] = plus.and(within[at]);
            bits[at / 4][2 * (at % 4) + 1] = minus.and_not(within[at]);
        }
        bits
    }
}

impl Recurrence for SubsequenceCells {
    const BITS: usize = 1;
    const FIRST_COLUMN: [u64; 2] = [!0, 0];
    const FIRST_ROW: [u64; 2] = [0, 0];

    #[inline(always)]
    fn cell<L: Simd>(differs: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) {
        let (still, rises) = (vertical[0], horizontal[0]);
        vertical[0] = rises.or(differs.and(still));
        horizontal[0] = rises.and_not(differs).and_not(still);
    }

    #[inline(always)]
    fn addends<L: Simd, const STEPS: usize>(horizontal: &[[L; 2]; STEPS], within: &[L; STEPS]) -> [[L; 8]; 2] {
        let mut bits = [[L::zero(); 8]; 2];
        for at in 0..STEPS {
            bits[0][at] = horizontal[at][0].and(within[at]);
        }
        bits
    }
}

/// Tells which pairs have different symbols in a cell, for `STEPS` columns at a time.
pub(super) trait Comparison<L: Simd, const STEPS: usize> {
    /// The query symbols of a row, in the form that is compared.
    type Row: Copy;
    /// Selects `STEPS` columns from `first` on.
    fn select(&mut self, first: usize);
    /// Loads a row.
    fn row(&self, row: usize) -> Self::Row;
    /// Returns a bit for each pair whose symbols differ in `row` and the selected column `at`.
    fn differs(&self, row: Self::Row, at: usize) -> L;
}

/// The bit planes of the symbols of many strings. A plane has a vector for each position, with a bit for each string.
/// The planes follow one another.
#[derive(Clone, Copy)]
pub(super) struct PlaneView<'a> {
    pub(super) words: &'a [u64],
    /// The number of positions of a plane.
    pub(super) positions: usize,
}

impl PlaneView<'_> {
    /// Loads all planes of a position.
    #[inline(always)]
    fn load<L: Simd, const P: usize>(self, position: usize) -> [L; P] {
        let mut planes = [L::zero(); P];
        for (plane, bits) in planes.iter_mut().enumerate() {
            *bits = L::load(&self.words[(plane * self.positions + position) * L::WORDS..]);
        }
        planes
    }
}

/// Returns the bits in which any plane differs.
#[inline(always)]
fn different<L: Simd, const P: usize>(a: &[L; P], b: &[L; P]) -> L {
    let mut differs = a[0].xor(b[0]);
    for plane in 1..P {
        differs = differs.or(a[plane].xor(b[plane]));
    }
    differs
}

/// Compares the planes of two strings for each pair.
pub(super) struct PlanesWithPlanes<'a, L, const P: usize, const STEPS: usize> {
    rows: PlaneView<'a>,
    columns: PlaneView<'a>,
    selected: [[L; P]; STEPS],
}

impl<'a, L: Simd, const P: usize, const STEPS: usize> PlanesWithPlanes<'a, L, P, STEPS> {
    #[inline(always)]
    pub(super) fn new(rows: PlaneView<'a>, columns: PlaneView<'a>) -> Self {
        PlanesWithPlanes { rows, columns, selected: [[L::zero(); P]; STEPS] }
    }
}

impl<L: Simd, const P: usize, const STEPS: usize> Comparison<L, STEPS> for PlanesWithPlanes<'_, L, P, STEPS> {
    type Row = [L; P];

    #[inline(always)]
    fn select(&mut self, first: usize) {
        for (at, planes) in self.selected.iter_mut().enumerate() {
            *planes = self.columns.load(first + at);
        }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> [L; P] {
        self.rows.load(row)
    }

    #[inline(always)]
    fn differs(&self, row: [L; P], at: usize) -> L {
        different(&row, &self.selected[at])
    }
}

/// Compares the symbols of one query with the planes of many targets. Each distinct symbol of the query is compared
/// once for each column.
pub(super) struct QueryWithPlanes<'a, L, const STEPS: usize> {
    query: &'a QuerySymbols,
    columns: PlaneView<'a>,
    /// The result for each distinct symbol, `[symbol][column]`.
    table: &'a mut [u64],
    vector: std::marker::PhantomData<L>,
}

/// The symbols of a query.
#[derive(Default)]
pub(super) struct QuerySymbols {
    /// The distinct bytes.
    distinct: Vec<u8>,
    /// The index in `distinct` of each symbol.
    rows: Vec<u8>,
    /// The bits of a byte that are compared.
    bits: Vec<u8>,
}

impl QuerySymbols {
    /// Replaces the query. `bits` are the bits of a byte that differ between different symbols.
    pub(super) fn set(&mut self, query: &[u8], bits: &[u8]) {
        self.distinct.clear();
        self.rows.clear();
        for &byte in query {
            let index = self.distinct.iter().position(|&known| known == byte).unwrap_or_else(|| {
                self.distinct.push(byte);
                self.distinct.len() - 1
            });
            self.rows.push(index as u8);
        }
        bits.clone_into(&mut self.bits);
    }

    /// Returns the number of distinct symbols.
    pub(super) fn distinct(&self) -> usize {
        self.distinct.len()
    }
}

impl<'a, L: Simd, const STEPS: usize> QueryWithPlanes<'a, L, STEPS> {
    /// `table` must have `STEPS` vectors for each distinct symbol.
    #[inline(always)]
    pub(super) fn new(query: &'a QuerySymbols, columns: PlaneView<'a>, table: &'a mut [u64]) -> Self {
        QueryWithPlanes { query, columns, table, vector: std::marker::PhantomData }
    }
}

impl<L: Simd, const STEPS: usize> Comparison<L, STEPS> for QueryWithPlanes<'_, L, STEPS> {
    type Row = usize;

    #[inline(always)]
    fn select(&mut self, first: usize) {
        let table = self.table.chunks_exact_mut(STEPS * L::WORDS);
        for (&byte, table) in self.query.distinct.iter().zip(table) {
            let mut different = [L::zero(); STEPS];
            for (plane, bit) in self.query.bits.iter().enumerate() {
                let bits = L::splat(u64::from(byte >> bit & 1).wrapping_neg());
                let start = (plane * self.columns.positions + first) * L::WORDS;
                let columns = &self.columns.words[start..][..STEPS * L::WORDS];
                for (different, column) in different.iter_mut().zip(columns.chunks_exact(L::WORDS)) {
                    *different = different.or(bits.xor(L::load(column)));
                }
            }
            for (different, table) in different.iter().zip(table.chunks_exact_mut(L::WORDS)) {
                different.store(table);
            }
        }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> usize {
        usize::from(self.query.rows[row]) * STEPS * L::WORDS
    }

    #[inline(always)]
    fn differs(&self, row: usize, at: usize) -> L {
        L::load(&self.table[row..][..STEPS * L::WORDS][at * L::WORDS..])
    }
}

/// A sum for each pair, `[bit]` from the lowest.
struct BitSums<L>([L; SUM_BITS]);

impl<L: Simd> BitSums<L> {
    /// Adds two bits to the lowest bits `sum` of the sums. Returns the carry.
    #[inline(always)]
    fn add_two(sum: &mut L, a: L, b: L) -> L {
        let half = a.xor(b);
        let carry = a.and(b).or(half.and(*sum));
        *sum = half.xor(*sum);
        carry
    }

    /// Adds eight bits of each pair. The sums have `bits` bits.
    #[inline(always)]
    fn add_eight(&mut self, x: &[L; 8], bits: usize) {
        let [ones, twos, fours, ..] = &mut self.0;
        let a = Self::add_two(ones, x[0], x[1]);
        let b = Self::add_two(ones, x[2], x[3]);
        let c = Self::add_two(ones, x[4], x[5]);
        let d = Self::add_two(ones, x[6], x[7]);
        let ab = Self::add_two(twos, a, b);
        let cd = Self::add_two(twos, c, d);
        let mut carry = Self::add_two(fours, ab, cd);
        for bit in &mut self.0[3..bits] {
            let before = *bit;
            *bit = before.xor(carry);
            carry = carry.and(before);
        }
    }
}

/// The size of the matrices and the masks of their columns.
pub(super) struct Shape<'a> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// For each column, a vector with a bit for each pair that has the column. The number of these vectors is a
    /// multiple of the number of columns that are computed at a time.
    pub(super) within: &'a [u64],
}

/// Computes all cells. Writes the sum of each pair to `sums`, a vector for each of [`SUM_BITS`] bits. `deltas` has room
/// for the vertical differences of all rows.
#[inline(always)]
pub(super) fn compute<L: Simd, R: Recurrence, C: Comparison<L, STEPS>, const STEPS: usize>(
    shape: &Shape<'_>,
    mut comparison: C,
    deltas: &mut [u64],
    sums: &mut [u64],
) {
    for row in deltas.chunks_exact_mut(R::BITS * L::WORDS).take(shape.rows) {
        for (words, first) in row.chunks_exact_mut(L::WORDS).zip(R::FIRST_COLUMN) {
            words.fill(first);
        }
    }
    // The sums are at most twice the number of columns.
    let bits = (usize::BITS - (2 * shape.columns).leading_zeros()).max(4) as usize;
    let mut sum = BitSums([L::zero(); SUM_BITS]);
    for first in (0..shape.columns).step_by(STEPS) {
        comparison.select(first);
        let mut horizontal = [[L::splat(R::FIRST_ROW[0]), L::splat(R::FIRST_ROW[1])]; STEPS];
        for (row, deltas) in deltas.chunks_exact_mut(R::BITS * L::WORDS).take(shape.rows).enumerate() {
            let symbol = comparison.row(row);
            let mut vertical = [L::zero(); 2];
            for (bits, words) in vertical.iter_mut().zip(deltas.chunks_exact(L::WORDS)) {
                *bits = L::load(words);
            }
            for (at, horizontal) in horizontal.iter_mut().enumerate() {
                R::cell(comparison.differs(symbol, at), &mut vertical, horizontal);
            }
            for (bits, words) in vertical.iter().zip(deltas.chunks_exact_mut(L::WORDS)) {
                bits.store(words);
            }
        }
        let mut within = [L::zero(); STEPS];
        for (at, within) in within.iter_mut().enumerate() {
            *within = L::load(&shape.within[(first + at) * L::WORDS..]);
        }
        let addends = R::addends(&horizontal, &within);
        for eight in addends.iter().take(R::BITS * STEPS / 8) {
            sum.add_eight(eight, bits);
        }
    }
    for (bits, words) in sum.0.iter().zip(sums.chunks_exact_mut(L::WORDS)) {
        bits.store(words);
    }
}
