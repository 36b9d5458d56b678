//! Expressions whose edits have costs or limits, or that have exact groups: the costs of candidates. These are found without
//! the constraints, by automata or by strings.

use std::sync::Arc;

use super::match_automata::{MatchAutomata, ReadUpTo, automata_of};
use crate::compiled::CompiledExpressions;
use crate::line::{LineEncoder, MatchEnd};
use crate::search::outermost_gap;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::refine::{Refinement, Refiner};
use nigh_verify::{EngineError, WantedHits};

/// The hits of expressions, some of which have constraints. The hits before have their distance without constraints.
pub struct ConstrainedExpressions {
    compiled: Arc<CompiledExpressions>,
    candidates: CandidateSource,
}

/// What finds the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateSource {
    /// Automata without constraints, which can find the outermost candidates of a line or record alone.
    Automata,
    /// The strings of the expressions.
    Strings,
}

impl ConstrainedExpressions {
    pub(crate) fn new(compiled: Arc<CompiledExpressions>, candidates: CandidateSource) -> Self {
        ConstrainedExpressions { compiled, candidates }
    }
}

impl Refinement for ConstrainedExpressions {
    fn description(&self) -> Option<String> {
        Some("expressions with constraints: the cost of each hit".to_owned())
    }

    /// Where one hit is wanted, all matches end between the outermost candidates, and few candidates are kept.
    fn needed(&self, wanted: WantedHits) -> WantedHits {
        let are_outermost = wanted == WantedHits::One && self.candidates == CandidateSource::Automata;
        if are_outermost { WantedHits::Outermost } else { WantedHits::All }
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        let compiled = &*self.compiled;
        Box::new(CostRefiner {
            compiled,
            encoder: compiled.encoder(),
            automata: compiled.expressions.iter().map(|_| None).collect(),
            read: vec![(0, None); compiled.expressions.len()],
            candidates: self.candidates,
            wanted: WantedHits::All,
            kept: Vec::new(),
        })
    }
}

/// Computes the costs of hits.
struct CostRefiner<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
    /// The automata of each expression, made when they are first needed.
    automata: Vec<Option<Box<MatchAutomata<'a>>>>,
    /// For each expression, the offset of the first byte of the line that was read last, and how far it was read.
    read: Vec<(usize, Option<ReadUpTo>)>,
    candidates: CandidateSource,
    wanted: WantedHits,
    /// The hits of the batch so far, if its candidates are outermost ones: both ends of a run of them must be known.
    kept: Vec<Hit>,
}

impl Refiner for CostRefiner<'_> {
    fn begin(&mut self, _: &Batch, wanted: WantedHits) {
        self.read.fill((0, None));
        self.wanted = wanted;
        self.kept.clear();
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        if self.are_outermost() {
            self.kept.append(hits);
            if until < usize::MAX {
                return Ok(());
            }
            std::mem::swap(hits, &mut self.kept);
        }
        self.verify(batch, hits);
        Ok(())
    }
}

impl CostRefiner<'_> {
    /// Returns whether there may be hits between two candidates.
    fn are_outermost(&self) -> bool {
        self.wanted == WantedHits::One && self.candidates == CandidateSource::Automata
    }

    /// Replaces the distance of each candidate of an expression with constraints by the cost of its edits. Drops the
    /// candidates without an allowed match. If one hit is wanted, may add a hit between the candidates.
    fn verify(&mut self, batch: &Batch, hits: &mut Vec<Hit>) {
        let (compiled, is_one) = (self.compiled, self.wanted == WantedHits::One);
        let gap = if self.are_outermost() { outermost_gap(compiled, batch) } else { 0 };
        let (all, all_read) = (&mut self.automata, &mut self.read);
        let is_verified =
            |hit: &Hit| compiled.nth(hit.pattern).is_some_and(|_| compiled.pattern(hit.pattern).0.has_constraints());
        let candidates: Vec<Hit> = hits.extract_if(.., |hit| is_verified(hit)).collect();
        compiled.for_each_item(&mut self.encoder, (batch, &candidates), gap, |nth, encoder, in_item| {
            let index = compiled.expressions[nth].index;
            let Some(line) = encoder.line(compiled.pattern(index).0.within()) else { return };
            let (start, read) = &mut all_read[nth];
            if std::mem::replace(start, encoder.start(0)) != encoder.start(0) {
                *read = None;
            }
            let is_plain = compiled.pattern(index).0.constraints().is_none();
            if is_plain && !compiled.expressions[nth].has_counted_letters(&line) {
                hits.extend(in_item.iter().map(|&at| candidates[at]).take(if is_one { 1 } else { usize::MAX }));
                return;
            }
            let end_of = |at: usize| encoder.position_of_end(candidates[at].end);
            // Candidates that are found by strings may be outside of the range of positions.
            let first = in_item.partition_point(|&at| end_of(at) <= line.first);
            let in_range = &in_item[first..in_item.partition_point(|&at| end_of(at) <= line.last)];
            let found_before = hits.len();
            for run in in_range.chunk_by(|&a, &b| candidates[b].end - candidates[a].end <= gap) {
                let ends = end_of(run[0])..=end_of(run[run.len() - 1]);
                automata_of(compiled, all, nth).scan_costs(
                    &line,
                    ends,
                    read,
                    &mut |MatchEnd { position, distance }| {
                        let end = encoder.end(position);
                        if batch.owns(end) {
                            hits.push(Hit { end, pattern: index, distance, start: None });
                        }
                        !is_one || hits.len() == found_before
                    },
                );
                if is_one && hits.len() > found_before {
                    break;
                }
            }
        });
        // A few ascending runs.
        hits.sort();
    }
}
