//! Launches the bit-sliced search in bands.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering;

use super::search::{BandedSearch, BatchPart, CudaScanner, DevicePlanes, MAX_PATTERNS_AT_ONCE, grow};
use crate::launch_geometry::BandedLaunches;
use nigh_device::DeviceError;
use nigh_device::abi::{BandedArguments, BandsKernel};
use nigh_device::driver::LaunchShape;

impl CudaScanner<'_> {
    /// Searches a part for patterns in bands. Each launch takes as many patterns and tiles of text as the memory for
    /// the differences between bands allows.
    pub(super) fn search_banded(
        &mut self,
        part: &BatchPart,
        planes: &mut DevicePlanes,
        search: BandedSearch<'_>,
    ) -> Result<(), DeviceError> {
        let BandedSearch { tables: launch, layout, patterns } = search;
        let BandedLaunches { streams, warm_up, tiles, groups } = *layout;
        let block = launch.work.block.within(streams.words);
        self.make_planes(part, planes, streams)?;
        let deltas = layout.delta_bytes(block) / size_of::<u32>();
        grow(&self.queue, &mut self.memory.deltas, deltas)?;
        let kernel = self.device.kernel::<BandsKernel>(&launch.module)?;
        let at_once = (groups * block.patterns).min(MAX_PATTERNS_AT_ONCE);
        let all_tiles = streams.words / block.words();
        for first in patterns.clone().step_by(at_once) {
            let count = at_once.min(patterns.end - first);
            for first_tile in (0..all_tiles).step_by(tiles) {
                let arguments = BandedArguments {
                    planes: self.memory.planes.address(0..planes.four_steps(streams)),
                    patterns: launch.patterns.address(first..first + count),
                    buffer: self.hit_buffer(),
                    deltas: self.memory.deltas.address(0..deltas),
                    symbols: part.length() as u32,
                    words: streams.words as u32,
                    steps: streams.steps as u32,
                    plane_count: planes.count as u32,
                    pattern_count: count as u32,
                    patterns_in_group: block.patterns as u32,
                    first_tile: first_tile as u32,
                    bands: launch.work.bands as u32,
                    warm_up: warm_up as u32,
                    unused: 0,
                };
                let grid = (tiles.min(all_tiles - first_tile) as u32, count.div_ceil(block.patterns) as u32);
                let shared = launch.work.column.shared_bytes(block, launch.slots) as u32;
                let shape = LaunchShape { grid, threads: block.threads as u32, shared };
                // SAFETY: `address` checked the planes, the patterns, and the differences of `tiles` tiles and `groups`
                // groups; the launch has at most as many of each. The hit buffer has its capacity. The words are a
                // multiple of those of a tile, and the tiles from `first_tile` on are among them. The tables are those
                // that `BandedPatterns` made for this module and number of bands: no band has more rows than the
                // module, each slot is below the slots of its group, and there is shared memory for as many. A stream
                // is longer than its warm-up.
                unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
            }
        }
        launch.parts.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
