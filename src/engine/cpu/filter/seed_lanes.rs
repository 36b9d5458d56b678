//! Collects the few entries of many q-grams, so that a test has a seed in each lane.

use super::residue_planes::NearResidues;
use super::seed_test::{SeedVector, load};
use crate::simd::int_lanes::{IntLanes, MAX_LANES};
use crate::simd::vector::Simd;

/// The number of seeds that are collected before they are tested.
pub(crate) const LANES: usize = 1024;
/// The number of entries that are copied at a time.
const COPIED: usize = 8;

/// A seed that passed its test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedSeed {
    /// The entry of the part of the index that is searched.
    pub(crate) entry: u32,
    /// The index of the residue after the boundary.
    pub(crate) boundary: u32,
}

/// All entries of a slot of the index, and a boundary in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryRun {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The index of the residue after the boundary.
    pub(crate) boundary: u32,
}

/// Seeds collected for a test, a lane each.
pub(crate) struct SeedLanes {
    low: Box<[i16]>,
    high: Box<[i16]>,
    wild: Box<[i16]>,
    text_low: Box<[i16]>,
    text_high: Box<[i16]>,
    /// For each lane, the index in `runs` of its run.
    run_of: Box<[u16]>,
    /// The runs, each with its first lane.
    runs: Vec<(EntryRun, u32)>,
    count: usize,
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
            runs: Vec::with_capacity(LANES),
            count: 0,
        }
    }

    /// Returns whether there is room for `count` more entries.
    #[inline(always)]
    pub(crate) fn has_room(&self, count: usize) -> bool {
        self.count + count <= LANES
    }

    /// Adds a run, whose planes are `planes`, to be compared with the residues `near` its boundary. There must be room
    /// for it.
    #[inline(always)]
    pub(crate) fn add<const PLANES: usize>(&mut self, planes: &[i16], run: EntryRun, near: NearResidues) {
        let number = self.runs.len() as u16;
        self.runs.push((run, self.count as u32));
        let count = run.count as usize;
        let mut done = 0;
        while done < count {
            let to = self.count + done;
            copy(&mut self.low[to..], &planes[done..]);
            copy(&mut self.high[to..], &planes[count + done..]);
            if PLANES == 3 {
                copy(&mut self.wild[to..], &planes[2 * count + done..]);
            }
            self.text_low[to..][..COPIED].fill(near.low);
            self.text_high[to..][..COPIED].fill(near.high);
            self.run_of[to..][..COPIED].fill(number);
            done += COPIED;
        }
        self.count += count;
    }

    /// Tests the collected seeds and removes them. Appends those that pass to `found`.
    #[inline(always)]
    pub(crate) fn test<L: Simd, const PLANES: usize>(&mut self, rows: usize, found: &mut Vec<PassedSeed>) {
        for first in (0..self.count).step_by(L::Shorts::COUNT) {
            let seeds: SeedVector<L> = SeedVector {
                low: load(&self.low[first..]),
                high: load(&self.high[first..]),
                wild: if PLANES == 3 { load(&self.wild[first..]) } else { L::zero() },
                text_low: load(&self.text_low[first..]),
                text_high: load(&self.text_high[first..]),
                rows,
            };
            let mut passing = first_lanes(seeds.passing::<PLANES>(), self.count - first);
            while passing != 0 {
                let lane = first + passing.trailing_zeros() as usize;
                passing &= passing - 1;
                let (run, first_lane) = self.runs[usize::from(self.run_of[lane])];
                let entry = run.first + lane as u32 - first_lane;
                found.push(PassedSeed { entry, boundary: run.boundary });
            }
        }
        self.runs.clear();
        self.count = 0;
    }
}

/// Clears all bits but the first `count`.
#[inline(always)]
pub(crate) fn first_lanes(mask: u64, count: usize) -> u64 {
    if count < 64 { mask & ((1 << count) - 1) } else { mask }
}

/// Copies [`COPIED`] integers.
#[inline(always)]
fn copy(to: &mut [i16], from: &[i16]) {
    to[..COPIED].copy_from_slice(&from[..COPIED]);
}
