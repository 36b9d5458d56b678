//! Expressions whose edits have costs or limits, or that have exact groups: the costs of candidates.

use std::sync::Arc;

use crate::batch::Batch;
use crate::engine::expression::compiled::CompiledExpressions;
use crate::engine::expression::line::{LineEncoder, MatchEnd};
use crate::engine::expression::matches::match_automata::{MatchAutomata, ReadUpTo, automata_of};
use crate::engine::expression::search::outermost_gap;
use crate::engine::refine::{Refinement, Refiner};
use crate::engine::{EngineError, WantedHits};
use crate::hit::Hit;

/// The hits of expressions, some of which have constraints. The hits before have their distance without constraints.
pub(in crate::engine) struct ConstrainedExpressions(Arc<CompiledExpressions>);

impl ConstrainedExpressions {
    pub(in crate::engine::expression) fn new(compiled: Arc<CompiledExpressions>) -> Self {
        ConstrainedExpressions(compiled)
    }
}

impl Refinement for ConstrainedExpressions {
    fn plan(&self) -> Option<String> {
        Some("expressions with constraints: the cost of each hit".to_owned())
    }

    /// Where one hit is wanted, all matches end between the outermost candidates, and few candidates are kept.
    fn needed(&self, wanted: WantedHits) -> WantedHits {
        if wanted == WantedHits::One { WantedHits::Outermost } else { WantedHits::All }
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        let compiled = &*self.0;
        Box::new(CostRefiner {
            compiled,
            encoder: compiled.encoder(),
            automata: compiled.expressions.iter().map(|_| None).collect(),
            read: vec![(0, None); compiled.expressions.len()],
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
    wanted: WantedHits,
    /// The hits of the batch so far, if one hit of each line is wanted: both ends of a run of candidates must be known.
    kept: Vec<Hit>,
}

impl Refiner for CostRefiner<'_> {
    fn begin(&mut self, _: &Batch, wanted: WantedHits) {
        self.read.fill((0, None));
        self.wanted = wanted;
        self.kept.clear();
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        if self.wanted == WantedHits::One {
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
    /// Replaces the distance of each candidate of an expression with constraints by the cost of its edits. Drops the
    /// candidates without an allowed match. If one hit is wanted, adds hits between the candidates.
    fn verify(&mut self, batch: &Batch, hits: &mut Vec<Hit>) {
        let (compiled, all, all_read) = (self.compiled, &mut self.automata, &mut self.read);
        let is_one = self.wanted == WantedHits::One;
        let gap = if is_one { outermost_gap(compiled, batch) } else { 0 };
        let is_verified = |hit: &Hit| compiled.pattern(hit.pattern).0.constraints().is_some();
        let candidates: Vec<Hit> = hits.extract_if(.., |hit| is_verified(hit)).collect();
        compiled.for_each_item(&mut self.encoder, (batch, &candidates), |nth, encoder, in_item| {
            let index = compiled.expressions[nth].index;
            let line = encoder.line(compiled.pattern(index).0.within()).expect("a match is within the range");
            let (start, read) = &mut all_read[nth];
            if std::mem::replace(start, encoder.start(0)) != encoder.start(0) {
                *read = None;
            }
            let end_of = |at: usize| encoder.position_of_end(candidates[at].end);
            let found_before = hits.len();
            for run in in_item.chunk_by(|&a, &b| candidates[b].end - candidates[a].end <= gap) {
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
        hits.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::engine::expression::line::ItemRange;
    use crate::engine::expression::simulation::automaton::MayStart;
    use crate::engine::expression::simulation::determinized::TableLimits;
    use crate::engine::expression::tally::starts::StartSearch;
    use crate::pattern::{EditCosts, Edits, Groups, Pattern, PatternSet, PatternSource, Transpositions};

    /// Returns an expression of a few parts, some of them in exact groups.
    fn random_expression(rng: &mut fastrand::Rng) -> String {
        let parts = [
            "a",
            "b",
            "ab",
            "é",
            ".*",
            "a+",
            "(?:ab)+",
            "(?:b|a.)",
            "b{2,3}",
            "<ab>",
            "<b>*",
            "(?:<ab>)+",
            "\\b",
            "x*",
        ];
        (0..rng.usize(2..7)).map(|_| *rng.choice(&parts).unwrap()).collect()
    }

    #[test]
    fn costs_are_those_of_the_best_starts() {
        const EDITS: [&str; 9] =
            ["s<=2", "i<=1,d<=1", "i<=1,d<=1,s<=1,e<=2", "e<=2", "2i+d+s<=3", "i<=1,2d+3s<=5", "d<=2", "i<=2", "e<=1"];
        let mut rng = fastrand::Rng::with_seed(67);
        let (mut compared, mut found) = (0, 0);
        while compared < 3_000 {
            let (source, edits) = (random_expression(&mut rng), *rng.choice(&EDITS).unwrap());
            let allowed: Edits = edits.parse().unwrap();
            let transpositions = if rng.bool() { Transpositions::One } else { Transpositions::Two };
            let costs = EditCosts { transpositions, ..allowed.costs() };
            let builder = PatternSet::builder(Alphabet::Text).groups(Groups::Exact).max_edits(allowed.bound());
            let Ok(set) = builder.edit_costs(costs).build(&[PatternSource::new(source.as_str())]) else { continue };
            let is_constrained = |pattern: &Pattern| pattern.expression().is_some() && pattern.constraints().is_some();
            if !set.patterns().first().is_some_and(is_constrained) {
                continue;
            }
            let compiled = CompiledExpressions::new(Arc::new(set), None).unwrap();
            let text: String =
                (0..rng.usize(1..16)).map(|_| *rng.choice(&['a', 'b', 'b', ' ', 'é', 'x']).unwrap()).collect();
            let batch = Batch::of_lines(text.as_str(), b'\n');
            let mut encoder = compiled.encoder();
            encoder.encode(&batch, &ItemRange::next(&batch, 0).unwrap());
            let one = &compiled.expressions[0];
            let (pattern, expression) = compiled.pattern(one.index);
            let line = encoder.line(pattern.within()).unwrap();
            let (reads, tallies) = (|state, code| one.simulation.reads(state, code), one.tallies(pattern.k()));
            let search = StartSearch { expression, graph: &one.graph, reads: &reads, line: &line, tallies: &tallies };
            let mut tables = search.begin(line.first);
            let expected = (line.first + 1..=line.last).map(|_| {
                search.step(&mut tables, MayStart::Yes);
                search.best(&tables).map(|best| best.distance)
            });
            let expected: Vec<Option<usize>> = expected.collect();
            // A table of two states is always full.
            let (max_bytes, first_simulated) = [(0, 0), (1 << 20, 0), (1 << 20, 20)][compared % 3];
            let mut automata = MatchAutomata::with_limits(&compiled, one, TableLimits { max_bytes, first_simulated });
            // Every end in one run, or some runs of ends.
            let (mut read, mut next) = (None, line.first + 1);
            while next <= line.last {
                let run = next..=if compared % 2 == 0 { line.last } else { rng.usize(next..=line.last) };
                next = run.end() + rng.usize(1..4);
                let mut costs = Vec::new();
                automata.scan_costs(&line, run.clone(), &mut read, &mut |end| {
                    costs.push((end.position, end.distance));
                    true
                });
                let of_run = run.filter_map(|end| Some((end, expected[end - line.first - 1]?)));
                assert_eq!(costs, of_run.collect::<Vec<_>>(), "{source:?} in {text:?}, {edits}, {transpositions:?}");
                found += costs.len();
            }
            compared += 1;
        }
        assert!(found > 2_000, "only {found} costs");
    }
}
