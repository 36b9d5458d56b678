//! The seed index: for each q-gram of the text, the pieces of patterns that may begin or end there.
//!
//! A seed is a piece of a pattern at a boundary between two of its symbols. The piece on one side of the boundary leads
//! to the seed through the q-grams of its neighbourhood; the symbols on the other side, in an entry of the index, are
//! compared with the text by a short test. The cost for each residue does not depend on the number of patterns, only on
//! the number of entries of its q-gram.
//!
//! - G. Navarro, "A guided tour to approximate string matching", 2001, on intermediate partitioning.
//! - E. Myers, "A sublinear algorithm for approximate keyword searching", 1994, on neighbourhoods.

use std::ops::Range;

use super::entries::{ChunkSeeds, PartEntries};
use super::layout::{IndexedSeed, PADDING, PART_SLOTS, QGRAMS, SeedTests};
use super::plan::SeedPlan;
use nigh_simd::isa::prefetch;

/// An index of the seeds of many patterns. An entry is a seed that a q-gram leads to.
///
/// It is divided into parts by the last residues of the q-grams. With many patterns the index exceeds every cache, so
/// all lookups in one part should come together.
pub struct SeedIndex {
    /// A bit for each q-gram: whether it is in the index.
    present: Vec<u64>,
    /// For each word of `present`, the number of bits before it in its part.
    ranks: Vec<u32>,
    parts: Vec<IndexPart>,
    seeds: Vec<IndexedSeed>,
    /// The number of planes: 3 if a row matches any residue, otherwise 2.
    plane_count: usize,
    tests: SeedTests,
}

/// The entries of the q-grams of one part.
pub struct IndexPart {
    /// A bit for each q-gram of the part: whether it is in the index.
    present: Vec<u64>,
    /// For each q-gram in the index, ascending, the position of its first entry whose piece lies after the boundary,
    /// and the position of its first entry whose piece lies before the boundary. The last element is the number of
    /// entries.
    starts: Vec<u32>,
    /// The planes of the entries. The entries of a slot are adjacent: first the low plane of each, then the high
    /// planes, then the wild planes. There are [`PADDING`] more elements.
    planes: Vec<i16>,
    /// The index of the seed of each entry.
    seed_of: Vec<u32>,
}

/// The entries of a q-gram.
#[derive(Debug, Clone)]
pub struct Entries {
    /// The entries whose boundary is before the q-gram.
    pub after: Range<u32>,
    /// The entries whose boundary is after the q-gram.
    pub before: Range<u32>,
}

/// A part of the index, for lookups.
#[derive(Clone, Copy)]
pub struct SeedIndexPart<'a> {
    index: &'a SeedIndex,
    part: &'a IndexPart,
}

impl IndexPart {
    /// Builds a part from its entries, whose seeds are in `chunks`. Entries have `plane_count` planes.
    pub fn new(entries: &PartEntries, chunks: &[&ChunkSeeds], plane_count: usize) -> Self {
        let mut ends = vec![0u32; PART_SLOTS];
        entries.slots().for_each(|slot| ends[slot] += 1);
        let mut index = IndexPart {
            present: vec![0; PART_SLOTS / 2 / 64],
            starts: Vec::new(),
            planes: Vec::new(),
            seed_of: Vec::new(),
        };
        let grams = ends.chunks_exact(2).filter(|counts| counts[0] + counts[1] > 0).count();
        index.starts.reserve_exact(2 * grams + 1);
        let mut firsts = vec![0u32; PART_SLOTS];
        let mut count = 0;
        for slot in 0..PART_SLOTS {
            firsts[slot] = count;
            count += ends[slot];
            ends[slot] = count;
            if slot % 2 == 1 && firsts[slot - 1] < count {
                let gram = slot / 2;
                index.present[gram / 64] |= 1 << (gram % 64);
                index.starts.extend([firsts[slot - 1], firsts[slot]]);
            }
        }
        index.starts.push(count);
        index.seed_of = vec![0; count as usize];
        index.planes = vec![0; plane_count * count as usize + PADDING];
        let mut next = firsts.clone();
        entries.iter(chunks).for_each(|entry| {
            let slot = entry.slot;
            let place = next[slot];
            next[slot] += 1;
            index.seed_of[place as usize] = entry.seed;
            let in_slot = (ends[slot] - firsts[slot]) as usize;
            let first = plane_count * firsts[slot] as usize + (place - firsts[slot]) as usize;
            index.planes[first] = entry.rows.low;
            index.planes[first + in_slot] = entry.rows.high;
            if plane_count == 3 {
                index.planes[first + 2 * in_slot] = entry.rows.wild;
            }
        });
        index
    }
}

impl SeedIndex {
    /// Joins the parts of the index of `plan`, in order. `seeds` are the seeds of the entries.
    pub fn new(parts: Vec<IndexPart>, seeds: Vec<IndexedSeed>, plan: &SeedPlan) -> Self {
        let mut ranks = Vec::with_capacity(QGRAMS / 64);
        for part in &parts {
            let mut before = 0;
            for word in &part.present {
                ranks.push(before);
                before += word.count_ones();
            }
        }
        let present = parts.iter().flat_map(|part| &part.present).copied().collect();
        SeedIndex { present, ranks, parts, seeds, plane_count: plan.plane_count(), tests: plan.tests() }
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.parts.iter().map(|part| part.seed_of.len()).sum()
    }

    /// Returns the number of rows and the edit model of the tests.
    pub fn tests(&self) -> SeedTests {
        self.tests
    }

    /// Returns the number of planes: 3 if a row matches any residue, otherwise 2.
    pub fn plane_count(&self) -> usize {
        self.plane_count
    }

    /// Returns the q-gram with which `residues` begins, as a number. A residue takes two bits, and the first residue
    /// the lowest two.
    #[inline(always)]
    pub fn gram(residues: u64) -> usize {
        residues as usize & (QGRAMS - 1)
    }

    /// Computes a mask for each 64 residues, which take two words of `residues`. A mask has a bit for each residue:
    /// whether a q-gram of the index begins there.
    pub fn fill_masks(&self, residues: &[u64], masks: &mut Vec<u64>) {
        masks.clear();
        masks.reserve(residues.len() / 2);
        let present = &self.present[..QGRAMS / 64];
        for pair in (0..residues.len()).step_by(2) {
            let word = |at: usize| residues.get(pair + at).copied().unwrap_or(0);
            let (first, second, third) = (word(0), word(1), word(2));
            // The quarters hold 32 residues each, from the residues 0, 16, 32 and 48 on.
            let quarters = [first, first >> 32 | second << 32, second, second >> 32 | third << 32];
            let mut mask = 0;
            for quarter in quarters.into_iter().rev() {
                for at in (0..16).rev() {
                    let gram = SeedIndex::gram(quarter >> (2 * at));
                    mask = mask << 1 | present[gram / 64] >> (gram % 64) & 1;
                }
            }
            masks.push(mask);
        }
    }

    /// Returns the index of the part that a q-gram belongs to.
    #[inline(always)]
    pub fn part_of(gram: usize) -> usize {
        2 * gram / PART_SLOTS
    }

    /// Returns the part with an index.
    #[inline(always)]
    pub fn part(&self, part: usize) -> SeedIndexPart<'_> {
        SeedIndexPart { index: self, part: &self.parts[part] }
    }

    /// Returns the seed with an index.
    #[inline(always)]
    pub fn seed(&self, index: u32) -> IndexedSeed {
        self.seeds[index as usize]
    }
}

impl<'a> SeedIndexPart<'a> {
    /// Starts to load what [`find`](Self::find) needs for any q-gram of the part, so that lookups do not wait for it.
    #[inline(always)]
    pub fn prefetch_starts(self) {
        const OF_CACHE_LINE: usize = 64 / size_of::<u32>();
        (0..self.part.starts.len()).step_by(OF_CACHE_LINE).for_each(|at| prefetch(&self.part.starts, at));
    }

    /// Returns the entries of a q-gram, which must be in the part. Starts to load their planes.
    #[inline(always)]
    pub fn find(self, gram: usize) -> Entries {
        let below = (1 << (gram % 64)) - 1;
        let word = gram / 64;
        let rank = self.index.ranks[word] + (self.index.present[word] & below).count_ones();
        let starts = &self.part.starts[2 * rank as usize..2 * rank as usize + 3];
        let plane_count = self.index.plane_count;
        // Prefetches the first cache line, the last and one between them. A loop over all cache lines would wait for
        // the number of entries.
        let (first, end) = (plane_count * starts[0] as usize, plane_count * starts[2] as usize);
        prefetch(&self.part.planes, first);
        prefetch(&self.part.planes, (first + end) / 2);
        prefetch(&self.part.planes, end);
        Entries { after: starts[0]..starts[1], before: starts[1]..starts[2] }
    }

    /// Returns the planes of a range of entries, all entries of a slot, and [`PADDING`] further elements.
    #[inline(always)]
    pub fn planes(self, slot: &Range<u32>) -> &'a [i16] {
        let plane_count = self.index.plane_count;
        let first = plane_count * slot.start as usize;
        &self.part.planes[first..first + plane_count * slot.len() + PADDING]
    }

    /// Returns the index of the seed of an entry.
    #[inline(always)]
    pub fn seed_index(self, entry: u32) -> u32 {
        self.part.seed_of[entry as usize]
    }
}
