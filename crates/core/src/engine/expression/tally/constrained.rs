//! Expressions whose edits have costs or limits, or that have exact groups: the costs of candidates.

use std::sync::Arc;

use super::starts::StartSearch;
use crate::batch::Batch;
use crate::engine::expression::compiled::CompiledExpressions;
use crate::engine::expression::line::LineEncoder;
use crate::engine::refine::{Refinement, Refiner};
use crate::engine::{EngineError, WantedHits};
use crate::hit::Hit;

/// The hits of expressions, some of which have constraints. The hits before have their distance without constraints.
pub(in crate::engine) struct ConstrainedExpressions(Arc<CompiledExpressions>);

impl ConstrainedExpressions {
    pub(in crate::engine::expression) fn new(compiled: Arc<CompiledExpressions>) -> Self {
        ConstrainedExpressions(compiled)
    }
}

impl Refinement for ConstrainedExpressions {
    fn plan(&self) -> Option<String> {
        Some("expressions with constraints: the cost of each hit".to_owned())
    }

    fn needed(&self, _: WantedHits) -> WantedHits {
        WantedHits::All
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        let compiled = &*self.0;
        Box::new(CostRefiner { compiled, encoder: compiled.encoder(), found: Vec::new() })
    }
}

/// Computes the costs of hits.
struct CostRefiner<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
    /// The hits of the batch so far. A pass over a line computes the costs of all hits in it.
    found: Vec<Hit>,
}

impl Refiner for CostRefiner<'_> {
    fn begin(&mut self, _: &Batch, _: WantedHits) {
        self.found.clear();
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        self.found.append(hits);
        if until == usize::MAX {
            self.verify(batch);
            std::mem::swap(hits, &mut self.found);
        }
        Ok(())
    }
}

impl CostRefiner<'_> {
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
