//! Aligns hits on the processor.

use super::CpuEngine;
use super::quadrant::{Problem, Quadrants, Start};
use crate::alignment::{Alignment, Cigar};
use crate::engine::encode::Code;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::text::previous_symbol;

/// Traces one hit after the other.
pub(super) struct CpuAligner<'a> {
    engine: &'a CpuEngine,
    quadrants: Quadrants,
    codes: Vec<Code>,
    /// Where the symbol of each code starts in the batch.
    starts: Vec<usize>,
}

impl<'a> CpuAligner<'a> {
    pub(super) fn new(engine: &'a CpuEngine) -> Self {
        CpuAligner { engine, quadrants: Quadrants::default(), codes: Vec::new(), starts: Vec::new() }
    }
}

impl Aligner for CpuAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        for hit in hits {
            self.take_text(batch, hit);
            let (edits, before) = self.quadrants.walk_back(Problem {
                pattern: &self.engine.words[hit.pattern],
                codes: &self.codes,
                distance: hit.distance,
                start: if hit.start.is_some() { Start::Fixed } else { Start::Free },
            });
            let start = self.starts.get(before).copied().unwrap_or(hit.end);
            out.push(Alignment { start, end: hit.end, cigar: Cigar::from_backward(edits) });
        }
        Ok(())
    }
}

impl CpuAligner<'_> {
    /// Takes the text that a match can cover which ends at the hit.
    fn take_text(&mut self, batch: &Batch, hit: &Hit) {
        let reach = self.engine.words[hit.pattern].length() + hit.distance;
        let alphabet = self.engine.patterns.alphabet();
        let around = batch.surroundings(hit.end, reach);
        let floor = hit.start.unwrap_or(around.bytes.start);
        self.codes.clear();
        self.starts.clear();
        let mut at = hit.end;
        while self.codes.len() < reach {
            let Some(placed) = previous_symbol(alphabet, &batch.bytes()[..at], at) else { break };
            if placed.start < floor {
                break;
            }
            self.codes.push(self.engine.classes.code(placed.symbol));
            self.starts.push(placed.start);
            at = placed.start;
        }
        self.codes.reverse();
        self.starts.reverse();
    }
}
