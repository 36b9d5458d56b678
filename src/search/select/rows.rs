//! Formats hits as rows, with their alignments where rows show them.

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
    /// The alignments of the hits at hand, if rows show them.
    pub(super) aligned: Vec<Alignment>,
    /// The letters of each pattern, once they are needed.
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
        match self.rows.wants_alignment() {
            true => self.aligner.align(batch, hits, &mut self.aligned),
            false => Ok(()),
        }
    }
}
