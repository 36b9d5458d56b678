//! Global alignment of many pairs on a device, by a maximum scan along each row. `kernels/score_rows.cu` describes the
//! kernel.
#![allow(unsafe_code)]

use super::PairQueue;
use super::scored_tables::{ScoreCodes, THREAD_COLUMNS, TabledString, cigar};
use crate::pairs::Pair;
use crate::scoring::Scoring;
use crate::{Objective, PairAlignment, reference};
use nigh_device::DeviceError;
use nigh_device::abi::{AlignRowsKernel, RowsArguments, RowsPair, WARP};
use nigh_device::driver::{Buffer, LaunchShape};
use nigh_device::modules::SCORE_ROWS;

/// Maximum length of a target: the columns of a block of 1,024 threads.
pub(crate) const MAX_COLUMNS: usize = 1024 * THREAD_COLUMNS;
/// Maximum number of symbols of a launch, unless it has one pair. Each symbol of a target has a byte for each code.
const LAUNCH_SYMBOLS: usize = 4 << 20;
/// Maximum number of words of the steps of a launch that aligns, unless it has one pair.
const LAUNCH_STEPS: usize = 64 << 20;
/// Maximum number of words of the steps of a pair.
const MAX_STEPS: usize = 256 << 20;
/// Shared memory of a block: maxima of 32 warps in two rows, and the current steps of a traceback.
const SHARED: usize = 3 * 2 * 32 * size_of::<i32>() + 64 * 8 * size_of::<u32>();

/// The results of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowsOutput {
    /// Scores.
    Scores,
    /// Scores and alignments. Needs half a byte for each cell.
    Alignments,
}

/// The pairs of a launch.
#[derive(Default)]
struct RowsBatch {
    queries: Vec<u8>,
    profiles: Vec<i8>,
    pairs: Vec<RowsPair>,
    /// Words of the steps of all pairs.
    steps: usize,
    /// Words of the longest result.
    result_words: usize,
    /// Columns of the longest target.
    columns: usize,
}

impl RowsBatch {
    fn add(&mut self, scoring: &Scoring, pair: Pair<'_>) {
        assert!(pair.target.len() <= MAX_COLUMNS, "a target of {} symbols", pair.target.len());
        let codes = ScoreCodes::new(scoring, TabledString::Target, pair.target);
        let (rows, columns) = (pair.query.len(), pair.target.len());
        self.pairs.push(RowsPair {
            profile: self.profiles.len() as u64,
            steps: self.steps as u64,
            query: u32::try_from(self.queries.len()).expect("the queries of a launch have less than 4 GiB"),
            rows: rows as u32,
            columns: columns as u32,
            unused: 0,
        });
        self.queries.extend(pair.query.iter().map(|&byte| codes.code(byte)));
        self.profiles.extend(codes.row_profile(pair.target));
        self.steps += steps(pair);
        self.result_words = self.result_words.max(1 + (rows + columns).div_ceil(16));
        self.columns = self.columns.max(columns);
    }
}

/// The results of a launch on the device.
struct RowsResults {
    scores: Buffer<i32>,
    alignments: Buffer<u32>,
}

/// Returns the number of words of the steps of a pair.
fn steps(pair: Pair<'_>) -> usize {
    pair.query.len() * pair.target.len().div_ceil(THREAD_COLUMNS)
}

impl PairQueue {
    /// Returns whether [`row_alignments`](PairQueue::row_alignments) takes a pair.
    pub(crate) fn takes_rows(pair: Pair<'_>) -> bool {
        pair.target.len() <= MAX_COLUMNS && steps(pair) <= MAX_STEPS
    }

    /// Returns the global score of each pair.
    ///
    /// # Panics
    /// Panics if a target is longer than [`MAX_COLUMNS`].
    pub(crate) fn row_scores(&self, scoring: &Scoring, pairs: &[Pair<'_>]) -> Result<Vec<i64>, DeviceError> {
        let mut scores = Vec::with_capacity(pairs.len());
        for pairs in launches(pairs, RowsOutput::Scores) {
            scores.extend(self.launch_scores(scoring, pairs)?);
        }
        Ok(scores)
    }

    /// Returns the scores of the pairs of a launch.
    fn launch_scores(&self, scoring: &Scoring, pairs: &[Pair<'_>]) -> Result<Vec<i64>, DeviceError> {
        let (batch, in_batch) = batch_of(scoring, pairs);
        let results = self.align_rows(scoring, &batch, RowsOutput::Scores)?;
        let mut scores = self.queue.pinned::<i32>(batch.pairs.len())?;
        self.queue.download(&results.scores, 0..batch.pairs.len(), &mut scores)?;
        let mut found = scores.wait()?.iter();
        let score = |(pair, is_in): (&Pair<'_>, &bool)| match is_in {
            true => (*found.next().expect("each pair of the batch has a score")).into(),
            false => edge_alignment(scoring, *pair).value,
        };
        Ok(pairs.iter().zip(&in_batch).map(score).collect())
    }

    /// Aligns each pair globally. Appends the alignments to `aligned`.
    ///
    /// # Panics
    /// Panics if a pair is too long: see [`takes_rows`](PairQueue::takes_rows).
    pub(crate) fn row_alignments(
        &self,
        scoring: &Scoring,
        pairs: &[Pair<'_>],
        aligned: &mut Vec<PairAlignment>,
    ) -> Result<(), DeviceError> {
        assert!(pairs.iter().all(|&pair| PairQueue::takes_rows(pair)), "no pair is too long");
        for pairs in launches(pairs, RowsOutput::Alignments) {
            aligned.extend(self.launch_alignments(scoring, pairs)?);
        }
        Ok(())
    }

    /// Returns the alignments of the pairs of a launch.
    fn launch_alignments(&self, scoring: &Scoring, pairs: &[Pair<'_>]) -> Result<Vec<PairAlignment>, DeviceError> {
        let (batch, in_batch) = batch_of(scoring, pairs);
        let results = self.align_rows(scoring, &batch, RowsOutput::Alignments)?;
        let words = batch.pairs.len() * batch.result_words;
        let (mut scores, mut alignments) = (self.queue.pinned::<i32>(batch.pairs.len())?, self.queue.pinned(words)?);
        self.queue.download(&results.scores, 0..batch.pairs.len(), &mut scores)?;
        self.queue.download(&results.alignments, 0..words, &mut alignments)?;
        let mut found = scores.wait()?.iter().zip(alignments.wait()?.chunks_exact(batch.result_words.max(1)));
        let alignment = |(pair, is_in): (&Pair<'_>, &bool)| match is_in {
            true => {
                let (&value, words) = found.next().expect("each pair of the batch has a result");
                let cigar = cigar(&words[1..], words[0] as usize, *pair);
                PairAlignment { value: value.into(), query: 0..pair.query.len(), target: 0..pair.target.len(), cigar }
            }
            false => edge_alignment(scoring, *pair),
        };
        Ok(pairs.iter().zip(&in_batch).map(alignment).collect())
    }

    fn align_rows(&self, scoring: &Scoring, batch: &RowsBatch, output: RowsOutput) -> Result<RowsResults, DeviceError> {
        let (count, keeps) = (batch.pairs.len(), usize::from(output == RowsOutput::Alignments));
        let (queries, profiles) = (self.queue.filled(&batch.queries)?, self.queue.filled(&batch.profiles)?);
        let pairs = self.queue.filled(&batch.pairs)?;
        let (scores, steps) = (self.queue.buffer(count)?, self.queue.buffer::<u32>(keeps * batch.steps)?);
        let mut alignments = self.queue.buffer::<u32>(keeps * count * batch.result_words)?;
        // The kernel writes only the edits that exist. All words are downloaded, so the others must be initialised.
        let words = alignments.length();
        self.queue.clear(&mut alignments, 0..words)?;
        if count == 0 {
            return Ok(RowsResults { scores, alignments });
        }
        let arguments = RowsArguments {
            codes: queries.address(0..batch.queries.len()),
            profiles: profiles.address(0..batch.profiles.len()),
            pairs: pairs.address(0..count),
            steps: steps.address(0..steps.length()),
            scores: scores.address(0..count),
            results: alignments.address(0..words),
            result_words: batch.result_words as u32,
            open: scoring.gaps().open,
            extend: scoring.gaps().extend,
            keeps: keeps as u32,
        };
        let threads = batch.columns.div_ceil(THREAD_COLUMNS).next_multiple_of(WARP);
        let shape = LaunchShape { grid: (count as u32, 1), threads: threads as u32, shared: SHARED as u32 };
        let kernel = self.device.kernel::<AlignRowsKernel>(&SCORE_ROWS)?;
        // SAFETY: `address` checked all buffers. `RowsBatch` made the pairs: the codes, the scores and the steps of
        // each are in the buffers, each code has scores in its profile, and a result has the words for the longest
        // pair. No string is empty. The block has a thread for each 8 columns of the longest target.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
        self.queue.wait()?;
        Ok(RowsResults { scores, alignments })
    }
}

/// Divides pairs into launches.
fn launches<'p>(mut pairs: &'p [Pair<'p>], output: RowsOutput) -> Vec<&'p [Pair<'p>]> {
    let mut launches = Vec::new();
    while !pairs.is_empty() {
        let (mut symbols, mut words) = (0, 0);
        let fits = |pair: &&Pair<'_>| {
            symbols += pair.query.len() + pair.target.len();
            words += if output == RowsOutput::Alignments { steps(**pair) } else { 0 };
            symbols <= LAUNCH_SYMBOLS && words <= LAUNCH_STEPS
        };
        let (launch, after) = pairs.split_at(pairs.iter().take_while(fits).count().max(1));
        launches.push(launch);
        pairs = after;
    }
    launches
}

/// Returns the pairs without an empty string as a batch, and for each pair whether it is in the batch.
fn batch_of(scoring: &Scoring, pairs: &[Pair<'_>]) -> (RowsBatch, Vec<bool>) {
    let mut batch = RowsBatch::default();
    let in_batch: Vec<bool> = pairs.iter().map(|pair| !pair.query.is_empty() && !pair.target.is_empty()).collect();
    let full = pairs.iter().zip(&in_batch).filter(|(_, is_in)| **is_in);
    full.for_each(|(&pair, _)| batch.add(scoring, pair));
    (batch, in_batch)
}

/// Returns the alignment of a pair in which a string is empty.
fn edge_alignment(scoring: &Scoring, pair: Pair<'_>) -> PairAlignment {
    reference::align(&Objective::Global(scoring.clone()), pair)
}
