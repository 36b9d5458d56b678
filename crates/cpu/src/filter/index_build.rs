//! Builds the seed indexes with all workers. Each worker that needs the indexes helps: it first processes chunks of
//! patterns, and then builds parts of the indexes.

use super::group_gate::{GroupGate, GroupKinds};
use super::{Filter, FilterSeeds, GatedIndex};
use crate::compiled::Compiled;
use crate::cost;
use crate::cost::{FilterPass, SearchCosts};
use nigh_tables::seeds::build::{BuiltParts, SeedBuild, chunk_count};
use nigh_tables::seeds::index::{IndexPart, SeedIndex};
use nigh_tables::seeds::layout::PARTS;
use nigh_tables::seeds::plan::{SeedEstimate, SeedPlan};
use nigh_text::threads::JointTasks;

/// Seed indexes that are being built: one for each kind of exact group, and one for the other patterns.
pub(crate) struct IndexBuild {
    builds: Vec<GatedBuild>,
    filtered: Vec<bool>,
    cost: f64,
    /// The number of chunks of patterns.
    chunks: usize,
    patterns: JointTasks,
    parts: JointTasks,
}

/// The seed index of the patterns with one kind of exact group.
struct GatedBuild {
    build: SeedBuild<IndexPart>,
    gate: Option<GroupGate>,
}

impl IndexBuild {
    /// Chooses the patterns of the indexes; `None` if they do not pay.
    pub(crate) fn new(compiled: &Compiled) -> Option<Self> {
        let patterns = compiled.patterns.patterns();
        let mut plan = SeedPlan::new(patterns, &compiled.classes);
        let estimates = (0..patterns.len()).map(|index| plan.estimate(index).filter(|_| compiled.is_one_block(index)));
        let estimates: Vec<Option<SeedEstimate>> = estimates.collect();
        let groups = GroupKinds::new(patterns, &compiled.classes, &estimates);
        let offers = estimates.iter().enumerate().map(|(index, estimate)| SearchCosts {
            bitsliced: compiled.bitsliced_cost(index),
            filtered: estimate.map(|estimate| {
                let rate = estimate.rate * groups.share(index, &patterns[index]);
                rate * cost::seed(estimate.passing, compiled.window_cost(index))
            }),
        });
        let offers: Vec<SearchCosts> = offers.collect();
        let mut filtered = cost::filtered(&offers, FilterPass::Seeds)?;
        plan.choose(patterns, &estimates, &mut filtered);
        let cost = cost::with_filter(&offers, &filtered, FilterPass::Seeds);
        let chunks = chunk_count(patterns.len());
        let kinds = std::iter::once(None).chain((0..groups.kinds.len()).map(Some));
        let builds = kinds.filter_map(|kind| {
            let is_member = |(index, &filtered): (usize, &bool)| filtered && groups.kind_of[index] == kind;
            let mut members: Vec<bool> = filtered.iter().enumerate().map(is_member).collect();
            let mut plan = members.contains(&true).then(|| plan.emptied())?;
            plan.choose(patterns, &estimates, &mut members);
            let gate = kind.map(|kind| GroupGate::new(groups.kinds[kind].clone(), &plan, patterns));
            Some(GatedBuild { build: SeedBuild::new(plan, patterns.len()), gate })
        });
        let builds: Vec<GatedBuild> = builds.collect();
        let (patterns, parts) = (JointTasks::new(chunks * builds.len()), JointTasks::new(PARTS * builds.len()));
        Some(IndexBuild { builds, filtered, cost, chunks, patterns, parts })
    }

    /// Helps to build the indexes, and returns when all of them are built.
    pub(crate) fn help(&self, compiled: &Compiled) {
        let patterns = compiled.patterns.patterns();
        self.patterns.help(|task| self.builds[task / self.chunks].build.collect(patterns, task % self.chunks));
        self.parts.help(|task| {
            let build = &self.builds[task / PARTS].build;
            let (part, plane_count) = (task % PARTS, build.plan().plane_count());
            build.build_part(part, |entries, chunks| IndexPart::new(entries, chunks, plane_count));
        });
    }

    /// Takes the filter with the finished indexes out of the build. May be called once, after [`IndexBuild::help`].
    pub(crate) fn finish(&self) -> Filter {
        let mut filtered = self.filtered.clone();
        let indexes = self.builds.iter().map(|build| build.finish(&mut filtered)).collect();
        Filter { seeds: FilterSeeds::Sequences(indexes), filtered, cost: self.cost }
    }
}

impl GatedBuild {
    /// Takes the finished index out of the build. Clears the marks in `filtered` of the patterns that the index has
    /// refused.
    fn finish(&self, filtered: &mut [bool]) -> GatedIndex {
        let plan = self.build.plan();
        let BuiltParts { parts, seeds, refused } = self.build.finish();
        refused.into_iter().for_each(|pattern| filtered[pattern] = false);
        let index = SeedIndex::new(parts, seeds, plan);
        GatedIndex { index, gate: self.gate.clone() }
    }
}
