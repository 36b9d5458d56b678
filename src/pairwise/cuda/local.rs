//! Best local scores of a query with many targets on a device: Smith-Waterman with two 16-bit scores per word, and with
//! 32 bits for targets that exceed them and for the ends of alignments. `kernels/local.cu` describes the kernels.
#![allow(unsafe_code)]

use super::PairQueue;
use super::scored_tables::{ScoreCodes, Strip, TabledString, max_half_score};
use crate::engine::DeviceError;
use crate::engine::cuda::abi::{
    BestCell, LocalArguments, LocalBorder, LocalHalvesKernel, LocalTarget, LocalWordsKernel,
};
use crate::engine::cuda::driver::{Buffer, KernelSignature, LaunchShape};
use crate::engine::cuda::ptx::{LOCAL_HALVES, LOCAL_WORDS, Module};
use crate::pairwise::pairs::Strings;
use crate::pairwise::scoring::Scoring;

/// Maximum number of symbols of the targets of a launch, unless one target has more.
const BATCH_SYMBOLS: usize = 256 << 20;
/// Threads of a block.
const THREADS: usize = 128;
/// Blocks per multiprocessor: at least as many as it holds at once.
const BLOCKS: usize = 6;
/// Columns of the ring of codes of a group.
const RING: usize = 64;
/// Rows of a lane of `local_words`.
const WORD_ROWS: usize = 32;
/// The score of a target that 16 bits may not hold.
const OVERFLOW: i32 = -1;

/// A query, and the targets that it is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalSearch<'a> {
    pub(crate) scoring: &'a Scoring,
    pub(crate) query: &'a [u8],
    pub(crate) targets: Strings<'a>,
}

/// The best local score of a target, and the end of its alignment: the best cell with the smallest target position,
/// and of these the one with the smallest query position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalEnd {
    /// The score; 0 if there is no alignment.
    pub(crate) score: i32,
    /// The offset in the query just past the alignment.
    pub(crate) query: usize,
    /// The offset in the target just past the alignment.
    pub(crate) target: usize,
}

/// The kernels for local alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LocalKernels {
    /// Scores of 16 bits, two in a word.
    Halves,
    /// Scores of 32 bits, with ends.
    Words,
}

/// Some targets in the order of a launch: by falling length.
struct LocalBatch {
    /// The position of each target in the list that the batch was made from.
    order: Vec<usize>,
    places: Vec<LocalTarget>,
    codes: Vec<u8>,
}

/// A query on the device, in strips.
struct UploadedQuery {
    strip: Strip,
    /// The scores of each strip.
    profiles: Vec<Buffer<i8>>,
    code_count: usize,
}

impl LocalBatch {
    fn new(codes: &ScoreCodes<'_>, targets: &Strings<'_>, indices: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(targets.get(indices[at]).len()));
        let (mut places, mut encoded) = (Vec::new(), Vec::new());
        for &at in &order {
            let target = targets.get(indices[at]);
            places.push(LocalTarget { first: encoded.len() as u32, length: target.len() as u32 });
            encoded.extend(target.iter().map(|&byte| codes.code(byte)));
        }
        LocalBatch { order, places, codes: encoded }
    }
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
    /// Returns the best local score of a query with each target.
    pub(crate) fn local_scores(&self, search: &LocalSearch<'_>) -> Result<Vec<i32>, DeviceError> {
        let all: Vec<usize> = (0..search.targets.len()).collect();
        let fits = self.device.facts().capability >= (9, 0) && max_half_score(search.scoring) > 0;
        let first = if fits { LocalKernels::Halves } else { LocalKernels::Words };
        let found = self.search(first, search, &all)?;
        let mut scores: Vec<i32> = found.iter().map(|best| best.score).collect();
        let exceeding: Vec<usize> = all.into_iter().filter(|&index| scores[index] == OVERFLOW).collect();
        let found = self.search(LocalKernels::Words, search, &exceeding)?;
        exceeding.iter().zip(found).for_each(|(&index, best)| scores[index] = best.score);
        Ok(scores)
    }

    /// Returns the best local score of a query with the targets with these indices, and the ends of the alignments.
    #[cfg_attr(not(test), expect(dead_code, reason = "no engine needs it yet"))]
    pub(crate) fn local_ends(&self, search: &LocalSearch<'_>, indices: &[usize]) -> Result<Vec<LocalEnd>, DeviceError> {
        let found = self.search(LocalKernels::Words, search, indices)?;
        let end =
            |best: BestCell| LocalEnd { score: best.score, query: best.row as usize, target: best.column as usize };
        Ok(found.into_iter().map(end).collect())
    }

    /// Returns the results for the targets with these indices.
    fn search(
        &self,
        kernels: LocalKernels,
        search: &LocalSearch<'_>,
        indices: &[usize],
    ) -> Result<Vec<BestCell>, DeviceError> {
        let LocalSearch { scoring, query, ref targets } = *search;
        let codes = ScoreCodes::new(scoring, TabledString::Query, query);
        let symbols: usize = indices.iter().map(|&index| targets.get(index).len()).sum();
        let mean = symbols / indices.len().max(1);
        let uploaded = self.upload_query(kernels, &codes, query, mean)?;
        let mut found = Vec::with_capacity(indices.len());
        for indices in batches(targets, indices) {
            let batch = LocalBatch::new(&codes, targets, indices);
            let best = match kernels {
                LocalKernels::Halves => {
                    let module = LOCAL_HALVES.iter().find(|(rows, _)| *rows == uploaded.strip.rows);
                    let (_, module) = module.expect("a strip has the rows of a module");
                    self.search_batch::<LocalHalvesKernel>(module, scoring, &uploaded, &batch)?
                }
                LocalKernels::Words => {
                    self.search_batch::<LocalWordsKernel>(&LOCAL_WORDS, scoring, &uploaded, &batch)?
                }
            };
            let first = found.len();
            found.resize(first + indices.len(), BestCell { score: 0, row: 0, column: 0 });
            batch.order.iter().zip(best).for_each(|(&at, best)| found[first + at] = best);
        }
        Ok(found)
    }

    fn upload_query(
        &self,
        kernels: LocalKernels,
        codes: &ScoreCodes<'_>,
        query: &[u8],
        mean: usize,
    ) -> Result<UploadedQuery, DeviceError> {
        let rows: &[usize] = match kernels {
            LocalKernels::Halves => &LOCAL_HALVES.map(|(rows, _)| rows),
            LocalKernels::Words => &[WORD_ROWS],
        };
        let strip = Strip::choose(rows, query.len(), mean, codes.count());
        let first_rows = (0..query.len().max(1)).step_by(strip.height());
        let profiles: Result<_, _> =
            first_rows.map(|first| self.queue.filled(&codes.local_profile(query, strip, first))).collect();
        Ok(UploadedQuery { strip, profiles: profiles?, code_count: codes.count() + 1 })
    }

    /// Searches a batch, strip by strip.
    fn search_batch<K: KernelSignature<Arguments = LocalArguments>>(
        &self,
        module: &Module,
        scoring: &Scoring,
        query: &UploadedQuery,
        batch: &LocalBatch,
    ) -> Result<Vec<BestCell>, DeviceError> {
        let kernel = self.device.kernel::<K>(module)?;
        let (count, strips, gaps) = (batch.places.len(), query.profiles.len(), scoring.gaps());
        let (codes, places) = (self.queue.filled(&batch.codes)?, self.queue.filled(&batch.places)?);
        let borders = self.queue.buffer::<LocalBorder>(if strips > 1 { batch.codes.len() } else { 0 })?;
        let mut scores = self.queue.buffer::<BestCell>(count)?;
        let mut next = self.queue.buffer::<u32>(strips)?;
        self.queue.clear(&mut scores, 0..count)?;
        self.queue.clear(&mut next, 0..strips)?;
        for (number, profile) in query.profiles.iter().enumerate() {
            let arguments = LocalArguments {
                codes: codes.address(0..batch.codes.len()),
                targets: places.address(0..count),
                profile: profile.address(0..query.strip.height() * query.code_count),
                borders: borders.address(0..borders.length()),
                scores: scores.address(0..count),
                next: next.address(number..number + 1),
                target_count: count as u32,
                lanes: query.strip.lanes as u32,
                code_count: query.code_count as u32,
                first_row: (number * query.strip.height()) as u32,
                is_last: u32::from(number + 1 == strips),
                open: gaps.open,
                extend: gaps.extend,
                max_score: scoring.max_score().max(0),
            };
            // SAFETY: `address` checked the codes, the targets, the scores, the counter and the profile, which
            // `local_profile` made for this strip; with several strips there is a border for each code. `LocalBatch`
            // made the targets by falling length: each is a range of the codes, which do not overlap, and each code has
            // scores in the profile before the padding. The counter is 0. The kernel of this module has the rows of the
            // strip, and the block has the shared memory for them.
            unsafe { self.queue.launch(&kernel, self.local_shape(query), &arguments) }?;
        }
        let mut downloaded = self.queue.pinned::<BestCell>(count)?;
        self.queue.download(&scores, 0..count, &mut downloaded)?;
        Ok(downloaded.wait()?.to_vec())
    }

    fn local_shape(&self, query: &UploadedQuery) -> LaunchShape {
        let groups = THREADS / query.strip.lanes;
        let shared = query.strip.height() * query.code_count + groups * (RING + query.strip.lanes) * size_of::<u32>();
        let blocks = BLOCKS * self.device.facts().multiprocessors;
        LaunchShape { grid: (blocks as u32, 1), threads: THREADS as u32, shared: shared as u32 }
    }
}
