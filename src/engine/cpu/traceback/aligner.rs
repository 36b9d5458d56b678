//! Aligns hits on the processor.

use super::checkpoint::{Checkpoints, Start, TraceProblem};
use super::single_word::Trace;
use crate::alignment::{Alignment, BackwardRuns};
use crate::engine::cpu::compiled::Compiled;
use crate::engine::text_window::TextWindow;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;

/// Traces one hit after the other.
pub(crate) struct CpuAligner<'a> {
    compiled: &'a Compiled,
    window: TextWindow,
    /// For each pattern; used for those of one word.
    traces: Vec<Trace>,
    /// Those of the hit at hand, last to first.
    runs: BackwardRuns,
    quadrants: Checkpoints,
}

impl<'a> CpuAligner<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        CpuAligner {
            compiled,
            window: TextWindow::new(),
            traces: compiled.blocks.iter().map(|_| Trace::default()).collect(),
            runs: BackwardRuns::default(),
            quadrants: Checkpoints::default(),
        }
    }
}

impl Aligner for CpuAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        self.window.forget();
        for hit in hits {
            let reach = self.compiled.patterns.patterns()[hit.pattern].reach();
            self.window.extend_to(&self.compiled.classes, batch, hit.end, reach);
            let first = match Trace::fits(&self.compiled.blocks[hit.pattern]) {
                true => self.trace(hit, reach),
                false => self.walk_quadrants(hit),
            };
            let cigar = self.runs.cigar();
            out.push(Alignment { start: self.window.start_of(first), end: hit.end, cigar });
        }
        Ok(())
    }
}

impl CpuAligner<'_> {
    /// Finds the runs of a hit of a pattern of one word, and the number of the symbol with which the match starts.
    fn trace(&mut self, hit: &Hit, reach: usize) -> usize {
        let pattern = &self.compiled.blocks[hit.pattern];
        let trace = &mut self.traces[hit.pattern];
        match hit.start {
            None => trace.walk_free(pattern, self.window.symbols(), reach, &mut self.runs),
            Some(start) => trace.walk_all(pattern, self.window.last_from(start, reach), &mut self.runs),
        }
    }

    /// The same for a pattern of any length.
    fn walk_quadrants(&mut self, hit: &Hit) -> usize {
        let pattern = &self.compiled.blocks[hit.pattern];
        let most = pattern.length() + hit.distance;
        let (symbols, start) = match hit.start {
            None => (self.window.last(most), Start::Free),
            Some(start) => (self.window.last_from(start, most), Start::Fixed),
        };
        let problem = TraceProblem { pattern, codes: symbols.codes, distance: hit.distance, start };
        symbols.first + self.quadrants.walk_back(problem, &mut self.runs)
    }
}
