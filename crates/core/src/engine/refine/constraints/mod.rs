//! Constraints on edits, on top of any engine: limits by kind, costs, transpositions and exact groups.
//!
//! The inner engine searches for patterns without their constraints, with a bound that loses no match. This engine then
//! computes the constrained cost of each hit ([`matrix`]), or drops the hit. If the costs amount to an indel distance,
//! or to edits with transpositions, the inner engine computes that distance, and its hits need no verification. If they
//! are exact groups at the edges of a pattern of sequences, a bit-parallel computation ([`anchored`]) replaces the
//! matrix. A pattern that would match everywhere without its constraints is verified at every end position instead.

mod anchored;
mod anchored_matrix;
pub(super) mod matrix;
pub(crate) mod starts;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use self::anchored::AnchoredPatterns;
use self::anchored_matrix::AnchoredMatrix;
use self::matrix::{Matrix, MatrixProblem, MatrixStart};
use crate::alignment::Alignment;
use crate::batch::{Batch, Layout};
use crate::engine::deliver::deliver;
use crate::engine::joint::join;
use crate::engine::match_window::{MatchWindow, is_too_ambiguous, preference};
use crate::engine::{Aligner, Engine, EngineError, EngineFacts, Scanner, WantedHits};
use crate::hit::{Hit, HitSink};
use crate::interrupt;
use crate::pattern::{EditConstraints, Pattern, PatternSet};
use crate::text::next_symbol;

/// The number of verified hits that are collected before they are delivered. This bounds memory where the inner engine
/// reports no hits.
const MANY_HITS: usize = 1 << 14;

/// The number of patterns from which on a thread of its own makes the tables of this engine. 100,000 patterns take a
/// tenth of a second.
const MANY_PATTERNS: usize = 1_000;

/// An engine for patterns with constraints.
pub(in crate::engine) struct ConstraintEngine {
    patterns: Arc<PatternSet>,
    /// The engine that searches without constraints.
    inner: Arc<dyn Engine>,
    /// For each pattern of the inner engine, its index in `patterns`; ascending.
    indices: Vec<usize>,
    /// For each pattern of the inner engine, how its hits are used.
    inner_hits: Vec<InnerHitUse>,
    /// The patterns whose hits need no matrix; `None` if there are none.
    anchored: Option<AnchoredPatterns>,
    /// The indices in `patterns` of the patterns that the inner engine does not search for; ascending.
    everywhere: Vec<usize>,
    /// Whether a pattern has no constraints.
    has_plain: bool,
}

/// How the hits of the inner engine for one pattern are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InnerHitUse {
    /// Every inner hit is a hit. Its cost is its distance in the inner engine, multiplied by this cost of an edit.
    Exact(usize),
    /// Every inner hit is a candidate, and is verified.
    Candidates,
}

impl InnerHitUse {
    /// Returns how to treat the inner hits of `pattern`, in whose place the inner engine searches for `searched`.
    fn new(pattern: &Pattern, searched: &Pattern) -> Self {
        let Some(constraints) = pattern.constraints() else { return InnerHitUse::Exact(1) };
        match constraints.cost_of_edit(searched.edit_model()) {
            Some(cost) if pattern.is_free() => InnerHitUse::Exact(cost),
            _ => InnerHitUse::Candidates,
        }
    }
}

impl ConstraintEngine {
    /// Makes an engine for `patterns`. `make_inner` makes the engine that searches for the patterns with the indices
    /// `indices`, without their constraints; the tables of this engine are made meanwhile.
    ///
    /// # Errors
    /// Errors of `make_inner`.
    pub(in crate::engine) fn new(
        patterns: Arc<PatternSet>,
        indices: Vec<usize>,
        make_inner: impl FnOnce() -> Result<Arc<dyn Engine>, EngineError>,
    ) -> Result<Self, EngineError> {
        let make_anchored = || AnchoredPatterns::new(&patterns);
        let (anchored, inner) = match patterns.patterns().len() {
            ..MANY_PATTERNS => (make_anchored(), make_inner()),
            MANY_PATTERNS.. => join(make_anchored, make_inner),
        };
        let inner = inner?;
        let all = 0..patterns.patterns().len();
        let everywhere = all.filter(|index| indices.binary_search(index).is_err()).collect();
        let searched = indices.iter().map(|&index| &patterns.patterns()[index]).zip(inner.patterns().patterns());
        let inner_hits = searched.map(|(pattern, searched)| InnerHitUse::new(pattern, searched)).collect();
        let has_plain = patterns.patterns().iter().any(|pattern| pattern.constraints().is_none());
        Ok(ConstraintEngine { patterns, inner, indices, inner_hits, anchored, everywhere, has_plain })
    }

    fn pattern(&self, index: usize) -> &Pattern {
        &self.patterns.patterns()[index]
    }
}

impl Engine for ConstraintEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn plan(&self) -> Vec<String> {
        let constrained = self.patterns.patterns().iter().filter(|pattern| pattern.constraints().is_some()).count();
        let verified = self.inner_hits.iter().filter(|&&hits| hits == InnerHitUse::Candidates).count();
        let everywhere = self.everywhere.len();
        let exact = constrained - verified - everywhere;
        let mut lines = self.inner.plan();
        lines.push(format!(
            "{constrained} patterns with constraints: {exact} need no verification, {verified} need it at each hit, \
             {everywhere} at every end position"
        ));
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.inner.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.inner.estimate(batch)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let inner = if self.indices.is_empty() { None } else { Some(self.inner.scanner()?) };
        Ok(Box::new(ConstraintScanner {
            engine: self,
            inner,
            matrix: Matrix::default(),
            anchored: AnchoredMatrix::default(),
        }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(ConstraintAligner {
            engine: self,
            inner: self.inner.aligner()?,
            matrix: Matrix::default(),
            anchored: AnchoredMatrix::default(),
        }))
    }
}

struct ConstraintScanner<'a> {
    engine: &'a ConstraintEngine,
    inner: Option<Box<dyn Scanner + 'a>>,
    matrix: Matrix,
    anchored: AnchoredMatrix,
}

impl Scanner for ConstraintScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        let wanted = self.wanted_of_inner(wanted);
        self.inner.as_mut().map_or(Ok(false), |inner| inner.submit(batch, wanted))
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let wanted = self.wanted_of_inner(wanted);
        let mut sink = ConstraintSink {
            engine: self.engine,
            batch,
            matrix: &mut self.matrix,
            anchored: &mut self.anchored,
            at: 0,
            verified: Vec::new(),
            has_enough: false,
            sink: hits,
        };
        if let Some(inner) = &mut self.inner {
            inner.search(batch, wanted, &mut sink)?;
        }
        if !sink.has_enough {
            // These are the last hits of the batch, so a `Break` from the sink changes nothing.
            let _ = sink.advance_to(&[], batch.owned().end);
        }
        Ok(())
    }
}

impl ConstraintScanner<'_> {
    /// Returns the hits that the inner engine must find. Hits of patterns with constraints are aligned here.
    fn wanted_of_inner(&self, wanted: WantedHits) -> WantedHits {
        if wanted == WantedHits::Aligned && self.engine.has_plain { wanted } else { WantedHits::All }
    }
}

/// Receives the hits of the inner engine, verifies them, and passes the hits within the constraints on to a sink.
struct ConstraintSink<'a> {
    engine: &'a ConstraintEngine,
    batch: &'a Batch<'a>,
    matrix: &'a mut Matrix,
    anchored: &'a mut AnchoredMatrix,
    /// The offset up to which the patterns in `everywhere` have been verified.
    at: usize,
    /// Hits within the constraints that are not delivered yet.
    verified: Vec<Hit>,
    /// Whether the sink returned `Break`.
    has_enough: bool,
    sink: &'a mut dyn HitSink,
}

impl HitSink for ConstraintSink<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        let Some(last) = hits.last() else { return ControlFlow::Continue(()) };
        let flow = self.advance_to(hits, last.end);
        self.has_enough = flow.is_break();
        flow
    }
}

impl ConstraintSink<'_> {
    /// Passes on all hits that end after `self.at` and at or before `until`. `hits` are the hits of the inner engine in
    /// that range.
    fn advance_to(&mut self, mut hits: &[Hit], until: usize) -> ControlFlow<()> {
        if !self.engine.everywhere.is_empty() {
            for (from, run) in runs_from(self.batch, self.at, until) {
                let mut start = from;
                while let Some(end) = self.next_end(run, start, until) {
                    start = end;
                    let before = hits.partition_point(|hit| hit.end <= end);
                    self.verify_all(&hits[..before]);
                    hits = &hits[before..];
                    self.try_everywhere(end);
                    if self.verified.len() >= MANY_HITS {
                        self.deliver()?;
                    }
                }
            }
            self.at = until;
        }
        self.verify_all(hits);
        self.deliver()
    }

    /// Returns the end of the next symbol after the offset `start` that the batch owns, skipping line terminators.
    /// Returns `None` if that end is past `until`, or past the offset `run`, where the run ends.
    fn next_end(&self, run: usize, start: usize, until: usize) -> Option<usize> {
        let bytes = &self.batch.bytes()[..run];
        let mut at = start;
        loop {
            let end = next_symbol(self.engine.patterns.alphabet(), bytes, at)?.end;
            if end > until {
                return None;
            }
            if self.batch.owns(end) && self.batch.terminator() != Some(bytes[end - 1]) {
                return Some(end);
            }
            at = end;
        }
    }

    fn verify_all(&mut self, hits: &[Hit]) {
        for &hit in hits {
            let pattern = self.engine.indices[hit.pattern];
            match self.engine.inner_hits[hit.pattern] {
                InnerHitUse::Exact(cost) => self.verified.push(Hit { pattern, distance: cost * hit.distance, ..hit }),
                InnerHitUse::Candidates => self.verify_one(Hit { pattern, ..hit }),
            }
        }
    }

    /// Verifies the patterns in `everywhere` at the offset `end`. Then sorts all verified hits with that end.
    fn try_everywhere(&mut self, end: usize) {
        let before = self.verified.len();
        for &pattern in &self.engine.everywhere {
            self.verify_one(Hit { end, pattern, distance: 0, start: None });
        }
        let same_end = self.verified[..before].iter().rev().take_while(|hit| hit.end == end).count();
        self.verified[before - same_end..].sort_unstable();
    }

    /// Verifies a hit of a pattern with constraints.
    fn verify_one(&mut self, hit: Hit) {
        interrupt::check();
        if let Some(anchored) = self.engine.anchored.as_ref().filter(|anchored| anchored.has(hit.pattern)) {
            let distance = anchored.distance(self.batch, (hit.pattern, hit.end), self.anchored);
            self.verified.extend(distance.map(|distance| Hit { distance, start: None, ..hit }));
            return;
        }
        let pattern = self.engine.pattern(hit.pattern);
        let constraints = pattern.constraints().expect("only hits of patterns with constraints are verified");
        let alphabet = self.engine.patterns.alphabet();
        if is_too_ambiguous(alphabet, self.batch, pattern, hit.end) {
            return;
        }
        let window = MatchWindow::before(alphabet, self.batch, pattern, hit.end);
        if !window.end_holds(alphabet, self.batch, pattern) {
            return;
        }
        self.verified.extend(verify_in(self.matrix, &window, pattern, constraints, hit));
    }

    fn deliver(&mut self) -> ControlFlow<()> {
        let flow = deliver(&self.verified, self.sink);
        self.verified.clear();
        flow
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
    all.into_iter().map(move |(start, end)| (start.max(from), end))
}

/// Returns the hit with its cost under the constraints of its pattern, or `None` if it violates them. See
/// [`verify`](crate::engine::verify::verify).
pub(in crate::engine) fn verify_constraints(
    window: &MatchWindow,
    pattern: &Pattern,
    constraints: &EditConstraints,
    hit: Hit,
) -> Option<Hit> {
    verify_in(&mut Matrix::default(), window, pattern, constraints, hit)
}

/// Returns the lengths, in symbols, of all matches that end at a hit and have the cost of the hit. The lengths ascend.
/// The pattern has constraints.
pub(in crate::engine) fn constrained_lengths(
    window: &MatchWindow,
    pattern: &Pattern,
    constraints: &EditConstraints,
    hit: Hit,
) -> Vec<usize> {
    let problem = MatrixProblem::new(pattern, constraints, window.within_reach(pattern));
    let mut matrix = Matrix::default();
    let mut lengths = Vec::new();
    let mut shortest = pattern.symbols().len().saturating_sub(constraints.costs().deletion.max);
    // Each pass finds the shortest of the remaining lengths, because the matrix prefers it.
    loop {
        let starts = |MatrixStart { covered, .. }| {
            let is_left = covered >= shortest && (pattern.is_free() || window.allows(pattern, covered));
            is_left.then(|| (covered - shortest) as u64)
        };
        let best = matrix.cost(&problem, &starts);
        let Some((_, longer)) = best.filter(|&(cost, _)| cost == hit.distance) else { return lengths };
        lengths.push(shortest + longer);
        shortest += longer + 1;
    }
}

fn verify_in(
    matrix: &mut Matrix,
    window: &MatchWindow,
    pattern: &Pattern,
    constraints: &EditConstraints,
    hit: Hit,
) -> Option<Hit> {
    if pattern.is_free() {
        let problem = MatrixProblem::new(pattern, constraints, window.within_reach(pattern));
        let (distance, _) = matrix.cost(&problem, &|_| Some(0))?;
        return Some(Hit { distance, start: None, ..hit });
    }
    nearest_start(matrix, window, pattern, constraints, hit)
}

/// Like [`verify_constraints`], but sets the start of the hit whether or not the pattern has edges.
pub(in crate::engine) fn verify_starts(
    window: &MatchWindow,
    pattern: &Pattern,
    constraints: &EditConstraints,
    hit: Hit,
) -> Option<Hit> {
    nearest_start(&mut Matrix::default(), window, pattern, constraints, hit)
}

/// Returns the hit with the cost and the start of the best match whose start the window allows.
fn nearest_start(
    matrix: &mut Matrix,
    window: &MatchWindow,
    pattern: &Pattern,
    constraints: &EditConstraints,
    hit: Hit,
) -> Option<Hit> {
    let problem = MatrixProblem::new(pattern, constraints, window.within_reach(pattern));
    let length = pattern.symbols().len();
    let starts =
        |MatrixStart { covered, .. }| window.allows(pattern, covered).then(|| preference(covered, length) as u64);
    let (distance, preferred) = matrix.cost(&problem, &starts)?;
    let covered = match preferred % 2 {
        0 => length - preferred / 2,
        _ => length + preferred / 2,
    };
    Some(Hit { distance, start: Some(window.symbols[covered - 1].start), ..hit })
}

struct ConstraintAligner<'a> {
    engine: &'a ConstraintEngine,
    inner: Box<dyn Aligner + 'a>,
    matrix: Matrix,
    anchored: AnchoredMatrix,
}

impl Aligner for ConstraintAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let engine = self.engine;
        let constraints = |hit: &Hit| engine.pattern(hit.pattern).constraints();
        let index_of_inner = |hit: &Hit| {
            engine.indices.binary_search(&hit.pattern).expect("the inner engine has all unconstrained patterns")
        };
        let plain = hits.iter().filter(|hit| constraints(hit).is_none());
        let plain: Vec<Hit> = plain.map(|hit| Hit { pattern: index_of_inner(hit), ..*hit }).collect();
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
        if let Some(anchored) = self.engine.anchored.as_ref().filter(|anchored| anchored.has(hit.pattern))
            && hit.start.is_none()
        {
            return anchored.align(batch, (hit.pattern, hit.end), &mut self.anchored);
        }
        let pattern = self.engine.pattern(hit.pattern);
        let window = MatchWindow::before(self.engine.patterns.alphabet(), batch, pattern, hit.end);
        let backward = window.within_reach(pattern);
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
