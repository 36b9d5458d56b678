//! Scored alignment of a long pair on a device, by anti-diagonals of tiles. `kernels/score_tiles.cu` describes the
//! kernels.
#![allow(unsafe_code)]

use super::PairQueue;
use super::scored_tables::{ScoreCodes, TILE_ROWS, TabledString, cigar};
use crate::pairs::Pair;
use crate::scoring::Scoring;
use crate::{Objective, PairAlignment, reference};
use nigh_device::DeviceError;
use nigh_device::abi::{
    AlignTilesKernel, BestCell, ScoreTileArguments, TileBorder, TraceTilesArguments, TraceTilesKernel, WARP,
};
use nigh_device::driver::{Buffer, LaunchShape};
use nigh_device::modules::SCORE_TILES;

/// Number of borders of a tile in `left`: one for each row, and one for the corner above the first row.
const LEFT_BORDERS: usize = TILE_ROWS + 1;

/// The largest range of scores: see `kernels/README.md`.
const MAX_RANGE: usize = 1 << 30;
/// Maximum number of bytes of the borders of an alignment.
const MAX_BORDER_BYTES: usize = 2 << 30;

/// The part of both strings that an alignment covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TiledExtent {
    /// All of both strings.
    Global,
    /// The parts of both strings with the best score.
    Local,
}

/// The borders that launches keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptBorders {
    /// The borders of the last tiles.
    Last,
    /// All borders, for the traceback: 16 bytes for each 256 cells.
    All,
}

/// A pair on the device.
struct UploadedPair {
    /// Numbers of tiles.
    tile_rows: usize,
    tile_columns: usize,
    code_count: usize,
    // Memory of the arguments.
    _codes: Buffer<u8>,
    _profile: Buffer<i8>,
    _above: Buffer<TileBorder>,
    _left: Buffer<TileBorder>,
    best: Buffer<BestCell>,
    /// The arguments of the first launch.
    arguments: ScoreTileArguments,
}

impl PairQueue {
    /// Returns whether `score_tiles.cu` computes the score of a pair without overflow.
    pub(crate) fn takes_score(scoring: &Scoring, pair: Pair<'_>) -> bool {
        let gaps = scoring.gaps();
        let largest = scoring.max_score().abs().max(scoring.min_score().abs()).max(gaps.open + gaps.extend);
        (pair.query.len() + pair.target.len()).saturating_mul(largest as usize) < MAX_RANGE
    }

    /// Returns whether `score_tiles.cu` can align a pair with at most [`MAX_BORDER_BYTES`] of borders.
    pub(crate) fn takes_alignment(scoring: &Scoring, pair: Pair<'_>) -> bool {
        let cells = pair.query.len().saturating_mul(pair.target.len());
        PairQueue::takes_score(scoring, pair) && cells / 16 <= MAX_BORDER_BYTES
    }

    /// Returns the score of a pair.
    pub(crate) fn tiled_score(
        &self,
        scoring: &Scoring,
        pair: Pair<'_>,
        extent: TiledExtent,
    ) -> Result<i64, DeviceError> {
        if pair.query.is_empty() || pair.target.is_empty() {
            return Ok(edge_alignment(scoring, pair, extent).value);
        }
        let uploaded = self.upload_pair(scoring, pair, extent, KeptBorders::Last)?;
        Ok(self.compute_tiles(uploaded, extent)?.1.score.into())
    }

    /// Aligns a pair. Needs device memory of 16 bytes for each 256 cells.
    pub(crate) fn tiled_alignment(
        &self,
        scoring: &Scoring,
        pair: Pair<'_>,
        extent: TiledExtent,
    ) -> Result<PairAlignment, DeviceError> {
        if pair.query.is_empty() || pair.target.is_empty() {
            return Ok(edge_alignment(scoring, pair, extent));
        }
        let uploaded = self.upload_pair(scoring, pair, extent, KeptBorders::All)?;
        let (uploaded, end) = self.compute_tiles(uploaded, extent)?;
        self.trace_tiles(&uploaded, pair, end)
    }

    fn upload_pair(
        &self,
        scoring: &Scoring,
        pair: Pair<'_>,
        extent: TiledExtent,
        kept: KeptBorders,
    ) -> Result<UploadedPair, DeviceError> {
        let codes = ScoreCodes::new(scoring, TabledString::Query, pair.query);
        let (rows, columns) = (pair.query.len(), pair.target.len());
        let (tile_rows, tile_columns) = (rows.div_ceil(TILE_ROWS), columns.div_ceil(TILE_ROWS));
        let (above_stride, left_stride) = match kept {
            KeptBorders::Last => (0, 0),
            KeptBorders::All => (columns, tile_rows * LEFT_BORDERS),
        };
        let encoded: Vec<u8> = pair.target.iter().map(|&byte| codes.code(byte)).collect();
        let (target, profile) = (self.queue.filled(&encoded)?, self.queue.filled(&codes.tile_profile(pair.query))?);
        let above = self.queue.buffer(columns + above_stride * (tile_rows - 1))?;
        let left = self.queue.buffer(tile_rows * LEFT_BORDERS + left_stride * tile_columns)?;
        let mut best = self.queue.buffer(tile_rows)?;
        self.queue.clear(&mut best, 0..tile_rows)?;
        let arguments = ScoreTileArguments {
            codes: target.address(0..columns),
            profile: profile.address(0..tile_rows * TILE_ROWS * codes.count()),
            above: above.address(0..above.length()),
            left: left.address(0..left.length()),
            best: best.address(0..tile_rows),
            above_stride: above_stride as u64,
            left_stride: left_stride as u64,
            rows: rows as u32,
            columns: columns as u32,
            code_count: codes.count() as u32,
            diagonal: 0,
            is_local: u32::from(extent == TiledExtent::Local),
            open: scoring.gaps().open,
            extend: scoring.gaps().extend,
            unused: 0,
        };
        let code_count = codes.count();
        Ok(UploadedPair {
            tile_rows,
            tile_columns,
            code_count,
            _codes: target,
            _profile: profile,
            _above: above,
            _left: left,
            best,
            arguments,
        })
    }

    /// Computes all tiles. Returns the cell that the alignment ends in.
    fn compute_tiles(
        &self,
        uploaded: UploadedPair,
        extent: TiledExtent,
    ) -> Result<(UploadedPair, BestCell), DeviceError> {
        let kernel = self.device.kernel::<AlignTilesKernel>(&SCORE_TILES)?;
        for diagonal in 0..uploaded.tile_rows + uploaded.tile_columns - 1 {
            let last = diagonal.min(uploaded.tile_rows - 1);
            let first = (diagonal + 1).saturating_sub(uploaded.tile_columns);
            let shape = LaunchShape {
                grid: ((last + 1 - first) as u32, 1),
                threads: WARP as u32,
                shared: shared_bytes(uploaded.code_count) as u32,
            };
            let arguments = ScoreTileArguments { diagonal: diagonal as u32, ..uploaded.arguments };
            // SAFETY: `upload_pair` made the arguments: each address has the values that the strides need, and each
            // code has scores in the profile. The diagonals are launched in order, each with a block for each of its
            // tiles. The block has the shared memory for the codes.
            unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
        }
        let mut best = self.queue.pinned::<BestCell>(uploaded.tile_rows)?;
        self.queue.download(&uploaded.best, 0..uploaded.tile_rows, &mut best)?;
        let best = best.wait()?;
        let end = match extent {
            TiledExtent::Global => best.last(),
            TiledExtent::Local => best.iter().min_by_key(|cell| (-cell.score, cell.column, cell.row)),
        };
        let end = *end.expect("there is a tile row");
        Ok((uploaded, end))
    }

    /// Walks back from a cell.
    fn trace_tiles(
        &self,
        uploaded: &UploadedPair,
        pair: Pair<'_>,
        end: BestCell,
    ) -> Result<PairAlignment, DeviceError> {
        let (rows, columns) = (end.row as usize, end.column as usize);
        let words = 3 + (rows + columns).div_ceil(16);
        let mut result = self.queue.buffer::<u32>(words)?;
        // The kernel writes only the edits that exist. All words are downloaded, so the others must be initialised.
        self.queue.clear(&mut result, 0..words)?;
        let arguments = TraceTilesArguments {
            tiles: uploaded.arguments,
            result: result.address(0..words),
            end_row: end.row,
            end_column: end.column,
            unused: 0,
        };
        let shared = shared_bytes(uploaded.code_count) + TILE_ROWS * WARP * size_of::<u32>();
        let shape = LaunchShape { grid: (1, 1), threads: WARP as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<TraceTilesKernel>(&SCORE_TILES)?;
        // SAFETY: `upload_pair` made the arguments with strides, and `compute_tiles` filled all borders. The cell is in
        // the matrix, and the result has the words for an alignment that ends there.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
        let mut downloaded = self.queue.pinned::<u32>(words)?;
        self.queue.download(&result, 0..words, &mut downloaded)?;
        let [count, first_row, first_column, edits @ ..] = &*downloaded.wait()? else {
            unreachable!("a result has three words before the edits");
        };
        let (query, target) = (*first_row as usize..rows, *first_column as usize..columns);
        let aligned = Pair { query: &pair.query[..rows], target: &pair.target[..columns] };
        let cigar = cigar(edits, *count as usize, aligned);
        Ok(PairAlignment { value: end.score.into(), query, target, cigar })
    }
}

/// Returns the alignment of a pair in which a string is empty.
fn edge_alignment(scoring: &Scoring, pair: Pair<'_>, extent: TiledExtent) -> PairAlignment {
    let objective = match extent {
        TiledExtent::Global => Objective::Global(scoring.clone()),
        TiledExtent::Local => Objective::Local(scoring.clone()),
    };
    reference::align(&objective, pair)
}

/// Returns the shared memory of a block that computes a tile, in bytes.
fn shared_bytes(codes: usize) -> usize {
    TILE_ROWS * (size_of::<TileBorder>() + size_of::<u32>() + codes)
}
