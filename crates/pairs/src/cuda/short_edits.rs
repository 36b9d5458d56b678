//! Edit distances and common subsequences of many short pairs on a device. `kernels/pairs.cu` describes the kernel.
//!
//! Launches take turns with two sets of buffers, so that the host fills one while the device reads the other.
#![allow(unsafe_code)]

use std::ops::Range;

use super::PairQueue;
use super::byte_bits::ByteBits;
use crate::EditModel;
use crate::pairs::Pairs;
use nigh_device::DeviceError;
use nigh_device::abi::{PairArguments, PairsDistanceKernel, PairsLcsKernel};
use nigh_device::driver::LaunchShape;
use nigh_device::modules::PAIRS;

/// Maximum number of symbols of a query.
pub(crate) const MAX_QUERY: usize = 256;
/// Maximum number of symbols of the queries of a launch, and of its targets.
const LAUNCH_SYMBOLS: usize = 1 << 19;
/// Threads of a block.
const THREADS: usize = 256;

/// A launch whose values are not downloaded yet.
struct PendingLaunch {
    /// Index of the buffers of the launch.
    turn: usize,
    /// Indices of the pairs of the launch.
    range: Range<usize>,
}

impl PairQueue {
    /// Computes the values of the pairs in `range`: distances, or lengths of longest common subsequences.
    ///
    /// # Panics
    /// Panics if a query has more than [`MAX_QUERY`] symbols.
    pub(crate) fn short_edits(
        &mut self,
        model: EditModel,
        pairs: &Pairs<'_>,
        range: Range<usize>,
        values: &mut [i64],
    ) -> Result<(), DeviceError> {
        let mut before: Option<PendingLaunch> = None;
        let (mut start, mut turn) = (range.start, 0);
        while start < range.end {
            let end = launch_end(pairs, start..range.end);
            let launched = PendingLaunch { turn, range: start..end };
            self.launch_short(model, pairs, &launched)?;
            if let Some(before) = before.replace(launched) {
                self.take_values(&before, range.start, values)?;
            }
            (start, turn) = (end, 1 - turn);
        }
        match before {
            Some(last) => self.take_values(&last, range.start, values),
            None => Ok(()),
        }
    }

    /// Queues the copies and the kernel of a launch.
    fn launch_short(
        &mut self,
        model: EditModel,
        pairs: &Pairs<'_>,
        launched: &PendingLaunch,
    ) -> Result<(), DeviceError> {
        let (queue, buffers) = (&self.queue, &mut self.short[launched.turn]);
        let (range, count) = (launched.range.clone(), launched.range.len());
        let longest = range.clone().map(|index| pairs.get(index).query.len()).max().unwrap_or(0);
        let (_, module) = PAIRS.iter().find(|(rows, _)| longest <= *rows).expect("a query is short");
        let (queries, targets) = match pairs {
            Pairs::Zipped { queries, targets } => (buffers.queries.upload(queue, queries, range.clone())?, targets),
            Pairs::OneToMany { query, targets } => (buffers.queries.upload_one(queue, query)?, targets),
        };
        let targets = buffers.targets.upload(queue, targets, range)?;
        buffers.values.reserve(queue, count)?;
        let arguments = PairArguments {
            queries: queries.bytes,
            targets: targets.bytes,
            query_ends: queries.ends,
            target_ends: targets.ends,
            values: buffers.values.address(count),
            pairs: count as u32,
            query_length: queries.length,
            query_stride: queries.stride,
            target_length: targets.length,
            planes: ByteBits::ALL.planes(),
        };
        let shape = LaunchShape { grid: (count.div_ceil(THREADS) as u32, 1), threads: THREADS as u32, shared: 0 };
        match model {
            EditModel::Levenshtein => {
                let kernel = self.device.kernel::<PairsDistanceKernel>(module)?;
                // SAFETY: the strings were uploaded with their padding, and have the lengths or the ends in
                // `arguments`. There is a value for each pair, and no query has more rows than the module. A launch of
                // blocks without shared memory may have any number of them.
                unsafe { queue.launch(&kernel, shape, &arguments) }?;
            }
            EditModel::Indel => {
                let kernel = self.device.kernel::<PairsLcsKernel>(module)?;
                // SAFETY: as above; both kernels have the same contract.
                unsafe { queue.launch(&kernel, shape, &arguments) }?;
            }
        }
        buffers.values.download(queue, count)
    }

    /// Waits for a launch and copies its values. `values` begins with that of the pair `first`.
    fn take_values(&mut self, launched: &PendingLaunch, first: usize, values: &mut [i64]) -> Result<(), DeviceError> {
        let PendingLaunch { turn, range } = launched;
        let downloaded = &self.short[*turn].values.host()?[..range.len()];
        let values = &mut values[range.start - first..range.end - first];
        values.iter_mut().zip(downloaded).for_each(|(value, &downloaded)| *value = downloaded.into());
        Ok(())
    }
}

/// Returns the end of the pairs of a launch, which starts with `range`: their queries and their targets have at most
/// [`LAUNCH_SYMBOLS`] each, or there is only one pair.
fn launch_end(pairs: &Pairs<'_>, range: Range<usize>) -> usize {
    let (mut queries, mut targets) = (0, 0);
    let fits = |&index: &usize| {
        let pair = pairs.get(index);
        queries += pair.query.len();
        targets += pair.target.len();
        queries.max(targets) <= LAUNCH_SYMBOLS
    };
    range.start + range.clone().take_while(fits).count().max(1)
}
