//! The search of batches with an engine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bstr::ByteSlice;

use super::selector::Selector;
use crate::batch_work::{BatchWork, BatchWorker};
use nigh_engine::Engine;
use nigh_pattern::PatternSet;
use nigh_report::{HitSelection, MatchDetail, ReportNeeds};
use nigh_text::batch::{Batch, Window};
use nigh_verify::choice::sites::patterns_with_site_starts;
use nigh_verify::{EngineError, EngineFacts, StartPatterns};

/// The largest size of a batch, in bytes, if the matches of expressions are shown in lines. A worker keeps the matches of its
/// batch until they are written, and waits for its turn once they are many. Two cores of an AVX-512 server, 116 MB of log, `-o -k1`,
/// elapsed time with 4 MB and 1 MB: `(\w+)=(\d+)` 1.67 and 1.30 s, `conn.*timeout` 0.041 and 0.029 s.
const SHOWN_BATCH_BYTES: usize = 1 << 20;
/// The largest batch that a finder of expressions on the processor asks for, in bytes. Larger batches are those of devices,
/// which would be slower with small ones.
const MAX_PROCESSOR_BATCH: usize = 4 << 20;

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

    fn batch_size(&self, needs: &ReportNeeds) -> usize {
        let batch_bytes = self.engine.facts().batch_bytes;
        let are_shown = needs.spans != MatchDetail::None && self.engine.patterns().has_expressions();
        match are_shown && batch_bytes <= MAX_PROCESSOR_BATCH {
            true => batch_bytes.min(SHOWN_BATCH_BYTES),
            false => batch_bytes,
        }
    }

    fn window(&self, bytes: usize) -> Window {
        let patterns = self.engine.patterns();
        Window { bytes, max_match_len: patterns.context_len(), alphabet: patterns.alphabet() }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.engine.estimate(batch)
    }

    fn description(&self) -> Vec<String> {
        let mut lines = self.engine.description();
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
