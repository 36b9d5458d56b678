//! Comparison of many pairs of strings, in batches.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::symbols::{EncodedPair, WidePair};
use nigh::pairwise::{Objective, PairAligner, PairAlignment};
use nigh::{EngineChoice, EngineError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::options;
use crate::text::StringValue;
use crate::threads::{CallSize, run_call, thread_count};

/// Total number of symbols above which several threads compare the pairs. Starting a thread takes as long as comparing
/// thousands of symbols.
const MIN_SYMBOLS_FOR_THREADS: usize = 1 << 16;

/// Target duration of a batch, including the encoding of its characters. The cost of the next batch is adapted to it.
const BATCH_TIME: Duration = Duration::from_millis(40);

/// Cost of the first batch, and the smallest cost of any batch.
const MIN_BATCH_COST: u64 = 1 << 22;

/// Maximum number of pairs in a batch.
const MAX_BATCH_PAIRS: usize = 1 << 20;

/// Number of symbols added to the length of each string, to account for the fixed cost of a pair.
const EXTRA_SYMBOLS: usize = 64;

/// Two strings to compare.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StringPair<'s> {
    pub(crate) a: StringValue<'s>,
    pub(crate) b: StringValue<'s>,
}

/// Objective, hardware and bound of a comparison.
#[derive(Debug, Clone)]
pub(crate) struct PairComparison {
    pub(crate) objective: Objective,
    pub(crate) engine: EngineChoice,
    /// The largest distance to compute, above which distances are reported as one more; `None` if there is no bound.
    pub(crate) max_distance: Option<usize>,
}

/// An operation of the aligner: one function for pairs of byte strings, and one for wide pairs.
struct PairOperation<T> {
    compare: fn(&PairAligner, &Pairs<'_>) -> Result<Vec<T>, EngineError>,
    compare_wide: fn(&PairAligner, &[WidePair]) -> Result<Vec<T>, EngineError>,
}

const VALUES: PairOperation<i64> =
    PairOperation { compare: PairAligner::values, compare_wide: PairAligner::wide_values };
const ALIGNMENTS: PairOperation<PairAlignment> =
    PairOperation { compare: PairAligner::alignments, compare_wide: PairAligner::wide_alignments };

impl StringPair<'_> {
    fn symbols(&self) -> usize {
        self.a.bytes.len() + self.b.bytes.len()
    }

    /// Returns the cost of comparing the pair: about the number of cells of its matrix.
    fn cost(&self) -> u64 {
        let [a, b] = [self.a, self.b].map(|string| (string.bytes.len() + EXTRA_SYMBOLS) as u64);
        a.saturating_mul(b)
    }
}

impl PairComparison {
    /// Computes the values of pairs without holding the lock of the interpreter. Calls `each` with each value, in
    /// order. Distances above the bound are reported as one more than the bound.
    ///
    /// # Errors
    /// Fails if the user interrupts it, if bytes are paired with a `str` that is not ASCII, if the hardware
    /// fails, or if `each` fails.
    pub(crate) fn values<'s>(
        &self,
        py: Python<'_>,
        pairs: impl Iterator<Item = StringPair<'s>> + Clone + Send,
        mut each: impl FnMut(i64) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let bound = self.max_distance.and_then(|bound| i64::try_from(bound).ok());
        let most = bound.map_or(i64::MAX, |bound| bound.saturating_add(1));
        self.run(py, &VALUES, pairs, |value| each(value.min(most)))
    }

    /// Aligns pairs, and calls `each` with each alignment, in order. Fails as [`PairComparison::values`] does.
    pub(crate) fn alignments<'s>(
        &self,
        py: Python<'_>,
        pairs: impl Iterator<Item = StringPair<'s>> + Clone + Send,
        each: impl FnMut(PairAlignment) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        self.run(py, &ALIGNMENTS, pairs, each)
    }

    fn run<'s, T: Send>(
        &self,
        py: Python<'_>,
        operation: &PairOperation<T>,
        pairs: impl Iterator<Item = StringPair<'s>> + Clone + Send,
        mut each: impl FnMut(T) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let (size, threads) =
            if is_large(pairs.clone()) { (CallSize::Large, thread_count(None)?) } else { (CallSize::Small, 1) };
        run_call(py, size, || {
            let aligner = self.aligner(threads).map_err(options::of_engine)?;
            let mut batches = PairBatches { pairs, cost: MIN_BATCH_COST };
            let mut start = Instant::now();
            while let Some(batch) = batches.next() {
                let batch = PairBatch::new(&self.objective, batch)?;
                batch.compare(&aligner, operation).map_err(options::of_engine)?.into_iter().try_for_each(&mut each)?;
                batches.adapt(start.elapsed());
                start = Instant::now();
            }
            Ok(())
        })?
    }

    fn aligner(&self, threads: usize) -> Result<PairAligner, EngineError> {
        match self.max_distance {
            None => PairAligner::with_engine(self.objective.clone(), self.engine.clone(), threads),
            Some(bound) => PairAligner::within_distance(bound, self.engine.clone(), threads),
        }
    }
}

/// Returns whether the pairs have enough symbols to use several threads.
fn is_large<'s>(mut pairs: impl Iterator<Item = StringPair<'s>>) -> bool {
    let mut symbols = 0;
    pairs.any(|pair| {
        symbols += pair.symbols();
        symbols > MIN_SYMBOLS_FOR_THREADS
    })
}

/// Divides pairs into batches.
struct PairBatches<I> {
    pairs: I,
    /// Cost of the next batch.
    cost: u64,
}

impl<'s, I: Iterator<Item = StringPair<'s>>> PairBatches<I> {
    /// Returns the next batch; `None` at the end.
    fn next(&mut self) -> Option<Vec<StringPair<'s>>> {
        let (mut batch, mut cost) = (Vec::new(), 0u64);
        while cost < self.cost
            && batch.len() < MAX_BATCH_PAIRS
            && let Some(pair) = self.pairs.next()
        {
            cost = cost.saturating_add(pair.cost());
            batch.push(pair);
        }
        (!batch.is_empty()).then_some(batch)
    }

    /// Adapts the cost of the next batch to the duration of the last one.
    fn adapt(&mut self, duration: Duration) {
        let ratio = BATCH_TIME.as_secs_f64() / duration.as_secs_f64().max(1e-9);
        self.cost = ((self.cost as f64 * ratio.clamp(0.25, 2.0)) as u64).max(MIN_BATCH_COST);
    }
}

/// Pairs that are compared together.
struct PairBatch<'s> {
    pairs: Vec<StringPair<'s>>,
    /// The pairs with a character that takes several bytes in UTF-8, by their index in `pairs`. Each character is
    /// encoded as one byte.
    encoded: HashMap<usize, (Vec<u8>, Vec<u8>)>,
    /// The pairs with too many different characters to encode each as one byte. In their places, `encoded` holds empty
    /// strings.
    wide: Vec<WidePair>,
    /// The index in `pairs` of each wide pair.
    wide_indices: Vec<usize>,
}

impl<'s> PairBatch<'s> {
    /// Encodes pairs for an objective.
    ///
    /// # Errors
    /// Fails if bytes are paired with a `str` that is not ASCII.
    fn new(objective: &Objective, pairs: Vec<StringPair<'s>>) -> PyResult<Self> {
        let (mut encoded, mut wide, mut wide_indices) = (HashMap::new(), Vec::new(), Vec::new());
        for (index, StringPair { a, b }) in pairs.iter().enumerate() {
            if a.is_plain() && b.is_plain() {
                continue;
            }
            let bytes = match EncodedPair::new(objective, characters(a)?, characters(b)?) {
                EncodedPair::Bytes { query, target } => (query, target),
                EncodedPair::Wide(pair) => {
                    wide.push(pair);
                    wide_indices.push(index);
                    (Vec::new(), Vec::new())
                }
            };
            encoded.insert(index, bytes);
        }
        Ok(PairBatch { pairs, encoded, wide, wide_indices })
    }

    /// Returns the first strings and the second strings of the pairs, with one byte for each character.
    fn slices(&self) -> (Vec<&[u8]>, Vec<&[u8]>) {
        let pairs = self.pairs.iter().enumerate();
        let slices = pairs.map(|(index, pair)| match self.encoded.get(&index) {
            Some((a, b)) => (a.as_slice(), b.as_slice()),
            None => (pair.a.bytes, pair.b.bytes),
        });
        slices.unzip()
    }

    fn compare<T>(&self, aligner: &PairAligner, operation: &PairOperation<T>) -> Result<Vec<T>, EngineError> {
        let (a, b) = self.slices();
        let mut results = (operation.compare)(aligner, &Pairs::zipped(Strings::Slices(&a), Strings::Slices(&b)))?;
        for (&index, result) in self.wide_indices.iter().zip((operation.compare_wide)(aligner, &self.wide)?) {
            results[index] = result;
        }
        Ok(results)
    }
}

/// Returns the characters of a `str`. Fails if the string is of bytes.
fn characters(string: &StringValue<'_>) -> PyResult<Vec<u32>> {
    if !string.is_text {
        return Err(PyValueError::new_err(
            "bytes cannot be compared with a str that is not ASCII; encode the str or decode the bytes",
        ));
    }
    Ok(String::from_utf8_lossy(string.bytes).chars().map(u32::from).collect())
}
