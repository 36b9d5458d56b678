//! Distances and alignments of pairs of strings.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::symbols::{EncodedPair, WidePair};
use nigh::pairwise::{Objective, PairAligner};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::options;
use crate::text::Text;

/// The number of symbols above which pairs are compared by several threads. Starting a thread takes as long as comparing
/// thousands of symbols.
const MIN_SYMBOLS_FOR_THREADS: usize = 1 << 16;

/// An alignment of two strings with the least number of edits.
///
/// It can be pickled.
///
/// Attributes
/// ----------
/// distance : int
///     The edit distance.
/// cigar : str
///     The operations in the direction of the strings: ``=`` a match, ``X`` a substitution, ``I`` a symbol of the first
///     string only, ``D`` a symbol of the second only.
#[pyclass(module = "nigh", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Alignment {
    distance: usize,
    cigar: String,
}

#[pymethods]
impl Alignment {
    #[new]
    fn new(distance: usize, cigar: String) -> Self {
        Alignment { distance, cigar }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, String)) {
        (py.get_type::<Alignment>(), (self.distance, self.cigar.clone()))
    }

    fn __repr__(&self) -> String {
        format!("Alignment(distance={}, cigar='{}')", self.distance, self.cigar)
    }
}

/// Returns the edit distance of two strings: the least number of insertions, deletions and substitutions.
///
/// Symbols are the characters of a ``str``, otherwise bytes.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.distance("kitten", "sitting")
/// 3
#[pyfunction]
pub(crate) fn distance(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<usize> {
    let strings = PairStrings::new(vec![a.clone()], vec![b.clone()])?;
    Ok(strings.values(py, "cpu")?[0])
}

/// Returns the edit distance of each pair of strings with the same index. Many or long pairs are compared on all cores.
///
/// Parameters
/// ----------
/// a, b : sequence of str or bytes-like
///     The strings, as many in `a` as in `b`.
/// engine : {"auto", "cpu", "cuda"}, default "auto"
///     The hardware that compares: the processor; an NVIDIA GPU; or a GPU only if it repays its start-up time.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.distances(["kitten", "abc"], ["sitting", "abd"])
/// [3, 1]
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto"))]
pub(crate) fn distances(
    py: Python<'_>,
    a: Vec<Bound<'_, PyAny>>,
    b: Vec<Bound<'_, PyAny>>,
    engine: &str,
) -> PyResult<Vec<usize>> {
    PairStrings::new(a, b)?.values(py, engine)
}

/// Returns an alignment of two strings with the least number of edits.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.alignment("kitten", "sitting")
/// Alignment(distance=3, cigar='1X3=1X1=1D')
#[pyfunction]
pub(crate) fn alignment(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Alignment> {
    let strings = PairStrings::new(vec![a.clone()], vec![b.clone()])?;
    Ok(strings.alignments(py, "cpu")?.remove(0))
}

/// Returns an alignment of each pair of strings with the same index. The parameters are those of :func:`distances`.
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto"))]
pub(crate) fn alignments(
    py: Python<'_>,
    a: Vec<Bound<'_, PyAny>>,
    b: Vec<Bound<'_, PyAny>>,
    engine: &str,
) -> PyResult<Vec<Alignment>> {
    PairStrings::new(a, b)?.alignments(py, engine)
}

/// The strings of a call.
struct PairStrings<'py> {
    a: Vec<Text<'py>>,
    b: Vec<Text<'py>>,
    /// The pairs with a character that takes more than a byte in UTF-8, by index: with a byte for each character.
    encoded: HashMap<usize, (Vec<u8>, Vec<u8>)>,
    /// The pairs that have too many characters for that; empty strings take their places.
    wide: Vec<WidePair>,
    /// The index of each wide pair.
    wide_indices: Vec<usize>,
}

impl<'py> PairStrings<'py> {
    fn new(a: Vec<Bound<'py, PyAny>>, b: Vec<Bound<'py, PyAny>>) -> PyResult<Self> {
        if a.len() != b.len() {
            return Err(PyValueError::new_err(format!("{} strings cannot be paired with {}", a.len(), b.len())));
        }
        let texts = |strings: Vec<Bound<'py, PyAny>>| strings.iter().map(Text::new).collect::<PyResult<Vec<_>>>();
        let (a, b) = (texts(a)?, texts(b)?);
        let (mut encoded, mut wide, mut wide_indices) = (HashMap::new(), Vec::new(), Vec::new());
        for (index, (a, b)) in a.iter().zip(&b).enumerate() {
            if a.is_plain()? && b.is_plain()? {
                continue;
            }
            let bytes = match EncodedPair::new(&Objective::Distance, characters(a)?, characters(b)?) {
                EncodedPair::Bytes { query, target } => (query, target),
                EncodedPair::Wide(pair) => {
                    wide.push(pair);
                    wide_indices.push(index);
                    (Vec::new(), Vec::new())
                }
            };
            encoded.insert(index, bytes);
        }
        Ok(PairStrings { a, b, encoded, wide, wide_indices })
    }

    /// Returns the pairs, with a byte for each character.
    fn slices(&self) -> PyResult<Vec<(&[u8], &[u8])>> {
        let pairs = self.a.iter().zip(&self.b).enumerate();
        let slices = pairs.map(|(index, (a, b))| match self.encoded.get(&index) {
            Some((a, b)) => Ok((a.as_slice(), b.as_slice())),
            None => Ok((a.bytes()?, b.bytes()?)),
        });
        slices.collect()
    }

    /// Computes the distances without the lock of the interpreter.
    fn values(&self, py: Python<'_>, engine: &str) -> PyResult<Vec<usize>> {
        let values = self.compare(py, engine, PairAligner::values, PairAligner::wide_values)?;
        Ok(values.into_iter().map(|value| value as usize).collect())
    }

    fn alignments(&self, py: Python<'_>, engine: &str) -> PyResult<Vec<Alignment>> {
        let aligned = self.compare(py, engine, PairAligner::alignments, PairAligner::wide_alignments)?;
        let alignment = |one: nigh::pairwise::PairAlignment| Alignment {
            distance: one.value as usize,
            cigar: one.cigar.to_string(),
        };
        Ok(aligned.into_iter().map(alignment).collect())
    }

    fn compare<T: Send>(
        &self,
        py: Python<'_>,
        engine: &str,
        compare: impl Fn(&PairAligner, &Pairs<'_>) -> Result<Vec<T>, nigh::EngineError> + Sync,
        compare_wide: impl Fn(&PairAligner, &[WidePair]) -> Result<Vec<T>, nigh::EngineError> + Sync,
    ) -> PyResult<Vec<T>> {
        let (a, b): (Vec<&[u8]>, Vec<&[u8]>) = self.slices()?.into_iter().unzip();
        let engine = options::engine(engine)?;
        let (wide, wide_indices) = (&self.wide, &self.wide_indices);
        py.detach(|| {
            let symbols: usize = a.iter().chain(&b).map(|string| string.len()).sum();
            let is_large = symbols > MIN_SYMBOLS_FOR_THREADS || !wide.is_empty();
            let threads = if is_large { available_parallelism().map_or(1, NonZeroUsize::get) } else { 1 };
            let aligner = PairAligner::with_engine(Objective::Distance, engine, threads)?;
            let mut results = compare(&aligner, &Pairs::zipped(Strings::Slices(&a), Strings::Slices(&b)))?;
            for (&index, result) in wide_indices.iter().zip(compare_wide(&aligner, wide)?) {
                results[index] = result;
            }
            Ok(results)
        })
        .map_err(options::of_engine)
    }
}

/// Returns the characters of a string.
fn characters(text: &Text<'_>) -> PyResult<Vec<u32>> {
    if !text.is_str() {
        return Err(PyValueError::new_err("bytes cannot be compared with a str that is not ASCII"));
    }
    Ok(String::from_utf8_lossy(text.bytes()?).chars().map(u32::from).collect())
}
