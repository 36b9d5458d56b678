//! Aligns hits on the processor.

use super::checkpoint::{Checkpoints, TraceProblem};
use super::single_word::Trace;
use crate::alignment::{Alignment, BackwardRuns};
use crate::engine::cpu::compiled::Compiled;
use crate::engine::text_window::{MatchStart, TextWindow};
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;

/// Traces hits back one after the other.
pub(crate) struct CpuAligner<'a> {
    compiled: &'a Compiled,
    window: TextWindow,
    /// One trace per pattern, used for patterns of a single block.
    traces: Vec<Trace>,
    /// The edits of the current hit, last to first.
    runs: BackwardRuns,
    checkpoints: Checkpoints,
}

impl<'a> CpuAligner<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        CpuAligner {
            compiled,
            window: TextWindow::new(),
            traces: compiled.blocks.iter().map(|_| Trace::default()).collect(),
            runs: BackwardRuns::default(),
            checkpoints: Checkpoints::default(),
        }
    }
}

impl Aligner for CpuAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        self.window.clear();
        for hit in hits {
            let max_match_len = self.compiled.patterns.patterns()[hit.pattern].max_match_len();
            self.window.extend_to(&self.compiled.classes, batch, hit.end, max_match_len);
            let is_short = Trace::fits(&self.compiled.blocks[hit.pattern]);
            let first = if is_short { self.trace(hit, max_match_len) } else { self.trace_long(hit) };
            let cigar = self.runs.cigar();
            out.push(Alignment { start: self.window.start_of(first), end: hit.end, cigar });
        }
        Ok(())
    }
}

impl CpuAligner<'_> {
    /// Traces a hit of a pattern of a single block back to its start. Returns the serial number of the first symbol of
    /// the match.
    fn trace(&mut self, hit: &Hit, max_match_len: usize) -> usize {
        let pattern = &self.compiled.blocks[hit.pattern];
        let trace = &mut self.traces[hit.pattern];
        match hit.start {
            None => trace.walk_free(pattern, self.window.symbols(), max_match_len, &mut self.runs),
            Some(start) => trace.walk_all(pattern, self.window.last_from(start, max_match_len), &mut self.runs),
        }
    }

    /// Traces a hit of a pattern of any length back to its start, by checkpoints. Returns the serial number of the
    /// first symbol of the match.
    fn trace_long(&mut self, hit: &Hit) -> usize {
        let pattern = &self.compiled.blocks[hit.pattern];
        let max_symbols = pattern.length() + hit.distance;
        let (symbols, start) = match hit.start {
            None => (self.window.last(max_symbols), MatchStart::Anywhere),
            Some(start) => (self.window.last_from(start, max_symbols), MatchStart::Fixed),
        };
        let problem = TraceProblem { pattern, codes: symbols.codes, distance: hit.distance, start };
        symbols.first + self.checkpoints.walk_back(problem, &mut self.runs)
    }
}
