//! Finds the seeds of a text: looks up every q-gram in the index, and tests the entries that it leads to.
//!
//! A large index exceeds every cache, and its pages exceed the translation buffers of the processor. So the q-grams of
//! a batch are divided by the parts of the index first, and then all q-grams of one part are looked up. One core of a
//! Xeon of the fourth generation: 94 instead of 119 ns a residue with 16 million entries, 203 instead of 290 ns with 32
//! million.

use super::group_gate::GateMasks;
use super::residue_planes::ResiduePlanes;
use super::seed_lanes::{EntryRun, PassedSeed, SeedLanes};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};
use nigh_tables::seeds::index::{Entries, SeedIndex, SeedIndexPart};
use nigh_tables::seeds::layout::{PART_SLOTS, PARTS};
use nigh_text::interrupt;

/// The number of q-grams that are looked up at a time. The lookups start to load what the tests need.
const STAGE: usize = 256;

/// Finds seeds, and owns the buffers for it.
pub(crate) struct IndexSeedFinder {
    /// A bit for each position: whether a q-gram of the index begins there.
    masks: Vec<u64>,
    /// The q-grams of the index in the text, divided by part.
    grams: Vec<TextGram>,
    /// The end of each part in `grams`.
    ends: Vec<usize>,
    /// The entries of the q-grams of one stage.
    places: Vec<(u32, Entries)>,
    lanes: SeedLanes,
    passed: Vec<PassedSeed>,
}

/// A q-gram of the text.
#[derive(Debug, Clone, Copy, Default)]
struct TextGram {
    gram: u32,
    /// Position of the q-gram among the packed residues.
    at: u32,
}

/// An end position at which a pattern may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CandidateEnd {
    /// Index of the pattern.
    pub(crate) pattern: u32,
    /// The index of the residue just past the match, if no insertion or deletion follows the seed.
    pub(crate) end: u32,
}

/// The text to search for seeds.
#[derive(Clone, Copy)]
pub(crate) struct SeedText<'a> {
    pub(crate) isa: Isa,
    pub(crate) residues: &'a ResiduePlanes,
    /// Positions at which the seeds of the index can be; `None` for all positions.
    pub(crate) gate: Option<&'a GateMasks>,
}

/// The limit of a search for seeds: the number of entries to test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestLimit(pub(crate) usize);

/// Whether all seeds were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeedsFound {
    All,
    /// There were more entries to test than the limit.
    TooMany,
}

impl IndexSeedFinder {
    pub(crate) fn new() -> Self {
        IndexSeedFinder {
            masks: Vec::new(),
            grams: Vec::new(),
            ends: Vec::new(),
            places: Vec::new(),
            lanes: SeedLanes::new(),
            passed: Vec::new(),
        }
    }

    /// Appends the ends at which patterns may match, with repetitions. Stops before more entries than `limit` are
    /// tested. Subtracts the tested entries from `limit`.
    pub(crate) fn find(
        &mut self,
        text: SeedText<'_>,
        index: &SeedIndex,
        limit: &mut TestLimit,
        found: &mut Vec<CandidateEnd>,
    ) -> SeedsFound {
        text.isa.run(Find { finder: self, index, text, left: &mut limit.0, found })
    }
}

struct Find<'a> {
    finder: &'a mut IndexSeedFinder,
    index: &'a SeedIndex,
    text: SeedText<'a>,
    /// The number of entries that may still be tested.
    left: &'a mut usize,
    found: &'a mut Vec<CandidateEnd>,
}

impl SimdOp for Find<'_> {
    type Output = SeedsFound;

    #[inline(always)]
    fn run<L: Simd>(mut self) -> SeedsFound {
        self.index.fill_masks(self.text.residues.packed(), &mut self.finder.masks);
        if let Some(gate) = self.text.gate {
            gate.restrict(&mut self.finder.masks);
        }
        self.divide();
        match self.index.plane_count() {
            2 => self.find_all::<L, 2>(),
            _ => self.find_all::<L, 3>(),
        }
    }
}

impl Find<'_> {
    /// Divides the q-grams of the text by the parts of the index that hold them.
    #[inline(always)]
    fn divide(&mut self) {
        let IndexSeedFinder { masks, grams, ends, .. } = &mut *self.finder;
        let mut next = [0usize; PARTS + 1];
        for (block, &mask) in masks.iter().enumerate() {
            let mut left = mask;
            while left != 0 {
                let gram = SeedIndex::gram(self.text.residues.packed_at(64 * block + left.trailing_zeros() as usize));
                left &= left - 1;
                next[SeedIndex::part_of(gram) + 1] += 1;
            }
        }
        for part in 0..PARTS {
            next[part + 1] += next[part];
        }
        grams.clear();
        grams.resize(next[PARTS], TextGram::default());
        for (block, &mask) in masks.iter().enumerate() {
            let mut left = mask;
            while left != 0 {
                let at = 64 * block + left.trailing_zeros() as usize;
                left &= left - 1;
                let gram = SeedIndex::gram(self.text.residues.packed_at(at));
                let place = &mut next[SeedIndex::part_of(gram)];
                grams[*place] = TextGram { gram: gram as u32, at: at as u32 };
                *place += 1;
            }
        }
        ends.clear();
        ends.extend_from_slice(&next[..PARTS]);
    }

    #[inline(always)]
    fn find_all<L: Simd, const PLANES: usize>(&mut self) -> SeedsFound {
        let (grams, ends) = (std::mem::take(&mut self.finder.grams), std::mem::take(&mut self.finder.ends));
        let mut first = 0;
        let mut all = SeedsFound::All;
        for (part, &end) in ends.iter().enumerate() {
            let part = self.index.part(part);
            // With fewer lookups than cache lines, loading all lines of the part does not pay.
            if end - first > PART_SLOTS / 16 {
                part.prefetch_starts();
            }
            for stage in grams[first..end].chunks(STAGE) {
                if all == SeedsFound::All {
                    interrupt::check();
                    all = self.find_in_part::<L, PLANES>(part, stage);
                }
            }
            first = end;
        }
        (self.finder.grams, self.finder.ends) = (grams, ends);
        all
    }

    /// Finds the seeds of some q-grams of one part.
    #[inline(always)]
    fn find_in_part<L: Simd, const PLANES: usize>(
        &mut self,
        part: SeedIndexPart<'_>,
        grams: &[TextGram],
    ) -> SeedsFound {
        let mut places = std::mem::take(&mut self.finder.places);
        places.clear();
        let mut entries = 0;
        for gram in grams {
            let mut found = part.find(gram.gram as usize);
            if let Some(gate) = self.text.gate {
                found = gate.allowed(found, gram.at as usize);
            }
            entries += found.after.len() + found.before.len();
            places.push((gram.at, found));
        }
        let all = match self.left.checked_sub(entries) {
            Some(left) => {
                *self.left = left;
                self.test_all::<L, PLANES>(part, &places);
                SeedsFound::All
            }
            None => SeedsFound::TooMany,
        };
        self.finder.places = places;
        all
    }

    /// Tests the entries of all places.
    #[inline(always)]
    fn test_all<L: Simd, const PLANES: usize>(&mut self, part: SeedIndexPart<'_>, places: &[(u32, Entries)]) {
        let mut left = places;
        while !left.is_empty() {
            left = self.collect::<PLANES>(part, left);
            let IndexSeedFinder { lanes, passed, .. } = &mut *self.finder;
            lanes.test::<L, PLANES>(part, self.index.tests(), passed);
        }
        for passed in self.finder.passed.drain(..) {
            let seed = self.index.seed(part.seed_index(passed.entry));
            self.found.push(CandidateEnd { pattern: seed.pattern, end: passed.boundary + seed.after });
        }
    }

    /// Collects the entries of the first places for a test, as many as fit, and returns the other places.
    #[inline(always)]
    fn collect<'p, const PLANES: usize>(
        &mut self,
        part: SeedIndexPart<'_>,
        places: &'p [(u32, Entries)],
    ) -> &'p [(u32, Entries)] {
        let IndexSeedFinder { lanes, .. } = &mut *self.finder;
        let residues = self.text.residues;
        let mut left = places;
        while let [(at, entries), others @ ..] = left
            && lanes.has_room()
        {
            left = others;
            let at = *at as usize;
            if !entries.after.is_empty()
                && let Some(boundary) = residues.boundary_before(at)
            {
                let run = EntryRun { slot: entries.after.clone(), boundary, near: residues.before(boundary) };
                lanes.add::<PLANES>(part, run);
            }
            if !entries.before.is_empty()
                && let Some(boundary) = residues.boundary_after(at)
            {
                let run = EntryRun { slot: entries.before.clone(), boundary, near: residues.after(boundary) };
                lanes.add::<PLANES>(part, run);
            }
        }
        left
    }
}
