//! Chooses the matches that are shown in a line: one for each cluster of ends, and none over another.
//!
//! A cluster is the first end, and the ends within 2k symbols behind it, or with rules within as many as there can be insertions
//! and deletions: so far apart can two ends be of matches that start alike. Of these the end with the least distance is shown, the leftmost of equals. The next cluster is chosen
//! among the matches that start at or after its end.

use std::ops::Range;

use crate::alignment::Alignment;
use crate::engine::{Aligner, EngineError, Floor, settle};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::{Pattern, PatternSet};
use crate::report::Span;
use crate::text::next_symbol;

/// Chooses among the hits of one line at a time, as they come.
pub(super) struct SpanChooser<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    /// Hits that may still be shown.
    pending: Vec<Hit>,
    /// The ends that belong to the first cluster among them, once that is known.
    cluster: Option<Range<usize>>,
    /// The end of the match shown last.
    floor: Floor,
}

impl<'a> SpanChooser<'a> {
    pub(super) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>) -> Self {
        SpanChooser { patterns, aligner, pending: Vec::new(), cluster: None, floor: Floor::None }
    }

    /// Adds the next hit of the line.
    pub(super) fn add(&mut self, batch: &Batch, hit: Hit, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.pending.push(hit);
        self.choose(batch, Some(hit.end), spans)
    }

    /// The line has no more hits.
    pub(super) fn end_line(&mut self, batch: &Batch, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.choose(batch, None, spans)?;
        self.pending.clear();
        self.floor = Floor::None;
        Ok(())
    }

    /// Shows the matches of the clusters that are complete, when hits up to `seen` are known, or all.
    fn choose(&mut self, batch: &Batch, seen: Option<usize>, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        while let Some(cluster) = self.first_cluster(batch) {
            if seen.is_some_and(|seen| cluster.contains(&seen)) {
                self.cluster = Some(cluster);
                break;
            }
            let inside = self.pending.iter().filter(|hit| cluster.contains(&hit.end));
            let settled = inside.filter_map(|&hit| self.settle(batch, hit));
            let best = settled.min_by_key(|hit| (hit.distance, hit.end, hit.pattern)).expect("the first is possible");
            spans.push(self.span(batch, best)?);
            self.floor = Floor::At(best.end);
            self.pending.retain(|hit| hit.end > best.end);
        }
        Ok(())
    }

    /// The ends of the first cluster of pending hits. Hits before it, which can no longer be shown, are dropped.
    fn first_cluster(&mut self, batch: &Batch) -> Option<Range<usize>> {
        if let Some(known) = self.cluster.take() {
            return Some(known);
        }
        let possible = self.pending.iter().position(|&hit| self.settle(batch, hit).is_some());
        self.pending.drain(..possible.unwrap_or(self.pending.len()));
        self.pending.first().map(|&first| self.cluster(batch, first))
    }

    /// The hit as it is when it may not start before the match shown last.
    fn settle(&self, batch: &Batch, hit: Hit) -> Option<Hit> {
        let Floor::At(floor) = self.floor else { return Some(hit) };
        let pattern = self.pattern(hit);
        // A symbol has a byte at least: so little text cannot hold a match.
        if hit.end - floor < pattern.shortest() {
            return None;
        }
        settle(self.patterns.alphabet(), batch, pattern, hit, self.floor)
    }

    fn pattern(&self, hit: Hit) -> &'a Pattern {
        &self.patterns.patterns()[hit.pattern]
    }

    /// The ends that belong to a cluster that begins with this hit.
    fn cluster(&self, batch: &Batch, first: Hit) -> Range<usize> {
        let mut end = first.end;
        for _ in 0..self.pattern(first).spread() {
            end = match next_symbol(self.patterns.alphabet(), batch.bytes(), end) {
                Some(placed) => placed.end,
                None => break,
            };
        }
        first.end..end + 1
    }

    fn span(&mut self, batch: &Batch, hit: Hit) -> Result<Span, EngineError> {
        let mut aligned: Vec<Alignment> = Vec::with_capacity(1);
        self.aligner.align(batch, &[hit], &mut aligned)?;
        let Alignment { start, end, .. } = aligned.pop().expect("one alignment for each hit");
        Ok(Span { bytes: start..end, distance: hit.distance })
    }
}
