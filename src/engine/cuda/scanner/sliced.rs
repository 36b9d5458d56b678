//! The launches of the bit-sliced search, and of the kernels that make its planes.

use std::ops::Range;

use super::search::{CudaScanner, MAX_PATTERNS_AT_ONCE, Memory, Part, Planes, THREADS, grow};
use crate::engine::DeviceError;
use crate::engine::cuda::abi::{PackArguments, SlicedArguments, TransposeArguments, WARP};
use crate::engine::cuda::device_tables::{LoadedGroup, LoadedSliced, Method, Search};
use crate::engine::cuda::driver::Shape;
use crate::engine::cuda::launch_geometry::{self, Streams};
use crate::engine::cuda::ptx::PLANES;

/// Steps and words that a block transposes.
const TRANSPOSED_STEPS: usize = 256;
const TRANSPOSED_WORDS: usize = 8;
/// Shared memory of a transposing block, in bytes: 64 rows of 36 words of 4 bytes.
const TRANSPOSE_SHARED: u32 = 64 * 36 * 4;

impl CudaScanner<'_> {
    /// Runs those of the searches that use one band.
    pub(super) fn search_sliced(
        &mut self,
        part: &Part,
        group: &LoadedGroup,
        planes: &mut Planes,
        searches: &[Search<'_>],
    ) -> Result<(), DeviceError> {
        let wanted: Vec<(&LoadedSliced, &Range<usize>)> = searches
            .iter()
            .filter_map(|search| match search.method {
                Method::Sliced(sliced) => Some((sliced, &search.patterns)),
                _ => None,
            })
            .collect();
        let Some(block) = wanted.iter().map(|(sliced, _)| sliced.block.words()).max() else { return Ok(()) };
        let count = wanted.iter().map(|(_, patterns)| patterns.len()).sum();
        let streams = launch_geometry::streams(self.device.facts(), part.length(), group.sliced_reach, count, block);
        self.make_planes(part, planes, streams)?;
        for (sliced, patterns) in wanted {
            self.launch_sliced(part, planes, sliced, patterns)?;
        }
        Ok(())
    }

    /// Launches the search for some patterns; the first must be the first of a block.
    fn launch_sliced(
        &mut self,
        part: &Part,
        planes: &Planes,
        sliced: &LoadedSliced,
        patterns: &Range<usize>,
    ) -> Result<(), DeviceError> {
        let streams = planes.streams.expect("the planes are made before the launch");
        let block = sliced.block.within(streams.words);
        for first in patterns.clone().step_by(MAX_PATTERNS_AT_ONCE) {
            let count = MAX_PATTERNS_AT_ONCE.min(patterns.end - first);
            let arguments = SlicedArguments {
                planes: self.memory.planes.address(0),
                patterns: sliced.patterns.address(first),
                buffer: self.hit_buffer(),
                symbols: part.length() as u32,
                words: streams.words as u32,
                steps: streams.steps as u32,
                plane_count: planes.count as u32,
                pattern_count: count as u32,
                patterns_in_group: block.patterns as u32,
                first_tile: 0,
                unused: 0,
            };
            let shape = Shape {
                grid: ((streams.words / block.words()) as u32, count.div_ceil(block.patterns) as u32),
                threads: block.threads as u32,
                shared: sliced.column.shared_bytes(block, sliced.slots) as u32,
            };
            self.queue.launch(&sliced.kernel, shape, &arguments)?;
        }
        Ok(())
    }

    /// Makes the planes for a division into streams, unless they are there.
    pub(super) fn make_planes(
        &mut self,
        part: &Part,
        planes: &mut Planes,
        streams: Streams,
    ) -> Result<(), DeviceError> {
        if planes.streams.is_none() {
            self.pack(part, planes)?;
        }
        if planes.streams.replace(streams) == Some(streams) {
            return Ok(());
        }
        let Memory { packed, planes: transposed, .. } = &mut self.memory;
        grow(&self.queue, transposed, streams.steps / 4 * planes.count * streams.words)?;
        let transpose = TransposeArguments {
            packed: packed.address(0),
            planes: transposed.address(0),
            packed_words: part.length().div_ceil(32) as u32,
            words: streams.words as u32,
            steps: streams.steps as u32,
            plane_count: planes.count as u32,
        };
        let grid = (streams.words.div_ceil(TRANSPOSED_WORDS) as u32, streams.steps.div_ceil(TRANSPOSED_STEPS) as u32);
        let shape = Shape { grid, threads: THREADS, shared: TRANSPOSE_SHARED };
        self.queue.launch(&self.device.kernel(&PLANES, "transpose")?, shape, &transpose)
    }

    /// Packs the codes of a part into bit planes.
    fn pack(&mut self, part: &Part, planes: &Planes) -> Result<(), DeviceError> {
        let words = part.length().div_ceil(32);
        let Memory { packed, codes, .. } = &mut self.memory;
        grow(&self.queue, packed, planes.count * words)?;
        let pack = PackArguments {
            codes: codes[planes.group].address(part.first()),
            packed: packed.address(0),
            symbols: part.length() as u32,
            packed_words: words as u32,
            plane_count: planes.count as u32,
            unused: 0,
        };
        let shape = Shape { grid: (words.div_ceil(WARP).div_ceil(8) as u32, 1), threads: THREADS, shared: 0 };
        self.queue.launch(&self.device.kernel(&PLANES, "pack")?, shape, &pack)
    }
}
