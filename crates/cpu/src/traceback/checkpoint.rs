//! Checkpointed traceback: recomputes the matrix between stored columns, for patterns of more than one block.
//!
//! The matrix of the pattern and the text before the hit is cut into quadrants of q columns. The forward pass stores
//! only the vertical differences at the left border of each quadrant, two bits per cell. The walk back from the last
//! cell recomputes each quadrant that it enters, from the border of the quadrant. With q = 8 for short texts and about
//! √n for long ones, a hit in a text of n symbols takes two passes and stores about 2·√n columns.
//!
//! Both passes compute only the rows near the diagonal: a walk of d edits stays within d diagonals of the diagonal of
//! the last cell (Ukkonen 1985). The time is O(n⌈d/64⌉).
//!
//! Hits that end near each other share both passes: the rows are those near any of their diagonals, and all walks cross
//! a quadrant before the next is recomputed. A match of a long pattern usually comes with hundreds of such hits.
//!
//! - D. S. Hirschberg, "A linear space algorithm for computing maximal common subsequences", 1975, for recomputation in
//!   place of storage.
//! - R. Farivar, H. Kharbanda, S. Venkataraman and R. H. Campbell, "An algorithm for fast edit distance computation on
//!   GPUs", 2012, for the quadrants.

use crate::myers::{BlockPattern, ROWS};
use crate::recurrence::{CellRecurrence, LevenshteinEdits, Step, TopDifference};
use nigh_text::alignment::{BackwardRuns, Edit};
use nigh_verify::encoder::Code;
use nigh_verify::text_window::MatchStart;

/// Columns in a quadrant of a short text.
const SHORT_QUADRANT: usize = 8;

/// The vertical differences of one block in one column.
#[derive(Clone, Copy)]
struct BlockDifferences {
    pv: u64,
    mv: u64,
}

/// The trace bits of one block in one column of the current quadrant.
#[derive(Clone, Copy)]
struct TraceBits {
    d0: u64,
    pv: u64,
}

/// A cell of the matrix. Row and column 0 are the borders before the first symbols.
#[derive(Clone, Copy, Default)]
struct Cell {
    row: usize,
    column: usize,
}

/// Reusable buffers for tracebacks.
#[derive(Default)]
pub(crate) struct Checkpoints {
    /// The column computed last.
    column: Vec<BlockDifferences>,
    /// The left borders of all quadrants, one after the other.
    borders: Vec<BlockDifferences>,
    /// The index in `borders` at which the border of each quadrant starts.
    border_starts: Vec<usize>,
    /// The bits of the current quadrant, `[column][block]`.
    traces: Vec<TraceBits>,
    walks: Vec<TraceWalk>,
}

/// A walk from the end of a hit back to its start.
#[derive(Default)]
pub(crate) struct TraceWalk {
    /// The edits so far.
    pub(crate) runs: BackwardRuns,
    /// The cell that it has reached.
    cell: Cell,
}

impl TraceWalk {
    /// Returns the index in [`TraceProblem::codes`] of the first symbol of the match.
    pub(crate) fn start(&self) -> usize {
        self.cell.column
    }

    fn is_under_way(&self) -> bool {
        self.cell.row > 0 && self.cell.column > 0
    }
}

/// The end of a hit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TraceEnd {
    /// The number of symbols of the text before the end.
    pub(crate) column: usize,
    pub(crate) distance: usize,
}

/// Hits of one pattern to trace back.
#[derive(Clone, Copy)]
pub(crate) struct TraceProblem<'a> {
    pub(crate) pattern: &'a BlockPattern,
    /// The text that the matches can cover, up to the end of the last hit.
    pub(crate) codes: &'a [Code],
    /// The ends of the hits, at least one, by column.
    pub(crate) ends: &'a [TraceEnd],
    pub(crate) start: MatchStart,
    /// The largest distance.
    pub(crate) distance: usize,
}

/// The columns that were recomputed last.
#[derive(Clone, Copy)]
struct Quadrant {
    /// The last column before the quadrant.
    before: usize,
    /// The index of the first block of each column.
    first: usize,
    /// The number of blocks of each column.
    width: usize,
}

impl TraceProblem<'_> {
    /// Returns the indices of the first and the last block that a walk can visit in a column. Columns count from 1.
    fn band(&self, column: usize) -> (usize, usize) {
        let length = self.pattern.length();
        let (first_end, last_end) = (self.ends[0].column, self.codes.len());
        let centre = length + column;
        let first_row = centre.saturating_sub(last_end + self.distance).max(1);
        let last_row = (centre + self.distance).saturating_sub(first_end).clamp(1, length);
        ((first_row - 1) / ROWS, (last_row - 1) / ROWS)
    }

    fn quadrant_columns(&self) -> usize {
        match self.codes.len() {
            short if short <= SHORT_QUADRANT * SHORT_QUADRANT => SHORT_QUADRANT,
            long => long.isqrt().next_power_of_two(),
        }
    }

    /// Computes the column `column` in place, in the blocks of its band. `blocks` holds the column before. Calls
    /// `visit` with the index and the result of each block.
    #[inline]
    fn advance(&self, blocks: &mut [BlockDifferences], column: usize, mut visit: impl FnMut(usize, &Step)) {
        let (first, last) = self.band(column);
        let eq = self.pattern.eq(self.codes[column - 1]);
        // The walk does not leave the band, so the cells above the band may be assumed to be as large as possible.
        let mut above =
            if first == 0 && self.start == MatchStart::Anywhere { TopDifference::FREE } else { TopDifference::RISING };
        for index in first..=last {
            let step = LevenshteinEdits::step(eq[index], blocks[index].pv, blocks[index].mv, above);
            above = step.below(ROWS - 1);
            blocks[index] = BlockDifferences { pv: step.pv, mv: step.mv };
            visit(index, &step);
        }
    }
}

impl Checkpoints {
    /// Walks back from the end of each hit to its start. Returns the walks in the order of the hits.
    pub(crate) fn walk_back(&mut self, problem: TraceProblem<'_>) -> &[TraceWalk] {
        self.store_borders(problem);
        let quadrant_columns = problem.quadrant_columns();
        let mut walks = std::mem::take(&mut self.walks);
        walks.resize_with(problem.ends.len(), TraceWalk::default);
        for (walk, end) in walks.iter_mut().zip(problem.ends) {
            walk.runs.clear();
            walk.cell = Cell { row: problem.pattern.length(), column: end.column };
        }
        let last =
            |walks: &[TraceWalk]| walks.iter().filter(|walk| walk.is_under_way()).map(|walk| walk.cell.column).max();
        while let Some(column) = last(&walks) {
            let quadrant = self.recompute(problem, (column - 1) / quadrant_columns * quadrant_columns, column);
            walks.iter_mut().for_each(|walk| self.cross(problem, quadrant, walk));
        }
        for walk in &mut walks {
            walk.runs.push(walk.cell.row, Edit::PatternOnly);
            if problem.start == MatchStart::Fixed {
                walk.runs.push(walk.cell.column, Edit::TextOnly);
                walk.cell.column = 0;
            }
        }
        self.walks = walks;
        &self.walks
    }

    /// Computes all columns, and stores the left border of each quadrant.
    fn store_borders(&mut self, problem: TraceProblem<'_>) {
        let blocks = problem.pattern.length().div_ceil(ROWS);
        self.column.clear();
        self.column.resize(blocks, BlockDifferences { pv: !0, mv: 0 });
        self.borders.clear();
        self.border_starts.clear();
        let quadrant_columns = problem.quadrant_columns();
        for column in 1..=problem.codes.len() {
            if (column - 1) % quadrant_columns == 0 {
                let (first, last) = problem.band(column);
                self.border_starts.push(self.borders.len());
                self.borders.extend_from_slice(&self.column[first..=last]);
            }
            problem.advance(&mut self.column, column, |_, _| {});
        }
    }

    /// Recomputes the columns after `before` up to `until`, and stores the bits that the walks need.
    fn recompute(&mut self, problem: TraceProblem<'_>, before: usize, until: usize) -> Quadrant {
        let (first, last) = problem.band(before + 1);
        let (_, lowest) = problem.band(until);
        let border = self.border_starts[before / problem.quadrant_columns()];
        self.column[first..=last].copy_from_slice(&self.borders[border..=border + last - first]);
        self.column[last + 1..=lowest].fill(BlockDifferences { pv: !0, mv: 0 });
        let width = lowest - first + 1;
        self.traces.clear();
        self.traces.resize(width * (until - before), TraceBits { d0: 0, pv: 0 });
        for column in before + 1..=until {
            let traces = &mut self.traces[width * (column - before - 1)..];
            problem.advance(&mut self.column, column, |index, step| {
                traces[index - first] = TraceBits { d0: step.d0, pv: step.pv };
            });
        }
        Quadrant { before, first, width }
    }

    /// Continues a walk until it leaves the quadrant or reaches row 0.
    fn cross(&self, problem: TraceProblem<'_>, quadrant: Quadrant, walk: &mut TraceWalk) {
        let Quadrant { before, first, width } = quadrant;
        let Cell { mut row, mut column } = walk.cell;
        while row > 0 && column > before {
            let (word, bit) = ((row - 1) / ROWS, (row - 1) % ROWS);
            let trace = self.traces[width * (column - before - 1) + word - first];
            let eq = problem.pattern.eq(problem.codes[column - 1])[word];
            let edit = if eq >> bit & 1 == 1 {
                Edit::Match
            } else if trace.d0 >> bit & 1 == 0 {
                Edit::Substitution
            } else if trace.pv >> bit & 1 == 1 {
                Edit::PatternOnly
            } else {
                Edit::TextOnly
            };
            row -= usize::from(edit != Edit::TextOnly);
            column -= usize::from(edit != Edit::PatternOnly);
            walk.runs.push(1, edit);
        }
        walk.cell = Cell { row, column };
    }
}
