//! Regular expressions.
//!
//! [`AutomatonFinder`] simulates the automata of the expressions. A batch must hold whole lines. Read on in this order:
//! `context` and `line` (the text of one line), `simulation` (the automaton, one symbol at a time), `compiled` (all
//! tables), `search` (the hits of a batch, without regard to costs and limits), and `matches` (from the hits of a line to
//! their costs, to the matches shown there, to alignments, and to the starts of all matches).

mod compiled;
mod line;
mod matches;
#[doc(hidden)]
pub mod near;
pub mod search;
mod simulation;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;

use self::compiled::CompiledExpressions;
use self::line::{ItemRange, LineEncoder, MatchEnd};
use self::matches::align::ItemAligner;
pub use self::matches::constrained::CandidateSource;
use self::matches::constrained::ConstrainedExpressions;
use self::matches::match_automata::{MatchAutomata, automata_of};
pub use self::matches::match_starts::{FoundStarts, StartFinder, StartsQuery};
use self::matches::overhang::ExpressionOverhangs;
use self::matches::shown::{SearchedLine, ShownMatch, shown_in_line};
use self::search::gate::LineGate;
use self::search::{BatchSearch, outermost_gap};
use nigh_pattern::{Overhang, PatternSet};
use nigh_simd::isa::Isa;
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink, LaterMatch};
use nigh_text::text::MAX_SYMBOL_BYTES;
use nigh_verify::deliver::deliver;
use nigh_verify::{Aligner, EngineError, EngineFacts, Finder, MatchPlace, Scanner, ShownMatches, WantedHits};

/// Minimum size of a batch, in bytes. A stream reads the end of the previous stream again, up to a whole line of it, so
/// streams should be much longer than a line.
const BATCH_BYTES: usize = 4 << 20;
/// Minimum size of a batch, in bytes, if few lines are likely to be simulated. Most of the time then goes to reading,
/// and smaller buffers stay in the cache. One core of an AVX-512 server, 240 MB of log, `-c -k0 '(GET|POST)
/// /[a-z/]+\?id=[0-9]+'`: 0.105, 0.108 and 0.149 s with 1, 2 and 4 MB; `error.*timeout`: 0.047, 0.045 and 0.049 s.
const GATED_BATCH_BYTES: usize = 2 << 20;

/// Finds the hits of regular expressions. It reports them without regard to constraints, but its alignments satisfy the
/// constraints.
pub struct AutomatonFinder {
    compiled: Arc<CompiledExpressions>,
    threads: usize,
    batch_bytes: usize,
}

impl AutomatonFinder {
    /// Makes a finder for the expressions `patterns` and `threads` cores. Uses the instruction set `isa`, or simulates
    /// one line at a time if there is none.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub fn new(patterns: Arc<PatternSet>, threads: usize, isa: Option<Isa>) -> Result<Self, EngineError> {
        let batch_bytes = if LineGate::is_likely(&patterns) { GATED_BATCH_BYTES } else { BATCH_BYTES };
        Ok(AutomatonFinder { compiled: Arc::new(CompiledExpressions::new(patterns, isa)?), threads, batch_bytes })
    }

    /// Returns a finder of the starts of all matches of hits.
    pub fn start_finder(&self) -> StartFinder<'_> {
        StartFinder::new(&self.compiled)
    }

    /// Returns the refinement of candidates to the hits with constraints; `None` if no expression has any.
    pub fn constraints(&self, candidates: CandidateSource) -> Option<ConstrainedExpressions> {
        self.compiled.have_constraints().then(|| ConstrainedExpressions::new(self.compiled.clone(), candidates))
    }

    /// Returns the refinement to the hits of matches that may hang over.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub fn overhangs(&self, overhang: Overhang) -> Result<ExpressionOverhangs, EngineError> {
        ExpressionOverhangs::new(self.compiled.clone(), overhang)
    }
}

impl Finder for AutomatonFinder {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.compiled.patterns
    }

    fn description(&self) -> Vec<String> {
        self.compiled.description()
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "cpu", workers: self.threads, in_flight: 1, batch_bytes: self.batch_bytes, failure: None }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        Some(self.compiled.estimate(batch))
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(AutomatonScanner { search: BatchSearch::new(&self.compiled), found: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(ExpressionAligner {
            compiled: &self.compiled,
            encoder: self.compiled.encoder(),
            automata: self.compiled.expressions.iter().map(|_| None).collect(),
        }))
    }
}

struct AutomatonScanner<'a> {
    search: BatchSearch<'a>,
    found: Vec<Hit>,
}

impl Scanner for AutomatonScanner<'_> {
    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
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
        Ok(())
    }
}

struct ExpressionAligner<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
    /// The automata of each expression, made when they are first needed.
    automata: Vec<Option<Box<MatchAutomata<'a>>>>,
}

impl<'a> ExpressionAligner<'a> {
    /// Calls `each` with an aligner for each line or part of a record that has hits of an expression, and with the indices
    /// of these hits in `hits`, ordered by end.
    fn for_each_item(&mut self, (batch, hits): (&Batch, &[Hit]), mut each: impl FnMut(ItemAligner<'_, 'a>, &[usize])) {
        let (compiled, all) = (self.compiled, &mut self.automata);
        compiled.for_each_item(&mut self.encoder, (batch, hits), 0, |nth, encoder, in_item| {
            let one = &compiled.expressions[nth];
            let automata = automata_of(compiled, all, nth);
            each(ItemAligner { compiled, one, encoder, automata }, in_item);
        });
    }
}

impl Aligner for ExpressionAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut aligned: Vec<Option<Alignment>> = hits.iter().map(|_| None).collect();
        self.for_each_item((batch, hits), |mut aligner, in_item| {
            let in_order = in_item.iter().map(|&at| hits[at]).collect::<Vec<_>>();
            let alignments = aligner.align(&in_order);
            in_item.iter().zip(alignments).for_each(|(&at, alignment)| aligned[at] = Some(alignment));
        });
        out.extend(aligned.into_iter().map(|alignment| alignment.expect("every hit is of an expression")));
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        let mut places: Vec<Option<MatchPlace>> = vec![None; hits.len()];
        self.for_each_item((batch, hits), |mut aligner, in_item| {
            let in_order: Vec<Hit> = in_item.iter().map(|&at| hits[at]).collect();
            let matches = aligner.best_matches(&in_order);
            for (&at, best) in in_item.iter().zip(matches) {
                let end = aligner.encoder.position_of_end(hits[at].end);
                let excess = best.difference + usize::from(aligner.ends_elsewhere(best.start..end, best.distance));
                places[at] = Some(MatchPlace { start: aligner.encoder.start(best.start), excess });
            }
        });
        places
    }

    fn needed_hits(&self) -> WantedHits {
        let is_one = self.compiled.patterns.patterns().len() == 1 && !self.compiled.have_constraints();
        if is_one { WantedHits::Outermost } else { WantedHits::All }
    }

    fn add_shown_matches(
        &mut self,
        batch: &Batch,
        (hits, given): (&[Hit], WantedHits),
        max_distance: usize,
        shown: &mut ShownMatches,
    ) -> bool {
        let compiled = self.compiled;
        if !compiled.suit_pieces() || batch.lines().is_none() {
            self.add_shown_in_part(batch, (hits, given), max_distance, shown);
            return true;
        }
        // Matches on the two sides of a long gap without hits do not overlap.
        let longest = hits.iter().map(|hit| compiled.pattern(hit.pattern).0.max_match_len()).max().unwrap_or(0);
        let gap = outermost_gap(compiled, batch).max(MAX_SYMBOL_BYTES * longest);
        for part in hits.chunk_by(|a, b| b.end - a.end <= gap) {
            self.add_shown_in_part(batch, (part, given), max_distance, shown);
        }
        true
    }

    fn end_elsewhere(&mut self, batch: &Batch, matches: &[Hit]) -> Vec<bool> {
        let mut elsewhere = vec![false; matches.len()];
        self.for_each_item((batch, matches), |aligner, in_item| {
            for &at in in_item {
                let Hit { start, end, distance, .. } = matches[at];
                let start = aligner.encoder.position_of_start(start.expect("a match has a start"));
                elsewhere[at] = aligner.ends_elsewhere(start..aligner.encoder.position_of_end(end), distance);
            }
        });
        elsewhere
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        let mut later = None;
        self.for_each_item((batch, &[hit]), |mut aligner, _| {
            let encoder = aligner.encoder;
            let positions = encoder.position_of_start(from)..encoder.position_of_end(hit.end);
            let end = positions.end;
            later = aligner.later_match(positions).map(|best| LaterMatch {
                hit: Hit { distance: best.distance, start: Some(encoder.start(best.start)), ..hit },
                excess: best.difference + usize::from(aligner.ends_elsewhere(best.start..end, best.distance)),
            });
        });
        later
    }
}

impl ExpressionAligner<'_> {
    /// Appends the shown matches that end between the first and the last of `hits`, as
    /// [`add_shown_matches`](Aligner::add_shown_matches) does.
    fn add_shown_in_part(
        &mut self,
        batch: &Batch,
        (hits, given): (&[Hit], WantedHits),
        max_distance: usize,
        shown: &mut ShownMatches,
    ) {
        let compiled = self.compiled;
        let (Some(first), Some(last)) = (hits.first(), hits.last()) else { return };
        let mut by_pattern: SmallVec<[Hit; 2]> = hits.iter().copied().collect();
        by_pattern.sort_by_key(|hit| hit.pattern);
        let of_patterns = || by_pattern.chunk_by(|a, b| a.pattern == b.pattern);
        let all = of_patterns().map(|own| {
            let nth = compiled.nth(own[0].pattern).expect("the pattern is an expression");
            self.automata[nth].take().unwrap_or_else(|| Box::new(MatchAutomata::new(compiled, nth)))
        });
        let all: SmallVec<[Box<MatchAutomata<'_>>; 1]> = all.collect();
        let item = if compiled.suit_pieces() && batch.lines().is_some() {
            let longest = all.iter().map(|automata| automata.facts.max_length).max().unwrap_or(0);
            let after = if all.iter().any(|automata| automata.facts.ends_as_in_perl) { longest } else { 0 };
            ItemRange::part_of_line(batch, compiled.patterns.alphabet(), (first.end, last.end), (longest, after))
        } else {
            ItemRange::around(batch, last.end)
        };
        self.encoder.encode(batch, &item);
        let encoder = &self.encoder;
        let searched = all.into_iter().zip(of_patterns()).map(|(automata, own)| {
            let within = compiled.pattern(automata.facts.pattern).0.within();
            let line = encoder.line(within).expect("a match is within the range");
            let end = |hit: &Hit| encoder.position_of_end(hit.end);
            let outermost = (end(&own[0]), end(&own[own.len() - 1]));
            let ends: Option<Vec<usize>> = given.are_all().then(|| own.iter().map(end).collect());
            SearchedLine::new(line, outermost, ends, automata)
        });
        let mut searched: SmallVec<[SearchedLine<'_, '_>; 1]> = searched.collect();
        for ShownMatch { nth, range, distance } in shown_in_line(&mut searched, max_distance) {
            let SearchedLine { line, automata, .. } = &mut searched[nth];
            let (start, end) = (Some(encoder.start(range.start)), encoder.end(range.end));
            shown.hits.push(Hit { end, pattern: automata.facts.pattern, distance, start });
            if shown.are_aligned {
                shown.cigars.push(automata.cigar(line, range.start, MatchEnd { position: range.end, distance }));
            }
        }
        for SearchedLine { automata, .. } in searched {
            let nth = compiled.nth(automata.facts.pattern).expect("the pattern is an expression");
            self.automata[nth] = Some(automata);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;

    /// Returns a long line of words, in which matches are frequent in some parts and absent from others.
    fn long_line(rng: &mut fastrand::Rng) -> String {
        let mut line = String::new();
        for words in
            [["abc ", "ab-c", "äbc "], ["xyz ", "x-yz", "ÿ"], ["abc ", "x", "y"], ["xyz ", "ab x", "ÿ"]].repeat(3)
        {
            (0..rng.usize(5_000..30_000)).for_each(|_| line += words[rng.usize(0..3)]);
        }
        line + "\n"
    }

    #[test]
    fn the_outermost_hits_of_a_long_line_give_its_shown_matches() {
        let mut rng = fastrand::Rng::with_seed(47);
        for (expression, k) in [(".{0,40}abc", 0), ("a.{0,30}-c", 1)] {
            let patterns = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k));
            let patterns = patterns.build(&[PatternSource::new(expression)]).unwrap();
            let finder = AutomatonFinder::new(Arc::new(patterns), 1, Some(Isa::preferred())).unwrap();
            let batch = Batch::of_lines(long_line(&mut rng), b'\n');
            let shown = [WantedHits::All, WantedHits::Outermost].map(|wanted| {
                let (mut hits, mut shown) = (Vec::new(), ShownMatches::default());
                finder.scanner().unwrap().search(&batch, wanted, &mut hits).unwrap();
                assert!(finder.aligner().unwrap().add_shown_matches(&batch, (&hits, wanted), k, &mut shown));
                (hits.len(), shown.hits)
            });
            assert!(shown[0].0 >= shown[1].0 && shown[0].1.len() > 1_000, "{expression}: {:?}", shown[0].0);
            assert!(shown[0].1 == shown[1].1, "{expression}");
        }
    }
}
