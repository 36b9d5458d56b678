//! Striped alignment with a prefix scan: the scores of one tile of a matrix, a column at a time.
//!
//! The rows of the tile are spread over the lanes in stripes, so that most vertical steps stay in their lane. A first
//! pass over a column computes the scores without vertical gaps; a prefix maximum over the lanes then gives the gaps
//! that enter each lane, and a second pass adds them. The tile takes O(mn / lanes + n log lanes) steps for m rows and n
//! columns. Scores are relative to a base, so that 8 or 16 bits often are enough.
//!
//! - M. Farrar, "Striped Smith-Waterman speeds database searches six times over other SIMD implementations", 2007.
//! - J. Daily, "Parasail: SIMD C library for global, semi-global, and local pairwise sequence alignments", 2016 (the
//!   scan).

use std::marker::PhantomData;

use super::profile::{StripedProfile, Stripes};
use super::steps::{ScoreRange, ScoredExtent, StepScores};
use crate::scoring::Scoring;
use nigh_simd::int_lanes::{IntLanes, LaneInteger};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{LaneWidth, Simd, SimdOp};

/// The scores along a side of a tile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TileEdge {
    /// The best score of each cell. A row starts with the cell left of the tile, a column with the first row.
    pub(super) best: Vec<i32>,
    /// For each cell of the tile that the edge touches, the best score of an alignment that ends with a gap across the
    /// edge.
    pub(super) gap: Vec<i32>,
}

/// The scores that enter a tile. The kernel replaces them with those that leave it.
#[derive(Debug, Clone, Default)]
pub(super) struct TileEdges {
    /// The row above the tile; later the last row. The gaps that leave it are valid only if the number of rows is a
    /// multiple of [`ROW_MULTIPLE`].
    pub(super) top: TileEdge,
    /// The column left of the tile; later the last column.
    pub(super) left: TileEdge,
}

/// A multiple of the number of lanes of every vector.
pub(super) const ROW_MULTIPLE: usize = 64;

/// A tile of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile<'a> {
    pub(super) query: &'a [u8],
    pub(super) target: &'a [u8],
    pub(super) scoring: &'a Scoring,
    pub(super) extent: ScoredExtent,
}

/// The best cell of a tile; of equal cells, the one in the first column, and then in the first row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BestCell {
    pub(super) score: i32,
    /// The number of rows up to the cell.
    pub(super) row: usize,
    /// The number of columns up to the cell.
    pub(super) column: usize,
}

impl BestCell {
    /// Replaces the cell if `other` has a larger score, or the same score and an earlier position.
    pub(super) fn replace_if_before(&mut self, other: BestCell) {
        let key = |cell: &BestCell| (-cell.score, cell.column, cell.row);
        if key(&other) < key(self) {
            *self = other;
        }
    }
}

/// How a kernel avoids overflow of its integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverflowPolicy {
    /// The integers must hold the largest possible score; otherwise the kernel refuses the tile.
    Sufficient,
    /// The kernel checks its scores, and returns an error if one becomes too large.
    Checked,
}

/// The error of a kernel: a score is too large for its integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScoreOverflow;

/// The bits of a cell's code, from which the walk back chooses its steps.
pub(super) mod code {
    /// The best score is reached with a diagonal step.
    pub(in super::super) const DIAGONAL: i32 = 1;
    /// The best score is reached with a gap in the target.
    pub(in super::super) const QUERY_GAP: i32 = 2;
    /// The best gap in the target that ends in the cell may have one symbol.
    pub(in super::super) const QUERY_GAP_OPENS: i32 = 4;
    /// The best gap in the query that ends in the cell may have one symbol.
    pub(in super::super) const TARGET_GAP_OPENS: i32 = 8;
    /// The alignment starts in the cell.
    pub(in super::super) const START: i32 = 16;
}

/// The striped kernel for one type of integer, with its buffers.
#[derive(Debug)]
pub(super) struct StripedKernel<I> {
    profile: StripedProfile<I>,
    stripes: Stripes,
    /// The best scores of a column, `[segment][lane]`.
    best: Vec<I>,
    /// The best scores of alignments that end with a gap into the next column.
    gap: Vec<I>,
    /// For each row, the bit `code::TARGET_GAP_OPENS` of the code in the next column.
    gap_opens: Vec<I>,
    /// The scores of the column with the best score so far.
    best_column: Vec<I>,
    /// The codes of all cells, `[column][segment][lane]`.
    codes: Vec<I>,
}

/// Computes only scores.
struct ScorePass;
/// Computes scores and codes.
struct CodePass;

/// Whether a pass over a tile also computes codes.
trait TilePass {
    const CODES: bool;
}
impl TilePass for ScorePass {
    const CODES: bool = false;
}
impl TilePass for CodePass {
    const CODES: bool = true;
}

impl<I: LaneWidth> StripedKernel<I> {
    pub(super) fn new() -> Self {
        StripedKernel {
            profile: StripedProfile::new(),
            stripes: Stripes::default(),
            best: Vec::new(),
            gap: Vec::new(),
            gap_opens: Vec::new(),
            best_column: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// Computes the scores of a tile, and returns its best cell. The cell is valid if the alignments are local.
    ///
    /// # Errors
    /// Fails if a score does not fit. With [`OverflowPolicy::Sufficient`], `edges` are then unchanged.
    pub(super) fn score(
        &mut self,
        isa: Isa,
        tile: Tile<'_>,
        edges: &mut TileEdges,
        headroom: OverflowPolicy,
    ) -> Result<BestCell, ScoreOverflow> {
        let frame = ScoreMapping::<I>::new(&tile, edges, headroom).ok_or(ScoreOverflow)?;
        isa.run(TileRun { kernel: self, tile, edges, frame, pass: PhantomData::<ScorePass> })
    }

    /// Computes the scores of a tile, as [`StripedKernel::score`] does with [`OverflowPolicy::Checked`]. Returns `None` if a
    /// score does not fit; `edges` are then as before.
    pub(super) fn checked_score(&mut self, isa: Isa, tile: Tile<'_>, edges: &mut TileEdges) -> Option<BestCell> {
        let entering = edges.clone();
        let best = self.score(isa, tile, edges, OverflowPolicy::Checked);
        best.inspect_err(|_| *edges = entering).ok()
    }

    /// Computes the scores and the codes of a tile, as [`StripedKernel::score`] does.
    ///
    /// # Errors
    /// Fails if a score does not fit. `edges` are then as before.
    pub(super) fn trace(&mut self, isa: Isa, tile: Tile<'_>, edges: &mut TileEdges) -> Result<BestCell, ScoreOverflow> {
        let frame = ScoreMapping::<I>::new(&tile, edges, OverflowPolicy::Sufficient).ok_or(ScoreOverflow)?;
        isa.run(TileRun { kernel: self, tile, edges, frame, pass: PhantomData::<CodePass> })
    }

    /// Returns the code of a cell, after [`StripedKernel::trace`].
    pub(super) fn code(&self, row: usize, column: usize) -> i32 {
        self.codes[column * self.stripes.len() + self.stripes.offset(row)].into()
    }
}

/// The mapping between scores and the integers of a kernel.
#[derive(Clone, Copy)]
struct ScoreMapping<I> {
    steps: StepScores,
    /// The score that the integer 0 stands for.
    base: i32,
    /// The lowest score that enters the tile.
    lowest: i32,
    /// The integer of score 0; for global alignments, less than every other integer.
    zero: i32,
    /// The kernel stops at a column with a larger integer, because the next column may overflow.
    limit: i32,
    integer: std::marker::PhantomData<I>,
}

impl<I: LaneInteger> ScoreMapping<I> {
    /// Returns the mapping for a tile, or `None` if the scores do not fit.
    fn new(tile: &Tile<'_>, edges: &TileEdges, headroom: OverflowPolicy) -> Option<Self> {
        let steps = StepScores::of(tile.scoring);
        let margin = i64::from(steps.margin());
        let range = entering_range(tile, edges, &steps);
        let base = range.low - margin - i64::from(I::LEAST);
        let high = match headroom {
            OverflowPolicy::Sufficient => range.high,
            OverflowPolicy::Checked => highest_entering(edges).max(range.low) + i64::from(steps.most),
        };
        if high - base > i64::from(I::MOST) || margin + i64::from(steps.extend) > i64::from(I::MOST) {
            return None;
        }
        let base = i32::try_from(base).ok()?;
        Some(ScoreMapping {
            steps,
            base,
            lowest: lowest_entering(edges),
            zero: match tile.extent {
                ScoredExtent::Local => (-base).max(I::LEAST),
                ScoredExtent::Global => I::LEAST,
            },
            limit: match headroom {
                OverflowPolicy::Sufficient => I::MOST,
                OverflowPolicy::Checked => I::MOST - steps.most,
            },
            integer: std::marker::PhantomData,
        })
    }

    fn relative(&self, score: i32) -> I {
        I::of(score - self.base)
    }

    fn score(&self, integer: I) -> i32 {
        let integer: i32 = integer.into();
        integer + self.base
    }
}

/// Returns the range of scores in a tile, given the scores that enter it.
fn entering_range(tile: &Tile<'_>, edges: &TileEdges, steps: &StepScores) -> ScoreRange {
    let (rows, columns) = (tile.query.len(), tile.target.len());
    let lowest = i64::from(lowest_entering(edges));
    let highest = highest_entering(edges);
    let low = lowest - i64::from(steps.first) - i64::from(steps.extend) * rows.max(columns) as i64;
    ScoreRange {
        low: if tile.extent == ScoredExtent::Local { low.max(0) } else { low },
        high: highest + i64::from(steps.most) * rows.min(columns) as i64,
    }
}

/// Returns the smallest score that enters a tile.
fn lowest_entering(edges: &TileEdges) -> i32 {
    edges.top.best.iter().chain(&edges.left.best).min().copied().unwrap_or(0)
}

/// Returns the largest score that enters a tile.
fn highest_entering(edges: &TileEdges) -> i64 {
    edges.top.best.iter().chain(&edges.left.best).max().map_or(0, |&score| i64::from(score))
}

/// A pass over a tile, to be run on vectors.
struct TileRun<'a, I, P> {
    kernel: &'a mut StripedKernel<I>,
    tile: Tile<'a>,
    edges: &'a mut TileEdges,
    frame: ScoreMapping<I>,
    pass: PhantomData<P>,
}

impl<I: LaneWidth, P: TilePass> SimdOp for TileRun<'_, I, P> {
    type Output = Result<BestCell, ScoreOverflow>;

    #[inline(always)]
    fn run<L: Simd>(self) -> Self::Output {
        self.columns::<I::On<L>>()
    }
}

/// The constants of a tile in vectors.
struct TileConstants<L> {
    first: L,
    extend: L,
    zero: L,
    least: L,
    /// The cost of a gap over the rows of 1, 2, 4, ... lanes, in two parts, because the whole cost might not fit in an
    /// integer.
    lanes: [[L; 2]; 6],
}

impl<L: IntLanes> TileConstants<L> {
    #[inline(always)]
    fn new(frame: &ScoreMapping<L::Integer>, segments: usize) -> Self {
        let most = L::Integer::MOST;
        let mut lanes = [[L::splat(0); 2]; 6];
        for (power, parts) in lanes.iter_mut().enumerate() {
            let cost = (frame.steps.extend as i64 * segments as i64) << power;
            let cost = cost.min(2 * i64::from(most)) as i32;
            *parts = [L::splat(cost / 2), L::splat(cost - cost / 2)];
        }
        TileConstants {
            first: L::splat(frame.steps.first),
            extend: L::splat(frame.steps.extend),
            zero: L::splat(frame.zero),
            least: L::splat(L::Integer::LEAST),
            lanes,
        }
    }

    /// Adds the gaps that enter lower lanes and extend into each lane.
    #[inline(always)]
    fn scan(&self, mut gap: L) -> L {
        if L::COUNT > 1 {
            gap = self.scan_step::<1>(gap, 0);
        }
        if L::COUNT > 2 {
            gap = self.scan_step::<2>(gap, 1);
        }
        if L::COUNT > 4 {
            gap = self.scan_step::<4>(gap, 2);
        }
        if L::COUNT > 8 {
            gap = self.scan_step::<8>(gap, 3);
        }
        if L::COUNT > 16 {
            gap = self.scan_step::<16>(gap, 4);
        }
        if L::COUNT > 32 {
            gap = self.scan_step::<32>(gap, 5);
        }
        gap
    }

    #[inline(always)]
    fn scan_step<const DISTANCE: usize>(&self, gap: L, power: usize) -> L {
        let [part, rest] = self.lanes[power];
        gap.max(gap.shift_up::<DISTANCE>(self.least).clamped_minus(part).clamped_minus(rest))
    }
}

impl<I: LaneWidth, P: TilePass> TileRun<'_, I, P> {
    #[inline(always)]
    fn columns<L: IntLanes<Integer = I>>(mut self) -> Result<BestCell, ScoreOverflow> {
        self.kernel.profile.set_query(self.tile.query, L::COUNT);
        self.kernel.profile.prepare(self.tile.scoring, self.tile.target);
        self.kernel.stripes = Stripes::new(self.tile.query.len(), L::COUNT);
        self.enter();
        let constants = TileConstants::<L>::new(&self.frame, self.kernel.stripes.segments);
        let mut best = constants.zero;
        let mut cell = BestCell::default();
        let (rows, columns) = (self.tile.query.len(), self.tile.target.len());
        let mut corner = self.edges.top.best[0];
        for column in 0..columns {
            let largest = self.column::<L>(&constants, column, corner);
            corner = self.edges.top.best[column + 1];
            let bottom = self.kernel.best[self.kernel.stripes.offset(rows.max(1) - 1)];
            if rows > 0 {
                self.edges.top.best[column + 1] = self.frame.score(bottom);
            }
            if self.tile.extent == ScoredExtent::Local && largest.any_greater(best) {
                let largest = highest(largest);
                best = L::splat(largest.into());
                cell.score = self.frame.score(largest);
                cell.column = column + 1;
                self.kernel.best_column.copy_from_slice(&self.kernel.best);
                if largest.into() > self.frame.limit {
                    return Err(ScoreOverflow);
                }
            }
        }
        self.leave(&mut cell);
        Ok(cell)
    }

    /// Takes the scores that enter from the left.
    fn enter(&mut self) {
        let stripes = self.kernel.stripes;
        // Rows after the last one get scores that the real rows could have.
        let low = self.frame.relative(self.frame.lowest);
        let first = I::of(self.frame.steps.first);
        self.kernel.best.clear();
        self.kernel.best.resize(stripes.len(), low);
        self.kernel.gap.clear();
        self.kernel.gap.resize(stripes.len(), low.difference(first));
        self.kernel.gap_opens.clear();
        self.kernel.gap_opens.resize(stripes.len(), I::of(0));
        self.kernel.best_column.clear();
        self.kernel.best_column.resize(stripes.len(), low);
        let TileEdge { best, gap } = &self.edges.left;
        let lanes = best.chunks(stripes.segments).zip(gap.chunks(stripes.segments));
        for (lane, (best, gap)) in lanes.enumerate() {
            for (segment, (&best, &gap)) in best.iter().zip(gap).enumerate() {
                let offset = segment * stripes.lanes + lane;
                let (best, gap) = (self.frame.relative(best), self.frame.relative(gap));
                self.kernel.best[offset] = best;
                self.kernel.gap[offset] = gap;
                let opens = if gap == best.difference(first) { code::TARGET_GAP_OPENS } else { 0 };
                self.kernel.gap_opens[offset] = I::of(opens);
            }
        }
        if P::CODES {
            self.kernel.codes.resize(stripes.len() * self.tile.target.len(), I::of(0));
        }
    }

    /// Stores the scores of the last column, and finds the row of the best cell.
    fn leave(&mut self, cell: &mut BestCell) {
        let stripes = self.kernel.stripes;
        let rows = self.tile.query.len();
        let best = cell.score - self.frame.base;
        if let Some(&above) = self.edges.left.best.last() {
            self.edges.top.best[0] = above;
        }
        let TileEdge { best: left, gap } = &mut self.edges.left;
        let lanes = left.chunks_mut(stripes.segments).zip(gap.chunks_mut(stripes.segments));
        for (lane, (left, gap)) in lanes.enumerate() {
            for (segment, (left, gap)) in left.iter_mut().zip(gap).enumerate() {
                let offset = segment * stripes.lanes + lane;
                *left = self.frame.score(self.kernel.best[offset]);
                *gap = self.frame.score(self.kernel.gap[offset]);
            }
        }
        if cell.column > 0 {
            let row = (0..rows).find(|&row| self.kernel.best_column[stripes.offset(row)].into() == best);
            // All cells with this score may be after the last row, or may have got a larger score from a gap that
            // enters the tile from above. Then a cell outside of the tile is better, or is as good and in an earlier
            // column.
            *cell = row.map_or(BestCell::default(), |row| BestCell { row: row + 1, ..*cell });
        }
    }

    /// Computes a column. Returns the largest scores, which may miss cells that end with a vertical gap.
    #[inline(always)]
    fn column<L: IntLanes<Integer = I>>(&mut self, constants: &TileConstants<L>, column: usize, corner: i32) -> L {
        let kernel = &mut *self.kernel;
        let length = kernel.stripes.len();
        let above = self.edges.top.best[column + 1];
        let entering = self.edges.top.gap[column];
        let scores = &kernel.profile.row(self.tile.target[column])[..length];
        let codes = if P::CODES { &mut kernel.codes[column * length..][..length] } else { &mut [][..] };
        let lanes = ColumnLanes {
            constants,
            best: &mut kernel.best[..length],
            gap: &mut kernel.gap[..length],
            gap_opens: &mut kernel.gap_opens[..length],
            codes,
        };
        let corner: i32 = self.frame.relative(corner).into();
        let above_relative: i32 = self.frame.relative(above).into();
        let entering: i32 = self.frame.relative(entering).into();
        let top = ColumnTop { corner: L::splat(corner), above: L::splat(above_relative), gap: L::splat(entering) };
        let is_local = self.tile.extent == ScoredExtent::Local;
        let (largest, leaving) =
            if is_local { lanes.run::<P, true>(scores, top) } else { lanes.run::<P, false>(scores, top) };
        self.edges.top.gap[column] = self.frame.score(last(leaving));
        largest
    }
}

/// Returns the largest integer of a vector.
#[inline(always)]
fn highest<L: IntLanes>(vector: L) -> L::Integer {
    let mut integers = [L::Integer::default(); ROW_MULTIPLE];
    vector.store(&mut integers);
    integers[..L::COUNT].iter().copied().max().expect("a vector has a lane")
}

/// Returns the last integer of a vector.
#[inline(always)]
fn last<L: IntLanes>(vector: L) -> L::Integer {
    let mut integers = [L::Integer::default(); ROW_MULTIPLE];
    vector.store(&mut integers);
    integers[L::COUNT - 1]
}

/// The scores that enter a column from above, in all lanes.
struct ColumnTop<L> {
    /// The best score above the column to the left.
    corner: L,
    /// The best score above the column.
    above: L,
    /// The best score of an alignment that ends in the first row with a vertical gap.
    gap: L,
}

/// The state of a column.
struct ColumnLanes<'a, L: IntLanes> {
    constants: &'a TileConstants<L>,
    best: &'a mut [L::Integer],
    gap: &'a mut [L::Integer],
    gap_opens: &'a mut [L::Integer],
    codes: &'a mut [L::Integer],
}

impl<L: IntLanes> ColumnLanes<'_, L> {
    /// Returns the largest scores without vertical gaps, and the vertical gaps that leave each lane.
    #[inline(always)]
    fn run<P: TilePass, const LOCAL: bool>(mut self, scores: &[L::Integer], top: ColumnTop<L>) -> (L, L) {
        let (largest, leaving) = self.without_vertical_gaps::<P, LOCAL>(scores, top.corner);
        let entering = self.constants.scan(leaving.shift_up::<1>(top.gap));
        let leaving = self.with_vertical_gaps::<P, LOCAL>(entering);
        if P::CODES {
            let previous = L::load(&self.best[self.best.len() - L::COUNT..]).shift_up::<1>(top.above);
            let opens = L::splat(code::QUERY_GAP_OPENS);
            let added = entering.if_equal(previous.minus(self.constants.first), opens, L::splat(0));
            L::load(self.codes).plus(added).store(self.codes);
        }
        (largest, leaving)
    }

    #[inline(always)]
    fn without_vertical_gaps<P: TilePass, const LOCAL: bool>(&mut self, scores: &[L::Integer], corner: L) -> (L, L) {
        let constants = self.constants;
        let mut diagonal = L::load(&self.best[self.best.len() - L::COUNT..]).shift_up::<1>(corner);
        let mut largest = constants.zero;
        let mut leaving = constants.least.plus(constants.extend);
        let columns = self.best.chunks_exact_mut(L::COUNT).zip(self.gap.chunks_exact(L::COUNT));
        for (segment, ((best, gap), scores)) in columns.zip(scores.chunks_exact(L::COUNT)).enumerate() {
            let previous = L::load(best);
            let matched = diagonal.plus(L::load(scores));
            let mut score = matched.max(L::load(gap));
            if LOCAL {
                score = score.max(constants.zero);
                largest = largest.max(score);
            }
            if P::CODES {
                let code = score.if_equal(matched, L::splat(code::DIAGONAL), L::splat(0));
                code.store(&mut self.codes[segment * L::COUNT..]);
            }
            leaving = leaving.minus(constants.extend).max(score.minus(constants.first));
            score.store(best);
            diagonal = previous;
        }
        (largest, leaving)
    }

    #[inline(always)]
    fn with_vertical_gaps<P: TilePass, const LOCAL: bool>(&mut self, entering: L) -> L {
        let constants = self.constants;
        let zero = L::splat(0);
        let mut vertical = entering;
        let mut vertical_opens = zero;
        let columns = self.best.chunks_exact_mut(L::COUNT).zip(self.gap.chunks_exact_mut(L::COUNT));
        for (segment, (best, gap)) in columns.enumerate() {
            let without = L::load(best);
            let score = without.max(vertical);
            let opened = score.minus(constants.first);
            let extended = L::load(gap).minus(constants.extend);
            let horizontal = extended.max(opened);
            if P::CODES {
                let range = segment * L::COUNT..(segment + 1) * L::COUNT;
                let (codes, gap_opens) = (&mut self.codes[range.clone()], &mut self.gap_opens[range]);
                let mut code = score.if_equal(without, L::load(codes), zero);
                code = code.plus(score.if_equal(vertical, L::splat(code::QUERY_GAP), zero));
                code = code.plus(vertical_opens).plus(L::load(gap_opens));
                if LOCAL {
                    code = code.plus(score.if_equal(constants.zero, L::splat(code::START), zero));
                }
                code.store(codes);
                horizontal.if_equal(opened, L::splat(code::TARGET_GAP_OPENS), zero).store(gap_opens);
            }
            vertical = vertical.minus(constants.extend).max(opened);
            if P::CODES {
                vertical_opens = vertical.if_equal(opened, L::splat(code::QUERY_GAP_OPENS), zero);
            }
            score.store(best);
            horizontal.store(gap);
        }
        vertical
    }
}
