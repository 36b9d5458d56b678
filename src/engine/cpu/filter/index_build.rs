//! Chooses the patterns of the seed index, and builds it with all workers.

use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost::{self, FilterPass, SearchCosts};
use crate::engine::seeds::build::{BuildInput, BuiltParts, SeedBuild};
use crate::engine::seeds::index::{IndexPart, SeedIndex};
use crate::engine::seeds::plan::{SeedEstimate, SeedPlan};

/// A seed index that is being built.
pub(crate) struct IndexBuild {
    build: SeedBuild<IndexPart>,
    filtered: Vec<bool>,
    cost: f64,
}

/// A finished index, the patterns that it covers, and the cost of a search with it.
pub(crate) struct BuiltIndex {
    pub(crate) index: SeedIndex,
    pub(crate) filtered: Vec<bool>,
    pub(crate) cost: f64,
}

impl IndexBuild {
    /// Chooses the patterns of the index; `None` if it does not pay.
    pub(crate) fn new(compiled: &Compiled) -> Option<Self> {
        let patterns = compiled.patterns.patterns();
        let mut plan = SeedPlan::new(patterns, &compiled.classes);
        let estimates: Vec<Option<SeedEstimate>> = patterns
            .iter()
            .enumerate()
            .map(|(index, pattern)| {
                let fits = compiled.blocks[index].is_one_block();
                fits.then(|| plan.estimate(index, pattern, &compiled.classes)).flatten()
            })
            .collect();
        let offers = estimates.iter().enumerate().map(|(index, estimate)| SearchCosts {
            bitsliced: compiled.bitsliced_cost(index),
            filtered: estimate
                .map(|estimate| estimate.rate * cost::seed(estimate.passing, compiled.window_cost(index))),
        });
        let offers: Vec<SearchCosts> = offers.collect();
        let mut filtered = cost::filtered(&offers, FilterPass::Seeds)?;
        plan.choose(patterns, &compiled.classes, &estimates, &mut filtered);
        let cost = cost::with_filter(&offers, &filtered, FilterPass::Seeds);
        Some(IndexBuild { build: SeedBuild::new(plan, patterns.len()), filtered, cost })
    }

    /// Helps to build the index, and returns when all of it is built.
    pub(crate) fn help(&self, compiled: &Compiled) {
        let input = BuildInput { patterns: compiled.patterns.patterns(), classes: &compiled.classes };
        let plane_count = self.build.plan().plane_count();
        self.build.help(input, |part, divided| IndexPart::new(part, divided, plane_count));
    }

    /// Takes the index out. May be called once, after [`IndexBuild::help`].
    pub(crate) fn finish(&self) -> BuiltIndex {
        let plan = self.build.plan();
        let mut filtered = self.filtered.clone();
        let BuiltParts { parts, seeds, refused } = self.build.finish();
        refused.into_iter().for_each(|pattern| filtered[pattern] = false);
        let index = SeedIndex::new(parts, seeds, plan.plane_count(), plan.rows());
        BuiltIndex { index, filtered, cost: self.cost }
    }
}
