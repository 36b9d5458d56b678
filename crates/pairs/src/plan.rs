//! The cost model of comparisons: estimates the time that the processor and the devices take, and chooses between them.
//!
//! The figures are fits to the times of `benches/pairs.rs` on one H200 beside 16 cores with AVX-512, 22 November 2026
//! (benches/records). Most estimates are within a third of those times, and the choices are still good if one is wrong
//! by half.

/// Cells per second and core: edit distances of pairs of 32 to 256 symbols, bit-sliced.
const CPU_SHORT_EDITS: f64 = 5e10;
/// Seconds per core: the alignment of a pair of 32 to 64 symbols by edits.
const CPU_SHORT_ALIGNMENT: f64 = 2.5e-6;
/// Cells per second and core: distances and common subsequences of long pairs.
const CPU_LONG_EDITS: f64 = 3.2e11;
/// Cells per second and core: local scores of many targets, global scores of many pairs, and scores of a long pair.
const CPU_LOCAL_SCORES: f64 = 1.05e10;
const CPU_GLOBAL_SCORES: f64 = 3.5e9;
const CPU_LONG_SCORES: f64 = 1e10;
/// The fraction of the speed of all cores that remains if they share a long pair.
const CPU_SHARED: f64 = 0.5;
/// Seconds per column in which threads that share a long pair wait for each other.
const CPU_COLUMN: f64 = 3e-8;
/// The time of an alignment as a multiple of the time of its score.
const CPU_TRACED: f64 = 2.0;

/// Seconds to copy to a device, launch, and copy back.
const LAUNCH: f64 = 2e-4;
/// Seconds per byte that a core prepares for a device.
const BYTE: f64 = 2.5e-10;
/// Seconds per byte that is copied to a device, by any number of cores.
const COPIED_BYTE: f64 = 7e-11;
/// Number of workers that prepare work for devices at once (`QUEUES` for each device).
const PREPARING: f64 = 8.0;
/// Seconds that a worker spends on an alignment by edits that a device computed.
const TAKEN_ALIGNMENT: f64 = 8e-7;
/// Seconds per column of `tiles.cu`, and the number of columns by which a strip is behind the strip above it.
const STRIP_COLUMN: f64 = 4.7e-8;
const STRIP_LAG: f64 = 64.0;
/// Rows of a strip.
const STRIP_ROWS: f64 = 1024.0;
/// Cells per second of `tiles.cu` if all multiprocessors have work.
const STRIP_CELLS: f64 = 2e13;
/// Cells per second of `local.cu`, seconds on the device per residue of the targets, and seconds in which a worker
/// encodes a residue.
const LOCAL_CELLS: f64 = 4.5e12;
const LOCAL_RESIDUE: f64 = 6.5e-11;
const ENCODED_RESIDUE: f64 = 2.5e-9;
/// Seconds per anti-diagonal of tiles in `score_tiles.cu`, and the number of rows and of columns of a tile.
const DIAGONAL: f64 = 5e-5;
const TILE: f64 = 256.0;
/// The time of an alignment as a multiple of the time of its score, in `score_tiles.cu` and in `score_rows.cu`.
const TILES_TRACED: f64 = 2.5;
const ROWS_TRACED: f64 = 2.0;
/// Cells per second of `score_rows.cu` with two blocks on each multiprocessor, and the number of these blocks.
const ROWS_CELLS: f64 = 4e11;
const ROWS_BLOCKS: usize = 264;
/// Seconds per target symbol in which a worker computes the scores that `score_rows.cu` reads.
const ROWS_SYMBOL: f64 = 7e-8;

/// Seconds until a device is open and its kernels are loaded.
const OPEN: f64 = 0.35;
/// The factor by which a device must be faster than the processor.
const FASTER: f64 = 1.5;

/// The number of rows and of columns of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatrixSize {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Estimated seconds for some work on the processor and on a device, if all workers do such work at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WorkTimes {
    pub(super) cpu: f64,
    pub(super) device: f64,
}

/// The cost model for a number of threads and of devices.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairCosts {
    threads: f64,
    devices: f64,
}

impl MatrixSize {
    fn cells(self) -> f64 {
        self.rows as f64 * self.columns as f64
    }

    /// Returns the number of cells within `max_distance` diagonals of the middle on each side.
    pub(super) fn cells_within(self, max_distance: Option<usize>) -> f64 {
        let long = self.rows.max(self.columns) as f64;
        max_distance.map_or(self.cells(), |bound| self.cells().min(long * (2.0 * bound as f64 + 1.0)))
    }
}

impl WorkTimes {
    /// Returns whether a device that is open is faster.
    pub(super) fn device_pays(self) -> bool {
        self.cpu > FASTER * self.device
    }

    /// Returns whether a device would be faster if it had to be opened first.
    pub(super) fn repays_opening(self) -> bool {
        self.cpu > FASTER * (OPEN + self.device)
    }

    /// Returns the seconds that a device saves.
    pub(super) fn saved(self) -> f64 {
        (self.cpu - self.device).max(0.0)
    }
}

impl PairCosts {
    pub(super) fn new(threads: usize, devices: usize) -> Self {
        PairCosts { threads: threads.max(1) as f64, devices: devices.max(1) as f64 }
    }

    /// Returns the number of seconds that a device must have been able to save before it is opened: as many as opening
    /// it takes. All the work then takes at most about twice as long as with the better choice from the start.
    pub(super) fn open_after() -> f64 {
        OPEN
    }

    /// Returns the times of the edit distances of many short pairs.
    pub(super) fn short_edits(self, cells: f64, bytes: usize) -> WorkTimes {
        let device = LAUNCH / self.threads + self.copies(bytes);
        WorkTimes { cpu: cells / CPU_SHORT_EDITS / self.threads, device }
    }

    /// Returns the times of the alignments of short pairs by edits.
    pub(super) fn short_alignments(self, count: usize) -> WorkTimes {
        let pairs = count as f64;
        let device = (LAUNCH + pairs * TAKEN_ALIGNMENT) / self.preparing();
        WorkTimes { cpu: pairs * CPU_SHORT_ALIGNMENT / self.threads, device }
    }

    /// Returns the times of the edit distance of a long pair. On the processor, at most `cells` cells of its matrix are
    /// computed.
    pub(super) fn long_edits(self, size: MatrixSize, cells: f64) -> WorkTimes {
        let (long, short) = (size.rows.max(size.columns) as f64, size.rows.min(size.columns) as f64);
        let strips = (long / STRIP_ROWS).ceil();
        let columns = (short + STRIP_LAG * strips) * STRIP_COLUMN;
        let device = LAUNCH + columns.max(size.cells() / STRIP_CELLS) + long * BYTE;
        let waits = if self.threads > 1.0 { short * CPU_COLUMN } else { 0.0 };
        WorkTimes { cpu: cells.min(size.cells()) / CPU_LONG_EDITS / self.shared() + waits, device }
    }

    /// Returns the times of the local scores of a query with many targets.
    pub(super) fn local(self, query: usize, residues: usize) -> WorkTimes {
        let cells = query as f64 * residues as f64;
        let kernel = residues as f64 * LOCAL_RESIDUE + cells / LOCAL_CELLS;
        let device = kernel / self.devices + (2.0 * LAUNCH + residues as f64 * ENCODED_RESIDUE) / self.preparing();
        WorkTimes { cpu: cells / CPU_LOCAL_SCORES / self.threads, device }
    }

    /// Returns the times of the score of a long pair.
    pub(super) fn score(self, size: MatrixSize) -> WorkTimes {
        let tiles = |length: usize| (length as f64 / TILE).ceil();
        let device = LAUNCH + (tiles(size.rows) + tiles(size.columns)) * DIAGONAL;
        WorkTimes { cpu: size.cells() / CPU_LONG_SCORES / self.shared(), device }
    }

    /// Returns the times of the alignment of a long pair.
    pub(super) fn alignment(self, size: MatrixSize) -> WorkTimes {
        let WorkTimes { cpu, device } = self.score(size);
        WorkTimes { cpu: cpu * CPU_TRACED, device: device * TILES_TRACED }
    }

    /// Returns the times of the global scores of `count` pairs, given the number of cells of all pairs and of symbols
    /// of all targets.
    pub(super) fn row_scores(self, count: usize, cells: f64, symbols: usize) -> WorkTimes {
        let busy = (count as f64 / ROWS_BLOCKS as f64).min(1.0);
        let host = (LAUNCH + symbols as f64 * ROWS_SYMBOL) / self.preparing();
        let device = host + cells / (ROWS_CELLS * busy.max(1e-3)) / self.devices;
        WorkTimes { cpu: cells / CPU_GLOBAL_SCORES / self.threads, device }
    }

    /// Returns the times of the global alignments of `count` pairs, given the number of cells of all pairs and of
    /// symbols of all targets.
    pub(super) fn row_alignments(self, count: usize, cells: f64, symbols: usize) -> WorkTimes {
        let WorkTimes { cpu, device } = self.row_scores(count, cells, symbols);
        WorkTimes { cpu: cpu * CPU_TRACED, device: device * ROWS_TRACED }
    }

    /// Returns the seconds in which all cores together prepare and copy `bytes` bytes.
    fn copies(self, bytes: usize) -> f64 {
        bytes as f64 * (BYTE / self.threads).max(COPIED_BYTE)
    }

    /// Returns the number of workers that prepare work for devices at once.
    fn preparing(self) -> f64 {
        self.threads.min(PREPARING * self.devices)
    }

    /// Returns the number of cores whose speed together a long pair gets.
    fn shared(self) -> f64 {
        (self.threads * CPU_SHARED).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIXTEEN: fn() -> PairCosts = || PairCosts::new(16, 1);

    fn square(length: usize) -> MatrixSize {
        MatrixSize { rows: length, columns: length }
    }

    #[test]
    fn devices_compare_large_pairs() {
        let costs = SIXTEEN();
        let long_edits = |length, bound| costs.long_edits(square(length), square(length).cells_within(bound));
        assert!(long_edits(1_000_000, None).device_pays());
        assert!(!long_edits(10_000, None).device_pays());
        assert!(!long_edits(1_000_000, Some(1_000)).device_pays());
        // 5 % of edits, and half of the symbols, which is more than random nucleotides have.
        assert!(!long_edits(1_000_000, Some(50_000)).device_pays());
        assert!(long_edits(1_000_000, Some(500_000)).device_pays());
        assert!(costs.score(square(100_000)).device_pays());
        assert!(!costs.score(square(1_000)).device_pays());
        assert!(costs.alignment(square(100_000)).device_pays());
        assert!(PairCosts::new(1, 1).long_edits(square(50_000), f64::INFINITY).device_pays());
    }

    #[test]
    fn devices_search_databases() {
        assert!(SIXTEEN().local(1024, 4 << 20).device_pays());
        assert!(!SIXTEEN().local(10, 1000).device_pays());
        assert!(!SIXTEEN().local(1024, 4 << 20).repays_opening());
        assert!(SIXTEEN().local(1024, 140 << 20).repays_opening());
    }

    #[test]
    fn the_processor_compares_short_pairs() {
        let cells = |length: f64| 1e6 * length * length;
        assert!(!SIXTEEN().short_edits(cells(32.0), 64_000_000).device_pays());
        assert!(SIXTEEN().short_edits(cells(256.0), 512_000_000).device_pays());
        assert!(SIXTEEN().short_alignments(100_000).device_pays());
    }
}
