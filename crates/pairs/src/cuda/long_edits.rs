//! Edit distances and common subsequences of long pairs over a whole device. `kernels/tiles.cu` describes the kernel.
#![allow(unsafe_code)]

use bytemuck::Pod;

use super::PairQueue;
use super::byte_bits::ByteBits;
use crate::EditModel;
use crate::pairs::Pair;
use nigh_device::DeviceError;
use nigh_device::abi::{
    MATCH_PADDING, TileArguments, TilePair, TilesDistance2Kernel, TilesDistance5Kernel, TilesDistance8Kernel,
    TilesLcs2Kernel, TilesLcs5Kernel, TilesLcs8Kernel, WARP,
};
use nigh_device::driver::{Buffer, KernelSignature, LaunchShape};
use nigh_device::modules::{Module, TILES};

/// Schedulers of a multiprocessor; each runs one warp at a time without delay.
const SCHEDULERS: usize = 4;
/// Columns of a chunk of differences, and the chunks by which a strip's last lane is behind its first.
const CHUNK_COLUMNS: usize = 32;
const LAG_CHUNKS: usize = 1;
/// Maximum number of bytes of the differences between strips.
const MAX_CHUNK_BYTES: usize = 2 << 30;

/// Launches one of several kernels, by model and number of bits.
macro_rules! launch_variant {
    (($queue:ident, $model:ident, $bits:ident, $module:ident, $shape:ident, $arguments:ident) {
        $($case:ident $count:tt => $kernel:ident,)*
    }) => {
        match ($model, $bits.count()) {
            $((EditModel::$case, $count) => {
                // SAFETY: the caller keeps the contract, which is the same for all these kernels, and states why it
                // holds.
                unsafe { $queue.launch_edits::<$kernel>(&$module, $shape, &$arguments) }
            })*
        }
    };
}

impl PairQueue {
    /// Returns whether a device can compare a pair: 32 bits hold the lengths, and there is memory for the differences
    /// between strips.
    pub(crate) fn takes_long_edits(pair: Pair<'_>) -> bool {
        let Pair { query, target } = long_first(pair);
        let (strip_rows, _) = TILES[0];
        let chunks = (query.len() / strip_rows + 2) * (target.len() / CHUNK_COLUMNS + 1);
        query.len() < i32::MAX as usize && chunks <= MAX_CHUNK_BYTES / size_of::<[u32; 2]>()
    }

    /// Computes the value of a pair: the distance, or the length of the longest common subsequence. Needs a quarter of
    /// a byte of device memory for each column of each strip.
    ///
    /// # Panics
    /// Panics if the pair is too long: see [`PairQueue::takes_long_edits`].
    pub(crate) fn long_edits(&self, model: EditModel, pair: Pair<'_>) -> Result<i64, DeviceError> {
        assert!(PairQueue::takes_long_edits(pair), "a pair is not too long");
        let Pair { query, target } = long_first(pair);
        let bits = ByteBits::of([query, target]);
        let work = StripWork::new(query.len(), target.len(), self.device.facts().multiprocessors);
        let (query_bytes, target_bytes) = (self.padded(query)?, self.padded(target)?);
        let tile = TilePair {
            query_first: 0,
            target_first: 0,
            first_chunk: 0,
            rows: query.len() as u32,
            target_length: target.len() as u32,
            first_strip: 0,
            open: 0,
        };
        let tiles = self.queue.filled(&[tile])?;
        let pair_of_strip = self.zeros::<u32>(work.strips)?;
        let chunks = self.zeros::<[u32; 2]>(work.chunks)?;
        let next_strip = self.zeros::<u32>(1)?;
        let values = self.zeros::<i32>(1)?;
        let arguments = TileArguments {
            queries: query_bytes.address(0..query.len() + MATCH_PADDING),
            targets: target_bytes.address(0..target.len() + MATCH_PADDING),
            pairs: tiles.address(0..1),
            pair_of_strip: pair_of_strip.address(0..work.strips),
            chunks: chunks.address(0..work.chunks),
            next_strip: next_strip.address(0..1),
            values: values.address(0..1),
            strips: work.strips as u32,
            planes: bits.planes(),
            unused: 0,
        };
        let module = work.module;
        let blocks = work.strips.min(SCHEDULERS * self.device.facts().multiprocessors) as u32;
        let shape = LaunchShape { grid: (blocks, 1), threads: WARP as u32, shared: tile_shared_bytes(bits.count()) };
        // The contract: `address` checked that there are all bytes with their padding, a pair for each strip, and the
        // chunks around every strip. The memory that must be zero was cleared on the same queue. A block is one warp,
        // and has its shared memory.
        launch_variant!((self, model, bits, module, shape, arguments) {
            Levenshtein 2 => TilesDistance2Kernel,
            Levenshtein 5 => TilesDistance5Kernel,
            Levenshtein _ => TilesDistance8Kernel,
            Indel 2 => TilesLcs2Kernel,
            Indel 5 => TilesLcs5Kernel,
            Indel _ => TilesLcs8Kernel,
        })?;
        Ok(self.read(&values, 1)?[0])
    }

    /// Uploads strings; the kernels may read past their end.
    fn padded(&self, bytes: &[u8]) -> Result<Buffer<u8>, DeviceError> {
        let mut pinned = self.queue.pinned::<u8>(bytes.len() + MATCH_PADDING)?;
        pinned.wait()?[..bytes.len()].copy_from_slice(bytes);
        let mut buffer = self.queue.buffer(pinned.length())?;
        self.queue.upload(&pinned, pinned.length(), &mut buffer)?;
        Ok(buffer)
    }

    pub(super) fn zeros<T: Pod>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.queue.buffer(length)?;
        self.queue.clear(&mut buffer, 0..length)?;
        Ok(buffer)
    }

    pub(super) fn read(&self, values: &Buffer<i32>, count: usize) -> Result<Vec<i64>, DeviceError> {
        let mut pinned = self.queue.pinned::<i32>(count)?;
        self.queue.download(values, 0..count, &mut pinned)?;
        Ok(pinned.wait()?[..count].iter().map(|&value| value.into()).collect())
    }

    /// Launches a kernel.
    ///
    /// # Safety
    /// As for `Queue::launch`.
    unsafe fn launch_edits<E: KernelSignature>(
        &self,
        module: &Module,
        shape: LaunchShape,
        arguments: &E::Arguments,
    ) -> Result<(), DeviceError> {
        let kernel = self.device.kernel::<E>(module)?;
        // SAFETY: the caller keeps the kernel's contract.
        unsafe { self.queue.launch(&kernel, shape, arguments) }
    }
}

/// The strips of a long pair.
struct StripWork {
    module: Module,
    strips: usize,
    /// Chunks of differences above and below all strips.
    chunks: usize,
}

impl StripWork {
    /// Takes the shortest strips if all strips run at once, because a step of a short strip is faster. With more strips
    /// than schedulers, takes the longest, which need the fewest instructions per cell.
    fn new(rows: usize, columns: usize, multiprocessors: usize) -> Self {
        let strips_of = |strip_rows: usize| rows.div_ceil(strip_rows).max(1);
        let fits = |(strip_rows, _): &&(usize, Module)| strips_of(*strip_rows) <= SCHEDULERS * multiprocessors;
        let &(strip_rows, module) = TILES.iter().find(fits).unwrap_or(&TILES[TILES.len() - 1]);
        let strips = strips_of(strip_rows);
        StripWork { module, strips, chunks: (strips + 1) * columns.div_ceil(CHUNK_COLUMNS).max(1) }
    }
}

/// Returns the shared memory of a block of one warp: two words for each two planes and column, and the differences
/// below.
fn tile_shared_bytes(planes: usize) -> u32 {
    let symbols = planes.div_ceil(2) * (LAG_CHUNKS + 1) * CHUNK_COLUMNS * 8;
    (symbols + WARP * 8) as u32
}

/// Exchanges query and target if the target is longer, which does not change the value. Strips run concurrently, but
/// the columns of a strip do not.
fn long_first(pair: Pair<'_>) -> Pair<'_> {
    match pair.query.len() < pair.target.len() {
        true => Pair { query: pair.target, target: pair.query },
        false => pair,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_are_short_while_all_of_them_run_at_once() {
        assert_eq!(StripWork::new(100_000, 100_000, 132).strips, 98);
        assert_eq!(StripWork::new(1_000_000, 1_000_000, 132).strips, 489);
        assert_eq!(StripWork::new(10_000_000, 10, 132).strips, 2442);
        assert_eq!(StripWork::new(0, 0, 132).strips, 1);
    }
}
