//! Alignments as objects and as tables.

use std::sync::{Arc, LazyLock};

use arrow_array::RecordBatch;
use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_schema::{DataType, Field, Schema};
use nigh::pairwise::PairAlignment;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};
use pyo3_arrow::ffi::to_schema_pycapsule;

use crate::hits::{BATCH_ROWS, BATCH_TEXT, stream};
use crate::values::arrow_value;

/// An alignment of two strings that has the smallest possible number of edits.
///
/// It can be pickled.
///
/// Attributes
/// ----------
/// distance : int
///     The edit distance.
/// cigar : str
///     The operations in the direction of the strings: ``=`` a match, ``X`` a substitution, ``I`` a symbol of the first
///     string only, ``D`` a symbol of the second only.
#[pyclass(module = "nigh", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Alignment {
    distance: usize,
    cigar: String,
}

#[pymethods]
impl Alignment {
    #[new]
    fn new(distance: usize, cigar: String) -> Self {
        Alignment { distance, cigar }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, String)) {
        (py.get_type::<Alignment>(), (self.distance, self.cigar.clone()))
    }

    fn __repr__(&self) -> String {
        format!("Alignment(distance={}, cigar='{}')", self.distance, self.cigar)
    }
}

/// A table of alignments, with the columns ``distance`` and ``cigar`` of :class:`Alignment`; see :func:`alignments`.
///
/// It has Arrow's stream interface, as :class:`Hits` has.
#[pyclass(module = "nigh", frozen)]
pub(crate) struct Alignments {
    batches: Vec<RecordBatch>,
}

/// The columns of a table of alignments to which rows are added.
#[derive(Default)]
pub(crate) struct AlignmentColumns {
    distance: Int32Builder,
    cigar: StringBuilder,
    rows: usize,
    /// The complete batches.
    batches: Vec<RecordBatch>,
}

impl Alignment {
    pub(crate) fn of(aligned: &PairAlignment) -> Self {
        Alignment { distance: aligned.value as usize, cigar: aligned.cigar.to_string() }
    }
}

fn schema() -> Arc<Schema> {
    static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
        let (distance, cigar) =
            (Field::new("distance", DataType::Int32, true), Field::new("cigar", DataType::Utf8, true));
        Arc::new(Schema::new(vec![distance, cigar]))
    });
    SCHEMA.clone()
}

impl AlignmentColumns {
    /// Adds the row of an alignment. `None` adds a row of nulls, for a pair with a null.
    ///
    /// # Errors
    /// Fails if the distance does not fit into 32 bits.
    pub(crate) fn push(&mut self, aligned: Option<&PairAlignment>) -> PyResult<()> {
        let distance = aligned.map(|aligned| arrow_value(aligned.value)).transpose()?;
        self.distance.append_option(distance);
        self.cigar.append_option(aligned.map(|aligned| aligned.cigar.to_string()));
        self.rows += 1;
        if self.rows == BATCH_ROWS || self.cigar.values_slice().len() >= BATCH_TEXT {
            self.end_batch();
        }
        Ok(())
    }

    fn end_batch(&mut self) {
        self.rows = 0;
        let batch =
            RecordBatch::try_new(schema(), vec![Arc::new(self.distance.finish()), Arc::new(self.cigar.finish())]);
        self.batches.push(batch.expect("the columns are those of the schema"));
    }

    /// Returns the table.
    pub(crate) fn finish(mut self) -> Alignments {
        if self.rows > 0 {
            self.end_batch();
        }
        Alignments { batches: self.batches }
    }
}

#[pymethods]
impl Alignments {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<nigh.Alignments: {} alignments>", self.__len__())
    }

    /// Returns the table as a ``pyarrow.Table``, as :meth:`Hits.to_arrow` does.
    fn to_arrow<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("pyarrow")?.call_method1("table", (this,))
    }

    /// Returns the schema of the table, for Arrow's PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, schema().as_ref())?)
    }

    /// Returns the table as a stream, for Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, &schema(), self.batches.clone(), requested_schema)
    }
}
