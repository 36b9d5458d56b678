//! The strings of an argument: a sequence of Python objects, or a column.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::column::Column;
use crate::text::{StringValue, Text};

/// The strings of an argument, which stay valid while the lock of the interpreter is released.
pub(crate) struct GivenStrings<'py> {
    objects: Objects<'py>,
    form: ArgumentForm,
}

/// The objects that hold the strings.
enum Objects<'py> {
    Sequence(Vec<Text<'py>>),
    Column(Column),
}

/// The form of an argument, which determines the form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentForm {
    /// A list or another sequence of Python objects.
    List,
    /// An Arrow column or a NumPy array.
    Column,
}

/// The strings of an argument, accessible by index.
pub(crate) enum StringValues<'s> {
    Sequence(Vec<StringValue<'s>>),
    Column(&'s Column),
}

impl<'py> GivenStrings<'py> {
    /// Takes an object with Arrow's PyCapsule interface, a NumPy array, or a sequence of `str` and bytes-like objects.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if Column::is_column(object)? {
            return Ok(GivenStrings { objects: Objects::Column(Column::new(object)?), form: ArgumentForm::Column });
        }
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a list or a column of strings, not one {kind}")));
        }
        let form = if object.hasattr("__array_interface__")? { ArgumentForm::Column } else { ArgumentForm::List };
        let texts = object.extract::<Vec<Bound<'py, PyAny>>>()?;
        let texts = texts.iter().map(Text::new).collect::<PyResult<_>>()?;
        Ok(GivenStrings { objects: Objects::Sequence(texts), form })
    }

    pub(crate) fn form(&self) -> ArgumentForm {
        self.form
    }

    /// Returns the strings.
    ///
    /// # Errors
    /// Fails if a `str` has a lone surrogate, which UTF-8 cannot encode.
    pub(crate) fn values(&self) -> PyResult<StringValues<'_>> {
        Ok(match &self.objects {
            Objects::Column(column) => StringValues::Column(column),
            Objects::Sequence(texts) => {
                let value = |text| Text::value(text);
                StringValues::Sequence(texts.iter().map(value).collect::<PyResult<_>>()?)
            }
        })
    }
}

impl<'s> StringValues<'s> {
    /// Returns the number of strings, including nulls.
    pub(crate) fn len(&self) -> usize {
        match self {
            StringValues::Sequence(values) => values.len(),
            StringValues::Column(column) => column.len(),
        }
    }

    /// Returns the string at an index; `None` if it is null.
    pub(crate) fn get(&self, index: usize) -> Option<StringValue<'s>> {
        match self {
            StringValues::Sequence(values) => Some(values[index]),
            StringValues::Column(column) => column.get(index),
        }
    }
}
