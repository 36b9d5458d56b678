//! The launches of the bit-sliced search in bands.

use std::sync::atomic::Ordering;

use super::search::{BandedSearch, CudaScanner, MAX_PATTERNS_AT_ONCE, Part, Planes, grow};
use crate::engine::DeviceError;
use crate::engine::cuda::abi::BandedArguments;
use crate::engine::cuda::driver::Shape;
use crate::engine::cuda::launch_geometry::Banded;

impl CudaScanner<'_> {
    /// Searches for patterns in bands. Each launch takes as many patterns and tiles of text as there is memory for the
    /// differences between bands.
    pub(super) fn search_banded(
        &mut self,
        part: &Part,
        planes: &mut Planes,
        search: BandedSearch<'_>,
    ) -> Result<(), DeviceError> {
        let BandedSearch { tables: launch, layout, patterns } = search;
        let Banded { streams, warm_up, tiles, groups } = *layout;
        let block = launch.work.block.within(streams.words);
        self.make_planes(part, planes, streams)?;
        grow(&self.queue, &mut self.memory.deltas, layout.delta_bytes(block) / size_of::<u32>())?;
        let kernel = self.device.kernel(&launch.module, "bands")?;
        let at_once = (groups * block.patterns).min(MAX_PATTERNS_AT_ONCE);
        let all_tiles = streams.words / block.words();
        for first in patterns.clone().step_by(at_once) {
            let count = at_once.min(patterns.end - first);
            for first_tile in (0..all_tiles).step_by(tiles) {
                let arguments = BandedArguments {
                    planes: self.memory.planes.address(0),
                    patterns: launch.patterns.address(first),
                    buffer: self.hit_buffer(),
                    deltas: self.memory.deltas.address(0),
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
                self.queue.launch(&kernel, Shape { grid, threads: block.threads as u32, shared }, &arguments)?;
            }
        }
        launch.parts.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
