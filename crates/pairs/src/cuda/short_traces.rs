//! Alignments of many short pairs on a device, by edit distance. `kernels/pair_trace.cu` describes the kernel.
#![allow(unsafe_code)]

use super::PairQueue;
use super::byte_bits::ByteBits;
use crate::PairAlignment;
use crate::pairs::{Pair, Strings};
use nigh_device::DeviceError;
use nigh_device::abi::{DeviceAlignment, PairArguments, PairTraceArguments, PairsTraceKernel};
use nigh_device::driver::LaunchShape;
use nigh_device::modules::PAIR_TRACE;
use nigh_text::alignment::{BackwardRuns, Edit};

/// Maximum number of symbols of a string.
pub(crate) const MAX_TRACED: usize = 64;
/// Maximum number of pairs of a launch.
const LAUNCH_PAIRS: usize = 1 << 14;
/// Threads of a block.
const THREADS: usize = 128;
/// Columns of a quadrant.
const COLUMNS: usize = 8;

impl PairQueue {
    /// Aligns pairs with the least number of edits. Appends their alignments to `aligned`.
    ///
    /// # Panics
    /// Panics if a string has more than [`MAX_TRACED`] symbols.
    pub(crate) fn short_alignments(
        &mut self,
        pairs: &[Pair<'_>],
        aligned: &mut Vec<PairAlignment>,
    ) -> Result<(), DeviceError> {
        let mut runs = BackwardRuns::default();
        for pairs in pairs.chunks(LAUNCH_PAIRS) {
            let words = self.trace_short(pairs)?;
            let traced = self.short[0].traced.host()?[..pairs.len() * words].chunks_exact(words);
            aligned.extend(pairs.iter().zip(traced).map(|(pair, words)| {
                let (mut distance, traced) = (0, DeviceAlignment::of(words));
                runs.clear();
                for edit in traced.edits().rev().map(Edit::from) {
                    distance += i64::from(edit != Edit::Match);
                    runs.push(1, edit);
                }
                let (query, target) = (0..pair.query.len(), 0..pair.target.len());
                PairAlignment { value: distance, query, target, cigar: runs.cigar() }
            }));
        }
        Ok(())
    }

    /// Queues the launch of some pairs, and the download of their alignments. Returns the words of an alignment.
    fn trace_short(&mut self, pairs: &[Pair<'_>]) -> Result<usize, DeviceError> {
        let (queue, buffers) = (&self.queue, &mut self.short[0]);
        let longest = pairs.iter().map(|pair| pair.query.len().max(pair.target.len())).max().unwrap_or(0);
        let columns = pairs.iter().map(|pair| pair.target.len()).max().unwrap_or(0);
        let (rows, module) = PAIR_TRACE.iter().find(|(rows, _)| longest <= *rows).expect("a pair is short");
        let queries: Vec<&[u8]> = pairs.iter().map(|pair| pair.query).collect();
        let targets: Vec<&[u8]> = pairs.iter().map(|pair| pair.target).collect();
        let queries = buffers.queries.upload(queue, &Strings::Slices(&queries), 0..pairs.len())?;
        let targets = buffers.targets.upload(queue, &Strings::Slices(&targets), 0..pairs.len())?;
        let words = DeviceAlignment::words(2 * rows);
        let total = pairs.len() * words;
        buffers.traced.reserve(queue, total)?;
        // The kernel writes only the edits that exist. All words are downloaded, so the others must be initialised.
        buffers.traced.clear(queue, total)?;
        let quadrants = columns.div_ceil(COLUMNS);
        let arguments = PairTraceArguments {
            pairs: PairArguments {
                queries: queries.bytes,
                targets: targets.bytes,
                query_ends: queries.ends,
                target_ends: targets.ends,
                values: 0,
                pairs: pairs.len() as u32,
                query_length: queries.length,
                query_stride: queries.stride,
                target_length: targets.length,
                planes: ByteBits::ALL.planes(),
            },
            alignments: buffers.traced.address(total),
            quadrants: quadrants as u32,
            unused: 0,
        };
        let shape = LaunchShape {
            grid: (pairs.len().div_ceil(THREADS) as u32, 1),
            threads: THREADS as u32,
            shared: (THREADS * quadrants * (rows / 4)) as u32,
        };
        let kernel = self.device.kernel::<PairsTraceKernel>(module)?;
        // SAFETY: the strings were uploaded with their padding and their ends. No string is longer than the module's
        // rows, and no target has more quadrants than stated, for which each thread has shared memory. There are the
        // words of an alignment for each pair.
        unsafe { queue.launch(&kernel, shape, &arguments) }?;
        buffers.traced.download(queue, total)?;
        Ok(words)
    }
}
