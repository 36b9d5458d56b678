//! Formats hits as rows, with alignments if the rows show them.

use std::cell::OnceCell;

use crate::alignment::Alignment;
use crate::engine::{Aligner, Engine, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::report::Rows;

/// Formats hits as rows.
pub(super) struct RowWriter<'a> {
    pub(super) rows: &'a dyn Rows,
    aligner: Box<dyn Aligner + 'a>,
    /// The alignments of the current hits, if rows show them.
    pub(super) aligned: Vec<Alignment>,
    /// The letters of each pattern, computed on demand.
    letters: Vec<OnceCell<Box<str>>>,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(rows: &'a dyn Rows, engine: &'a dyn Engine) -> Result<Self, EngineError> {
        let patterns = engine.patterns();
        let letters = patterns.patterns().iter().map(|_| OnceCell::new()).collect();
        Ok(RowWriter { rows, aligner: engine.aligner()?, aligned: Vec::new(), letters })
    }

    pub(super) fn letters(&self, patterns: &PatternSet, index: usize) -> &str {
        self.letters[index].get_or_init(|| patterns.patterns()[index].letters(patterns.alphabet()).into())
    }

    pub(super) fn align(&mut self, batch: &Batch, hits: &[Hit]) -> Result<(), EngineError> {
        self.aligned.clear();
        if !self.rows.wants_alignment() {
            return Ok(());
        }
        self.aligner.align(batch, hits, &mut self.aligned)
    }
}
