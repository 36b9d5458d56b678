//! Aligns hits on the processor.

use super::checkpoint::{Checkpoints, TraceEnd, TraceProblem};
use super::single_word::TraceColumns;
use crate::compiled::Compiled;
use nigh_text::alignment::{Alignment, BackwardRuns, Edit};
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_verify::text_window::{MatchStart, TextWindow};
use nigh_verify::{Aligner, EngineError};

/// Hits whose ends are at most this many bytes apart are traced back together, whatever their distances are.
const NEAR: usize = 64;

/// Traces hits back one after the other, or those of a long pattern that end near each other together.
pub(crate) struct CpuAligner<'a> {
    compiled: &'a Compiled,
    window: TextWindow,
    /// One trace per pattern, used for patterns of a single block.
    traces: Vec<TraceColumns>,
    /// The edits of the current hit, last to first.
    runs: BackwardRuns,
    checkpoints: Checkpoints,
    /// The ends of the hits that are traced back together.
    ends: Vec<TraceEnd>,
}

impl<'a> CpuAligner<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        CpuAligner {
            compiled,
            window: TextWindow::default(),
            traces: compiled.patterns.patterns().iter().map(|_| TraceColumns::default()).collect(),
            runs: BackwardRuns::default(),
            checkpoints: Checkpoints::default(),
            ends: Vec::new(),
        }
    }
}

impl Aligner for CpuAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        self.window.clear();
        let mut left = hits;
        while let [hit, others @ ..] = left {
            interrupt::check();
            let max_match_len = self.compiled.patterns.patterns()[hit.pattern].max_match_len();
            self.window.extend_to(&self.compiled.classes, batch, hit.end, max_match_len);
            if hit.distance == 0 {
                out.push(self.exact(hit));
                left = others;
            } else if TraceColumns::fits(&self.compiled.blocks[hit.pattern]) {
                let first = self.trace(hit, max_match_len);
                let cigar = self.runs.cigar();
                out.push(Alignment { start: self.window.start_of(first), end: hit.end, cigar });
                left = others;
            } else {
                let count = self.gather(batch, left, max_match_len);
                self.trace_long(&left[..count], out);
                left = &left[count..];
            }
        }
        Ok(())
    }
}

impl CpuAligner<'_> {
    /// Returns the alignment of a hit without edits, which needs no matrix.
    fn exact(&mut self, hit: &Hit) -> Alignment {
        let length = self.compiled.blocks[hit.pattern].length();
        self.runs.clear();
        self.runs.push(length, Edit::Match);
        let start = self.window.start_of(self.window.symbols().end() - length);
        Alignment { start, end: hit.end, cigar: self.runs.cigar() }
    }

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

    /// Returns the number of hits at the start of `hits` that can be traced back together. Extends the window, which
    /// ends at the first hit, to the last of them. Sets `ends`, with columns counted from the start of the window.
    fn gather(&mut self, batch: &Batch, hits: &[Hit], max_match_len: usize) -> usize {
        let classes = &self.compiled.classes;
        self.ends.clear();
        self.ends.push(TraceEnd { column: self.window.symbols().codes.len(), distance: hits[0].distance });
        for pair in hits.windows(2) {
            let (before, hit) = (pair[0], pair[1]);
            let is_near = hit.end.saturating_sub(before.end) <= NEAR.max(2 * before.distance);
            let is_alike = hit.pattern == before.pattern && before.start.is_none() && hit.start.is_none();
            if !is_near || !is_alike || !self.window.can_extend_to(batch, hit.end, max_match_len) {
                break;
            }
            self.window.extend_to(classes, batch, hit.end, max_match_len);
            self.ends.push(TraceEnd { column: self.window.symbols().codes.len(), distance: hit.distance });
        }
        self.ends.len()
    }

    /// Traces hits of a pattern of any length back to their starts, by checkpoints. `ends` holds the ends of `hits`,
    /// and the window ends at the last of them. Appends the alignments to `out`.
    fn trace_long(&mut self, hits: &[Hit], out: &mut Vec<Alignment>) {
        let pattern = &self.compiled.blocks[hits[0].pattern];
        let distance = self.ends.iter().map(|end| end.distance).max().unwrap_or(0);
        let spread = self.window.symbols().codes.len() - self.ends[0].column;
        let max_symbols = pattern.length() + distance + spread;
        let (symbols, start) = match hits[0].start {
            None => (self.window.last(max_symbols), MatchStart::Anywhere),
            Some(start) => (self.window.last_from(start, max_symbols), MatchStart::Fixed),
        };
        let before = symbols.first - self.window.symbols().first;
        self.ends.iter_mut().for_each(|end| end.column -= before);
        let problem = TraceProblem { pattern, codes: symbols.codes, ends: &self.ends, start, distance };
        let walks = self.checkpoints.walk_back(problem);
        out.extend(hits.iter().zip(walks).map(|(hit, walk)| {
            let start = self.window.start_of(symbols.first + walk.start());
            Alignment { start, end: hit.end, cigar: walk.runs.cigar() }
        }));
    }
}
