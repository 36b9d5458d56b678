//! Matrices of distances.
#![allow(unsafe_code, reason = "Python passes a raw pointer to the description of a buffer")]

use std::ffi::c_int;

use nigh::pairwise::Objective;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::buffer::{self, ArrayLayout, IntegerArray};
use crate::comparison::{PairComparison, StringPair};
use crate::options;
use crate::strings::GivenStrings;
use crate::text::StringValue;
use crate::values::arrow_value;

/// A matrix of distances; see :func:`distance_matrix`.
///
/// It is a two-dimensional buffer of 32-bit integers, which ``numpy.asarray`` takes without a copy.
#[pyclass(module = "nigh", frozen)]
pub(crate) struct DistanceMatrix {
    /// The number of rows and of columns.
    #[pyo3(get)]
    shape: (usize, usize),
    /// The values of all rows, one row after the other.
    values: Vec<i32>,
    layout: ArrayLayout<2>,
}

#[pymethods]
impl DistanceMatrix {
    fn __repr__(&self) -> String {
        format!("<nigh.DistanceMatrix: {} x {} distances>", self.shape.0, self.shape.1)
    }

    unsafe fn __getbuffer__(this: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let DistanceMatrix { values, layout, .. } = this.get();
        let owner = this.clone().into_any();
        // SAFETY: Python passes a view to fill. The object is frozen, and Python does not move objects.
        unsafe { buffer::fill(view, flags, owner, &IntegerArray { values, layout }) }
    }
}

/// Returns the edit distance of each string of `a` from each string of `b`, on all cores.
///
/// Other packages call this function ``cdist``, after a function of SciPy.
///
/// Parameters
/// ----------
/// a, b : sequence of str or bytes-like, NumPy array of these, or object with Arrow's PyCapsule interface
///     The strings of the rows and of the columns, without nulls. Without `b`, the strings of `a` are compared with each other,
///     and each pair only once.
/// k, engine : optional
///     As for :func:`distances`.
///
/// Returns
/// -------
/// DistanceMatrix
///     A two-dimensional buffer with 4 bytes for each distance, which ``numpy.asarray`` takes without a copy.
///
/// Examples
/// --------
/// >>> import nigh, numpy
/// >>> numpy.asarray(nigh.distance_matrix(["kitten", "sitting", "mitten"]))
/// array([[0, 3, 1],
///        [3, 0, 3],
///        [1, 3, 0]], dtype=int32)
/// >>> nigh.distance_matrix(["kitten", "sitting"], ["mitten", "kit", "sit"])
/// <nigh.DistanceMatrix: 2 x 3 distances>
#[pyfunction]
#[pyo3(signature = (a, b=None, *, k=None, engine="auto"))]
pub(crate) fn distance_matrix(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: Option<&Bound<'_, PyAny>>,
    k: Option<i64>,
    engine: &str,
) -> PyResult<DistanceMatrix> {
    let (objective, max_distance) = (Objective::Distance, options::max_distance(k)?);
    let comparison = PairComparison { objective, engine: options::engine(engine)?, max_distance };
    let (a, b) = (GivenStrings::new(a)?, b.map(GivenStrings::new).transpose()?);
    let rows = without_nulls("a", &a)?;
    match b {
        Some(b) => between(py, &comparison, &rows, &without_nulls("b", &b)?),
        None => among(py, &comparison, &rows),
    }
}

/// Computes the distance of each string in `rows` from each string in `columns`.
fn between(
    py: Python<'_>,
    comparison: &PairComparison,
    rows: &[StringValue<'_>],
    columns: &[StringValue<'_>],
) -> PyResult<DistanceMatrix> {
    let shape = (rows.len(), columns.len());
    let mut values = zeros(shape)?;
    let pairs = rows.iter().flat_map(|&a| columns.iter().map(move |&b| StringPair { a, b }));
    let mut cells = values.iter_mut();
    comparison.values(py, pairs, |distance| {
        *cells.next().expect("there is a cell for each pair") = arrow_value(distance)?;
        Ok(())
    })?;
    Ok(DistanceMatrix { shape, values, layout: ArrayLayout::new(shape.into()) })
}

/// Computes the distances of strings from each other. Compares each pair once.
fn among(py: Python<'_>, comparison: &PairComparison, strings: &[StringValue<'_>]) -> PyResult<DistanceMatrix> {
    let count = strings.len();
    let shape = (count, count);
    let mut values = zeros(shape)?;
    let mut cells = (0..count).flat_map(|row| (row + 1..count).map(move |column| (row, column)));
    let pairs = cells.clone().map(|(row, column)| StringPair { a: strings[row], b: strings[column] });
    comparison.values(py, pairs, |distance| {
        let (row, column) = cells.next().expect("there is a cell for each pair");
        let distance = arrow_value(distance)?;
        values[row * count + column] = distance;
        values[column * count + row] = distance;
        Ok(())
    })?;
    Ok(DistanceMatrix { shape, values, layout: ArrayLayout::new(shape.into()) })
}

/// Returns the values of a matrix in which each value is 0.
///
/// # Errors
/// Fails if there is not enough memory.
fn zeros((rows, columns): (usize, usize)) -> PyResult<Vec<i32>> {
    let mut values = Vec::new();
    let is_reserved = rows.checked_mul(columns).is_some_and(|count| values.try_reserve_exact(count).is_ok());
    if !is_reserved {
        return Err(PyMemoryError::new_err(format!("not enough memory for a matrix of {rows} x {columns} distances")));
    }
    values.resize(rows * columns, 0);
    Ok(values)
}

/// Returns the strings of the argument `name`.
///
/// # Errors
/// Fails if a string is null.
fn without_nulls<'s>(name: &str, strings: &'s GivenStrings<'_>) -> PyResult<Vec<StringValue<'s>>> {
    let values = strings.values()?;
    let null = |index| PyValueError::new_err(format!("string {index} of '{name}' is null; drop nulls first"));
    (0..values.len()).map(|index| values.get(index).ok_or_else(|| null(index))).collect()
}
