//! Tables of hits in Arrow's format.

use std::fmt::{Display, Write};
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Schema};
use nigh::{Captures, FileRecord, Strand};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

/// Number of rows at which a batch ends.
pub(crate) const BATCH_ROWS: usize = 1 << 20;
/// Number of bytes in a column of strings at which a batch ends. Arrow allows less than 2 GiB.
pub(crate) const BATCH_TEXT: usize = 1 << 30;

/// The place of a hit: the row of a column, or the name of the record of a file; `None` in a file of text.
pub(crate) enum Place<'a> {
    Row(usize),
    Record(Option<&'a [u8]>),
}

/// The record of lines that has a hit of a file.
#[derive(Default)]
struct LineRecord {
    /// Offset of the record in the text of the file.
    start: u64,
    /// The lines of the record; empty if they are in no column.
    text: Vec<u8>,
}

/// The values of a hit in a table.
pub(crate) struct HitValues<'a, C> {
    pub(crate) place: Place<'a>,
    pub(crate) range: Range<u64>,
    pub(crate) pattern: usize,
    pub(crate) distance: usize,
    pub(crate) strand: Strand,
    pub(crate) cigar: C,
    /// The matched text.
    pub(crate) text: &'a [u8],
    /// The groups of the match, unless the table has none.
    pub(crate) groups: Option<Captures<'a>>,
}

/// The kind of places in the first column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    Rows,
    Records,
}

/// The type of a column of texts, such as that of the matched texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextColumn {
    /// There is no such column.
    Absent,
    Strings,
    Bytes,
}

impl TextColumn {
    /// Returns the type of a value; `None` if there is no such column.
    fn value_type(self) -> Option<DataType> {
        match self {
            TextColumn::Absent => None,
            TextColumn::Strings => Some(DataType::Utf8),
            TextColumn::Bytes => Some(DataType::Binary),
        }
    }

    /// Adds a text to a column of this type.
    fn push(self, column: &mut BinaryBuilder, text: &[u8]) {
        match self {
            TextColumn::Absent => {}
            TextColumn::Strings => column.append_value(String::from_utf8_lossy(text).as_bytes()),
            TextColumn::Bytes => column.append_value(text),
        }
    }

    /// Returns a column of this type, which is then empty.
    fn finish(self, column: &mut BinaryBuilder) -> Option<ArrayRef> {
        let text = column.finish();
        match self {
            TextColumn::Absent => None,
            TextColumn::Strings => {
                Some(Arc::new(StringArray::try_from_binary(text).expect("the texts were made UTF-8")))
            }
            TextColumn::Bytes => Some(Arc::new(text)),
        }
    }
}

/// A column of the groups of hits. A value is the list of the texts of groups, from group 1 on.
#[derive(Default)]
struct GroupColumn {
    strings: ListBuilder<StringBuilder>,
    bytes: ListBuilder<BinaryBuilder>,
}

impl GroupColumn {
    /// Adds the groups of a hit, in the direction of the pattern, to a column whose lists have the type `kind`.
    fn push(&mut self, kind: TextColumn, groups: Option<&Captures<'_>>) {
        let texts = groups.into_iter().flat_map(Captures::iter).skip(1).map(|group| group.map(|group| group.text()));
        match kind {
            TextColumn::Absent => {}
            TextColumn::Strings => self
                .strings
                .append_value(texts.map(|text| text.map(|text| String::from_utf8_lossy(&text).into_owned()))),
            TextColumn::Bytes => self.bytes.append_value(texts),
        }
    }

    /// Returns the column, which is then empty.
    fn finish(&mut self, kind: TextColumn) -> Option<ArrayRef> {
        match kind {
            TextColumn::Absent => None,
            TextColumn::Strings => Some(Arc::new(self.strings.finish())),
            TextColumn::Bytes => Some(Arc::new(self.bytes.finish())),
        }
    }
}

/// Whether a table has the columns of records of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRecordColumns {
    Absent,
    /// `record_start`, and `record_text` if there is a column `text`.
    Present,
}

/// The columns of a table that are not the same in all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableLayout {
    pub(crate) places: PlaceKind,
    pub(crate) text: TextColumn,
    /// The texts of groups.
    pub(crate) groups: TextColumn,
    pub(crate) line_records: LineRecordColumns,
}

impl TableLayout {
    /// Returns the schema of a table. All integers are signed, because Spark has no unsigned integers.
    fn schema(self) -> Arc<Schema> {
        let column = |name, kind| Field::new(name, kind, false);
        let place = match self.places {
            PlaceKind::Rows => column("row", DataType::Int64),
            PlaceKind::Records => Field::new("record", DataType::Utf8, true),
        };
        let mut columns = vec![
            place,
            column("start", DataType::Int64),
            column("end", DataType::Int64),
            column("pattern", DataType::Int32),
            column("distance", DataType::Int32),
            column("strand", DataType::Utf8),
            column("cigar", DataType::Utf8),
        ];
        let text = |name| self.text.value_type().map(|kind| column(name, kind));
        columns.extend(text("text"));
        columns.extend(self.groups.value_type().map(|kind| column("groups", DataType::new_list(kind, true))));
        if self.line_records == LineRecordColumns::Present {
            columns.push(column("record_start", DataType::Int64));
            columns.extend(text("record_text"));
        }
        Arc::new(Schema::new(columns))
    }
}

/// A table of hits, in the order of rows or records, then of ends, then of patterns.
///
/// It has Arrow's stream interface, so ``pyarrow.table``, ``polars.DataFrame``, ``pandas.DataFrame.from_arrow`` and DuckDB take it
/// as it is, without a copy.
///
/// Its columns are ``row``, the index of the string in the column, or ``record``, the name of the record in the file; and ``start``,
/// ``end``, ``pattern``, ``distance``, ``strand`` and ``cigar``, as in :class:`Match`; and ``text``, ``groups``,
/// ``record_start`` and ``record_text`` if they were asked for.
#[pyclass(module = "nigh", frozen)]
pub(crate) struct Hits {
    layout: TableLayout,
    batches: Vec<RecordBatch>,
}

/// The columns of a table of hits to which rows are added.
pub(crate) struct HitColumns {
    layout: TableLayout,
    rows: Vec<i64>,
    records: StringBuilder,
    start: Vec<i64>,
    end: Vec<i64>,
    pattern: Vec<i32>,
    distance: Vec<i32>,
    strand: StringBuilder,
    cigar: StringBuilder,
    /// The matched texts, which are UTF-8 in a column of strings.
    text: BinaryBuilder,
    groups: GroupColumn,
    /// The record of lines that has the next hits.
    record: LineRecord,
    record_start: Vec<i64>,
    /// The texts of records of lines.
    record_text: BinaryBuilder,
    /// The complete batches.
    batches: Vec<RecordBatch>,
}

impl HitColumns {
    pub(crate) fn new(layout: TableLayout) -> Self {
        HitColumns {
            layout,
            rows: Vec::new(),
            records: StringBuilder::new(),
            start: Vec::new(),
            end: Vec::new(),
            pattern: Vec::new(),
            distance: Vec::new(),
            strand: StringBuilder::new(),
            cigar: StringBuilder::new(),
            text: BinaryBuilder::new(),
            groups: GroupColumn::default(),
            record: LineRecord::default(),
            record_start: Vec::new(),
            record_text: BinaryBuilder::new(),
            batches: Vec::new(),
        }
    }

    /// Sets the record of lines that has the next hits.
    pub(crate) fn set_record(&mut self, record: &FileRecord<'_>) {
        self.record.start = record.start;
        self.record.text.clear();
        if self.layout.text != TextColumn::Absent {
            self.record.text.extend_from_slice(record.text);
        }
    }

    /// Adds a hit. Its place must be of the kind that the table has.
    pub(crate) fn push(&mut self, hit: HitValues<'_, impl Display>) {
        if self.record_text.values_slice().len() + self.record.text.len() > BATCH_TEXT && !self.start.is_empty() {
            self.end_batch();
        }
        match hit.place {
            Place::Row(row) => self.rows.push(row as i64),
            Place::Record(record) => self.records.append_option(record.map(String::from_utf8_lossy)),
        }
        self.start.push(hit.range.start as i64);
        self.end.push(hit.range.end as i64);
        self.pattern.push(hit.pattern as i32);
        self.distance.push(hit.distance as i32);
        self.strand.append_value(char::from(hit.strand.sign()).encode_utf8(&mut [0; 1]));
        write!(self.cigar, "{}", hit.cigar).expect("a builder takes any string");
        self.cigar.append_value("");
        self.layout.text.push(&mut self.text, hit.text);
        self.groups.push(self.layout.groups, hit.groups.as_ref());
        if self.layout.line_records == LineRecordColumns::Present {
            self.record_start.push(self.record.start as i64);
            self.layout.text.push(&mut self.record_text, &self.record.text);
        }
        let names = [self.records.values_slice(), self.cigar.values_slice()];
        let texts = [self.text.values_slice(), self.record_text.values_slice()];
        let lengths = [names, texts].concat().into_iter().map(<[u8]>::len);
        if self.start.len() == BATCH_ROWS || lengths.max() >= Some(BATCH_TEXT) {
            self.end_batch();
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum::<usize>() + self.start.len()
    }

    /// Returns the number of bytes in the texts of records, of the rows that are in no complete batch.
    pub(crate) fn record_text_len(&self) -> usize {
        self.record_text.values_slice().len()
    }

    fn end_batch(&mut self) {
        let place: ArrayRef = match self.layout.places {
            PlaceKind::Rows => Arc::new(Int64Array::from(take(&mut self.rows))),
            PlaceKind::Records => Arc::new(self.records.finish()),
        };
        let mut columns: Vec<ArrayRef> = vec![
            place,
            Arc::new(Int64Array::from(take(&mut self.start))),
            Arc::new(Int64Array::from(take(&mut self.end))),
            Arc::new(Int32Array::from(take(&mut self.pattern))),
            Arc::new(Int32Array::from(take(&mut self.distance))),
            Arc::new(self.strand.finish()),
            Arc::new(self.cigar.finish()),
        ];
        columns.extend(self.layout.text.finish(&mut self.text));
        columns.extend(self.groups.finish(self.layout.groups));
        if self.layout.line_records == LineRecordColumns::Present {
            columns.push(Arc::new(Int64Array::from(take(&mut self.record_start))));
            columns.extend(self.layout.text.finish(&mut self.record_text));
        }
        let batch = RecordBatch::try_new(self.layout.schema(), columns);
        self.batches.push(batch.expect("the columns are those of the schema"));
    }

    /// Takes the batches of the table. There are none if there are no hits.
    pub(crate) fn take_batches(&mut self) -> Vec<RecordBatch> {
        if !self.start.is_empty() {
            self.end_batch();
        }
        take(&mut self.batches)
    }
}

impl Hits {
    /// Makes a table from batches with these columns.
    pub(crate) fn new(layout: TableLayout, batches: Vec<RecordBatch>) -> Self {
        Hits { layout, batches }
    }
}

#[pymethods]
impl Hits {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<nigh.Hits: {} hits>", self.__len__())
    }

    /// Iterates over the rows. A row is a dictionary from the names of columns to values.
    fn __iter__(this: PyRef<'_, Self>) -> HitRows {
        HitRows { batches: this.batches.clone(), batch: 0, row: 0 }
    }

    /// Returns the table as a ``pyarrow.Table``, without a copy. This method needs the package pyarrow. Other packages
    /// read the hits directly.
    ///
    /// Examples
    /// --------
    /// >>> import nigh, polars
    /// >>> hits = nigh.Searcher("refused").search_column(polars.Series(["conection refusd"]))
    /// >>> hits.to_arrow().column("cigar").to_pylist()
    /// ['5=1I1=']
    fn to_arrow<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("pyarrow")?.call_method1("table", (this,))
    }

    /// Returns the table as a ``pandas.DataFrame``. This method needs the packages pandas and pyarrow.
    ///
    /// Examples
    /// --------
    /// >>> import nigh, polars
    /// >>> hits = nigh.Searcher("refused").search_column(polars.Series(["conection refusd"]), text=True)
    /// >>> print(hits.to_pandas()[["row", "distance", "text"]])
    ///    row  distance    text
    /// 0    0         1  refusd
    fn to_pandas<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Hits::to_arrow(this)?.call_method0("to_pandas")
    }

    /// Returns the table as a ``polars.DataFrame``. This method needs the package polars.
    fn to_polars<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("polars")?.call_method1("DataFrame", (this,))
    }

    /// Returns the schema of the table, for Arrow's PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.layout.schema().as_ref())?)
    }

    /// Returns the table as a stream, for Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, &self.layout.schema(), self.batches.clone(), requested_schema)
    }
}

/// An iterator over the rows of hits.
#[pyclass(module = "nigh")]
pub(crate) struct HitRows {
    batches: Vec<RecordBatch>,
    /// Index of the batch of the next row.
    batch: usize,
    /// Index of the next row in its batch.
    row: usize,
}

#[pymethods]
impl HitRows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(batch) = self.batches.get(self.batch) else { return Ok(None) };
        let row = PyDict::new(py);
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            row.set_item(field.name(), cell(py, column, self.row)?)?;
        }
        self.row += 1;
        if self.row == batch.num_rows() {
            (self.batch, self.row) = (self.batch + 1, 0);
        }
        Ok(Some(row))
    }
}

/// Returns a value of a column as a Python object.
fn cell<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::List(_) => {
            let values = column.as_list::<i32>().value(row);
            let values = (0..values.len()).map(|index| cell(py, &values, index)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_bound_py_any(py),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into_bound_py_any(py),
        DataType::Binary => PyBytes::new(py, column.as_binary::<i32>().value(row)).into_bound_py_any(py),
        _ => column.as_string::<i32>().value(row).into_bound_py_any(py),
    }
}

/// Returns the batches of a table as a stream, for Arrow's PyCapsule interface.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    schema: &Schema,
    batches: Vec<RecordBatch>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let field = Field::new_struct("", schema.fields().clone(), false);
    let arrays = batches.into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
    let stream = Box::new(ArrayIterator::new(arrays, Arc::new(field)));
    Ok(to_stream_pycapsule(py, stream, requested_schema)?)
}
