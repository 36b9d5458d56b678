//! Large matrices as grids of tiles, which several threads compute along anti-diagonals.
//!
//! A tile needs the scores above it and left of it. Threads take tiles whose neighbours are done, the topmost first.
//! The scores along some rows and columns of tiles can be kept (checkpoints), so that any tile can be computed again. A
//! matrix of m x n takes O(mn) time and O(m + n) memory, and O(mn / distance) for checkpoints at a distance.

use std::ops::{Range, RangeInclusive};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::steps::{ScoredExtent, StepScores};
use super::striped::{BestCell, OverflowPolicy, StripedKernel, Tile, TileEdge, TileEdges};
use crate::pairs::Pair;
use crate::scoring::Scoring;
use crate::team::Team;
use nigh_simd::isa::Isa;
use nigh_text::interrupt;

/// The number of rows and columns of a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileShape {
    /// Number of rows, a multiple of `ROW_MULTIPLE`.
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The sizes of tiles and checkpoints.
#[derive(Debug, Clone, Copy)]
pub(super) struct GridSizes {
    /// The shape of tiles of which only the scores are needed.
    pub(super) score: TileShape,
    /// The number of rows and columns of the tiles that a walk back may compute again.
    pub(super) walk: usize,
    /// The largest memory for checkpoints, in bytes.
    pub(super) checkpoint_bytes: usize,
    /// Maximum number of codes for the columns of a wide pair that are compared at once.
    pub(super) codes: usize,
}

/// The most rows of a tile that is computed in 8 bits. The steps that cross lanes take the same time in a column of any
/// height, but the query profile of many rows does not fit in the level 2 cache.
///
/// Local scores of random residues on one thread with AVX-512, milliseconds of CPU time (best of 3) for tiles of 5,120,
/// 6,144, 8,192 and 16,384 rows: two strings of 10,000: 7.1, 7.1, 7.9, 7.4; of 30,000: 68, 77, 74, 106. Tiles of 1,024
/// rows took 9.7 and 87 ms.
const MAX_BYTE_ROWS: usize = 5120;

// A global score of two strings of 30,000 symbols on one thread with AVX-512 (CPU time, best of 3, two runs):
// 1024 x 1024: 0.134 and 0.134 s; 2048 x 512: 0.146 and 0.140 s; 2048 x 2048: 0.154 s; 4096 x 1024: 0.119 s, but fewer
// tiles for several threads.
impl Default for GridSizes {
    fn default() -> Self {
        GridSizes {
            score: TileShape { rows: 1024, columns: 1024 },
            walk: 1024,
            checkpoint_bytes: 256 << 20,
            codes: 255,
        }
    }
}

/// The parameters that all tiles share.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredTask<'a> {
    pub(super) isa: Isa,
    pub(super) scoring: &'a Scoring,
    pub(super) extent: ScoredExtent,
    pub(super) team: &'a Team,
    pub(super) sizes: GridSizes,
}

/// A cell of the matrix, given by the number of rows and columns up to and including it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MatrixCell {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// A part of a matrix.
#[derive(Debug, Clone)]
pub(super) struct Region<'a> {
    pub(super) pair: Pair<'a>,
    /// The scores that enter the region.
    pub(super) edges: TileEdges,
}

/// The scores that enter the tiles at the checkpoints, `[row of tiles][column of tiles]`.
#[derive(Debug, Default)]
pub(super) struct TileCheckpoints {
    /// The distance of checkpoints, in symbols; a multiple of the tiles' side.
    pub(super) distance: usize,
    /// The number of rows and columns of a tile.
    side: usize,
    columns: usize,
    tops: Vec<TileEdge>,
    lefts: Vec<TileEdge>,
}

/// The scores of a region.
#[derive(Debug)]
pub(super) struct FilledRegion {
    /// The score of the last cell.
    pub(super) last: i32,
    /// The best cell, if the alignments are local.
    pub(super) best: BestCell,
    /// The scores of the last column.
    pub(super) right: TileEdge,
    pub(super) checkpoints: TileCheckpoints,
}

impl ScoredTask<'_> {
    /// Returns the whole matrix of a pair.
    pub(super) fn whole<'p>(&self, pair: Pair<'p>) -> Region<'p> {
        Region { pair, edges: self.edges(pair.query.len(), pair.target.len()) }
    }

    /// Returns the scores that enter a whole matrix.
    pub(super) fn edges(&self, rows: usize, columns: usize) -> TileEdges {
        let steps = StepScores::of(self.scoring);
        let border = |length| if self.extent == ScoredExtent::Local { 0 } else { steps.border(length) };
        let edge = |range: RangeInclusive<usize>| range.map(border).collect::<Vec<i32>>();
        let gaps = |best: &[i32]| best.iter().map(|score| score - steps.first).collect();
        let (top, left) = (edge(0..=columns), edge(1..=rows));
        TileEdges { top: TileEdge { gap: gaps(&top[1..]), best: top }, left: TileEdge { gap: gaps(&left), best: left } }
    }

    /// Returns the number of rows of tiles in 8 bits. It leaves a row of tiles for each thread.
    fn byte_rows(&self, rows: usize) -> usize {
        let share = rows.div_ceil(self.team.available()).min(MAX_BYTE_ROWS);
        share.max(1).next_multiple_of(self.sizes.score.rows)
    }

    /// Computes the scores of a region. Keeps the scores that enter tiles at the given distance in symbols, if there is
    /// one.
    pub(super) fn fill(&self, region: &Region<'_>, distance: Option<usize>) -> FilledRegion {
        let grid = Grid::new(self, region, distance);
        let most_threads = grid.bands.min(grid.columns).max(1);
        self.team.run(most_threads, || grid.work());
        grid.result()
    }
}

impl Region<'_> {
    /// Returns the score of the last cell, after a kernel replaced the edges with those that leave the region.
    pub(super) fn last_score(&self) -> i32 {
        let TileEdges { top, left } = &self.edges;
        let last = if self.pair.target.is_empty() { left.best.last().or(top.best.last()) } else { top.best.last() };
        *last.expect("a row has a cell left of the tile")
    }
}

/// The tiles of a region while threads compute them.
struct Grid<'a> {
    task: &'a ScoredTask<'a>,
    region: &'a Region<'a>,
    shape: TileShape,
    /// The number of rows of a part of a tile.
    part: usize,
    bands: usize,
    columns: usize,
    schedule: Mutex<Schedule>,
    changed: Condvar,
}

/// The progress of all tiles.
struct Schedule {
    bands: Vec<TileRow>,
    /// The scores that enter the next tile of each column.
    tops: Vec<TileEdge>,
    best: BestCell,
    checkpoints: TileCheckpoints,
    /// Whether a thread panicked, so that some tiles will never be done.
    has_failed: bool,
}

/// A row of tiles.
#[derive(Default)]
struct TileRow {
    /// The number of tiles that are done.
    done: usize,
    /// The state before the next tile; `None` while a thread computes this tile.
    state: Option<TileRowState>,
}

/// The state of a row of tiles between two of its tiles.
struct TileRowState {
    /// The scores that enter the next tile from the left.
    left: TileEdge,
    /// The kernels, with the query profiles of the row. They are made for the first tile.
    kernels: Option<Box<TileRowKernels>>,
}

/// The kernels that compute a row of tiles.
enum TileRowKernels {
    /// Computes whole tiles in 8 bits, until a score overflows.
    Whole(StripedKernel<i8>),
    /// Compute the parts of a tile, from top to bottom. A long alignment overflows 8 bits only in the parts that it
    /// crosses.
    Parts(Vec<TileKernels>),
}

/// The kernels that may compute a part of a tile.
struct TileKernels {
    bytes: StripedKernel<i8>,
    shorts: StripedKernel<i16>,
    ints: StripedKernel<i32>,
}

impl TileKernels {
    fn new() -> Self {
        TileKernels { bytes: StripedKernel::new(), shorts: StripedKernel::new(), ints: StripedKernel::new() }
    }

    /// Computes a part in the smallest integers that are enough.
    fn score(&mut self, isa: Isa, part: Tile<'_>, edges: &mut TileEdges) -> BestCell {
        // Scores of 8 bits are enough outside of long alignments.
        if part.extent == ScoredExtent::Local
            && let Some(best) = self.bytes.checked_score(isa, part, edges)
        {
            return best;
        }
        let score = self.shorts.score(isa, part, edges, OverflowPolicy::Sufficient);
        let score = score.or_else(|_| self.ints.score(isa, part, edges, OverflowPolicy::Sufficient));
        score.expect("the scores of a pair that fits have at most 32 bits")
    }
}

/// Ends the other threads if a thread panics.
struct FailureGuard<'g, 'a>(&'g Grid<'a>);

impl Drop for FailureGuard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A second panic would abort the program.
            let schedule = self.0.schedule.lock();
            schedule.unwrap_or_else(PoisonError::into_inner).has_failed = true;
            self.0.changed.notify_all();
        }
    }
}

/// A tile that a thread computes.
struct TakenTile {
    band: usize,
    column: usize,
    edges: TileEdges,
    kernels: Box<TileRowKernels>,
}

impl<'a> Grid<'a> {
    fn new(task: &'a ScoredTask<'a>, region: &'a Region<'a>, distance: Option<usize>) -> Self {
        let (rows, columns) = (region.pair.query.len(), region.pair.target.len());
        let TileEdges { top, left } = &region.edges;
        let walk = TileShape { rows: task.sizes.walk, columns: task.sizes.walk };
        let part = distance.map_or(task.sizes.score, |_| walk);
        let shape = match (task.extent, distance) {
            (ScoredExtent::Local, None) => TileShape { rows: task.byte_rows(rows), ..part },
            _ => part,
        };
        let bands = sections(rows, shape.rows).map(|range| TileRow {
            done: 0,
            state: Some(TileRowState {
                left: TileEdge { best: left.best[range.clone()].to_vec(), gap: left.gap[range].to_vec() },
                kernels: None,
            }),
        });
        let tops = sections(columns, shape.columns)
            .map(|range| TileEdge { best: top.best[range.start..=range.end].to_vec(), gap: top.gap[range].to_vec() });
        let checkpoints = TileCheckpoints::new(distance, task.sizes.walk, rows, columns);
        let best = BestCell::default();
        Grid {
            task,
            region,
            shape,
            part: part.rows,
            bands: sections(rows, shape.rows).count(),
            columns: sections(columns, shape.columns).count(),
            schedule: Mutex::new(Schedule {
                bands: bands.collect(),
                tops: tops.collect(),
                best,
                checkpoints,
                has_failed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Computes tiles until none is left.
    fn work(&self) {
        let _guard = FailureGuard(self);
        while let Some(mut tile) = self.take() {
            interrupt::check();
            let best = self.compute(&mut tile);
            self.hand_back(tile, best);
        }
    }

    /// Waits for a tile whose neighbours are done. Returns `None` if all tiles are taken, or a thread panicked.
    fn take(&self) -> Option<TakenTile> {
        let mut schedule = self.lock();
        loop {
            let is_taken = |band: &TileRow| band.done + usize::from(band.state.is_none()) == self.columns;
            if schedule.has_failed || schedule.bands.iter().all(is_taken) {
                return None;
            }
            if let Some(tile) = schedule.take(self.columns, || self.kernels()) {
                return Some(tile);
            }
            schedule = self.changed.wait(schedule).expect("no thread panics while it holds the schedule");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().expect("no thread panics while it holds the schedule")
    }

    /// Makes the kernels of a row of tiles.
    fn kernels(&self) -> TileRowKernels {
        match self.task.extent {
            ScoredExtent::Local => TileRowKernels::Whole(StripedKernel::new()),
            ScoredExtent::Global => TileRowKernels::Parts(Vec::new()),
        }
    }

    fn compute(&self, taken: &mut TakenTile) -> BestCell {
        let (pair, shape) = (self.region.pair, self.shape);
        let tile = Tile {
            query: &pair.query[section(taken.band, pair.query.len(), shape.rows)],
            target: &pair.target[section(taken.column, pair.target.len(), shape.columns)],
            scoring: self.task.scoring,
            extent: self.task.extent,
        };
        if let TileRowKernels::Whole(bytes) = &mut *taken.kernels {
            if let Some(best) = bytes.checked_score(self.task.isa, tile, &mut taken.edges) {
                return best;
            }
            *taken.kernels = TileRowKernels::Parts(Vec::new());
        }
        let TileRowKernels::Parts(parts) = &mut *taken.kernels else {
            unreachable!("kernels of whole tiles were replaced")
        };
        parts.resize_with(tile.query.len().div_ceil(self.part), TileKernels::new);
        self.compute_parts(parts, tile, &mut taken.edges)
    }

    /// Computes the parts of a tile, from top to bottom.
    fn compute_parts(&self, parts: &mut [TileKernels], tile: Tile<'_>, edges: &mut TileEdges) -> BestCell {
        let mut best = BestCell::default();
        for (rows, kernels) in sections(tile.query.len(), self.part).zip(parts) {
            let TileEdges { top, left } = edges;
            let left_part = TileEdge { best: left.best[rows.clone()].to_vec(), gap: left.gap[rows.clone()].to_vec() };
            let mut entering = TileEdges { top: std::mem::take(top), left: left_part };
            let part = Tile { query: &tile.query[rows.clone()], ..tile };
            let found = kernels.score(self.task.isa, part, &mut entering);
            best.replace_if_before(BestCell { row: found.row + rows.start, ..found });
            *top = entering.top;
            left.best[rows.clone()].copy_from_slice(&entering.left.best);
            left.gap[rows].copy_from_slice(&entering.left.gap);
        }
        best
    }

    fn hand_back(&self, tile: TakenTile, best: BestCell) {
        let mut schedule = self.lock();
        let found = BestCell {
            score: best.score,
            row: best.row + tile.band * self.shape.rows,
            column: best.column + tile.column * self.shape.columns,
        };
        if best.column > 0 {
            schedule.best.replace_if_before(found);
        }
        let band = &mut schedule.bands[tile.band];
        band.done += 1;
        let kernels = (band.done < self.columns).then_some(tile.kernels);
        band.state = Some(TileRowState { left: tile.edges.left, kernels });
        schedule.tops[tile.column] = tile.edges.top;
        self.changed.notify_all();
    }

    fn result(self) -> FilledRegion {
        let schedule = self.schedule.into_inner().expect("no thread panics while it holds the schedule");
        let last = schedule.tops.last().and_then(|edge| edge.best.last()).copied();
        let below = schedule.bands.last().and_then(|band| band.state.as_ref()?.left.best.last().copied());
        let entering = self.region.edges.top.best[0];
        let last = if self.columns > 0 { last } else { below };
        let mut right = TileEdge::default();
        for TileRowState { left, .. } in schedule.bands.into_iter().filter_map(|band| band.state) {
            right.best.extend(left.best);
            right.gap.extend(left.gap);
        }
        FilledRegion { last: last.unwrap_or(entering), best: schedule.best, right, checkpoints: schedule.checkpoints }
    }
}

impl Schedule {
    /// Takes the first tile whose neighbours are done.
    fn take(&mut self, columns: usize, new: impl Fn() -> TileRowKernels) -> Option<TakenTile> {
        let mut above = columns;
        for index in 0..self.bands.len() {
            let band = &mut self.bands[index];
            let column = band.done;
            if let Some(state) = band.state.take_if(|_| column < above) {
                let top = std::mem::take(&mut self.tops[column]);
                self.checkpoints.keep(index, column, &top, &state.left);
                return Some(TakenTile {
                    band: index,
                    column,
                    edges: TileEdges { top, left: state.left },
                    kernels: state.kernels.unwrap_or_else(|| Box::new(new())),
                });
            }
            above = column;
        }
        None
    }
}

impl TileCheckpoints {
    fn new(distance: Option<usize>, side: usize, rows: usize, columns: usize) -> Self {
        let tiles = sections(rows, side).count() * sections(columns, side).count();
        let kept = if distance.is_some() { tiles } else { 0 };
        TileCheckpoints {
            distance: distance.unwrap_or(0),
            side,
            columns: sections(columns, side).count(),
            tops: vec![TileEdge::default(); kept],
            lefts: vec![TileEdge::default(); kept],
        }
    }

    /// Keeps the scores that enter a tile, if it is at a checkpoint.
    fn keep(&mut self, band: usize, column: usize, top: &TileEdge, left: &TileEdge) {
        let at = band * self.columns + column;
        if self.distance > 0 && (band * self.side).is_multiple_of(self.distance) {
            self.tops[at] = top.clone();
        }
        if self.distance > 0 && (column * self.side).is_multiple_of(self.distance) {
            self.lefts[at] = left.clone();
        }
    }

    /// Returns the scores that enter the part of the matrix from the checkpoint at `from` to the cell `to`.
    pub(super) fn entering(&self, from: MatrixCell, to: MatrixCell) -> TileEdges {
        let (band, column) = (from.row / self.side, from.column / self.side);
        let tops = (column..to.column.div_ceil(self.side)).map(|column| &self.tops[band * self.columns + column]);
        let lefts = (band..to.row.div_ceil(self.side)).map(|band| &self.lefts[band * self.columns + column]);
        let (mut top, mut left) = (TileEdge::default(), TileEdge::default());
        for edge in tops {
            // The first cell of an edge is also the last cell of the edge before it.
            top.best.truncate(top.gap.len());
            top.best.extend_from_slice(&edge.best);
            top.gap.extend_from_slice(&edge.gap);
        }
        for edge in lefts {
            left.best.extend_from_slice(&edge.best);
            left.gap.extend_from_slice(&edge.gap);
        }
        let (rows, columns) = (to.row - from.row, to.column - from.column);
        top.best.truncate(columns + 1);
        top.gap.truncate(columns);
        left.best.truncate(rows);
        left.gap.truncate(rows);
        TileEdges { top, left }
    }
}

/// Returns the ranges of the tiles along one side.
fn sections(length: usize, side: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length.div_ceil(side)).map(move |index| section(index, length, side))
}

fn section(index: usize, length: usize, side: usize) -> Range<usize> {
    index * side..length.min((index + 1) * side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, Substitution};

    #[test]
    fn a_panic_in_a_tile_ends_all_threads() {
        let scoring =
            Scoring::new(Substitution::Equality { equal: 1, different: -1 }, GapCosts { open: 1, extend: 1 }).unwrap();
        let (team, string) = (Team::new(2), [b'A'; 640]);
        let shape = TileShape { rows: 64, columns: 64 };
        let sizes = GridSizes { score: shape, walk: 64, checkpoint_bytes: 1 << 20, codes: 255 };
        let task =
            ScoredTask { isa: Isa::all()[0], scoring: &scoring, extent: ScoredExtent::Global, team: &team, sizes };
        let mut region = task.whole(Pair { query: &string, target: &string });
        // No kernel takes scores of more than 32 bits.
        region.edges.left.best[300] = i32::MAX;
        let fill = std::panic::AssertUnwindSafe(|| task.fill(&region, None));
        assert!(std::panic::catch_unwind(fill).is_err());
    }
}
