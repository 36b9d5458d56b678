//! Chooses the matches that are shown in a line: one for each cluster of ends, and none over another.

use super::cluster::{Chooser, Ground};
use crate::alignment::Alignment;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::report::Span;

/// Chooses among the hits of one line at a time, as they come.
pub(super) struct SpanChooser<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    chooser: Chooser,
    chosen: Vec<Hit>,
}

impl<'a> SpanChooser<'a> {
    pub(super) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>) -> Self {
        SpanChooser { patterns, aligner, chooser: Chooser::new(), chosen: Vec::new() }
    }

    /// Adds the next hit of the line.
    pub(super) fn add(&mut self, batch: &Batch, hit: Hit, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.chooser.push(hit);
        self.choose(batch, Some(hit.end), spans)
    }

    /// The line has no more hits.
    pub(super) fn end_line(&mut self, batch: &Batch, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.choose(batch, None, spans)?;
        self.chooser = Chooser::new();
        Ok(())
    }

    fn choose(&mut self, batch: &Batch, seen: Option<usize>, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.chooser.choose(Ground { patterns: self.patterns, batch }, seen, &mut self.chosen);
        for hit in self.chosen.drain(..) {
            let mut aligned: Vec<Alignment> = Vec::with_capacity(1);
            self.aligner.align(batch, &[hit], &mut aligned)?;
            let Alignment { start, end, .. } = aligned.pop().expect("one alignment for each hit");
            spans.push(Span { bytes: start..end, distance: hit.distance });
        }
        Ok(())
    }
}
