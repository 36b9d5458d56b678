//! Alignments of patterns between exact groups.
//!
//! These are the values and the order of steps of [`matrix`](super::matrix), for edits of cost 1: Sellers' matrix
//! (1980) in the band of k diagonals on either side of the main diagonal. A cell is a byte, and a symbol of the text is
//! compared by its mask. Time is O(m k) for each hit.

use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::encoder::Code;
use crate::pattern::EdgeGroups;

/// Reusable memory for the matrix of one hit at a time.
#[derive(Default)]
pub(super) struct AnchoredMatrix {
    /// For each cell, the least cost from it to a start of the match, or k + 1 if that is larger. A row holds, by
    /// diagonal, the cells with the same number of pattern symbols passed from the end. The first and the last cell of
    /// a row are never reached.
    cells: Vec<u8>,
    runs: BackwardRuns,
}

/// A pattern of up to 64 symbols, and the text before the end of its match, last symbol first; or the pattern and the
/// text after the start of its match, with the mirrored pattern in place of the pattern.
pub(super) struct AnchoredProblem<'a> {
    pub(super) length: usize,
    pub(super) k: usize,
    pub(super) groups: EdgeGroups,
    /// For each code, a bit for each symbol of the pattern that it matches, the last symbol in the lowest bit.
    pub(super) masks: &'a [u64],
    pub(super) text: &'a [Code],
}

/// The costs of the steps from the cells of a row.
#[derive(Clone, Copy)]
struct StepCosts {
    substitution: u8,
    insertion: u8,
    deletion: u8,
}

/// The dimensions of a matrix.
#[derive(Clone, Copy)]
struct MatrixBand {
    length: usize,
    k: usize,
    /// The number of text symbols.
    text: usize,
}

impl AnchoredMatrix {
    /// Returns the operations of the best match whose end is the start of the text of `problem`; none if there
    /// is no match.
    pub(super) fn cigar(&mut self, problem: &AnchoredProblem<'_>) -> Cigar {
        let band = MatrixBand { length: problem.length, k: problem.k, text: problem.text.len() };
        self.fill(problem, band);
        self.runs.clear();
        let far = band.far();
        let (mut row, mut diagonal) = (0, band.k);
        let mut here = self.cells[band.index(row, diagonal)];
        while here < far && (row < band.length || band.covered(row, diagonal) == Some(0)) {
            let costs = problem.costs(row, far);
            let symbol = band.covered(row, diagonal).and_then(|covered| problem.text.get(covered));
            let is_match = row < band.length && symbol.is_some_and(|&code| problem.matches(row, code));
            let aligned = if is_match { 0 } else { costs.substitution };
            let at = |row, diagonal| self.cells[band.index(row, diagonal)];
            if row < band.length && symbol.is_some() && at(row + 1, diagonal) + aligned == here {
                self.runs.push(1, if is_match { Edit::Match } else { Edit::Substitution });
                row += 1;
            } else if row < band.length && diagonal > 0 && at(row + 1, diagonal - 1) + costs.deletion == here {
                self.runs.push(1, Edit::PatternOnly);
                (row, diagonal) = (row + 1, diagonal - 1);
            } else {
                self.runs.push(1, Edit::TextOnly);
                diagonal += 1;
            }
            here = self.cells[band.index(row, diagonal)];
        }
        self.runs.cigar()
    }

    fn fill(&mut self, problem: &AnchoredProblem<'_>, band: MatrixBand) {
        let far = band.far();
        self.cells.clear();
        self.cells.resize((band.length + 1) * band.stride(), far);
        let stride = band.stride();
        for row in (0..=band.length).rev() {
            let costs = problem.costs(row, far);
            let (here, next) = self.cells[row * stride..].split_at_mut(stride);
            let last = (band.text + band.k).saturating_sub(row).min(2 * band.k);
            let first = band.k.saturating_sub(row);
            for diagonal in (first..=last).rev() {
                // The first cell of a row is never reached.
                let at = diagonal + 1;
                let covered = row + diagonal - band.k;
                let symbol = problem.text.get(covered);
                let mut value = far;
                if row < band.length {
                    if let Some(&code) = symbol {
                        value = value.min(next[at] + if problem.matches(row, code) { 0 } else { costs.substitution });
                    }
                    value = value.min(next[at - 1] + costs.deletion);
                } else if covered > 0 {
                    value = 0;
                }
                if symbol.is_some() {
                    value = value.min(here[at + 1] + costs.insertion);
                }
                here[at] = value;
            }
        }
    }
}

impl AnchoredProblem<'_> {
    /// Returns whether a symbol of the text matches the pattern symbol before the last `row`.
    #[inline]
    fn matches(&self, row: usize, code: Code) -> bool {
        self.masks[usize::from(code)] >> row & 1 == 1
    }

    /// Returns the costs of the steps from cells that have passed the last `row` symbols of the pattern. Steps that are
    /// not allowed cost `far`.
    fn costs(&self, row: usize, far: u8) -> StepCosts {
        let EdgeGroups { before, after } = self.groups;
        let is_locked = row < after || row >= self.length - before;
        let is_inside = row > 0 && (row < after || row > self.length - before && row < self.length);
        let edit = if is_locked { far } else { 1 };
        StepCosts { substitution: edit, deletion: edit, insertion: if is_inside { far } else { 1 } }
    }
}

impl MatrixBand {
    /// Returns a cost that exceeds that of every match.
    fn far(self) -> u8 {
        self.k as u8 + 1
    }

    /// Returns the number of cells in a row.
    fn stride(self) -> usize {
        2 * self.k + 3
    }

    fn index(self, row: usize, diagonal: usize) -> usize {
        row * self.stride() + diagonal + 1
    }

    /// Returns the number of text symbols that a cell has passed.
    fn covered(self, row: usize, diagonal: usize) -> Option<usize> {
        (row + diagonal).checked_sub(self.k)
    }
}
