//! Traces the hits of a search on the device, right after the search: by checkpointed traceback, one thread per hit of a
//! short pattern, one warp per hit of a longer one. The alignments come back with the hits.
#![allow(unsafe_code)]

use std::ops::Range;

use super::search::{BatchPart, CudaScanner, FIRST_HITS, grow};
use super::trace_buffers::TableTraces;
use crate::device_tables::LoadedTraces;
use crate::launch_geometry;
use nigh_device::DeviceError;
use nigh_device::abi::{QuadrantArguments, QuadrantKernel, TracedHits, WARP, WalkArguments, WalkKernel};
use nigh_device::driver::LaunchShape;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;

/// Number of matrix columns in a quadrant, one per symbol of the text.
const COLUMNS: usize = 8;

impl CudaScanner<'_> {
    /// Queues the tracing of the hits from the index `before` on, as many as one launch traces. The windows of the hits must
    /// be made, and there must be room for the alignments.
    fn launch_traces(&mut self, before: usize) -> Result<(), DeviceError> {
        let loaded = self.loaded.clone();
        let mut index = 0;
        for (group, of_group) in loaded.groups.iter().enumerate() {
            for table in &of_group.traces {
                if table.are_walked() {
                    self.launch_walk((group, table), index, before)?;
                } else {
                    self.launch_quadrant((group, table), index, before)?;
                }
                index += 1;
            }
        }
        Ok(())
    }

    /// Returns the argument that names the hits to trace.
    fn traced_hits(&self, table: &LoadedTraces, before: usize) -> TracedHits {
        let limit = self.traces.at_once.min(self.memory.hit_capacity() - before);
        TracedHits {
            windows: self.traces.windows.address(before..before + limit),
            places: table.places.address(0..table.places.length()),
            found: self.hit_buffer().found,
            before: before as u32,
            limit: limit as u32,
        }
    }

    /// Launches the kernel `quadrant`, which traces each hit with one thread.
    fn launch_quadrant(
        &mut self,
        (group, table): (usize, &LoadedTraces),
        index: usize,
        before: usize,
    ) -> Result<(), DeviceError> {
        let quadrants = table.longest_window.div_ceil(COLUMNS);
        let hits = self.traced_hits(table, before);
        let alignments = &self.traces.of_tables[index].alignments;
        let arguments = QuadrantArguments {
            // The kernel reads eight codes at a time, so it may read past the last one.
            codes: self.memory.codes[group].address(0..self.staged.length().next_multiple_of(COLUMNS)),
            equal: table.equal.address(0..table.equal.length()),
            rows: table.lengths.address(0..table.lengths.length()),
            hits,
            alignments: alignments.address(0..hits.limit as usize * table.alignment_words()),
            code_count: table.codes as u32,
            quadrants: quadrants as u32,
        };
        let facts = self.device.facts();
        let (threads, shared) = launch_geometry::quadrant_threads(facts, table.rows, table.codes, quadrants);
        let blocks = (hits.limit as usize).div_ceil(threads).min(2 * facts.multiprocessors);
        let shape = LaunchShape { grid: (blocks as u32, 1), threads: threads as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<QuadrantKernel>(&table.module)?;
        // SAFETY: `address` checked the codes, the windows, and room for an alignment for each window. `place_hits` made
        // the windows from hits of these codes: each is a range of the codes, and as long as the reach of its pattern at
        // most, so it fits the quadrants if its pattern is in this table. There is a place for each pattern of the set,
        // and places are below the number of patterns of the table. Each code has a word in the table. The block has the
        // shared memory for its threads, and any grid will do.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Launches the kernel `walk`, which traces each hit with one warp.
    fn launch_walk(
        &mut self,
        (group, table): (usize, &LoadedTraces),
        index: usize,
        before: usize,
    ) -> Result<(), DeviceError> {
        let border_words = launch_geometry::walk_border_words(table.rows, table.longest_window, table.longest());
        let facts = self.device.facts();
        let blocks = launch_geometry::walks_at_once(border_words).min(2 * facts.multiprocessors);
        grow(&self.queue, &mut self.traces.of_tables[index].borders, blocks * border_words)?;
        let hits = self.traced_hits(table, before);
        let TableTraces { alignments, borders, .. } = &self.traces.of_tables[index];
        let words = table.alignment_words();
        let arguments = WalkArguments {
            codes: self.memory.codes[group].address(0..self.staged.length()),
            equal: table.equal.address(0..table.equal.length()),
            rows: table.lengths.address(0..table.lengths.length()),
            hits,
            alignments: alignments.address(0..hits.limit as usize * words),
            borders: borders.address(0..blocks * border_words),
            border_words: border_words as u32,
            code_count: table.codes as u32,
            alignment_words: words as u32,
            unused: 0,
        };
        let shared = launch_geometry::walk_shared_bytes(table.rows, table.codes);
        let shape = LaunchShape { grid: (blocks as u32, 1), threads: WARP as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<WalkKernel>(&table.module)?;
        // SAFETY: as for `quadrant`. The borders of each block suffice for the longest window and the longest pattern of
        // the table, and the words for the edits of every hit: see `alignment_words`. A block is one warp and has its
        // shared memory.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Downloads the alignments of hits of the last launch, by their indices in the launch.
    fn download_traces(&mut self, hits: Range<usize>) -> Result<(), DeviceError> {
        for (table, traces) in self.loaded.traces().zip(&mut self.traces.of_tables) {
            let words = table.alignment_words();
            self.queue.download(&traces.alignments, hits.start * words..hits.end * words, &mut traces.downloaded)?;
        }
        Ok(())
    }

    /// Places the hits of the searches that were launched since the number of hits was cleared, and traces them if this is
    /// wanted. Downloads the number of hits, the first of them, and their alignments.
    pub(super) fn download_first(&mut self, part: &BatchPart) -> Result<(), DeviceError> {
        let is_tracing = self.is_tracing();
        if is_tracing {
            let hits = self.memory.hit_capacity();
            self.traces.make_room(&self.queue, &self.loaded, hits)?;
        }
        self.place(part)?;
        if is_tracing {
            self.launch_traces(0)?;
            self.download_traces(0..FIRST_HITS.min(self.traces.at_once))?;
        }
        self.download_first_hits()
    }

    /// Returns whether the hits of the current batch are traced.
    pub(super) fn is_tracing(&self) -> bool {
        self.traces.are_wanted && self.loaded.traces().next().is_some()
    }

    /// Downloads the `count` hits of the last search, verifies each within its line or record, and appends it to
    /// `sorted`. Adds the alignments of the hits to the batch, if they were traced.
    pub(super) fn take(&mut self, batch: &Batch, count: usize) -> Result<(), DeviceError> {
        let (is_tracing, at_once) = (self.is_tracing(), self.traces.at_once);
        if is_tracing && count > FIRST_HITS && at_once > FIRST_HITS {
            self.download_traces(FIRST_HITS..count.min(at_once))?;
        }
        let (mut sorted, mut found) = (std::mem::take(&mut self.sorted), std::mem::take(&mut self.traces.found));
        found.clear();
        for (index, (_, verified)) in self.candidates(batch, count)? {
            let Some(hit) = verified else { continue };
            sorted.push(hit);
            if is_tracing && hit.start.is_none() {
                found.push((hit, index));
            }
        }
        self.sorted = sorted;
        if is_tracing {
            self.keep_traces(batch, &found, count)?;
            self.traces.expect(count);
        }
        self.traces.found = found;
        Ok(())
    }

    /// Adds the alignments of hits to the batch. `found` has the hits, with their indices among the `count` hits of the
    /// search.
    fn keep_traces(&mut self, batch: &Batch, found: &[(Hit, u32)], count: usize) -> Result<(), DeviceError> {
        let (loaded, at_once) = (self.loaded.clone(), self.traces.at_once);
        let mut added = 0;
        for before in (0..count).step_by(at_once) {
            let of_launch = before..count.min(before + at_once);
            if before > 0 {
                self.launch_traces(before)?;
                self.download_traces(0..of_launch.len())?;
            }
            let mut of_batch = batch.traces.lock();
            let mut tables: Vec<AddedTable> = Vec::new();
            for (table, traces) in loaded.traces().zip(&mut self.traces.of_tables) {
                let words = table.alignment_words();
                let added = of_batch.add_words(&traces.downloaded.wait()?[..of_launch.len() * words]);
                tables.extend(added.map(|first| AddedTable { first, words, is_backward: table.are_walked() }));
            }
            if tables.len() < self.traces.of_tables.len() {
                // The batch has no room for more alignments. The processor aligns the other hits.
                break;
            }
            for &(hit, index) in found.iter().filter(|(_, index)| of_launch.contains(&(*index as usize))) {
                if let Some(table) = tables.get(usize::from(loaded.table_of[hit.pattern])) {
                    let first = table.first + (index as usize - before) * table.words;
                    of_batch.add(hit, first, table.is_backward);
                    added += 1;
                }
            }
        }
        self.tallies.add_aligned(added);
        Ok(())
    }
}

/// The alignments of a launch that were added to a batch, of the patterns of one table.
struct AddedTable {
    /// The index in the batch of the first word.
    first: usize,
    /// Number of words of an alignment.
    words: usize,
    /// Whether the last edit is written first.
    is_backward: bool,
}
