//! Inter-sequence alignment: a pair in each lane of a vector.
//!
//! All lanes go through the matrices of their pairs column by column, so that no step crosses lanes. Pairs of similar
//! lengths are compared together; the score of a lane is read at the last column of its target. A batch takes O(mn)
//! steps, with m and n the largest lengths in the batch. Scores of 8 bits are tried first if they may be enough.
//!
//! T. Rognes, "Faster Smith-Waterman database searches with inter-sequence SIMD parallelisation", 2011.

use super::steps::{ScoreRange, ScoredExtent, StepScores};
use super::symbols::{LaneScores, LaneSymbols};
use nigh_simd::int_lanes::{IntLanes, LaneInteger, MAX_LANES};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{LaneWidth, Simd, SimdOp};

/// The mapping between the scores of a batch and the integers of the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneScoreMapping {
    steps: StepScores,
    extent: ScoredExtent,
    /// The score that the integer 0 stands for.
    base: i32,
    /// Integers above this limit may be the results of an overflow.
    limit: i32,
}

impl LaneScoreMapping {
    /// Returns the mapping for integers of type `I` and matrices of at most `rows` and `columns` symbols. Returns
    /// `None` if the integers are too small. Scores of local alignments may still overflow.
    pub(super) fn new<I: LaneInteger>(
        steps: StepScores,
        extent: ScoredExtent,
        rows: usize,
        columns: usize,
    ) -> Option<Self> {
        let range = ScoreRange::whole(&steps, extent, rows, columns);
        let margin = i64::from(steps.margin());
        let base = range.low - margin - i64::from(I::LEAST);
        let (high, limit) = match extent {
            ScoredExtent::Global => (range.high, I::MOST),
            ScoredExtent::Local => (i64::from(steps.most), I::MOST - steps.most),
        };
        let fits = high - base <= i64::from(I::MOST) && margin <= i64::from(I::MOST);
        fits.then_some(LaneScoreMapping { steps, extent, base: base as i32, limit })
    }

    /// Returns the integer for the score of a gap over the first `length` symbols of a string; for local alignments,
    /// the integer for the score 0.
    fn border(&self, length: usize) -> i32 {
        match self.extent {
            ScoredExtent::Global => self.steps.border(length) - self.base,
            ScoredExtent::Local => -self.base,
        }
    }
}

/// The kernel for one type of integer, with its buffers.
#[derive(Debug, Default)]
pub(super) struct InterleavedKernel<I> {
    /// The best scores of a column, `[row][lane]`.
    best: Vec<I>,
    /// The best scores of alignments that end with a gap into the next column.
    gap: Vec<I>,
}

/// The score of each lane; `None` if the score does not fit.
pub(super) type LaneValues = [Option<i32>; MAX_LANES];

impl<I: LaneWidth> InterleavedKernel<I> {
    /// Compares the pairs of a batch. No string may be empty.
    pub(super) fn run<S: LaneSymbols<I>>(&mut self, isa: Isa, frame: LaneScoreMapping, symbols: &mut S) -> LaneValues {
        isa.run(InterleavedRun { kernel: self, frame, symbols })
    }
}

/// A batch, to be run on vectors.
struct InterleavedRun<'a, I, S> {
    kernel: &'a mut InterleavedKernel<I>,
    frame: LaneScoreMapping,
    symbols: &'a mut S,
}

impl<I: LaneWidth, S: LaneSymbols<I>> SimdOp for InterleavedRun<'_, I, S> {
    type Output = LaneValues;

    #[inline(always)]
    fn run<L: Simd>(self) -> LaneValues {
        match self.frame.extent {
            ScoredExtent::Local => self.columns::<I::On<L>, true>(),
            ScoredExtent::Global => self.columns::<I::On<L>, false>(),
        }
    }
}

/// The constants of a batch in vectors.
#[derive(Clone, Copy)]
struct LaneConstants<L> {
    first: L,
    extend: L,
    zero: L,
}

/// The state of a column while its rows are computed.
#[derive(Clone, Copy)]
struct RowState<L> {
    /// The best score of the row above, in the column to the left.
    diagonal: L,
    /// The best score of an alignment that ends in this row with a vertical gap.
    vertical: L,
    /// The largest score so far, of all columns.
    largest: L,
}

impl<I: LaneWidth, S: LaneSymbols<I>> InterleavedRun<'_, I, S> {
    #[inline(always)]
    fn columns<L: IntLanes<Integer = I>, const LOCAL: bool>(self) -> LaneValues {
        let InterleavedRun { kernel, frame, symbols } = self;
        let (rows, columns) = symbols.sizes();
        kernel.enter(&frame, rows, L::COUNT);
        let constants = LaneConstants {
            first: L::splat(frame.steps.first),
            extend: L::splat(frame.steps.extend),
            zero: L::splat(frame.border(0)),
        };
        let mut values = [None; MAX_LANES];
        let mut largest = constants.zero;
        let mut ended = 0;
        for column in 0..columns {
            let scores = symbols.column::<L>(column);
            let state = RowState {
                diagonal: L::splat(frame.border(column)),
                vertical: L::splat(frame.border(column + 1)).minus(constants.first),
                largest,
            };
            largest = column_of::<L, _, LOCAL>(kernel, scores, constants, state);
            while let Some((lane, rows)) = symbols.lane_with_end(ended, column + 1) {
                let integer = if LOCAL { lane_of(largest, lane) } else { kernel.best[(rows - 1) * L::COUNT + lane] };
                let integer: i32 = integer.into();
                values[lane] = (integer <= frame.limit).then_some(integer + frame.base);
                ended += 1;
            }
        }
        values
    }
}

impl<I: LaneInteger> InterleavedKernel<I> {
    /// Sets the scores of the column left of the first one.
    fn enter(&mut self, frame: &LaneScoreMapping, rows: usize, lanes: usize) {
        self.best.clear();
        self.gap.clear();
        for row in 0..rows {
            let border = frame.border(row + 1);
            self.best.resize((row + 1) * lanes, I::of(border));
            self.gap.resize((row + 1) * lanes, I::of(border - frame.steps.first));
        }
    }
}

/// Computes a column. Returns the largest score of this column and those before.
#[inline(always)]
fn column_of<L: IntLanes, R: LaneScores<L>, const LOCAL: bool>(
    kernel: &mut InterleavedKernel<L::Integer>,
    scores: R,
    constants: LaneConstants<L>,
    mut state: RowState<L>,
) -> L {
    let rows = kernel.best.chunks_exact_mut(L::COUNT).zip(kernel.gap.chunks_exact_mut(L::COUNT));
    for ((best, gap), score) in rows.zip(scores) {
        let previous = L::load(best);
        let entering = L::load(gap);
        let matched = state.diagonal.plus(score);
        if LOCAL {
            // A gap is never better than the cell in which it starts.
            state.largest = state.largest.max(matched);
        }
        let mut score = matched.max(entering);
        if LOCAL {
            score = score.max(constants.zero);
        }
        score = score.max(state.vertical);
        let opened = score.minus(constants.first);
        entering.minus(constants.extend).max(opened).store(gap);
        state.vertical = state.vertical.minus(constants.extend).max(opened);
        score.store(best);
        state.diagonal = previous;
    }
    state.largest
}

/// Returns the integer of a lane.
#[inline(always)]
fn lane_of<L: IntLanes>(vector: L, lane: usize) -> L::Integer {
    let mut integers = [L::Integer::default(); MAX_LANES];
    vector.store(&mut integers);
    integers[lane]
}
