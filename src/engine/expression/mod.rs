//! Regular expressions, on top of an engine for strings.
//!
//! The inner engine searches for the patterns that are strings. This one simulates the automaton of each other pattern, and
//! puts the hits of both in order. A batch must hold whole lines. Read on in this order: `automaton` (the simulation of one
//! line), `context` and `line` (the text for it), `compiled` (all tables), `search` (a batch, with `bitsliced` and
//! `cpu::bitslice::automaton` for many lines at a time, and `gate` to leave out lines), `starts` and `trace` (from a hit to its
//! alignment), `tally` and `tally_trace` (edits with costs and limits: the search finds candidates without them).

mod automaton;
mod bitsliced;
mod compiled;
mod context;
mod exact;
mod gate;
mod line;
mod search;
mod simulation;
mod starts;
mod tally;
mod tally_trace;
mod trace;

use std::sync::Arc;
use std::time::Duration;

use self::compiled::{CompiledExpression, CompiledExpressions};
use self::exact::matches_by_start;
use self::line::{LineEncoder, MatchEnd};
use self::search::BatchSearch;
use self::starts::{BestMatch, StartSearch};
use super::cpu::bitslice::automaton::StreamHits;
use super::merging_sink::MergingSink;
use super::{Aligner, Engine, EngineError, MatchPlace, Scanner};
use crate::alignment::Alignment;
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::simd::isa::Isa;

/// The least size of a batch, in bytes. A stream reads the text from the start of its first line on twice, so it should be
/// much longer than a line.
const BATCH_BYTES: usize = 4 << 20;

/// An engine for patterns of which some are regular expressions.
pub(super) struct ExpressionEngine {
    compiled: CompiledExpressions,
    /// The engine that searches for strings.
    inner: Arc<dyn Engine>,
    /// For each pattern of the inner engine, its index in the set; ascending.
    indices: Vec<usize>,
}

impl ExpressionEngine {
    /// Makes an engine for `patterns`. `inner` searches for the strings among them, which have the indices `indices`. Uses
    /// the instruction set `isa`, or simulates one line at a time if there is none.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub(super) fn new(
        patterns: Arc<PatternSet>,
        inner: Arc<dyn Engine>,
        indices: Vec<usize>,
        isa: Option<Isa>,
    ) -> Result<Self, EngineError> {
        Ok(ExpressionEngine { compiled: CompiledExpressions::new(patterns, isa)?, inner, indices })
    }
}

impl Engine for ExpressionEngine {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn patterns(&self) -> &Arc<PatternSet> {
        &self.compiled.patterns
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = if self.indices.is_empty() { Vec::new() } else { self.inner.plan() };
        lines.extend(self.compiled.plan());
        lines
    }

    fn failure(&self) -> Option<&EngineError> {
        self.inner.failure()
    }

    fn workers(&self) -> usize {
        self.inner.workers()
    }

    fn batch_bytes(&self) -> usize {
        self.inner.batch_bytes().max(BATCH_BYTES)
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let own = self.compiled.estimate(batch);
        Some(own.saturating_add(self.inner.estimate(batch).unwrap_or_default()))
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let inner = if self.indices.is_empty() { None } else { Some(self.inner.scanner()?) };
        Ok(Box::new(ExpressionScanner {
            engine: self,
            inner,
            search: BatchSearch::new(&self.compiled),
            found: Vec::new(),
        }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        let inner = if self.indices.is_empty() { None } else { Some(self.inner.aligner()?) };
        Ok(Box::new(ExpressionAligner { engine: self, inner, encoder: self.compiled.encoder() }))
    }
}

struct ExpressionScanner<'a> {
    engine: &'a ExpressionEngine,
    inner: Option<Box<dyn Scanner + 'a>>,
    search: BatchSearch<'a>,
    found: Vec<Hit>,
}

impl Scanner for ExpressionScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, StreamHits::All, hits)
    }

    fn select(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, StreamHits::OneOfEach, hits)
    }
}

impl ExpressionScanner<'_> {
    fn search(&mut self, batch: &Batch, wanted: StreamHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.found.clear();
        self.search.find(batch, wanted, &mut self.found);
        let indices = &self.engine.indices;
        let in_set = |hit: Hit| Some(Hit { pattern: indices[hit.pattern], ..hit });
        let mut sink = MergingSink::new(&self.found, &in_set, hits);
        match (&mut self.inner, wanted) {
            (None, _) => {}
            (Some(inner), StreamHits::All) => inner.scan(batch, &mut sink)?,
            (Some(inner), StreamHits::OneOfEach) => inner.select(batch, &mut sink)?,
        }
        sink.finish();
        Ok(())
    }
}

struct ExpressionAligner<'a> {
    engine: &'a ExpressionEngine,
    inner: Option<Box<dyn Aligner + 'a>>,
    encoder: LineEncoder<'a>,
}

impl Aligner for ExpressionAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let indices = &self.engine.indices;
        let inner_index = |hit: &Hit| indices.binary_search(&hit.pattern).ok();
        let strings = hits.iter().filter_map(|hit| Some(Hit { pattern: inner_index(hit)?, ..*hit }));
        let strings: Vec<Hit> = strings.collect();
        let mut of_strings = Vec::with_capacity(strings.len());
        if let Some(inner) = self.inner.as_mut().filter(|_| !strings.is_empty()) {
            inner.align(batch, &strings, &mut of_strings)?;
        }
        let of_expressions = self.align_expressions(batch, hits);
        let (mut of_strings, mut of_expressions) = (of_strings.into_iter(), of_expressions.into_iter());
        out.extend(hits.iter().zip(&mut of_expressions).map(|(_, aligned)| match aligned {
            Some(alignment) => alignment,
            None => of_strings.next().expect("one alignment per hit"),
        }));
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        let mut places: Vec<Option<MatchPlace>> = vec![None; hits.len()];
        let compiled = &self.engine.compiled;
        compiled.for_each_item(&mut self.encoder, (batch, hits), |expression, encoder, in_item| {
            let in_order: Vec<Hit> = in_item.iter().map(|&at| hits[at]).collect();
            let matches = best_matches(compiled, expression, encoder, &in_order);
            for (&at, BestMatch { start, difference, .. }) in in_item.iter().zip(matches) {
                places[at] = Some(MatchPlace { start: encoder.start(start), excess: difference });
            }
        });
        places
    }

    fn exact_matches(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Hit>) {
        let compiled = &self.engine.compiled;
        let is_string = |hit: &&Hit| compiled.patterns.patterns()[hit.pattern].expression().is_none();
        out.extend(hits.iter().filter(is_string));
        compiled.for_each_item(&mut self.encoder, (batch, hits), |expression, encoder, in_item| {
            let (pattern, automaton) = compiled.pattern(expression.index);
            let line = encoder.line(pattern.within()).expect("a match is within the range");
            let ends: Vec<usize> = in_item.iter().map(|&at| encoder.position_of_end(hits[at].end)).collect();
            let reads = |state, code| expression.simulation.reads(state, code);
            let matches = matches_by_start(automaton, &reads, &line, &ends);
            out.extend(matches.into_iter().map(|(start, end)| Hit {
                end: encoder.end(end),
                pattern: expression.index,
                distance: 0,
                start: Some(encoder.start(start)),
            }));
        });
    }
}

impl ExpressionAligner<'_> {
    /// Returns the alignment of each hit; `None` for hits of strings.
    fn align_expressions(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<Alignment>> {
        let mut aligned: Vec<Option<Alignment>> = hits.iter().map(|_| None).collect();
        let compiled = &self.engine.compiled;
        compiled.for_each_item(&mut self.encoder, (batch, hits), |expression, encoder, in_item| {
            let in_order = in_item.iter().map(|&at| hits[at]).collect::<Vec<_>>();
            let alignments = align_in_item(compiled, expression, encoder, &in_order);
            in_item.iter().zip(alignments).for_each(|(&at, alignment)| aligned[at] = Some(alignment));
        });
        aligned
    }
}

/// Aligns hits of one expression in the line or segment that was encoded.
fn align_in_item(
    compiled: &CompiledExpressions,
    aligned: &CompiledExpression,
    encoder: &LineEncoder<'_>,
    hits: &[Hit],
) -> Vec<Alignment> {
    let (pattern, expression) = compiled.pattern(aligned.index);
    let line = encoder.line(pattern.within()).expect("a match is within the range");
    let unknown: Vec<Hit> = hits.iter().filter(|hit| hit.start.is_none()).copied().collect();
    let mut starts = best_matches(compiled, aligned, encoder, &unknown).into_iter().map(|best| best.start);
    let reads = |state, code| aligned.simulation.reads(state, code);
    let tallies = aligned.tallies(hits.iter().map(|hit| hit.distance).max().unwrap_or(0));
    let graph = &aligned.graph;
    let search = StartSearch { expression, graph, reads: &reads, line: &line, tallies: &tallies };
    let alignment = |hit: &Hit| {
        let start = match hit.start {
            Some(start) => encoder.position_of_start(start),
            None => starts.next().expect("one start per hit"),
        };
        let end = MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
        let cigar = match pattern.constraints() {
            None => aligned.simulation.cigar(expression, &line, start, end),
            Some(_) => search.cigar(start..end.position, hit.distance),
        };
        Alignment { start: encoder.start(start), end: hit.end, cigar }
    };
    hits.iter().map(alignment).collect()
}

/// Returns the best match of each hit of one expression in the line or segment that was encoded.
fn best_matches(
    compiled: &CompiledExpressions,
    placed: &CompiledExpression,
    encoder: &LineEncoder<'_>,
    hits: &[Hit],
) -> Vec<BestMatch> {
    let (pattern, expression) = compiled.pattern(placed.index);
    let line = encoder.line(pattern.within()).expect("a match is within the range");
    let end = |hit: &Hit| MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
    let ends: Vec<MatchEnd> = hits.iter().map(end).collect();
    let reads = |state, code| placed.simulation.reads(state, code);
    let tallies = placed.tallies(hits.iter().map(|hit| hit.distance).max().unwrap_or(0));
    let graph = &placed.graph;
    StartSearch { expression, graph, reads: &reads, line: &line, tallies: &tallies }.best_matches(&ends)
}
