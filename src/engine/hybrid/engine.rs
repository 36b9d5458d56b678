//! A CUDA engine with a fallback engine.
//!
//! The fallback takes batches too small or too large for the devices. When a device fails, it resumes the batch after
//! the last end that was delivered. In mode `auto` the fallback starts, and devices are opened once they repay their
//! start: see [`OffloadPolicy`].

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::offload::OffloadPolicy;
use crate::alignment::Alignment;
use crate::engine::cuda::{self, CudaAligner, CudaEngine, CudaScanner};
use crate::engine::{Aligner, Devices, Engine, EngineError, Fallback, Scanner};
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::PatternSet;

/// Work, in squared pattern rows summed over hits, below which aligning on a device costs more than it saves. A
/// processor core does 10 to 20 thousand million of these units in a second, and a device takes a good part of a
/// millisecond for any launch.
const WORTH_ALIGNING: usize = 1 << 25;

/// If a batch takes less time than this, no search on the processor takes an hour.
const WORTH_A_DRIVER: Duration = Duration::from_millis(1);

/// The engine.
pub(crate) struct HybridEngine {
    behind: Arc<dyn Engine>,
    devices: Devices,
    threads: usize,
    /// Decides when devices are opened; `None` if they are opened at once.
    offload: Option<OffloadPolicy>,
    cuda: OnceLock<CudaEngine>,
    /// Whether the user asked for devices, and so is told when they fail.
    is_promised: bool,
    /// Whether a thread has started to open the devices.
    is_opening: AtomicBool,
    /// The reason for which the devices are no longer used.
    failure: OnceLock<EngineError>,
    backing: Fallback,
}

impl HybridEngine {
    /// Makes an engine that opens the devices at once.
    ///
    /// # Errors
    /// Fails if the devices cannot be opened, or do not support these patterns.
    pub(crate) fn forced(
        behind: Arc<dyn Engine>,
        (devices, backing): (Devices, Fallback),
        threads: usize,
    ) -> Result<Self, EngineError> {
        let made = HybridEngine { backing, ..HybridEngine::new(behind, devices, threads, None) };
        let cuda = CudaEngine::new(made.patterns().clone(), &made.devices, threads)?;
        made.cuda.set(cuda).ok().expect("nobody else has seen it");
        Ok(made)
    }

    /// Makes an engine that opens devices once they pay; `bytes` is the size of the input, if known. If named devices
    /// cannot be opened, [`trouble`](Engine::trouble) reports it.
    pub(crate) fn auto(behind: Arc<dyn Engine>, named: Option<Devices>, threads: usize, bytes: Option<u64>) -> Self {
        let offload = OffloadPolicy::new(behind.patterns(), threads, bytes);
        let is_promised = named.is_some();
        let devices = named.unwrap_or(Devices::First);
        let made = HybridEngine { is_promised, ..HybridEngine::new(behind, devices, threads, Some(offload)) };
        if let Err(error) = if is_promised { cuda::ordinals(&made.devices).map(drop) } else { Ok(()) } {
            made.failure.set(error).expect("nobody else has seen it");
            made.is_opening.store(true, Ordering::Relaxed);
        }
        made
    }

    fn new(behind: Arc<dyn Engine>, devices: Devices, threads: usize, offload: Option<OffloadPolicy>) -> Self {
        HybridEngine {
            behind,
            devices,
            threads,
            backing: Fallback::Allowed,
            is_promised: offload.is_none(),
            offload,
            cuda: OnceLock::new(),
            is_opening: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    /// Returns the devices if they are open and have not failed.
    fn cuda(&self) -> Option<&CudaEngine> {
        match self.failure.get() {
            Some(_) => None,
            None => self.cuda.get(),
        }
    }

    /// Opens the devices if they now repay their start. Other threads continue to search meanwhile.
    fn open_if_worth_it(&self) {
        let Some(offload) = &self.offload else { return };
        // In most calls this was decided long before.
        let is_opening = self.is_opening.load(Ordering::Relaxed);
        if is_opening || !offload.should_offload() || self.is_opening.swap(true, Ordering::Relaxed) {
            return;
        }
        let opened = CudaEngine::new(self.patterns().clone(), &self.devices, self.threads);
        // In mode `auto` a missing device is not an error. Only this thread sets either cell.
        match opened {
            Ok(cuda) => drop(self.cuda.set(cuda)),
            Err(error) => drop(self.failure.set(error)),
        }
    }

    /// Stops using the devices, or returns the error if there must be no fallback.
    fn give_up(&self, error: EngineError) -> Result<(), EngineError> {
        if self.backing == Fallback::Refused {
            return Err(error);
        }
        let _ = self.failure.set(error);
        Ok(())
    }
}

impl Engine for HybridEngine {
    fn name(&self) -> &'static str {
        if self.offload.is_some() { "auto" } else { "cuda" }
    }

    fn patterns(&self) -> &Arc<PatternSet> {
        self.behind.patterns()
    }

    fn plan(&self) -> Vec<String> {
        let of_devices = self.cuda.get().map(CudaEngine::plan).unwrap_or_default();
        let failure = self.failure.get().map(|error| format!("devices not used: {error}"));
        [of_devices, failure.into_iter().collect(), self.behind.plan()].concat()
    }

    fn trouble(&self) -> Option<&EngineError> {
        self.failure.get().filter(|_| self.is_promised)
    }

    fn workers(&self) -> usize {
        self.cuda.get().map_or(self.behind.workers(), CudaEngine::workers)
    }

    fn batch_bytes(&self) -> usize {
        self.cuda.get().map_or(self.behind.batch_bytes(), CudaEngine::batch_bytes)
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let time = self.behind.estimate(batch)?;
        // Checks the time first, because looking for devices loads the driver, which is slow.
        let may_take_devices =
            || time > WORTH_A_DRIVER && self.failure.get().is_none() && cuda::ordinals(&self.devices).is_ok();
        if may_take_devices() { None } else { Some(time) }
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(HybridScanner { engine: self, cuda: None, behind: None }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(HybridAligner { engine: self, cuda: None, behind: self.behind.aligner()? }))
    }
}

/// Scans on a device while one works, else by the fallback.
struct HybridScanner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaScanner<'a>>,
    behind: Option<Box<dyn Scanner + 'a>>,
}

impl HybridScanner<'_> {
    /// Scans on a device if it accepts the batch. Returns whether the scan is complete.
    fn scan_on_device(&mut self, batch: &Batch, progress: &mut Progress<'_>) -> Result<bool, EngineError> {
        let Some(cuda) = self.engine.cuda().filter(|_| CudaScanner::takes(batch)) else { return Ok(false) };
        let scanned = match &mut self.cuda {
            Some(scanner) => scanner.scan(batch, progress),
            None => cuda.scanner().and_then(|scanner| self.cuda.insert(scanner).scan(batch, progress)),
        };
        match scanned {
            Ok(()) => Ok(true),
            Err(error) => {
                self.engine.give_up(error)?;
                Ok(progress.has_enough)
            }
        }
    }
}

impl Scanner for HybridScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.engine.open_if_worth_it();
        let mut progress = Progress { sink: hits, last: None, has_enough: false, seconds: 0.0 };
        if self.scan_on_device(batch, &mut progress)? {
            return Ok(());
        }
        let behind = match &mut self.behind {
            Some(behind) => behind,
            None => self.behind.insert(self.engine.behind.scanner()?),
        };
        let begin = Instant::now();
        behind.scan(batch, &mut progress)?;
        if let Some(offload) = &self.engine.offload {
            offload.add(batch.owned().len(), begin.elapsed().as_secs_f64() - progress.seconds);
        }
        Ok(())
    }
}

/// Passes hits on to a sink, except those already delivered.
struct Progress<'a> {
    sink: &'a mut dyn HitSink,
    /// The end of the last hit delivered.
    last: Option<usize>,
    has_enough: bool,
    /// The time spent in the sink, in seconds.
    seconds: f64,
}

impl HitSink for Progress<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        // All hits with one end are delivered together, so hits up to the last end were delivered.
        let given = self.last.map_or(0, |last| hits.partition_point(|hit| hit.end <= last));
        let Some(last) = hits[given..].last() else { return ControlFlow::Continue(()) };
        self.last = Some(last.end);
        let begin = Instant::now();
        let flow = self.sink.accept(&hits[given..]);
        self.seconds += begin.elapsed().as_secs_f64();
        self.has_enough = flow.is_break();
        flow
    }
}

/// Returns the work of aligning some hits, in the units of [`WORTH_ALIGNING`].
fn work(patterns: &PatternSet, hits: &[Hit]) -> usize {
    let rows = |hit: &Hit| patterns.patterns()[hit.pattern].symbols().len();
    hits.iter().map(|hit| rows(hit) * rows(hit)).sum()
}

/// Aligns hits on a device where that pays, and all others by the fallback.
struct HybridAligner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaAligner>,
    behind: Box<dyn Aligner + 'a>,
}

impl HybridAligner<'_> {
    /// Aligns hits on a device if it supports all of them. Returns whether it did.
    fn align_on_device(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<bool, EngineError> {
        let is_worth_it =
            self.engine.backing == Fallback::Refused || work(self.engine.patterns(), hits) >= WORTH_ALIGNING;
        let Some(cuda) = self.engine.cuda().filter(|_| is_worth_it) else { return Ok(false) };
        let before = out.len();
        let aligner = match self.cuda.take() {
            Some(aligner) => Ok(aligner),
            None => cuda.aligner(),
        };
        let aligned = aligner.and_then(|aligner| {
            let aligner = self.cuda.insert(aligner);
            match hits.iter().all(|hit| aligner.takes(hit.pattern)) {
                true => aligner.align(batch, hits, out).map(|()| true),
                false => Ok(false),
            }
        });
        aligned.or_else(|error| {
            out.truncate(before);
            self.engine.give_up(error).map(|()| false)
        })
    }
}

impl Aligner for HybridAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        match self.align_on_device(batch, hits, out)? {
            true => Ok(()),
            false => self.behind.align(batch, hits, out),
        }
    }
}
