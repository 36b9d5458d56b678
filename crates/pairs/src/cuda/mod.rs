//! Comparison of pairs on NVIDIA devices.
//!
//! Edit distance and common subsequences: [`short_edits`] compares many short pairs, in [`short_buffers`],
//! [`short_traces`] aligns them, and [`long_edits`] compares one long pair; [`byte_bits`] finds the bits of a byte that
//! they compare. Scores: [`local`] searches many targets, with [`local_buffers`], [`tiles`] aligns one long pair, and
//! [`rows`] many shorter ones; [`scored_tables`] computes what their kernels read. [`mirror`] copies between host and
//! device.

mod byte_bits;
mod local;
mod local_buffers;
mod long_edits;
mod mirror;
mod rows;
mod scored_tables;
mod short_buffers;
mod short_edits;
mod short_traces;
mod tiles;

use std::sync::Arc;

use local_buffers::LocalBuffers;
use nigh_device::DeviceError;
use nigh_device::driver::{Device, Queue};
use short_buffers::ShortBuffers;

pub(super) use local::LocalSearch;
pub(super) use rows::MAX_COLUMNS;
pub(super) use short_edits::MAX_QUERY;
pub(super) use short_traces::MAX_TRACED;
pub(super) use tiles::TiledExtent;

/// A device with a queue for pairs.
pub(crate) struct PairQueue {
    device: Arc<Device>,
    queue: Queue,
    /// Buffers for two launches of short pairs.
    short: [ShortBuffers; 2],
    local: LocalBuffers,
}

impl PairQueue {
    /// Makes a queue for a device.
    pub(crate) fn new(device: Arc<Device>) -> Result<Self, DeviceError> {
        let queue = Queue::reusing_memory(&device)?;
        let short = [ShortBuffers::new(&queue)?, ShortBuffers::new(&queue)?];
        let local = LocalBuffers::new(&queue)?;
        Ok(PairQueue { device, queue, short, local })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::OnceCell;

    use fastrand::Rng;

    use super::*;
    use crate::EditModel;
    use crate::pairs::{Pair, Pairs, Strings};
    use crate::scoring::{GapCosts, Scoring, Substitution};
    use crate::test_cases::{OwnedPair, random_pair};
    use crate::{Objective, PairAlignment, reference};
    use local::LocalSearch;
    use nigh_device::driver;
    use tiles::TiledExtent;

    /// Returns a queue, or `None` where there is no driver.
    fn queue() -> Option<PairQueue> {
        thread_local!(static DEVICES: OnceCell<bool> = const { OnceCell::new() });
        let has_driver = DEVICES.with(|devices| *devices.get_or_init(|| driver::count().is_ok()));
        if !has_driver {
            eprintln!("skipped: there is no CUDA driver");
            return None;
        }
        Some(PairQueue::new(Device::open(0).unwrap()).unwrap())
    }

    fn scorings() -> [Scoring; 3] {
        let scoring = |equal, different, open, extend| {
            Scoring::new(Substitution::Equality { equal, different }, GapCosts { open, extend }).unwrap()
        };
        [scoring(2, -3, 5, 2), scoring(1, -1, 0, 1), scoring(127, -128, 1000, 1000)]
    }

    #[test]
    fn edits_are_counted_as_by_the_reference() {
        let Some(mut queue) = queue() else { return };
        let mut rng = Rng::with_seed(70);
        for (model, objective) in [(EditModel::Levenshtein, Objective::Distance), (EditModel::Indel, Objective::Lcs)] {
            let owned: Vec<OwnedPair> = (0..60).map(|_| random_pair(&mut rng, MAX_QUERY)).collect();
            let queries: Vec<&[u8]> = owned.iter().map(|(query, _)| &query[..]).collect();
            let targets: Vec<&[u8]> = owned.iter().map(|(_, target)| &target[..]).collect();
            let pairs = Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets));
            let value = |pair: Pair<'_>| reference::align(&objective, pair).value;
            let expected: Vec<i64> = (0..pairs.len()).map(|index| value(pairs.get(index))).collect();
            let mut values = vec![0; pairs.len()];
            queue.short_edits(model, &pairs, 0..pairs.len(), &mut values).unwrap();
            assert_eq!(values, expected);
            for longest in [3, 400, 2500] {
                let (query, target) = random_pair(&mut rng, longest);
                let pair = Pair { query: &query, target: &target };
                assert_eq!(queue.long_edits(model, pair).unwrap(), value(pair));
            }
        }
    }

    #[test]
    fn short_pairs_are_aligned_to_the_letter() {
        let Some(mut queue) = queue() else { return };
        let mut rng = Rng::with_seed(74);
        for longest in [5, 32, MAX_TRACED] {
            let owned: Vec<OwnedPair> = (0..300).map(|_| random_pair(&mut rng, longest)).collect();
            let pairs: Vec<Pair<'_>> = owned.iter().map(|(query, target)| Pair { query, target }).collect();
            let mut aligned = Vec::new();
            queue.short_alignments(&pairs, &mut aligned).unwrap();
            for (&pair, aligned) in pairs.iter().zip(&aligned) {
                assert_eq!(*aligned, reference::align(&Objective::Distance, pair));
            }
        }
    }

    #[test]
    fn searches_give_the_best_scores() {
        let Some(mut queue) = queue() else { return };
        let mut rng = Rng::with_seed(71);
        for scoring in scorings() {
            let pairs: Vec<OwnedPair> = (0..25).map(|_| random_pair(&mut rng, 300)).collect();
            // The second query has more rows than a strip.
            let length = if scoring.gaps().open == 0 { 1600 } else { 280 };
            let query = [&pairs[0].0[..], &vec![b'A'; length]].concat();
            let targets: Vec<&[u8]> = pairs.iter().map(|pair| &pair.1[..]).chain([&[b'A'; 270][..]]).collect();
            let targets = Strings::Slices(&targets);
            let objective = Objective::Local(scoring.clone());
            let scores: Vec<i64> = (0..targets.len())
                .map(|index| reference::align(&objective, Pair { query: &query, target: targets.get(index) }).value)
                .collect();
            let search = LocalSearch { scoring: &scoring, query: &query, targets };
            assert_eq!(queue.local_scores(&search).unwrap(), scores);
        }
    }

    #[test]
    fn tiles_align_to_the_letter() {
        let Some(queue) = queue() else { return };
        let mut rng = Rng::with_seed(72);
        for index in 0..30 {
            let (query, target) = random_pair(&mut rng, 400);
            let pair = Pair { query: &query, target: &target };
            let scoring = &scorings()[index % 3];
            let global = reference::align(&Objective::Global(scoring.clone()), pair);
            let local = reference::align(&Objective::Local(scoring.clone()), pair);
            for (extent, expected) in [(TiledExtent::Global, global), (TiledExtent::Local, local)] {
                assert_eq!(queue.tiled_score(scoring, pair, extent).unwrap(), expected.value);
                assert_eq!(queue.tiled_alignment(scoring, pair, extent).unwrap(), expected);
            }
        }
    }

    #[test]
    fn rows_align_to_the_letter() {
        let Some(queue) = queue() else { return };
        let mut rng = Rng::with_seed(73);
        for scoring in scorings() {
            let owned: Vec<OwnedPair> = (0..12).map(|_| random_pair(&mut rng, 300)).collect();
            let pairs: Vec<Pair<'_>> = owned.iter().map(|(query, target)| Pair { query, target }).collect();
            let objective = Objective::Global(scoring.clone());
            let expected: Vec<PairAlignment> = pairs.iter().map(|&pair| reference::align(&objective, pair)).collect();
            let values: Vec<i64> = expected.iter().map(|aligned| aligned.value).collect();
            assert_eq!(queue.row_scores(&scoring, &pairs).unwrap(), values);
            let mut aligned = Vec::new();
            queue.row_alignments(&scoring, &pairs, &mut aligned).unwrap();
            assert_eq!(aligned, expected);
        }
    }
}
