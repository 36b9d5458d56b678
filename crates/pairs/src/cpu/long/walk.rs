//! Checkpointed traceback: recomputes the tiles that the alignment crosses.
//!
//! The pass stores, for each tile, the differences to its left and in the row above it. The walk back from the last
//! cell recomputes each tile that it enters. A walk over m + n symbols in tiles of h rows and c columns enters
//! O(m/h + n/c) of the O(mn/hc) tiles, so it adds little to the time of a wide band. The checkpoints take O(h + c) bits
//! for each tile.
//!
//! - D. S. Hirschberg, "A linear space algorithm for computing maximal common subsequences", 1975, for recomputation in
//!   place of storage.

use std::sync::OnceLock;

use super::kernel::{STATES, StripBuffers, TRACES};
use super::pass::{Pass, TileColumn, TileIndex};
use super::window::TargetWindow;
use nigh_text::alignment::{BackwardRuns, Edit};
use nigh_text::interrupt;

/// A walk from the last cell to the first.
pub(super) struct TileWalk<'a> {
    pub(super) pass: &'a Pass<'a>,
    pub(super) checkpoints: &'a [OnceLock<TileColumn>],
    pub(super) window: &'a mut TargetWindow,
    /// The trace bits of the current tile.
    pub(super) trace: &'a mut Vec<u64>,
}

/// A cell of the matrix. Row and column 0 are before the first symbols.
#[derive(Debug, Clone, Copy)]
struct GridCell {
    row: usize,
    column: usize,
}

impl TileWalk<'_> {
    /// Appends the edits from the last cell back to the first to `runs`.
    pub(super) fn run(&mut self, runs: &mut BackwardRuns) {
        let grid = self.pass.grid;
        let mut cell = GridCell { row: grid.rows, column: grid.columns };
        while cell.row > 0 && cell.column > 0 {
            interrupt::check();
            let strip = (cell.row - 1) / grid.height();
            let step = self.step(cell, strip);
            let at = TileIndex { strip, tile: grid.tile_of(strip, step) };
            let first = self.retrace(at, step);
            cell = self.walk_tile(cell, strip, first, runs);
        }
        runs.push(cell.row, Edit::PatternOnly);
        runs.push(cell.column, Edit::TextOnly);
    }

    /// Returns the step in which a cell of a strip is computed.
    fn step(&self, cell: GridCell, strip: usize) -> usize {
        cell.column + (cell.row - 1) / 64 - strip * self.pass.grid.blocks()
    }

    /// Computes the first steps of a tile again, up to and including the step `last`. Writes their trace bits. Returns
    /// the first step.
    fn retrace(&mut self, at: TileIndex, last: usize) -> usize {
        let (pass, grid) = (self.pass, self.pass.grid);
        let column = self.checkpoints[at.tile].get().expect("the pass stored all columns of tiles");
        let steps = grid.steps(at.strip, at.tile);
        pass.set_window(self.window, at.strip..at.strip + 1, at.tile);
        let (state, above) = column.tile(at.strip).split_at(STATES * grid.blocks());
        self.window.unpack(pass.isa, steps.clone(), above);
        let length = (last + 1 - steps.start) * grid.blocks() * TRACES;
        if self.trace.len() < length {
            self.trace.resize(length, 0);
        }
        let (state, trace) = (&mut state.to_vec(), &mut self.trace[..length]);
        pass.advance(at.strip, steps.start..last + 1, StripBuffers { window: self.window, state, trace });
        steps.start
    }

    /// Walks back from `cell` until it leaves the tile whose first step is `first`. Returns the cell that it reaches.
    fn walk_tile(&self, mut cell: GridCell, strip: usize, first: usize, runs: &mut BackwardRuns) -> GridCell {
        let (words, blocks) = (self.pass.grid.words, self.pass.grid.blocks());
        let top = strip * self.pass.grid.height();
        let (query, target) = (self.pass.symbols.query(), self.pass.symbols.target());
        while cell.row > top && cell.column > 0 {
            let step = self.step(cell, strip);
            if step < first {
                break;
            }
            let edit = if query[cell.row - 1] == target[cell.column - 1] {
                Edit::Match
            } else {
                let (block, bit) = ((cell.row - 1 - top) / 64, (cell.row - 1) % 64);
                let word = (step - first) * blocks * TRACES + block / words * TRACES * words + block % words;
                match [self.trace[word], self.trace[word + words]].map(|bits| bits >> bit & 1) {
                    [0, _] => Edit::Substitution,
                    [_, 1] => Edit::PatternOnly,
                    _ => Edit::TextOnly,
                }
            };
            cell.row -= usize::from(edit != Edit::TextOnly);
            cell.column -= usize::from(edit != Edit::PatternOnly);
            runs.push(1, edit);
        }
        cell
    }
}
