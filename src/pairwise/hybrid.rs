//! CUDA devices together with the processor: chooses which of them compares, and continues on the processor if a device
//! fails.
//!
//! `plan` estimates which is faster. In mode `auto` the processor starts, and devices are opened once they would have
//! saved as much time as it takes to open them, or if a single pair repays it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::cpu::CpuPairs;
use super::cuda::{LocalSearch, MAX_COLUMNS, MAX_QUERY, PairQueue, TiledExtent};
use super::engine::{PairEngine, PairWorker};
use super::pairs::{Pair, Pairs, Strings};
use super::plan::{MatrixSize, PairCosts, WorkTimes};
use super::scoring::Scoring;
use super::team::on_threads;
use super::{EditModel, Objective, PairAlignment};
use crate::engine::cuda;
use crate::engine::cuda::driver::Device;
use crate::engine::{DeviceError, Devices, EngineError, Fallback};

/// Maximum length of the targets of short pairs. A warp takes the time of its longest target.
const MAX_SHORT_TARGET: usize = 4096;
/// Preferred size of a batch, in bytes, if devices are open from the start, so that a launch takes longer than its start.
#[cfg(feature = "cli")]
const BATCH_BYTES: usize = 4 << 20;

/// CUDA devices with the processor's cores.
pub(crate) struct HybridPairs {
    cpu: CpuPairs,
    devices: Devices,
    opening: Opening,
    /// Whether the user asked for devices, and so is told when they fail.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the program prints messages"))]
    is_requested: bool,
    policy: Fallback,
    opened: OnceLock<Vec<Arc<Device>>>,
    /// Number of queues made so far.
    taken: AtomicUsize,
    /// The error that ended the use of the devices, or prevented it.
    failure: OnceLock<EngineError>,
}

/// When devices are opened.
enum Opening {
    /// At once.
    Forced,
    /// Once they repay it.
    Auto {
        /// Nanoseconds that the devices would have saved so far.
        saved: AtomicU64,
        /// Whether a thread has started to open the devices.
        has_begun: AtomicBool,
    },
}

impl HybridPairs {
    /// Makes an engine that opens the devices at once.
    ///
    /// # Errors
    /// Fails if a device does not exist or cannot be opened.
    pub(crate) fn forced(cpu: CpuPairs, devices: Devices, policy: Fallback) -> Result<Self, EngineError> {
        let engine = HybridPairs { policy, ..HybridPairs::new(cpu, devices, Opening::Forced) };
        engine.open()?;
        Ok(engine)
    }

    /// Makes an engine that opens devices once they repay it. If `named` devices cannot be opened,
    /// [`failure`](PairEngine::failure) reports it.
    pub(crate) fn auto(cpu: CpuPairs, named: Option<Devices>) -> Self {
        let is_requested = named.is_some();
        let opening = Opening::Auto { saved: AtomicU64::new(0), has_begun: AtomicBool::new(false) };
        let devices = named.unwrap_or(Devices::First);
        let engine = HybridPairs { is_requested, ..HybridPairs::new(cpu, devices, opening) };
        if is_requested && let Err(error) = cuda::ordinals(&engine.devices) {
            engine.failure.set(error).expect("the engine is not shared yet");
        }
        engine
    }

    fn new(cpu: CpuPairs, devices: Devices, opening: Opening) -> Self {
        HybridPairs {
            cpu,
            devices,
            opening,
            is_requested: true,
            policy: Fallback::Allowed,
            opened: OnceLock::new(),
            taken: AtomicUsize::new(0),
            failure: OnceLock::new(),
        }
    }

    /// Opens the devices. Only one thread calls this.
    fn open(&self) -> Result<(), EngineError> {
        let ordinals = cuda::ordinals(&self.devices)?;
        let next = AtomicUsize::new(0);
        // All at the same time, because it is slow to open one.
        on_threads(ordinals.len(), || drop(Device::open(ordinals[next.fetch_add(1, Ordering::Relaxed)])));
        let opened: Result<Vec<_>, _> = ordinals.into_iter().map(Device::open).collect();
        let _ = self.opened.set(opened?);
        Ok(())
    }

    fn costs(&self) -> PairCosts {
        PairCosts::new(self.cpu.workers(), self.opened.get().map_or(1, Vec::len))
    }

    /// Returns whether a device should do work that is estimated to take these times. May open the devices.
    fn is_for_device(&self, times: WorkTimes) -> bool {
        if self.failure.get().is_some() {
            return false;
        }
        let Opening::Auto { saved, has_begun } = &self.opening else {
            return self.policy == Fallback::Refused || times.device_pays();
        };
        if self.opened.get().is_none() && times.device_pays() {
            let more = (times.saved() * 1e9) as u64;
            let so_far = (saved.fetch_add(more, Ordering::Relaxed) + more) as f64 / 1e9;
            let is_time = so_far > PairCosts::open_after() || times.repays_opening();
            if is_time && !has_begun.swap(true, Ordering::Relaxed) {
                // In mode `auto` a missing device is not an error.
                if let Err(error) = self.open() {
                    let _ = self.failure.set(error);
                }
            }
        }
        self.opened.get().is_some() && times.device_pays()
    }

    /// Makes a queue on the next device in turn.
    fn queue(&self) -> Result<PairQueue, DeviceError> {
        let devices = self.opened.get().expect("work is for devices only once they are open");
        PairQueue::new(devices[self.taken.fetch_add(1, Ordering::Relaxed) % devices.len()].clone())
    }

    /// Stops using the devices because of `error`, or returns it for [`Fallback::Refused`].
    fn give_up(&self, error: DeviceError) -> Result<(), EngineError> {
        if self.policy == Fallback::Refused {
            return Err(error.into());
        }
        let _ = self.failure.set(error.into());
        Ok(())
    }
}

impl PairEngine for HybridPairs {
    fn objective(&self) -> &Objective {
        self.cpu.objective()
    }

    fn workers(&self) -> usize {
        match self.opened.get() {
            // So that one can use a device while another prepares its work.
            Some(devices) => self.cpu.workers().max(2 * devices.len()),
            None => self.cpu.workers(),
        }
    }

    #[cfg(feature = "cli")]
    fn batch_bytes(&self) -> usize {
        match self.opening {
            Opening::Forced => BATCH_BYTES,
            Opening::Auto { .. } => self.cpu.batch_bytes(),
        }
    }

    #[cfg(feature = "cli")]
    fn plan(&self) -> Vec<String> {
        let facts = self.opened.get().into_iter().flatten().map(|device| device.facts());
        let devices = facts.map(|facts| {
            let (major, minor) = facts.capability;
            format!("device {}: {}, compute capability {major}.{minor}", facts.ordinal, facts.name)
        });
        let failure = self.failure.get().map(|error| format!("devices not used: {error}"));
        devices.chain(failure).chain(self.cpu.plan()).collect()
    }

    #[cfg(feature = "cli")]
    fn failure(&self) -> Option<&EngineError> {
        self.failure.get().filter(|_| self.is_requested)
    }

    fn worker(&self) -> Result<Box<dyn PairWorker + '_>, EngineError> {
        Ok(Box::new(HybridPairWorker { engine: self, cpu: self.cpu.worker()?, queue: None }))
    }
}

/// Compares pairs on a device where that pays, otherwise on the processor.
struct HybridPairWorker<'a> {
    engine: &'a HybridPairs,
    cpu: Box<dyn PairWorker + 'a>,
    /// The queue, once it was needed.
    queue: Option<PairQueue>,
}

/// The values to compute: those of the pairs in `range`.
struct WantedValues<'v> {
    pairs: &'v Pairs<'v>,
    range: Range<usize>,
    values: &'v mut [i32],
}

impl WantedValues<'_> {
    fn lengths(&self) -> impl Iterator<Item = MatrixSize> + '_ {
        self.range.clone().map(|index| size(self.pairs.get(index)))
    }
}

fn size(pair: Pair<'_>) -> MatrixSize {
    MatrixSize { rows: pair.query.len(), columns: pair.target.len() }
}

/// Returns whether `pairs.cu` takes a pair in this order.
fn is_short(size: MatrixSize) -> bool {
    size.rows <= MAX_QUERY && size.columns <= MAX_SHORT_TARGET
}

impl<'a> HybridPairWorker<'a> {
    /// Does some work on the device. Returns `None` if the device failed, so that the processor has to do it.
    fn on_device<T>(
        &mut self,
        work: impl FnOnce(&mut PairQueue) -> Result<T, DeviceError>,
    ) -> Result<Option<T>, EngineError> {
        let result = match &mut self.queue {
            Some(queue) => work(queue),
            None => self.engine.queue().and_then(|queue| work(self.queue.insert(queue))),
        };
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.engine.give_up(error).map(|()| None),
        }
    }

    /// Computes edit distances or lengths of common subsequences.
    fn edits(&mut self, model: EditModel, wanted: &mut WantedValues<'_>) -> Result<(), EngineError> {
        if wanted.lengths().all(is_short) && self.short_edits(model, wanted)? {
            return Ok(());
        }
        let (first, pairs) = (wanted.range.start, wanted.pairs);
        // The pairs between two long ones are left to the processor.
        let mut start = first;
        for index in wanted.range.clone() {
            if let Some(value) = self.long_edits(model, pairs.get(index))? {
                self.cpu.values(pairs, start..index, &mut wanted.values[start - first..index - first])?;
                wanted.values[index - first] = value;
                start = index + 1;
            }
        }
        self.cpu.values(pairs, start..wanted.range.end, &mut wanted.values[start - first..])
    }

    /// Computes the values of short pairs on a device if that pays. Returns whether it did.
    fn short_edits(&mut self, model: EditModel, wanted: &mut WantedValues<'_>) -> Result<bool, EngineError> {
        let cells: f64 = wanted.lengths().map(|size| size.rows as f64 * size.columns as f64).sum();
        let bytes = wanted.lengths().map(|size| size.rows + size.columns).sum();
        if wanted.values.is_empty() || !self.engine.is_for_device(self.engine.costs().short_edits(cells, bytes)) {
            return Ok(false);
        }
        let WantedValues { pairs, range, values } = wanted;
        Ok(self.on_device(|queue| queue.short_edits(model, pairs, range.clone(), values))?.is_some())
    }

    /// Computes the value of a long pair on a device if that pays.
    fn long_edits(&mut self, model: EditModel, pair: Pair<'_>) -> Result<Option<i32>, EngineError> {
        let (engine, size) = (self.engine, size(pair));
        let bound = engine.cpu.max_distance();
        if !PairQueue::takes_long_edits(pair) || !engine.is_for_device(engine.costs().long_edits(size, bound)) {
            return Ok(None);
        }
        if engine.policy == Fallback::Allowed {
            // Similar strings take the processor a narrow band.
            let bound = engine.costs().quick_distance(size);
            if let Some(value) = engine.cpu.value_within(model, pair, bound) {
                return Ok(Some(value));
            }
        }
        self.on_device(|queue| queue.long_edits(model, pair))
    }

    /// Computes global or local scores.
    fn scores(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        wanted: &mut WantedValues<'_>,
    ) -> Result<(), EngineError> {
        if self.many_scores(scoring, extent, wanted)? {
            return Ok(());
        }
        let (first, pairs) = (wanted.range.start, wanted.pairs);
        let mut start = first;
        for index in wanted.range.clone() {
            if let Some(value) = self.long_score(scoring, extent, pairs.get(index))? {
                self.cpu.values(pairs, start..index, &mut wanted.values[start - first..index - first])?;
                wanted.values[index - first] = value;
                start = index + 1;
            }
        }
        self.cpu.values(pairs, start..wanted.range.end, &mut wanted.values[start - first..])
    }

    /// Computes all scores at once on a device if that pays. Returns whether it did.
    fn many_scores(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        wanted: &mut WantedValues<'_>,
    ) -> Result<bool, EngineError> {
        let WantedValues { pairs, ref range, ref mut values } = *wanted;
        if range.is_empty() || !range.clone().all(|index| self.engine.cpu.takes(pairs.get(index))) {
            return Ok(false);
        }
        match (extent, pairs) {
            (TiledExtent::Local, Pairs::OneToMany { query, targets }) => {
                let targets: Vec<&[u8]> = range.clone().map(|index| targets.get(index)).collect();
                self.local_scores(&LocalSearch { scoring, query, targets: Strings::Slices(&targets) }, values)
            }
            (TiledExtent::Local, Pairs::Zipped { .. }) => Ok(false),
            (TiledExtent::Global, _) => {
                let pairs: Vec<Pair<'_>> = range.clone().map(|index| pairs.get(index)).collect();
                self.row_scores(scoring, &pairs, values)
            }
        }
    }

    fn local_scores(&mut self, search: &LocalSearch<'_>, values: &mut [i32]) -> Result<bool, EngineError> {
        let residues = (0..search.targets.len()).map(|index| search.targets.get(index).len()).sum();
        let times = self.engine.costs().local(search.query.len(), residues);
        if u32::try_from(residues).is_err() || !self.engine.is_for_device(times) {
            return Ok(false);
        }
        let scores = self.on_device(|queue| queue.local_scores(search))?;
        if let Some(scores) = &scores {
            values.copy_from_slice(scores);
        }
        Ok(scores.is_some())
    }

    fn row_scores(&mut self, scoring: &Scoring, pairs: &[Pair<'_>], values: &mut [i32]) -> Result<bool, EngineError> {
        let cells = pairs.iter().map(|pair| pair.query.len() as f64 * pair.target.len() as f64).sum();
        let is_narrow = pairs.iter().all(|pair| pair.target.len() <= MAX_COLUMNS);
        let symbols = pairs.iter().map(|pair| pair.target.len()).sum();
        let times = self.engine.costs().row_scores(pairs.len(), cells, symbols);
        if !is_narrow || !self.engine.is_for_device(times) {
            return Ok(false);
        }
        let scores = self.on_device(|queue| queue.row_scores(scoring, pairs))?;
        if let Some(scores) = &scores {
            values.copy_from_slice(scores);
        }
        Ok(scores.is_some())
    }

    /// Computes the score of a long pair on a device if that pays.
    fn long_score(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        pair: Pair<'_>,
    ) -> Result<Option<i32>, EngineError> {
        let times = self.engine.costs().score(size(pair));
        let is_taken = self.engine.cpu.takes(pair) && PairQueue::takes_score(scoring, pair);
        if !is_taken || !self.engine.is_for_device(times) {
            return Ok(None);
        }
        self.on_device(|queue| queue.tiled_score(scoring, pair, extent))
    }

    /// Aligns a pair by scores on a device if that pays.
    fn long_alignment(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        pair: Pair<'_>,
    ) -> Result<Option<PairAlignment>, EngineError> {
        let times = self.engine.costs().alignment(size(pair));
        let is_taken = self.engine.cpu.takes(pair) && PairQueue::takes_alignment(scoring, pair);
        if !is_taken || !self.engine.is_for_device(times) {
            return Ok(None);
        }
        self.on_device(|queue| queue.tiled_alignment(scoring, pair, extent))
    }
}

impl PairWorker for HybridPairWorker<'_> {
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i32]) -> Result<(), EngineError> {
        let wanted = &mut WantedValues { pairs, range, values };
        match self.engine.cpu.objective() {
            Objective::Distance => self.edits(EditModel::Levenshtein, wanted),
            Objective::Lcs => self.edits(EditModel::Indel, wanted),
            Objective::Global(scoring) => self.scores(scoring, TiledExtent::Global, wanted),
            Objective::Local(scoring) => self.scores(scoring, TiledExtent::Local, wanted),
        }
    }

    fn align(&mut self, pair: Pair<'_>) -> Result<PairAlignment, EngineError> {
        let aligned = match self.engine.cpu.objective() {
            // The kernels for edit distance do not align long pairs.
            Objective::Distance | Objective::Lcs => None,
            Objective::Global(scoring) => self.long_alignment(scoring, TiledExtent::Global, pair)?,
            Objective::Local(scoring) => self.long_alignment(scoring, TiledExtent::Local, pair)?,
        };
        match aligned {
            Some(aligned) => Ok(aligned),
            None => self.cpu.align(pair),
        }
    }
}
