//! Block-based Myers and bit-parallel LCS over vectors: one strip of blocks, column by column.
//!
//! A strip is a group of blocks of 64 rows, one for each word of its vectors. At step x, block i, counted from 0,
//! computes column x - i. The carry that a block needs was then computed by the block above it one step earlier, and
//! one shift of whole words moves all carries to the next blocks. A row and a column match if the codes of their
//! symbols agree in all bits ([`CodedPair`](super::symbols)), which takes one or two operations for each bit of a code
//! and no table. A step takes O(1) operations for each vector and each bit of a code.
//!
//! - G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999.
//! - H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003.
//! - H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.

use std::ops::Range;

use super::window::{TargetWindow, WindowView};
use crate::EditModel;
use nigh_simd::vector::{Simd, SimdOp};

/// Vectors of state for each vector of blocks: two of vertical and two of horizontal differences.
pub(super) const STATES: usize = 4;

/// Vectors of trace bits for each vector of blocks and step.
pub(super) const TRACES: usize = 2;

/// Returns the maximum number of vectors of blocks in a strip, for vectors of `words` words and codes of `planes` bits.
/// More would not be faster, because their state does not fit in the registers, and each shape of a strip is compiled
/// separately.
pub(super) const fn max_vectors(words: usize, planes: usize) -> usize {
    if words >= 8 && planes <= 3 { 4 } else { 2 }
}

/// The steps of one strip at which its first block computes the columns `columns`.
pub(super) struct StripRun<'a> {
    pub(super) model: EditModel,
    /// Vectors of blocks in the strip: a power of 2, at most [`max_vectors`].
    pub(super) vectors: usize,
    /// Bits of a code: 2, 3, 5 or 8.
    pub(super) planes: usize,
    /// The bit planes of the query's codes, `[vector][plane][word]`.
    pub(super) query: &'a [u64],
    pub(super) columns: Range<usize>,
    /// The column before the first one of the strip. A block that has not reached it keeps its initial state.
    pub(super) start: usize,
    pub(super) buffers: StripBuffers<'a>,
}

/// The memory that the steps of a strip change.
pub(super) struct StripBuffers<'a> {
    pub(super) window: &'a mut TargetWindow,
    /// The differences in the last column of each block, `[vector][STATES][word]`.
    pub(super) state: &'a mut [u64],
    /// The trace bits of each step, `[step][vector][TRACES][word]`; empty if they are not wanted.
    pub(super) trace: &'a mut [u64],
}

/// The differences of one vector of blocks, each block in the column that it computed last.
#[derive(Clone, Copy)]
struct Differences<L> {
    /// Between vertical neighbours.
    vertical: [L; 2],
    /// Between horizontal neighbours.
    horizontal: [L; 2],
}

impl<L: Simd> Differences<L> {
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let [first, second, third, fourth] = load_vectors(words);
        Differences { vertical: [first, second], horizontal: [third, fourth] }
    }

    #[inline(always)]
    fn store(&self, words: &mut [u64]) {
        store_vectors(&self.vertical, words);
        store_vectors(&self.horizontal, &mut words[2 * L::WORDS..]);
    }
}

/// The recurrence of one model.
trait BlockRecurrence {
    /// Number of vectors of horizontal differences, and also of vertical ones.
    const DIFFERENCES: usize;

    /// Computes the next column of a vector of blocks. The highest bit of a word of `above` is the horizontal
    /// difference in the row above the word's block. Returns the trace bits.
    fn step<L: Simd>(matches: L, blocks: &mut Differences<L>, above: [L; 2]) -> [L; TRACES];
}

/// Myers' recurrence in Hyyrö's form: differences of +1 and of -1. The trace bits are the rows with diagonal difference
/// 0, and those with vertical difference +1.
struct MyersRecurrence;

impl BlockRecurrence for MyersRecurrence {
    const DIFFERENCES: usize = 2;

    #[inline(always)]
    fn step<L: Simd>(matches: L, blocks: &mut Differences<L>, above: [L; 2]) -> [L; TRACES] {
        let [pv, mv] = blocks.vertical;
        let x = matches.or(above[1].shift_right::<63>());
        let d0 = x.and(pv).add_words(pv).xor(pv).or3(x, mv);
        let (ph, mh) = (mv.or_nor(d0, pv), pv.and(d0));
        let (ph_down, mh_down) = (ph.shift_in(above[0]), mh.shift_in(above[1]));
        let pv = mh_down.or_nor(d0, ph_down);
        *blocks = Differences { vertical: [pv, ph_down.and(d0)], horizontal: [ph, mh] };
        [d0, pv]
    }
}

/// Hyyrö's recurrence for the longest common subsequence. A vertical difference is 0 for a set bit and +1 otherwise.
/// The horizontal difference in the last row of a block is the carry of an addition. The second trace bits are the rows
/// with vertical difference 0.
struct LcsRecurrence;

impl BlockRecurrence for LcsRecurrence {
    const DIFFERENCES: usize = 1;

    #[inline(always)]
    fn step<L: Simd>(matches: L, blocks: &mut Differences<L>, above: [L; 2]) -> [L; TRACES] {
        let before = blocks.vertical[0];
        let matching = before.and(matches);
        let sum = before.add_words(matching).add_words(above[0].shift_right::<63>());
        blocks.horizontal[0] = sum.and_not(before).or(matching);
        blocks.vertical[0] = matches.and_not(before).or(sum);
        [L::ones(), blocks.vertical[0]]
    }
}

impl SimdOp for StripRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        match self.model {
            EditModel::Levenshtein => self.run_model::<L, MyersRecurrence>(),
            EditModel::Indel => self.run_model::<L, LcsRecurrence>(),
        }
    }
}

impl StripRun<'_> {
    #[inline(always)]
    fn run_model<L: Simd, R: BlockRecurrence>(self) {
        match self.planes {
            2 => self.run_planes::<L, R, 2>(),
            3 => self.run_planes::<L, R, 3>(),
            5 => self.run_planes::<L, R, 5>(),
            _ => self.run_planes::<L, R, 8>(),
        }
    }

    #[inline(always)]
    fn run_planes<L: Simd, R: BlockRecurrence, const P: usize>(self) {
        match self.vectors {
            4 if const { max_vectors(L::WORDS, P) == 4 } => self.run_shape::<L, R, P, 4>(),
            1 => self.run_shape::<L, R, P, 1>(),
            _ => self.run_shape::<L, R, P, 2>(),
        }
    }

    /// Runs the steps in which blocks join one by one, then all others.
    #[inline(always)]
    fn run_shape<L: Simd, R: BlockRecurrence, const P: usize, const V: usize>(mut self) {
        let blocks = V * L::WORDS;
        let Range { start: mut column, end } = self.columns.clone();
        while column < end {
            let is_joining = column < self.start + blocks;
            let until = if is_joining { column + 1 } else { end };
            self.advance::<L, R, P, V>(column..until);
            for block in column - self.start..blocks {
                self.reset_block(L::WORDS, block);
            }
            column = until;
        }
    }

    /// Sets a block to its state before its first column.
    fn reset_block(&mut self, words: usize, block: usize) {
        let first = block / words * STATES * words + block % words;
        for (state, bits) in [!0, 0, 0, 0].into_iter().enumerate() {
            self.buffers.state[first + state * words] = bits;
        }
    }

    #[inline(always)]
    fn advance<L: Simd, R: BlockRecurrence, const P: usize, const V: usize>(&mut self, columns: Range<usize>) {
        let StripBuffers { window, state, trace } = &mut self.buffers;
        let mut query = [[L::zero(); P]; V];
        let mut blocks = [Differences { vertical: [L::zero(); 2], horizontal: [L::zero(); 2] }; V];
        for vector in 0..V {
            query[vector] = load_vectors(&self.query[vector * P * L::WORDS..]);
            blocks[vector] = Differences::load(&state[vector * STATES * L::WORDS..]);
        }
        let mut view = window.view::<L, P>(&columns, V);
        for column in columns.clone() {
            let position = columns.end - 1 - column;
            let traces = step_column::<L, R, P, V>(&query, &mut blocks, &mut view, position);
            if !trace.is_empty() {
                let step = (column - self.columns.start) * V * TRACES * L::WORDS;
                for (vector, bits) in traces.iter().enumerate() {
                    store_vectors(bits, &mut trace[step + vector * TRACES * L::WORDS..]);
                }
            }
        }
        for (vector, blocks) in blocks.iter().enumerate() {
            blocks.store(&mut state[vector * STATES * L::WORDS..]);
        }
    }
}

/// Computes one step of all vectors of a strip. `position` is the position in the window of the first vector that the
/// step reads. Returns the trace bits.
#[inline(always)]
fn step_column<L: Simd, R: BlockRecurrence, const P: usize, const V: usize>(
    query: &[[L; P]; V],
    blocks: &mut [Differences<L>; V],
    window: &mut WindowView<'_, P>,
    position: usize,
) -> [[L; TRACES]; V] {
    // The last word of the first vector belongs to the column of the first block.
    let first = position + L::WORDS - 1;
    let mut traces = [[L::zero(); TRACES]; V];
    let mut previous = window.load_above(position, R::DIFFERENCES);
    for vector in 0..V {
        let target: [L; P] = window.load_planes(first + vector * L::WORDS);
        let before = blocks[vector].horizontal;
        let mut above = before;
        for index in 0..R::DIFFERENCES {
            above[index] = before[index].slide_words(previous[index]);
        }
        traces[vector] = R::step(equal_codes(&query[vector], &target), &mut blocks[vector], above);
        previous = before;
    }
    window.store_below(first + (V - 1) * L::WORDS, R::DIFFERENCES, &blocks[V - 1].horizontal);
    traces
}

/// Loads vectors that are stored one after the other.
#[inline(always)]
fn load_vectors<L: Simd, const N: usize>(words: &[u64]) -> [L; N] {
    let mut vectors = [L::zero(); N];
    for (index, vector) in vectors.iter_mut().enumerate() {
        *vector = L::load(&words[index * L::WORDS..]);
    }
    vectors
}

/// Stores vectors one after the other.
#[inline(always)]
fn store_vectors<L: Simd, const N: usize>(vectors: &[L; N], words: &mut [u64]) {
    for (index, vector) in vectors.iter().enumerate() {
        vector.store(&mut words[index * L::WORDS..]);
    }
}

/// Returns the rows whose code equals the target's, from the bit planes of both.
#[inline(always)]
fn equal_codes<L: Simd, const P: usize>(query: &[L; P], target: &[L; P]) -> L {
    let mut different = query[0].xor(target[0]);
    for plane in 1..P {
        different = different.or(query[plane].xor(target[plane]));
    }
    different.xor(L::ones())
}
