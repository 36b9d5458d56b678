//! Functions that compare pairs of strings.

use nigh::EngineChoice;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::alignments::{Alignment, AlignmentColumns, Alignments};
use crate::comparison::{PairComparison, StringPair};
use crate::distances::{Distances, arrow_distance};
use crate::options;
use crate::strings::{ArgumentForm, GivenStrings, StringValues};
use crate::text::Text;

/// The result of [`distances`], in the form of the arguments.
#[derive(IntoPyObject)]
pub(crate) enum GivenDistances {
    List(Vec<usize>),
    Column(Distances),
}

/// The result of [`alignments`], in the form of the arguments.
#[derive(IntoPyObject)]
pub(crate) enum GivenAlignments {
    List(Vec<Alignment>),
    Table(Alignments),
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
    let (a, b) = (Text::new(a)?, Text::new(b)?);
    let pair = StringPair { a: a.value()?, b: b.value()? };
    let mut distance = 0;
    on_cpu().distances(py, std::iter::once(pair), |value| {
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
///     The strings, as many in `a` as in `b`. A column may be one of Polars, pandas, PyArrow or DuckDB, as for
///     :meth:`Searcher.search_column`.
/// k : int, optional
///     The largest distance that matters: a larger one is given as ``k + 1``. Long strings are compared faster with it.
/// engine : {"auto", "cpu", "cuda"}, default "auto"
///     The hardware that compares: the processor; an NVIDIA GPU; or a GPU only if it repays its start-up time.
///
/// Returns
/// -------
/// list of int, or Distances
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
) -> PyResult<GivenDistances> {
    let (a, b) = (GivenStrings::new(a)?, GivenStrings::new(b)?);
    let strings = ZippedStrings::new(a.values()?, b.values()?)?;
    let comparison = PairComparison { max_distance: options::max_distance(k)?, engine: options::engine(engine)? };
    if common_form(&a, &b) == ArgumentForm::List {
        let mut values = Vec::with_capacity(strings.len());
        comparison.distances(py, strings.pairs(), |value| {
            values.push(value);
            Ok(())
        })?;
        return Ok(GivenDistances::List(values));
    }
    let mut values = Vec::with_capacity(strings.len());
    comparison.distances(py, strings.pairs(), |value| {
        values.push(arrow_distance(value)?);
        Ok(())
    })?;
    let mut rest = values.into_iter();
    let rows = (0..strings.len()).map(|row| strings.get(row).and_then(|_| rest.next()));
    Ok(GivenDistances::Column(Distances::new(rows.collect())))
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
///     A list if both arguments are sequences; otherwise a table, in which the row of a null is null.
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
) -> PyResult<GivenAlignments> {
    let (a, b) = (GivenStrings::new(a)?, GivenStrings::new(b)?);
    let strings = ZippedStrings::new(a.values()?, b.values()?)?;
    let comparison = PairComparison { max_distance: None, engine: options::engine(engine)? };
    if common_form(&a, &b) == ArgumentForm::List {
        let mut aligned = Vec::with_capacity(strings.len());
        comparison.alignments(py, strings.pairs(), |one| {
            aligned.push(Alignment::of(&one));
            Ok(())
        })?;
        return Ok(GivenAlignments::List(aligned));
    }
    let mut columns = AlignmentColumns::default();
    let mut rows = (0..strings.len()).map(|row| strings.get(row).is_some());
    comparison.alignments(py, strings.pairs(), |one| {
        rows.by_ref().take_while(|has_pair| !has_pair).try_for_each(|_| columns.push(None))?;
        columns.push(Some(&one))
    })?;
    rows.try_for_each(|_| columns.push(None))?;
    Ok(GivenAlignments::Table(columns.finish()))
}

/// Strings that are compared with those of the same index.
struct ZippedStrings<'s> {
    a: StringValues<'s>,
    b: StringValues<'s>,
}

impl<'s> ZippedStrings<'s> {
    fn new(a: StringValues<'s>, b: StringValues<'s>) -> PyResult<Self> {
        if a.len() != b.len() {
            return Err(PyValueError::new_err(format!("{} strings cannot be paired with {}", a.len(), b.len())));
        }
        Ok(ZippedStrings { a, b })
    }

    fn len(&self) -> usize {
        self.a.len()
    }

    /// Returns the pair with an index; `None` if one of its strings is null.
    fn get(&self, index: usize) -> Option<StringPair<'s>> {
        Some(StringPair { a: self.a.get(index)?, b: self.b.get(index)? })
    }

    /// Returns the pairs without a null.
    fn pairs(&self) -> impl Iterator<Item = StringPair<'s>> + Clone {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// Returns the form of the result for these arguments.
fn common_form(a: &GivenStrings<'_>, b: &GivenStrings<'_>) -> ArgumentForm {
    if a.form() == ArgumentForm::List { b.form() } else { ArgumentForm::Column }
}

/// Returns the comparison of a single pair.
fn on_cpu() -> PairComparison {
    PairComparison { max_distance: None, engine: EngineChoice::Cpu }
}
