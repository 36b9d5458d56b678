//! Constraints on edits: limits by kind, costs, transpositions and exact groups.
//!
//! A finder searches for patterns without their constraints, with a bound that loses no match. This refinement
//! computes the constrained cost of each hit ([`matrix`](crate::matrix)), or drops the hit. If the costs amount to an indel distance,
//! or to edits with transpositions, the finder computes that distance, and its hits need no verification. A pattern that
//! would match everywhere without its constraints is verified at every end position instead.

pub(crate) mod starts;

use std::sync::Arc;

use crate::distance::verify;
use crate::match_window::MatchWindow;
use crate::matrix::{Matrix, MatrixProblem, MatrixStart};
use crate::refine::{Refinement, Refiner};
use crate::{Aligner, EngineError, WantedHits};
use nigh_pattern::{EditConstraints, Pattern, PatternSet};
use nigh_text::alignment::Alignment;
use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::next_symbol;
use nigh_text::text_item::end_of_item;

/// The number of hits that are verified before they are passed on. This bounds memory where the finder reports no hits.
pub const MANY_HITS: usize = 1 << 14;

/// The hits of patterns with constraints.
pub struct Constraints {
    patterns: Arc<PatternSet>,
    /// For each pattern that the finder searches for, its index in `patterns`; ascending.
    indices: Vec<usize>,
    /// For each pattern that the finder searches for, how its hits are used.
    uses: Vec<HitUse>,
    /// The indices in `patterns` of the patterns that the finder does not search for; ascending.
    everywhere: Vec<usize>,
    /// Whether a pattern has no constraints.
    has_plain: bool,
}

/// How the hits of the finder for one pattern are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HitUse {
    /// Every hit of the finder is a hit. Its cost is its distance, multiplied by this cost of an edit.
    Exact(usize),
    /// Every hit of the finder is a candidate, and is verified.
    Candidates,
    /// Every hit of the finder is a candidate of an expression, which an automaton verifies later.
    OfExpression,
}

impl HitUse {
    /// Returns how to use the hits of `pattern`, in whose place the finder searches for `searched`.
    fn new(pattern: &Pattern, searched: &Pattern) -> Self {
        let Some(constraints) = pattern.constraints() else { return HitUse::Exact(1) };
        match constraints.cost_of_edit(searched.edit_model()) {
            Some(cost) if pattern.is_free() => HitUse::Exact(cost),
            _ => HitUse::Candidates,
        }
    }
}

impl Constraints {
    /// Makes the refinement for `patterns`. The finder searches for `searched` in place of the patterns with the indices
    /// `indices`. The patterns after the first `verified` are strings of expressions, whose automata verify their hits.
    pub fn new(patterns: Arc<PatternSet>, (searched, indices): (&PatternSet, Vec<usize>), verified: usize) -> Self {
        let all = 0..patterns.patterns().len();
        let everywhere = all.filter(|index| indices.binary_search(index).is_err()).collect();
        let pairs = indices.iter().zip(searched.patterns());
        let uses = pairs.map(|(&index, searched)| match index < verified {
            true => HitUse::new(&patterns.patterns()[index], searched),
            false => HitUse::OfExpression,
        });
        let uses = uses.collect();
        let has_plain = patterns.patterns().iter().any(|pattern| pattern.constraints().is_none());
        Constraints { patterns, indices, uses, everywhere, has_plain }
    }

    fn pattern(&self, index: usize) -> &Pattern {
        &self.patterns.patterns()[index]
    }
}

impl Refinement for Constraints {
    fn description(&self) -> Option<String> {
        let constrained = self.patterns.patterns().iter().filter(|pattern| pattern.constraints().is_some()).count();
        let count = |of: HitUse| self.uses.iter().filter(|&&hits| hits == of).count();
        let (verified, everywhere) = (count(HitUse::Candidates), self.everywhere.len());
        let of_expressions = self
            .indices
            .iter()
            .zip(&self.uses)
            .filter(|&(&index, &hits)| hits == HitUse::OfExpression && self.pattern(index).constraints().is_some());
        let of_expressions = of_expressions.count();
        let exact = constrained - verified - everywhere - of_expressions;
        let by_automata = match of_expressions {
            0 => String::new(),
            count => format!("{count} are strings of expressions, "),
        };
        Some(format!(
            "{constrained} patterns with constraints: {by_automata}{exact} need no verification, {verified} need it at each \
             hit, {everywhere} at every end position"
        ))
    }

    /// Hits of patterns with constraints are aligned here.
    fn needed(&self, wanted: WantedHits) -> WantedHits {
        if wanted == WantedHits::Aligned && self.has_plain { wanted } else { WantedHits::All }
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        Box::new(ConstraintRefiner { constraints: self, at: 0, done_to: None, verified: Vec::new() })
    }

    fn aligner<'a>(&'a self, inner: Box<dyn Aligner + 'a>) -> Box<dyn Aligner + 'a> {
        Box::new(ConstraintAligner { constraints: self, inner, matrix: Matrix::default() })
    }
}

/// Verifies hits.
struct ConstraintRefiner<'a> {
    constraints: &'a Constraints,
    /// The offset up to which the patterns in `everywhere` have been verified.
    at: usize,
    /// If one hit of each line or record is wanted, the end of the last one with a verified hit. No other hit is verified
    /// there.
    done_to: Option<usize>,
    /// Hits within the constraints.
    verified: Vec<Hit>,
}

impl Refiner for ConstraintRefiner<'_> {
    fn begin(&mut self, _: &Batch, wanted: WantedHits) {
        self.at = 0;
        self.done_to = (wanted == WantedHits::One).then_some(0);
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        self.verified.clear();
        let mut left = &hits[..];
        if !self.constraints.everywhere.is_empty() {
            let until = until.min(batch.owned().end);
            let mut at = self.at;
            for (from, run) in runs_from(batch, at, until) {
                at = from;
                while let Some(end) = self.next_end(batch, run, at, until) {
                    at = end;
                    let (before, after) = left.split_at(left.partition_point(|hit| hit.end <= end));
                    self.verify_all(batch, before);
                    left = after;
                    self.try_everywhere(batch, end);
                }
            }
            // `until` may be inside a symbol.
            self.at = at;
        }
        self.verify_all(batch, left);
        std::mem::swap(hits, &mut self.verified);
        Ok(())
    }

    fn max_bytes(&self) -> usize {
        MANY_HITS.checked_div(self.constraints.everywhere.len()).map_or(usize::MAX, |bytes| bytes.max(1))
    }
}

impl ConstraintRefiner<'_> {
    /// Returns the end of the next symbol after the offset `start` that the batch owns, skipping line terminators.
    /// Returns `None` if that end is past `until`, or past the offset `run`, where the run ends.
    fn next_end(&self, batch: &Batch, run: usize, start: usize, until: usize) -> Option<usize> {
        let bytes = &batch.bytes()[..run];
        let mut at = start;
        loop {
            let end = next_symbol(self.constraints.patterns.alphabet(), bytes, at)?.end;
            if end > until {
                return None;
            }
            if batch.owns(end) && batch.terminator() != Some(bytes[end - 1]) {
                return Some(end);
            }
            at = end;
        }
    }

    fn verify_all(&mut self, batch: &Batch, hits: &[Hit]) {
        for &hit in hits {
            if self.done_to.is_some_and(|end| hit.end <= end) {
                continue;
            }
            let (pattern, before) = (self.constraints.indices[hit.pattern], self.verified.len());
            match self.constraints.uses[hit.pattern] {
                HitUse::OfExpression => self.verified.push(Hit { pattern, ..hit }),
                HitUse::Exact(cost) => self.verified.push(Hit { pattern, distance: cost * hit.distance, ..hit }),
                HitUse::Candidates => self.verify_one(batch, Hit { pattern, ..hit }),
            }
            if let Some(end) = &mut self.done_to
                && self.verified.len() > before
            {
                *end = end_of_item(batch, hit.end);
            }
        }
    }

    /// Verifies the patterns in `everywhere` at the offset `end`. Then sorts all verified hits with that end.
    fn try_everywhere(&mut self, batch: &Batch, end: usize) {
        let before = self.verified.len();
        for &pattern in &self.constraints.everywhere {
            self.verify_one(batch, Hit { end, pattern, distance: 0, start: None });
        }
        let same_end = self.verified[..before].iter().rev().take_while(|hit| hit.end == end).count();
        self.verified[before - same_end..].sort_unstable();
    }

    /// Verifies a hit of a pattern with constraints.
    fn verify_one(&mut self, batch: &Batch, hit: Hit) {
        let constraints = self.constraints;
        let (alphabet, pattern) = (constraints.patterns.alphabet(), constraints.pattern(hit.pattern));
        self.verified.extend(verify(alphabet, batch, pattern, hit));
    }
}

/// Returns the runs of text in which symbols end after `from` and at or before `until`. A run is a pair of its start,
/// or `from` if that is later, and its end.
fn runs_from(batch: &Batch, from: usize, until: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let from = from.max(batch.owned().start);
    let all: Vec<(usize, usize)> = match batch.layout() {
        // Lines form one run, because line terminators are skipped later.
        Layout::Lines(_) => vec![(0, batch.bytes().len())],
        Layout::Records(segments) => {
            let first = batch.segment_before(from + 1);
            let overlapping =
                segments[first.min(segments.len())..].iter().take_while(|segment| segment.bytes.start < until);
            overlapping.map(|segment| (segment.bytes.start, segment.bytes.end)).collect()
        }
    };
    all.into_iter().map(move |(start, end)| (start.max(from), end)).filter(|(start, end)| start < end)
}

struct ConstraintAligner<'a> {
    constraints: &'a Constraints,
    inner: Box<dyn Aligner + 'a>,
    matrix: Matrix,
}

impl Aligner for ConstraintAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let all = self.constraints;
        let constraints = |hit: &Hit| all.pattern(hit.pattern).constraints();
        let index_of_finder =
            |hit: &Hit| all.indices.binary_search(&hit.pattern).expect("the finder has all unconstrained patterns");
        let plain = hits.iter().filter(|hit| constraints(hit).is_none());
        let plain: Vec<Hit> = plain.map(|hit| Hit { pattern: index_of_finder(hit), ..*hit }).collect();
        let mut aligned = Vec::with_capacity(plain.len());
        if !plain.is_empty() {
            self.inner.align(batch, &plain, &mut aligned)?;
        }
        let mut aligned = aligned.into_iter();
        for hit in hits {
            interrupt::check();
            out.push(match constraints(hit) {
                Some(constraints) => self.align_one(batch, constraints, hit),
                None => aligned.next().expect("one alignment per hit"),
            });
        }
        Ok(())
    }
}

impl ConstraintAligner<'_> {
    fn align_one(&mut self, batch: &Batch, constraints: &EditConstraints, hit: &Hit) -> Alignment {
        let pattern = self.constraints.pattern(hit.pattern);
        let window = MatchWindow::before(self.constraints.patterns.alphabet(), batch, pattern, hit.end);
        let backward = window.within_reach();
        let starts = |MatrixStart { covered, .. }| {
            let is_allowed = hit.start.is_none_or(|start| window.symbols[covered - 1].start == start);
            is_allowed.then_some(0)
        };
        let cigar = self.matrix.cigar(&MatrixProblem::new(pattern, constraints, backward), &starts);
        let start = match cigar.text_length() {
            0 => hit.end,
            covered => window.symbols[covered - 1].start,
        };
        Alignment { start, end: hit.end, cigar }
    }
}
