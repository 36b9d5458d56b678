//! Myers' algorithm in words of 64 rows, for alignments and for pairs that do not fill a group.
//!
//! A column of 64 rows costs a comparison of 64 query symbols with a target symbol, and a dozen word operations. A
//! longer query takes one word after the other: the horizontal differences below a word are kept, a bit for each
//! column. For m rows and n columns, a pair takes O(n⌈m/64⌉) time.
//!
//! - G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999.
//! - H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003.
//! - H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.

use super::members::MAX_LENGTH;
use crate::EditModel;
use crate::pairs::Pair;
use nigh_cpu::recurrence::{CellRecurrence, LevenshteinEdits, TopDifference};
use nigh_simd::vector::Simd;

/// Rows of a word.
pub(super) const ROWS: usize = 64;

/// The largest number of words of a string.
pub(super) const MAX_WORDS: usize = MAX_LENGTH / ROWS;

/// The steps back from 64 rows of a column, in two bits for each row: match 0, substitution 1, query only 2 and target
/// only 3.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepBits {
    pub(super) high: u64,
    pub(super) low: u64,
}

/// Receives the steps of each column.
pub(super) trait StepSink {
    /// Takes the steps of a column in a word of 64 rows.
    fn take(&mut self, word: usize, column: usize, steps: StepBits);
}

/// Drops the steps.
pub(super) struct NoSteps;

impl StepSink for NoSteps {
    #[inline(always)]
    fn take(&mut self, _: usize, _: usize, _: StepBits) {}
}

/// Returns the value of a pair. Calls `sink` for each column of each word.
#[inline(always)]
pub(super) fn sweep<L: Simd>(model: EditModel, pair: Pair<'_>, sink: &mut impl StepSink) -> i32 {
    match model {
        EditModel::Levenshtein => distance::<L>(pair, sink),
        EditModel::Indel => common_length::<L>(pair, sink),
    }
}

/// Horizontal differences below a word, a bit for each of 64 columns: +1 and -1.
#[derive(Clone, Copy, Default)]
struct EdgeBits {
    plus: u64,
    minus: u64,
}

#[inline(always)]
fn distance<L: Simd>(pair: Pair<'_>, sink: &mut impl StepSink) -> i32 {
    let Pair { query, target } = pair;
    if query.is_empty() {
        return target.len() as i32;
    }
    let mut edges = [EdgeBits { plus: !0, minus: 0 }; MAX_WORDS];
    for (word, rows) in query.chunks(ROWS).enumerate() {
        let (block, last) = (padded(rows), rows.len() - 1);
        let (mut pv, mut mv) = (!0, 0);
        for (chunk, symbols) in target.chunks(64).enumerate() {
            let mut below = EdgeBits::default();
            for (at, &symbol) in symbols.iter().enumerate() {
                let equal = L::equal_to(&block, symbol);
                let above = TopDifference { plus: edges[chunk].plus >> at & 1, minus: edges[chunk].minus >> at & 1 };
                let step = LevenshteinEdits::step(equal, pv, mv, above);
                (pv, mv) = (step.pv, step.mv);
                let edge = step.below(last);
                below.plus |= edge.plus << at;
                below.minus |= edge.minus << at;
                let beside = step.d0 & !equal;
                let low = beside & !pv | !(beside | equal);
                sink.take(word, chunk * 64 + at, StepBits { high: beside, low });
            }
            edges[chunk] = below;
        }
    }
    let used = &edges[..target.len().div_ceil(64)];
    let change = used.iter().map(|edge| edge.plus.count_ones() as i32 - edge.minus.count_ones() as i32);
    query.len() as i32 + change.sum::<i32>()
}

#[inline(always)]
fn common_length<L: Simd>(pair: Pair<'_>, sink: &mut impl StepSink) -> i32 {
    let Pair { query, target } = pair;
    // The horizontal differences above and below a word, a bit for each column.
    let mut edges = [0u64; MAX_WORDS];
    let mut length = 0;
    for (word, rows) in query.chunks(ROWS).enumerate() {
        let block = padded(rows);
        // Rows whose cell equals the cell above it.
        let mut still = !0u64;
        for (chunk, symbols) in target.chunks(64).enumerate() {
            let mut below = 0;
            for (at, &symbol) in symbols.iter().enumerate() {
                let equal = L::equal_to(&block, symbol);
                let (sum, carry) = still.overflowing_add(still & equal);
                let (sum, second_carry) = sum.overflowing_add(edges[chunk] >> at & 1);
                still = sum | still & !equal;
                below |= u64::from(carry | second_carry) << at;
                sink.take(word, chunk * 64 + at, StepBits { high: !equal, low: !(equal | still) });
            }
            edges[chunk] = below;
        }
        let inside = !0 >> (ROWS - rows.len());
        length += (!still & inside).count_ones() as i32;
    }
    length
}

/// Extends up to 64 symbols to 64.
#[inline(always)]
pub(super) fn padded(symbols: &[u8]) -> [u8; ROWS] {
    let mut block = [0; ROWS];
    block[..symbols.len()].copy_from_slice(symbols);
    block
}
