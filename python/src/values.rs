//! Columns of values of pairs.
#![allow(unsafe_code, reason = "Python passes a raw pointer to the description of a buffer")]

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::{Array, Int32Array};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyBufferError, PyIndexError, PyOverflowError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

use crate::buffer::{self, ArrayLayout, IntegerArray};

/// A column of distances, lengths or scores; see :func:`distances`, :func:`lcs_lengths` and :func:`global_scores`.
///
/// It has Arrow's array interface, so ``polars.Series`` and ``pyarrow.array`` take it as it is, without a copy. If no
/// value is null, it is also a buffer of 32-bit integers, which ``numpy.asarray`` takes without a copy.
#[pyclass(module = "nigh", frozen, sequence)]
pub(crate) struct PairValues {
    values: Int32Array,
    layout: ArrayLayout<1>,
}

impl PairValues {
    pub(crate) fn new(values: Int32Array) -> Self {
        let layout = ArrayLayout::new([values.len()]);
        PairValues { values, layout }
    }
}

/// Returns a value as an integer of 32 bits, as columns and matrices hold it.
///
/// # Errors
/// Fails if the value does not fit into 32 bits.
pub(crate) fn arrow_value(value: i64) -> PyResult<i32> {
    let too_large = |_| {
        PyOverflowError::new_err(format!("the value {value} does not fit into 32 bits; pass lists instead of columns"))
    };
    i32::try_from(value).map_err(too_large)
}

fn field() -> Field {
    Field::new("value", DataType::Int32, true)
}

#[pymethods]
impl PairValues {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// Returns the value at an index; `None` if one of the strings is null.
    fn __getitem__(&self, index: isize) -> PyResult<Option<i32>> {
        let length = self.values.len();
        let place = if index < 0 { index.checked_add_unsigned(length) } else { Some(index) };
        match place.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < length) {
            Some(place) => Ok(self.values.is_valid(place).then(|| self.values.value(place))),
            None => Err(PyIndexError::new_err(format!("index {index} is out of range for {length} values"))),
        }
    }

    fn __repr__(&self) -> String {
        format!("<nigh.PairValues: {} values>", self.values.len())
    }

    /// Returns the column as a ``pyarrow.Array``, without a copy. This method needs the package pyarrow.
    fn to_arrow<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("pyarrow")?.call_method1("array", (this,))
    }

    /// Returns the type of the column, for Arrow's PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, field())?)
    }

    /// Returns the column as an array, for Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, Arc::new(field()), &self.values, requested_schema)?)
    }

    unsafe fn __getbuffer__(this: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let PairValues { values, layout } = this.get();
        if values.null_count() > 0 {
            let message =
                format!("a buffer cannot hold nulls, but {} of {} values are null", values.null_count(), values.len());
            return Err(PyBufferError::new_err(message));
        }
        let owner = this.clone().into_any();
        // SAFETY: Python passes a view to fill. The object is frozen, and Python does not move objects.
        unsafe { buffer::fill(view, flags, owner, &IntegerArray { values: values.values(), layout }) }
    }
}
