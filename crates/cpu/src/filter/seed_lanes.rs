//! Collects seeds for a test. The few entries of a q-gram are copied together with those of others, so that a test has
//! a seed in each lane. Long runs of entries are tested in place.

use std::ops::Range;

use super::residue_planes::NearResidues;
use super::seed_test::{SeedVector, load};
use nigh_simd::int_lanes::{IntLanes, MAX_LANES};
use nigh_simd::vector::Simd;
use nigh_tables::seeds::index::SeedIndexPart;
use nigh_tables::seeds::layout::{PADDING, SeedTests};

/// The number of lanes that are filled before a test.
const LANES: usize = 1024;
/// The number of entries that are copied at a time.
const COPIED: usize = 8;
/// Minimum number of entries of a run that is tested in place. A vector with unused lanes then costs less than copying
/// the entries.
const LONG: usize = 12;

/// A seed that passed its test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedSeed {
    /// The index of the entry in its part of the index.
    pub(crate) entry: u32,
    /// The index of the residue after the boundary.
    pub(crate) boundary: u32,
}

/// All entries of a slot of the index, and a boundary in the text.
#[derive(Debug, Clone)]
pub(crate) struct EntryRun {
    pub(crate) slot: Range<u32>,
    /// The index of the residue after the boundary.
    pub(crate) boundary: usize,
    /// The residues next to the boundary.
    pub(crate) near: NearResidues,
}

/// Seeds collected for a test.
pub(crate) struct SeedLanes {
    low: Box<[i16]>,
    high: Box<[i16]>,
    wild: Box<[i16]>,
    text_low: Box<[i16]>,
    text_high: Box<[i16]>,
    /// For each lane, the index in `short` of its run.
    run_of: Box<[u16]>,
    /// The number of lanes that are filled.
    count: usize,
    /// The runs in the lanes, each with its first lane.
    short: Vec<(EntryRun, u32)>,
    /// The runs that are tested in place.
    long: Vec<EntryRun>,
}

/// The seeds that one vector tests.
#[derive(Debug, Clone, Copy)]
enum SeedVectorSource {
    /// The collected seeds, from the lane with this index on.
    Collected(usize),
    /// The entries of the long run with the index `run`, from its entry `first` on.
    Run { run: usize, first: usize },
}

impl SeedLanes {
    pub(crate) fn new() -> Self {
        let lanes = || vec![0; LANES + MAX_LANES].into_boxed_slice();
        SeedLanes {
            low: lanes(),
            high: lanes(),
            wild: lanes(),
            text_low: lanes(),
            text_high: lanes(),
            run_of: vec![0; LANES + MAX_LANES].into_boxed_slice(),
            count: 0,
            short: Vec::with_capacity(LANES),
            long: Vec::with_capacity(LANES),
        }
    }

    /// Returns whether there is room for two more runs.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.count + 2 * LONG <= LANES
    }

    /// Adds a run of entries of `part`, which must not be empty. There must be room for it.
    #[inline(always)]
    pub(crate) fn add<const PLANES: usize>(&mut self, part: SeedIndexPart<'_>, run: EntryRun) {
        let count = run.slot.len();
        if count >= LONG {
            self.long.push(run);
            return;
        }
        let planes = part.planes(&run.slot);
        let number = self.short.len() as u16;
        for done in (0..count).step_by(COPIED) {
            let to = self.count + done;
            copy(&mut self.low[to..], &planes[done..]);
            copy(&mut self.high[to..], &planes[count + done..]);
            if PLANES == 3 {
                copy(&mut self.wild[to..], &planes[2 * count + done..]);
            }
            copy(&mut self.text_low[to..], &[run.near.low; COPIED]);
            copy(&mut self.text_high[to..], &[run.near.high; COPIED]);
            copy(&mut self.run_of[to..], &[number; COPIED]);
        }
        self.short.push((run, self.count as u32));
        self.count += count;
    }

    /// Tests the collected seeds, which are entries of `part`. Appends the seeds that pass to `found`, and removes all
    /// collected seeds.
    ///
    /// The vectors are loaded in two ways and tested in one place: the test is long code, and slow to compile.
    #[inline(always)]
    pub(crate) fn test<L: Simd, const PLANES: usize>(
        &mut self,
        part: SeedIndexPart<'_>,
        tests: SeedTests,
        found: &mut Vec<PassedSeed>,
    ) {
        let mut next = SeedVectorSource::Collected(0);
        loop {
            let (tested, seeds, left);
            match next {
                SeedVectorSource::Collected(first) if first < self.count => {
                    (seeds, left) = (self.in_lanes::<L, PLANES>(first, tests), self.count - first);
                    (tested, next) = (next, SeedVectorSource::Collected(first + L::Shorts::COUNT));
                }
                SeedVectorSource::Collected(_) => {
                    next = SeedVectorSource::Run { run: 0, first: 0 };
                    continue;
                }
                SeedVectorSource::Run { run, first } => {
                    let Some(EntryRun { slot, near, .. }) = self.long.get(run) else { break };
                    let run_seeds = RunSeeds { planes: part.planes(slot), near: *near, tests };
                    (seeds, left) = (run_seeds.from::<L, PLANES>(first), slot.len() - first);
                    let is_last = left <= L::Shorts::COUNT;
                    let after = SeedVectorSource::Run { run, first: first + L::Shorts::COUNT };
                    (tested, next) =
                        (next, if is_last { SeedVectorSource::Run { run: run + 1, first: 0 } } else { after });
                }
            }
            let mut passing = first_lanes(seeds.passing::<PLANES>(), left);
            while passing != 0 {
                found.push(self.passed(tested, passing.trailing_zeros() as usize));
                passing &= passing - 1;
            }
        }
        self.count = 0;
        self.short.clear();
        self.long.clear();
    }

    /// Returns the seeds in the lanes from `first` on.
    #[inline(always)]
    fn in_lanes<L: Simd, const PLANES: usize>(&self, first: usize, tests: SeedTests) -> SeedVector<L> {
        SeedVector {
            low: load(&self.low[first..]),
            high: load(&self.high[first..]),
            wild: if PLANES == 3 { load(&self.wild[first..]) } else { L::zero() },
            text_low: load(&self.text_low[first..]),
            text_high: load(&self.text_high[first..]),
            tests,
        }
    }

    /// Returns the seed in a lane of a vector.
    #[inline(always)]
    fn passed(&self, tested: SeedVectorSource, lane: usize) -> PassedSeed {
        let (run, nth) = match tested {
            SeedVectorSource::Collected(first) => {
                let (run, first_lane) = &self.short[usize::from(self.run_of[first + lane])];
                (run, first + lane - *first_lane as usize)
            }
            SeedVectorSource::Run { run, first } => (&self.long[run], first + lane),
        };
        PassedSeed { entry: run.slot.start + nth as u32, boundary: run.boundary as u32 }
    }
}

/// The seeds of a long run.
struct RunSeeds<'a> {
    /// The planes of the entries, and [`PADDING`] further elements.
    planes: &'a [i16],
    near: NearResidues,
    tests: SeedTests,
}

impl RunSeeds<'_> {
    /// Returns the seeds of the run from its entry `first` on.
    #[inline(always)]
    fn from<L: Simd, const PLANES: usize>(&self, first: usize) -> SeedVector<L> {
        let RunSeeds { planes, near, tests } = *self;
        let count = (planes.len() - PADDING) / PLANES;
        SeedVector {
            low: load(&planes[first..]),
            high: load(&planes[count + first..]),
            wild: if PLANES == 3 { load(&planes[2 * count + first..]) } else { L::zero() },
            text_low: L::from_shorts(L::Shorts::splat(i32::from(near.low))),
            text_high: L::from_shorts(L::Shorts::splat(i32::from(near.high))),
            tests,
        }
    }
}

/// Clears all bits but the first `count`.
#[inline(always)]
fn first_lanes(mask: u64, count: usize) -> u64 {
    if count < 64 { mask & ((1 << count) - 1) } else { mask }
}

/// Copies [`COPIED`] integers. Arrays make this a load and a store; slices made it a call.
#[inline(always)]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    let (to, from) = (to.first_chunk_mut::<COPIED>(), from.first_chunk::<COPIED>());
    *to.expect("lanes have room") = *from.expect("planes are padded");
}
