//! Edit distances and common subsequences of many short pairs on a device. `kernels/pairs.cu` describes the kernel.
#![allow(unsafe_code)]

use std::ops::Range;

use super::PairQueue;
use super::byte_bits::ByteBits;
use crate::engine::DeviceError;
use crate::engine::cuda::abi::{PairArguments, PairsDistance8Kernel, PairsLcs8Kernel};
use crate::engine::cuda::driver::LaunchShape;
use crate::engine::cuda::ptx::PAIRS;
use crate::pairwise::EditModel;
use crate::pairwise::pairs::Pairs;

/// Maximum number of symbols of a query.
pub(crate) const MAX_QUERY: usize = 256;
/// Maximum number of symbols of the queries of a launch, and of its targets. A launch of this size takes the device
/// longer than its start, and the buffers of all workers have room in small devices.
const LAUNCH_SYMBOLS: usize = 8 << 20;
/// Threads of a block.
const THREADS: usize = 256;

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
        values: &mut [i32],
    ) -> Result<(), DeviceError> {
        let mut rest = values;
        let mut start = range.start;
        while start < range.end {
            let end = launch_end(pairs, start..range.end);
            let (launched, after) = rest.split_at_mut(end - start);
            self.short_launch(model, pairs, start..end, launched)?;
            (rest, start) = (after, end);
        }
        Ok(())
    }

    /// Computes the values of one launch.
    fn short_launch(
        &mut self,
        model: EditModel,
        pairs: &Pairs<'_>,
        range: Range<usize>,
        values: &mut [i32],
    ) -> Result<(), DeviceError> {
        let (queue, buffers, count) = (&self.queue, &mut self.short, range.len());
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
            // With fewer planes a launch would be up to twice as fast, but copies take longer than any launch, and to
            // look for bits that suffice takes the host longer still.
            planes: ByteBits::ALL.planes(),
        };
        let shape = LaunchShape { grid: (count.div_ceil(THREADS) as u32, 1), threads: THREADS as u32, shared: 0 };
        match model {
            EditModel::Levenshtein => {
                let kernel = self.device.kernel::<PairsDistance8Kernel>(module)?;
                // SAFETY: the strings were uploaded with their padding, and have the lengths or the ends in
                // `arguments`. There is a value for each pair, and no query has more rows than the module. A launch of
                // blocks without shared memory may have any number of them.
                unsafe { queue.launch(&kernel, shape, &arguments) }?;
            }
            EditModel::Indel => {
                let kernel = self.device.kernel::<PairsLcs8Kernel>(module)?;
                // SAFETY: as above; both kernels have the same contract.
                unsafe { queue.launch(&kernel, shape, &arguments) }?;
            }
        }
        buffers.values.download(queue, count)?;
        values.copy_from_slice(&buffers.values.host()?[..count]);
        Ok(())
    }
}

/// Returns the end of the pairs of a launch: as many of `range` as have [`LAUNCH_SYMBOLS`], and at least one.
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
