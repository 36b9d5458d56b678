//! Computes the scores of many pairs: chooses the pairs to compare together, and the kernel.

use std::ops::Range;

use super::grid::ScoredTask;
use super::interleaved::{InterleavedKernel, LaneScoreMapping, LaneValues};
use super::steps::{ScoredExtent, StepScores};
use super::striped::{OverflowPolicy, StripedKernel, Tile};
use super::symbols::{OwnQueries, QueryTables, SharedQuery};
use crate::pairs::{Pair, Pairs};
use nigh_simd::int_lanes::IntLanes;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{LaneWidth, Simd, SimdOp};

/// The kernels for the scores of pairs.
#[derive(Debug)]
pub(super) struct ScoreKernels {
    striped_bytes: StripedKernel<i8>,
    striped_shorts: StripedKernel<i16>,
    bytes: InterleavedKernel<i8>,
    shorts: InterleavedKernel<i16>,
    /// The tables of the last query.
    tables: Option<QueryTables>,
}

/// The cost of a column of the interleaved kernel besides its rows, in units of a vector of cells. An estimate from the
/// number of instructions.
const INTERLEAVED_COLUMN: usize = 25;

/// The cost of a column of the striped kernel besides its segments, in units of a vector of cells. An estimate from the
/// number of instructions.
const STRIPED_COLUMN: usize = 12;

/// The pairs of a range that have no score yet.
struct PendingPairs<'a> {
    pairs: &'a Pairs<'a>,
    start: usize,
    values: &'a mut [i64],
    /// The indices of these pairs, by the lengths of their targets and then of their queries, the longest last.
    order: Vec<usize>,
}

impl ScoreKernels {
    pub(super) fn new() -> Self {
        ScoreKernels {
            striped_bytes: StripedKernel::new(),
            striped_shorts: StripedKernel::new(),
            bytes: InterleavedKernel::default(),
            shorts: InterleavedKernel::default(),
            tables: None,
        }
    }

    /// Computes the scores of the pairs in a range.
    pub(super) fn values(&mut self, task: &ScoredTask<'_>, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) {
        let mut pending = PendingPairs { pairs, start: range.start, values, order: range.collect() };
        pending.order.sort_by_cached_key(|&index| {
            let pair = pairs.get(index);
            (pair.target.len(), pair.query.len())
        });
        match pairs {
            Pairs::OneToMany { query, .. } => self.one_to_many(task, query, &mut pending),
            Pairs::Zipped { .. } => self.zipped(task, &mut pending),
        }
        for index in std::mem::take(&mut pending.order) {
            let value = self.value(task, pairs.get(index));
            pending.values[index - pending.start] = value.into();
        }
    }

    fn one_to_many(&mut self, task: &ScoredTask<'_>, query: &[u8], pending: &mut PendingPairs<'_>) {
        if self.tables.as_ref().is_none_or(|tables| tables.query() != query) {
            self.tables = QueryTables::new(task.scoring, query);
        }
        let Some(tables) = self.tables.as_ref().filter(|_| !query.is_empty()) else { return };
        fn search<I: LaneWidth>(
            task: &ScoredTask<'_>,
            kernel: &mut InterleavedKernel<I>,
            tables: &QueryTables,
            pending: &mut PendingPairs<'_>,
        ) {
            let lanes = lanes::<I>(task.isa);
            let mut symbols = SharedQuery::<I>::new(tables, lanes);
            pending.in_batches::<I>(task, lanes, |frame, pairs| {
                let targets: Vec<&[u8]> = pairs.iter().map(|pair| pair.target).collect();
                symbols.set_targets(&targets);
                kernel.run(task.isa, frame, &mut symbols)
            });
        }
        search(task, &mut self.bytes, tables, pending);
        search(task, &mut self.shorts, tables, pending);
    }

    fn zipped(&mut self, task: &ScoredTask<'_>, pending: &mut PendingPairs<'_>) {
        let lanes = lanes::<i16>(task.isa);
        let Some(mut symbols) = OwnQueries::new(task.scoring, lanes) else { return };
        pending.in_batches::<i16>(task, lanes, |frame, pairs| {
            symbols.set_pairs(pairs);
            self.shorts.run(task.isa, frame, &mut symbols)
        });
    }

    /// Returns the score of a pair.
    pub(super) fn value(&mut self, task: &ScoredTask<'_>, pair: Pair<'_>) -> i32 {
        let shorter = pair.query.len().min(pair.target.len());
        if shorter <= 2 * task.sizes.score.rows
            && let Some(score) = self.whole_value(task, pair)
        {
            return score;
        }
        let filled = task.fill(&task.whole(pair), None);
        match task.extent {
            ScoredExtent::Global => filled.last,
            ScoredExtent::Local => filled.best.score,
        }
    }

    /// Returns the score of a pair if it can be computed in one tile of 8 or 16 bits.
    fn whole_value(&mut self, task: &ScoredTask<'_>, pair: Pair<'_>) -> Option<i32> {
        let Pair { query, target } = pair;
        let tile = Tile { query, target, scoring: task.scoring, extent: task.extent };
        let headroom = match task.extent {
            ScoredExtent::Global => OverflowPolicy::Sufficient,
            ScoredExtent::Local => OverflowPolicy::Checked,
        };
        let mut region = task.whole(pair);
        let best = match self.striped_bytes.score(task.isa, tile, &mut region.edges, headroom) {
            Ok(best) => best,
            Err(_) => {
                region = task.whole(pair);
                self.striped_shorts.score(task.isa, tile, &mut region.edges, headroom).ok()?
            }
        };
        Some(match task.extent {
            ScoredExtent::Global => region.last_score(),
            ScoredExtent::Local => best.score,
        })
    }
}

impl PendingPairs<'_> {
    /// Runs `compare` on batches of pairs with similar lengths, wherever this is faster than one pair after the other.
    /// Keeps the pairs without a score.
    fn in_batches<I: LaneWidth>(
        &mut self,
        task: &ScoredTask<'_>,
        lanes: usize,
        mut compare: impl FnMut(LaneScoreMapping, &[Pair<'_>]) -> LaneValues,
    ) {
        let steps = StepScores::of(task.scoring);
        let mut order = std::mem::take(&mut self.order);
        let mut batch = Vec::new();
        while let Some(&longest) = order.last() {
            let taken = order.len().saturating_sub(lanes);
            batch.clear();
            batch.extend(order[taken..].iter().map(|&index| self.pairs.get(index)));
            let rows = batch.iter().map(|pair| pair.query.len()).max().unwrap_or(0);
            let columns = self.pairs.get(longest).target.len();
            let frame = LaneScoreMapping::new::<I>(steps, task.extent, rows, columns);
            let is_empty = batch.iter().any(|pair| pair.query.is_empty() || pair.target.is_empty());
            let Some(frame) = frame.filter(|_| !is_empty && is_worth_it(&batch, rows, columns, lanes)) else {
                self.order.push(longest);
                order.pop();
                continue;
            };
            let values = compare(frame, &batch);
            for (index, value) in order.drain(taken..).zip(values) {
                match value {
                    Some(value) => self.values[index - self.start] = value.into(),
                    None => self.order.push(index),
                }
            }
        }
        self.order.reverse();
    }
}

/// Returns whether the interleaved kernel is faster for a batch than the striped kernel for each pair.
fn is_worth_it(batch: &[Pair<'_>], rows: usize, columns: usize, lanes: usize) -> bool {
    let striped = |pair: &Pair<'_>| pair.target.len() * (pair.query.len().div_ceil(lanes) + STRIPED_COLUMN);
    columns * (rows + INTERLEAVED_COLUMN) < batch.iter().map(striped).sum()
}

/// Returns the number of lanes of an instruction set.
fn lanes<I: LaneWidth>(isa: Isa) -> usize {
    struct LaneCount<I>(std::marker::PhantomData<I>);
    impl<I: LaneWidth> SimdOp for LaneCount<I> {
        type Output = usize;
        #[inline(always)]
        fn run<L: Simd>(self) -> usize {
            I::On::<L>::COUNT
        }
    }
    isa.run(LaneCount::<I>(std::marker::PhantomData))
}
