//! Bit-sliced Myers: Myers' recurrence (1999) with one text stream per bit, so a cell of the matrix costs five or six
//! logic operations on whole vectors.
//!
//! All streams advance by one symbol at a time, so the differences of Sellers' matrix need neither carries nor shifts.
//! Each row of the pattern keeps its vertical differences as two vectors, and the horizontal differences pass from row
//! to row. Each row computes several steps in registers before the next row, so its vertical differences are loaded and
//! stored once for all of these steps. For m rows, n symbols of text and w streams, the scan takes O(mn/w) time,
//! whatever k is.
//!
//! Below the last row, a bit-sliced counter adds up the horizontal differences. It starts at m - (k + 1), so its sign
//! bit is set exactly where the distance is at most k.

use super::code_sets::read_sets;
use std::ops::Range;

use super::planes::Planes;
use crate::recurrence::{CellRecurrence, IndelEdits, LevenshteinEdits, StringAlignmentEdits};
use crate::sections::kept::HitCompleteness;
use nigh_pattern::Pattern;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};
use nigh_tables::code_sets::CodeSets;
use nigh_text::alignment::SearchEdits;
use nigh_text::interrupt;
use nigh_verify::encoder::{Classes, Code};

/// A pattern, or its prefix, for bit-sliced search.
pub(crate) struct BitslicedPattern {
    /// The number of rows, which are the first symbols of the pattern.
    length: usize,
    /// The number of symbols of the pattern after the rows; 0 for a whole pattern.
    rest: usize,
    k: usize,
    edit_model: SearchEdits,
    /// The index in `sets` of the symbol set of each row.
    rows: Box<[u32]>,
    sets: CodeSets,
    /// The number of bits of the counter, including the sign bit.
    counter_bits: usize,
}

/// A hit in the streams: the upper 32 bits are the index of the last symbol of the match, the lower 32 bits are the
/// distance. The distance is exact if no end of a line or record lies inside the match. Both are in one integer, which
/// sorts fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamHit(u64);

impl StreamHit {
    pub(super) fn new(symbol: usize, distance: u64) -> Self {
        StreamHit((symbol as u64) << 32 | distance)
    }

    /// Returns the index of the last symbol of the match.
    pub fn symbol(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Returns the distance.
    pub fn distance(self) -> usize {
        self.0 as u32 as usize
    }
}

impl BitslicedPattern {
    /// Compiles the first `length` symbols of a pattern, with the k of the whole pattern. `length` must be more than k.
    pub(crate) fn new(pattern: &Pattern, length: usize, classes: &Classes) -> Self {
        let mut sets: Vec<&[Code]> = Vec::new();
        let rows = pattern.symbols()[..length].iter().map(|set| {
            let codes = classes.codes_in(set);
            let index = sets.iter().position(|known| *known == codes).unwrap_or_else(|| {
                sets.push(codes);
                sets.len() - 1
            });
            index as u32
        });
        let rows = rows.collect();
        let sets = CodeSets::new(&sets);
        let (rest, k) = (pattern.symbols().len() - length, pattern.k());
        // The counter ranges from -(k + 1) to m - (k + 1), in two's complement.
        let largest = (length - k).max(k + 1);
        let counter_bits = (usize::BITS - largest.leading_zeros()) as usize + 1;
        BitslicedPattern { length, rest, k, edit_model: pattern.edit_model(), rows, sets, counter_bits }
    }

    /// Returns whether this is a proper prefix of the pattern.
    pub(crate) fn is_prefix(&self) -> bool {
        self.rest > 0
    }

    /// Returns the number of symbols of the pattern after the rows; 0 for a whole pattern.
    pub(crate) fn rest(&self) -> usize {
        self.rest
    }

    /// Returns the indices of the symbols at which a match of the whole pattern may end, if a match of the prefix ends
    /// at the index `symbol`.
    pub(crate) fn ends_after(&self, symbol: usize) -> Range<usize> {
        symbol + self.rest.saturating_sub(self.k)..symbol + self.rest + self.k + 1
    }

    /// Returns the largest number of text symbols that a match of the rows covers.
    pub(crate) fn max_match_len(&self) -> usize {
        self.length + self.k
    }
}

/// Reusable buffers of a search.
#[derive(Default)]
pub(crate) struct Buffers {
    /// The vertical differences of each row, `[row][bit]` in the form of the recurrence, each a vector.
    deltas: Vec<u64>,
    /// The streams whose symbol is in a symbol set, `[set][step]`, each a vector.
    equal: Vec<u64>,
    passed: PassedStep,
    /// The counter of each stream, `[bit]` from the lowest, each a vector.
    counter: Vec<u64>,
}

/// The last step before the ones being computed, for transpositions. Empty without transpositions.
#[derive(Default)]
struct PassedStep {
    /// The streams whose symbol is in each symbol set, each a vector.
    equal: Vec<u64>,
    /// For each row, the streams in which the cell equals its upper-left neighbour, each a vector.
    level: Vec<u64>,
}

/// The hits of a scan, and the largest number of them.
pub(crate) struct FoundHits<'a> {
    pub(crate) hits: &'a mut Vec<StreamHit>,
    pub(crate) hit_capacity: usize,
}

/// Replaces the hits by all hits of a pattern in the planes, in no order. Returns [`HitCompleteness::TooMany`] if there
/// are more than `hit_capacity`. Streams must be longer than a match.
pub(crate) fn scan(
    isa: Isa,
    planes: &Planes,
    pattern: &BitslicedPattern,
    buffers: &mut Buffers,
    found: FoundHits<'_>,
) -> HitCompleteness {
    let FoundHits { hits, hit_capacity } = found;
    hits.clear();
    isa.run(Scan { planes, pattern, buffers, hits, hit_capacity })
}

struct Scan<'a> {
    planes: &'a Planes,
    pattern: &'a BitslicedPattern,
    buffers: &'a mut Buffers,
    hits: &'a mut Vec<StreamHit>,
    hit_capacity: usize,
}

impl SimdOp for Scan<'_> {
    type Output = HitCompleteness;

    #[inline(always)]
    fn run<L: Simd>(self) -> HitCompleteness {
        match self.pattern.edit_model {
            SearchEdits::Levenshtein => self.run_edits::<L, LevenshteinEdits>(),
            SearchEdits::Indel => self.run_edits::<L, IndelEdits>(),
            SearchEdits::StringAlignment => self.run_edits::<L, StringAlignmentEdits>(),
        }
    }
}

impl Scan<'_> {
    #[inline(always)]
    fn run_edits<L: Simd, R: CellRecurrence>(self) -> HitCompleteness {
        // Runs as many steps at a time as the registers hold.
        match L::WORDS {
            8 => self.scan::<L, R, 8>(),
            _ => self.scan::<L, R, 4>(),
        }
    }

    #[inline(always)]
    fn scan<L: Simd, R: CellRecurrence, const STEPS: usize>(mut self) -> HitCompleteness {
        let Scan { planes, pattern, .. } = self;
        self.reset::<L, R, STEPS>();
        let warm_up = pattern.max_match_len().next_multiple_of(STEPS) as isize;
        for first in (-warm_up..planes.steps() as isize).step_by(STEPS) {
            interrupt::check_at(first.unsigned_abs());
            self.pass::<L, R, STEPS>();
            read_sets::<L, STEPS>(&pattern.sets, planes, first, &mut self.buffers.equal);
            let horizontal = self.advance::<L, R, STEPS>();
            let within = self.count(horizontal);
            let mut any = within[0];
            for within in &within[1..] {
                any = any.or(*within);
            }
            if first >= 0 && any.any() {
                self.take_hits(horizontal, first as usize);
                if self.hits.len() > self.hit_capacity {
                    return HitCompleteness::too_many(
                        self.hits.len(),
                        [first as usize + STEPS, planes.steps()],
                        self.hit_capacity,
                    );
                }
            }
        }
        HitCompleteness::All
    }

    #[inline(always)]
    fn reset<L: Simd, R: CellRecurrence, const STEPS: usize>(&mut self) {
        let pattern = self.pattern;
        let Buffers { deltas, equal, counter, passed } = &mut *self.buffers;
        if R::TRANSPOSES {
            passed.equal.clear();
            passed.equal.resize(pattern.sets.count() * L::WORDS, 0);
            passed.level.clear();
            passed.level.resize(pattern.length * L::WORDS, !0);
        }
        deltas.clear();
        for _ in 0..pattern.length {
            R::RISING.into_iter().for_each(|bits| deltas.extend(std::iter::repeat_n(bits, L::WORDS)));
        }
        equal.clear();
        equal.resize(pattern.sets.count() * STEPS * L::WORDS, 0);
        let start = (pattern.length - pattern.k - 1) as u64;
        counter.clear();
        for bit in 0..pattern.counter_bits {
            counter.extend(std::iter::repeat_n((start >> bit & 1).wrapping_neg(), L::WORDS));
        }
    }

    /// Keeps the last of `STEPS` steps, for transpositions.
    #[inline(always)]
    fn pass<L: Simd, R: CellRecurrence, const STEPS: usize>(&mut self) {
        if R::TRANSPOSES {
            let Buffers { equal, passed, .. } = &mut *self.buffers;
            let last = equal.chunks_exact(STEPS * L::WORDS).map(|steps| &steps[(STEPS - 1) * L::WORDS..]);
            passed.equal.chunks_exact_mut(L::WORDS).zip(last).for_each(|(to, last)| to.copy_from_slice(last));
        }
    }

    /// Advances all rows by `STEPS` steps. Returns the horizontal differences below the last row.
    #[inline(always)]
    fn advance<L: Simd, R: CellRecurrence, const STEPS: usize>(&mut self) -> HorizontalDifferences<L, STEPS> {
        let Buffers { deltas, equal, passed, .. } = &mut *self.buffers;
        // The streams in which the row above may be the first of a transposition.
        let mut first = [L::zero(); STEPS];
        let mut horizontal = [[L::splat(R::LEVEL[0]), L::splat(R::LEVEL[1])]; STEPS];
        for (row, (deltas, &set)) in deltas.chunks_exact_mut(2 * L::WORDS).zip(&self.pattern.rows).enumerate() {
            let set = set as usize;
            let equal = &equal[set * STEPS * L::WORDS..(set + 1) * STEPS * L::WORDS];
            let mut vertical = [L::load(deltas), L::load(&deltas[L::WORDS..])];
            if R::TRANSPOSES {
                let level = &mut passed.level[row * L::WORDS..];
                let (mut level_before, mut equal_before) = (L::load(level), L::load(&passed.equal[set * L::WORDS..]));
                for (at, horizontal) in horizontal.iter_mut().enumerate() {
                    let equal = L::load(&equal[at * L::WORDS..]);
                    let matches = first[at].and(equal_before).or(equal);
                    first[at] = level_before.and_not(equal);
                    (level_before, equal_before) = (R::cell(matches, &mut vertical, horizontal), equal);
                }
                level_before.store(level);
            } else {
                for (at, horizontal) in horizontal.iter_mut().enumerate() {
                    R::cell(L::load(&equal[at * L::WORDS..]), &mut vertical, horizontal);
                }
            }
            vertical[0].store(deltas);
            vertical[1].store(&mut deltas[L::WORDS..]);
        }
        let mut signs = HorizontalDifferences { plus: [L::zero(); STEPS], minus: [L::zero(); STEPS] };
        for (at, &difference) in horizontal.iter().enumerate() {
            signs.plus[at] = R::rising(difference);
            signs.minus[at] = difference[1];
        }
        signs
    }

    /// Adds the horizontal differences of `STEPS` steps to the counter. Returns the sign bits of the counter after each
    /// step.
    #[inline(always)]
    fn count<L: Simd, const STEPS: usize>(&mut self, horizontal: HorizontalDifferences<L, STEPS>) -> [L; STEPS] {
        let HorizontalDifferences { mut plus, mut minus } = horizontal;
        let mut after = [L::zero(); STEPS];
        for words in self.buffers.counter.chunks_exact_mut(L::WORDS) {
            let mut bit = L::load(words);
            for at in 0..STEPS {
                let before = bit;
                bit = before.xor(plus[at].or(minus[at]));
                plus[at] = before.and(plus[at]);
                minus[at] = before.and_not(minus[at]);
                after[at] = bit;
            }
            bit.store(words);
        }
        after
    }

    /// Collects the hits of `STEPS` steps from `step` on. The counter has already passed these steps: rewinds it and
    /// repeats the steps one by one.
    #[inline(always)]
    fn take_hits<L: Simd, const STEPS: usize>(&mut self, horizontal: HorizontalDifferences<L, STEPS>, step: usize) {
        let HorizontalDifferences { plus, minus } = horizontal;
        for at in (0..STEPS).rev() {
            self.count(HorizontalDifferences { plus: [minus[at]], minus: [plus[at]] });
        }
        for at in 0..STEPS {
            let [within] = self.count(HorizontalDifferences { plus: [plus[at]], minus: [minus[at]] });
            if within.any() {
                let mut streams = [0; 8];
                within.store(&mut streams);
                self.take_step(&streams[..L::WORDS], step + at);
            }
        }
    }

    /// Collects the hits that end at `step`, which the counter has just passed. `streams` has a bit for each stream
    /// with a hit.
    fn take_step(&mut self, streams: &[u64], step: usize) {
        let width = streams.len();
        let bits = self.pattern.counter_bits;
        for (word, &streams) in streams.iter().enumerate() {
            let mut left = streams;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let symbol = (bit * width + word) * self.planes.steps() + step;
                if symbol < self.planes.symbols() {
                    let one = |index: usize| (self.buffers.counter[index * width + word] >> bit & 1) << index;
                    let value: u64 = (0..bits).map(one).sum();
                    // The counter is distance - (k + 1), and negative.
                    let missing = (1u64 << bits) - value;
                    self.hits.push(StreamHit::new(symbol, self.pattern.k as u64 + 1 - missing));
                }
            }
        }
    }
}

/// The horizontal differences below a row in `STEPS` steps, with a bit for each stream where the difference is +1 or
/// -1.
#[derive(Clone, Copy)]
struct HorizontalDifferences<L, const STEPS: usize> {
    plus: [L; STEPS],
    minus: [L; STEPS],
}
