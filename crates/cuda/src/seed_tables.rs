//! The tables of the kernel `seeds` on the host: chooses the patterns of the seed index, and builds it.

use std::sync::{Arc, OnceLock};

use super::cost::{cheaper_with_seeds, estimate};
use nigh_device::abi::{DeviceSeed, SEED_ROWS, SLICED_CODES, SeedPattern};
use nigh_pattern::{Pattern, PatternSet};
use nigh_tables::seeds::build::{SeedBuild, chunk_count};
use nigh_tables::seeds::grouped::GroupedPart;
use nigh_tables::seeds::layout::{MAX_TEST_EDITS, PARTS};
use nigh_tables::seeds::plan::{SeedEstimate, SeedPlan};
use nigh_text::threads::{JointTasks, on_threads};
use nigh_verify::encoder::Classes;

/// Number of patterns below which an index cannot pay.
const MIN_PATTERNS: usize = 50;

/// The seed index of a pattern set, and the tables of its patterns.
pub(super) struct SeedTables {
    pub(super) classes: Arc<Classes>,
    /// The parts of the index, in order.
    pub(super) parts: Vec<GroupedPart>,
    pub(super) seeds: Vec<DeviceSeed>,
    /// All patterns of the set. No seed refers to a pattern that is not in the index.
    pub(super) patterns: Vec<SeedPattern>,
    /// The equality words, `[pattern][code]`: a bit is set if its row matches the code. Zeros for a pattern that is too
    /// long to be in the index.
    pub(super) equal: Vec<u64>,
    /// Number of codes.
    pub(super) codes: usize,
    /// Number of rows of a test.
    pub(super) rows: usize,
    /// Maximum number of edits that an entry has left, at least 1.
    pub(super) edits: usize,
    /// For each pattern of the set, whether it is in the index.
    pub(super) covered: Vec<bool>,
}

impl SeedTables {
    /// Builds the index of the patterns of a set for which it pays, on up to `threads` threads. Returns `None` if it pays
    /// for no pattern.
    pub(super) fn new(set: &PatternSet, threads: usize) -> Option<Self> {
        let all = set.patterns();
        if !set.alphabet().is_sequence() || all.len() < MIN_PATTERNS || set.has_expressions() {
            return None;
        }
        let classes = Arc::new(Classes::new(set).ok().filter(|classes| classes.count() <= SLICED_CODES)?);
        let classes = &classes;
        let mut plan = SeedPlan::new(all, classes);
        let estimate = |(index, pattern)| estimate(&plan, index, pattern);
        let estimates: Vec<Option<SeedEstimate>> = all.iter().enumerate().map(estimate).collect();
        let mut covered = cheaper_with_seeds(all, &estimates)?;
        plan.choose(all, &estimates, &mut covered);
        let build = SeedBuild::new(plan, all.len());
        let plane_count = build.plan().plane_count();
        // The first task makes the equality words.
        let (chunks, parts) = (JointTasks::new(1 + chunk_count(all.len())), JointTasks::new(PARTS));
        let equal = OnceLock::new();
        on_threads(threads, || {
            chunks.help(|task| match task.checked_sub(1) {
                None => drop(equal.set(equal_words(all, classes))),
                Some(chunk) => build.collect(all, chunk),
            });
            parts.help(|part| {
                build.build_part(part, |entries, chunks| GroupedPart::new(entries, chunks, plane_count));
            });
        });
        let built = build.finish();
        built.refused.into_iter().for_each(|pattern| covered[pattern] = false);
        let of_covered = || all.iter().zip(&covered).filter(|&(_, &is_covered)| is_covered).map(|(pattern, _)| pattern);
        let most = of_covered().map(Pattern::k).max()?;
        Some(SeedTables {
            parts: built.parts,
            seeds: built
                .seeds
                .into_iter()
                .map(|seed| DeviceSeed { pattern: seed.pattern, after: seed.after })
                .collect(),
            patterns: all.iter().map(seed_pattern).collect(),
            equal: equal.into_inner().expect("all tasks have run"),
            codes: classes.count(),
            classes: classes.clone(),
            rows: build.plan().tests().rows,
            edits: most.clamp(1, MAX_TEST_EDITS),
            covered,
        })
    }
}

fn seed_pattern(pattern: &Pattern) -> SeedPattern {
    SeedPattern { rows: pattern.symbols().len() as u32, k: pattern.k() as u32 }
}

/// Returns the equality word of each code for each pattern; zeros for a pattern that is too long for the kernel.
fn equal_words(patterns: &[Pattern], classes: &Classes) -> Vec<u64> {
    let codes = classes.count();
    let mut words = vec![0; patterns.len() * codes];
    for (pattern, of_pattern) in patterns.iter().zip(words.chunks_exact_mut(codes)) {
        if pattern.symbols().len() <= SEED_ROWS {
            for (row, set) in pattern.symbols().iter().enumerate() {
                classes.codes_in(set).iter().for_each(|&code| of_pattern[usize::from(code)] |= 1 << row);
            }
        }
    }
    words
}
