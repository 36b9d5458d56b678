//! `nigh.RecordSplitter`.

use nigh::RecordSplitter as Splitter;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::characters::CharacterOffsets;
use crate::options;
use crate::text::Text;
use crate::threads::{CallSize, run_call};

/// Divides text into records of one or more lines, such as the messages of a log with their stack traces.
///
/// A record begins with each line that a regular expression matches without edits, and with the first line of a text. It
/// includes the line ends of its lines. A splitter can be pickled.
///
/// Parameters
/// ----------
/// start : str or bytes-like
///     The regular expression, in UTF-8.
///
/// Raises
/// ------
/// ValueError
///     If the expression is not valid.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> log = "10:01 start\n10:02 fault\n  at disk.c:7: time out\n10:03 stop\n"
/// >>> records = nigh.RecordSplitter(r"^\d\d:\d\d ")
/// >>> timeout = nigh.Searcher("timeout")
/// >>> [record for record in records.split(log) if timeout.is_match(record)]
/// ['10:02 fault\n  at disk.c:7: time out\n']
#[pyclass(module = "nigh", frozen)]
pub(crate) struct RecordSplitter {
    splitter: Splitter,
    start: Vec<u8>,
}

impl RecordSplitter {
    fn of_expression(start: &Bound<'_, PyAny>) -> PyResult<Self> {
        let start = Text::new(start)?.bytes()?.to_vec();
        Ok(RecordSplitter { splitter: Splitter::new(&start).map_err(options::of_searcher)?, start })
    }

    /// Takes the argument `record_start`: a splitter or its expression.
    pub(crate) fn of_argument(given: &Bound<'_, PyAny>) -> PyResult<Splitter> {
        match given.cast::<RecordSplitter>() {
            Ok(splitter) => Ok(splitter.get().splitter.clone()),
            Err(_) => Ok(Self::of_expression(given)?.splitter),
        }
    }
}

#[pymethods]
impl RecordSplitter {
    #[new]
    fn new(start: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of_expression(start)
    }

    /// Returns the records of a text, in order. Together they are the text.
    ///
    /// Parameters
    /// ----------
    /// text : str or bytes-like
    ///     The text.
    ///
    /// Returns
    /// -------
    /// list of str or list of bytes
    ///     Strings if `text` is a ``str``, otherwise ``bytes``.
    fn split<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let text = Text::new(text)?;
        let bytes = text.bytes()?;
        let ranges = run_call(py, CallSize::of_text(bytes.len()), || self.splitter.ranges(bytes).collect::<Vec<_>>())?;
        let records = ranges.into_iter().map(|range| &bytes[range]);
        if text.is_str() {
            // Records begin after line feeds, so they are UTF-8 like the text.
            let records: PyResult<Vec<_>> = records.map(|record| PyString::from_bytes(py, record)).collect();
            PyList::new(py, records?)
        } else {
            PyList::new(py, records.map(|record| PyBytes::new(py, record)).collect::<Vec<_>>())
        }
    }

    /// Returns the range of each record of a text, in order.
    ///
    /// Parameters
    /// ----------
    /// text : str or bytes-like
    ///     The text.
    ///
    /// Returns
    /// -------
    /// list of tuple of int
    ///     The start and the end of each record: characters of a ``str``, otherwise bytes.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> nigh.RecordSplitter("^[0-9]").spans("1 a\n b\n2 c\n")
    /// [(0, 7), (7, 11)]
    fn spans(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, usize)>> {
        let text = Text::new(text)?;
        let (bytes, is_str) = (text.bytes()?, text.is_str());
        run_call(py, CallSize::of_text(bytes.len()), || {
            let ranges = self.splitter.ranges(bytes);
            let mut characters = CharacterOffsets::of(bytes);
            let converted = ranges.map(|range| if is_str { characters.range(range) } else { range });
            converted.map(|range| (range.start, range.end)).collect()
        })
    }

    fn __repr__(&self) -> String {
        format!("<nigh.RecordSplitter: {}>", String::from_utf8_lossy(&self.start))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>,) {
        (PyBytes::new(py, &self.start),)
    }
}
