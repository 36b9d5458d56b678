//! Comparison of pairs as work on batches.
//!
//! Reading order: this file, `worker.rs` (from batches to rows), `comparison.rs` (values and alignments), `further.rs`
//! (several alignments of a pair), `lines.rs` (pairs in the columns of a table), `sets.rs` and `lists.rs` (each line of a
//! text with each of another).

mod comparison;
mod further;
mod lines;
mod lists;
mod sets;
mod worker;

use std::sync::Arc;

use crate::rows::{Measure, PairRows, RankBounds};
use nigh_pairs::PairEngine;
use nigh_search::Strands;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Records;

pub use lists::{ComparedList, ListForm, QueryList, QueryListRules};

/// The comparison of the pairs of an input.
pub struct PairWork {
    /// Computes values and alignments.
    pub engine: Arc<dyn PairEngine>,
    /// The pairs.
    pub source: PairSource,
    /// Formats pairs as rows.
    pub rows: Arc<dyn PairRows>,
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
    /// The worst value that is printed; `None` if all pairs are printed.
    pub bound: Option<i64>,
    /// Whether rows show all local alignments of a pair that do not overlap in the target, not only the best. Rows must show
    /// alignments.
    pub wants_all: bool,
    /// Converts scores to bits; `None` if rows do not show them.
    pub bits: Option<BitScale>,
    /// Limits rows to the best targets of each query; `None` if all pairs within the bound are printed.
    pub top: Option<TargetLimit>,
    /// The alphabet, which divides strings into symbols.
    pub alphabet: Alphabet,
    /// The strands of the queries that are compared. With both, a pair has the better value of its two strands; if the
    /// values are equal, it has the forward strand.
    pub strands: Strands,
}

/// The pairs to compare.
#[derive(Debug, Clone)]
pub enum PairSource {
    /// The columns of each line.
    Columns,
    /// Each record, compared with the record of the second input that has the same index.
    Mates,
    /// Each record, compared with each of these queries.
    Queries(QueryRecords),
    /// Each line, compared with each query of a list.
    List(Arc<ComparedList>),
}

impl PairSource {
    /// Returns the number of queries in memory.
    pub fn query_count(&self) -> usize {
        match self {
            PairSource::Columns | PairSource::Mates => 0,
            PairSource::Queries(queries) => queries.forward.len(),
            PairSource::List(list) => list.queries.len(),
        }
    }

    /// Returns the number of symbols of the queries in memory; `None` if there are none.
    pub fn query_symbols(&self) -> Option<usize> {
        match self {
            PairSource::Columns | PairSource::Mates => None,
            PairSource::Queries(queries) => Some(queries.forward.all_residues().len()),
            PairSource::List(list) => Some(list.queries.symbol_count()),
        }
    }
}

/// Queries that are in memory.
#[derive(Debug, Clone)]
pub struct QueryRecords {
    /// The queries.
    pub forward: Arc<Records>,
    /// Their reverse complements; `None` if only the forward strand is compared.
    pub reverse: Option<Arc<Records>>,
}

/// Limits rows to the best targets of each query.
#[derive(Debug, Clone)]
pub struct TargetLimit {
    /// Largest number of rows of a query.
    pub count: usize,
    /// For each query, the rank that a further target must exceed to be among the best.
    pub bounds: RankBounds,
}

/// The parameters of the distribution of local scores (Karlin and Altschul 1990).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitScale {
    /// The scale of scores.
    pub lambda: f64,
    /// The constant K of the distribution.
    pub k: f64,
}

impl BitScale {
    /// Converts a score to bits.
    fn bits(self, score: i64) -> f64 {
        (self.lambda * score as f64 - self.k.ln()) / std::f64::consts::LN_2
    }
}
