//! A CUDA engine with a fallback engine.
//!
//! The fallback scans batches too large for the kernels, and aligns hits that the device did not trace. If a device fails,
//! the fallback resumes the batch after the last end that was delivered. In mode `auto` the fallback starts the search,
//! and devices are opened once they repay their start-up time, which a forecast may tell at once: see
//! [`OffloadPolicy`].

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::offload::OffloadPolicy;
use crate::{CudaEngine, CudaScanners};
use nigh_device::gate::DeviceGate;
use nigh_device::{Devices, Fallback};
use nigh_pattern::PatternSet;
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink, LaterMatch};
use nigh_text::text::start_of_last;
use nigh_text::threads::join;
use nigh_verify::{Aligner, EngineError, EngineFacts, Finder, MatchPlace, Scanner, ShownMatches, WantedHits};

/// If a search is estimated to take fewer seconds than this on one core, devices are not looked for. Loading the driver
/// takes several tenths of a second, and the estimate only serves a notice about searches that take an hour or more on
/// all cores.
const MIN_SEARCH_SECONDS: f64 = 3_600.0;
/// If the size of the input is unknown and a batch is estimated to take fewer seconds than this, devices are not looked
/// for. With faster batches, no input takes an hour on the processor.
const MIN_BATCH_SECONDS: f64 = 1e-3;

/// A CUDA engine with a fallback.
pub struct HybridFinder {
    fallback: Arc<dyn Finder>,
    threads: usize,
    /// Decides when devices are opened; `None` if they are opened at once.
    offload: Option<OffloadPolicy>,
    gate: DeviceGate<CudaEngine, EngineError>,
}

impl HybridFinder {
    /// Makes a finder for `patterns` that opens the devices at once. `make_fallback` runs meanwhile.
    ///
    /// # Errors
    /// Fails if the devices cannot be opened, or do not support these patterns, or if there is no fallback.
    pub fn forced(
        patterns: &Arc<PatternSet>,
        (devices, policy): (Devices, Fallback),
        threads: usize,
        make_fallback: impl FnOnce() -> Result<Arc<dyn Finder>, EngineError>,
    ) -> Result<Self, EngineError> {
        let gate = DeviceGate::forced(devices, policy);
        let open = || gate.open(|devices| CudaEngine::new(patterns.clone(), devices, threads)).map(drop);
        let (opened, fallback) = join(open, make_fallback);
        let fallback = fallback?;
        opened?;
        Ok(HybridFinder { fallback, threads, offload: None, gate })
    }

    /// Makes a finder that opens devices at once if the forecasts say that they are faster, and otherwise once they
    /// repay their start-up time. `bytes` is the size of the input, if known. If `named` devices cannot be opened,
    /// [`failure`](EngineFacts::failure) reports it.
    pub fn auto(fallback: Arc<dyn Finder>, named: Option<Devices>, threads: usize, bytes: Option<u64>) -> Self {
        let forecast = crate::forecast(fallback.patterns(), threads);
        let offload = OffloadPolicy::new(forecast, threads, bytes);
        let pays_at_once = offload.pays_at_once(fallback.forecast());
        let engine = HybridFinder { fallback, threads, offload: Some(offload), gate: DeviceGate::auto(named) };
        if pays_at_once {
            engine.gate.open_once(|devices| engine.open(devices));
        }
        engine
    }

    /// Opens the devices if they now repay their start-up time. Other threads continue to search meanwhile.
    fn open_if_it_pays(&self) {
        // Tested first, because in most calls the devices were opened long before.
        if !self.gate.has_begun() && self.offload.as_ref().is_some_and(OffloadPolicy::should_offload) {
            self.gate.open_once(|devices| self.open(devices));
        }
    }

    fn open(&self, devices: &Devices) -> Result<CudaEngine, EngineError> {
        CudaEngine::new(self.patterns().clone(), devices, self.threads)
    }
}

impl Finder for HybridFinder {
    fn patterns(&self) -> &Arc<PatternSet> {
        self.fallback.patterns()
    }

    fn description(&self) -> Vec<String> {
        let of_devices = self.gate.opened().map(CudaEngine::description).unwrap_or_default();
        of_devices.into_iter().chain(self.gate.description()).chain(self.fallback.description()).collect()
    }

    fn facts(&self) -> EngineFacts<'_> {
        let fallback = self.fallback.facts();
        EngineFacts {
            name: if self.offload.is_some() { "auto" } else { "cuda" },
            workers: self.gate.opened().map_or(fallback.workers, CudaEngine::workers),
            in_flight: self.gate.opened().map_or(1, CudaEngine::in_flight),
            batch_bytes: self.gate.opened().map_or(fallback.batch_bytes, CudaEngine::batch_bytes),
            failure: self.gate.reported_failure(),
        }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        // An estimate of the fallback would make it choose its filter, which takes seconds with many patterns.
        if self.gate.working().is_some() {
            return None;
        }
        let time = self.fallback.estimate(batch)?;
        let (seconds, size) = (time.as_secs_f64(), batch.owned().len().max(1) as f64);
        let is_long = match self.offload.as_ref().and_then(OffloadPolicy::bytes) {
            Some(bytes) => seconds * (bytes / size).max(1.0) > MIN_SEARCH_SECONDS,
            None => seconds > MIN_BATCH_SECONDS,
        };
        if is_long && self.gate.may_open() { None } else { Some(time) }
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(HybridScanner { engine: self, cuda: None, fallback: None }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(HybridAligner { engine: self, fallback: self.fallback.aligner()? }))
    }
}

/// Scans on a device while the devices are open and work, otherwise with the fallback.
struct HybridScanner<'a> {
    engine: &'a HybridFinder,
    cuda: Option<CudaScanners<'a>>,
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
        let Some(cuda) = self.engine.gate.working() else {
            // A submitted batch is no longer needed on the device.
            self.cuda = None;
            return Ok(false);
        };
        if !CudaScanners::takes(self.engine.patterns(), batch) {
            return Ok(false);
        }
        let mut search = |scanner: &mut CudaScanners<'_>| scanner.search(batch, wanted, progress);
        let scanned = match &mut self.cuda {
            Some(scanner) => search(scanner),
            None => cuda.scanner().and_then(|scanner| search(self.cuda.insert(scanner))),
        };
        Ok(self.engine.gate.recover(scanned)?.is_some() || progress.has_enough)
    }
}

impl Scanner for HybridScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        let Some(cuda) = self.engine.gate.working().filter(|_| CudaScanners::takes(self.engine.patterns(), batch))
        else {
            return Ok(false);
        };
        let submit = |scanner: &mut CudaScanners<'_>| scanner.submit(batch, wanted);
        let submitted = match &mut self.cuda {
            Some(scanner) => submit(scanner),
            None => cuda.scanner().and_then(|scanner| submit(self.cuda.insert(scanner))),
        };
        Ok(self.engine.gate.recover(submitted)?.unwrap_or(false))
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.engine.open_if_it_pays();
        let mut progress = ResumedHits { sink: hits, last: None, has_enough: false, seconds: 0.0 };
        if self.scan_on_device(batch, wanted, &mut progress)? {
            return Ok(());
        }
        let is_first = self.fallback.is_none();
        let fallback = match &mut self.fallback {
            Some(fallback) => fallback,
            None => {
                // The first estimate may build an index. The time for that says nothing about the rest of the search.
                let _ = self.engine.fallback.estimate(batch);
                self.fallback.insert(self.engine.fallback.scanner()?)
            }
        };
        let begin = Instant::now();
        fallback.search(batch, wanted, &mut progress)?;
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

/// Returns the alignments that a device found with the hits, and aligns the others with the fallback.
struct HybridAligner<'a> {
    engine: &'a HybridFinder,
    fallback: Box<dyn Aligner + 'a>,
}

impl Aligner for HybridAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let Some(mut traces) = batch.traces.of(self.engine.patterns()) else {
            return self.fallback.align(batch, hits, out);
        };
        let alphabet = self.engine.patterns().alphabet();
        let (mut others, mut places) = (Vec::new(), Vec::new());
        for hit in hits {
            match traces.cigar(hit).filter(|_| hit.start.is_none()) {
                Some(cigar) => {
                    let start = start_of_last(alphabet, &batch.bytes()[..hit.end], cigar.text_length());
                    out.push(Alignment { start, end: hit.end, cigar });
                }
                None => {
                    others.push(*hit);
                    places.push(out.len());
                    out.push(Alignment::default());
                }
            }
        }
        drop(traces);
        let mut aligned = Vec::with_capacity(others.len());
        if !others.is_empty() {
            self.fallback.align(batch, &others, &mut aligned)?;
        }
        places.into_iter().zip(aligned).for_each(|(place, alignment)| out[place] = alignment);
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        self.fallback.places(batch, hits)
    }

    fn add_shown_matches(
        &mut self,
        batch: &Batch,
        hits: (&[Hit], WantedHits),
        max_distance: usize,
        shown: &mut ShownMatches,
    ) -> bool {
        self.fallback.add_shown_matches(batch, hits, max_distance, shown)
    }

    fn needed_hits(&self) -> WantedHits {
        self.fallback.needed_hits()
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        self.fallback.later_match(batch, hit, from)
    }
}
