//! Tables of hits in Arrow's format.

use std::fmt::Write;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use nigh::Match;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

/// The columns of hits. The integers have signs, since Spark has no others.
static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let column = |name, kind| Field::new(name, kind, false);
    Arc::new(Schema::new(vec![
        column("row", DataType::Int64),
        column("start", DataType::Int64),
        column("end", DataType::Int64),
        column("pattern", DataType::Int32),
        column("distance", DataType::Int32),
        column("strand", DataType::Utf8),
        column("cigar", DataType::Utf8),
    ]))
});

/// A table of hits, in the order of rows, of ends, and of patterns.
///
/// It has Arrow's stream interface, so ``pyarrow.table``, ``polars.DataFrame``, ``pandas.DataFrame.from_arrow`` and DuckDB take it
/// as it is, without a copy.
///
/// Its columns are ``row``, the index of the string in the column; ``start``, ``end``, ``pattern``, ``distance``, ``strand`` and
/// ``cigar``, as in :class:`Match`.
#[pyclass(module = "nigh", frozen)]
pub(crate) struct Hits {
    batches: Vec<RecordBatch>,
}

/// The columns of a table while it is filled.
#[derive(Default)]
pub(crate) struct HitColumns {
    row: Vec<i64>,
    start: Vec<i64>,
    end: Vec<i64>,
    pattern: Vec<i32>,
    distance: Vec<i32>,
    strand: StringBuilder,
    cigar: StringBuilder,
}

impl HitColumns {
    /// Adds a match in the given range of a row.
    pub(crate) fn push(&mut self, row: usize, range: Range<usize>, found: &Match<'_>) {
        self.row.push(row as i64);
        self.start.push(range.start as i64);
        self.end.push(range.end as i64);
        self.pattern.push(found.pattern() as i32);
        self.distance.push(found.distance() as i32);
        self.strand.append_value(char::from(found.strand().sign()).encode_utf8(&mut [0; 1]));
        write!(self.cigar, "{}", found.cigar()).expect("a builder takes any string");
        self.cigar.append_value("");
    }

    pub(crate) fn finish(mut self) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(self.row)),
            Arc::new(Int64Array::from(self.start)),
            Arc::new(Int64Array::from(self.end)),
            Arc::new(Int32Array::from(self.pattern)),
            Arc::new(Int32Array::from(self.distance)),
            Arc::new(self.strand.finish()),
            Arc::new(self.cigar.finish()),
        ];
        RecordBatch::try_new(SCHEMA.clone(), columns).expect("the columns are those of the schema")
    }
}

impl Hits {
    /// Joins the tables of consecutive rows.
    pub(crate) fn new(batches: Vec<RecordBatch>) -> Self {
        Hits { batches: batches.into_iter().filter(|batch| batch.num_rows() > 0).collect() }
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

    /// Returns the type of the table, as in Arrow's PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, SCHEMA.as_ref())?)
    }

    /// Returns the table as a stream, as in Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", SCHEMA.fields().clone(), false);
        let batches = self.batches.clone().into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let stream = Box::new(ArrayIterator::new(batches, Arc::new(field)));
        Ok(to_stream_pycapsule(py, stream, requested_schema)?)
    }
}
