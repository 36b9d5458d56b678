//! Scans a batch on a device: uploads the text, encodes its symbols, makes bit planes, searches, and downloads the
//! hits.
//!
//! A scanner has its own queue and buffers, and waits for the device once per batch. Copies and kernels of different
//! batches overlap because there are several scanners: one for each batch in flight (`in_flight`).
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use super::items::Candidate;
use super::staging::{SEPARATOR, ScannerTallies, Staged};
use super::trace_buffers::{ScannerTraces, TRACED_AT_FIRST, TraceRoom};
use crate::device_tables::{DeviceSearch, LoadedBanded, LoadedGroup, LoadedSliced, LoadedTables, SearchMethod};
use crate::launch_geometry::{BandedLaunches, MAX_BLOCK_PATTERNS, Streams};
use nigh_device::DeviceError;
use nigh_device::abi::{
    BYTE_CODES, CHUNK, CountSymbolsKernel, DeviceHit, EncodeSymbolsKernel, HitBuffer, NOWHERE, PlaceArguments,
    PlaceHitsKernel, SymbolArguments,
};
use nigh_device::driver::{Buffer, Device, LaunchShape, Pinned, Queue, reserved_bytes};
use nigh_device::modules::SYMBOLS;
use nigh_pattern::PatternSet;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::deliver::deliver;
use nigh_verify::distance::{SegmentInside, verify, verify_levenshtein_hit};

/// Maximum size of a batch, in bytes: the kernels use 32-bit offsets.
const MAX_BATCH_BYTES: usize = 1 << 31;
/// Maximum capacity of the hit buffer, in hits, unless a block of patterns needs more. If there are more hits, the
/// batch is searched again in parts.
const MAX_HITS: usize = 1 << 18;
/// Maximum capacity of the hit buffer for more than [`MANY_PATTERNS`] patterns. It holds the hits of a batch of random
/// bases for 100,000 patterns of 20 symbols with k = 3.
const MAX_HITS_OF_MANY: usize = 1 << 20;
/// Number of patterns above which the hit buffer may be larger.
const MANY_PATTERNS: usize = 10_000;
/// Initial capacity of the hit buffer, in hits. It is enough for most texts.
const HITS_AT_FIRST: usize = 1 << 15;
/// Number of hits that are downloaded together with the number of hits found. If more are found, a second download
/// follows.
pub(super) const FIRST_HITS: usize = 1 << 10;
/// Minimum number of symbols of a part into which a batch is divided.
const MIN_PART: usize = 1 << 8;
/// Maximum number of patterns of a launch, a multiple of the patterns of a block.
pub(super) const MAX_PATTERNS_AT_ONCE: usize = 1 << 15;
/// Maximum number of blocks of the kernel `place_hits`.
const PLACING_BLOCKS: usize = 64;
/// Threads per block of the kernels in symbols.cu and planes.cu.
pub(super) const THREADS: u32 = 256;
/// Shared memory of a block of the kernels that number symbols, in bytes: a count for each of 8 warps.
const SYMBOLS_SHARED: u32 = 32;

/// The buffers of a scanner on the device. They grow with the batches.
pub(super) struct ScannerMemory {
    /// For each group, the code of each byte.
    pub(super) tables: Buffer<u8>,
    pub(super) text: Buffer<u8>,
    /// For each chunk of text, the number of symbols before it; at the end, the total.
    pub(super) before: Buffer<u32>,
    /// For each symbol, the offset just past it in the staged text.
    pub(super) ends: Buffer<u32>,
    /// For each group, the code of each symbol.
    pub(super) codes: Vec<Buffer<u8>>,
    /// The bit planes of a part in text order.
    pub(super) packed: Buffer<u32>,
    /// The bit planes of a part, divided into streams; an element is four steps of one word of a plane.
    pub(super) planes: Buffer<[u32; 4]>,
    /// The horizontal differences between bands.
    pub(super) deltas: Buffer<u32>,
    /// The hits that the seed index found so far, as a hash set.
    pub(super) known: Buffer<u64>,
    /// The states of automata that do not fit shared memory.
    pub(super) states: Buffer<u32>,
    /// A counter of the kernel `count_symbols`.
    done: Buffer<u32>,
    /// The number of hits found, in the place of the first hit, and the hits.
    hits: Buffer<DeviceHit>,
    /// A bit for each byte of the staged text, set where a selected line or record starts.
    pub(super) selected: Buffer<u32>,
    /// The blocks of patterns of each stage of a selection.
    pub(super) order: Buffer<u32>,
}

impl ScannerMemory {
    /// Returns the number of hits for which there is room.
    pub(super) fn hit_capacity(&self) -> usize {
        self.hits.length() - 1
    }
}

/// The state of the bit planes of a part, in the codes of one group.
pub(super) struct DevicePlanes {
    pub(super) group: usize,
    /// Number of planes.
    pub(super) count: usize,
    /// Whether the planes in text order are made.
    pub(super) are_packed: bool,
    /// The division into streams of the planes in memory; `None` before the planes are made.
    pub(super) streams: Option<Streams>,
}

impl DevicePlanes {
    /// Returns the number of elements of [`ScannerMemory::planes`] for a division into streams: one for each four
    /// steps, plane and word.
    pub(super) fn four_steps(&self, streams: Streams) -> usize {
        streams.steps / 4 * self.count * streams.words
    }
}

/// Scans batches with one queue of a device.
pub(super) struct CudaScanner<'a> {
    pub(super) patterns: &'a PatternSet,
    pub(super) device: Arc<Device>,
    pub(super) loaded: Arc<LoadedTables>,
    pub(super) queue: Queue,
    pub(super) staged: Staged,
    pub(super) tallies: Arc<ScannerTallies>,
    /// Maximum number of symbols before a hit that the search reads in the current batch.
    pub(super) reach: usize,
    /// For each group, the code of each byte, to be uploaded.
    pub(super) tables: Pinned<u8>,
    /// The line terminator (`None` for records) for which the tables were uploaded; `None` before the first upload.
    pub(super) tables_for: Option<Option<u8>>,
    pub(super) memory: ScannerMemory,
    /// The downloaded number of hits found, in the place of the first hit, and the hits.
    hits: Pinned<DeviceHit>,
    /// The place of each downloaded hit by symbol and pattern, and its index in the hit buffer; a buffer that is reused.
    places: Vec<(u64, u32)>,
    pub(super) traces: ScannerTraces,
    /// The verified hits of the current part.
    pub(super) sorted: Vec<Hit>,
    pub(super) wanted: WantedOfItem,
    /// The blocks of patterns of each stage of a selection, to be uploaded.
    pub(super) order: Pinned<u32>,
    /// The blocks that were uploaded last.
    pub(super) uploaded_order: Vec<u32>,
    /// Whether the number of hits found is 0 on the device.
    is_found_clear: bool,
}

/// The hits of a line or record that the bit-sliced kernel should report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedOfItem {
    All,
    /// About one hit.
    Any,
}

/// A range of the symbols of a batch to search, and the number of symbols of context before and after it.
#[derive(Debug, Clone)]
pub(super) struct BatchPart {
    pub(super) symbols: Range<usize>,
    pub(super) context: usize,
    /// 1 if conditions look at the symbol after the last, otherwise 0.
    pub(super) after: usize,
}

impl BatchPart {
    /// Returns the index of the first symbol of the context.
    pub(super) fn first(&self) -> usize {
        self.symbols.start - self.context
    }

    /// Returns the number of symbols, including the context before them.
    pub(super) fn length(&self) -> usize {
        self.symbols.end - self.first()
    }

    /// Returns the range of the symbols with all of the context.
    pub(super) fn with_context(&self) -> Range<usize> {
        self.first()..self.symbols.end + self.after
    }
}

/// Returns the number by which the kernels know the kind of symbols (`Kind` in symbols.cu).
fn kind(alphabet: Alphabet) -> u32 {
    match alphabet {
        Alphabet::Bytes => 0,
        Alphabet::Dna | Alphabet::Protein => 1,
        Alphabet::Text => 2,
    }
}

impl<'a> CudaScanner<'a> {
    pub(super) fn new(
        patterns: &'a PatternSet,
        device: Arc<Device>,
        loaded: Arc<LoadedTables>,
        tallies: Arc<ScannerTallies>,
    ) -> Result<Self, DeviceError> {
        let queue = Queue::new(&device)?;
        let tables = BYTE_CODES * loaded.groups.len();
        let bytes =
            reserved_bytes::<u8>(tables) + reserved_bytes::<u32>(1) + reserved_bytes::<DeviceHit>(1 + HITS_AT_FIRST);
        let room = TraceRoom::new(&loaded, HITS_AT_FIRST, TRACED_AT_FIRST);
        let (alignments, windows) = room.bytes(&loaded);
        let mut reserve = queue.reserve(bytes + alignments + windows)?;
        let mut pinned = queue.reserve_pinned(bytes + alignments)?;
        let mut nothing = queue.reserve(0)?;
        let mut memory = ScannerMemory {
            tables: reserve.buffer(tables),
            text: nothing.buffer(0),
            before: nothing.buffer(0),
            ends: nothing.buffer(0),
            codes: loaded.groups.iter().map(|_| nothing.buffer(0)).collect(),
            packed: nothing.buffer(0),
            planes: nothing.buffer(0),
            deltas: nothing.buffer(0),
            known: nothing.buffer(0),
            states: nothing.buffer(0),
            done: reserve.buffer(1),
            hits: reserve.buffer(1 + HITS_AT_FIRST),
            selected: nothing.buffer(0),
            order: nothing.buffer(0),
        };
        let traces = ScannerTraces::new(&queue, &loaded, &room, (&mut reserve, &mut pinned))?;
        // The first hits are downloaded before the number of hits is known.
        queue.clear(&mut memory.hits, 0..1 + FIRST_HITS)?;
        queue.clear(&mut memory.done, 0..1)?;
        Ok(CudaScanner {
            patterns,
            staged: Staged::new(&queue, tallies.clone())?,
            tallies,
            reach: 0,
            tables: pinned.pinned(tables),
            tables_for: None,
            device,
            loaded,
            memory,
            hits: pinned.pinned(1 + HITS_AT_FIRST),
            places: Vec::new(),
            traces,
            sorted: Vec::new(),
            wanted: WantedOfItem::All,
            order: queue.pinned(0)?,
            uploaded_order: Vec::new(),
            is_found_clear: false,
            queue,
        })
    }

    /// Returns whether the kernels can search a batch for some patterns. Their 32-bit offsets must suffice and, for
    /// regular expressions, lines must be short. A long line can make a batch as large as its file.
    pub(super) fn takes(patterns: &PatternSet, batch: &Batch) -> bool {
        Staged::bytes_for(batch).max(batch.bytes().len()) <= MAX_BATCH_BYTES
            && (!patterns.has_expressions() || Self::takes_expressions(patterns, batch))
    }

    /// Uploads the codes of bytes for batches with a line terminator (`None` for records), unless they are already
    /// uploaded.
    fn load_tables(&mut self, terminator: Option<u8>) -> Result<(), DeviceError> {
        if self.tables_for == Some(terminator) {
            return Ok(());
        }
        let tables = self.tables.wait()?;
        for (table, group) in tables.chunks_exact_mut(BYTE_CODES).zip(&self.loaded.groups) {
            table.copy_from_slice(&group.codes_of_bytes);
            // The line end or separator gets code 0, which no pattern matches, so no match crosses it.
            table[usize::from(terminator.unwrap_or(SEPARATOR))] = 0;
        }
        let length = tables.len();
        self.queue.upload(&self.tables, length, &mut self.memory.tables)?;
        self.tables_for = Some(terminator);
        Ok(())
    }

    /// Allocates the buffers for `length` bytes of text, most of them in one allocation. Does nothing if they are large
    /// enough.
    fn make_room_for_text(&mut self, length: usize) -> Result<(), DeviceError> {
        if self.memory.text.length() >= length {
            return Ok(());
        }
        // The kernels read the text in words of four bytes, and codes in words of eight.
        let length = (length + length / 8).next_multiple_of(8);
        let (chunks, planes) = (length.div_ceil(CHUNK) + 1, self.loaded.groups.iter().map(|group| group.planes).max());
        let packed = planes.unwrap_or(0) * length.div_ceil(32);
        // In elements of four words. A division into streams that needs more grows the buffer later.
        let transposed = packed / 4 + packed / 16;
        let groups = self.loaded.groups.len();
        let symbols =
            reserved_bytes::<u32>(length) + reserved_bytes::<u32>(chunks) + (groups + 1) * reserved_bytes::<u8>(length);
        let mut reserve =
            self.queue.reserve(symbols + reserved_bytes::<u32>(packed) + reserved_bytes::<[u32; 4]>(transposed))?;
        self.memory.text = reserve.buffer(length);
        self.memory.before = reserve.buffer(chunks);
        self.memory.ends = reserve.buffer(length);
        self.memory.codes = (0..groups).map(|_| reserve.buffer(length)).collect();
        self.memory.packed = reserve.buffer(packed);
        self.memory.planes = reserve.buffer(transposed);
        Ok(())
    }

    /// Encodes the symbols of some pieces of a batch in the codes of each group. The pieces are whole lines or records,
    /// or what the batch has of them.
    ///
    /// # Safety
    /// The batch is not changed or freed before the upload is complete: a guard from [`Queue::wait_on_drop`] is dropped
    /// before.
    pub(super) unsafe fn encode(&mut self, batch: &Batch, pieces: &[Range<usize>]) -> Result<(), DeviceError> {
        self.load_tables(batch.terminator())?;
        self.staged.set_pieces(batch, pieces);
        let length = self.staged.length();
        let chunks = length.div_ceil(CHUNK);
        self.make_room_for_text(length)?;
        let selected_words = if self.wanted == WantedOfItem::Any { length.div_ceil(32) } else { 0 };
        grow(&self.queue, &mut self.memory.selected, selected_words)?;
        let ScannerMemory { tables, text, before, ends, codes, hits, selected, done, .. } = &mut self.memory;
        // SAFETY: the caller keeps the batch as it is.
        unsafe { self.staged.upload((&self.device, &self.queue), (batch, pieces), text) }?;
        let one_each = LaunchShape { grid: (chunks as u32, 1), threads: THREADS, shared: SYMBOLS_SHARED };
        for (index, (group, codes)) in self.loaded.groups.iter().zip(codes).enumerate() {
            let arguments = SymbolArguments {
                text: text.address(0..length),
                codes_of_bytes: tables.address(index * BYTE_CODES..(index + 1) * BYTE_CODES),
                ranges: group.ranges.address(0..group.ranges.length()),
                before: before.address(0..chunks + 1),
                codes: codes.address(0..length),
                ends: ends.address(0..length),
                found: if index == 0 { hits.address(0..1) } else { 0 },
                selected: selected.address(0..selected_words),
                done: done.address(0..1),
                length: length as u32,
                chunks: chunks as u32,
                kind: kind(self.patterns.alphabet()),
                range_count: group.ranges.length() as u32,
                selected_words: if index == 0 { selected_words as u32 } else { 0 },
                unused: 0,
            };
            if index == 0 {
                let kernel = self.device.kernel::<CountSymbolsKernel>(&SYMBOLS)?;
                // SAFETY: `address` checked that the text has `length` bytes, and `before` a count for each of the
                // `chunks` blocks and one more. `done` was cleared when it was made, and each launch leaves it so. The
                // block has the threads and the shared memory that symbols.cu names. Nothing in memory is an index.
                unsafe { self.queue.launch(&kernel, one_each, &arguments) }?;
            }
            let kernel = self.device.kernel::<EncodeSymbolsKernel>(&SYMBOLS)?;
            // SAFETY: as above; there are `range_count` ranges, a code for each of 256 bytes, and room for a code and
            // an end for each byte of text. The kernel's indices of symbols are the prefix sums that the launch before it
            // made of the same text, so they are below `length`. The words of `selected` are 128 for each chunk at most.
            unsafe { self.queue.launch(&kernel, one_each, &arguments) }?;
        }
        self.is_found_clear = true;
        Ok(())
    }

    /// Queues the search of a part for all patterns, or for the patterns of a selection.
    fn launch(&mut self, part: &BatchPart, only: Option<PatternSelection>) -> Result<(), DeviceError> {
        self.clear_found()?;
        let loaded = self.loaded.clone();
        for (index, group) in loaded.groups.iter().enumerate() {
            let mut searches = group.searches(self.device.facts(), part.length());
            if let Some(only) = &only {
                searches = if only.group == index {
                    vec![DeviceSearch { patterns: only.patterns.clone(), ..searches.swap_remove(only.search) }]
                } else {
                    Vec::new()
                };
            }
            self.search_group(part, index, group, &searches)?;
        }
        self.download_first(part)
    }

    /// Downloads the number of hits and the first of them.
    pub(super) fn download_first_hits(&mut self) -> Result<(), DeviceError> {
        self.queue.download(&self.memory.hits, 0..1 + FIRST_HITS, &mut self.hits)
    }

    /// Sets the number of hits found to 0, if there was a search since the text was encoded.
    pub(super) fn clear_found(&mut self) -> Result<(), DeviceError> {
        if std::mem::take(&mut self.is_found_clear) {
            return Ok(());
        }
        self.queue.clear(&mut self.memory.hits, 0..1)
    }

    /// Waits for the search that was launched. Returns the number of hits found, which may exceed the capacity of the
    /// hit buffer.
    pub(super) fn found(&mut self) -> Result<usize, DeviceError> {
        let hits = &mut self.hits;
        let first = self.tallies.wait.time(|| hits.wait())?[0];
        Ok((u64::from(first.pattern) << 32 | u64::from(first.symbol)) as usize)
    }

    /// Runs some searches for patterns of one group in a part. `index` is the index of the group.
    fn search_group(
        &mut self,
        part: &BatchPart,
        index: usize,
        group: &LoadedGroup,
        searches: &[DeviceSearch<'_>],
    ) -> Result<(), DeviceError> {
        let mut planes = DevicePlanes { group: index, count: group.planes, are_packed: false, streams: None };
        let sliced: Vec<SlicedSearch<'_>> = searches.iter().filter_map(SlicedSearch::of).collect();
        self.search_sliced(part, group, &mut planes, &sliced)?;
        self.search_unsliced(part, &mut planes, searches)
    }

    /// Runs the searches that do not use the kernel `sliced`.
    pub(super) fn search_unsliced(
        &mut self,
        part: &BatchPart,
        planes: &mut DevicePlanes,
        searches: &[DeviceSearch<'_>],
    ) -> Result<(), DeviceError> {
        for DeviceSearch { method, patterns } in searches {
            match method {
                SearchMethod::Sliced(_) => {}
                SearchMethod::Seeds(seeds) => self.search_seeds(part, planes, seeds, patterns.clone())?,
                SearchMethod::Banded(tables, layout) => {
                    let search = BandedSearch { tables, layout, patterns: patterns.clone() };
                    self.search_banded(part, planes, search)?
                }
                SearchMethod::Words(words) => self.search_words(part, planes.group, words, patterns.clone())?,
                SearchMethod::Automata(launch) => self.search_automata(part, planes, launch, patterns.clone())?,
            }
        }
        Ok(())
    }

    /// Returns the destination of hits for the arguments of kernels, with the capacity of the buffer.
    pub(super) fn hit_buffer(&self) -> HitBuffer {
        let (hits, capacity) = (&self.memory.hits, self.memory.hit_capacity());
        HitBuffer { hits: hits.address(1..1 + capacity), capacity: capacity as u64, found: hits.address(0..1) }
    }

    /// Converts the symbol indices of hits to offsets just past the symbols. Makes a window for each hit if hits are
    /// traced.
    pub(super) fn place(&mut self, part: &BatchPart) -> Result<(), DeviceError> {
        let length = self.staged.length();
        let chunks = length.div_ceil(CHUNK);
        let windows = if self.is_tracing() { self.memory.hit_capacity() } else { 0 };
        let arguments = PlaceArguments {
            buffer: self.hit_buffer(),
            ends: self.memory.ends.address(0..length),
            symbols: self.memory.before.address(chunks..chunks + 1),
            text: self.memory.text.address(0..length),
            reaches: self.loaded.reaches.address(0..self.loaded.reaches.length()),
            windows: self.traces.windows.address(0..windows),
            first: part.first() as u32,
            context: part.context as u32,
            separator: self.staged.separator().into(),
            window_count: windows as u32,
        };
        let blocks = self.memory.hit_capacity().div_ceil(THREADS as usize).min(PLACING_BLOCKS);
        let shape = LaunchShape { grid: (blocks as u32, 1), threads: THREADS, shared: 0 };
        let kernel = self.device.kernel::<PlaceHitsKernel>(&SYMBOLS)?;
        // SAFETY: the hit buffer has its capacity, and the kernel reads no more hits. It reads the end of a symbol only
        // if the symbol's index is below the number of symbols in this text, which `encode` left behind the prefix sums
        // and which is at most `length`; `address` checked that there are as many ends. An end is the offset just past a
        // byte of the text. Hits are of patterns of the set, each of which has a reach. There is room for `windows`
        // windows. Any grid and block will do.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Downloads the `count` hits of the last search. Returns those whose ends the batch owns, in the order of their
    /// ends and patterns, each with its index in the hit buffer.
    pub(super) fn candidates(
        &mut self,
        batch: &Batch,
        count: usize,
    ) -> Result<impl Iterator<Item = (u32, Candidate)>, DeviceError> {
        if count > FIRST_HITS {
            self.queue.download(&self.memory.hits, 1 + FIRST_HITS..1 + count, &mut self.hits)?;
        }
        let CudaScanner { hits, places, staged, patterns: set, loaded, .. } = self;
        let hits = &hits.wait()?[1..1 + count];
        places.clear();
        places.extend(hits.iter().zip(0..).map(|(found, index)| {
            let place = u64::from(found.symbol) << 32 | u64::from(found.pattern);
            (place, index)
        }));
        places.sort_unstable();
        let mut ends = staged.ends();
        let mut inside = SegmentInside::new(batch, set.max_match_len());
        let mut last = None;
        let placed = places.iter().map(|&(_, index)| (index, &hits[index as usize]));
        let placed = placed.take_while(|(_, found)| found.symbol != NOWHERE);
        Ok(placed.filter_map(move |(index, found)| {
            // The seed index may find a hit twice.
            if last.replace((found.symbol, found.pattern)) == Some((found.symbol, found.pattern)) {
                return None;
            }
            let end = ends.in_batch(found.symbol as usize).filter(|&end| batch.owns(end))?;
            let pattern = found.pattern as usize;
            let hit = Hit { end, pattern, distance: found.distance as usize, start: None };
            let candidate = |verified| Some((index, (end, verified)));
            if loaded.automata.is_some() {
                return candidate(Some(hit));
            }
            // A pattern is not in the cache if there are many, so most hits should not need it.
            if loaded.are_plain[pattern] && inside.has_match_before(end) {
                return candidate(Some(hit));
            }
            let of_set = &set.patterns()[pattern];
            let verified = if loaded.is_filtered[pattern] {
                verify(set.alphabet(), batch, of_set, hit)
            } else {
                verify_levenshtein_hit(set.alphabet(), batch, of_set, hit)
            };
            candidate(verified)
        }))
    }

    /// Searches a part that has more hits than fit on the device, for a few patterns at a time.
    fn search_by_patterns(&mut self, batch: &Batch, part: &BatchPart) -> Result<(), DeviceError> {
        let loaded = self.loaded.clone();
        // At least one block of patterns fits: see `make_room_for_hits`.
        let at_once = self.memory.hit_capacity() / part.length() / MAX_BLOCK_PATTERNS * MAX_BLOCK_PATTERNS;
        for (group, of_group) in loaded.groups.iter().enumerate() {
            let searches = of_group.searches(self.device.facts(), part.length());
            for (search, DeviceSearch { patterns: all, .. }) in searches.iter().enumerate() {
                for first in all.clone().step_by(at_once) {
                    let patterns = first..all.end.min(first + at_once);
                    self.launch(part, Some(PatternSelection { group, search, patterns }))?;
                    let found = self.found()?;
                    self.take(batch, found)?;
                }
            }
        }
        Ok(())
    }

    /// Grows the hit buffer to its maximum capacity, which is also enough for one block of patterns in the smallest
    /// part. Returns whether the buffer was smaller before.
    pub(super) fn make_room_for_hits(&mut self) -> Result<bool, DeviceError> {
        let block_hits = MAX_BLOCK_PATTERNS * (MIN_PART + self.reach);
        let many = self.patterns.patterns().len() > MANY_PATTERNS;
        let capacity = block_hits.max(if many { MAX_HITS_OF_MANY } else { MAX_HITS });
        let was_less = self.memory.hit_capacity() < capacity;
        if was_less {
            self.memory.hits = self.queue.buffer(1 + capacity)?;
            self.queue.clear(&mut self.memory.hits, 0..1 + FIRST_HITS)?;
            self.hits = self.queue.pinned(1 + capacity)?;
        }
        Ok(was_less)
    }

    /// Queues the search of some pieces of a batch for all patterns. The pieces are whole lines or records, or what the
    /// batch has of them.
    ///
    /// # Safety
    /// As for [`CudaScanner::encode`].
    pub(super) unsafe fn begin_pieces(&mut self, batch: &Batch, pieces: &[Range<usize>]) -> Result<(), DeviceError> {
        self.wanted = WantedOfItem::All;
        // SAFETY: the caller keeps the batch as it is.
        unsafe { self.encode(batch, pieces) }?;
        let part = self.part(0..self.staged.length());
        self.launch(&part, None)
    }

    /// Returns a part of the staged symbols, with their context.
    fn part(&self, symbols: Range<usize>) -> BatchPart {
        let after = usize::from(self.loaded.automata.is_some() && symbols.end < self.staged.length());
        BatchPart { context: self.reach.min(symbols.start), symbols, after }
    }

    /// Completes the search that [`begin_pieces`](Self::begin_pieces) queued.
    pub(super) fn finish_pieces(&mut self, batch: &Batch, sink: &mut dyn HitSink) -> Result<(), DeviceError> {
        let all = 0..self.staged.length();
        let mut open = vec![all];
        let mut is_launched = true;
        while let Some(symbols) = open.pop() {
            let part = self.part(symbols.clone());
            self.sorted.clear();
            batch.traces.begin(self.patterns);
            if !std::mem::take(&mut is_launched) {
                self.launch(&part, None)?;
            }
            let count = self.found()?;
            let capacity = self.memory.hit_capacity();
            match count {
                _ if count <= capacity => self.take(batch, count)?,
                _ if self.make_room_for_hits()? => {
                    open.push(symbols);
                    continue;
                }
                _ if symbols.len() > MIN_PART => {
                    let parts = (2 * count / capacity).min(symbols.len() / MIN_PART).max(2);
                    open.extend(divide(symbols, parts).rev());
                    continue;
                }
                _ => self.search_by_patterns(batch, &part)?,
            }
            self.sorted.sort_unstable();
            batch.traces.lock().order();
            if deliver(&self.sorted, sink).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A search by the kernel `sliced`.
pub(super) struct SlicedSearch<'a> {
    pub(super) tables: &'a LoadedSliced,
    pub(super) blocks: SlicedBlocks,
}

/// The blocks of patterns of a search by the kernel `sliced`.
pub(super) enum SlicedBlocks {
    /// The blocks of a range of patterns. The range starts with the first pattern of a block.
    OfPatterns(Range<usize>),
    /// The blocks whose indices are in this range of [`ScannerMemory::order`].
    Listed(Range<usize>),
}

impl<'a> SlicedSearch<'a> {
    /// Returns the search if it uses this kernel.
    fn of(search: &DeviceSearch<'a>) -> Option<Self> {
        match search.method {
            SearchMethod::Sliced(tables) => {
                Some(SlicedSearch { tables, blocks: SlicedBlocks::OfPatterns(search.patterns.clone()) })
            }
            _ => None,
        }
    }

    /// Returns the number of patterns.
    pub(super) fn patterns(&self) -> usize {
        match &self.blocks {
            SlicedBlocks::OfPatterns(patterns) => patterns.len(),
            SlicedBlocks::Listed(blocks) => blocks.len() * self.tables.block.patterns,
        }
    }
}

/// A search in bands for a range of patterns.
pub(super) struct BandedSearch<'a> {
    pub(super) tables: &'a LoadedBanded,
    pub(super) layout: &'a BandedLaunches,
    /// Index range of the patterns in the tables.
    pub(super) patterns: Range<usize>,
}

/// A selection of patterns from one search of one group.
struct PatternSelection {
    /// Index of the group.
    group: usize,
    /// Index of the search in the result of [`LoadedGroup::searches`] for this part.
    search: usize,
    /// Index range of the patterns in the tables of the search.
    patterns: Range<usize>,
}

/// Divides a range into `parts` parts of nearly equal length.
fn divide(range: Range<usize>, parts: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let at = move |part: usize| range.start + range.len() * part / parts;
    (0..parts).map(move |part| at(part)..at(part + 1))
}

/// Grows a buffer to at least `length` elements. The contents are lost if it grows.
pub(super) fn grow<T: bytemuck::Pod>(queue: &Queue, buffer: &mut Buffer<T>, length: usize) -> Result<(), DeviceError> {
    if buffer.length() < length {
        *buffer = queue.buffer(length + length / 8)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::PatternSource;

    #[test]
    fn batches_beyond_32_bits_are_refused() {
        let set = PatternSet::builder(Alphabet::Text).build(&[PatternSource::new("word")]).unwrap();
        // The bytes are never touched, so they take no physical memory.
        assert!(CudaScanner::takes(&set, &Batch::of_lines(vec![0; MAX_BATCH_BYTES], b'\n')));
        assert!(!CudaScanner::takes(&set, &Batch::of_lines(vec![0; MAX_BATCH_BYTES + 1], b'\n')));
    }
}
