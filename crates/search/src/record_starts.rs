//! Finds the lines with which records of several lines begin.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::select::items::{line_around, select_empty};
use nigh_core::batch::{Batch, RecordName};
use nigh_core::engine::{Engine, EngineError, WantedHits};
use nigh_core::hit::{Hit, HitSink};
use nigh_input::RecordStarts;
use nigh_report::{Findings, MatchedItem};

/// The lines that a pattern matches, as the first lines of records.
pub struct MatchingLines {
    engine: Arc<Engine>,
}

impl MatchingLines {
    /// Makes the rule of the lines that a pattern of `engine` matches.
    ///
    /// # Errors
    /// Fails if the engine cannot search for its patterns.
    pub fn new(engine: Arc<Engine>) -> Result<Self, EngineError> {
        engine.scanner()?;
        Ok(MatchingLines { engine })
    }
}

/// The lines of a batch that have a hit.
struct HitLines<'b> {
    batch: &'b Batch<'b>,
    lines: Vec<MatchedItem>,
}

impl HitSink for HitLines<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        let lines = self.batch.lines().expect("records of lines are in text");
        for hit in hits {
            if self.lines.last().is_none_or(|last| last.bytes.end < hit.end) {
                let line = line_around(self.batch, lines, hit.end);
                self.lines.push(MatchedItem::new(line.clone(), line, RecordName::NONE));
            }
        }
        ControlFlow::Continue(())
    }
}

impl RecordStarts for MatchingLines {
    fn of(&self, lines: &Batch<'_>) -> Vec<usize> {
        let mut found = HitLines { batch: lines, lines: Vec::new() };
        let mut scanner = self.engine.scanner().expect("the first scanner could be made");
        scanner.search(lines, WantedHits::One, &mut found).expect("a search on the CPU does not fail");
        let mut findings = Findings { items: found.lines, ..Findings::default() };
        let patterns = self.engine.patterns();
        if !patterns.empty().is_empty() {
            select_empty(patterns, lines, 0..lines.bytes().len(), &mut findings);
        }
        findings.items.into_iter().map(|line| line.record.start).collect()
    }
}
