//! Engines that compare pairs.

use std::ops::Range;

use super::pairs::{Pair, Pairs};
use super::symbols::WidePair;
use super::{Objective, PairAlignment, reference};
use nigh_verify::{EngineError, EngineFacts};

/// Preferred size of a batch of strings, in bytes.
pub(crate) const BATCH_BYTES: usize = 1 << 20;

/// The size of a search of queries in targets.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedWork {
    /// The number of symbols of all queries.
    pub query: usize,
    /// The approximate number of symbols of all targets.
    pub targets: usize,
}

/// Compares pairs. Makes one worker per thread.
pub trait PairEngine: Send + Sync {
    /// Returns which value the engine computes for a pair.
    fn objective(&self) -> &Objective;
    /// Returns a description of the engine for display, one element per line.
    fn description(&self) -> Vec<String>;
    /// Returns the facts about the engine. They change when devices fail.
    fn facts(&self) -> EngineFacts<'_>;
    /// Checks whether a pair with these lengths can be compared.
    ///
    /// # Errors
    /// Fails if a score of such a pair may not fit into 32 bits.
    fn check(&self, query: usize, target: usize) -> Result<(), EngineError> {
        let _ = (query, target);
        Ok(())
    }
    /// Makes a worker.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a worker.
    fn worker(&self) -> Result<Box<dyn PairWorker + '_>, EngineError>;
}

/// Compares some pairs at a time and owns the buffers for them.
pub trait PairWorker {
    /// Computes the values of the pairs in `range`. `values[i]` receives the value of the pair with the index
    /// `range.start + i`.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) -> Result<(), EngineError>;
    /// Aligns a pair.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn align(&mut self, pair: Pair<'_>) -> Result<PairAlignment, EngineError>;
    /// Computes the value of a wide pair.
    ///
    /// # Errors
    /// Fails if a score of the pair may not fit into 32 bits.
    fn wide_value(&mut self, pair: &WidePair) -> Result<i64, EngineError>;
    /// Aligns a wide pair.
    ///
    /// # Errors
    /// Fails if a score of the pair may not fit into 32 bits.
    fn align_wide(&mut self, pair: &WidePair) -> Result<PairAlignment, EngineError>;
    /// Aligns the pairs with these indices. Appends their alignments to `aligned`, in the same order.
    ///
    /// # Errors
    /// Fails if the hardware fails. `aligned` may then have some of the alignments.
    fn align_all(
        &mut self,
        pairs: &Pairs<'_>,
        indices: &[usize],
        aligned: &mut Vec<PairAlignment>,
    ) -> Result<(), EngineError> {
        for &index in indices {
            aligned.push(self.align(pairs.get(index))?);
        }
        Ok(())
    }
}

/// The reference engine: plain dynamic programs over the whole matrix.
pub(crate) struct ReferencePairs {
    objective: Objective,
    threads: usize,
}

impl ReferencePairs {
    /// Makes an engine; `threads` is the number of workers it reports.
    pub(crate) fn new(objective: Objective, threads: usize) -> Self {
        ReferencePairs { objective, threads }
    }
}

impl PairEngine for ReferencePairs {
    fn objective(&self) -> &Objective {
        &self.objective
    }

    fn description(&self) -> Vec<String> {
        vec![format!("reference engine, {} workers: the full matrix of every pair", self.threads)]
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "reference", workers: self.threads, in_flight: 1, batch_bytes: BATCH_BYTES, failure: None }
    }

    fn worker(&self) -> Result<Box<dyn PairWorker + '_>, EngineError> {
        Ok(Box::new(ReferencePairWorker(&self.objective)))
    }
}

struct ReferencePairWorker<'a>(&'a Objective);

impl PairWorker for ReferencePairWorker<'_> {
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) -> Result<(), EngineError> {
        for (value, index) in values.iter_mut().zip(range) {
            *value = reference::align(self.0, pairs.get(index)).value;
        }
        Ok(())
    }

    fn align(&mut self, pair: Pair<'_>) -> Result<PairAlignment, EngineError> {
        Ok(reference::align(self.0, pair))
    }

    fn wide_value(&mut self, pair: &WidePair) -> Result<i64, EngineError> {
        Ok(reference::align_wide(self.0, pair).value)
    }

    fn align_wide(&mut self, pair: &WidePair) -> Result<PairAlignment, EngineError> {
        Ok(reference::align_wide(self.0, pair))
    }
}
