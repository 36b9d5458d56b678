//! The Python interface of nigh: the module `nigh._nigh`. `nigh/_nigh.pyi` has the types.
//!
//! Searches and comparisons release the lock of the interpreter. Offsets in a `str` count characters. All other offsets
//! count bytes.

mod alignments;
mod batches;
mod buffer;
mod characters;
mod column;
mod comparison;
mod file;
mod hits;
mod matches;
mod matrix;
mod options;
mod pairs;
mod patterns;
mod record_splitter;
mod searcher;
mod strings;
mod text;
mod threads;
mod values;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_nigh")]
mod nigh_module {
    #[pymodule_export]
    use crate::alignments::{Alignment, Alignments};
    #[pymodule_export]
    use crate::batches::HitBatches;
    #[pymodule_export]
    use crate::file::{Split, splits};
    #[pymodule_export]
    use crate::hits::Hits;
    #[pymodule_export]
    use crate::matches::{Match, Matches};
    #[pymodule_export]
    use crate::matrix::{DistanceMatrix, distance_matrix};
    #[pymodule_export]
    use crate::pairs::{alignment, alignments, distance, distances, global_scores, lcs_lengths, local_scores};
    #[pymodule_export]
    use crate::record_splitter::RecordSplitter;
    #[pymodule_export]
    use crate::searcher::Searcher;
    #[pymodule_export]
    use crate::values::PairValues;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
