//! The tables of patterns in a device's memory, shared by its scanners.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::automaton_tables::{AutomatonPatterns, StateMemory};
use super::host_tables::{BandedPatterns, CodeGroup, SlicedPatterns, TracePatterns, WordPatterns};
use super::launch_geometry::{self, BandWork, BandedLaunches, BitslicedColumn, LaunchBlock};
use super::seed_tables::SeedTables;
use super::selection_order::SelectionOrder;
use super::table_memory::{DeviceMemory, TableMemory};
use nigh_device::DeviceError;
use nigh_device::abi::{DeviceAlignment, DeviceSeed, NOT_TRACED, SeedPattern, SlicedKernel};
use nigh_device::driver::{Buffer, Device, Facts, Queue};
use nigh_device::modules::{Module, SEEDS};
use nigh_pattern::{Pattern, PatternSet};
use nigh_tables::seeds::layout::LENGTH;
use nigh_text::alignment::SearchEdits;

/// The tables of all patterns of a search.
pub(super) struct LoadedTables {
    /// The tables for searching.
    pub(super) groups: Vec<LoadedGroup>,
    pub(super) order: SelectionOrder,
    /// For each pattern, whether its hits are only candidates.
    pub(super) is_filtered: Vec<bool>,
    /// For each pattern, whether the kernels compute its hits exactly within a record. Such a pattern may match
    /// anywhere, counts all kinds of edits, and its hits are not only candidates.
    pub(super) are_plain: Vec<bool>,
    /// The regular expressions; `None` for strings.
    pub(super) automata: Option<AutomatonReach>,
    /// For each pattern, the index in [`traces`](Self::traces) of the tables that trace its hits, or [`NO_TABLE`].
    pub(super) table_of: Vec<u8>,
    /// For each pattern, the largest number of symbols that its matches cover.
    pub(super) reaches: Buffer<u32>,
}

/// The index of the tables of a pattern whose hits are not traced.
const NO_TABLE: u8 = u8::MAX;

/// The distance that the search for regular expressions looks back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AutomatonReach {
    /// Number of automata.
    pub(super) count: usize,
    /// Maximum number of symbols that a stream reads before its start, among the automata for which this number is
    /// fixed.
    pub(super) warm_up: usize,
    /// Whether some streams begin with the start of a line or record.
    pub(super) needs_starts: bool,
}

/// Traceback tables, on the device, of a group of patterns. One launch of the traceback kernel traces the hits of the
/// whole group.
pub(super) struct LoadedTraces {
    /// The module of the traceback kernel. It is loaded when the first hit is traced.
    pub(super) module: Module,
    /// Maximum number of rows of a pattern for the module.
    pub(super) rows: usize,
    /// Number of codes.
    pub(super) codes: usize,
    /// The number of rows of the longest pattern.
    longest: usize,
    /// The largest number of symbols that a match covers.
    pub(super) longest_window: usize,
    /// The index in these tables of each pattern of the set, or [`NOT_TRACED`].
    pub(super) places: Buffer<u32>,
    /// The number of rows of each pattern.
    pub(super) lengths: Buffer<u32>,
    /// The equality words.
    pub(super) equal: Buffer<u32>,
}

impl LoadedTraces {
    fn new(queue: &Queue, set: &PatternSet, traces: TracePatterns) -> Result<Self, DeviceError> {
        let TracePatterns { module, rows, classes, patterns, lengths, equal } = traces;
        let mut places = vec![NOT_TRACED; set.patterns().len()];
        for (place, &pattern) in (0..).zip(&patterns) {
            places[pattern] = place;
        }
        let window = |&pattern: &usize| set.patterns()[pattern].max_match_len();
        Ok(LoadedTraces {
            module,
            rows,
            codes: classes.count(),
            longest: lengths.iter().copied().max().unwrap_or(0) as usize,
            longest_window: patterns.iter().map(window).max().unwrap_or(0),
            places: queue.filled(&places)?,
            lengths: queue.filled(&lengths)?,
            equal: queue.filled(&equal)?,
        })
    }

    /// Returns whether a warp traces each hit, rather than a thread.
    pub(super) fn are_walked(&self) -> bool {
        self.rows > launch_geometry::QUADRANT_ROWS
    }

    /// Returns the number of rows of the longest pattern. A match covers fewer than twice as many symbols.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the number of 32-bit words of an alignment, enough for every window.
    ///
    /// A traceback has one edit for each row, and text-only edits besides. There are at most as many text-only edits as
    /// rows, because leaving out the whole pattern costs no more.
    pub(super) fn alignment_words(&self) -> usize {
        let rows = if self.are_walked() { self.longest().next_multiple_of(8) } else { self.rows };
        DeviceAlignment::words(2 * rows)
    }
}

impl TableMemory for DeviceMemory {
    type Table<T> = Buffer<T>;
    type Seeds = LoadedSeeds;
    type Traces = LoadedTraces;
}

pub(super) type LoadedGroup = CodeGroup<DeviceMemory>;
pub(super) type LoadedSliced = SlicedPatterns<DeviceMemory>;
pub(super) type LoadedBanded = BandedPatterns<DeviceMemory>;
pub(super) type LoadedWords = WordPatterns<DeviceMemory>;
pub(super) type LoadedAutomata = AutomatonPatterns<DeviceMemory>;

/// A search of a part of the text for a range of patterns, by one method.
pub(super) struct DeviceSearch<'a> {
    pub(super) method: SearchMethod<'a>,
    /// Index range of the patterns in the tables of the method. It starts with the first pattern of a block.
    pub(super) patterns: Range<usize>,
}

/// A search method and its tables.
pub(super) enum SearchMethod<'a> {
    Seeds(&'a LoadedSeeds),
    Sliced(&'a LoadedSliced),
    Banded(&'a LoadedBanded, BandedLaunches),
    Words(&'a LoadedWords),
    Automata(&'a LoadedAutomata),
}

/// A seed index. The kernel refers to patterns by their indices in the set.
pub(super) struct LoadedSeeds {
    /// The module of the kernel. It is loaded when it is first launched.
    pub(super) module: Module,
    pub(super) starts: Buffer<u32>,
    pub(super) planes: Buffer<[u32; 4]>,
    /// `None` if no row matches several groups of residues.
    pub(super) wild: Option<Buffer<[u32; 2]>>,
    pub(super) seed_of: Buffer<u32>,
    pub(super) seeds: Buffer<DeviceSeed>,
    pub(super) patterns: Buffer<SeedPattern>,
    pub(super) equal: Buffer<u64>,
    /// Number of codes.
    pub(super) codes: usize,
    /// Number of rows of a test.
    pub(super) rows: usize,
    /// Number of patterns in the index.
    covered: usize,
}

impl LoadedTables {
    /// Uploads the tables of all groups to a device.
    pub(super) fn new(device: &Device, set: &PatternSet, groups: Vec<CodeGroup>) -> Result<Self, DeviceError> {
        let patterns = set.patterns().len();
        let queue = Queue::new(device)?;
        let order = SelectionOrder::new(&groups, patterns);
        let mut is_filtered = vec![false; patterns];
        groups.iter().flat_map(|group| &group.filtered).for_each(|&pattern| is_filtered[pattern] = true);
        let automata = AutomatonReach::of(&groups);
        let mut table_of = vec![NO_TABLE; patterns];
        for (table, traces) in (0..NO_TABLE).zip(groups.iter().flat_map(|group| &group.traces)) {
            traces.patterns.iter().for_each(|&pattern| table_of[pattern] = table);
        }
        let reaches: Vec<u32> = set.patterns().iter().map(|pattern| pattern.max_match_len() as u32).collect();
        let groups = groups.into_iter().map(|group| group.upload(device, &queue, set)).collect::<Result<_, _>>()?;
        let is_plain = |(pattern, &is_filtered): (&Pattern, &bool)| {
            !is_filtered && pattern.is_free() && pattern.edit_model() == SearchEdits::Levenshtein
        };
        let are_plain = set.patterns().iter().zip(&is_filtered).map(is_plain).collect();
        Ok(LoadedTables { groups, order, is_filtered, are_plain, automata, table_of, reaches: queue.filled(&reaches)? })
    }

    /// Returns the tables for tracing hits.
    pub(super) fn traces(&self) -> impl Iterator<Item = &LoadedTraces> {
        self.groups.iter().flat_map(|group| &group.traces)
    }

    /// Describes the search plan of each group, for display.
    pub(super) fn description(&self) -> Vec<String> {
        self.groups.iter().flat_map(LoadedGroup::description).collect()
    }
}

impl AutomatonReach {
    fn of(groups: &[CodeGroup]) -> Option<Self> {
        let automata = || groups.iter().flat_map(|group| &group.automata).flat_map(|launch| &launch.automata);
        let (count, warm_up) = (automata().count(), automata().map(|automaton| automaton.warm_up).max()?);
        let needs_starts = automata().any(|automaton| automaton.warm_up == 0);
        Some(AutomatonReach { count, warm_up: warm_up as usize, needs_starts })
    }
}

/// Describes a block, for display.
fn in_blocks(LaunchBlock { threads, patterns }: LaunchBlock) -> String {
    match patterns {
        1 => format!("blocks of {threads}"),
        _ => format!("blocks of {threads} for {patterns} patterns"),
    }
}

impl CodeGroup {
    fn upload(self, device: &Device, queue: &Queue, set: &PatternSet) -> Result<LoadedGroup, DeviceError> {
        let sliced = self.sliced.into_iter().map(|patterns| patterns.upload(device, queue));
        let banded = self.banded.into_iter().map(|patterns| patterns.upload(queue));
        let in_words = |patterns: WordPatterns| patterns.upload(queue);
        let automata = self.automata.into_iter().map(|patterns| patterns.upload(queue));
        let traces = self.traces.into_iter().map(|traces| LoadedTraces::new(queue, set, traces));
        Ok(CodeGroup {
            codes_of_bytes: self.codes_of_bytes,
            ranges: queue.filled(&self.ranges)?,
            planes: self.planes,
            seeds: self.seeds.map(|seeds| LoadedSeeds::new(queue, &seeds)).transpose()?,
            sliced: sliced.collect::<Result<_, _>>()?,
            sliced_max_match_len: self.sliced_max_match_len,
            banded: banded.collect::<Result<_, _>>()?,
            banded_words: self.banded_words.map(in_words).transpose()?,
            words: self.words.into_iter().map(in_words).collect::<Result<_, _>>()?,
            automata: automata.collect::<Result<_, _>>()?,
            traces: traces.collect::<Result<_, _>>()?,
            filtered: self.filtered,
        })
    }
}

impl LoadedGroup {
    /// Returns the searches for a part of `symbols` symbols. Each pattern of the group is in exactly one search.
    pub(super) fn searches(&self, facts: &Facts, symbols: usize) -> Vec<DeviceSearch<'_>> {
        let all = |method, count| DeviceSearch { method, patterns: 0..count };
        let seeds = self.seeds.iter().map(|seeds| all(SearchMethod::Seeds(seeds), seeds.patterns.length()));
        let sliced = self.sliced.iter().map(|sliced| all(SearchMethod::Sliced(sliced), sliced.patterns.length()));
        let words = self.words.iter().map(|words| all(SearchMethod::Words(words), words.patterns.length()));
        let automata = self.automata.iter().map(|launch| all(SearchMethod::Automata(launch), launch.automata.length()));
        let mut searches: Vec<DeviceSearch<'_>> = seeds.chain(sliced).chain(words).chain(automata).collect();
        let mut first = 0;
        // The range of neighbouring banded patterns that the word kernel searches; they share one search.
        let mut in_words = 0..0;
        for launch in &self.banded {
            let count = launch.patterns.length();
            match launch_geometry::banded(facts, symbols, launch.work) {
                Some(banded) => searches.push(all(SearchMethod::Banded(launch, banded), count)),
                None if in_words.end == first => in_words.end = first + count,
                None => {
                    searches.extend(self.in_words(in_words));
                    in_words = first..first + count;
                }
            }
            first += count;
        }
        searches.extend(self.in_words(in_words));
        searches
    }

    /// Returns a search by the word kernel for an index range of banded patterns; `None` if the range is empty.
    fn in_words(&self, patterns: Range<usize>) -> Option<DeviceSearch<'_>> {
        let words = self.banded_words.as_ref().filter(|_| !patterns.is_empty())?;
        Some(DeviceSearch { method: SearchMethod::Words(words), patterns })
    }

    /// Describes the search plan, for display.
    fn description(&self) -> Vec<String> {
        let seeds = self.seeds.iter().map(|seeds| {
            let (count, entries, rows) = (seeds.covered, seeds.seed_of.length(), seeds.rows);
            format!("seed index: {count} patterns, {entries} entries of {LENGTH} residues, tests of {rows} residues")
        });
        let sliced = self.sliced.iter().map(|sliced| {
            let (count, BitslicedColumn { rows, .. }) = (sliced.patterns.length(), sliced.column);
            format!("bit-sliced: {count} patterns of up to {rows} symbols, {}", in_blocks(sliced.block))
        });
        let banded = self.banded.iter().map(|banded| {
            let BandWork { column: BitslicedColumn { rows, .. }, block, bands, patterns, .. } = banded.work;
            let parts = banded.parts.load(Ordering::Relaxed);
            let in_bands = format!("{patterns} patterns, {bands} bands of up to {rows} symbols, {}", in_blocks(block));
            format!(
                "bit-sliced in bands: {in_bands}, {parts} parts of the text so far; other parts by block-based Myers"
            )
        });
        let words = self.words.iter().map(|words| {
            let (count, &WordPatterns { words, bands, .. }) = (words.patterns.length(), words);
            format!("block-based Myers: {count} patterns, {words} words per lane, {bands} bands")
        });
        let automata = self.automata.iter().map(|launch| {
            let (count, kibibytes) = (launch.automata.length(), launch.shared.div_ceil(1 << 10));
            let place = if launch.memory == StateMemory::Global { ", states in global memory" } else { "" };
            format!("automata: {count} regular expressions, {kibibytes} KiB of shared memory{place}")
        });
        seeds.chain(sliced).chain(banded).chain(words).chain(automata).collect()
    }
}

impl LoadedSeeds {
    fn new(queue: &Queue, tables: &SeedTables) -> Result<Self, DeviceError> {
        let parts = || tables.parts.iter();
        let mut before = 0;
        let mut starts: Vec<u32> = Vec::new();
        for part in parts() {
            starts.extend(part.starts.iter().map(|start| before + start));
            before += part.planes.len() as u32;
        }
        starts.push(before);
        let module = SEEDS.iter().find(|(edits, _)| tables.edits <= *edits).expect("there is a module for all edits").1;
        let has_wild = parts().any(|part| !part.wild.is_empty());
        Ok(LoadedSeeds {
            module,
            starts: queue.filled(&starts)?,
            planes: queue.joined(parts().map(|part| &part.planes[..]))?,
            wild: has_wild.then(|| queue.joined(parts().map(|part| &part.wild[..]))).transpose()?,
            seed_of: queue.joined(parts().map(|part| &part.seed_of[..]))?,
            seeds: queue.filled(&tables.seeds)?,
            patterns: queue.filled(&tables.patterns)?,
            equal: queue.filled(&tables.equal)?,
            codes: tables.codes,
            rows: tables.rows,
            covered: tables.covered.iter().filter(|&&is_covered| is_covered).count(),
        })
    }
}

impl SlicedPatterns {
    fn upload(self, device: &Device, queue: &Queue) -> Result<LoadedSliced, DeviceError> {
        let SlicedPatterns { module, column, block, slots, patterns } = self;
        // A kernel that cannot be loaded is an error before the search.
        device.kernel::<SlicedKernel>(&module)?;
        Ok(SlicedPatterns { module, column, block, slots, patterns: queue.filled(&patterns)? })
    }
}

impl BandedPatterns {
    fn upload(self, queue: &Queue) -> Result<LoadedBanded, DeviceError> {
        let BandedPatterns { module, work, slots, patterns, parts } = self;
        Ok(BandedPatterns { module, work, slots, patterns: queue.filled(&patterns)?, parts })
    }
}

impl AutomatonPatterns {
    fn upload(self, queue: &Queue) -> Result<LoadedAutomata, DeviceError> {
        let AutomatonPatterns { memory, shared, columns, automata, programs } = self;
        let (automata, programs) = (queue.filled(&automata)?, queue.filled(&programs)?);
        Ok(AutomatonPatterns { memory, shared, columns, automata, programs })
    }
}

impl WordPatterns {
    fn upload(self, queue: &Queue) -> Result<LoadedWords, DeviceError> {
        let WordPatterns { module, words, bands, codes, max_match_len, patterns, equal } = self;
        let (patterns, equal) = (queue.filled(&patterns)?, queue.filled(&equal)?);
        Ok(WordPatterns { module, words, bands, codes, max_match_len, patterns, equal })
    }
}
