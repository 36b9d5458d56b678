//! Launches the simulation of automata.
#![allow(unsafe_code)]

use std::ops::Range;

use super::search::{BatchPart, CudaScanner, DevicePlanes, grow};
use crate::automaton_tables::StateMemory;
use crate::device_tables::{AutomatonReach, LoadedAutomata};
use crate::launch_geometry;
use nigh_device::DeviceError;
use nigh_device::abi::{AutomatonArguments, AutomatonInMemoryKernel, AutomatonKernel, WARP};
use nigh_device::driver::LaunchShape;
use nigh_device::modules::AUTOMATON;
use nigh_pattern::{Expression, Pattern, PatternSet};
use nigh_tables::coded_automata::CodedAutomata;
use nigh_text::batch::Batch;

/// Maximum size of the states of one launch in the memory of the device, in bytes, unless one automaton needs more.
const STATES: usize = 256 << 20;
/// Maximum number of automata of a launch.
const MAX_AUTOMATA_AT_ONCE: usize = 1 << 15;

/// Maximum number of symbols that a stream may have to read before its start. A stream is at least as long.
const MAX_REACH: usize = 1 << 13;

/// Returns the number of bytes of the longest line or the longest piece of a record of a batch.
fn longest_item(batch: &Batch) -> usize {
    let Some(lines) = batch.lines() else { return batch.runs().map(|run| run.len()).max().unwrap_or(0) };
    let (mut longest, mut start) = (0, 0);
    for end in memchr::memchr_iter(lines.terminator, batch.bytes()).chain([batch.bytes().len()]) {
        (longest, start) = (longest.max(end - start), end + 1);
    }
    longest
}

impl CudaScanner<'_> {
    /// Returns whether the kernels can search a batch for regular expressions.
    pub(super) fn takes_expressions(patterns: &PatternSet, batch: &Batch) -> bool {
        let has_conditions = |pattern: &Pattern| pattern.expression().is_some_and(Expression::has_conditions);
        patterns.patterns().iter().all(|pattern| pattern.within().is_all())
            && CodedAutomata::suits(patterns.patterns().iter().any(has_conditions), batch)
            && Self::reach_of_starts(patterns, batch) <= MAX_REACH
    }

    /// Returns the number of symbols that a stream reads before its start at most if it begins with the start of a line
    /// or record, or with the longest match in a record.
    fn reach_of_starts(patterns: &PatternSet, batch: &Batch) -> usize {
        let longest = match batch.lines() {
            Some(_) => usize::MAX,
            None => patterns.max_match_len(),
        };
        // One more symbol, for the end of the line before the first symbol.
        longest.min(longest_item(batch)) + 1
    }

    /// Returns the maximum number of symbols before a hit that the search reads in a batch.
    pub(super) fn reach_in(&self, batch: &Batch) -> usize {
        match self.loaded.automata {
            None => self.patterns.max_match_len(),
            Some(AutomatonReach { warm_up, needs_starts: false, .. }) => warm_up,
            Some(AutomatonReach { warm_up, .. }) => warm_up.max(Self::reach_of_starts(self.patterns, batch)),
        }
    }

    /// Searches a part for the expressions whose automata have these indices.
    pub(super) fn search_automata(
        &mut self,
        part: &BatchPart,
        planes: &mut DevicePlanes,
        launch: &LoadedAutomata,
        automata: Range<usize>,
    ) -> Result<(), DeviceError> {
        // One more position: the one after the last symbol is evaluated with the symbol that follows.
        let (symbols, count) = (part.length() + 1, automata.len());
        let streams = launch_geometry::automaton_streams(self.device.facts(), symbols, self.reach, count);
        self.make_planes(part, planes, streams)?;
        let tiles = streams.words / WARP;
        let columns = if launch.memory == StateMemory::Global { launch.columns } else { 0 };
        let states_of_one = tiles * columns * WARP;
        let at_once = (STATES / size_of::<u32>() / states_of_one.max(1)).clamp(1, MAX_AUTOMATA_AT_ONCE);
        for first in automata.clone().step_by(at_once) {
            let range = first..automata.end.min(first + at_once);
            let count = range.len();
            grow(&self.queue, &mut self.memory.states, states_of_one * count)?;
            let arguments = AutomatonArguments {
                planes: self.memory.planes.address(0..planes.four_steps(streams)),
                automata: launch.automata.address(range),
                programs: launch.programs.address(0..launch.programs.length()),
                states: self.memory.states.address(0..states_of_one * count),
                buffer: self.hit_buffer(),
                symbols: part.length() as u32,
                words: streams.words as u32,
                steps: streams.steps as u32,
                plane_count: planes.count as u32,
                columns: columns as u32,
                unused: 0,
                filter: self.item_filter(),
            };
            let shape =
                LaunchShape { grid: (tiles as u32, count as u32), threads: WARP as u32, shared: launch.shared as u32 };
            // The contract of both kernels: `address` checked the planes and the automata. The words are a multiple of
            // 32, and the grid covers them and the automata. The programs are those that `AutomatonPatterns` made for
            // these automata; their states, sets and conditions are in range, and there is shared memory for their
            // masks, and there or in `states` for their columns. A stream is as long as `reach`, which is the longest
            // warm-up, or more than the longest line or match. `item_filter` checked its addresses; the part is then the whole
            // text.
            match launch.memory {
                StateMemory::Shared(_) => {
                    let kernel = self.device.kernel::<AutomatonKernel>(&AUTOMATON)?;
                    // SAFETY: as stated above.
                    unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
                }
                StateMemory::Global => {
                    let kernel = self.device.kernel::<AutomatonInMemoryKernel>(&AUTOMATON)?;
                    // SAFETY: as stated above.
                    unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
                }
            }
        }
        Ok(())
    }
}
