//! Bit-parallel recurrences of approximate matching: the differences of a cell from those of its neighbours, with
//! substitutions (Levenshtein), without (indel distance), or with transpositions too (optimal string alignment).
//!
//! The caller chooses the first row ([`TopDifference`]). It is 0 in Sellers' matrix, where a match may start anywhere.
//! It rises by one per column if a match must start at the first column, as in a comparison of whole strings.
//! Neighbouring cells differ by -1, 0 or +1 in all models. The two models without transpositions differ in one case
//! only: the symbols differ, and the cells above and to the left are both one more than the upper-left cell. Then a
//! substitution makes the cell one more than the upper-left cell, but a deletion and an insertion make it two more. A
//! column of 64 rows takes O(1) word operations. A cell takes O(1) vector operations for all streams of a vector.
//!
//! With transpositions a cell also equals its upper-left neighbour if the two last symbols of pattern and text are
//! exchanged, and that neighbour is one more than its own upper-left neighbour. If they are exchanged, the cell to the
//! left is no more than the upper-left one, because a match leads to it. So such a cell has the same effect as one
//! whose symbols match, and the step is Levenshtein's with the rows of `PassedColumn::transposed` added to those that
//! match (Hyyrö 2003).
//!
//! - G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999.
//! - H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003, for the form used
//!   here.
//! - H. Hyyrö, Y. Pinzon and A. Shinohara, "Fast bit-vector algorithms for approximate string matching under indel
//!   distance", 2005.

use nigh_simd::vector::Simd;

/// The result of one column step in one block, one bit per row.
pub struct Step {
    /// Rows whose cell equals its upper-left neighbour (diagonal difference 0).
    pub d0: u64,
    /// Rows whose cell is one more than the cell above it.
    pub pv: u64,
    /// Rows whose cell is one less than the cell above it.
    pub mv: u64,
    /// Rows whose cell is one more than the cell to its left.
    pub ph: u64,
    /// Rows whose cell is one less than the cell to its left.
    pub mh: u64,
}

/// The horizontal difference in the row above a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TopDifference {
    /// 1 if the difference is +1, else 0.
    pub plus: u64,
    /// 1 if the difference is -1, else 0.
    pub minus: u64,
}

impl TopDifference {
    /// Difference 0: a match may start at any column.
    pub const FREE: TopDifference = TopDifference { plus: 0, minus: 0 };
    /// Difference +1: a match can start only before the first column.
    pub const RISING: TopDifference = TopDifference { plus: 1, minus: 0 };
}

impl Step {
    /// Returns the horizontal difference in row `row` of the block. In the last row, it is the input of the block
    /// below.
    #[inline(always)]
    pub fn below(&self, row: usize) -> TopDifference {
        TopDifference { plus: self.ph >> row & 1, minus: self.mh >> row & 1 }
    }
}

/// The recurrence of an edit model, a `SearchEdits`.
pub trait CellRecurrence {
    /// Whether transpositions are edits. The caller then counts the rows of `PassedColumn::transposed` as rows that
    /// match.
    const TRANSPOSES: bool = false;
    /// The two bits that encode the difference 0 in streams, each repeated in all bits of a word.
    const LEVEL: [u64; 2];
    /// The two bits that encode the difference +1 in streams, each repeated in all bits of a word.
    const RISING: [u64; 2];

    /// Computes the next column of one block. `eq` has a bit for each row whose pattern symbol matches the text symbol.
    fn step(eq: u64, pv: u64, mv: u64, above: TopDifference) -> Step;

    /// Computes one cell in all streams. `eq` has a bit for each stream whose symbol matches. Replaces the vertical
    /// difference left of the cell, and the horizontal difference above it, by those of the cell. A difference takes
    /// two bits. The first depends on the model, the second is set for -1. Returns the streams in which the cell equals
    /// its upper-left neighbour.
    fn cell<L: Simd>(eq: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) -> L;

    /// Returns the streams with difference +1.
    fn rising<L: Simd>(difference: [L; 2]) -> L;
}

/// A column of one block, with the data that transpositions in the next column need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PassedColumn {
    /// Rows whose pattern symbol matches the text symbol.
    pub(super) eq: u64,
    /// Rows whose cell is one more than its upper-left neighbour.
    pub(super) rising: u64,
}

impl PassedColumn {
    /// Returns the rows that may be the first row of a transposition, if the next text symbol matches the rows `eq`.
    #[inline(always)]
    pub(super) fn first_rows(self, eq: u64) -> u64 {
        self.rising & eq
    }

    /// Returns the rows that are the second row of a transposition. `first` has the rows that may be the first row.
    /// `above` is 1 if the row above the block may be such a row.
    #[inline(always)]
    pub(super) fn transposed(self, first: u64, above: u64) -> u64 {
        (first << 1 | above) & self.eq
    }
}

/// Returns the rows whose cell equals its upper-left neighbour. If the cell is also less than the cell to its left, the
/// row below it has such a cell too; the sum carries this down runs of rows that rise in the column before.
#[inline(always)]
fn equal_diagonals(eq: u64, pv: u64, mv: u64, above: TopDifference) -> u64 {
    let x = eq | above.minus;
    ((x & pv).wrapping_add(pv) ^ pv) | x | mv
}

/// Levenshtein distance. In streams, the first bit of a difference is set for +1, and the second bit for -1.
pub struct LevenshteinEdits;

impl CellRecurrence for LevenshteinEdits {
    const LEVEL: [u64; 2] = [0, 0];
    const RISING: [u64; 2] = [!0, 0];

    #[inline(always)]
    fn step(eq: u64, pv: u64, mv: u64, above: TopDifference) -> Step {
        let d0 = equal_diagonals(eq, pv, mv, above);
        let ph = mv | !(d0 | pv);
        let mh = pv & d0;
        let ph_down = ph << 1 | above.plus;
        let mh_down = mh << 1 | above.minus;
        Step { d0, pv: mh_down | !(d0 | ph_down), mv: ph_down & d0, ph, mh }
    }

    #[inline(always)]
    fn cell<L: Simd>(eq: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) -> L {
        let ([pv, mv], [ph, mh]) = (*vertical, *horizontal);
        let d0 = eq.or3(mv, mh);
        *horizontal = [mv.or_nor(d0, pv), pv.and(d0)];
        *vertical = [mh.or_nor(d0, ph), ph.and(d0)];
        d0
    }

    #[inline(always)]
    fn rising<L: Simd>(difference: [L; 2]) -> L {
        difference[0]
    }
}

/// Indel distance. In streams, the first bit of a difference is set for 0, and the second bit for -1. With bits for +1
/// and -1, a cell would take seven three-input operations instead of six.
pub(super) struct IndelEdits;

impl CellRecurrence for IndelEdits {
    const LEVEL: [u64; 2] = [!0, 0];
    const RISING: [u64; 2] = [0, 0];

    #[inline(always)]
    fn step(eq: u64, pv: u64, mv: u64, above: TopDifference) -> Step {
        let d0 = equal_diagonals(eq, pv, mv, above);
        let mh = pv & d0;
        let mh_down = mh << 1 | above.minus;
        // The rows in `rises` are those of Levenshtein's recurrence. A row in `passes` is also one more than the cell
        // to its left if the row above it is; the sum carries this down runs of such rows.
        let rises = mv | !(d0 | pv);
        let passes = pv & !d0;
        let ph_down = (rises | passes).wrapping_add(rises).wrapping_add(above.plus) ^ passes;
        let ph = rises | passes & ph_down;
        Step { d0, pv: mh_down | !(d0 | ph_down & !pv), mv: ph_down & d0, ph, mh }
    }

    #[inline(always)]
    fn cell<L: Simd>(eq: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) -> L {
        let ([zv, mv], [zh, mh]) = (*vertical, *horizontal);
        let d0 = eq.or3(mv, mh);
        // Where d0 is not set, a difference of 0 becomes +1 and one of +1 becomes 0, unless both are +1.
        let changes = d0.and_not(zv.or(zh));
        *horizontal = [zv.xor(changes), zv.or(mv).and_not(d0)];
        *vertical = [zh.xor(changes), zh.or(mh).and_not(d0)];
        d0
    }

    #[inline(always)]
    fn rising<L: Simd>(difference: [L; 2]) -> L {
        difference[0].or(difference[1]).xor(L::ones())
    }
}

/// Optimal string alignment: Levenshtein distance with transpositions.
pub(super) struct StringAlignmentEdits;

impl CellRecurrence for StringAlignmentEdits {
    const TRANSPOSES: bool = true;
    const LEVEL: [u64; 2] = LevenshteinEdits::LEVEL;
    const RISING: [u64; 2] = LevenshteinEdits::RISING;

    #[inline(always)]
    fn step(eq: u64, pv: u64, mv: u64, above: TopDifference) -> Step {
        LevenshteinEdits::step(eq, pv, mv, above)
    }

    #[inline(always)]
    fn cell<L: Simd>(eq: L, vertical: &mut [L; 2], horizontal: &mut [L; 2]) -> L {
        LevenshteinEdits::cell(eq, vertical, horizontal)
    }

    #[inline(always)]
    fn rising<L: Simd>(difference: [L; 2]) -> L {
        LevenshteinEdits::rising(difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use nigh_simd::isa::Isa;
    use nigh_simd::vector::SimdOp;
    use nigh_text::alignment::SearchEdits;

    /// The differences of a cell from those of its neighbours, by the definition of the distance. The upper-left
    /// neighbour is 0.
    fn plain_cell(model: SearchEdits, is_equal: bool, vertical: i32, horizontal: i32) -> (i32, i32) {
        let substitution = if is_equal { 0 } else { model.edits_of_substitution() as i32 };
        let cell = substitution.min(vertical + 1).min(horizontal + 1);
        (cell - horizontal, cell - vertical)
    }

    fn bits(differences: impl IntoIterator<Item = i32>, wanted: i32) -> u64 {
        differences
            .into_iter()
            .zip(0..)
            .fold(0, |bits, (difference, row)| bits | u64::from(difference == wanted) << row)
    }

    /// Returns a block of random rows, or of long runs of equal rows.
    fn random_rows(rng: &mut Rng) -> Vec<i32> {
        let longest = *rng.choice(&[1, 8, 64]).unwrap();
        let mut rows = Vec::new();
        while rows.len() < 64 {
            let value = rng.i32(-1..=1);
            rows.extend(std::iter::repeat_n(value, rng.usize(1..=longest)));
        }
        rows.truncate(64);
        rows
    }

    fn check_steps<R: CellRecurrence>(model: SearchEdits) {
        let mut rng = Rng::with_seed(1);
        for case in 0..20_000 {
            let rows = random_rows(&mut rng);
            let eq = rng.u64(..) & rng.u64(..) & if rng.bool() { !0 } else { rng.u64(..) & rng.u64(..) };
            let above = rng.i32(-1..=1);
            let [plus, minus] = [above == 1, above == -1].map(u64::from);
            let step = R::step(eq, bits(rows.clone(), 1), bits(rows.clone(), -1), TopDifference { plus, minus });
            let (mut vertical, mut horizontal, mut diagonal, mut top) = (Vec::new(), Vec::new(), Vec::new(), above);
            for (row, &left) in rows.iter().enumerate() {
                let (down, right) = plain_cell(model, eq >> row & 1 == 1, left, top);
                diagonal.push(down + top);
                vertical.push(down);
                horizontal.push(right);
                top = right;
            }
            let expected = [bits(diagonal, 0), bits(vertical.clone(), 1), bits(vertical, -1)];
            assert_eq!([step.d0, step.pv, step.mv], expected, "case {case}, {model:?}, {rows:?}, {eq:x}, {above}");
            let expected = [bits(horizontal.clone(), 1), bits(horizontal, -1)];
            assert_eq!([step.ph, step.mh], expected, "case {case}, {model:?}, {rows:?}, {eq:x}, {above}");
            assert!(step.below(63) == TopDifference { plus: step.ph >> 63, minus: step.mh >> 63 });
        }
    }

    #[test]
    fn a_column_step_equals_a_plain_program() {
        check_steps::<LevenshteinEdits>(SearchEdits::Levenshtein);
        check_steps::<IndelEdits>(SearchEdits::Indel);
    }

    /// All cells: a stream for each pair of differences, with equal and with different symbols.
    struct AllCells<R>(SearchEdits, std::marker::PhantomData<R>);

    impl<R: CellRecurrence> AllCells<R> {
        /// Returns the vectors of a difference.
        fn encode<L: Simd>(model: SearchEdits, differences: &[i32]) -> [L; 2] {
            let of = |wanted| bits(differences.iter().copied(), wanted);
            let first = if model == SearchEdits::Indel { of(0) } else { of(1) };
            [L::splat(first), L::splat(of(-1))]
        }

        fn word<L: Simd>(vector: L) -> u64 {
            let mut words = [0; 8];
            vector.store(&mut words);
            assert!(words[..L::WORDS].iter().all(|&word| word == words[0]));
            words[0]
        }
    }

    impl<R: CellRecurrence> SimdOp for AllCells<R> {
        type Output = ();

        fn run<L: Simd>(self) {
            let model = self.0;
            let cells = (0..18).map(|cell| (cell % 2 == 1, cell / 2 % 3 - 1, cell / 6 - 1));
            let cells: Vec<(bool, i32, i32)> = cells.collect();
            let [mut vertical, mut horizontal] = [|cell: &(bool, i32, i32)| cell.1, |cell: &(bool, i32, i32)| cell.2]
                .map(|difference| Self::encode::<L>(model, &cells.iter().map(difference).collect::<Vec<_>>()));
            let eq = L::splat(bits(cells.iter().map(|cell| i32::from(cell.0)), 1));
            R::cell(eq, &mut vertical, &mut horizontal);
            let expected = cells.iter().map(|&(is_equal, left, top)| plain_cell(model, is_equal, left, top));
            let (down, right): (Vec<i32>, Vec<i32>) = expected.unzip();
            for (found, expected) in [(vertical, down), (horizontal, right)] {
                let inside = (1 << cells.len()) - 1;
                let encoded = Self::encode::<L>(model, &expected);
                assert_eq!(found.map(|bits| Self::word(bits) & inside), encoded.map(Self::word), "{model:?}");
                assert_eq!(Self::word(R::rising(found)) & inside, bits(expected, 1), "{model:?}");
            }
        }
    }

    #[test]
    fn every_cell_of_streams_equals_a_plain_program() {
        for isa in Isa::all() {
            isa.run(AllCells::<LevenshteinEdits>(SearchEdits::Levenshtein, std::marker::PhantomData));
            isa.run(AllCells::<IndelEdits>(SearchEdits::Indel, std::marker::PhantomData));
        }
    }
}
