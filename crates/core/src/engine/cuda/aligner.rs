//! Aligns hits on a device, by checkpointed traceback: one thread per hit of a short pattern, one warp per hit of a
//! longer one.
//!
//! For each hit, the window of text that ends with the hit is uploaded as codes. The edits are downloaded.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::device_tables::{LoadedTables, LoadedTraces};
use super::launch_geometry;
use crate::alignment::{Alignment, BackwardRuns};
use crate::batch::Batch;
use crate::engine::text_window::{MatchStart, TextWindow};
use crate::engine::{Aligner, DeviceError, EngineError};
use crate::hit::Hit;
use nigh_device::abi::{
    DeviceAlignment, DeviceWindow, QuadrantArguments, QuadrantKernel, WARP, WalkArguments, WalkKernel,
};
use nigh_device::driver::{Buffer, Device, LaunchShape, Pinned, Queue};

/// Number of matrix columns in a quadrant, one per symbol of the text.
const COLUMNS: usize = 8;

/// Aligns hits with one queue of a device.
pub(in crate::engine) struct CudaAligner {
    device: Arc<Device>,
    loaded: Arc<LoadedTables>,
    queue: Queue,
    windows: TraceWindows,
    /// The downloaded alignments, in the layout of [`DeviceAlignment`].
    traced: Pinned<u32>,
    memory: AlignerMemory,
    runs: BackwardRuns,
}

/// The buffers of an aligner on the device.
struct AlignerMemory {
    codes: Buffer<u8>,
    windows: Buffer<DeviceWindow>,
    traced: Buffer<u32>,
    /// The borders (checkpoints) of hits that warps trace. The buffer grows on demand.
    borders: Buffer<u32>,
}

/// The text windows of hits, as codes.
struct TraceWindows {
    window: TextWindow,
    /// The codes of all windows.
    codes: Pinned<u8>,
    windows: Pinned<DeviceWindow>,
    /// For each code, the offset in the batch at which its symbol starts.
    starts: Vec<usize>,
    /// Number of symbols of the longest window, at least 1.
    longest: usize,
}

impl TraceWindows {
    /// Collects the windows of `hits`. The patterns of all hits must be in `traces`.
    ///
    /// # Panics
    /// Panics if a hit is one that no scanner can have reported: see [`check`].
    fn fill(
        &mut self,
        traces: &LoadedTraces,
        batch: &Batch,
        hits: impl Iterator<Item = Hit>,
    ) -> Result<(), DeviceError> {
        self.window.clear();
        self.starts.clear();
        self.longest = 1;
        let (codes, windows) = (self.codes.wait()?, self.windows.wait()?);
        for (hit, window) in hits.zip(windows) {
            let (local, length) = traces.pattern(hit.pattern);
            check(hit, length, batch);
            let max = length + hit.distance;
            self.window.extend_to(&traces.classes, batch, hit.end, max);
            let symbols = match hit.start {
                None => self.window.last(max),
                Some(start) => self.window.last_from(start, max),
            };
            let first = self.starts.len();
            for (to, &code) in codes[first..].iter_mut().zip(symbols.codes) {
                *to = code as u8;
            }
            self.starts.extend_from_slice(self.window.starts(symbols));
            self.longest = self.longest.max(symbols.codes.len());
            *window = DeviceWindow { first: first as u32, end: self.starts.len() as u32, pattern: local as u32 };
        }
        Ok(())
    }
}

/// Returns whether the matches of `hits` have fixed starts. Either all of them have, or none.
fn start_of(hits: &[(usize, Hit)]) -> MatchStart {
    match hits[0].1.start {
        None => MatchStart::Anywhere,
        Some(_) => MatchStart::Fixed,
    }
}

/// Checks the properties of a hit that the kernels rely on. `length` is the number of rows of its pattern. The window
/// of a checked hit has fewer than `2 * length` symbols, for which the buffers and the alignments have room.
///
/// # Panics
/// Panics if the hit is one that no scanner can have reported.
fn check(hit: Hit, length: usize, batch: &Batch) {
    assert!(hit.distance < length, "{hit:?}: a match has fewer edits than its pattern has symbols ({length})");
    assert!(hit.end <= batch.bytes().len(), "{hit:?}: a match ends in its batch");
    assert!(hit.start.is_none_or(|start| start < hit.end), "{hit:?}: a match starts before it ends");
}

impl CudaAligner {
    pub(super) fn new(device: Arc<Device>, loaded: Arc<LoadedTables>) -> Result<Self, DeviceError> {
        let queue = Queue::new(&device)?;
        let max = |of: fn(&LoadedTraces) -> usize| loaded.traces().map(of).max().unwrap_or(0);
        let symbols = max(|traces| traces.hits_at_once() * 2 * traces.longest());
        let words = max(|traces| traces.hits_at_once() * traces.alignment_words(MatchStart::Fixed));
        let windows = TraceWindows {
            window: TextWindow::new(),
            codes: queue.pinned(symbols)?,
            windows: queue.pinned(launch_geometry::TRACED_AT_ONCE)?,
            starts: Vec::new(),
            longest: 0,
        };
        let mut memory = AlignerMemory {
            // The kernel `quadrant` reads eight codes at a time, so it may read past the last one.
            codes: queue.buffer(symbols + COLUMNS)?,
            windows: queue.buffer(launch_geometry::TRACED_AT_ONCE)?,
            traced: queue.buffer(words)?,
            borders: queue.buffer(0)?,
        };
        queue.clear(&mut memory.codes, 0..symbols + COLUMNS)?;
        let traced = queue.pinned(words)?;
        Ok(CudaAligner { device, loaded, queue, windows, traced, memory, runs: BackwardRuns::default() })
    }

    /// Returns whether the kernels can align hits of a pattern. `pattern` is its index in the pattern set.
    pub(in crate::engine) fn takes(&self, pattern: usize) -> bool {
        self.loaded.traces().any(|traces| traces.has(pattern))
    }

    /// Traces `hits` on the device and downloads their alignments. The patterns of all hits must be in `traces`. Either
    /// all or none of the hits have a start.
    fn trace(&mut self, traces: &LoadedTraces, batch: &Batch, hits: &[(usize, Hit)]) -> Result<(), DeviceError> {
        self.windows.fill(traces, batch, hits.iter().map(|&(_, hit)| hit))?;
        let start = start_of(hits);
        let words = hits.len() * traces.alignment_words(start);
        self.queue.upload(&self.windows.codes, self.windows.starts.len(), &mut self.memory.codes)?;
        self.queue.upload(&self.windows.windows, hits.len(), &mut self.memory.windows)?;
        // Kernels write only the edits that exist. All words are downloaded, so the others must be initialised.
        self.queue.clear(&mut self.memory.traced, 0..words)?;
        if traces.are_walked() {
            self.launch_walk(traces, hits.len(), start)?;
        } else {
            self.launch_quadrant(traces, hits.len(), start)?;
        }
        self.queue.download(&self.memory.traced, 0..words, &mut self.traced)
    }

    /// Launches the kernel `quadrant`, which traces each hit with one thread.
    fn launch_quadrant(&mut self, traces: &LoadedTraces, hits: usize, start: MatchStart) -> Result<(), DeviceError> {
        let quadrants = self.windows.longest.div_ceil(COLUMNS);
        let AlignerMemory { codes, windows, traced, .. } = &self.memory;
        let arguments = QuadrantArguments {
            // The kernel reads eight codes at a time, so it may read past the last one.
            codes: codes.address(0..self.windows.starts.len().next_multiple_of(COLUMNS)),
            equal: traces.equal.address(0..traces.equal.length()),
            rows: traces.lengths.address(0..traces.lengths.length()),
            hits: windows.address(0..hits),
            alignments: traced.address(0..hits * traces.alignment_words(start)),
            hit_count: hits as u32,
            code_count: traces.codes as u32,
            quadrants: quadrants as u32,
            bound: u32::from(start == MatchStart::Fixed),
        };
        let (threads, shared) =
            launch_geometry::quadrant_threads(self.device.facts(), traces.rows, traces.codes, quadrants);
        let grid = (hits.div_ceil(threads) as u32, 1);
        let shape = LaunchShape { grid, threads: threads as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<QuadrantKernel>(&traces.module)?;
        // SAFETY: `address` checked the codes, the windows, and room for an alignment for each hit.
        // `TraceWindows::fill` made the windows and their codes: each window is a range of the codes that fits the
        // quadrants, its pattern is in these tables, and each code has a word in them. An alignment has the words that
        // the kernel writes, however many edits it counts. The block has the shared memory for its threads.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Launches the kernel `walk`, which traces each hit with one warp.
    fn launch_walk(&mut self, traces: &LoadedTraces, hits: usize, start: MatchStart) -> Result<(), DeviceError> {
        let border_words = launch_geometry::walk_border_words(traces.rows, self.windows.longest, traces.longest());
        if self.memory.borders.length() < hits * border_words {
            self.memory.borders = self.queue.buffer(hits * border_words)?;
        }
        let words = traces.alignment_words(start);
        let AlignerMemory { codes, windows, traced, borders } = &self.memory;
        let arguments = WalkArguments {
            codes: codes.address(0..self.windows.starts.len()),
            equal: traces.equal.address(0..traces.equal.length()),
            rows: traces.lengths.address(0..traces.lengths.length()),
            hits: windows.address(0..hits),
            alignments: traced.address(0..hits * words),
            borders: borders.address(0..hits * border_words),
            border_words: border_words as u32,
            code_count: traces.codes as u32,
            bound: u32::from(start == MatchStart::Fixed),
            alignment_words: words as u32,
        };
        let shared = launch_geometry::walk_shared_bytes(traces.rows, traces.codes);
        let shape = LaunchShape { grid: (hits as u32, 1), threads: WARP as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<WalkKernel>(&traces.module)?;
        // SAFETY: `address` checked the codes, the windows, and for each hit the words of an alignment and of borders.
        // `TraceWindows::fill` made the windows and their codes: each window is a range of the codes, its pattern is in
        // these tables, and each code has a word in them. The borders suffice for the longest window and the longest
        // pattern, and the words for the edits of every hit that `check` lets pass: see `alignment_words`. The grid is
        // a warp for each hit, with the shared memory of one.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }
    }

    /// Converts the downloaded alignments of `hits`. Stores each in `out`, at the index that accompanies its hit.
    fn take(&mut self, traces: &LoadedTraces, hits: &[(usize, Hit)], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let traced = self.traced.wait()?.chunks_exact(traces.alignment_words(start_of(hits)));
        for (&(index, hit), words) in hits.iter().zip(traced) {
            let traced = DeviceAlignment::of(words);
            self.runs.clear();
            if traces.are_walked() {
                traced.edits().for_each(|edit| self.runs.push(1, edit.into()));
            } else {
                traced.edits().rev().for_each(|edit| self.runs.push(1, edit.into()));
            }
            let cigar = self.runs.cigar();
            // A match without text symbols starts at its end.
            let start = match cigar.text_length() {
                0 => hit.end,
                _ => self.windows.starts[traced.start as usize],
            };
            out[index] = Alignment { start, end: hit.end, cigar };
        }
        Ok(())
    }

    /// Aligns at most [`TRACED_AT_ONCE`](launch_geometry::TRACED_AT_ONCE) hits. Stores the alignment of each at its
    /// index in `out`.
    fn align_some(&mut self, batch: &Batch, hits: &[Hit], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let loaded = self.loaded.clone();
        let mut aligned = 0;
        for traces in loaded.traces() {
            for is_bound in [false, true] {
                let wanted = |hit: &Hit| traces.has(hit.pattern) && hit.start.is_some() == is_bound;
                let selected: Vec<(usize, Hit)> =
                    (0..).zip(hits.iter().copied()).filter(|(_, hit)| wanted(hit)).collect();
                for chunk in selected.chunks(traces.hits_at_once()) {
                    self.trace(traces, batch, chunk)?;
                    self.take(traces, chunk, out)?;
                }
                aligned += selected.len();
            }
        }
        assert_eq!(aligned, hits.len(), "the kernels take the patterns of all hits");
        Ok(())
    }
}

impl Aligner for CudaAligner {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        for hits in hits.chunks(launch_geometry::TRACED_AT_ONCE) {
            let first = out.len();
            out.resize_with(first + hits.len(), Alignment::default);
            self.align_some(batch, hits, &mut out[first..])?;
        }
        Ok(())
    }
}
