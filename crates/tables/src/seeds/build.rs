//! Builds the parts of a seed index, in tasks that several threads share: first the entries of some patterns each, then
//! a part of the index each.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::entries::{ChunkSeeds, EntryBuffers, PartEntries};
use super::layout::{IndexedSeed, PARTS};
use super::plan::SeedPlan;
use nigh_pattern::Pattern;

/// The number of patterns whose q-grams a task collects.
const PATTERNS: usize = 1 << 10;

/// A seed index that is being built. `P` is the type of its parts.
pub struct SeedBuild<P> {
    plan: SeedPlan,
    chunks: Vec<OnceLock<ChunkSeeds>>,
    /// The entries of each part, until it is built.
    entries: Vec<Mutex<PartEntries>>,
    /// Buffers that no thread uses at the moment.
    buffers: Mutex<Vec<EntryBuffers>>,
    parts: Vec<Mutex<Option<P>>>,
}

/// A finished build.
pub struct BuiltParts<P> {
    /// The parts of the index, in order.
    pub parts: Vec<P>,
    pub seeds: Vec<IndexedSeed>,
    /// The patterns that turned out to have too many q-grams.
    pub refused: Vec<usize>,
}

/// Returns the number of tasks that collect the entries of `patterns` patterns.
pub fn chunk_count(patterns: usize) -> usize {
    patterns.div_ceil(PATTERNS)
}

impl<P> SeedBuild<P> {
    /// Begins to build the index of the patterns that `plan` has chosen among `patterns` patterns.
    pub fn new(plan: SeedPlan, patterns: usize) -> Self {
        let chunks = (0..chunk_count(patterns)).map(|_| OnceLock::new()).collect();
        let entries = (0..PARTS).map(|_| Mutex::new(PartEntries::with_room(plan.entries() / PARTS))).collect();
        let parts = (0..PARTS).map(|_| Mutex::new(None)).collect();
        SeedBuild { plan, chunks, entries, buffers: Mutex::new(Vec::new()), parts }
    }

    /// Returns the plan of the index.
    pub fn plan(&self) -> &SeedPlan {
        &self.plan
    }

    /// Collects the entries of the patterns of a chunk: see [`chunk_count`].
    pub fn collect(&self, patterns: &[Pattern], chunk: usize) {
        let mut buffers = lock(&self.buffers).pop().unwrap_or_default();
        let seeds = buffers.collect(&self.plan, patterns, chunk_range(chunk, patterns.len()));
        // Tasks begin with different parts, so that they do not wait for each other.
        for part in (0..PARTS).map(|part| (part + chunk) % PARTS) {
            lock(&self.entries[part]).add(chunk, part, &buffers);
        }
        lock(&self.buffers).push(buffers);
        let _ = self.chunks[chunk].set(seeds);
    }

    /// Builds the part with the index `part` from the entries of all patterns, with `make`. Frees the entries.
    pub fn build_part(&self, part: usize, make: impl FnOnce(&PartEntries, &[&ChunkSeeds]) -> P) {
        // All entries are collected, so the buffers are not needed any more.
        lock(&self.buffers).clear();
        let mut entries = std::mem::take(&mut *lock(&self.entries[part]));
        entries.order();
        let chunks: Vec<&ChunkSeeds> = self.chunks().collect();
        *lock(&self.parts[part]) = Some(make(&entries, &chunks));
    }

    fn chunks(&self) -> impl Iterator<Item = &ChunkSeeds> {
        self.chunks.iter().map(|chunk| chunk.get().expect("the entries of all patterns are collected"))
    }

    /// Takes the finished index out of the build. May be called once, after all tasks.
    pub fn finish(&self) -> BuiltParts<P> {
        let (mut seeds, mut refused) = (Vec::with_capacity(self.plan.seeds()), Vec::new());
        for chunk in self.chunks() {
            seeds.extend_from_slice(&chunk.seeds);
            refused.extend_from_slice(&chunk.refused);
        }
        let parts = self.parts.iter().map(|part| lock(part).take().expect("all parts are built")).collect();
        BuiltParts { parts, seeds, refused }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the indices of the patterns of a chunk.
fn chunk_range(chunk: usize, patterns: usize) -> Range<usize> {
    chunk * PATTERNS..patterns.min((chunk + 1) * PATTERNS)
}
