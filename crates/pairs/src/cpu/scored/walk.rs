//! The walk back through a matrix that is too large to keep.
//!
//! The scores along some rows and columns are kept. The parts of the matrix between them that the alignment crosses are
//! computed again, from the last to the first, and divided again if they are large. So an alignment takes at most a
//! constant factor more time than the score.

use super::grid::{FilledRegion, GridSizes, MatrixCell, Region, ScoredTask};
use super::steps::ScoredExtent;
use super::striped::{BestCell, StripedKernel, Tile, code};
use crate::PairAlignment;
use crate::pairs::Pair;
use nigh_text::alignment::{BackwardRuns, Edit};
use nigh_text::interrupt;

/// Number of bytes that a checkpoint takes for each cell.
const CELL_BYTES: usize = 2 * size_of::<i32>();

/// The next step that the walk searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WalkState {
    /// The step that leads to the best score of a cell.
    Best,
    /// The first symbol of a gap in the target.
    QueryGap,
    /// The first symbol of a gap in the query.
    TargetGap,
    /// None, because the alignment is complete.
    Done,
}

/// The kernels that compute the codes of a tile. Scores of 8 bits would be enough only for strings of a few dozen
/// symbols, which fill few vectors of 16 bits.
#[derive(Debug)]
pub(super) struct TraceKernels {
    shorts: StripedKernel<i16>,
    ints: StripedKernel<i32>,
}

/// The kernel with the codes of the last tile.
#[derive(Clone, Copy)]
enum TracedWidth {
    Shorts,
    Ints,
}

impl TraceKernels {
    pub(super) fn new() -> Self {
        TraceKernels { shorts: StripedKernel::new(), ints: StripedKernel::new() }
    }

    /// Computes the codes of a region. Replaces its edges with the scores that leave it.
    fn trace(&mut self, task: &ScoredTask<'_>, region: &mut Region<'_>) -> (TracedWidth, BestCell) {
        let Pair { query, target } = region.pair;
        let tile = Tile { query, target, scoring: task.scoring, extent: task.extent };
        let edges = &mut region.edges;
        if let Ok(best) = self.shorts.trace(task.isa, tile, edges) {
            return (TracedWidth::Shorts, best);
        }
        let best = self.ints.trace(task.isa, tile, edges);
        (TracedWidth::Ints, best.expect("the scores of a pair that fits have at most 32 bits"))
    }

    #[inline(always)]
    fn code(&self, width: TracedWidth, row: usize, column: usize) -> i32 {
        match width {
            TracedWidth::Shorts => self.shorts.code(row, column),
            TracedWidth::Ints => self.ints.code(row, column),
        }
    }
}

/// A walk from the end of an alignment to its start.
pub(super) struct Walk<'a> {
    task: &'a ScoredTask<'a>,
    kernels: &'a mut TraceKernels,
    state: WalkState,
    /// The number of rows and columns up to the cell of the walk.
    row: usize,
    column: usize,
    runs: BackwardRuns,
}

impl<'a> Walk<'a> {
    pub(super) fn new(task: &'a ScoredTask<'a>, kernels: &'a mut TraceKernels) -> Self {
        Walk { task, kernels, state: WalkState::Best, row: 0, column: 0, runs: BackwardRuns::default() }
    }

    /// Aligns a pair.
    pub(super) fn align(mut self, pair: Pair<'_>) -> PairAlignment {
        let mut region = self.task.whole(pair);
        let (value, end) = if is_small(pair, self.task.sizes) {
            let (width, best) = self.kernels.trace(self.task, &mut region);
            let last = region.last_score();
            let (value, end) = self.end(pair.query.len(), pair.target.len(), best, last);
            self.walk_codes(width, pair, MatrixCell::default());
            (value, end)
        } else {
            let filled = self.task.fill(&region, Some(checkpoint_distance(pair, self.task.sizes)));
            let (value, end) = self.end(pair.query.len(), pair.target.len(), filled.best, filled.last);
            self.walk_parts(pair, &filled, MatrixCell::default());
            (value, end)
        };
        self.finish(value, end)
    }

    /// Completes the alignment with the remaining gap.
    pub(super) fn finish(mut self, value: i32, end: MatrixCell) -> PairAlignment {
        if self.task.extent == ScoredExtent::Global {
            self.runs.push(self.column, Edit::TextOnly);
            self.runs.push(self.row, Edit::PatternOnly);
            (self.row, self.column) = (0, 0);
        }
        PairAlignment {
            value: value.into(),
            query: self.row..end.row,
            target: self.column..end.column,
            cigar: self.runs.cigar(),
        }
    }

    /// Moves to the end of the alignment. Returns its score and its end.
    pub(super) fn end(&mut self, rows: usize, columns: usize, best: BestCell, last: i32) -> (i32, MatrixCell) {
        let (value, end) = match self.task.extent {
            ScoredExtent::Global => (last, MatrixCell { row: rows, column: columns }),
            ScoredExtent::Local => (best.score, MatrixCell { row: best.row, column: best.column }),
        };
        (self.row, self.column) = (end.row, end.column);
        (value, end)
    }

    /// Returns the cell that the walk has reached; `None` if at most a gap is missing from the alignment.
    pub(super) fn cell(&self) -> Option<MatrixCell> {
        let is_inside = self.row > 0 && self.column > 0 && self.state != WalkState::Done;
        is_inside.then_some(MatrixCell { row: self.row, column: self.column })
    }

    /// Walks through a region that starts at the cell `origin`.
    pub(super) fn walk_region(&mut self, mut region: Region<'_>, origin: MatrixCell) {
        if is_small(region.pair, self.task.sizes) {
            let (width, _) = self.kernels.trace(self.task, &mut region);
            self.walk_codes(width, region.pair, origin);
        } else {
            let filled = self.task.fill(&region, Some(checkpoint_distance(region.pair, self.task.sizes)));
            self.walk_parts(region.pair, &filled, origin);
        }
    }

    /// Walks through the parts of a region between checkpoints.
    fn walk_parts(&mut self, pair: Pair<'_>, filled: &FilledRegion, origin: MatrixCell) {
        let distance = filled.checkpoints.distance;
        while self.row > origin.row && self.column > origin.column && self.state != WalkState::Done {
            interrupt::check();
            let to = MatrixCell { row: self.row - origin.row, column: self.column - origin.column };
            let from =
                MatrixCell { row: (to.row - 1) / distance * distance, column: (to.column - 1) / distance * distance };
            let part = Pair { query: &pair.query[from.row..to.row], target: &pair.target[from.column..to.column] };
            let region = Region { pair: part, edges: filled.checkpoints.entering(from, to) };
            let origin = MatrixCell { row: origin.row + from.row, column: origin.column + from.column };
            self.walk_region(region, origin);
        }
    }

    /// Walks through a tile that starts at the cell `origin` and whose codes are known.
    fn walk_codes(&mut self, width: TracedWidth, pair: Pair<'_>, origin: MatrixCell) {
        while self.row > origin.row && self.column > origin.column && self.state != WalkState::Done {
            let (row, column) = (self.row - origin.row - 1, self.column - origin.column - 1);
            let code = self.kernels.code(width, row, column);
            if self.state == WalkState::Best {
                self.state = state_of(code);
            }
            match self.state {
                WalkState::Best => {
                    let is_match = pair.query[row] == pair.target[column];
                    self.runs.push(1, if is_match { Edit::Match } else { Edit::Substitution });
                    (self.row, self.column) = (self.row - 1, self.column - 1);
                }
                WalkState::QueryGap => {
                    self.runs.push(1, Edit::PatternOnly);
                    self.row -= 1;
                    self.close_gap(code & code::QUERY_GAP_OPENS);
                }
                WalkState::TargetGap => {
                    self.runs.push(1, Edit::TextOnly);
                    self.column -= 1;
                    self.close_gap(code & code::TARGET_GAP_OPENS);
                }
                WalkState::Done => {}
            }
        }
    }

    /// Ends a gap if a bit of the cell's code says that the gap may open here.
    #[inline(always)]
    fn close_gap(&mut self, opens: i32) {
        if opens != 0 {
            self.state = WalkState::Best;
        }
    }
}

/// Returns the next state of the walk in a cell that no gap leads to.
#[inline(always)]
fn state_of(code: i32) -> WalkState {
    if code & code::START != 0 {
        WalkState::Done
    } else if code & code::DIAGONAL != 0 {
        WalkState::Best
    } else if code & code::QUERY_GAP != 0 {
        WalkState::QueryGap
    } else {
        WalkState::TargetGap
    }
}

/// Returns whether the codes of a pair are computed in one step.
fn is_small(pair: Pair<'_>, sizes: GridSizes) -> bool {
    pair.query.len() <= sizes.walk && pair.target.len() <= sizes.walk
}

/// Returns the distance of checkpoints, in symbols.
fn checkpoint_distance(pair: Pair<'_>, sizes: GridSizes) -> usize {
    let cells = pair.query.len() * pair.target.len();
    let least = (2 * cells).div_ceil(sizes.checkpoint_bytes / CELL_BYTES);
    // At least one side is divided, so that parts get smaller.
    let most = (pair.query.len().max(pair.target.len()) / 2).next_multiple_of(sizes.walk);
    least.next_multiple_of(sizes.walk).clamp(sizes.walk, most)
}
