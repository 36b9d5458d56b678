//! Builds the parts of a seed index on several threads: each thread takes some patterns, and then some parts.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::entries::DividedEntries;
use super::layout::{IndexedSeed, PARTS};
use super::plan::SeedPlan;
use crate::engine::encoder::Classes;
use crate::engine::joint::JointTasks;
use crate::pattern::Pattern;

/// The number of patterns whose q-grams a thread collects at a time.
const PATTERNS: usize = 1 << 10;

/// A seed index that is being built. `P` is a part of it.
pub(crate) struct SeedBuild<P> {
    plan: SeedPlan,
    chunks: JointTasks,
    divided: Vec<OnceLock<DividedEntries>>,
    parts_left: JointTasks,
    parts: Vec<Mutex<Option<P>>>,
}

/// The patterns of a build.
#[derive(Clone, Copy)]
pub(crate) struct BuildInput<'a> {
    pub(crate) patterns: &'a [Pattern],
    pub(crate) classes: &'a Classes,
}

/// A finished build.
pub(crate) struct BuiltParts<P> {
    /// The parts of the index, in order.
    pub(crate) parts: Vec<P>,
    pub(crate) seeds: Vec<IndexedSeed>,
    /// The patterns that turned out to have too many q-grams.
    pub(crate) refused: Vec<usize>,
}

impl<P> SeedBuild<P> {
    /// Begins to build the index of the patterns that `plan` has chosen among `patterns` patterns.
    pub(crate) fn new(plan: SeedPlan, patterns: usize) -> Self {
        let chunks = patterns.div_ceil(PATTERNS);
        SeedBuild {
            plan,
            chunks: JointTasks::new(chunks),
            divided: (0..chunks).map(|_| OnceLock::new()).collect(),
            parts_left: JointTasks::new(PARTS),
            parts: (0..PARTS).map(|_| Mutex::new(None)).collect(),
        }
    }

    /// Returns the plan of the index.
    pub(crate) fn plan(&self) -> &SeedPlan {
        &self.plan
    }

    /// Helps to build the index, and returns when all of it is built. `make` makes the part with an index from the
    /// entries of all patterns.
    pub(crate) fn help(&self, input: BuildInput<'_>, make: impl Fn(usize, &[&DividedEntries]) -> P) {
        self.chunks.help(|chunk| {
            let range = chunk_range(chunk, input.patterns.len());
            let divided = DividedEntries::new(&self.plan, input.patterns, input.classes, range);
            let _ = self.divided[chunk].set(divided);
        });
        let divided: Vec<&DividedEntries> = self.divided().collect();
        self.parts_left.help(|part| {
            let built = make(part, &divided);
            *self.parts[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(built);
        });
    }

    fn divided(&self) -> impl Iterator<Item = &DividedEntries> {
        self.divided.iter().map(|divided| divided.get().expect("the entries of all patterns are collected"))
    }

    /// Takes the index out. May be called once, after [`SeedBuild::help`].
    pub(crate) fn finish(&self) -> BuiltParts<P> {
        let mut seeds = vec![IndexedSeed::default(); self.plan.seeds()];
        let mut refused = Vec::new();
        for divided in self.divided() {
            divided.seeds.iter().for_each(|&(index, seed)| seeds[index as usize] = seed);
            refused.extend_from_slice(&divided.refused);
        }
        let take = |part: &Mutex<Option<P>>| part.lock().unwrap_or_else(PoisonError::into_inner).take();
        let parts = self.parts.iter().map(|part| take(part).expect("all parts are built")).collect();
        BuiltParts { parts, seeds, refused }
    }
}

/// Returns the indices of the patterns of a chunk.
fn chunk_range(chunk: usize, patterns: usize) -> Range<usize> {
    chunk * PATTERNS..patterns.min((chunk + 1) * PATTERNS)
}
