//! Builds the parts of a seed index, in tasks that several threads share: first the entries of some patterns each, then
//! a part of the index each.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::entries::{DividedEntries, EntryBuffers};
use super::layout::{IndexedSeed, PARTS};
use super::plan::SeedPlan;
use crate::pattern::Pattern;

/// The number of patterns whose q-grams a task collects.
const PATTERNS: usize = 1 << 10;

/// A seed index that is being built. `P` is the type of its parts.
pub(crate) struct SeedBuild<P> {
    plan: SeedPlan,
    divided: Vec<OnceLock<DividedEntries>>,
    /// Buffers that no thread uses at the moment.
    buffers: Mutex<Vec<EntryBuffers>>,
    parts: Vec<Mutex<Option<P>>>,
}

/// A finished build.
pub(crate) struct BuiltParts<P> {
    /// The parts of the index, in order.
    pub(crate) parts: Vec<P>,
    pub(crate) seeds: Vec<IndexedSeed>,
    /// The patterns that turned out to have too many q-grams.
    pub(crate) refused: Vec<usize>,
}

/// Returns the number of tasks that collect the entries of `patterns` patterns.
pub(crate) fn chunk_count(patterns: usize) -> usize {
    patterns.div_ceil(PATTERNS)
}

impl<P> SeedBuild<P> {
    /// Begins to build the index of the patterns that `plan` has chosen among `patterns` patterns.
    pub(crate) fn new(plan: SeedPlan, patterns: usize) -> Self {
        let divided = (0..chunk_count(patterns)).map(|_| OnceLock::new()).collect();
        let parts = (0..PARTS).map(|_| Mutex::new(None)).collect();
        SeedBuild { plan, divided, buffers: Mutex::new(Vec::new()), parts }
    }

    /// Returns the plan of the index.
    pub(crate) fn plan(&self) -> &SeedPlan {
        &self.plan
    }

    /// Collects the entries of the patterns of a chunk: see [`chunk_count`].
    pub(crate) fn collect(&self, patterns: &[Pattern], chunk: usize) {
        let mut buffers = self.spare_buffers().pop().unwrap_or_default();
        let divided = DividedEntries::new(&self.plan, patterns, chunk_range(chunk, patterns.len()), &mut buffers);
        self.spare_buffers().push(buffers);
        let _ = self.divided[chunk].set(divided);
    }

    /// Builds the part with the index `part` from the entries of all patterns, with `make`.
    pub(crate) fn build_part(&self, part: usize, make: impl FnOnce(&[&DividedEntries]) -> P) {
        // All entries are collected, so the buffers are not needed any more.
        self.spare_buffers().clear();
        let divided: Vec<&DividedEntries> = self.divided().collect();
        *self.parts[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(make(&divided));
    }

    fn spare_buffers(&self) -> MutexGuard<'_, Vec<EntryBuffers>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn divided(&self) -> impl Iterator<Item = &DividedEntries> {
        self.divided.iter().map(|divided| divided.get().expect("the entries of all patterns are collected"))
    }

    /// Takes the finished index out of the build. May be called once, after all tasks.
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
