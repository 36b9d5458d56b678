//! Aligns hits on a device: a thread for each hit of a short pattern, a warp for each of a longer one.
//!
//! The windows of text before the hits go to the device one behind the other, as codes, and the edits come back.

use std::sync::Arc;

use super::abi::{DeviceAlignment, QuadrantArguments, WARP, WalkArguments, Window};
use super::device::{Buffer, Device, Pinned, Queue, Shape};
use super::device_tables::{Loaded, LoadedTraces};
use super::launch_geometry;
use crate::alignment::{Alignment, BackwardRuns, Edit};
use crate::engine::text_window::TextWindow;
use crate::engine::{Aligner, DeviceError, EngineError};
use crate::hit::Hit;
use crate::input::Batch;

/// Columns of a quadrant.
const COLUMNS: usize = 8;
/// What two bits of the edits of a kernel mean.
const EDITS: [Edit; 4] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];

/// Aligns with one queue of a device.
pub(in crate::engine) struct CudaAligner {
    device: Arc<Device>,
    loaded: Arc<Loaded>,
    queue: Queue,
    windows: Windows,
    /// What comes back, as words.
    traced: Pinned<u32>,
    memory: Memory,
    runs: BackwardRuns,
}

/// The memory of an aligner on the device.
struct Memory {
    codes: Buffer<u8>,
    windows: Buffer<Window>,
    traced: Buffer<u32>,
    /// What is kept of each hit that a warp traces; as much as was needed yet.
    borders: Buffer<u32>,
}

/// The text before hits, as codes.
struct Windows {
    window: TextWindow,
    codes: Pinned<u8>,
    windows: Pinned<Window>,
    /// Where the symbol of each code starts in the batch.
    starts: Vec<usize>,
    longest: usize,
}

impl Windows {
    /// Puts the windows of some hits together, all of patterns of one launch.
    fn fill(
        &mut self,
        traces: &LoadedTraces,
        batch: &Batch,
        hits: impl Iterator<Item = Hit>,
    ) -> Result<(), DeviceError> {
        self.window.forget();
        self.starts.clear();
        self.longest = 1;
        let (codes, windows) = (self.codes.wait()?, self.windows.wait()?);
        for (hit, window) in hits.zip(windows) {
            let (local, length) = traces.pattern(hit.pattern);
            let most = length + hit.distance;
            self.window.extend_to(&traces.classes, batch, hit.end, most);
            let symbols = match hit.start {
                None => self.window.last(most),
                Some(start) => self.window.last_from(start, most),
            };
            let first = self.starts.len();
            for (to, &code) in codes[first..].iter_mut().zip(symbols.codes) {
                *to = traces.classes.plane_of(code) as u8;
            }
            self.starts.extend_from_slice(self.window.starts(symbols));
            self.longest = self.longest.max(symbols.codes.len());
            *window = Window { first: first as u32, end: self.starts.len() as u32, pattern: local as u32 };
        }
        Ok(())
    }
}

impl CudaAligner {
    pub(super) fn new(device: Arc<Device>, loaded: Arc<Loaded>) -> Result<Self, DeviceError> {
        let queue = device.queue()?;
        let most = |of: fn(&LoadedTraces) -> usize| loaded.traces.iter().map(of).max().unwrap_or(0);
        let symbols = most(|traces| traces.hits_at_once() * 2 * traces.longest());
        let words = most(|traces| traces.hits_at_once() * traces.alignment_words());
        let windows = Windows {
            window: TextWindow::new(),
            codes: queue.pinned(symbols)?,
            windows: queue.pinned(launch_geometry::TRACED_AT_ONCE)?,
            starts: Vec::new(),
            longest: 0,
        };
        let mut memory = Memory {
            // A kernel reads eight codes at a time, and so some behind the last.
            codes: queue.buffer(symbols + COLUMNS)?,
            windows: queue.buffer(launch_geometry::TRACED_AT_ONCE)?,
            traced: queue.buffer(words)?,
            borders: queue.buffer(0)?,
        };
        queue.clear(&mut memory.codes, 0..symbols + COLUMNS)?;
        let traced = queue.pinned(words)?;
        Ok(CudaAligner { device, loaded, queue, windows, traced, memory, runs: BackwardRuns::default() })
    }

    /// Whether the kernels align hits of a pattern.
    pub(in crate::engine) fn takes(&self, pattern: usize) -> bool {
        self.loaded.traces.iter().any(|traces| traces.has(pattern))
    }

    /// Traces some hits, all of patterns of one launch, and all with a start or all without.
    fn trace(&mut self, traces: &LoadedTraces, batch: &Batch, hits: &[(usize, Hit)]) -> Result<(), DeviceError> {
        self.windows.fill(traces, batch, hits.iter().map(|&(_, hit)| hit))?;
        let words = hits.len() * traces.alignment_words();
        self.queue.upload(&self.windows.codes, self.windows.starts.len(), &mut self.memory.codes)?;
        self.queue.upload(&self.windows.windows, hits.len(), &mut self.memory.windows)?;
        let bound = u32::from(hits[0].1.start.is_some());
        // Of edits only those that there are are written, and all of them come back.
        self.queue.clear(&mut self.memory.traced, 0..words)?;
        match traces.are_walked() {
            true => self.launch_walk(traces, hits.len(), bound)?,
            false => self.launch_quadrant(traces, hits.len(), bound)?,
        }
        self.queue.download(&self.memory.traced, 0..words, &mut self.traced)
    }

    /// A thread for each hit.
    fn launch_quadrant(&mut self, traces: &LoadedTraces, hits: usize, bound: u32) -> Result<(), DeviceError> {
        let quadrants = self.windows.longest.div_ceil(COLUMNS);
        let Memory { codes, windows, traced, .. } = &self.memory;
        let arguments = QuadrantArguments {
            codes: codes.address(0),
            equal: traces.equal.address(0),
            rows: traces.lengths.address(0),
            hits: windows.address(0),
            alignments: traced.address(0),
            hit_count: hits as u32,
            code_count: traces.codes as u32,
            quadrants: quadrants as u32,
            bound,
        };
        let (threads, shared) =
            launch_geometry::quadrant_threads(self.device.facts(), traces.rows, traces.codes, quadrants);
        let grid = (hits.div_ceil(threads) as u32, 1);
        let shape = Shape { grid, threads: threads as u32, shared: shared as u32 };
        let kernel = self.device.kernel(&traces.module, "quadrant")?;
        self.queue.launch(&kernel, shape, &arguments)
    }

    /// A warp for each hit.
    fn launch_walk(&mut self, traces: &LoadedTraces, hits: usize, bound: u32) -> Result<(), DeviceError> {
        let border_words = launch_geometry::walk_border_words(traces.rows, self.windows.longest, traces.longest());
        if self.memory.borders.length() < hits * border_words {
            self.memory.borders = self.queue.buffer(hits * border_words)?;
        }
        let Memory { codes, windows, traced, borders } = &self.memory;
        let arguments = WalkArguments {
            codes: codes.address(0),
            equal: traces.equal.address(0),
            rows: traces.lengths.address(0),
            hits: windows.address(0),
            alignments: traced.address(0),
            borders: borders.address(0),
            border_words: border_words as u32,
            code_count: traces.codes as u32,
            bound,
            alignment_words: traces.alignment_words() as u32,
        };
        let shared = launch_geometry::walk_shared_bytes(traces.rows, traces.codes);
        let shape = Shape { grid: (hits as u32, 1), threads: WARP as u32, shared: shared as u32 };
        let kernel = self.device.kernel(&traces.module, "walk")?;
        self.queue.launch(&kernel, shape, &arguments)
    }

    /// Puts the alignments of these hits where they belong.
    fn take(&mut self, traces: &LoadedTraces, hits: &[(usize, Hit)], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let traced = self.traced.wait()?.chunks_exact(traces.alignment_words());
        for (&(index, hit), words) in hits.iter().zip(traced) {
            let DeviceAlignment { start, count, edits } = DeviceAlignment::of(words);
            self.runs.clear();
            let count = count as usize;
            for at in 0..count {
                let edit = if traces.are_walked() { at } else { count - 1 - at };
                self.runs.push(1, EDITS[(edits[edit / 16] >> (edit % 16 * 2) & 3) as usize]);
            }
            let cigar = self.runs.cigar();
            // A match without symbols starts at its end.
            let start = match cigar.text_length() {
                0 => hit.end,
                _ => self.windows.starts[start as usize],
            };
            out[index] = Alignment { start, end: hit.end, cigar };
        }
        Ok(())
    }

    fn align_some(&mut self, batch: &Batch, hits: &[Hit], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let loaded = self.loaded.clone();
        for traces in &loaded.traces {
            for is_bound in [false, true] {
                let wanted = |hit: &Hit| traces.has(hit.pattern) && hit.start.is_some() == is_bound;
                let mine: Vec<(usize, Hit)> = (0..).zip(hits.iter().copied()).filter(|(_, hit)| wanted(hit)).collect();
                for mine in mine.chunks(traces.hits_at_once()) {
                    self.trace(traces, batch, mine)?;
                    self.take(traces, mine, out)?;
                }
            }
        }
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
