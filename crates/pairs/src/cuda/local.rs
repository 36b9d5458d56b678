//! Best local scores of a query with many targets on a device: Smith-Waterman with two 16-bit scores per word, and with
//! 32-bit scores for targets whose score may not fit in 16 bits. `kernels/local.cu` describes the kernels.
#![allow(unsafe_code)]

use super::PairQueue;
use super::local_buffers::{BatchSize, UploadedQuery};
use super::scored_tables::{ScoreCodes, Strip, TabledString, max_half_score};
use crate::pairs::Strings;
use crate::scoring::Scoring;
use nigh_device::DeviceError;
use nigh_device::abi::{LocalArguments, LocalHalvesKernel, LocalWordsKernel};
use nigh_device::driver::{KernelSignature, LaunchShape};
use nigh_device::modules::{LOCAL_HALVES, LOCAL_WORDS, Module};

/// Maximum number of symbols of the targets of a launch, unless one target has more.
const BATCH_SYMBOLS: usize = 256 << 20;
/// Threads of a block.
const THREADS: usize = 128;
/// Number of blocks per multiprocessor: at least the number that it holds at once.
const BLOCKS: usize = 6;
/// Columns of the ring of codes of a group.
const RING: usize = 64;
/// Rows of a lane of `local_words`.
const WORD_ROWS: usize = 32;
/// The result for a target whose score may not fit in 16 bits.
const OVERFLOW: i32 = -1;

/// A query, and the targets that it is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalSearch<'a> {
    pub(crate) scoring: &'a Scoring,
    pub(crate) query: &'a [u8],
    pub(crate) targets: Strings<'a>,
}

/// The kernels for local alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LocalKernels {
    /// Scores of 16 bits, two in a word.
    Halves,
    /// Scores of 32 bits.
    Words,
}

/// Divides targets into batches of [`BATCH_SYMBOLS`].
fn batches<'a>(targets: &Strings<'_>, mut indices: &'a [usize]) -> Vec<&'a [usize]> {
    let mut batches = Vec::new();
    while !indices.is_empty() {
        let mut symbols = 0;
        let fitting = indices.iter().take_while(|&&index| {
            symbols += targets.get(index).len();
            symbols <= BATCH_SYMBOLS
        });
        let (batch, rest) = indices.split_at(fitting.count().max(1));
        batches.push(batch);
        indices = rest;
    }
    batches
}

impl PairQueue {
    /// Returns the best local score of a query with each target. A target must have less than 4 GiB.
    pub(crate) fn local_scores(&mut self, search: &LocalSearch<'_>) -> Result<Vec<i64>, DeviceError> {
        let all: Vec<usize> = (0..search.targets.len()).collect();
        let fits = self.device.facts().capability >= (9, 0) && max_half_score(search.scoring) > 0;
        let first = if fits { LocalKernels::Halves } else { LocalKernels::Words };
        let mut scores = self.search(first, search, &all)?;
        let exceeding: Vec<usize> = all.into_iter().filter(|&index| scores[index] == OVERFLOW).collect();
        let found = self.search(LocalKernels::Words, search, &exceeding)?;
        exceeding.iter().zip(found).for_each(|(&index, score)| scores[index] = score);
        Ok(scores.into_iter().map(i64::from).collect())
    }

    /// Returns the scores of the targets with these indices.
    fn search(
        &mut self,
        kernels: LocalKernels,
        search: &LocalSearch<'_>,
        indices: &[usize],
    ) -> Result<Vec<i32>, DeviceError> {
        let LocalSearch { scoring, query, ref targets } = *search;
        let codes = ScoreCodes::new(scoring, TabledString::Query, query);
        let symbols: usize = indices.iter().map(|&index| targets.get(index).len()).sum();
        let mean = symbols / indices.len().max(1);
        let rows: &[usize] = match kernels {
            LocalKernels::Halves => &LOCAL_HALVES.map(|(rows, _)| rows),
            LocalKernels::Words => &[WORD_ROWS],
        };
        let strip = Strip::choose(rows, query.len(), mean, codes.count());
        let uploaded = self.local.upload_query(&self.queue, &codes, query, strip)?;
        let mut scores = Vec::with_capacity(indices.len());
        for indices in batches(targets, indices) {
            let order = self.local.upload_targets(&self.queue, &codes, targets, indices)?;
            let symbols = indices.iter().map(|&index| targets.get(index).len()).sum();
            let size = BatchSize { targets: indices.len(), symbols };
            match kernels {
                LocalKernels::Halves => {
                    let module = LOCAL_HALVES.iter().find(|(rows, _)| *rows == uploaded.strip.rows);
                    let (_, module) = module.expect("a strip has the rows of a module");
                    self.search_batch::<LocalHalvesKernel>(module, scoring, &uploaded, size)?;
                }
                LocalKernels::Words => {
                    self.search_batch::<LocalWordsKernel>(&LOCAL_WORDS, scoring, &uploaded, size)?;
                }
            }
            let first = scores.len();
            scores.resize(first + order.len(), 0);
            let found = self.local.scores.host()?;
            order.iter().zip(found).for_each(|(&at, best)| scores[first + at] = best.score);
        }
        Ok(scores)
    }

    /// Searches the uploaded targets, strip by strip, and queues the download of the scores.
    fn search_batch<K: KernelSignature<Arguments = LocalArguments>>(
        &mut self,
        module: &Module,
        scoring: &Scoring,
        query: &UploadedQuery,
        size: BatchSize,
    ) -> Result<(), DeviceError> {
        let BatchSize { targets, symbols } = size;
        let kernel = self.device.kernel::<K>(module)?;
        let shape = self.local_shape(query);
        let (queue, buffers, strips, gaps) = (&self.queue, &mut self.local, query.strips, scoring.gaps());
        buffers.prepare(queue, size, strips)?;
        let profiles = buffers.profiles.address(strips * query.profile_length());
        for number in 0..strips {
            let arguments = LocalArguments {
                codes: buffers.codes.address(symbols),
                targets: buffers.targets.address(targets),
                profile: profiles + (number * query.profile_length()) as u64,
                borders: buffers.borders.address(0..if strips > 1 { symbols } else { 0 }),
                scores: buffers.scores.address(targets),
                next: buffers.next.address(number..number + 1),
                target_count: targets as u32,
                lanes: query.strip.lanes as u32,
                code_count: query.code_count as u32,
                first_row: (number * query.strip.height()) as u32,
                is_last: u32::from(number + 1 == strips),
                open: gaps.open,
                extend: gaps.extend,
                max_score: scoring.max_score().max(0),
            };
            // SAFETY: `address` checked the codes, the targets, the scores, the counter and the profiles, which
            // `upload_query` made for these strips; with several strips there is a border for each code.
            // `upload_targets` made the targets by falling length: each is a range of the codes, which do not overlap,
            // and each code has scores in the profile before the padding. The counter is 0. The kernel of this module
            // has the rows of the strip, and the block has the shared memory for them.
            unsafe { queue.launch(&kernel, shape, &arguments) }?;
        }
        buffers.scores.download(queue, targets)
    }

    fn local_shape(&self, query: &UploadedQuery) -> LaunchShape {
        let groups = THREADS / query.strip.lanes;
        let shared = query.profile_length() + groups * (RING + query.strip.lanes) * size_of::<u32>();
        let blocks = BLOCKS * self.device.facts().multiprocessors;
        LaunchShape { grid: (blocks as u32, 1), threads: THREADS as u32, shared: shared as u32 }
    }
}
