//! Launches the search by the seed index.
#![allow(unsafe_code)]

use std::ops::Range;

use super::search::{BatchPart, CudaScanner, DevicePlanes, THREADS, grow};
use crate::device_tables::LoadedSeeds;
use nigh_device::DeviceError;
use nigh_device::abi::{SeedArguments, SeedsKernel, WARP};
use nigh_device::driver::LaunchShape;

/// Number of planes that the kernel reads.
const PLANES: usize = 2;
/// Maximum number of blocks for each multiprocessor. Blocks beyond those that run at once even out the work, because
/// some parts of a text have more seeds than others.
const BLOCKS: usize = 24;
/// Shared memory of a block, in bytes: a queue of 160 entries for each of 8 warps, with the entry and its boundary.
const SEEDS_SHARED: u32 = 8 * 160 * 8;

impl CudaScanner<'_> {
    /// Searches a part for the patterns of the seed index whose indices in the set are in `patterns`.
    pub(super) fn search_seeds(
        &mut self,
        part: &BatchPart,
        planes: &mut DevicePlanes,
        seeds: &LoadedSeeds,
        patterns: Range<usize>,
    ) -> Result<(), DeviceError> {
        self.pack_once(part, planes)?;
        let known = (2 * self.memory.hit_capacity()).next_power_of_two();
        grow(&self.queue, &mut self.memory.known, known)?;
        self.queue.clear(&mut self.memory.known, 0..known)?;
        let packed_words = part.length().div_ceil(32);
        let arguments = SeedArguments {
            packed: self.memory.packed.address(0..PLANES * packed_words),
            codes: self.memory.codes[planes.group].address(part.first()..part.symbols.end),
            starts: seeds.starts.address(0..seeds.starts.length()),
            entries: seeds.planes.address(0..seeds.planes.length()),
            wild: seeds.wild.as_ref().map_or(0, |wild| wild.address(0..wild.length())),
            seed_of: seeds.seed_of.address(0..seeds.seed_of.length()),
            seeds: seeds.seeds.address(0..seeds.seeds.length()),
            patterns: seeds.patterns.address(0..seeds.patterns.length()),
            equal: seeds.equal.address(0..seeds.equal.length()),
            known: self.memory.known.address(0..known),
            buffer: self.hit_buffer(),
            symbols: part.length() as u32,
            packed_words: packed_words as u32,
            known_mask: known as u32 - 1,
            code_count: seeds.codes as u32,
            rows: seeds.rows as u32,
            first_pattern: patterns.start as u32,
            pattern_count: patterns.len() as u32,
            unused: 0,
        };
        let warps = part.length() / WARP + 1;
        let blocks = warps.div_ceil(THREADS as usize / WARP).min(BLOCKS * self.device.facts().multiprocessors);
        let shape = LaunchShape { grid: (blocks as u32, 1), threads: THREADS, shared: SEEDS_SHARED };
        let kernel = self.device.kernel::<SeedsKernel>(&seeds.module)?;
        // SAFETY: `address` checked that the text has a code for each symbol, and two planes of as many words. The
        // tables are those that `SeedTables` made: there is a start for each slot and one more, which is the number of
        // groups of entries; each entry names a seed, each seed a pattern with at most 64 rows, and each pattern has an
        // equality word for each code of the group. The capacity of the set is a power of two. The block has the
        // threads and the shared memory that seeds.cu names, and any grid will do.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }
}
