//! Builds the seed index with all workers: each that needs the index takes some patterns, and then some parts of it.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost::{self, FilterPass, SearchCosts};
use crate::engine::joint::JointTasks;
use crate::engine::seeds::entries::DividedEntries;
use crate::engine::seeds::index::{IndexPart, SeedIndex};
use crate::engine::seeds::layout::{IndexedSeed, PARTS};
use crate::engine::seeds::plan::{SeedEstimate, SeedPlan};

/// The number of patterns whose q-grams a worker collects at a time.
const PATTERNS: usize = 1 << 10;

/// A seed index that is being built.
pub(crate) struct IndexBuild {
    plan: SeedPlan,
    filtered: Vec<bool>,
    cost: f64,
    patterns: JointTasks,
    divided: Vec<OnceLock<DividedEntries>>,
    parts_left: JointTasks,
    parts: Vec<Mutex<Option<IndexPart>>>,
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
        let chunks = patterns.len().div_ceil(PATTERNS);
        Some(IndexBuild {
            plan,
            filtered,
            cost,
            patterns: JointTasks::new(chunks),
            divided: (0..chunks).map(|_| OnceLock::new()).collect(),
            parts_left: JointTasks::new(PARTS),
            parts: (0..PARTS).map(|_| Mutex::new(None)).collect(),
        })
    }

    /// Helps to build the index, and returns when all of it is built.
    pub(crate) fn help(&self, compiled: &Compiled) {
        let patterns = compiled.patterns.patterns();
        self.patterns.help(|chunk| {
            let range = chunk_range(chunk, patterns.len());
            let divided = DividedEntries::new(&self.plan, patterns, &compiled.classes, range);
            let _ = self.divided[chunk].set(divided);
        });
        self.parts_left.help(|part| {
            let built = IndexPart::new(part, self.divided(), self.plan.plane_count());
            *self.parts[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(built);
        });
    }

    fn divided(&self) -> impl Iterator<Item = &DividedEntries> + Clone {
        self.divided.iter().map(|divided| divided.get().expect("the entries of all patterns are collected"))
    }

    /// Takes the index out. May be called once, after [`IndexBuild::help`].
    pub(crate) fn finish(&self) -> BuiltIndex {
        let mut filtered = self.filtered.clone();
        let mut seeds = vec![IndexedSeed::default(); self.plan.seeds()];
        for divided in self.divided() {
            divided.seeds.iter().for_each(|&(index, seed)| seeds[index as usize] = seed);
            divided.refused.iter().for_each(|&pattern| filtered[pattern] = false);
        }
        let take = |part: &Mutex<Option<IndexPart>>| part.lock().unwrap_or_else(PoisonError::into_inner).take();
        let parts = self.parts.iter().map(|part| take(part).expect("all parts are built")).collect();
        let index = SeedIndex::new(parts, seeds, self.plan.plane_count(), self.plan.rows());
        BuiltIndex { index, filtered, cost: self.cost }
    }
}

/// Returns the indices of the patterns of a chunk.
fn chunk_range(chunk: usize, patterns: usize) -> Range<usize> {
    chunk * PATTERNS..patterns.min((chunk + 1) * PATTERNS)
}
