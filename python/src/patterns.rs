//! The patterns of a searcher, as they were given.

use std::sync::Arc;

use nigh::SearcherBuilder;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyTuple};

use crate::options::{self, Near};
use crate::text::Text;

/// A pattern.
pub(crate) struct GivenPattern {
    text: Vec<u8>,
    /// Whether the text was a `str`.
    is_str: bool,
    /// Its own bound, if it was given one.
    bound: Option<Py<PyAny>>,
    /// Its name, if it was given one.
    name: Option<Arc<str>>,
}

impl GivenPattern {
    /// Takes a `str` or a bytes-like object, or a pair of one and its own bound.
    fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let of_text = |given: &Bound<'_, PyAny>, bound| {
            let text = Text::new(given)?;
            Ok::<_, PyErr>(GivenPattern { text: text.bytes()?.to_vec(), is_str: text.is_str(), bound, name: None })
        };
        match given.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => of_text(&pair.get_item(0)?, Some(pair.get_item(1)?.unbind())),
            _ => of_text(given, None),
        }
    }

    /// Takes an item of a mapping: a name, and a pattern.
    fn named(name: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(name) = name.extract::<String>() else {
            let kind = name.get_type().name()?;
            return Err(PyTypeError::new_err(format!("the name of a pattern must be a str, not {kind}")));
        };
        Ok(GivenPattern { name: Some(name.into()), ..GivenPattern::new(given)? })
    }

    /// Returns the text of the pattern.
    pub(crate) fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match std::str::from_utf8(&self.text) {
            Ok(text) if self.is_str => PyString::new(py, text).into_any(),
            _ => PyBytes::new(py, &self.text).into_any(),
        }
    }

    /// Returns the name of the pattern.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// Returns the pattern as an item of a list of patterns.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.bound {
            None => Ok(self.text(py)),
            Some(bound) => Ok((self.text(py), bound).into_pyobject(py)?.into_any()),
        }
    }
}

/// Returns the patterns of an argument: a `str`, a bytes-like object, an iterable of these, of which each may be in a pair
/// with its own bound, or a mapping from names to such items.
pub(crate) fn given_patterns(patterns: &Bound<'_, PyAny>) -> PyResult<Vec<GivenPattern>> {
    if let Ok(named) = patterns.cast::<PyMapping>() {
        let item = |item: Bound<'_, PyAny>| {
            let (name, pattern) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            GivenPattern::named(&name, &pattern)
        };
        return named.items()?.iter().map(item).collect();
    }
    if patterns.is_instance_of::<PyString>() || Text::new(patterns).is_ok() {
        return Ok(vec![GivenPattern::new(patterns)?]);
    }
    patterns.try_iter()?.map(|pattern| GivenPattern::new(&pattern?)).collect()
}

/// Returns an argument that has these patterns: a dictionary if they have names, otherwise a list.
pub(crate) fn argument<'py>(py: Python<'py>, patterns: &[GivenPattern]) -> PyResult<Bound<'py, PyAny>> {
    if patterns.iter().any(|pattern| pattern.name.is_some()) {
        let named = PyDict::new(py);
        for pattern in patterns {
            named.set_item(pattern.name.as_deref(), pattern.item(py)?)?;
        }
        return Ok(named.into_any());
    }
    patterns.iter().map(|pattern| pattern.item(py)).collect::<PyResult<Vec<_>>>()?.into_pyobject(py)
}

/// Adds the patterns to a builder, with the option `near` between two of them.
pub(crate) fn add_patterns(
    py: Python<'_>,
    mut builder: SearcherBuilder,
    patterns: &[GivenPattern],
    near: Option<Near<'_>>,
) -> PyResult<SearcherBuilder> {
    for (index, pattern) in patterns.iter().enumerate() {
        if let Some(near) = near.as_ref().filter(|near| near.second == index) {
            builder = options::set(builder, "near", &near.gap)?;
        }
        builder = match &pattern.bound {
            None => builder.pattern(&pattern.text),
            Some(bound) => {
                let bound = options::own_bound(index, &pattern.text, bound.bind(py))?;
                builder.pattern_within(&pattern.text, bound)
            }
        };
    }
    match near.filter(|near| near.second >= patterns.len()) {
        // The builder refuses the option, because no pattern follows.
        Some(near) => options::set(builder, "near", &near.gap),
        None => Ok(builder),
    }
}
