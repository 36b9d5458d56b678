//! The work that workers do on batches: a search for patterns, or a comparison of records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bstr::ByteSlice;

use super::Input;
use super::select::selector::{BatchOutputs, Selector};
use nigh_core::batch::{Batch, Window};
use nigh_core::choice::sites::patterns_with_site_starts;
use nigh_core::engine::{Engine, EngineError, EngineFacts, StartPatterns};
use nigh_core::pattern::PatternSet;
use nigh_report::{Findings, HitSelection, ReportNeeds};

/// The work on the batches of one kind of input. Makes one worker per thread.
pub trait BatchWork: Send + Sync {
    /// Returns the facts about the engine.
    fn facts(&self) -> EngineFacts<'_>;
    /// Returns the parameters of batches of `bytes` bytes: their size, and the match length that determines their
    /// context.
    fn window(&self, bytes: usize) -> Window;
    /// Estimates the time that one worker needs for a batch; the estimate is right within a small factor. Returns
    /// `None` if the time is unknown.
    fn estimate(&self, _: &Batch) -> Option<Duration> {
        None
    }
    /// Returns a description of the plan for `--debug`, one line per element.
    fn plan(&self) -> Vec<String>;
    /// Makes a worker for a report with the needs `needs`.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a worker.
    fn worker<'a>(&'a self, needs: &'a ReportNeeds) -> Result<Box<dyn BatchWorker + 'a>, EngineError>;
}

/// Works on one batch at a time.
pub trait BatchWorker {
    /// Starts the work on a batch if a device does it, and returns whether it did. The batches that were submitted are
    /// worked on in this order. The worker shares a batch until then.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn submit(&mut self, _: &Arc<Batch<'static>>, _: &Input) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Works on a batch. Returns the findings that were not reported early, and the offset in the batch at which the
    /// early reports end.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn work(
        &mut self,
        batch: &Batch,
        input: &Input,
        outputs: BatchOutputs<'_>,
    ) -> Result<(Findings, usize), EngineError>;
}

/// The search with an engine.
pub struct EngineWork {
    /// Finds and aligns hits.
    pub engine: Arc<Engine>,
    /// Number of workers; `None` lets the engine choose.
    pub workers: Option<usize>,
    /// The patterns whose sites are at the start of matches, once the first worker needs them; `None` if there are none.
    starts: OnceLock<Option<Arc<StartPatterns>>>,
}

impl EngineWork {
    /// Makes the work with an engine.
    pub fn new(engine: Arc<Engine>, workers: Option<usize>) -> Self {
        EngineWork { engine, workers, starts: OnceLock::new() }
    }
}

impl BatchWork for EngineWork {
    fn facts(&self) -> EngineFacts<'_> {
        let facts = self.engine.facts();
        EngineFacts { workers: self.workers.unwrap_or(facts.workers), ..facts }
    }

    fn window(&self, bytes: usize) -> Window {
        let patterns = self.engine.patterns();
        Window { bytes, max_match_len: patterns.context_len(), alphabet: patterns.alphabet() }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.engine.estimate(batch)
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.engine.plan();
        lines.extend(bounds(self.engine.patterns()));
        lines
    }

    fn worker<'a>(&'a self, needs: &'a ReportNeeds) -> Result<Box<dyn BatchWorker + 'a>, EngineError> {
        let starts = match needs.hits {
            HitSelection::All | HitSelection::Best => None,
            HitSelection::Sites => {
                self.starts.get_or_init(|| patterns_with_site_starts(self.engine.patterns())).clone()
            }
        };
        Ok(Box::new(Selector::new(self.engine.as_ref(), needs, starts)?))
    }
}

/// The largest number of patterns that a line of the plan names.
const MAX_NAMED: usize = 8;

/// Returns, for each k, a line that names the patterns with this k.
fn bounds(patterns: &PatternSet) -> Vec<String> {
    let mut by_k: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for pattern in patterns.patterns() {
        let k = pattern.constraints().map_or(pattern.k(), |constraints| constraints.max_cost());
        by_k.entry(k).or_default().insert(pattern.source());
    }
    let line = |(k, sources): (usize, BTreeSet<usize>)| {
        let named =
            sources.iter().take(MAX_NAMED).map(|&index| format!("'{}'", patterns.source_name(index).to_str_lossy()));
        let rest = sources.len().saturating_sub(MAX_NAMED);
        let others = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("k = {k}: {}{others}", named.collect::<Vec<_>>().join(", "))
    };
    by_k.into_iter().map(line).collect()
}

impl BatchWorker for Selector<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, input: &Input) -> Result<bool, EngineError> {
        self.submit(batch, input)
    }

    fn work(
        &mut self,
        batch: &Batch,
        input: &Input,
        outputs: BatchOutputs<'_>,
    ) -> Result<(Findings, usize), EngineError> {
        self.search(batch, input, outputs)
    }
}
