//! Alignments of short pairs: two bits per cell of the matrix encode the step back from the cell.
//!
//! For m and n symbols, an alignment takes O(n⌈m/64⌉) time and memory for the matrix, and O(m + n) time for the walk.

use super::blocks::{ROWS, StepBits, StepSink, sweep};
use crate::pairs::Pair;
use crate::{EditModel, PairAlignment};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};
use nigh_text::alignment::{BackwardRuns, Edit};

/// The steps, in the order in which a walk prefers them.
const EDITS: [Edit; 4] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];

/// Reusable buffers for alignments.
#[derive(Default)]
pub(super) struct PairTrace {
    /// The steps of all columns, `[word][column]`.
    steps: Vec<StepBits>,
    /// The number of columns.
    columns: usize,
    runs: BackwardRuns,
}

impl PairTrace {
    /// Aligns a pair.
    pub(super) fn align(&mut self, isa: Isa, model: EditModel, pair: Pair<'_>) -> PairAlignment {
        self.columns = pair.target.len();
        let length = pair.query.len().div_ceil(ROWS) * self.columns;
        if self.steps.len() < length {
            self.steps.resize(length, StepBits::default());
        }
        let value = isa.run(TracedSweep { model, pair, trace: self });
        self.walk(pair);
        PairAlignment {
            value: value.into(),
            query: 0..pair.query.len(),
            target: 0..pair.target.len(),
            cigar: self.runs.cigar(),
        }
    }

    /// Walks from the last cell to the first.
    fn walk(&mut self, pair: Pair<'_>) {
        self.runs.clear();
        let (mut row, mut column) = (pair.query.len(), pair.target.len());
        while row > 0 && column > 0 {
            let steps = self.steps[(row - 1) / ROWS * self.columns + column - 1];
            let bit = (row - 1) % ROWS;
            let edit = EDITS[((steps.high >> bit & 1) << 1 | steps.low >> bit & 1) as usize];
            row -= usize::from(edit != Edit::TextOnly);
            column -= usize::from(edit != Edit::PatternOnly);
            self.runs.push(1, edit);
        }
        self.runs.push(row, Edit::PatternOnly);
        self.runs.push(column, Edit::TextOnly);
    }
}

impl StepSink for PairTrace {
    #[inline(always)]
    fn take(&mut self, word: usize, column: usize, steps: StepBits) {
        self.steps[word * self.columns + column] = steps;
    }
}

/// Computes the matrix of a pair and keeps its steps.
struct TracedSweep<'a> {
    model: EditModel,
    pair: Pair<'a>,
    trace: &'a mut PairTrace,
}

impl SimdOp for TracedSweep<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<L: Simd>(self) -> i32 {
        sweep::<L>(self.model, self.pair, self.trace)
    }
}
