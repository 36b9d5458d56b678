//! Chooses the matches that are shown in a line: one for each cluster of ends, and none over another.
//!
//! If matches of other patterns cover the best of a cluster with no more errors, the leftmost of them is shown instead,
//! and of these the longest.

use std::cmp::Reverse;

use super::cluster::{Chooser, Ground};
use crate::alignment::{Alignment, Cigar};
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::report::{Span, Spans};
use crate::text::{LONGEST_SYMBOL, start_of_last};

/// Chooses among the hits of one line at a time, as they come.
pub(super) struct SpanChooser<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    chooser: Chooser,
    /// The best of the first cluster, when what may cover it is not known yet.
    best: Option<Placed>,
    wanted: Spans,
}

/// A match that may be shown.
struct Placed {
    hit: Hit,
    start: usize,
    /// Its edits, if they are wanted.
    cigar: Option<Box<Cigar>>,
}

impl<'a> SpanChooser<'a> {
    /// Chooses among hits of these patterns, and finds out what is wanted of those it shows.
    pub(super) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>, wanted: Spans) -> Self {
        SpanChooser { patterns, aligner, chooser: Chooser::new(), best: None, wanted }
    }

    /// Adds the next hit of the line.
    pub(super) fn add(&mut self, batch: &Batch, hit: Hit, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.chooser.push(hit);
        self.choose(batch, Some(hit.end), spans)
    }

    /// The line has no more hits.
    pub(super) fn end_line(&mut self, batch: &Batch, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        self.choose(batch, None, spans)?;
        self.chooser.clear();
        Ok(())
    }

    /// Shows the matches that are settled when all hits are known that end before `seen`; or all.
    fn choose(&mut self, batch: &Batch, seen: Option<usize>, spans: &mut Vec<Span>) -> Result<(), EngineError> {
        let ground = Ground { patterns: self.patterns, batch };
        loop {
            let best = match self.best.take() {
                Some(known) => known,
                None => match self.chooser.first_best(ground, seen) {
                    Some(hit) => self.place(batch, hit)?,
                    None => return Ok(()),
                },
            };
            if seen.is_some_and(|seen| seen <= self.covered_to(&best)) {
                self.best = Some(best);
                return Ok(());
            }
            let Placed { hit, start, cigar } = self.widest(ground, best)?;
            spans.push(Span { bytes: start..hit.end, distance: hit.distance, pattern: hit.pattern, cigar });
            self.chooser.pass(hit.end);
        }
    }

    /// How far ends may lie of matches that cover this one.
    fn covered_to(&self, best: &Placed) -> usize {
        match self.patterns.patterns().len() {
            // Those of its own pattern are in the cluster.
            1 => best.hit.end - 1,
            _ => best.start + LONGEST_SYMBOL * self.patterns.reach(),
        }
    }

    /// The match that is shown in the place of this one: the leftmost and then longest of those of other patterns that
    /// cover it with no more errors, if there are any.
    fn widest(&mut self, ground: Ground<'_>, best: Placed) -> Result<Placed, EngineError> {
        if self.patterns.patterns().len() == 1 {
            return Ok(best);
        }
        let ends = best.hit.end..=self.covered_to(&best);
        let may_cover = |hit: &&Hit| hit.pattern != best.hit.pattern && ends.contains(&hit.end);
        let candidates = self.chooser.pending().iter().filter(may_cover);
        let settled = candidates.filter_map(|&hit| self.chooser.settle(ground, hit));
        let others: Vec<Hit> = settled.filter(|hit| hit.distance <= best.hit.distance).collect();
        let key = |placed: &Placed| (placed.start, Reverse(placed.hit.end), placed.hit.distance);
        let mut widest = best;
        for hit in others {
            let other = self.place(ground.batch, hit)?;
            if key(&other) < key(&widest) {
                widest = other;
            }
        }
        Ok(widest)
    }

    fn place(&mut self, batch: &Batch, hit: Hit) -> Result<Placed, EngineError> {
        let known = if self.wanted == Spans::Edits { None } else { self.known_start(batch, hit) };
        if let Some(start) = known {
            return Ok(Placed { hit, start, cigar: None });
        }
        let mut aligned: Vec<Alignment> = Vec::with_capacity(1);
        self.aligner.align(batch, &[hit], &mut aligned)?;
        let Alignment { start, cigar, .. } = aligned.pop().expect("one alignment for each hit");
        let cigar = (self.wanted == Spans::Edits).then(|| Box::new(cigar));
        Ok(Placed { hit, start, cigar })
    }

    /// Where a match starts, if that takes no alignment.
    fn known_start(&self, batch: &Batch, hit: Hit) -> Option<usize> {
        let without_errors = || {
            let length = self.patterns.patterns()[hit.pattern].symbols().len();
            start_of_last(self.patterns.alphabet(), &batch.bytes()[..hit.end], length)
        };
        hit.start.or_else(|| (hit.distance == 0).then(without_errors))
    }
}
