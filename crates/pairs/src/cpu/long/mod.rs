//! Long pairs: edit distance and longest common subsequence of two strings of any length, and their alignment.
//!
//! Block-based Myers (or bit-parallel LCS) over vectors, in a band around the diagonal that grows until it holds a best
//! alignment (Ukkonen's doubling). For strings of m and n symbols at distance d, the time is O(m⌈d/w⌉) for vectors of w
//! bits, and the memory of a distance is O(m + n). The other files name the papers.
//!
//! Reading order: `grid` (which cells are computed), `symbols` and `window` (their input), `kernel`, `pass`, `walk`.

mod grid;
mod kernel;
mod pass;
mod symbols;
mod walk;
mod window;

use std::sync::{Mutex, OnceLock};

use self::grid::{BandGrid, DiagonalBand};
use self::kernel::max_vectors;
use self::pass::{Pass, PassEnd, PassResources, TileColumns};
use self::symbols::CodedPair;
use self::walk::TileWalk;
use self::window::TargetWindow;
use super::super::pairs::Pair;
use super::super::team::Team;
use super::super::{EditModel, PairAlignment};
use nigh_simd::isa::Isa;
use nigh_text::alignment::{BackwardRuns, Edit};

/// Number of symbols that are compared at once in the search for a common prefix or suffix.
const CHUNK: usize = 64;

/// The initial sizes of a search.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Number of insertions and deletions that the first band allows, in addition to the difference of the lengths;
    /// `None` to choose it by the lengths.
    first_edits: Option<usize>,
    /// Number of steps of a tile; `None` to choose it by the lengths.
    tile: Option<usize>,
    /// Number of vectors in a strip; `None` to choose it for each band.
    vectors: Option<usize>,
    /// Number of cells of a band for each thread. They take about 0.2 ms, several times the time to start a thread.
    cells_per_thread: usize,
}

impl Sizes {
    const TUNED: Sizes = Sizes { first_edits: None, tile: None, vectors: None, cells_per_thread: 1 << 24 };

    /// Returns the number of steps of a tile. Tiles of 512 to 8,192 steps take the same time. Long tiles have few
    /// checkpoints, and short ones keep several threads busy.
    fn tile(&self, length: usize) -> usize {
        self.tile.unwrap_or((length / 128).next_power_of_two().clamp(2_048, 8_192))
    }

    /// Returns the number of insertions and deletions that the first band allows, in addition to the difference of the
    /// lengths.
    fn first_edits(&self, rows: usize, length: usize) -> usize {
        match self.first_edits {
            Some(edits) => edits,
            // One strip of AVX-512 holds all rows.
            None if rows <= 512 => rows + length,
            None => (length / 16).clamp(64, 512),
        }
    }
}

/// Compares long pairs, one after the other.
pub(crate) struct LongPairs<'a> {
    isa: Isa,
    team: &'a Team,
    sizes: Sizes,
    symbols: CodedPair,
    query: Vec<u64>,
    windows: Mutex<Vec<TargetWindow>>,
    trace: Vec<u64>,
    runs: BackwardRuns,
}

/// The result of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProbedDistance {
    /// The distance; `None` if it is more than the bound.
    Known(Option<usize>),
    /// A guess of the distance, as accurate as the estimates in [`next_edits`].
    Guessed {
        /// The guess of the distance.
        edits: usize,
        /// Length of the longer string without common ends, in symbols.
        length: usize,
    },
}

/// The end of a search, and the data that its last pass stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchGoal {
    /// The search ends with the distance.
    Distance,
    /// The search ends with the distance and with what a walk needs.
    Alignment,
    /// The search ends as soon as two bands guess the same distance, or a band is wider than [`MAX_PROBED_EDITS`].
    Probe,
}

/// The result of a search.
enum SearchEnd {
    /// The distance is known.
    Found(FinalPass),
    /// The distance is more than the bound.
    Exceeded,
    /// The distance is about this number.
    Guessed(usize),
}

/// Number of insertions and deletions that the widest band of a probe allows. A pass over this band takes up to 40 ms
/// of one core for strings of 1,000,000 symbols, at the speed that the cost model assumes; it ends early if the
/// distance is greater.
const MAX_PROBED_EDITS: usize = 1 << 13;

/// Whether a pass stores what a walk needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassStorage {
    Checkpoints,
    Nothing,
}

/// A pass whose band holds a best alignment.
struct FinalPass {
    distance: usize,
    grid: BandGrid,
    checkpoints: TileColumns,
}

impl<'a> LongPairs<'a> {
    pub(crate) fn new(isa: Isa, team: &'a Team) -> Self {
        LongPairs {
            isa,
            team,
            sizes: Sizes::TUNED,
            symbols: CodedPair::default(),
            query: Vec::new(),
            windows: Mutex::default(),
            trace: Vec::new(),
            runs: BackwardRuns::default(),
        }
    }

    /// Returns the least number of edits, or `None` if it is more than `bound`.
    pub(crate) fn distance(&mut self, model: EditModel, pair: Pair<'_>, bound: Option<usize>) -> Option<usize> {
        let Pair { query, target } = without_suffix(without_prefix(pair));
        let bound = bound.unwrap_or(usize::MAX);
        if query.is_empty() || target.is_empty() {
            return Some(query.len() + target.len()).filter(|&distance| distance <= bound);
        }
        // The distance is symmetric. Few long strips have fewer borders than many short ones.
        let is_wide = query.len() <= target.len();
        let pair = if is_wide { Pair { query, target } } else { Pair { query: target, target: query } };
        match self.search(model, pair, bound, SearchGoal::Distance) {
            SearchEnd::Found(pass) => Some(pass.distance),
            SearchEnd::Exceeded | SearchEnd::Guessed(_) => None,
        }
    }

    /// Computes or guesses the least number of edits in little time, from the first bands.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "a probe decides whether a device pays"))]
    pub(crate) fn probe(&mut self, model: EditModel, pair: Pair<'_>, bound: Option<usize>) -> ProbedDistance {
        let inner = without_suffix(without_prefix(pair));
        if inner.query.is_empty() || inner.target.is_empty() {
            return ProbedDistance::Known(self.distance(model, inner, bound));
        }
        let bound = bound.unwrap_or(usize::MAX);
        match self.search(model, inner, bound, SearchGoal::Probe) {
            SearchEnd::Found(pass) => ProbedDistance::Known(Some(pass.distance)),
            SearchEnd::Exceeded => ProbedDistance::Known(None),
            SearchEnd::Guessed(edits) => {
                ProbedDistance::Guessed { edits, length: inner.query.len().max(inner.target.len()) }
            }
        }
    }

    /// Aligns a pair. The value is a distance, or the length of the longest common subsequence.
    pub(crate) fn align(&mut self, model: EditModel, pair: Pair<'_>) -> PairAlignment {
        // The walk starts at the end and prefers matches, so it takes a common suffix first, but not always a common
        // prefix.
        let inner = without_suffix(pair);
        self.runs.clear();
        self.runs.push(pair.query.len() - inner.query.len(), Edit::Match);
        let distance = if inner.query.is_empty() || inner.target.is_empty() {
            self.runs.push(inner.query.len(), Edit::PatternOnly);
            self.runs.push(inner.target.len(), Edit::TextOnly);
            inner.query.len() + inner.target.len()
        } else {
            self.align_inner(model, inner)
        };
        PairAlignment {
            value: edit_value(model, pair, distance),
            query: 0..pair.query.len(),
            target: 0..pair.target.len(),
            cigar: self.runs.cigar(),
        }
    }

    /// Aligns strings that are not empty. Appends their edits to the runs, and returns their distance.
    fn align_inner(&mut self, model: EditModel, pair: Pair<'_>) -> usize {
        let found = match self.search(model, pair, usize::MAX, SearchGoal::Alignment) {
            SearchEnd::Found(found) => found,
            SearchEnd::Exceeded | SearchEnd::Guessed(_) => unreachable!("a complete search has no bound"),
        };
        let pass = Pass {
            isa: self.isa,
            model,
            grid: &found.grid,
            symbols: &self.symbols,
            query: &self.query,
            edits: found.distance,
        };
        let mut window = TargetWindow::default();
        let (checkpoints, trace) = (&found.checkpoints, &mut self.trace);
        TileWalk { pass: &pass, checkpoints, window: &mut window, trace }.run(&mut self.runs);
        found.distance
    }

    /// Computes the distance of strings that are not empty, in bands of growing width.
    fn search(&mut self, model: EditModel, pair: Pair<'_>, bound: usize, goal: SearchGoal) -> SearchEnd {
        let (rows, columns) = (pair.query.len(), pair.target.len());
        let bound = bound.min(match model {
            EditModel::Levenshtein => rows.max(columns),
            EditModel::Indel => rows + columns,
        });
        let least = rows.abs_diff(columns);
        if least > bound {
            return SearchEnd::Exceeded;
        }
        let storage = match goal {
            SearchGoal::Alignment => PassStorage::Checkpoints,
            SearchGoal::Distance | SearchGoal::Probe => PassStorage::Nothing,
        };
        self.symbols.set(pair);
        let length = rows.max(columns);
        let mut edits = (least + self.sizes.first_edits(rows, length)).min(bound);
        let mut last = 0;
        loop {
            let grid = BandGrid {
                rows,
                columns,
                words: self.isa.streams() / 64,
                vectors: self.vectors(columns.min(edits)),
                tile: self.sizes.tile(length),
                band: DiagonalBand::of(rows, columns, edits),
            };
            let (end, checkpoints) = self.pass(model, edits, storage, &grid);
            edits = match end {
                PassEnd::Finished { distance } if distance <= edits => {
                    return SearchEnd::Found(FinalPass { distance, grid, checkpoints });
                }
                _ if edits == bound => return SearchEnd::Exceeded,
                PassEnd::Finished { distance } => distance.min(bound),
                PassEnd::Exceeded { estimate } => {
                    let next = next_edits(edits, [last, estimate], length).min(bound);
                    let is_known = is_settled([last, estimate]) || next > MAX_PROBED_EDITS;
                    if goal == SearchGoal::Probe && is_known {
                        return SearchEnd::Guessed(estimate.max(edits));
                    }
                    last = estimate;
                    next
                }
            };
        }
    }

    /// Returns the number of vectors of a strip in a band of `width` diagonals.
    ///
    /// Each vector is a chain of dependent operations, so more vectors take less time for each cell until their state
    /// does not fit in the registers. But a strip covers cells outside the band, and more of them the higher it is.
    ///
    /// One core of a Sapphire Rapids server, strings of 32,768 letters, CPU time of a pass in milliseconds with 1, 2
    /// and 4 vectors of AVX-512, and of AVX2:
    ///
    /// | diagonals | DNA | protein | DNA, AVX2 |
    /// | --- | --- | --- | --- |
    /// | 1,024 | 0.57 0.63 0.79 | 0.96 1.07 1.67 | 1.11 1.01 1.37 |
    /// | 1,536 | 0.84 0.75 0.90 | 0.98 0.95 1.48 | 1.55 1.28 1.55 |
    /// | 6,144 | 2.15 1.82 1.82 | 2.70 2.33 3.07 | 4.95 3.68 4.16 |
    /// | 12,288 | 3.66 3.17 2.98 | 4.85 4.27 5.05 | 8.78 6.97 8.03 |
    fn vectors(&self, width: usize) -> usize {
        let wanted = match (self.sizes.vectors, width) {
            (Some(vectors), _) => vectors,
            (None, ..1_300) => 1,
            (None, ..8_000) => 2,
            (None, _) => 4,
        };
        wanted.min(max_vectors(self.isa.streams() / 64, self.symbols.planes()))
    }

    /// Runs one pass.
    fn pass(
        &mut self,
        model: EditModel,
        edits: usize,
        storage: PassStorage,
        grid: &BandGrid,
    ) -> (PassEnd, TileColumns) {
        self.symbols.query_planes(grid.words, grid.vectors, &mut self.query);
        let checkpoints: TileColumns = match storage {
            PassStorage::Checkpoints => (0..grid.tile_columns()).map(|_| OnceLock::new()).collect(),
            PassStorage::Nothing => Vec::new(),
        };
        let cells = grid.rows.saturating_mul(grid.columns.min(edits));
        let pass = Pass { isa: self.isa, model, grid, symbols: &self.symbols, query: &self.query, edits };
        let end = pass.run(&PassResources {
            team: self.team,
            max_threads: 1 + cells / self.sizes.cells_per_thread,
            windows: &self.windows,
            checkpoints: &checkpoints,
        });
        (end, checkpoints)
    }
}

/// Returns the value of a pair with this number of edits: the distance, or the length of the longest common
/// subsequence.
pub(crate) fn edit_value(model: EditModel, pair: Pair<'_>, distance: usize) -> i64 {
    let value = match model {
        EditModel::Levenshtein => distance,
        EditModel::Indel => (pair.query.len() + pair.target.len() - distance) / 2,
    };
    i64::try_from(value).expect("strings in memory have less than 2^63 symbols")
}

/// Returns the number of insertions and deletions that the next band allows, after a pass that ended early. `estimates`
/// are the estimated distances of the last two passes.
///
/// The estimates for random strings of 4 to 20 letters were up to 11 % below the distance, and those for strings with 5
/// % errors up to 4 %.
fn next_edits(edits: usize, estimates: [usize; 2], length: usize) -> usize {
    let [_, estimate] = estimates;
    if is_settled(estimates) || estimate <= 4 * edits || edits >= length / 32 {
        let margin = if estimate >= length / 4 { estimate / 6 } else { estimate / 16 };
        (estimate + margin).max(edits + edits / 2 + 1)
    } else {
        4 * edits
    }
}

/// Returns whether two guesses of a distance, one after the other, agree.
fn is_settled([last, estimate]: [usize; 2]) -> bool {
    estimate.abs_diff(last) <= estimate / 16
}

/// Removes the longest common prefix.
fn without_prefix(Pair { query, target }: Pair<'_>) -> Pair<'_> {
    let chunks = query.chunks_exact(CHUNK).zip(target.chunks_exact(CHUNK));
    let start = CHUNK * chunks.take_while(|(a, b)| a == b).count();
    let same = start + query[start..].iter().zip(&target[start..]).take_while(|(a, b)| a == b).count();
    Pair { query: &query[same..], target: &target[same..] }
}

/// Removes the longest common suffix.
fn without_suffix(Pair { query, target }: Pair<'_>) -> Pair<'_> {
    let chunks = query.rchunks_exact(CHUNK).zip(target.rchunks_exact(CHUNK));
    let end = CHUNK * chunks.take_while(|(a, b)| a == b).count();
    let (query, target) = (&query[..query.len() - end], &target[..target.len() - end]);
    let same = query.iter().rev().zip(target.iter().rev()).take_while(|(a, b)| a == b).count();
    Pair { query: &query[..query.len() - same], target: &target[..target.len() - same] }
}

#[cfg(test)]
mod tests;
