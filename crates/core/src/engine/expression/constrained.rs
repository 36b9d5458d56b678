//! Expressions whose edits have costs or limits, or that have exact groups: the costs of candidates.

use std::sync::Arc;
use std::time::Duration;

use super::compiled::CompiledExpressions;
use super::line::LineEncoder;
use super::starts::StartSearch;
use crate::batch::Batch;
use crate::engine::deliver::deliver;
use crate::engine::{Aligner, Engine, EngineError, EngineFacts, Scanner, WantedHits};
use crate::hit::{Hit, HitSink};
use crate::pattern::PatternSet;

/// An engine for a set of expressions, some of which have constraints. The inner engine finds their hits without
/// constraints.
pub(super) struct ConstrainedExpressionEngine {
    compiled: Arc<CompiledExpressions>,
    candidates: Arc<dyn Engine>,
}

impl ConstrainedExpressionEngine {
    pub(super) fn new(compiled: Arc<CompiledExpressions>, candidates: Arc<dyn Engine>) -> Self {
        ConstrainedExpressionEngine { compiled, candidates }
    }
}

impl Engine for ConstrainedExpressionEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.compiled.patterns
    }

    fn plan(&self) -> Vec<String> {
        self.candidates.plan()
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.candidates.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.candidates.estimate(batch)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let (compiled, candidates) = (&*self.compiled, self.candidates.scanner()?);
        Ok(Box::new(ConstrainedScanner { compiled, candidates, encoder: compiled.encoder(), found: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        self.candidates.aligner()
    }
}

/// Computes the costs of candidates.
struct ConstrainedScanner<'a> {
    compiled: &'a CompiledExpressions,
    candidates: Box<dyn Scanner + 'a>,
    encoder: LineEncoder<'a>,
    found: Vec<Hit>,
}

impl Scanner for ConstrainedScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, _: WantedHits) -> Result<bool, EngineError> {
        self.candidates.submit(batch, WantedHits::All)
    }

    fn search(&mut self, batch: &Batch, _: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.found.clear();
        self.candidates.scan(batch, &mut self.found)?;
        self.verify(batch);
        // These are all hits of the batch, so a `Break` from the sink changes nothing.
        let _ = deliver(&self.found, hits);
        Ok(())
    }
}

impl ConstrainedScanner<'_> {
    /// Replaces the distance of each candidate of an expression with constraints by the cost of its edits. Drops the
    /// candidates without an allowed match.
    fn verify(&mut self, batch: &Batch) {
        let compiled = self.compiled;
        let is_verified = |hit: &Hit| compiled.pattern(hit.pattern).0.constraints().is_some();
        let (candidates, mut hits): (Vec<Hit>, Vec<Hit>) = self.found.iter().partition(|hit| is_verified(hit));
        compiled.for_each_item(&mut self.encoder, (batch, &candidates), |nth, encoder, in_item| {
            let one = &compiled.expressions[nth];
            let (pattern, expression) = compiled.pattern(one.index);
            let line = encoder.line(pattern.within()).expect("a match is within the range");
            let tallies = one.tallies(pattern.k());
            let reads = |state, code| one.simulation.reads(state, code);
            let search = StartSearch { expression, graph: &one.graph, reads: &reads, line: &line, tallies: &tallies };
            let ends: Vec<usize> = in_item.iter().map(|&at| encoder.position_of_end(candidates[at].end)).collect();
            let costs = in_item.iter().zip(search.costs(&ends));
            hits.extend(costs.filter_map(|(&at, cost)| Some(Hit { distance: cost?, ..candidates[at] })));
        });
        hits.sort_unstable();
        self.found = hits;
    }
}
