//! Regular expressions.
//!
//! [`AutomatonEngine`] simulates the automata of the expressions. A batch must hold whole lines. Read on in this order:
//! `automaton` (the simulation of one line), `context` and `line` (the text for it), `compiled` (all tables), `search`
//! (a batch, with `coded`, `bitsliced` and `cpu::bitslice::automaton` for many lines at a time, and `gate` to leave out
//! lines), `starts`, `lengths` and `trace` (from a hit to its alignment), `constrained`, `tally` and `tally_trace` (edits with
//! costs and limits: the search finds candidates without them), `backward`, `tally_backward` and `match_starts` (from
//! the hits of a line to the starts of all their matches).

mod automaton;
mod backward;
mod bitsliced;
pub(super) mod coded;
mod compiled;
mod constrained;
mod context;
mod differences;
mod gate;
mod lengths;
mod line;
mod match_starts;
mod search;
mod shown;
mod simulation;
mod starts;
mod tally;
mod tally_backward;
mod tally_trace;
mod trace;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use self::compiled::{CompiledExpression, CompiledExpressions};
use self::constrained::ConstrainedExpressionEngine;
use self::gate::LineGate;
use self::lengths::{KeptLengths, LengthPass};
use self::line::{ItemRange, LineEncoder, MatchEnd};
pub(super) use self::match_starts::{FoundStarts, StartFinder, StartsQuery};
use self::search::BatchSearch;
use self::shown::{HitsInLine, ShownMatch, shown_in_line};
use self::starts::{BestMatch, StartSearch};
use super::cpu::bitslice::automaton::StreamHits;
use super::deliver::deliver;
use super::{Aligner, Engine, EngineError, EngineFacts, MatchPlace, Scanner};
use crate::alignment::{Alignment, Cigar};
use crate::batch::Batch;
use crate::hit::{Hit, HitSink, LaterMatch};
use crate::pattern::{PatternSet, PositionRange};
use crate::simd::isa::Isa;

/// Minimum size of a batch, in bytes. A stream reads the end of the previous stream again, up to a whole line of it, so
/// streams should be much longer than a line.
const BATCH_BYTES: usize = 4 << 20;
/// Minimum size of a batch, in bytes, if few lines are likely to be simulated. Most of the time then goes to reading,
/// and smaller buffers stay in the cache. One core of an AVX-512 server, 240 MB of log, `-c -k0 '(GET|POST)
/// /[a-z/]+\?id=[0-9]+'`: 0.105, 0.108 and 0.149 s with 1, 2 and 4 MB; `error.*timeout`: 0.047, 0.045 and 0.049 s.
const GATED_BATCH_BYTES: usize = 2 << 20;

/// An engine for regular expressions. It reports hits without regard to constraints, but its alignments satisfy the
/// constraints.
pub(super) struct AutomatonEngine {
    compiled: Arc<CompiledExpressions>,
    threads: usize,
    batch_bytes: usize,
}

impl AutomatonEngine {
    /// Makes an engine for the expressions `patterns` and `threads` cores. Uses the instruction set `isa`, or simulates
    /// one line at a time if there is none.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub(super) fn new(patterns: Arc<PatternSet>, threads: usize, isa: Option<Isa>) -> Result<Self, EngineError> {
        let batch_bytes = if LineGate::is_likely(&patterns) { GATED_BATCH_BYTES } else { BATCH_BYTES };
        Ok(AutomatonEngine { compiled: Arc::new(CompiledExpressions::new(patterns, isa)?), threads, batch_bytes })
    }

    /// Returns a finder of the starts of all matches of hits.
    pub(super) fn start_finder(&self) -> StartFinder<'_> {
        StartFinder::new(&self.compiled)
    }

    /// Returns an engine that reports the hits with constraints. `candidates` reports the hits without regard to
    /// constraints: it is this engine, or an engine that falls back to this one.
    pub(super) fn constrained(&self, candidates: Arc<dyn Engine>) -> Arc<dyn Engine> {
        match self.compiled.have_constraints() {
            true => Arc::new(ConstrainedExpressionEngine::new(self.compiled.clone(), candidates)),
            false => candidates,
        }
    }
}

impl Engine for AutomatonEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.compiled.patterns
    }

    fn plan(&self) -> Vec<String> {
        self.compiled.plan()
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "cpu", workers: self.threads, batch_bytes: self.batch_bytes, failure: None }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        Some(self.compiled.estimate(batch))
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(AutomatonScanner { search: BatchSearch::new(&self.compiled), found: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(ExpressionAligner { compiled: &self.compiled, encoder: self.compiled.encoder() }))
    }
}

struct AutomatonScanner<'a> {
    search: BatchSearch<'a>,
    found: Vec<Hit>,
}

impl Scanner for AutomatonScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, StreamHits::All, hits);
        Ok(())
    }

    fn select(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, StreamHits::OneOfEach, hits);
        Ok(())
    }
}

impl AutomatonScanner<'_> {
    fn search(&mut self, batch: &Batch, wanted: StreamHits, hits: &mut dyn HitSink) {
        self.found.clear();
        let mut flow = ControlFlow::Continue(());
        let mut pass_on = |found: &mut Vec<Hit>| {
            if flow.is_continue() {
                flow = deliver(found, hits);
            }
            found.clear();
        };
        self.search.find(batch, wanted, &mut self.found, &mut pass_on);
        pass_on(&mut self.found);
    }
}

struct ExpressionAligner<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
}

impl Aligner for ExpressionAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut aligned: Vec<Option<Alignment>> = hits.iter().map(|_| None).collect();
        let compiled = self.compiled;
        compiled.for_each_item(&mut self.encoder, (batch, hits), |expression, encoder, in_item| {
            let in_order = in_item.iter().map(|&at| hits[at]).collect::<Vec<_>>();
            let alignments = align_in_item(compiled, expression, encoder, &in_order);
            in_item.iter().zip(alignments).for_each(|(&at, alignment)| aligned[at] = Some(alignment));
        });
        out.extend(aligned.into_iter().map(|alignment| alignment.expect("every hit is of an expression")));
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        let mut places: Vec<Option<MatchPlace>> = vec![None; hits.len()];
        let compiled = self.compiled;
        compiled.for_each_item(&mut self.encoder, (batch, hits), |expression, encoder, in_item| {
            let in_order: Vec<Hit> = in_item.iter().map(|&at| hits[at]).collect();
            let matches = best_matches(compiled, expression, encoder, &in_order);
            for (&at, BestMatch { start, difference, .. }) in in_item.iter().zip(matches) {
                places[at] = Some(MatchPlace { start: encoder.start(start), excess: difference });
            }
        });
        places
    }

    fn shown_matches(&mut self, batch: &Batch, hits: &[Hit], max_distance: usize) -> Option<Vec<Hit>> {
        let compiled = self.compiled;
        let mut patterns: Vec<usize> = hits.iter().map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        let expression = |pattern: &usize| compiled.expressions.binary_search_by_key(pattern, |one| one.index).ok();
        let numbers = patterns.iter().map(expression).collect::<Option<Vec<usize>>>()?;
        if numbers.iter().any(|&nth| compiled.pattern(compiled.expressions[nth].index).0.constraints().is_some()) {
            return None;
        }
        self.encoder.encode(batch, &ItemRange::around(batch, hits.first()?.end));
        let encoder = &self.encoder;
        let in_line = |&nth: &usize| {
            let one = &compiled.expressions[nth];
            let own = hits.iter().filter(|hit| hit.pattern == one.index);
            let end = |hit: &Hit| MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
            let line = encoder.line(compiled.pattern(one.index).0.within())?;
            Some(HitsInLine { one, line, ends: own.map(end).collect() })
        };
        let all: Vec<HitsInLine<'_>> = numbers.iter().filter_map(in_line).collect();
        let shown = shown_in_line(compiled, &all, max_distance);
        let hit = |ShownMatch { nth, range, distance }| Hit {
            end: encoder.end(range.end),
            pattern: all[nth].one.index,
            distance,
            start: Some(encoder.start(range.start)),
        };
        Some(shown.into_iter().map(hit).collect())
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        let (compiled, mut later) = (self.compiled, None);
        compiled.for_each_item(&mut self.encoder, (batch, &[hit]), |one, encoder, _| {
            let (pattern, expression) = compiled.pattern(one.index);
            // The range of positions allows an earlier start, so it allows all later ones.
            let line = encoder.line(PositionRange::ALL).expect("every position is allowed");
            let positions = encoder.position_of_start(from)..encoder.position_of_end(hit.end);
            let best = match pattern.constraints() {
                None => (0..=pattern.k()).find_map(|distance| {
                    let end = MatchEnd { position: positions.end, distance };
                    compiled.backward(one).best_matches(&line, positions.start, &[end]).pop()?
                }),
                Some(_) => {
                    let reads = |state, code| one.simulation.reads(state, code);
                    let (graph, tallies) = (&one.graph, &one.tallies(pattern.k()));
                    StartSearch { expression, graph, reads: &reads, line: &line, tallies }.best_match_in(positions)
                }
            };
            later = best.map(|best| LaterMatch {
                hit: Hit { distance: best.distance, start: Some(encoder.start(best.start)), ..hit },
                excess: best.difference,
            });
        });
        later
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
    // The positions of a copy of a match are not those of its line, but a match with a start is within the range.
    let line = encoder.line(PositionRange::ALL).expect("every position is allowed");
    let unknown: Vec<Hit> = hits.iter().filter(|hit| hit.start.is_none()).copied().collect();
    let (best, cigars) = match pass_over(compiled, aligned, encoder, &unknown, KeptLengths::ForAlignments) {
        Some(pass) => pass.into_iter().unzip(),
        None => (best_matches(compiled, aligned, encoder, &unknown), vec![None; unknown.len()]),
    };
    let mut best = best.into_iter().zip(cigars);
    let alignment = |hit: &Hit| {
        let end = MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
        let (start, cigar) = match hit.start {
            Some(start) => (encoder.position_of_start(start), None),
            None => best.next().map(|(best, cigar)| (best.start, cigar)).expect("one match per hit"),
        };
        let cigar = cigar.unwrap_or_else(|| match pattern.constraints() {
            None if hit.distance == 0 => Cigar::of_matches(end.position - start),
            None => aligned.simulation.cigar(expression, &line, start, end),
            Some(_) => {
                let reads = |state, code| aligned.simulation.reads(state, code);
                let (graph, tallies) = (&aligned.graph, &aligned.tallies(hit.distance));
                let search = StartSearch { expression, graph, reads: &reads, line: &line, tallies };
                search.cigar(start..end.position, hit.distance)
            }
        });
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
    if hits.is_empty() {
        return Vec::new();
    }
    let (pattern, expression) = compiled.pattern(placed.index);
    let line = encoder.line(pattern.within()).expect("a match is within the range");
    let end = |hit: &Hit| MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
    let ends: Vec<MatchEnd> = hits.iter().map(end).collect();
    // Matches that hardly overlap are found one by one in less time than in a pass.
    let covered = ends.len().saturating_mul(pattern.max_match_len());
    if pattern.constraints().is_none() && covered <= 2 * (line.last - line.first) {
        let matches = compiled.backward(placed).best_matches(&line, line.first, &ends).into_iter();
        return matches.map(|best| best.expect("a match ends here")).collect();
    }
    if let Some(pass) = pass_over(compiled, placed, encoder, hits, KeptLengths::None) {
        return pass.into_iter().map(|(best, _)| best).collect();
    }
    let reads = |state, code| placed.simulation.reads(state, code);
    let tallies = placed.tallies(hits.iter().map(|hit| hit.distance).max().unwrap_or(0));
    let graph = &placed.graph;
    StartSearch { expression, graph, reads: &reads, line: &line, tallies: &tallies }.best_matches(&ends)
}

/// Returns the best match of each hit of one expression, by one pass over the line or segment that was encoded. Returns
/// `None` if there are no hits or the expression does not allow such a pass. If the lengths are kept, also aligns the
/// matches that are short enough.
fn pass_over(
    compiled: &CompiledExpressions,
    placed: &CompiledExpression,
    encoder: &LineEncoder<'_>,
    hits: &[Hit],
    kept: KeptLengths,
) -> Option<Vec<(BestMatch, Option<Cigar>)>> {
    let (pattern, expression) = compiled.pattern(placed.index);
    let edits = hits.iter().map(|hit| hit.distance).max()?;
    let tables = compiled.lengths(placed)?;
    let line = encoder.line(pattern.within()).expect("a match is within the range");
    let mut pass = LengthPass::new(tables, &line, edits, kept);
    let matches = hits.iter().map(|hit| {
        let end = MatchEnd { position: encoder.position_of_end(hit.end), distance: hit.distance };
        let best = pass.best(end);
        (best, pass.cigar(expression, best, end))
    });
    Some(matches.collect())
}
