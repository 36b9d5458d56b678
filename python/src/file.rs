//! Files, and parts of files for several processes.

use std::ops::ControlFlow;
use std::path::PathBuf;

use nigh::{Cigar, FileError, FileEvent, FileHit, FileSplit, Searcher, SplitPosition, SplitSizes};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::hits::{HitColumns, HitValues, Hits, Place, TableLayout, TextColumn};
use crate::options::TableSearch;
use crate::threads::{CallSize, run_call};

/// Maximum number of parts of a file.
const MAX_PARTS: u64 = 1 << 20;

/// A part of a file, for one of several processes; see :func:`splits`.
///
/// It can be pickled.
///
/// Attributes
/// ----------
/// path : pathlib.Path
///     The path of the file.
/// index, count : int
///     The index of the part, from 0, and the number of parts.
/// size : int
///     The size of the file in bytes when it was split.
/// text : int
///     The length of its text in bytes, after decompression.
#[pyclass(module = "nigh", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    path: PathBuf,
    index: u64,
    count: u64,
    size: u64,
    text: u64,
}

#[pymethods]
impl Split {
    #[new]
    fn new(path: PathBuf, index: u64, count: u64, size: u64, text: u64) -> PyResult<Self> {
        if index >= count {
            return Err(PyValueError::new_err(format!("the index is {index}, but there are {count} parts")));
        }
        Ok(Split { path, index, count, size, text })
    }

    fn __repr__(&self) -> String {
        let Split { path, index, count, size, text } = self;
        format!("Split(path={path:?}, index={index}, count={count}, size={size}, text={text})")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (PathBuf, u64, u64, u64, u64)) {
        (py.get_type::<Split>(), (self.path.clone(), self.index, self.count, self.size, self.text))
    }
}

/// Splits a file into parts of nearly the same length, for several processes.
///
/// The hits of all parts, one after the other, are those of the file. Parts are cut anywhere in a file, also within a
/// record; each hit is in one part. A process reads only its own part of a file that is not compressed, bgzf, or zstd
/// in several frames. Files in other formats are decompressed from their start: by each process up to the end of its
/// part, and by this function, to find the length of the text.
///
/// Parameters
/// ----------
/// path : str or path-like
///     The path of a regular file, which every process can read.
/// n : int
///     The number of parts.
///
/// Returns
/// -------
/// list of Split
///     The parts, for :meth:`Searcher.search_file`.
///
/// Raises
/// ------
/// OSError
///     If the file cannot be read.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> [(part.index, part.count) for part in nigh.splits("tests/data/lambda.fa", 2)]
/// [(0, 2), (1, 2)]
#[pyfunction]
pub(crate) fn splits(py: Python<'_>, path: &Bound<'_, PyAny>, n: u64) -> PyResult<Vec<Split>> {
    let path = self::path(path)?;
    if !(1..=MAX_PARTS).contains(&n) {
        return Err(PyValueError::new_err(format!("n is {n}, but must be between 1 and {MAX_PARTS}")));
    }
    let parts = run_call(py, CallSize::Large, || FileSplit::of(&path, n))?.map_err(of_file)?;
    let split = |part: FileSplit| {
        let SplitPosition { index, count } = part.position();
        let SplitSizes { file: size, text } = part.sizes().expect("a part has sizes");
        Split { path: path.clone(), index, count, size, text }
    };
    Ok(parts.into_iter().map(split).collect())
}

/// Returns the path that an argument stands for: a `str`, `bytes` or path-like object.
fn path(file: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    file.py().import("os")?.call_method1("fsdecode", (file,))?.extract()
}

/// Returns the part of a file that a `Split` describes; the whole file for a path.
pub(crate) fn part(file: &Bound<'_, PyAny>) -> PyResult<FileSplit> {
    match file.cast::<Split>() {
        Ok(split) => {
            let Split { path, index, count, size, text } = split.get().clone();
            let part = FileSplit::restore(&path, SplitPosition { index, count }, SplitSizes { file: size, text });
            Ok(part.expect("the index of a split is valid"))
        }
        Err(_) => Ok(FileSplit::whole(path(file)?)),
    }
}

/// Returns the values of a hit in a table with the columns of `layout`.
pub(crate) fn values<'a>(searcher: &'a Searcher, hit: &FileHit<'a>, layout: TableLayout) -> HitValues<'a, &'a Cigar> {
    let groups = if layout.groups == TextColumn::Absent { None } else { searcher.file_captures(hit) };
    HitValues {
        place: Place::Record(hit.record),
        range: hit.start..hit.end,
        pattern: hit.pattern,
        distance: hit.distance,
        strand: hit.strand,
        cigar: hit.cigar,
        text: hit.text,
        groups,
    }
}

/// Searches a file, or a part of one.
pub(crate) fn search(
    py: Python<'_>,
    searcher: &Searcher,
    file: &Bound<'_, PyAny>,
    options: &TableSearch,
) -> PyResult<Hits> {
    let mut columns = HitColumns::new(options.layout);
    let mut warnings = Vec::new();
    let each = |event: FileEvent<'_>| {
        match event {
            FileEvent::Record(record) => columns.set_record(&record),
            FileEvent::Hit(hit) => columns.push(values(searcher, &hit, options.layout)),
            FileEvent::Warning(message) => warnings.push(message.to_owned()),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let search = options.of_file(searcher, &part(file)?);
    run_call(py, CallSize::Large, || search.for_each(each))?.map_err(of_file)?;
    warnings.iter().try_for_each(|warning| warn(py, warning))?;
    Ok(Hits::new(options.layout, columns.take_batches()))
}

/// Gives a warning to the caller.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = std::ffi::CString::new(message)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

pub(crate) fn of_file(error: FileError) -> PyErr {
    match error {
        FileError::Unreadable { ref file, .. } if !file.exists() => PyFileNotFoundError::new_err(error.to_string()),
        FileError::Unreadable { .. } | FileError::Changed { .. } => PyOSError::new_err(error.to_string()),
        FileError::AllWithMinEdits { .. }
        | FileError::BestInPart { .. }
        | FileError::RecordsInPart { .. }
        | FileError::RecordsOfSequences { .. } => PyValueError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}
