//! The interface for other programs: functions for one pair, and [`PairAligner`] for many.

use std::sync::{Arc, Mutex};

use super::cpu::CpuPairs;
use super::engine::{PairEngine, PairWorker};
use super::pairs::{Pair, Pairs, Strings};
use super::scoring::Scoring;
use super::select::{PairEngineTask, pair_engine};
use super::symbols::WidePair;
use super::{Objective, PairAlignment};
use nigh_engine::EngineChoice;
use nigh_text::alignment::Edit;
use nigh_text::interrupt;
use nigh_text::threads::on_threads;
use nigh_verify::EngineError;

/// Maximum number of pairs that a thread takes at a time. It is so large that short pairs are worth a launch on a
/// device.
const MAX_PAIRS: usize = 1 << 16;
/// Minimum number of pairs that a thread takes at a time, unless fewer pairs have [`MIN_SYMBOLS`] symbols. Among this
/// number of pairs, there are enough of similar lengths.
const MIN_PAIRS: usize = 1 << 10;
const MIN_SYMBOLS: usize = 1 << 18;
/// Largest number of pairs that a thread aligns at a time.
const ALIGNED_AT_A_TIME: usize = 1 << 12;
/// The number of times that each thread takes pairs, if there are enough, so that all threads end at about the same
/// time.
const TURNS: usize = 8;

/// Returns the edit distance of two strings: the least number of insertions, deletions and substitutions of bytes.
///
/// # Examples
///
/// ```
/// assert_eq!(nigh_pairs::distance(b"kitten", b"sitting"), 3);
/// ```
pub fn distance(query: &[u8], target: &[u8]) -> usize {
    one_value(Objective::Distance, Pair { query, target })
}

/// Returns an alignment of two strings with the least number of edits.
///
/// # Examples
///
/// ```
/// let aligned = nigh_pairs::alignment(b"kitten", b"sitting");
/// assert_eq!((aligned.value, aligned.cigar.to_string()), (3, "1X3=1X1=1D".to_owned()));
/// ```
pub fn alignment(query: &[u8], target: &[u8]) -> PairAlignment {
    one_edit_alignment(Objective::Distance, Pair { query, target })
}

/// Returns the length of the longest common subsequence of two strings.
///
/// # Examples
///
/// ```
/// assert_eq!(nigh_pairs::lcs_length(b"ABCBDAB", b"BDCABA"), 4);
/// ```
pub fn lcs_length(query: &[u8], target: &[u8]) -> usize {
    one_value(Objective::Lcs, Pair { query, target })
}

/// Returns a longest common subsequence of two strings.
///
/// # Examples
///
/// ```
/// assert_eq!(nigh_pairs::lcs(b"connection refused", b"conection refusd"), b"conection refusd");
/// ```
pub fn lcs(query: &[u8], target: &[u8]) -> Vec<u8> {
    let aligned = one_edit_alignment(Objective::Lcs, Pair { query, target });
    let mut rest = query;
    let mut common = Vec::with_capacity(aligned.value as usize);
    for (length, edit) in aligned.cigar.runs() {
        match edit {
            Edit::Match => common.extend(rest.split_off(..length).into_iter().flatten()),
            Edit::PatternOnly | Edit::Substitution | Edit::Overhang => rest = &rest[length..],
            Edit::TextOnly => {}
        }
    }
    common
}

/// Returns a global alignment of two strings with the best score (Needleman and Wunsch 1970; Gotoh 1982).
///
/// # Errors
/// Fails with [`EngineError::PairTooLong`] if a score may not fit into 32 bits. This is so if the lowest possible
/// score, that of gaps over the whole of both strings, and the highest, that of equal symbols over the shorter string,
/// are about 2^30 apart.
///
/// # Examples
///
/// ```
/// use nigh_pairs::scoring::{GapCosts, Scoring, Substitution};
///
/// let equality = Substitution::Equality { equal: 2, different: -3 };
/// let scoring = Scoring::new(equality, GapCosts { open: 5, extend: 2 })?;
/// let aligned = nigh_pairs::global(b"ACGTTTACG", b"ACGACG", &scoring)?;
/// assert_eq!((aligned.value, aligned.cigar.to_string()), (1, "3=3I3=".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn global(query: &[u8], target: &[u8], scoring: &Scoring) -> Result<PairAlignment, EngineError> {
    one_alignment(Objective::Global(scoring.clone()), Pair { query, target })
}

/// Returns a local alignment of two strings with the best score (Smith and Waterman 1981; Gotoh 1982).
///
/// # Errors
/// Fails with [`EngineError::PairTooLong`] if a score may not fit into 32 bits. This is so if the highest possible
/// score, that of equal symbols over the shorter string, is about 2^30.
///
/// # Examples
///
/// ```
/// use nigh_pairs::scoring::{GapCosts, Scoring, Substitution};
///
/// let equality = Substitution::Equality { equal: 2, different: -3 };
/// let scoring = Scoring::new(equality, GapCosts { open: 5, extend: 2 })?;
/// let aligned = nigh_pairs::local(b"TTACGTTT", b"GGACGTGG", &scoring)?;
/// assert_eq!((aligned.value, aligned.query, aligned.target), (8, 2..6, 2..6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local(query: &[u8], target: &[u8], scoring: &Scoring) -> Result<PairAlignment, EngineError> {
    one_alignment(Objective::Local(scoring.clone()), Pair { query, target })
}

/// Returns a value that counts symbols: a distance or a length.
fn one_value(objective: Objective, pair: Pair<'_>) -> usize {
    let mut value = [0];
    let pairs = Pairs::OneToMany { query: pair.query, targets: Strings::Slices(&[pair.target]) };
    let engine = CpuPairs::new(objective, 1);
    let mut worker = engine.worker().expect("the CPU engine makes any number of workers");
    worker.values(&pairs, 0..1, &mut value).expect("the CPU engine counts edits of any strings");
    usize::try_from(value[0]).expect("a number of symbols is not negative")
}

/// Aligns a pair.
///
/// # Errors
/// Fails if a score of the pair may not fit into 32 bits.
fn one_alignment(objective: Objective, pair: Pair<'_>) -> Result<PairAlignment, EngineError> {
    let engine = CpuPairs::new(objective, 1);
    engine.worker()?.align(pair)
}

/// Aligns a pair by edits.
fn one_edit_alignment(objective: Objective, pair: Pair<'_>) -> PairAlignment {
    one_alignment(objective, pair).expect("the CPU engine aligns any strings by edits")
}

/// Compares pairs of strings, on several threads.
///
/// # Examples
///
/// ```
/// use nigh_pairs::pairs::{Pairs, Strings};
/// use nigh_pairs::{Objective, PairAligner};
///
/// let (queries, targets) = (b"ACGTTTGACC", b"ACGATTGTCC");
/// let pairs = Pairs::zipped(
///     Strings::Equal { bytes: queries, length: 5 },
///     Strings::Equal { bytes: targets, length: 5 },
/// );
/// let aligner = PairAligner::new(Objective::Distance);
/// assert_eq!(aligner.values(&pairs)?, [1, 1]);
/// assert_eq!(aligner.alignments(&pairs)?[0].cigar.to_string(), "3=1X1=");
/// # Ok::<(), nigh_pairs::EngineError>(())
/// ```
pub struct PairAligner {
    engine: Arc<dyn PairEngine>,
}

/// A target, and its value with a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedTarget {
    /// Index of the target.
    pub index: usize,
    /// Value of the target with the query.
    pub value: i64,
}

impl PairAligner {
    /// Makes an aligner that uses the processor, in one thread.
    pub fn new(objective: Objective) -> Self {
        PairAligner::with_threads(objective, 1)
    }

    /// Makes an aligner that uses the processor, in `threads` threads; 0 counts as 1.
    pub fn with_threads(objective: Objective, threads: usize) -> Self {
        PairAligner { engine: Arc::new(CpuPairs::new(objective, threads.max(1))) }
    }

    /// Makes an aligner that uses an engine, in `threads` threads; 0 counts as 1. [`EngineChoice::auto`] opens devices
    /// once they save as much time as opening them takes.
    ///
    /// # Errors
    /// Fails if the machine lacks the hardware that is asked for.
    pub fn with_engine(objective: Objective, choice: EngineChoice, threads: usize) -> Result<Self, EngineError> {
        let task = PairEngineTask { objective, max_distance: None, expected: None };
        Ok(PairAligner { engine: pair_engine(choice, task, threads)? })
    }

    /// Makes an aligner for edit distances up to `max_distance`, which uses an engine in `threads` threads; 0 counts as
    /// 1. It may report a larger distance as any value above `max_distance`.
    ///
    /// # Errors
    /// Fails if the machine lacks the hardware that is asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh_pairs::pairs::{Pairs, Strings};
    /// use nigh_pairs::{EngineChoice, PairAligner};
    ///
    /// let (queries, targets): ([&[u8]; 2], [&[u8]; 2]) = ([b"kitten", b"ACGT"], [b"sitting", b"TTTTTTTTTT"]);
    /// let aligner = PairAligner::within_distance(3, EngineChoice::cpu(), 1)?;
    /// let values = aligner.values(&Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets)))?;
    /// assert!(values[0] == 3 && values[1] > 3);
    /// # Ok::<(), nigh_pairs::EngineError>(())
    /// ```
    pub fn within_distance(max_distance: usize, choice: EngineChoice, threads: usize) -> Result<Self, EngineError> {
        let task = PairEngineTask { objective: Objective::Distance, max_distance: Some(max_distance), expected: None };
        Ok(PairAligner { engine: pair_engine(choice, task, threads)? })
    }

    /// Computes the value of each pair.
    ///
    /// # Errors
    /// Fails if a score may not fit into 32 bits, or if the hardware fails.
    pub fn values(&self, pairs: &Pairs<'_>) -> Result<Vec<i64>, EngineError> {
        let mut values = vec![0; pairs.len()];
        let symbols = pairs.symbols() / pairs.len().max(1) + 1;
        let smallest = (MIN_SYMBOLS / symbols).clamp(1, MIN_PAIRS);
        let count = (pairs.len() / (TURNS * self.engine.facts().workers)).clamp(smallest, MAX_PAIRS);
        let chunks = values.chunks_mut(count).enumerate();
        let tasks = chunks.map(|(index, values)| (index * count, values)).collect();
        self.run(tasks, |worker, (start, values): (usize, &mut [i64])| {
            worker.values(pairs, start..start + values.len(), values)
        })?;
        Ok(values)
    }

    /// Aligns each pair.
    ///
    /// # Errors
    /// Fails if a score may not fit into 32 bits, or if the hardware fails.
    pub fn alignments(&self, pairs: &Pairs<'_>) -> Result<Vec<PairAlignment>, EngineError> {
        let count = (pairs.len() / (TURNS * self.engine.facts().workers)).clamp(1, ALIGNED_AT_A_TIME);
        let starts: Vec<usize> = (0..pairs.len()).step_by(count).collect();
        let mut chunks: Vec<Vec<PairAlignment>> = vec![Vec::new(); starts.len()];
        let tasks = starts.into_iter().zip(&mut chunks).collect();
        self.run(tasks, |worker, (start, aligned): (usize, &mut Vec<PairAlignment>)| {
            let indices: Vec<usize> = (start..pairs.len().min(start + count)).collect();
            worker.align_all(pairs, &indices, aligned)
        })?;
        Ok(chunks.into_iter().flatten().collect())
    }

    /// Computes the value of each wide pair.
    ///
    /// # Errors
    /// Fails if a score may not fit into 32 bits.
    pub fn wide_values(&self, pairs: &[WidePair]) -> Result<Vec<i64>, EngineError> {
        let mut values = vec![0; pairs.len()];
        self.run(pairs.iter().zip(&mut values).collect(), |worker, (pair, value): (_, &mut i64)| {
            *value = worker.wide_value(pair)?;
            Ok(())
        })?;
        Ok(values)
    }

    /// Aligns each wide pair.
    ///
    /// # Errors
    /// Fails if a score may not fit into 32 bits.
    pub fn wide_alignments(&self, pairs: &[WidePair]) -> Result<Vec<PairAlignment>, EngineError> {
        let mut aligned = vec![None; pairs.len()];
        self.run(pairs.iter().zip(&mut aligned).collect(), |worker, (pair, aligned): (_, &mut Option<_>)| {
            *aligned = Some(worker.align_wide(pair)?);
            Ok(())
        })?;
        Ok(aligned.into_iter().flatten().collect())
    }

    /// Returns the `count` best targets of a query, the best first; of equal targets, the first ones.
    ///
    /// # Errors
    /// Fails if a score may not fit into 32 bits, or if the hardware fails.
    pub fn best(&self, query: &[u8], targets: Strings<'_>, count: usize) -> Result<Vec<RankedTarget>, EngineError> {
        let values = self.values(&Pairs::OneToMany { query, targets })?;
        let ranked = values.into_iter().enumerate().map(|(index, value)| RankedTarget { index, value });
        let mut ranked: Vec<RankedTarget> = ranked.collect();
        match self.engine.objective() {
            Objective::Distance => ranked.sort_by_key(|target| target.value),
            Objective::Lcs | Objective::Global(_) | Objective::Local(_) => {
                ranked.sort_by_key(|target| std::cmp::Reverse(target.value));
            }
        }
        ranked.truncate(count);
        Ok(ranked)
    }

    /// Runs each task once, on as many threads as the aligner has.
    fn run<T: Send>(
        &self,
        tasks: Vec<T>,
        run: impl Fn(&mut dyn PairWorker, T) -> Result<(), EngineError> + Sync,
    ) -> Result<(), EngineError> {
        let threads = self.engine.facts().workers.min(tasks.len());
        let tasks = Mutex::new(tasks.into_iter());
        let failure = Mutex::new(None);
        let work = || -> Result<(), EngineError> {
            let mut worker = self.engine.worker()?;
            loop {
                let task = tasks.lock().expect("no thread panics while it holds the tasks").next();
                let Some(task) = task else { return Ok(()) };
                interrupt::check();
                run(worker.as_mut(), task)?;
            }
        };
        on_threads(threads, || {
            if let Err(error) = work() {
                *failure.lock().expect("no thread panics while it holds the failure") = Some(error);
            }
        });
        match failure.into_inner().expect("no thread panics while it holds the failure") {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, Substitution};
    use crate::symbols::EncodedPair;
    use crate::test_cases::random_pair;

    #[test]
    fn threads_make_no_difference() {
        let mut rng = fastrand::Rng::with_seed(1);
        let pairs: Vec<_> = (0..500).map(|_| random_pair(&mut rng, 20)).collect();
        let queries: Vec<&[u8]> = pairs.iter().map(|(query, _)| query.as_slice()).collect();
        let targets: Vec<&[u8]> = pairs.iter().map(|(_, target)| target.as_slice()).collect();
        let pairs = Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets));
        let expected = PairAligner::with_engine(Objective::Distance, EngineChoice::reference(), 1)
            .unwrap()
            .alignments(&pairs)
            .unwrap();
        for threads in [1, 3] {
            let aligner = PairAligner::with_threads(Objective::Distance, threads);
            assert_eq!(aligner.alignments(&pairs).unwrap(), expected);
            let values: Vec<i64> = expected.iter().map(|aligned| aligned.value).collect();
            assert_eq!(aligner.values(&pairs).unwrap(), values);
        }
    }

    #[test]
    fn no_threads_count_as_one() {
        let pairs = Pairs::zipped(Strings::Slices(&[b"abc"]), Strings::Slices(&[b"abd"]));
        for choice in [EngineChoice::cpu(), EngineChoice::reference()] {
            let aligner = PairAligner::with_engine(Objective::Distance, choice, 0).unwrap();
            assert_eq!(aligner.values(&pairs).unwrap(), [1]);
            assert_eq!(aligner.alignments(&pairs).unwrap()[0].value, 1);
        }
    }

    #[test]
    #[ignore = "needs 10 GB of memory: cargo test --release --package nigh-pairs --lib -- --ignored"]
    fn strings_longer_than_32_bits_can_count_are_compared() {
        for length in [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) + 5] {
            let long = vec![b'A'; length];
            assert_eq!(distance(b"", &long), length);
            assert_eq!((distance(&long, &long), lcs_length(&long, &long)), (0, length));
            let aligned = alignment(&long, &long[..length - 3]);
            assert_eq!((aligned.value, aligned.cigar.to_string()), (3, format!("3I{}=", length - 3)));
            let mut other = long;
            other[length / 2] = b'C';
            let aligned = alignment(&other, &vec![b'A'; length]);
            assert_eq!(aligned.value, 1);
            assert_eq!(aligned.cigar.to_string(), format!("{}=1X{}=", length / 2, length - length / 2 - 1));
        }
    }

    #[test]
    fn wide_pairs_are_compared_by_all_objectives() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut string = || -> Vec<u32> { (0..600).map(|_| 0x4e00 + rng.u32(..400)).collect() };
        let pairs: Vec<WidePair> = (0..4)
            .map(|_| {
                let common = string();
                let other = [&common[5..300], &string()[..20], &common[290..]].concat();
                match EncodedPair::new(&Objective::Distance, common, other) {
                    EncodedPair::Wide(pair) => pair,
                    EncodedPair::Bytes { .. } => panic!("the strings have hundreds of characters in common"),
                }
            })
            .collect();
        let scoring = Scoring::new(Substitution::Equality { equal: 2, different: -3 }, GapCosts { open: 5, extend: 2 });
        let scoring = scoring.unwrap();
        let scored = [Objective::Global(scoring.clone()), Objective::Local(scoring)];
        for objective in [Objective::Distance, Objective::Lcs].into_iter().chain(scored) {
            let of = |choice, threads| {
                let aligner = PairAligner::with_engine(objective.clone(), choice, threads).unwrap();
                (aligner.wide_values(&pairs).unwrap(), aligner.wide_alignments(&pairs).unwrap())
            };
            let (values, expected) = of(EngineChoice::reference(), 1);
            assert!(values.iter().copied().eq(expected.iter().map(|aligned| aligned.value)));
            assert!((values, expected) == of(EngineChoice::cpu(), 3), "{objective:?}");
        }
    }

    /// Returns a string of zeros, whose pages take no memory as long as they are only read.
    fn zeros(length: usize) -> Vec<u8> {
        vec![0; length]
    }

    #[test]
    fn values_of_2_to_the_31_and_more_are_right() {
        let long = zeros((1 << 31) + 1);
        assert_eq!(distance(b"", &long), long.len());
        assert_eq!(lcs_length(&long, &long), long.len());
        let aligned = alignment(&long, b"");
        assert_eq!((aligned.value, aligned.cigar.to_string()), ((1 << 31) + 1, "2147483649I".to_owned()));
    }

    #[test]
    fn runs_of_2_to_the_32_and_more_are_right() {
        let long = zeros((1 << 32) + 1);
        let aligned = alignment(&long, &long[1..]);
        assert_eq!((aligned.value, aligned.cigar.to_string()), (1, "1I4294967296=".to_owned()));
    }

    #[test]
    fn a_pair_whose_scores_do_not_fit_is_refused_before_it_is_compared() {
        let scoring = |open, extend| {
            let substitution = Substitution::Equality { equal: 1, different: -1 };
            Scoring::new(substitution, GapCosts { open, extend }).unwrap()
        };
        let (query, target) = (zeros(600_000), zeros(600_000));
        let refused = EngineError::PairTooLong { query: 600_000, target: 600_000 };
        assert_eq!(global(&query, &target, &scoring(1000, 1000)).unwrap_err(), refused);
        let long = zeros(1 << 30);
        assert!(local(&long, &long, &scoring(0, 2)).is_err());
        let aligner = PairAligner::new(Objective::Global(scoring(1000, 1000)));
        let pairs = Pairs::OneToMany { query: &query, targets: Strings::Slices(&[&target]) };
        assert_eq!(aligner.values(&pairs).unwrap_err(), refused);
    }

    #[test]
    fn long_gaps_do_not_limit_local_scores() {
        let substitution = Substitution::Equality { equal: 2, different: -3 };
        let scoring = Scoring::new(substitution, GapCosts { open: 1000, extend: 1000 }).unwrap();
        let target = [zeros(1_100_000), b"ACGT".to_vec(), zeros(10)].concat();
        let aligned = local(b"ACGT", &target, &scoring).unwrap();
        assert_eq!((aligned.value, aligned.target), (8, 1_100_000..1_100_004));
    }

    #[test]
    fn the_best_targets_come_first() {
        let targets: [&[u8]; 4] = [b"abcd", b"abc", b"x", b"abc"];
        let best = |objective| {
            let aligner = PairAligner::new(objective);
            let ranked = aligner.best(b"abc", Strings::Slices(&targets), 3).unwrap();
            ranked.iter().map(|target| (target.index, target.value)).collect::<Vec<_>>()
        };
        assert_eq!(best(Objective::Distance), [(1, 0), (3, 0), (0, 1)]);
        assert_eq!(best(Objective::Lcs), [(0, 3), (1, 3), (3, 3)]);
    }
}
