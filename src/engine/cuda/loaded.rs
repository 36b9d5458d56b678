//! The tables of patterns in a device's memory, shared by its scanners.

use std::sync::Arc;

use super::arguments::{CodeRange, SlicedPattern, WordPattern};
use super::device::{Buffer, Device, Kernel, Queue};
use super::module::Module;
use super::tables::{Group, SlicedPatterns, TracePatterns, WordPatterns};
use super::tuning::{Block, Column, WordWork};
use crate::engine::DeviceError;
use crate::engine::encode::Classes;

/// All groups of patterns.
pub(super) struct Loaded {
    pub(super) groups: Vec<LoadedGroup>,
    pub(super) traces: Vec<LoadedTraces>,
}

/// Patterns whose hits are traced.
pub(super) struct LoadedTraces {
    /// It is loaded when hits are to be traced.
    pub(super) module: Module,
    pub(super) rows: usize,
    pub(super) classes: Arc<Classes>,
    pub(super) codes: usize,
    /// Their indices in the set, ascending, and how long each is.
    patterns: Vec<usize>,
    of_pattern: Vec<u32>,
    pub(super) lengths: Buffer<u32>,
    pub(super) equal: Buffer<u32>,
}

impl LoadedTraces {
    fn new(queue: &Queue, traces: &TracePatterns) -> Result<Self, DeviceError> {
        let TracePatterns { module, rows, classes, patterns, lengths, equal } = traces;
        Ok(LoadedTraces {
            module: *module,
            rows: *rows,
            classes: classes.clone(),
            codes: classes.plane_codes(),
            patterns: patterns.clone(),
            of_pattern: lengths.clone(),
            lengths: queue.filled(lengths)?,
            equal: queue.filled(equal)?,
        })
    }

    /// Whether a pattern of the set is among them.
    pub(super) fn has(&self, pattern: usize) -> bool {
        self.patterns.binary_search(&pattern).is_ok()
    }

    /// The index here of a pattern of the set that is among them, and how long it is.
    pub(super) fn pattern(&self, pattern: usize) -> (usize, usize) {
        let local = self.patterns.binary_search(&pattern).expect("it is among them");
        (local, self.of_pattern[local] as usize)
    }
}

/// A group of patterns.
pub(super) struct LoadedGroup {
    /// The code of each byte that is a symbol by itself.
    pub(super) codes_of_bytes: Vec<u8>,
    pub(super) ranges: Buffer<CodeRange>,
    pub(super) planes: usize,
    pub(super) sliced_reach: usize,
    pub(super) sliced: Vec<LoadedSliced>,
    pub(super) words: Vec<LoadedWords>,
}

/// Patterns in slices.
pub(super) struct LoadedSliced {
    pub(super) kernel: Kernel,
    pub(super) column: Column,
    /// The largest.
    pub(super) block: Block,
    /// The most slots that a block has.
    pub(super) slots: usize,
    pub(super) patterns: Buffer<SlicedPattern>,
}

/// Patterns in words.
pub(super) struct LoadedWords {
    pub(super) kernel: Kernel,
    pub(super) work: WordWork,
    pub(super) patterns: Buffer<WordPattern>,
    pub(super) equal: Buffer<u32>,
    /// Equality words of a pattern.
    pub(super) equal_words: usize,
}

impl Loaded {
    /// Puts the tables of all groups into a device.
    pub(super) fn new(device: &Device, groups: &[Group]) -> Result<Self, DeviceError> {
        let queue = device.queue()?;
        let traces = groups.iter().flat_map(|group| &group.traces);
        let traces = traces.map(|traces| LoadedTraces::new(&queue, traces)).collect::<Result<_, _>>()?;
        let groups = groups.iter().map(|group| LoadedGroup::new(device, &queue, group)).collect::<Result<_, _>>()?;
        Ok(Loaded { groups, traces })
    }

    /// How each group is searched, for people.
    pub(super) fn plan(&self) -> Vec<String> {
        let in_slices = |group: &LoadedGroup| {
            let launch = |sliced: &LoadedSliced| {
                let (count, Column { rows, .. }) = (sliced.patterns.length(), sliced.column);
                format!("in slices: {count} patterns of up to {rows} symbols, {}", in_blocks(sliced.block))
            };
            group.sliced.iter().map(launch).collect::<Vec<String>>()
        };
        let in_words = |group: &LoadedGroup| {
            let launch = |words: &LoadedWords| {
                let (count, WordWork { words, bands, .. }) = (words.patterns.length(), words.work);
                format!("in words: {count} patterns, {words} words a lane, {bands} bands")
            };
            group.words.iter().map(launch).collect::<Vec<String>>()
        };
        self.groups.iter().flat_map(|group| [in_slices(group), in_words(group)].concat()).collect()
    }
}

/// A block, for people.
fn in_blocks(Block { threads, patterns }: Block) -> String {
    match patterns {
        1 => format!("blocks of {threads}"),
        _ => format!("blocks of {threads} for {patterns} patterns"),
    }
}

impl LoadedGroup {
    fn new(device: &Device, queue: &Queue, group: &Group) -> Result<Self, DeviceError> {
        let sliced = group.sliced.iter().map(|patterns| LoadedSliced::new(device, queue, patterns));
        let words = group.words.iter().map(|patterns| LoadedWords::new(device, queue, patterns));
        Ok(LoadedGroup {
            codes_of_bytes: group.codes_of_bytes.clone(),
            ranges: queue.filled(&group.ranges)?,
            planes: group.planes,
            sliced_reach: group.sliced_reach(),
            sliced: sliced.collect::<Result<_, _>>()?,
            words: words.collect::<Result<_, _>>()?,
        })
    }
}

impl LoadedSliced {
    fn new(device: &Device, queue: &Queue, patterns: &SlicedPatterns) -> Result<Self, DeviceError> {
        let SlicedPatterns { module, column, block, slots, patterns } = patterns;
        Ok(LoadedSliced {
            kernel: device.kernel(module, "sliced")?,
            column: *column,
            block: *block,
            slots: *slots,
            patterns: queue.filled(patterns)?,
        })
    }
}

impl LoadedWords {
    fn new(device: &Device, queue: &Queue, patterns: &WordPatterns) -> Result<Self, DeviceError> {
        let &WordPatterns { ref module, words, bands, codes, reach, ref patterns, ref equal } = patterns;
        Ok(LoadedWords {
            kernel: device.kernel(module, "word")?,
            work: WordWork { words, codes, bands, patterns: patterns.len(), reach },
            equal_words: equal.len() / patterns.len(),
            patterns: queue.filled(patterns)?,
            equal: queue.filled(equal)?,
        })
    }
}
