//! Columns of strings in Arrow's format, searched by several threads.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray,
    LargeBinaryArray, OffsetSizeTrait, RecordBatch,
};
use arrow_schema::DataType;
use nigh::{Alphabet, HitSelection, Match, Searcher};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3_arrow::input::AnyArray;

use crate::characters::CharacterOffsets;
use crate::hits::{HitColumns, HitValues, Hits, Place, TableLayout, TextColumn};
use crate::options::TableSearch;
use crate::text::{StringValue, Text};
use crate::threads;

/// Limits of the intended size of a part in bytes. A thread searches one part at a time.
const MIN_PART: usize = 1 << 18;
const MAX_PART: usize = 1 << 24;

/// Intended number of parts for each thread. With several, all threads end at nearly the same time.
const PARTS_PER_THREAD: usize = 8;

/// A column of strings or bytes.
pub(crate) struct Column {
    chunks: Vec<Box<dyn ChunkValues>>,
    /// Index of the row just past each chunk.
    ends: Vec<usize>,
    /// Whether offsets count characters.
    is_text: bool,
}

/// The values of one array, by row.
trait ChunkValues: Send + Sync {
    /// Returns the number of rows.
    fn len(&self) -> usize;
    /// Returns the value of a row; `None` if it is null.
    fn get(&self, row: usize) -> Option<&[u8]>;
    /// Returns the value of a row; an empty value if it is null.
    fn value(&self, row: usize) -> &[u8] {
        self.get(row).unwrap_or_default()
    }
    /// Returns the total number of bytes of the values.
    fn bytes(&self) -> usize {
        (0..self.len()).map(|row| self.value(row).len()).sum()
    }
}

/// The values of a dictionary array, in which each row has the index of a value.
struct DictionaryChunk {
    /// For each row, the index of its value in `values`; `None` if the row is null.
    numbers: Vec<Option<usize>>,
    values: Box<dyn ChunkValues>,
}

/// The values of an array in which each row is null, with the number of rows.
struct NullChunk(usize);

/// Consecutive rows of a chunk.
struct RowRange<'c> {
    chunk: &'c dyn ChunkValues,
    rows: Range<usize>,
    /// The number of rows in the chunks before `chunk`.
    before: usize,
}

impl Column {
    /// Returns whether an object has Arrow's PyCapsule interface.
    pub(crate) fn is_column(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
    }

    /// Makes a column from an object with Arrow's PyCapsule interface: an array, a stream of arrays, or a table with
    /// one column; or from a list, a NumPy array or another sequence. Fails for other objects, and for other types than
    /// strings and bytes.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !Column::is_column(object)? {
            return Column::of_sequence(object);
        }
        let given = object.extract::<AnyArray>()?;
        // Polars passes on arrays of the type Null with a buffer, which the format does not have.
        if let AnyArray::Stream(stream) = &given
            && is_null(stream.field_ref()?.data_type())
        {
            let rows = object.len()?;
            return Ok(Column { chunks: vec![Box::new(NullChunk(rows))], ends: vec![rows], is_text: true });
        }
        let (arrays, field) = given.into_chunked_array()?.into_inner();
        let wrong =
            |kind: &DataType| PyTypeError::new_err(format!("expected a column of strings or bytes, not of {kind}"));
        let (arrays, kind) = match field.data_type() {
            DataType::Struct(columns) => {
                let [column] = columns.as_ref() else {
                    let message = format!("expected one column, not a table of {} columns", columns.len());
                    return Err(PyTypeError::new_err(message));
                };
                if arrays.iter().any(|table| table.null_count() > 0) {
                    return Err(PyTypeError::new_err(
                        "expected a column or a table, not a column of structures with nulls; drop nulls first",
                    ));
                }
                let arrays = arrays.iter().map(|table| table.as_struct().column(0).clone()).collect();
                (arrays, column.data_type())
            }
            kind => (arrays, kind),
        };
        let is_text = is_text(kind).ok_or_else(|| wrong(kind))?;
        let chunks = arrays.iter().map(|array| values(array).ok_or_else(|| wrong(kind)));
        let chunks = chunks.collect::<PyResult<Vec<_>>>()?;
        let ends = chunks.iter().scan(0, |end, chunk| {
            *end += chunk.len();
            Some(*end)
        });
        Ok(Column { ends: ends.collect(), chunks, is_text })
    }

    /// Copies a sequence of `str`, or of bytes-like objects, in which `None` is a null.
    fn of_sequence(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kind = object.get_type().name()?;
        let wrong = || PyTypeError::new_err(format!("expected a column or a list of strings, not {kind}"));
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return Err(wrong());
        }
        let values = object.extract::<Vec<Option<Bound<'_, PyAny>>>>().map_err(|_| wrong())?;
        let texts = values.iter().map(|value| value.as_ref().map(Text::new).transpose());
        let texts = texts.collect::<PyResult<Vec<_>>>()?;
        let is_text = texts.iter().flatten().next().is_none_or(Text::is_str);
        if texts.iter().flatten().any(|text| text.is_str() != is_text) {
            return Err(PyTypeError::new_err("expected strings or bytes, not both in one list"));
        }
        let bytes = texts.iter().map(|text| text.as_ref().map(Text::bytes).transpose());
        let bytes: LargeBinaryArray = bytes.collect::<PyResult<Vec<Option<&[u8]>>>>()?.into_iter().collect();
        Ok(Column { ends: vec![Array::len(&bytes)], chunks: vec![Box::new(bytes)], is_text })
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the string of a row; `None` if it is null. Panics if there is no such row.
    pub(crate) fn get(&self, row: usize) -> Option<StringValue<'_>> {
        let index = self.ends.partition_point(|&end| end <= row);
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let bytes = self.chunks[index].get(row - start)?;
        Some(StringValue { bytes, is_text: self.is_text })
    }

    /// Returns the type of the matched texts.
    pub(crate) fn text_column(&self) -> TextColumn {
        if self.is_text { TextColumn::Strings } else { TextColumn::Bytes }
    }

    /// Returns an error unless the column can be searched with the alphabet.
    pub(crate) fn check(&self, alphabet: Alphabet) -> PyResult<()> {
        if self.is_text && alphabet != Alphabet::Text && !self.chunks.iter().all(|chunk| is_ascii(chunk.as_ref())) {
            return Err(PyValueError::new_err("a column with a string that is not ASCII needs the alphabet 'text'"));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes()).sum()
    }

    /// Divides the column into parts of about `bytes` bytes.
    fn parts(&self, bytes: usize) -> Vec<RowRange<'_>> {
        let (mut parts, mut before) = (Vec::new(), 0);
        for chunk in &self.chunks {
            let rows = chunk.len();
            let step = rows.div_ceil((chunk.bytes() + rows).div_ceil(bytes).max(1)).max(1);
            let ranges = (0..rows).step_by(step).map(|start| start..rows.min(start + step));
            parts.extend(ranges.map(|rows| RowRange { chunk: chunk.as_ref(), rows, before }));
            before += rows;
        }
        parts
    }

    /// Searches the column. Returns the hits in the order of rows.
    ///
    /// # Errors
    /// Fails if the user interrupts the search.
    pub(crate) fn search(&self, py: Python<'_>, searcher: &Searcher, options: &TableSearch) -> PyResult<Hits> {
        let threads = options.threads;
        let parts = self.parts((self.bytes() / PARTS_PER_THREAD.saturating_mul(threads)).clamp(MIN_PART, MAX_PART));
        let layout = options.layout;
        let found = threads::run(py, threads, parts.len(), |number| {
            let part = &parts[number];
            let found = searcher.find_in_texts(part.rows.clone().map(|row| part.chunk.value(row)));
            match options.selection {
                HitSelection::All => self.table(layout, part, found),
                HitSelection::Best => self.table(layout, part, found.best()),
                HitSelection::Sites => self.table(layout, part, found.sites()),
            }
        })?;
        Ok(Hits::new(layout, found.into_iter().flatten().collect()))
    }

    /// Makes a table of the matches in a part of the column.
    fn table<'t>(
        &self,
        layout: TableLayout,
        part: &RowRange<'t>,
        matches: impl Iterator<Item = (usize, Match<'t>)>,
    ) -> Vec<RecordBatch> {
        let mut columns = HitColumns::new(layout);
        let mut last: Option<(usize, CharacterOffsets<'_>)> = None;
        for (index, found) in matches {
            let row = part.rows.start + index;
            let range = if self.is_text {
                let last_text = last.take().filter(|(other, _)| *other == row);
                let new_text = || (row, CharacterOffsets::of(part.chunk.value(row)));
                last.insert(last_text.unwrap_or_else(new_text)).1.range(found.range())
            } else {
                found.range()
            };
            columns.push(HitValues {
                place: Place::Row(part.before + row),
                range: range.start as u64..range.end as u64,
                pattern: found.pattern(),
                distance: found.distance(),
                strand: found.strand(),
                cigar: found.cigar(),
                text: found.text(),
                groups: None,
            });
        }
        columns.take_batches()
    }
}

fn is_ascii(values: &dyn ChunkValues) -> bool {
    (0..values.len()).all(|row| values.value(row).is_ascii())
}

/// Returns the values of an array of strings or bytes; `None` for arrays of other types.
fn values(array: &ArrayRef) -> Option<Box<dyn ChunkValues>> {
    Some(match array.data_type() {
        DataType::Utf8 => Box::new(array.as_string::<i32>().clone()),
        DataType::LargeUtf8 => Box::new(array.as_string::<i64>().clone()),
        DataType::Utf8View => Box::new(array.as_string_view().clone()),
        DataType::Binary => Box::new(array.as_binary::<i32>().clone()),
        DataType::LargeBinary => Box::new(array.as_binary::<i64>().clone()),
        DataType::BinaryView => Box::new(array.as_binary_view().clone()),
        DataType::FixedSizeBinary(_) => Box::new(array.as_fixed_size_binary().clone()),
        DataType::Dictionary(..) => Box::new(DictionaryChunk::new(array.as_any_dictionary_opt()?)?),
        DataType::Null => Box::new(NullChunk(array.len())),
        _ => return None,
    })
}

/// Returns whether a type is that of nulls, or of a table whose only column is of this type.
fn is_null(kind: &DataType) -> bool {
    match kind {
        DataType::Struct(columns) => matches!(columns.as_ref(), [column] if is_null(column.data_type())),
        kind => *kind == DataType::Null,
    }
}

/// Returns true for types of strings and for the type of nulls, false for types of bytes, and `None` for other types.
fn is_text(kind: &DataType) -> Option<bool> {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(true),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => Some(false),
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Null => Some(true),
        _ => None,
    }
}

impl<T: ByteArrayType> ChunkValues for GenericByteArray<T> {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| GenericByteArray::value(self, row).as_ref())
    }

    fn bytes(&self) -> usize {
        span(self.value_offsets())
    }
}

/// Returns the difference between the last and the first offset.
fn span<O: OffsetSizeTrait>(offsets: &[O]) -> usize {
    (offsets[offsets.len() - 1] - offsets[0]).as_usize()
}

impl<T: ByteViewType> ChunkValues for GenericByteViewArray<T> {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| GenericByteViewArray::value(self, row).as_ref())
    }
}

impl ChunkValues for NullChunk {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Option<&[u8]> {
        None
    }
}

impl ChunkValues for FixedSizeBinaryArray {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| FixedSizeBinaryArray::value(self, row))
    }
}

impl DictionaryChunk {
    fn new(array: &dyn AnyDictionaryArray) -> Option<Self> {
        let values = values(array.values())?;
        // The keys of an array without values are all null, and cannot be normalized.
        let keys = if values.len() == 0 { vec![0; array.keys().len()] } else { array.normalized_keys() };
        let numbers = keys.into_iter().enumerate();
        let numbers = numbers.map(|(row, number)| array.keys().is_valid(row).then_some(number)).collect();
        Some(DictionaryChunk { numbers, values })
    }
}

impl ChunkValues for DictionaryChunk {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.numbers[row].and_then(|number| self.values.get(number))
    }
}
