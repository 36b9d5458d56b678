//! Launches the bit-sliced search, and the kernels that make its planes.
#![allow(unsafe_code)]

use std::ops::Range;

use super::search::{
    BatchPart, CudaScanner, DevicePlanes, MAX_PATTERNS_AT_ONCE, ScannerMemory, SlicedBlocks, SlicedSearch, THREADS,
    grow,
};
use crate::device_tables::{LoadedGroup, LoadedSliced};
use crate::launch_geometry;
use crate::launch_geometry::Streams;
use nigh_device::DeviceError;
use nigh_device::abi::{
    PackArguments, PackKernel, SlicedArguments, SlicedKernel, TransposeArguments, TransposeKernel, WARP,
};
use nigh_device::driver::LaunchShape;
use nigh_device::modules::PLANES;

/// Number of steps that a block transposes.
const TRANSPOSED_STEPS: usize = 256;
/// Number of words that a block transposes.
const TRANSPOSED_WORDS: usize = 8;
/// Shared memory of a transposing block, in bytes: 64 rows of 36 words of 4 bytes.
const TRANSPOSE_SHARED: u32 = 64 * 36 * 4;

/// The blocks of a launch.
struct BlockList {
    /// The range of the patterns in the tables.
    patterns: Range<usize>,
    /// Number of blocks.
    count: usize,
    /// The address of the indices of the blocks among those of `patterns`; 0 for all in order.
    order: u64,
}

impl CudaScanner<'_> {
    /// Runs searches that use one band.
    pub(super) fn search_sliced(
        &mut self,
        part: &BatchPart,
        group: &LoadedGroup,
        planes: &mut DevicePlanes,
        searches: &[SlicedSearch<'_>],
    ) -> Result<(), DeviceError> {
        let Some(block) = searches.iter().map(|search| search.tables.block.words()).max() else { return Ok(()) };
        let count = searches.iter().map(SlicedSearch::patterns).sum();
        let streams =
            launch_geometry::streams(self.device.facts(), part.length(), group.sliced_max_match_len, count, block);
        self.make_planes(part, planes, streams)?;
        for search in searches {
            self.launch_sliced(part, planes, search)?;
        }
        Ok(())
    }

    /// Launches a search, in several launches if there are very many patterns.
    fn launch_sliced(
        &mut self,
        part: &BatchPart,
        planes: &DevicePlanes,
        SlicedSearch { tables, blocks }: &SlicedSearch<'_>,
    ) -> Result<(), DeviceError> {
        let of_block = tables.block.patterns;
        match blocks {
            SlicedBlocks::OfPatterns(patterns) => {
                for first in patterns.clone().step_by(MAX_PATTERNS_AT_ONCE) {
                    let range = first..patterns.end.min(first + MAX_PATTERNS_AT_ONCE);
                    let count = range.len().div_ceil(of_block);
                    self.launch_blocks(part, planes, tables, BlockList { patterns: range, count, order: 0 })?;
                }
            }
            SlicedBlocks::Listed(all) => {
                for first in all.clone().step_by(MAX_PATTERNS_AT_ONCE) {
                    let listed = first..all.end.min(first + MAX_PATTERNS_AT_ONCE);
                    let (count, order) = (listed.len(), self.memory.order.address(listed));
                    let patterns = 0..tables.patterns.length();
                    self.launch_blocks(part, planes, tables, BlockList { patterns, count, order })?;
                }
            }
        }
        Ok(())
    }

    fn launch_blocks(
        &mut self,
        part: &BatchPart,
        planes: &DevicePlanes,
        sliced: &LoadedSliced,
        BlockList { patterns, count, order }: BlockList,
    ) -> Result<(), DeviceError> {
        let streams = planes.streams.expect("the planes are made before the launch");
        let block = sliced.block.within(streams.words);
        let arguments = SlicedArguments {
            planes: self.memory.planes.address(0..planes.four_steps(streams)),
            patterns: sliced.patterns.address(patterns.clone()),
            buffer: self.hit_buffer(),
            symbols: part.length() as u32,
            words: streams.words as u32,
            steps: streams.steps as u32,
            plane_count: planes.count as u32,
            pattern_count: patterns.len() as u32,
            patterns_in_group: block.patterns as u32,
            first_tile: 0,
            unused: 0,
            order,
            filter: self.item_filter(),
        };
        let shape = LaunchShape {
            grid: ((streams.words / block.words()) as u32, count as u32),
            threads: block.threads as u32,
            shared: sliced.column.shared_bytes(block, sliced.slots) as u32,
        };
        let kernel = self.device.kernel::<SlicedKernel>(&sliced.module)?;
        // SAFETY: `address` checked the planes and the patterns, and the hit buffer has its capacity. The words are a
        // multiple of those of a block, and the grid covers them and the patterns, or the `count` entries of `order`,
        // which `upload_order` filled with indices of blocks of these patterns. The tables are those that
        // `SlicedPatterns` made for this module: no pattern has more rows than it, each slot is below the slots of its
        // group, and there is shared memory for as many. A stream is longer than any match of the group. `item_filter`
        // checked its addresses; the part is then the whole text, with an end for each symbol and a bit for each byte.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Makes the planes for a division into streams, unless they are already made.
    pub(super) fn make_planes(
        &mut self,
        part: &BatchPart,
        planes: &mut DevicePlanes,
        streams: Streams,
    ) -> Result<(), DeviceError> {
        self.pack_once(part, planes)?;
        if planes.streams.replace(streams) == Some(streams) {
            return Ok(());
        }
        let ScannerMemory { packed, planes: transposed, .. } = &mut self.memory;
        let four_steps = planes.four_steps(streams);
        grow(&self.queue, transposed, four_steps)?;
        let packed_words = part.with_context().len().div_ceil(32);
        let transpose = TransposeArguments {
            packed: packed.address(0..planes.count * packed_words),
            planes: transposed.address(0..four_steps),
            packed_words: packed_words as u32,
            words: streams.words as u32,
            steps: streams.steps as u32,
            plane_count: planes.count as u32,
        };
        let grid = (streams.words.div_ceil(TRANSPOSED_WORDS) as u32, streams.steps.div_ceil(TRANSPOSED_STEPS) as u32);
        let shape = LaunchShape { grid, threads: THREADS, shared: TRANSPOSE_SHARED };
        let kernel = self.device.kernel::<TransposeKernel>(&PLANES)?;
        // SAFETY: `address` checked that both buffers have all planes. The kernel keeps to `words` and `steps`,
        // whatever the grid. The block has the threads and the shared memory that planes.cu names. Nothing in memory is
        // an index.
        unsafe { self.queue.launch(&kernel, shape, &transpose) }
    }

    /// Packs the codes of a part into bit planes in text order, unless they are already packed.
    pub(super) fn pack_once(&mut self, part: &BatchPart, planes: &mut DevicePlanes) -> Result<(), DeviceError> {
        if std::mem::replace(&mut planes.are_packed, true) {
            return Ok(());
        }
        let symbols = part.with_context();
        let words = symbols.len().div_ceil(32);
        let ScannerMemory { packed, codes, .. } = &mut self.memory;
        grow(&self.queue, packed, planes.count * words)?;
        let pack = PackArguments {
            codes: codes[planes.group].address(symbols.clone()),
            packed: packed.address(0..planes.count * words),
            symbols: symbols.len() as u32,
            packed_words: words as u32,
            plane_count: planes.count as u32,
            unused: 0,
        };
        let shape = LaunchShape { grid: (words.div_ceil(WARP).div_ceil(8) as u32, 1), threads: THREADS, shared: 0 };
        let kernel = self.device.kernel::<PackKernel>(&PLANES)?;
        // SAFETY: `address` checked that there is a code for each symbol, and room for the words of all planes. Any
        // grid of whole warps will do. Nothing in memory is an index.
        unsafe { self.queue.launch(&kernel, shape, &pack) }
    }
}
