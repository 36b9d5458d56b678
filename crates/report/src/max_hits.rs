//! `--max-hits`: reports the first hits of each pattern, in the order of the input.
//!
//! The writer decides, since it receives the hits in order: it takes the first hits of each pattern, and drops the
//! others. Workers leave out most of the hits that the writer would drop. They report no hit of a pattern that exceeded
//! the limit in earlier batches. Of any other pattern they report at most one hit more than the limit per batch, which
//! tells the writer that there are more. So the omitted hits never affect the output.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bstr::ByteSlice;

use nigh_pattern::PatternSet;

/// Number of patterns that a message names.
const NAMED: usize = 5;

/// The largest number of reported hits of each pattern, and the patterns that have more so far.
#[derive(Debug, Clone)]
pub struct HitLimit {
    max: u64,
    /// A bit for each pattern, set if the pattern has more than `max` hits.
    exceeded: Arc<[AtomicU64]>,
}

impl HitLimit {
    /// Makes a limit of `max` hits for each of `patterns` patterns.
    fn new(max: u64, patterns: usize) -> Self {
        HitLimit { max, exceeded: (0..patterns.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    fn is_exceeded(&self, pattern: usize) -> bool {
        self.exceeded[pattern / 64].load(Ordering::Relaxed) >> (pattern % 64) & 1 == 1
    }

    fn set_exceeded(&self, pattern: usize) {
        self.exceeded[pattern / 64].fetch_or(1 << (pattern % 64), Ordering::Relaxed);
    }
}

/// Whether a hit is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is reported.
    Reported,
    /// It is over the limit of its pattern.
    OverLimit,
}

/// Decides which hits of a batch a worker reports.
pub struct BatchAllowance {
    limit: HitLimit,
    /// The number of hits of each pattern in the current batch.
    taken: Vec<u64>,
    /// The patterns with a hit in the current batch.
    touched: Vec<u32>,
}

impl BatchAllowance {
    /// Makes an allowance for a set of `patterns` patterns.
    pub fn new(limit: HitLimit, patterns: usize) -> Self {
        BatchAllowance { limit, taken: vec![0; patterns], touched: Vec::new() }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.touched.drain(..).for_each(|pattern| self.taken[pattern as usize] = 0);
    }

    /// Returns whether the next hit of `pattern`, an index into the patterns as the user gave them, is reported.
    pub fn admit(&mut self, pattern: usize) -> Admission {
        if self.limit.is_exceeded(pattern) {
            return Admission::OverLimit;
        }
        let taken = &mut self.taken[pattern];
        if *taken == 0 {
            self.touched.push(pattern as u32);
        }
        // One more than the limit tells the writer that the limit was exceeded.
        if *taken > self.limit.max {
            return Admission::OverLimit;
        }
        *taken += 1;
        Admission::Reported
    }
}

/// Decides which hits the writer reports.
pub(super) struct TotalAllowance {
    limit: HitLimit,
    /// The number of hits of each pattern that were reported.
    taken: Vec<u64>,
    patterns: Arc<PatternSet>,
}

impl TotalAllowance {
    /// Makes an allowance of `max` hits for each of `patterns`.
    pub(super) fn new(max: u64, patterns: Arc<PatternSet>) -> Self {
        let count = patterns.source_count();
        TotalAllowance { limit: HitLimit::new(max, count), taken: vec![0; count], patterns }
    }

    pub(super) fn limit(&self) -> &HitLimit {
        &self.limit
    }

    /// Returns whether the next hit of `pattern` is reported. Calls must be in the order of the input.
    pub(super) fn admit(&mut self, pattern: usize) -> Admission {
        let taken = &mut self.taken[pattern];
        if *taken < self.limit.max {
            *taken += 1;
            return Admission::Reported;
        }
        self.limit.set_exceeded(pattern);
        Admission::OverLimit
    }

    /// Returns whether `pattern` has hits that were not reported.
    pub(super) fn is_exceeded(&self, pattern: usize) -> bool {
        self.limit.is_exceeded(pattern)
    }

    /// Returns the patterns that have hits that were not reported; `None` if there are none.
    pub(super) fn exceeded(&self) -> Option<ExceededLimit> {
        let all: Vec<usize> = (0..self.taken.len()).filter(|&index| self.is_exceeded(index)).collect();
        let name = |&index: &usize| self.patterns.source_name(index).to_str_lossy().into_owned();
        let names = all.iter().take(NAMED).map(name).collect();
        (!all.is_empty()).then_some(ExceededLimit { max: self.limit.max, count: all.len(), names })
    }
}

/// The patterns that have more hits than were reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceededLimit {
    /// The number of hits of each pattern that were reported.
    max: u64,
    /// The number of patterns with more hits.
    count: usize,
    /// The names of the first patterns with more hits.
    names: Vec<String>,
}

impl fmt::Display for ExceededLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExceededLimit { max, count, names } = self;
        let patterns = if *count == 1 { "pattern" } else { "patterns" };
        write!(f, "--max-hits {max} left out hits of {count} {patterns}: {}", names.join(", "))?;
        match count - names.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::PatternSource;
    use nigh_text::alphabet::Alphabet;

    fn patterns(count: usize) -> Arc<PatternSet> {
        let sources: Vec<PatternSource> = (0..count).map(|index| PatternSource::new(format!("p{index}"))).collect();
        Arc::new(PatternSet::builder(Alphabet::Text).build(&sources).unwrap())
    }

    /// Returns the hits that the writer reports, if one worker searches `batches` up to `ahead` batches ahead of it.
    fn reported(batches: &[Vec<usize>], max: u64, ahead: usize) -> (Vec<usize>, Vec<bool>) {
        let mut writer = TotalAllowance::new(max, patterns(70));
        let mut worker = BatchAllowance::new(writer.limit().clone(), 70);
        let (mut waiting, mut result) = (Vec::new(), Vec::new());
        for batch in batches {
            worker.begin();
            let admitted = batch.iter().filter(|&&pattern| worker.admit(pattern) == Admission::Reported);
            waiting.push(admitted.copied().collect::<Vec<usize>>());
            if waiting.len() > ahead {
                result.extend(waiting.remove(0).into_iter().filter(|&hit| writer.admit(hit) == Admission::Reported));
            }
        }
        result.extend(waiting.concat().into_iter().filter(|&hit| writer.admit(hit) == Admission::Reported));
        (result, (0..70).map(|pattern| writer.is_exceeded(pattern)).collect())
    }

    #[test]
    fn the_first_hits_are_reported_however_far_the_writer_is_behind() {
        let mut random = fastrand::Rng::with_seed(3);
        for max in [1, 2, 7] {
            let batches: Vec<Vec<usize>> =
                (0..20).map(|_| (0..random.usize(0..300)).map(|_| random.usize(0..70)).collect()).collect();
            let mut taken = [0; 70];
            let mut first = batches.concat();
            first.retain(|&pattern| {
                taken[pattern] += 1;
                taken[pattern] <= max
            });
            let exceeded = taken.map(|taken| taken > max).to_vec();
            for ahead in [0, 1, 5, 20] {
                assert_eq!(reported(&batches, max, ahead), (first.clone(), exceeded.clone()), "{max}, {ahead}");
            }
        }
    }

    #[test]
    fn a_message_names_the_first_patterns_over_the_limit() {
        let message = |hits: &[usize]| {
            let mut writer = TotalAllowance::new(1, patterns(9));
            hits.iter().for_each(|&hit| _ = writer.admit(hit));
            writer.exceeded().map(|exceeded| exceeded.to_string())
        };
        assert_eq!(message(&[0, 1, 2]), None);
        assert_eq!(message(&[3, 3, 4]).unwrap(), "--max-hits 1 left out hits of 1 pattern: p3");
        let all: Vec<usize> = (0..9).chain(0..9).collect();
        assert!(message(&all).unwrap().ends_with("of 9 patterns: p0, p1, p2, p3, p4 and 4 more"));
    }
}
