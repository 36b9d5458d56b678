//! The engine's workers: decide for each piece of work whether a device or the processor does it.

use std::ops::Range;

use super::{DeviceOpening, HybridPairs};
use crate::cpu::ProbedValue;
use crate::cuda::{LocalSearch, MAX_COLUMNS, MAX_QUERY, MAX_TRACED, PairQueue, TiledExtent};
use crate::engine::{PairEngine, PairWorker};
use crate::pairs::{Pair, Pairs, Strings};
use crate::plan::{MatrixSize, WorkTimes};
use crate::scoring::Scoring;
use crate::symbols::WidePair;
use crate::{EditModel, Objective, PairAlignment};
use nigh_device::DeviceError;
use nigh_verify::{EngineError, EngineFacts};

/// Preferred size of a batch of the targets of a search, in bytes, if devices are open from the start. The work of a
/// launch then takes longer than starting it.
const SEARCH_BATCH_BYTES: usize = 4 << 20;

/// Maximum length of the targets of short pairs. A warp takes the time of its longest target.
const MAX_SHORT_TARGET: usize = 4096;

/// Compares pairs on a device where that pays, otherwise on the processor.
struct HybridPairWorker<'a> {
    engine: &'a HybridPairs,
    cpu: Box<dyn PairWorker + 'a>,
}

/// The values to compute: those of the pairs in `range`.
struct WantedValues<'v> {
    pairs: &'v Pairs<'v>,
    range: Range<usize>,
    values: &'v mut [i64],
}

impl WantedValues<'_> {
    fn lengths(&self) -> impl Iterator<Item = MatrixSize> + '_ {
        self.range.clone().map(|index| size(self.pairs.get(index)))
    }
}

fn size(pair: Pair<'_>) -> MatrixSize {
    MatrixSize { rows: pair.query.len(), columns: pair.target.len() }
}

/// Returns the number of cells of all pairs.
fn cells(pairs: &[Pair<'_>]) -> f64 {
    pairs.iter().map(|pair| pair.query.len() as f64 * pair.target.len() as f64).sum()
}

/// Returns the number of symbols of all targets.
fn symbols(pairs: &[Pair<'_>]) -> usize {
    pairs.iter().map(|pair| pair.target.len()).sum()
}

/// Returns whether `pairs.cu` takes a pair of this size, with the query as the rows.
fn is_short(size: MatrixSize) -> bool {
    size.rows <= MAX_QUERY && size.columns <= MAX_SHORT_TARGET
}

impl<'a> HybridPairWorker<'a> {
    fn new(engine: &'a HybridPairs) -> Result<Self, EngineError> {
        Ok(HybridPairWorker { engine, cpu: engine.cpu.worker()? })
    }

    /// Does some work on a device. `times` are its estimated times; `None` if no kernel can do it. Returns `None` if a
    /// device does not pay or has failed. The processor must then do the work.
    fn on_device<T>(
        &self,
        times: Option<WorkTimes>,
        work: impl FnOnce(&mut PairQueue) -> Result<T, DeviceError>,
    ) -> Result<Option<T>, EngineError> {
        if !times.is_some_and(|times| self.engine.is_for_device(times)) {
            return Ok(None);
        }
        let result = self.engine.take_queue()?.and_then(|mut taken| {
            let value = work(&mut taken.queue)?;
            taken.put_back();
            Ok(value)
        });
        self.engine.gate.recover(result)
    }

    /// Computes edit distances or lengths of common subsequences.
    fn edits(&mut self, model: EditModel, wanted: &mut WantedValues<'_>) -> Result<(), EngineError> {
        let Some(times) = self.times_of_short_edits(wanted) else {
            return self.one_by_one(wanted, |worker, pair| worker.long_edits(model, pair));
        };
        let WantedValues { pairs, range, values } = wanted;
        let times = (!values.is_empty()).then_some(times);
        match self.on_device(times, |queue| queue.short_edits(model, pairs, range.clone(), values))? {
            Some(()) => Ok(()),
            None => self.cpu.values(pairs, range.clone(), values),
        }
    }

    /// Computes the values of long pairs with `on_device`. The pairs between two long ones are left to the processor.
    fn one_by_one(
        &mut self,
        wanted: &mut WantedValues<'_>,
        on_device: impl Fn(&mut Self, Pair<'_>) -> Result<Option<i64>, EngineError>,
    ) -> Result<(), EngineError> {
        let (first, pairs) = (wanted.range.start, wanted.pairs);
        let mut start = first;
        for index in wanted.range.clone() {
            if let Some(value) = on_device(self, pairs.get(index))? {
                self.cpu.values(pairs, start..index, &mut wanted.values[start - first..index - first])?;
                wanted.values[index - first] = value;
                start = index + 1;
            }
        }
        self.cpu.values(pairs, start..wanted.range.end, &mut wanted.values[start - first..])
    }

    /// Returns the times of the edit distances of short pairs; `None` if some are long.
    fn times_of_short_edits(&self, wanted: &WantedValues<'_>) -> Option<WorkTimes> {
        let (mut cells, mut bytes, mut all_short) = (0, 0, true);
        for size in wanted.lengths() {
            cells += size.rows * size.columns;
            bytes += size.rows + size.columns;
            all_short &= is_short(size);
        }
        all_short.then(|| self.engine.costs().short_edits(cells as f64, bytes))
    }

    /// Computes the value of a long pair on a device if that pays.
    fn long_edits(&mut self, model: EditModel, pair: Pair<'_>) -> Result<Option<i64>, EngineError> {
        let (engine, size) = (self.engine, size(pair));
        let mut cells = size.cells_within(engine.cpu.max_distance());
        if !PairQueue::takes_long_edits(pair) {
            return Ok(None);
        }
        if !engine.gate.is_required() && engine.costs().long_edits(size, cells).device_pays() {
            // A device computes the whole matrix, and the processor a band as wide as the distance.
            match engine.cpu.probe(model).run(pair) {
                ProbedValue::Known(value) => return Ok(Some(value)),
                ProbedValue::Cells(expected) => cells = cells.min(expected),
            }
        }
        let times = engine.costs().long_edits(size, cells);
        self.on_device(Some(times), |queue| queue.long_edits(model, pair))
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
        self.one_by_one(wanted, |worker, pair| worker.long_score(scoring, extent, pair))
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

    fn local_scores(&mut self, search: &LocalSearch<'_>, values: &mut [i64]) -> Result<bool, EngineError> {
        let residues = (0..search.targets.len()).map(|index| search.targets.get(index).len()).sum();
        let times = u32::try_from(residues).is_ok().then(|| self.engine.costs().local(search.query.len(), residues));
        let scores = self.on_device(times, |queue| queue.local_scores(search))?;
        Ok(scores.map(|scores| values.copy_from_slice(&scores)).is_some())
    }

    fn row_scores(&mut self, scoring: &Scoring, pairs: &[Pair<'_>], values: &mut [i64]) -> Result<bool, EngineError> {
        let is_narrow = pairs.iter().all(|pair| pair.target.len() <= MAX_COLUMNS);
        let times = is_narrow.then(|| self.engine.costs().row_scores(pairs.len(), cells(pairs), symbols(pairs)));
        let scores = self.on_device(times, |queue| queue.row_scores(scoring, pairs))?;
        Ok(scores.map(|scores| values.copy_from_slice(&scores)).is_some())
    }

    /// Computes the score of a long pair on a device if that pays.
    fn long_score(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        pair: Pair<'_>,
    ) -> Result<Option<i64>, EngineError> {
        let is_taken = self.engine.cpu.takes(pair) && PairQueue::takes_score(scoring, pair);
        let times = is_taken.then(|| self.engine.costs().score(size(pair)));
        self.on_device(times, |queue| queue.tiled_score(scoring, pair, extent))
    }

    /// Aligns a pair by scores on a device if that pays.
    fn long_alignment(
        &mut self,
        scoring: &Scoring,
        extent: TiledExtent,
        pair: Pair<'_>,
    ) -> Result<Option<PairAlignment>, EngineError> {
        let is_taken = self.engine.cpu.takes(pair) && PairQueue::takes_alignment(scoring, pair);
        let times = is_taken.then(|| self.engine.costs().alignment(size(pair)));
        self.on_device(times, |queue| queue.tiled_alignment(scoring, pair, extent))
    }
}

impl HybridPairWorker<'_> {
    /// Aligns pairs of short strings on a device if that pays. Returns whether it did.
    fn short_alignments(&mut self, pairs: &[Pair<'_>], aligned: &mut Vec<PairAlignment>) -> Result<bool, EngineError> {
        let is_short = |pair: &Pair<'_>| pair.query.len().max(pair.target.len()) <= MAX_TRACED;
        let times = pairs.iter().all(is_short).then(|| self.engine.costs().short_alignments(pairs.len()));
        Ok(self.on_device(times, |queue| queue.short_alignments(pairs, aligned))?.is_some())
    }

    /// Aligns pairs globally on a device, a block for each, if that pays. Returns whether it did.
    fn row_alignments(
        &mut self,
        scoring: &Scoring,
        pairs: &[Pair<'_>],
        aligned: &mut Vec<PairAlignment>,
    ) -> Result<bool, EngineError> {
        let cpu = &self.engine.cpu;
        let is_taken = pairs.iter().all(|&pair| cpu.takes(pair) && PairQueue::takes_rows(pair));
        let times = is_taken.then(|| self.engine.costs().row_alignments(pairs.len(), cells(pairs), symbols(pairs)));
        Ok(self.on_device(times, |queue| queue.row_alignments(scoring, pairs, aligned))?.is_some())
    }
}

impl PairWorker for HybridPairWorker<'_> {
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) -> Result<(), EngineError> {
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

    // Wide pairs are rare, and have no kernel.
    fn wide_value(&mut self, pair: &WidePair) -> Result<i64, EngineError> {
        self.cpu.wide_value(pair)
    }

    fn align_wide(&mut self, pair: &WidePair) -> Result<PairAlignment, EngineError> {
        self.cpu.align_wide(pair)
    }

    fn align_all(
        &mut self,
        pairs: &Pairs<'_>,
        indices: &[usize],
        aligned: &mut Vec<PairAlignment>,
    ) -> Result<(), EngineError> {
        let first = aligned.len();
        let pairs: Vec<Pair<'_>> = indices.iter().map(|&index| pairs.get(index)).collect();
        let is_done = match self.engine.cpu.objective() {
            Objective::Distance => self.short_alignments(&pairs, aligned)?,
            Objective::Global(scoring) => self.row_alignments(scoring, &pairs, aligned)?,
            // No kernel aligns many pairs by common subsequences or locally.
            Objective::Lcs | Objective::Local(_) => false,
        };
        if !is_done {
            // A device may have aligned some pairs before it failed.
            aligned.truncate(first);
            for pair in pairs {
                aligned.push(self.align(pair)?);
            }
        }
        Ok(())
    }
}

impl PairEngine for HybridPairs {
    fn objective(&self) -> &Objective {
        self.cpu.objective()
    }

    fn description(&self) -> Vec<String> {
        let devices = self.opened_devices().iter().map(|device| device.facts().to_string());
        let unopened = match &self.opening {
            DeviceOpening::Forced { ordinals } if self.gate.opened().is_none() => ordinals.as_slice(),
            DeviceOpening::Forced { .. } | DeviceOpening::Auto { .. } => &[],
        };
        let unopened = unopened.iter().map(|ordinal| format!("device {ordinal}: not needed"));
        devices.chain(unopened).chain(self.gate.description()).chain(self.cpu.description()).collect()
    }

    fn facts(&self) -> EngineFacts<'_> {
        let facts = EngineFacts { failure: self.gate.reported_failure(), ..self.cpu.facts() };
        match &self.opening {
            DeviceOpening::Auto { .. } => EngineFacts { name: "auto", ..facts },
            DeviceOpening::Forced { ordinals } => EngineFacts {
                name: "cuda",
                // With two workers per device, one can use the device while another prepares its work.
                workers: facts.workers.max(2 * ordinals.len()),
                batch_bytes: match self.objective() {
                    Objective::Local(_) => SEARCH_BATCH_BYTES,
                    Objective::Distance | Objective::Lcs | Objective::Global(_) => facts.batch_bytes,
                },
                ..facts
            },
        }
    }

    fn check(&self, query: usize, target: usize) -> Result<(), EngineError> {
        self.cpu.check(query, target)
    }

    fn worker(&self) -> Result<Box<dyn PairWorker + '_>, EngineError> {
        Ok(Box::new(HybridPairWorker::new(self)?))
    }
}
