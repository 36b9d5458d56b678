//! The part of the target that a tile reads, and the row of horizontal differences between two strips.
//!
//! All arrays are in descending order of columns. So a vector that starts at the position of a column x holds x, x - 1,
//! x - 2 and so on, which are the columns of the blocks of a strip.

use std::ops::Range;

use super::symbols::CodedPair;
use crate::EditModel;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};

/// The bit of a word that holds its difference: the bit of the last row of a block.
pub(super) const DIFFERENCE: u64 = 1 << 63;

/// Columns of the target, and differences in the row between two strips.
#[derive(Debug, Default)]
pub(super) struct TargetWindow {
    /// The position of column 0, as if it were in the window.
    origin: usize,
    /// Number of positions.
    length: usize,
    /// A word for each plane and position. All its bits are equal.
    planes: Vec<u64>,
    /// A word for each position, in which the bit [`DIFFERENCE`] is set if the difference is +1.
    plus: Vec<u64>,
    /// A word for each position, in which the bit [`DIFFERENCE`] is set if the difference is -1.
    minus: Vec<u64>,
}

impl TargetWindow {
    /// Makes a window for steps of the columns `columns` in strips of `blocks` blocks, in vectors of `words` words. The
    /// differences in the row above are those of the first row of the matrix.
    pub(super) fn set(&mut self, isa: Isa, shape: WindowShape, symbols: &CodedPair) {
        let WindowShape { columns, blocks, words, .. } = shape;
        self.origin = columns.end - 1 + words - 1;
        self.length = columns.len() + blocks + words;
        // Columns outside the target keep arbitrary codes, because no cell of the matrix depends on them.
        self.planes.resize(symbols.planes() * self.length, 0);
        self.plus.clear();
        self.plus.resize(self.length, border(shape.model));
        self.minus.clear();
        self.minus.resize(self.length, 0);
        // Column x is symbol x - 1 of the target.
        let skipped = self.origin.saturating_sub(symbols.target().len());
        let end = self.origin.min(self.length);
        if skipped < end {
            let codes = &symbols.target()[self.origin - end..self.origin - skipped];
            for (plane, words) in self.planes.chunks_exact_mut(self.length).enumerate() {
                isa.run(SpreadPlane { codes, plane, words: &mut words[skipped..end] });
            }
        }
    }

    /// Returns the position of a column.
    #[inline(always)]
    pub(super) fn position(&self, column: usize) -> usize {
        self.origin - column
    }

    /// Returns the positions that steps of the columns `columns` of a strip with `vectors` vectors of type `L` access.
    #[inline(always)]
    pub(super) fn view<L: Simd, const P: usize>(
        &mut self,
        columns: &Range<usize>,
        vectors: usize,
    ) -> WindowView<'_, P> {
        let low = self.position(columns.end - 1) + 1 - L::WORDS;
        let length = columns.len() + L::WORDS * (vectors + 1) - 2;
        let mut planes = [&self.planes[..0]; P];
        for (plane, words) in planes.iter_mut().enumerate() {
            *words = &self.planes[plane * self.length + low..][..length];
        }
        let (plus, minus) = (&mut self.plus[low..][..length], &mut self.minus[low..][..length]);
        WindowView { planes, plus, minus }
    }

    /// Returns the sum of the differences of the row in a range of columns.
    pub(super) fn sum(&self, isa: Isa, columns: Range<usize>) -> i64 {
        if columns.is_empty() {
            return 0;
        }
        let positions = self.positions(columns);
        isa.run(SumRow { plus: &self.plus[positions.clone()], minus: &self.minus[positions] })
    }

    /// Sets the differences of the row in a range of columns to those of the border of the matrix.
    pub(super) fn set_border(&mut self, columns: Range<usize>, model: EditModel) {
        for column in columns.start..columns.end.min(self.origin + 1) {
            let position = self.position(column);
            (self.plus[position], self.minus[position]) = (border(model), 0);
        }
    }

    /// Appends the differences of the row in a range of columns to `packed`, in two words for each 64 columns.
    pub(super) fn pack(&self, isa: Isa, columns: Range<usize>, packed: &mut Vec<u64>) {
        for start in columns.clone().step_by(64) {
            let positions = self.positions(start..columns.end.min(start + 64));
            packed.push(isa.run(PackRow(&self.plus[positions.clone()])));
            packed.push(isa.run(PackRow(&self.minus[positions])));
        }
    }

    /// Sets the differences of the row in a range of columns to those that [`TargetWindow::pack`] stored.
    pub(super) fn unpack(&mut self, isa: Isa, columns: Range<usize>, packed: &[u64]) {
        for (start, bits) in columns.clone().step_by(64).zip(packed.as_chunks::<2>().0) {
            let positions = self.positions(start..columns.end.min(start + 64));
            isa.run(UnpackRow { bits: bits[0], words: &mut self.plus[positions.clone()] });
            isa.run(UnpackRow { bits: bits[1], words: &mut self.minus[positions] });
        }
    }

    /// Returns the positions of a range of columns that is not empty.
    fn positions(&self, columns: Range<usize>) -> Range<usize> {
        self.position(columns.end - 1)..self.position(columns.start) + 1
    }
}

/// A range of the positions of a window. All slices have the same length, so that the compiler can check an index once
/// for all planes: a step of one vector with 5 planes took twice the time with separate checks.
pub(super) struct WindowView<'a, const P: usize> {
    planes: [&'a [u64]; P],
    plus: &'a mut [u64],
    minus: &'a mut [u64],
}

impl<const P: usize> WindowView<'_, P> {
    /// Loads the codes from a position on.
    #[inline(always)]
    pub(super) fn load_planes<L: Simd>(&self, position: usize) -> [L; P] {
        let mut planes = [L::zero(); P];
        for (vector, words) in planes.iter_mut().zip(&self.planes) {
            *vector = L::load(&words[position..]);
        }
        planes
    }

    /// Loads the differences of the row from a position on.
    #[inline(always)]
    pub(super) fn load_above<L: Simd>(&self, position: usize, differences: usize) -> [L; 2] {
        let plus = L::load(&self.plus[position..]);
        [plus, if differences == 2 { L::load(&self.minus[position..]) } else { plus }]
    }

    /// Stores the differences of the row from a position on. Those of higher columns, at lower positions, are not
    /// touched.
    #[inline(always)]
    pub(super) fn store_below<L: Simd>(&mut self, position: usize, differences: usize, row: &[L; 2]) {
        row[0].store(&mut self.plus[position..]);
        if differences == 2 {
            row[1].store(&mut self.minus[position..]);
        }
    }
}

/// Sets all bits of each word to one bit of a code. The words are in descending order of the codes.
///
/// These operations are loops that the compiler turns into instructions of the chosen set.
struct SpreadPlane<'a> {
    codes: &'a [u8],
    plane: usize,
    words: &'a mut [u64],
}

impl SimdOp for SpreadPlane<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        for (word, code) in self.words.iter_mut().zip(self.codes.iter().rev()) {
            *word = 0u64.wrapping_sub(u64::from(code >> self.plane & 1));
        }
    }
}

/// Sums the differences of a row.
struct SumRow<'a> {
    plus: &'a [u64],
    minus: &'a [u64],
}

impl SimdOp for SumRow<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<L: Simd>(self) -> i64 {
        let differences = self.plus.iter().zip(self.minus);
        differences.map(|(plus, minus)| (plus >> 63) as i64 - (minus >> 63) as i64).sum()
    }
}

/// Packs the differences of at most 64 words, the last word to the lowest bit.
struct PackRow<'a>(&'a [u64]);

impl SimdOp for PackRow<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Simd>(self) -> u64 {
        let last = self.0.len() - 1;
        self.0.iter().enumerate().fold(0, |bits, (index, word)| bits | word >> 63 << (last - index))
    }
}

/// Reverses [`PackRow`]. Only the highest bits of the words are defined.
struct UnpackRow<'a> {
    bits: u64,
    words: &'a mut [u64],
}

impl SimdOp for UnpackRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let bits = self.bits << (64 - self.words.len());
        for (index, word) in self.words.iter_mut().enumerate() {
            *word = bits << index;
        }
    }
}

/// The size of a window.
#[derive(Debug, Clone)]
pub(super) struct WindowShape {
    pub(super) model: EditModel,
    /// The columns of the first blocks of all strips.
    pub(super) columns: Range<usize>,
    /// Number of blocks in a strip.
    pub(super) blocks: usize,
    /// Number of words in a vector.
    pub(super) words: usize,
}

/// Returns the bits of the difference in the first row of the matrix: +1 for the Levenshtein distance, and 0 for the
/// longest common subsequence.
fn border(model: EditModel) -> u64 {
    match model {
        EditModel::Levenshtein => DIFFERENCE,
        EditModel::Indel => 0,
    }
}
