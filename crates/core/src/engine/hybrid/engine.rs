//! A CUDA engine with a fallback engine.
//!
//! The fallback scans batches too large for the kernels, and aligns hits too few to repay a launch. If a device fails,
//! the fallback resumes the batch after the last end that was delivered. In mode `auto` the fallback starts the search,
//! and devices are opened once they repay their start-up time, which a forecast may tell at once: see
//! [`OffloadPolicy`].

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::offload::OffloadPolicy;
use crate::alignment::Alignment;
use crate::batch::Batch;
use crate::engine::cuda::{self, CudaAligner, CudaEngine, CudaScanner};
use crate::engine::{Aligner, Devices, Engine, EngineError, EngineFacts, Fallback, MatchPlace, Scanner};
use crate::hit::{Hit, HitSink};
use crate::pattern::PatternSet;

/// Work below which aligning hits on a device costs more than it saves. The work of a hit is the square of the number
/// of its pattern's rows. A processor core does 10 to 20 thousand million of these units per second, and a device takes
/// a good part of a millisecond for any launch.
const MIN_ALIGN_WORK: usize = 1 << 25;

/// Estimated seconds of a search on one core up to which devices are not looked for. Loading the driver takes several
/// tenths of a second, and the estimate only serves a notice about searches that take an hour or more on all cores.
const MIN_SEARCH_SECONDS: f64 = 3_600.0;
/// Estimated seconds of a batch up to which devices are not looked for if the size of the input is unknown. With faster
/// batches, no input takes an hour on the processor.
const MIN_BATCH_SECONDS: f64 = 1e-3;

/// A CUDA engine with a fallback.
pub(crate) struct HybridEngine {
    fallback: Arc<dyn Engine>,
    devices: Devices,
    threads: usize,
    /// Decides when devices are opened; `None` if they are opened at once.
    offload: Option<OffloadPolicy>,
    cuda: OnceLock<CudaEngine>,
    /// Whether the user asked for devices, and so is told when they fail.
    is_requested: bool,
    /// Whether a thread has started to open the devices.
    is_opening: AtomicBool,
    /// The error that ended the use of the devices, or prevented it.
    failure: OnceLock<EngineError>,
    policy: Fallback,
}

impl HybridEngine {
    /// Makes an engine that opens the devices at once.
    ///
    /// # Errors
    /// Fails if the devices cannot be opened, or do not support these patterns.
    pub(crate) fn forced(
        fallback: Arc<dyn Engine>,
        devices: Devices,
        policy: Fallback,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let engine = HybridEngine { policy, ..HybridEngine::new(fallback, devices, threads, None) };
        let cuda = CudaEngine::new(engine.patterns().clone(), &engine.devices, threads)?;
        engine.cuda.set(cuda).ok().expect("the engine is not shared yet");
        Ok(engine)
    }

    /// Makes an engine that opens devices at once if the patterns and the size of the input tell that they are faster,
    /// and otherwise once they repay their start-up time. `bytes` is the size of the input, if known. If `named`
    /// devices cannot be opened, [`failure`](EngineFacts::failure) reports it.
    pub(crate) fn auto(fallback: Arc<dyn Engine>, named: Option<Devices>, threads: usize, bytes: Option<u64>) -> Self {
        let forecast = cuda::forecast(fallback.patterns(), threads);
        let offload = OffloadPolicy::new(forecast, threads, bytes);
        let pays_at_once = offload.pays_at_once(fallback.forecast());
        let is_requested = named.is_some();
        let devices = named.unwrap_or(Devices::First);
        let engine = HybridEngine { is_requested, ..HybridEngine::new(fallback, devices, threads, Some(offload)) };
        if is_requested && let Err(error) = cuda::ordinals(&engine.devices) {
            engine.failure.set(error).expect("the engine is not shared yet");
            engine.is_opening.store(true, Ordering::Relaxed);
        }
        if pays_at_once && !engine.is_opening.swap(true, Ordering::Relaxed) {
            engine.open();
        }
        engine
    }

    fn new(fallback: Arc<dyn Engine>, devices: Devices, threads: usize, offload: Option<OffloadPolicy>) -> Self {
        HybridEngine {
            fallback,
            devices,
            threads,
            policy: Fallback::Allowed,
            is_requested: offload.is_none(),
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

    /// Opens the devices if they now repay their start-up time. Other threads continue to search meanwhile.
    fn open_if_it_pays(&self) {
        let Some(offload) = &self.offload else { return };
        // Tested first, because in most calls the devices were opened long before.
        let is_opening = self.is_opening.load(Ordering::Relaxed);
        if is_opening || !offload.should_offload() || self.is_opening.swap(true, Ordering::Relaxed) {
            return;
        }
        self.open();
    }

    /// Opens the devices. In mode `auto` a missing device is not an error. Only one thread may call this.
    fn open(&self) {
        match CudaEngine::new(self.patterns().clone(), &self.devices, self.threads) {
            Ok(cuda) => drop(self.cuda.set(cuda)),
            Err(error) => drop(self.failure.set(error)),
        }
    }

    /// Stops using the devices because of `error`, or returns it for [`Fallback::Refused`].
    fn give_up(&self, error: EngineError) -> Result<(), EngineError> {
        if self.policy == Fallback::Refused {
            return Err(error);
        }
        let _ = self.failure.set(error);
        Ok(())
    }
}

impl Engine for HybridEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        self.fallback.patterns()
    }

    fn plan(&self) -> Vec<String> {
        let of_devices = self.cuda.get().map(CudaEngine::plan).unwrap_or_default();
        let failure = self.failure.get().map(|error| format!("devices not used: {error}"));
        [of_devices, failure.into_iter().collect(), self.fallback.plan()].concat()
    }

    fn facts(&self) -> EngineFacts<'_> {
        let fallback = self.fallback.facts();
        EngineFacts {
            name: if self.offload.is_some() { "auto" } else { "cuda" },
            workers: self.cuda.get().map_or(fallback.workers, CudaEngine::workers),
            batch_bytes: self.cuda.get().map_or(fallback.batch_bytes, CudaEngine::batch_bytes),
            failure: self.failure.get().filter(|_| self.is_requested),
        }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        // Asking the fallback would make it choose its filter, which takes seconds with many patterns.
        if self.cuda().is_some() {
            return None;
        }
        let time = self.fallback.estimate(batch)?;
        let (seconds, size) = (time.as_secs_f64(), batch.owned().len().max(1) as f64);
        let is_long = match self.offload.as_ref().and_then(OffloadPolicy::bytes) {
            Some(bytes) => seconds * (bytes / size).max(1.0) > MIN_SEARCH_SECONDS,
            None => seconds > MIN_BATCH_SECONDS,
        };
        let may_take_devices = || is_long && self.failure.get().is_none() && cuda::ordinals(&self.devices).is_ok();
        if may_take_devices() { None } else { Some(time) }
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(HybridScanner { engine: self, cuda: None, fallback: None }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(HybridAligner { engine: self, cuda: None, fallback: self.fallback.aligner()? }))
    }
}

/// Scans on a device while the devices are open and work, otherwise with the fallback.
struct HybridScanner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaScanner<'a>>,
    fallback: Option<Box<dyn Scanner + 'a>>,
}

impl HybridScanner<'_> {
    /// Scans on a device if the devices are in use and accept the batch. Returns whether the scan is complete.
    fn scan_on_device(
        &mut self,
        batch: &Batch,
        wanted: WantedHits,
        progress: &mut ResumedHits<'_>,
    ) -> Result<bool, EngineError> {
        let Some(cuda) = self.engine.cuda().filter(|_| CudaScanner::takes(self.engine.patterns(), batch)) else {
            return Ok(false);
        };
        let mut search = |scanner: &mut CudaScanner<'_>| match wanted {
            WantedHits::All => scanner.scan(batch, progress),
            WantedHits::AnyOfItem => scanner.select(batch, progress),
        };
        let scanned = match &mut self.cuda {
            Some(scanner) => search(scanner),
            None => cuda.scanner().and_then(|scanner| search(self.cuda.insert(scanner))),
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

/// Choice of the hits of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WantedHits {
    All,
    /// At least one in each line or record that has any.
    AnyOfItem,
}

impl Scanner for HybridScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, hits, WantedHits::All)
    }

    fn select(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, hits, WantedHits::AnyOfItem)
    }
}

impl HybridScanner<'_> {
    fn search(&mut self, batch: &Batch, hits: &mut dyn HitSink, wanted: WantedHits) -> Result<(), EngineError> {
        self.engine.open_if_it_pays();
        let mut progress = ResumedHits { sink: hits, last: None, has_enough: false, seconds: 0.0 };
        if self.scan_on_device(batch, wanted, &mut progress)? {
            return Ok(());
        }
        let is_first = self.fallback.is_none();
        let fallback = match &mut self.fallback {
            Some(fallback) => fallback,
            None => {
                // Builds an index, if the engine uses one. That time says nothing about the rest of the search.
                let _ = self.engine.fallback.estimate(batch);
                self.fallback.insert(self.engine.fallback.scanner()?)
            }
        };
        let begin = Instant::now();
        match wanted {
            WantedHits::All => fallback.scan(batch, &mut progress)?,
            WantedHits::AnyOfItem => fallback.select(batch, &mut progress)?,
        }
        let seconds = begin.elapsed().as_secs_f64() - progress.seconds;
        match &self.engine.offload {
            Some(offload) if is_first => offload.add_first(batch.owned().len(), seconds),
            Some(offload) => offload.add(batch.owned().len(), seconds),
            None => {}
        }
        Ok(())
    }
}

/// Passes hits on to a sink, but skips hits that a device delivered before it failed.
struct ResumedHits<'a> {
    sink: &'a mut dyn HitSink,
    /// The end of the last hit delivered.
    last: Option<usize>,
    /// Whether the sink returned `Break`.
    has_enough: bool,
    /// The time spent in the sink, in seconds.
    seconds: f64,
}

impl HitSink for ResumedHits<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        // Hits with the same end are delivered together, so all hits up to the end `last` were delivered before.
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

/// Returns the work of aligning `hits`, in the units of [`MIN_ALIGN_WORK`].
fn work(patterns: &PatternSet, hits: &[Hit]) -> usize {
    let rows = |hit: &Hit| patterns.patterns()[hit.pattern].symbols().len();
    hits.iter().map(|hit| rows(hit) * rows(hit)).sum()
}

/// Aligns the hits of a call on a device if that pays, otherwise with the fallback.
struct HybridAligner<'a> {
    engine: &'a HybridEngine,
    cuda: Option<CudaAligner>,
    fallback: Box<dyn Aligner + 'a>,
}

impl HybridAligner<'_> {
    /// Aligns hits on a device if that pays and the device supports all of their patterns. Returns whether it aligned
    /// them.
    fn align_on_device(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<bool, EngineError> {
        let pays = self.engine.policy == Fallback::Refused || work(self.engine.patterns(), hits) >= MIN_ALIGN_WORK;
        let Some(cuda) = self.engine.cuda().filter(|_| pays) else { return Ok(false) };
        let before = out.len();
        let aligner = match self.cuda.take() {
            Some(aligner) => Ok(aligner),
            None => cuda.aligner(),
        };
        let aligned = aligner.and_then(|aligner| {
            let aligner = self.cuda.insert(aligner);
            if !hits.iter().all(|hit| aligner.takes(hit.pattern)) {
                return Ok(false);
            }
            aligner.align(batch, hits, out).map(|()| true)
        });
        aligned.or_else(|error| {
            out.truncate(before);
            self.engine.give_up(error).map(|()| false)
        })
    }
}

impl Aligner for HybridAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        if self.align_on_device(batch, hits, out)? { Ok(()) } else { self.fallback.align(batch, hits, out) }
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        self.fallback.places(batch, hits)
    }

    fn exact_matches(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Hit>) {
        self.fallback.exact_matches(batch, hits, out);
    }
}
