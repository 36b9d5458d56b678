//! One pass over a band of the matrix, in tiles that several threads compute.
//!
//! A thread takes one column of tiles after the other, and computes its tiles from top to bottom. The differences in
//! the row between two tiles stay in the window of the thread. A tile waits for the tile to its left, which another
//! thread may compute. Columns of tiles are taken in order, so the first one that is not finished never waits.
//!
//! Values of cells next to the border of the band are those of paths inside the band. So the distance is an upper
//! bound, and it is exact if the band holds a best alignment. The pass ends early when no alignment inside the band has
//! as few edits as the band allows.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::grid::BandGrid;
use super::kernel::{STATES, StripBuffers, StripRun};
use super::symbols::CodedPair;
use super::window::{TargetWindow, WindowShape};
use crate::EditModel;
use crate::team::Team;
use nigh_simd::isa::Isa;
use nigh_text::interrupt;

/// Spins before a waiting thread lets other threads run.
const SPINS: usize = 256;

/// One pass over a pair.
pub(super) struct Pass<'a> {
    pub(super) isa: Isa,
    pub(super) model: EditModel,
    pub(super) grid: &'a BandGrid,
    pub(super) symbols: &'a CodedPair,
    /// The bit planes of the query for the grid's strips.
    pub(super) query: &'a [u64],
    /// The number of edits up to which an alignment is wanted. The band holds all alignments with at most this number.
    pub(super) edits: usize,
}

/// The end of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassEnd {
    /// The last cell was computed.
    Finished {
        /// The number of edits in the last cell: at least the distance.
        distance: usize,
    },
    /// The distance is more than the wanted number of edits.
    Exceeded {
        /// A guess of the distance.
        estimate: usize,
    },
}

/// The state of a strip after its finished tiles.
struct StripState {
    /// The index of the next tile.
    next: AtomicUsize,
    /// The number of edits in the corner of the strip: the cell above its first row and left of its first column.
    corner: OnceLock<i64>,
    progress: Mutex<StripProgress>,
}

/// The results of the finished tiles of a strip.
struct StripProgress {
    /// The differences of all blocks, as in [`StripRun`].
    words: Vec<u64>,
    /// The sum of the differences on a path from the corner of this strip to that of the next strip, or to the last
    /// cell. Vertical differences of +1 count as 0 for the Levenshtein distance.
    sum: i64,
}

/// The checkpoints from which the tiles of one column of tiles can be computed again.
#[derive(Debug, Default)]
pub(super) struct TileColumn {
    first_strip: usize,
    /// The index in `words` at which each tile starts.
    starts: Vec<usize>,
    /// For each tile, the state to its left, and the differences in the row above it.
    words: Vec<u64>,
}

impl TileColumn {
    /// Returns the words stored for the tile of a strip. Words of tiles below it may follow.
    pub(super) fn tile(&self, strip: usize) -> &[u64] {
        &self.words[self.starts[strip - self.first_strip]..]
    }
}

/// All columns of tiles.
pub(super) type TileColumns = Vec<OnceLock<TileColumn>>;

/// The threads, windows and checkpoints of a pass.
pub(super) struct PassResources<'a> {
    pub(super) team: &'a Team,
    pub(super) max_threads: usize,
    /// Windows that no thread uses.
    pub(super) windows: &'a Mutex<Vec<TargetWindow>>,
    /// An element for each column of tiles; empty if no tile is computed again.
    pub(super) checkpoints: &'a [OnceLock<TileColumn>],
}

/// A pass that is running.
struct RunningPass<'a> {
    pass: &'a Pass<'a>,
    strips: Vec<StripState>,
    next_column: AtomicUsize,
    /// The end of the pass, if it is known.
    end: OnceLock<PassEnd>,
}

impl Pass<'_> {
    /// Computes the band, until the end of the pass is known.
    pub(super) fn run(&self, resources: &PassResources<'_>) -> PassEnd {
        let strip = |index| StripState {
            next: AtomicUsize::new(0),
            corner: if index == 0 { OnceLock::from(0) } else { OnceLock::new() },
            progress: Mutex::new(StripProgress { words: self.initial_state(), sum: 0 }),
        };
        let running = RunningPass {
            pass: self,
            strips: (0..self.grid.strips()).map(strip).collect(),
            next_column: AtomicUsize::new(0),
            end: OnceLock::new(),
        };
        resources.team.run(resources.max_threads.min(self.grid.tile_columns()), || {
            let mut window = lock(resources.windows).pop().unwrap_or_default();
            running.run_columns(&mut window, resources.checkpoints);
            lock(resources.windows).push(window);
        });
        running.end.into_inner().expect("the last tile of the last strip sets the end of the pass")
    }

    /// Returns the number of edits on a path over some rows and columns, from the sum of the differences.
    fn edits_of(&self, rows: usize, columns: usize, sum: i64) -> i64 {
        match self.model {
            EditModel::Levenshtein => rows as i64 + sum,
            EditModel::Indel => (rows + columns) as i64 - 2 * sum,
        }
    }

    /// Returns the state of a strip before its first column.
    fn initial_state(&self) -> Vec<u64> {
        let words = self.grid.words;
        let of_vector = (0..STATES * words).map(|index| if index < words { !0 } else { 0 });
        of_vector.cycle().take(self.grid.vectors * STATES * words).collect()
    }

    /// Returns the bit planes of a strip.
    fn query(&self, strip: usize) -> &[u64] {
        let length = self.grid.blocks() * self.symbols.planes();
        &self.query[strip * length..][..length]
    }

    /// Computes steps of a strip.
    pub(super) fn advance(&self, strip: usize, columns: Range<usize>, buffers: StripBuffers<'_>) {
        self.isa.run(StripRun {
            model: self.model,
            vectors: self.grid.vectors,
            planes: self.symbols.planes(),
            query: self.query(strip),
            columns,
            start: self.grid.span(strip).start,
            buffers,
        });
    }

    /// Sets a window to the columns that the tiles with the index `tile` of some strips read.
    pub(super) fn set_window(&self, window: &mut TargetWindow, strips: Range<usize>, tile: usize) {
        let steps = strips.map(|strip| self.grid.steps(strip, tile));
        let all = steps.reduce(|all, next| all.start.min(next.start)..all.end.max(next.end));
        let shape = WindowShape {
            model: self.model,
            columns: all.expect("a column of tiles is not empty"),
            blocks: self.grid.blocks(),
            words: self.grid.words,
        };
        window.set(self.isa, shape, self.symbols);
    }
}

/// A tile, given by its strip and its index in the strip.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileIndex {
    pub(super) strip: usize,
    pub(super) tile: usize,
}

/// Ends the pass if a thread panics, because the tiles of this thread will never be computed.
struct EndAtPanic<'p>(&'p OnceLock<PassEnd>);

impl Drop for EndAtPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.set(PassEnd::Exceeded { estimate: 0 });
        }
    }
}

impl RunningPass<'_> {
    /// Computes columns of tiles until none is left, or the end of the pass is known.
    fn run_columns(&self, window: &mut TargetWindow, checkpoints: &[OnceLock<TileColumn>]) {
        let _end = EndAtPanic(&self.end);
        let grid = self.pass.grid;
        while self.end.get().is_none() {
            let tile = self.next_column.fetch_add(1, Ordering::Relaxed);
            if tile >= grid.tile_columns() {
                return;
            }
            let strips = grid.strips_of(tile);
            let mut stored = TileColumn { first_strip: strips.start, ..TileColumn::default() };
            self.pass.set_window(window, strips.clone(), tile);
            for strip in strips {
                let store = (!checkpoints.is_empty()).then_some(&mut stored);
                self.run_tile(TileIndex { strip, tile }, window, store);
            }
            if let Some(checkpoint) = checkpoints.get(tile) {
                checkpoint.set(stored).expect("a column of tiles is computed once");
            }
        }
    }

    /// Computes a tile. Does nothing once the end of the pass is known.
    fn run_tile(&self, at: TileIndex, window: &mut TargetWindow, store: Option<&mut TileColumn>) {
        let TileIndex { strip, tile } = at;
        interrupt::check();
        let (grid, state) = (self.pass.grid, &self.strips[strip]);
        let steps = grid.steps(strip, tile);
        let is_first = tile == grid.tiles(strip).start;
        self.wait_until(|| is_first || state.next.load(Ordering::Acquire) == tile);
        if self.end.get().is_some() {
            return;
        }
        let mut progress = lock(&state.progress);
        if let Some(column) = store {
            column.starts.push(column.words.len());
            column.words.extend_from_slice(&progress.words);
            window.pack(self.pass.isa, steps.clone(), &mut column.words);
        }
        if strip + 1 == grid.strips() {
            self.run_last(steps, window, &mut progress);
        } else {
            self.run_inner(strip, steps, window, &mut progress);
        }
        state.next.store(tile + 1, Ordering::Release);
    }

    /// Computes a tile of a strip that has a strip below it.
    fn run_inner(&self, strip: usize, steps: Range<usize>, window: &mut TargetWindow, progress: &mut StripProgress) {
        let (pass, grid) = (self.pass, self.pass.grid);
        let (span, next) = (grid.span(strip), grid.span(strip + 1));
        pass.advance(strip, steps.clone(), StripBuffers { window, state: &mut progress.words, trace: &mut [] });
        // The last block of the strip is this number of columns behind the first.
        let behind = grid.blocks() - 1;
        let below = steps.start.saturating_sub(behind)..steps.end.saturating_sub(behind);
        progress.sum += window.sum(pass.isa, below.start.max(span.start + 1)..below.end.min(next.start + 1));
        if steps.contains(&(next.start + behind)) {
            self.set_corner(strip, progress.sum);
        }
        if steps.end == span.last + grid.blocks() {
            window.set_border(span.last + 1..span.last + grid.words, pass.model);
        }
    }

    /// Sets the corner below a strip. Ends the pass if no alignment in the band has few enough edits.
    fn set_corner(&self, strip: usize, sum: i64) {
        let (pass, grid) = (self.pass, self.pass.grid);
        let (here, next) = (grid.span(strip).start, grid.span(strip + 1).start);
        let Some(corner) = self.corner(strip) else { return };
        let corner = corner + pass.edits_of(grid.height(), next - here, sum);
        self.strips[strip + 1].corner.set(corner).expect("a corner is set once");
        // Up to the diagonal of the last cell, each cell to the right has at most one edit less than the cell before
        // it. Beyond this diagonal, each cell needs one more edit to return to it.
        let top = (strip + 1) * grid.height();
        let to_diagonal = (top + grid.columns) as i64 - (grid.rows + next) as i64;
        if corner - to_diagonal > pass.edits as i64 {
            let estimate = self.estimate(strip + 1, corner);
            // Another thread may have set the end.
            let _ = self.end.set(PassEnd::Exceeded { estimate });
        }
    }

    /// Guesses the distance from the number of edits in the corner of a strip.
    fn estimate(&self, strip: usize, corner: i64) -> usize {
        let grid = self.pass.grid;
        // The corners of the first strips are in the first column.
        let base = grid.first_inner_strip().filter(|&base| base < strip);
        let (base, edits) = match base.and_then(|base| Some((base, self.strips[base].corner.get()?))) {
            Some((base, before)) => (base, corner - before),
            None => (0, corner),
        };
        let rows = (strip - base) * grid.height();
        let slope = (edits.max(1) as usize).saturating_mul(grid.rows) / rows;
        slope + grid.rows.abs_diff(grid.columns)
    }

    /// Returns the corner of a strip. Returns `None` once the end of the pass is known.
    fn corner(&self, strip: usize) -> Option<i64> {
        let corner = &self.strips[strip].corner;
        self.wait_until(|| corner.get().is_some());
        corner.get().copied()
    }

    /// Computes a tile of the last strip. Sets the end of the pass after the last step.
    fn run_last(&self, steps: Range<usize>, window: &mut TargetWindow, progress: &mut StripProgress) {
        let (pass, grid) = (self.pass, self.pass.grid);
        let strip = grid.strips() - 1;
        let top = strip * grid.height();
        progress.sum += window.sum(pass.isa, steps.start..steps.end.min(grid.columns + 1));
        let inner = steps.start..steps.end.min(grid.columns);
        pass.advance(strip, inner, StripBuffers { window, state: &mut progress.words, trace: &mut [] });
        for step in steps.start.max(grid.columns)..steps.end {
            // The blocks reach the last column in successive steps.
            pass.advance(strip, step..step + 1, StripBuffers { window, state: &mut progress.words, trace: &mut [] });
            let block = step - grid.columns;
            let rows = grid.rows.saturating_sub(top + 64 * block).min(64);
            let mask = if rows == 0 { 0 } else { !0 >> (64 - rows) };
            let first = block / grid.words * STATES * grid.words + block % grid.words;
            progress.sum += vertical_sum(pass.model, [progress.words[first], progress.words[first + grid.words]], mask);
        }
        let span = grid.span(strip);
        if steps.end < span.last + grid.blocks() {
            return;
        }
        if let Some(corner) = self.corner(strip) {
            let edits = corner + pass.edits_of(grid.rows - top, grid.columns - span.start, progress.sum);
            let distance = usize::try_from(edits).expect("a number of edits is not negative");
            let _ = self.end.set(PassEnd::Finished { distance });
        }
    }

    /// Waits until a condition that another thread changes is true, or the end of the pass is known.
    fn wait_until(&self, is_true: impl Fn() -> bool) {
        let is_over = || is_true() || self.end.get().is_some();
        for spin in 0.. {
            if is_over() {
                return;
            }
            if spin < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
}

/// Returns the sum of the vertical differences of one block in the rows of `mask`. Those of +1 count as 0 for the
/// Levenshtein distance.
fn vertical_sum(model: EditModel, [first, second]: [u64; 2], mask: u64) -> i64 {
    let count = |bits: u64| i64::from((bits & mask).count_ones());
    match model {
        EditModel::Levenshtein => -count(!first) - count(second),
        EditModel::Indel => count(!first),
    }
}

/// Locks a mutex.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panics while it holds the lock")
}
