//! A CUDA engine with another one behind it, which does what is too little or too large for the devices; and when a device fails, the search goes on there,
//! from the end after the last one that was given.
//!
//! In `auto` the other engine begins, and devices are taken once they are worth their start: see [`OffloadPolicy`].

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

/// With less work at a time a device costs more than it saves: rows of the pattern by rows, which is about what a processor's core does for a hit,
/// 10 to 20 thousand million of them in a second, where a device takes a good part of a millisecond for anything.
const WORTH_ALIGNING: usize = 1 << 25;

/// With a shorter time for a batch, no search on the processor takes an hour.
const WORTH_A_DRIVER: Duration = Duration::from_millis(1);

/// The engine.
pub(crate) struct HybridEngine {
    behind: Arc<dyn Engine>,
    devices: Devices,
    threads: usize,
    /// What decides whether devices are taken; nothing if they are to be taken in any case.
    offload: Option<OffloadPolicy>,
    cuda: OnceLock<CudaEngine>,
    /// Whether the user has asked for devices, and so is told of their failure.
    is_promised: bool,
    /// Whether somebody has begun to open the devices.
    is_opening: AtomicBool,
    /// Why the devices are no longer used.
    failure: OnceLock<EngineError>,
    backing: Fallback,
}

impl HybridEngine {
    /// An engine that takes devices at once.
    ///
    /// # Errors
    /// When the devices cannot be had, or not for these patterns.
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

    /// An engine that takes devices if they pay, for input of so many bytes, if that is known. Devices that are named but cannot
    /// be had are its [`trouble`](Engine::trouble).
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

    /// The devices, if they are to be used now.
    fn cuda(&self) -> Option<&CudaEngine> {
        match self.failure.get() {
            Some(_) => None,
            None => self.cuda.get(),
        }
    }

    /// Opens the devices if they have come to be worth it. Others search on meanwhile.
    fn open_if_worth_it(&self) {
        let Some(offload) = &self.offload else { return };
        // Most batches come when that is long decided.
        let is_opening = self.is_opening.load(Ordering::Relaxed);
        if is_opening || !offload.should_offload() || self.is_opening.swap(true, Ordering::Relaxed) {
            return;
        }
        let opened = CudaEngine::new(self.patterns().clone(), &self.devices, self.threads);
        // Without devices it is no failure, and somebody else has set neither.
        match opened {
            Ok(cuda) => drop(self.cuda.set(cuda)),
            Err(error) => drop(self.failure.set(error)),
        }
    }

    /// Stops using the devices.
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
        // Loading the driver to look for devices takes time.
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

/// Scans on a device while it can.
struct HybridScanner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaScanner<'a>>,
    behind: Option<Box<dyn Scanner + 'a>>,
}

impl HybridScanner<'_> {
    /// Scans on a device, if it takes the batch; gives whether it is done.
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

/// Hands hits on, but for those that were given before.
struct Progress<'a> {
    sink: &'a mut dyn HitSink,
    /// The end of the last hit that was given.
    last: Option<usize>,
    has_enough: bool,
    /// How long the sink had them.
    seconds: f64,
}

impl HitSink for Progress<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        // All with one end are given together.
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

/// How much work it is to align some hits: see [`WORTH_ALIGNING`].
fn work(patterns: &PatternSet, hits: &[Hit]) -> usize {
    let rows = |hit: &Hit| patterns.patterns()[hit.pattern].symbols().len();
    hits.iter().map(|hit| rows(hit) * rows(hit)).sum()
}

/// Aligns hits on a device where it is worth it, and all others behind it.
struct HybridAligner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaAligner>,
    behind: Box<dyn Aligner + 'a>,
}

impl HybridAligner<'_> {
    /// Aligns hits on a device, if it takes all of them; gives whether it has.
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
