//! Launches the word kernel, block-based Myers with a pattern spread over a warp, or the kernel `scan` in its place.
#![allow(unsafe_code)]

use std::ops::Range;

use super::search::{BatchPart, CudaScanner, MAX_PATTERNS_AT_ONCE, grow};
use crate::device_tables::LoadedWords;
use crate::launch_geometry;
use nigh_device::DeviceError;
use nigh_device::abi::{ScanKernel, WARP, WordArguments, WordKernel};
use nigh_device::carry::CarryForm;
use nigh_device::driver::LaunchShape;
use nigh_device::modules::SCAN;

/// Maximum size of the differences between bands of one launch, in bytes, unless one pattern needs more.
const DELTAS: usize = 64 << 20;

impl CudaScanner<'_> {
    /// Searches a part for patterns with the word kernel. Each launch takes as many patterns as the memory for the
    /// differences between their bands allows.
    pub(super) fn search_words(
        &mut self,
        part: &BatchPart,
        group: usize,
        words: &LoadedWords,
        patterns: Range<usize>,
    ) -> Result<(), DeviceError> {
        let work = words.work(patterns.len());
        let form = CarryForm::choose(work.bands * work.words * WARP * 32, part.length());
        let mut segments = launch_geometry::segments(self.device.facts(), part.length(), work);
        if form == CarryForm::Scan {
            segments.segments_of_block = 1;
        }
        let pattern_deltas = if words.bands > segments.bands_of_block {
            segments.count * (segments.warm_up + segments.symbols) / WARP * 2
        } else {
            0
        };
        let at_once = (DELTAS / size_of::<u32>() / pattern_deltas.max(1)).clamp(1, MAX_PATTERNS_AT_ONCE);
        for first in patterns.clone().step_by(at_once) {
            let count = at_once.min(patterns.end - first);
            grow(&self.queue, &mut self.memory.deltas, pattern_deltas * count)?;
            let mut arguments = WordArguments {
                codes: self.memory.codes[group].address(part.first()..part.symbols.end),
                patterns: words.patterns.address(first..first + count),
                equal: words.equal.address(first * words.equal_words()..(first + count) * words.equal_words()),
                deltas: self.memory.deltas.address(0..pattern_deltas * count),
                buffer: self.hit_buffer(),
                symbols: part.length() as u32,
                segment_symbols: segments.symbols as u32,
                segments: segments.count as u32,
                warm_up: segments.warm_up as u32,
                code_count: work.codes as u32,
                bands: work.bands as u32,
                first_band: 0,
                bands_of_block: 0,
                segments_of_block: segments.segments_of_block as u32,
                unused: 0,
            };
            for first_band in (0..work.bands).step_by(segments.bands_of_block) {
                let bands = segments.bands_of_block.min(work.bands - first_band);
                (arguments.first_band, arguments.bands_of_block) = (first_band as u32, bands as u32);
                self.launch_words(form, words, &arguments, count)?;
            }
        }
        Ok(())
    }

    /// Launches the bands of `arguments` for `count` patterns.
    fn launch_words(
        &self,
        form: CarryForm,
        words: &LoadedWords,
        arguments: &WordArguments,
        count: usize,
    ) -> Result<(), DeviceError> {
        let (bands, segments) = (arguments.bands_of_block as usize, arguments.segments_of_block as usize);
        let (lane_words, codes) = (words.words, words.codes);
        let shared = match form {
            CarryForm::Skew => launch_geometry::word_shared_bytes(lane_words, codes, bands, segments),
            CarryForm::Scan => launch_geometry::scan_shared_bytes(lane_words, codes, bands),
        };
        let shape = LaunchShape {
            grid: (arguments.segments.div_ceil(arguments.segments_of_block), count as u32),
            threads: (bands * segments * WARP) as u32,
            shared: shared as u32,
        };
        // The contract of both kernels: `address` checked that there is a code for each symbol, a pattern and its words
        // for each of `count`, and the differences of all segments if the bands take several launches. The hit buffer
        // has its capacity. `encode` wrote the codes of this group, which are below `code_count`. Each segment has a
        // warp for each band of the launch, with the shared memory of its words and notes.
        match form {
            CarryForm::Skew => {
                let kernel = self.device.kernel::<WordKernel>(&words.module)?;
                // SAFETY: as stated above.
                unsafe { self.queue.launch(&kernel, shape, arguments) }
            }
            CarryForm::Scan => {
                let (_, module) = SCAN.iter().find(|(words, _)| *words == lane_words).expect("both have these words");
                let kernel = self.device.kernel::<ScanKernel>(module)?;
                // SAFETY: as stated above. A block has one segment.
                unsafe { self.queue.launch(&kernel, shape, arguments) }
            }
        }
    }
}
