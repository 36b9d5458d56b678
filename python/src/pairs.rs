//! Functions that compare pairs of strings.

use nigh::EngineChoice;
use nigh::pairwise::Objective;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::alignments::{Alignment, AlignmentColumns, Alignments};
use crate::comparison::{PairComparison, StringPair};
use crate::options;
use crate::strings::{ArgumentForm, GivenStrings, StringValues};
use crate::text::Text;
use crate::values::{PairValues, arrow_value};

/// Values of pairs: a list if both arguments are sequences, otherwise a column.
#[derive(IntoPyObject)]
pub(crate) enum PairValuesResult {
    List(Vec<i64>),
    Column(PairValues),
}

/// Alignments of pairs: a list if both arguments are sequences, otherwise a table.
#[derive(IntoPyObject)]
pub(crate) enum AlignmentsResult {
    List(Vec<Alignment>),
    Table(Alignments),
}

/// Returns the edit distance of two strings: the smallest number of insertions, deletions and substitutions.
///
/// Symbols are the characters of a ``str``, otherwise bytes.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.distance("kitten", "sitting")
/// 3
#[pyfunction]
pub(crate) fn distance(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<i64> {
    let (a, b) = (Text::new(a)?, Text::new(b)?);
    let pair = StringPair { a: a.value()?, b: b.value()? };
    let mut distance = 0;
    on_cpu().values(py, std::iter::once(pair), |value| {
        distance = value;
        Ok(())
    })?;
    Ok(distance)
}

/// Returns the edit distance of each pair of strings with the same index. Many or long pairs are compared on all cores.
///
/// Parameters
/// ----------
/// a, b : sequence of str or bytes-like, NumPy array of these, or object with Arrow's PyCapsule interface
///     The strings. `a` and `b` must have the same number of them. A column may be one of Polars, pandas, PyArrow or
///     DuckDB, as for :meth:`Searcher.search_column`.
/// k : int, optional
///     The largest distance to compute: a larger distance is returned as ``k + 1``. With a small `k`, long strings are
///     compared faster.
/// engine : {"auto", "cpu", "cuda"}, default "auto"
///     The hardware that compares: "cpu" is the processor, "cuda" an NVIDIA GPU, and "auto" a GPU only if it repays its
///     start-up time.
///
/// Returns
/// -------
/// list of int, or PairValues
///     A list if both arguments are sequences; otherwise a column, in which the distance from a null is null.
///
/// Examples
/// --------
/// >>> import nigh, polars
/// >>> nigh.distances(["kitten", "abc"], ["sitting", "abd"])
/// [3, 1]
/// >>> names = polars.DataFrame({"old": ["kitten", None], "new": ["sitting", "abd"]})
/// >>> polars.Series(nigh.distances(names["old"], names["new"])).to_list()
/// [3, None]
#[pyfunction]
#[pyo3(signature = (a, b, *, k=None, engine="auto"))]
pub(crate) fn distances(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    k: Option<i64>,
    engine: &str,
) -> PyResult<PairValuesResult> {
    let (objective, max_distance) = (Objective::Distance, options::max_distance(k)?);
    values(py, [a, b], &PairComparison { objective, engine: options::engine(engine)?, max_distance })
}

/// Returns the length of the longest common subsequence of each pair of strings with the same index.
///
/// The parameters and the result are those of :func:`distances`, without `k`.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.lcs_lengths(["kitten", "abc"], ["sitting", "abd"])
/// [4, 2]
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto"))]
pub(crate) fn lcs_lengths(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    engine: &str,
) -> PyResult<PairValuesResult> {
    values(py, [a, b], &of_objective(Objective::Lcs, engine)?)
}

/// Returns the score of the best global alignment of each pair of strings with the same index.
///
/// Parameters
/// ----------
/// a, b
///     The strings, as for :func:`distances`.
/// matrix : str, optional
///     The name of a substitution matrix, such as "BLOSUM62", which scores residues. Without a matrix, `match` and
///     `mismatch` are the scores.
/// match : int, default 2
///     The score of two equal symbols.
/// mismatch : int, default 3
///     The cost of two different symbols.
/// gap_open, gap_extend : int, optional
///     A gap of n symbols costs ``gap_open + n * gap_extend``. The defaults are 11 and 1 with a matrix, otherwise 5 and 2.
/// engine : {"auto", "cpu", "cuda"}, default "auto"
///     The hardware, as for :func:`distances`.
///
/// Returns
/// -------
/// list of int, or PairValues
///     As for :func:`distances`.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.global_scores(["GATTACA", "GATTACA"], ["GATACA", "GATTACA"])
/// [5, 14]
/// >>> nigh.global_scores(["WHE", "W"], ["WHE", "W"], matrix="BLOSUM62")
/// [24, 11]
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto", **scores))]
pub(crate) fn global_scores(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    engine: &str,
    scores: Option<&Bound<'_, PyDict>>,
) -> PyResult<PairValuesResult> {
    values(py, [a, b], &of_objective(Objective::Global(options::scoring(scores)?), engine)?)
}

/// Returns the score of the best local alignment of each pair of strings with the same index. A local alignment aligns
/// a substring of one string with a substring of the other.
///
/// The parameters and the result are those of :func:`global_scores`.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.local_scores(["xxGATTACAxx", "A"], ["yGATTACA", "C"])
/// [14, 0]
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto", **scores))]
pub(crate) fn local_scores(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    engine: &str,
    scores: Option<&Bound<'_, PyDict>>,
) -> PyResult<PairValuesResult> {
    values(py, [a, b], &of_objective(Objective::Local(options::scoring(scores)?), engine)?)
}

/// Computes the value of each pair of strings with the same index. The form of the arguments is that of the result.
fn values(py: Python<'_>, sides: [&Bound<'_, PyAny>; 2], comparison: &PairComparison) -> PyResult<PairValuesResult> {
    let (a, b) = (GivenStrings::new(sides[0])?, GivenStrings::new(sides[1])?);
    let strings = ZippedStrings::new(a.values()?, b.values()?)?;
    if common_form(&a, &b) == ArgumentForm::List {
        let mut values = Vec::with_capacity(strings.len());
        comparison.values(py, strings.pairs(), |value| {
            values.push(value);
            Ok(())
        })?;
        return Ok(PairValuesResult::List(values));
    }
    let mut values = Vec::with_capacity(strings.len());
    comparison.values(py, strings.pairs(), |value| {
        values.push(arrow_value(value)?);
        Ok(())
    })?;
    let mut rest = values.into_iter();
    let rows = (0..strings.len()).map(|row| strings.get(row).and_then(|_| rest.next()));
    Ok(PairValuesResult::Column(PairValues::new(rows.collect())))
}

/// Returns an alignment of two strings that has the smallest possible number of edits.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> nigh.alignment("kitten", "sitting")
/// Alignment(distance=3, cigar='1X3=1X1=1D')
#[pyfunction]
pub(crate) fn alignment(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Alignment> {
    let (a, b) = (Text::new(a)?, Text::new(b)?);
    let pair = StringPair { a: a.value()?, b: b.value()? };
    let mut alignment = None;
    on_cpu().alignments(py, std::iter::once(pair), |aligned| {
        alignment = Some(Alignment::of(&aligned));
        Ok(())
    })?;
    Ok(alignment.expect("a pair has an alignment"))
}

/// Returns an alignment of each pair of strings with the same index. The parameters are those of :func:`distances`, without `k`.
///
/// Returns
/// -------
/// list of Alignment, or Alignments
///     A list if both arguments are sequences; otherwise a table, in which the row of a pair with a null is null.
///
/// Examples
/// --------
/// >>> import nigh, polars
/// >>> names = polars.DataFrame({"old": ["kitten", None], "new": ["sitting", "abd"]})
/// >>> polars.DataFrame(nigh.alignments(names["old"], names["new"])).rows()
/// [(3, '1X3=1X1=1D'), (None, None)]
#[pyfunction]
#[pyo3(signature = (a, b, *, engine="auto"))]
pub(crate) fn alignments(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    engine: &str,
) -> PyResult<AlignmentsResult> {
    let (a, b) = (GivenStrings::new(a)?, GivenStrings::new(b)?);
    let strings = ZippedStrings::new(a.values()?, b.values()?)?;
    let comparison = of_objective(Objective::Distance, engine)?;
    if common_form(&a, &b) == ArgumentForm::List {
        let mut aligned = Vec::with_capacity(strings.len());
        comparison.alignments(py, strings.pairs(), |one| {
            aligned.push(Alignment::of(&one));
            Ok(())
        })?;
        return Ok(AlignmentsResult::List(aligned));
    }
    let mut columns = AlignmentColumns::default();
    let mut rows = (0..strings.len()).map(|row| strings.get(row).is_some());
    comparison.alignments(py, strings.pairs(), |one| {
        rows.by_ref().take_while(|has_pair| !has_pair).try_for_each(|_| columns.push(None))?;
        columns.push(Some(&one))
    })?;
    rows.try_for_each(|_| columns.push(None))?;
    Ok(AlignmentsResult::Table(columns.finish()))
}

/// Two equally long lists of strings. Strings with the same index are a pair.
struct ZippedStrings<'s> {
    a: StringValues<'s>,
    b: StringValues<'s>,
}

impl<'s> ZippedStrings<'s> {
    fn new(a: StringValues<'s>, b: StringValues<'s>) -> PyResult<Self> {
        if a.len() != b.len() {
            return Err(PyValueError::new_err(format!("a has {} strings, but b has {}", a.len(), b.len())));
        }
        Ok(ZippedStrings { a, b })
    }

    fn len(&self) -> usize {
        self.a.len()
    }

    /// Returns the pair at an index; `None` if one of its strings is null.
    fn get(&self, index: usize) -> Option<StringPair<'s>> {
        Some(StringPair { a: self.a.get(index)?, b: self.b.get(index)? })
    }

    /// Returns the pairs without a null.
    fn pairs(&self) -> impl Iterator<Item = StringPair<'s>> + Clone {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// Returns the form of the result: a list if both arguments are lists, otherwise a column.
fn common_form(a: &GivenStrings<'_>, b: &GivenStrings<'_>) -> ArgumentForm {
    if a.form() == ArgumentForm::List { b.form() } else { ArgumentForm::Column }
}

/// Returns the comparison for a single pair: its edit distance, computed by the processor.
fn on_cpu() -> PairComparison {
    PairComparison { objective: Objective::Distance, engine: EngineChoice::cpu(), max_distance: None }
}

/// Returns the comparison for an objective, without a bound, with the engine that the word `engine` names.
fn of_objective(objective: Objective, engine: &str) -> PyResult<PairComparison> {
    Ok(PairComparison { objective, engine: options::engine(engine)?, max_distance: None })
}
