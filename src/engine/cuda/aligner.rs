//! Aligns hits of short patterns on a device: a thread for each hit.
//!
//! The windows of text before the hits go to the device one behind the other, as codes, and the edits come back.

use std::sync::Arc;

use super::arguments::{DeviceAlignment, QuadrantArguments, Window};
use super::device::{Buffer, Device, Pinned, Queue, Shape};
use super::loaded::{Loaded, LoadedTraces};
use super::tuning;
use crate::alignment::{Alignment, BackwardRuns, Edit};
use crate::engine::stretch::Stretch;
use crate::engine::{Aligner, DeviceError, EngineError};
use crate::hit::Hit;
use crate::input::Batch;

/// So many hits are traced at once.
const AT_ONCE: usize = 1 << 14;
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
}

/// The text before hits, as codes.
struct Windows {
    stretch: Stretch,
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
        self.stretch.forget();
        self.starts.clear();
        self.longest = 1;
        let (codes, windows) = (self.codes.wait()?, self.windows.wait()?);
        for (hit, window) in hits.zip(windows) {
            let (local, length) = traces.pattern(hit.pattern);
            let most = length + hit.distance;
            self.stretch.lead_to(&traces.classes, batch, hit.end, most);
            let symbols = match hit.start {
                None => self.stretch.last(most),
                Some(start) => self.stretch.last_from(start, most),
            };
            let first = self.starts.len();
            for (to, &code) in codes[first..].iter_mut().zip(symbols.codes) {
                *to = traces.classes.plane_of(code) as u8;
            }
            self.starts.extend_from_slice(self.stretch.starts(symbols));
            self.longest = self.longest.max(symbols.codes.len());
            *window = Window { first: first as u32, end: self.starts.len() as u32, pattern: local as u32 };
        }
        Ok(())
    }
}

impl CudaAligner {
    pub(super) fn new(device: Arc<Device>, loaded: Arc<Loaded>) -> Result<Self, DeviceError> {
        let queue = device.queue()?;
        let longest = 2 * tuning::MOST_TRACED_ROWS;
        let windows = Windows {
            stretch: Stretch::new(),
            codes: queue.pinned(AT_ONCE * longest)?,
            windows: queue.pinned(AT_ONCE)?,
            starts: Vec::new(),
            longest: 0,
        };
        let words = DeviceAlignment::words(tuning::MOST_TRACED_ROWS);
        let memory = Memory {
            // A kernel reads eight codes at a time.
            codes: queue.buffer(AT_ONCE * longest + COLUMNS)?,
            windows: queue.buffer(AT_ONCE)?,
            traced: queue.buffer(AT_ONCE * words)?,
        };
        let traced = queue.pinned(AT_ONCE * words)?;
        Ok(CudaAligner { device, loaded, queue, windows, traced, memory, runs: BackwardRuns::default() })
    }

    /// Whether the kernels align hits of a pattern.
    pub(in crate::engine) fn takes(&self, pattern: usize) -> bool {
        self.loaded.traces.iter().any(|traces| traces.has(pattern))
    }

    /// Traces some hits, all of patterns of one launch, and all with a start or all without.
    fn trace(&mut self, traces: &LoadedTraces, batch: &Batch, hits: &[(usize, Hit)]) -> Result<(), DeviceError> {
        self.windows.fill(traces, batch, hits.iter().map(|&(_, hit)| hit))?;
        let quadrants = self.windows.longest.div_ceil(COLUMNS);
        let words = hits.len() * DeviceAlignment::words(traces.rows);
        let Memory { codes, windows, traced } = &mut self.memory;
        self.queue.upload(&self.windows.codes, self.windows.starts.len(), codes)?;
        self.queue.upload(&self.windows.windows, hits.len(), windows)?;
        let arguments = QuadrantArguments {
            codes: codes.address(0),
            equal: traces.equal.address(0),
            rows: traces.lengths.address(0),
            hits: windows.address(0),
            alignments: traced.address(0),
            hit_count: hits.len() as u32,
            code_count: traces.codes as u32,
            quadrants: quadrants as u32,
            bound: u32::from(hits[0].1.start.is_some()),
        };
        let (threads, shared) = tuning::quadrant_threads(self.device.facts(), traces.rows, traces.codes, quadrants);
        let grid = (hits.len().div_ceil(threads) as u32, 1);
        let shape = Shape { grid, threads: threads as u32, shared: shared as u32 };
        let kernel = self.device.kernel(&traces.module, "quadrant")?;
        self.queue.launch(&kernel, shape, &arguments)?;
        self.queue.download(&self.memory.traced, 0..words, &mut self.traced)
    }

    /// Puts the alignments of these hits where they belong.
    fn take(&mut self, traces: &LoadedTraces, hits: &[(usize, Hit)], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let traced = self.traced.wait()?.chunks_exact(DeviceAlignment::words(traces.rows));
        for (&(index, hit), words) in hits.iter().zip(traced) {
            let DeviceAlignment { start, count, edits } = DeviceAlignment::of(words);
            self.runs.clear();
            for edit in (0..count as usize).rev() {
                self.runs.push(1, EDITS[(edits[edit / 16] >> (edit % 16 * 2) & 3) as usize]);
            }
            // A match without symbols starts at its end.
            let start = match self.runs.cigar().text_length() {
                0 => hit.end,
                _ => self.windows.starts[start as usize],
            };
            out[index] = Alignment { start, end: hit.end, cigar: self.runs.cigar() };
        }
        Ok(())
    }

    fn align_some(&mut self, batch: &Batch, hits: &[Hit], out: &mut [Alignment]) -> Result<(), DeviceError> {
        let loaded = self.loaded.clone();
        for traces in &loaded.traces {
            for is_bound in [false, true] {
                let wanted = |hit: &Hit| traces.has(hit.pattern) && hit.start.is_some() == is_bound;
                let mine: Vec<(usize, Hit)> = (0..).zip(hits.iter().copied()).filter(|(_, hit)| wanted(hit)).collect();
                if !mine.is_empty() {
                    self.trace(traces, batch, &mine)?;
                    self.take(traces, &mine, out)?;
                }
            }
        }
        Ok(())
    }
}

impl Aligner for CudaAligner {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        for hits in hits.chunks(AT_ONCE) {
            let first = out.len();
            out.resize_with(first + hits.len(), Alignment::default);
            self.align_some(batch, hits, &mut out[first..])?;
        }
        Ok(())
    }
}
