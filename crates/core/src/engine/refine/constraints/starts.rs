//! Matches by their start, for patterns that begin with an exact group.
//!
//! A hit is an end with its best match. This module finds the mirror image, a start with its best match, by running the
//! matrix of the constraints on the reversed pattern and the reversed text. Every end of a match is a hit, so starts
//! are looked for before the hits. For each hit and each place of the first group before it, the best match from this
//! place to an end at or before the hit is computed. The match is kept if it ends at the hit. So the last match kept
//! for a start is the best of all matches from that start. Time is O(k m) for each pair, and a hit has at most 2k + 1
//! pairs. If the only constraints are exact groups at the edges, one matrix of words serves all starts of a hit.
//!
//! If patterns may hang over, a match may end with the line or record, before the pattern does. Each place of the group
//! that is as near to the end is then a start.

use std::collections::HashMap;
use std::sync::Arc;

use super::anchored::AnchoredPatterns;
use super::anchored_matrix::AnchoredMatrix;
use crate::alignment::Cigar;
use crate::alphabet::Alphabet;
use crate::batch::Batch;
use crate::engine::match_window::{MatchWindow, end_holds, preference};
use crate::engine::matrix::{Matrix, MatrixProblem, MatrixStart};
use crate::hit::Hit;
use crate::pattern::{OverhangLimits, Pattern, PatternSet};
use crate::text::PlacedSymbol;

/// The patterns of a set whose matches are found by their starts, reversed. Aligners share them.
pub struct StartPatterns {
    set: Arc<PatternSet>,
    /// The tables of the patterns whose only constraints are exact groups at their edges.
    anchored: Option<AnchoredPatterns>,
    /// The other patterns, by their index in the set.
    mirrored: HashMap<usize, Pattern>,
}

/// Finds the matches that end with a hit and begin with an exact group.
pub struct StartAligner {
    patterns: Arc<StartPatterns>,
    anchored_matrix: AnchoredMatrix,
    matrix: Matrix,
    /// The text from a start to the hit.
    forward: Vec<PlacedSymbol>,
}

/// A match that ends at the end of a hit.
pub struct StartMatch {
    /// Offset in the batch of the first symbol of the match.
    pub start: usize,
    pub distance: usize,
    pub cigar: Cigar,
}

impl StartPatterns {
    /// Collects the patterns that `wanted` selects, and that have constraints or may hang over; `None` if there are
    /// none.
    pub fn new(set: &Arc<PatternSet>, wanted: impl Fn(&Pattern) -> bool) -> Option<Self> {
        let is_wanted = |pattern: &Pattern| {
            let has_several_ends = pattern.constraints().is_some() || set.overhang().is_some();
            has_several_ends && wanted(pattern)
        };
        if !set.patterns().iter().any(is_wanted) {
            return None;
        }
        // With proximity only some ends are hits, and with an overhang the edges of a record count. The tables consider
        // neither.
        let has_tables = set.proximity().is_none() && set.overhang().is_none();
        let anchored = AnchoredPatterns::mirrored(set, |pattern| has_tables && is_wanted(pattern));
        let is_anchored = |index| anchored.as_ref().is_some_and(|anchored| anchored.has(index));
        let mirrored = |(index, pattern): (usize, &Pattern)| {
            (!is_anchored(index) && is_wanted(pattern)).then(|| (index, pattern.mirrored()))
        };
        let mirrored = set.patterns().iter().enumerate().filter_map(mirrored).collect();
        Some(StartPatterns { set: set.clone(), anchored, mirrored })
    }

    /// Returns the whole set.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns whether the matches of the pattern with the index `pattern` are found by their starts.
    pub fn has(&self, pattern: usize) -> bool {
        self.anchored.as_ref().is_some_and(|anchored| anchored.has(pattern)) || self.mirrored.contains_key(&pattern)
    }
}

impl StartAligner {
    /// Makes an aligner.
    pub fn new(patterns: Arc<StartPatterns>) -> Self {
        let (anchored_matrix, matrix) = (AnchoredMatrix::default(), Matrix::default());
        StartAligner { patterns, anchored_matrix, matrix, forward: Vec::new() }
    }

    /// Returns the patterns.
    pub fn patterns(&self) -> &StartPatterns {
        &self.patterns
    }

    /// Appends the matches that end at a hit, from the last start to the first. Leaves out a start if a match that is
    /// at least as good ends earlier, at an offset for which `is_hit` is true.
    pub fn align(&mut self, batch: &Batch, hit: Hit, is_hit: &dyn Fn(usize) -> bool, out: &mut Vec<StartMatch>) {
        let StartPatterns { set, anchored, mirrored } = &*self.patterns;
        if let Some(anchored) = anchored
            && anchored.has(hit.pattern)
        {
            let found = anchored.align_starts(batch, (hit.pattern, hit.end), &mut self.anchored_matrix);
            out.extend(found.map(|(start, cigar)| StartMatch { start, distance: cigar.distance(), cigar }));
            return;
        }
        let (alphabet, pattern) = (set.alphabet(), &set.patterns()[hit.pattern]);
        let mirrored = mirrored.get(&hit.pattern).expect("the pattern begins with an exact group");
        let constraints = mirrored.all_constraints();
        let window = MatchWindow::before(alphabet, batch, pattern, hit.end);
        let overhang = set.overhang().filter(|_| window.closes(alphabet, batch));
        let limits = overhang.map(|overhang| pattern.overhang_limits(overhang)).filter(|limits| limits.max_after > 0);
        let longest = window.symbols.len().min(pattern.max_match_len());
        let group = constraints.edge_groups(pattern.symbols().len()).after.max(1);
        let shortest = if limits.is_some() { group } else { pattern.min_match_len().max(group) };
        for covered in shortest..=longest {
            let backward = &window.symbols[..covered];
            let begins = backward.iter().rev().zip(&pattern.symbols()[..group]);
            if !begins.into_iter().all(|(placed, set)| set.contains(placed.symbol)) {
                continue;
            }
            self.forward.clear();
            self.forward.extend(backward.iter().rev());
            let forward = &self.forward;
            let ends = |MatrixStart { covered: length, .. }| {
                let allowed = match forward[length - 1].end {
                    _ if length == covered => allows(pattern, &window, covered),
                    end => is_hit(end) && allows_end(alphabet, batch, pattern, ForwardEnd { end, length }),
                };
                let order = if pattern.is_free() { 0 } else { preference(length, pattern.symbols().len()) as u64 };
                allowed.then_some(order)
            };
            let start = backward[covered - 1].start;
            let problem = MatrixProblem::new(mirrored, &constraints, forward);
            let inside = self.matrix.cost(&problem, &ends).map(|(distance, _)| distance);
            let over = limits.filter(|_| allows(pattern, &window, covered)).and_then(|limits| {
                let (distance, cigar) = over_end(&mut self.matrix, &problem, limits, covered)?;
                Some(StartMatch { start, distance, cigar: cigar.reversed() })
            });
            if let Some(over) = over.filter(|over| inside.is_none_or(|inside| over.distance < inside)) {
                out.push(over);
            } else if let Some(distance) = inside {
                let cigar = self.matrix.cigar(&problem, &ends);
                if cigar.text_length() == covered {
                    out.push(StartMatch { start, distance, cigar: cigar.reversed() });
                }
            }
        }
    }
}

/// Returns the distance and the reversed operations of the best match of `covered` symbols that hangs over the end of
/// the text; `None` if there is none. The pattern and the text are reversed.
fn over_end(
    matrix: &mut Matrix,
    problem: &MatrixProblem<'_>,
    limits: OverhangLimits,
    covered: usize,
) -> Option<(usize, Cigar)> {
    let problem = problem.hanging_over(limits, 0, limits.max_after)?;
    let ends = |end: MatrixStart| (end.before > 0 && end.covered == covered).then(|| limits.cost(end.before));
    let distance = limits.distance(matrix.value(&problem, &ends)?)?;
    Some((distance, matrix.cigar(&problem, &ends)))
}

/// An end of a match, and the number of symbols that the match covers.
struct ForwardEnd {
    /// Offset in the batch.
    end: usize,
    length: usize,
}

/// Returns whether the edges of a pattern allow a match of the last `length` symbols of a window. A match must be
/// allowed to end at the end of the window.
fn allows(pattern: &Pattern, window: &MatchWindow, length: usize) -> bool {
    pattern.is_free() || window.allows(pattern, length)
}

/// Returns whether the edges of a pattern allow a match.
fn allows_end(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, ForwardEnd { end, length }: ForwardEnd) -> bool {
    if pattern.is_free() {
        return true;
    }
    end_holds(alphabet, batch, pattern, end)
        && MatchWindow::before(alphabet, batch, pattern, end).allows(pattern, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Groups, PatternSource, Strand};

    /// Returns the matches of all ends: the end, and the start, distance and operations of each match.
    fn all(aligner: &mut StartAligner, batch: &Batch, pattern: usize) -> Vec<(usize, usize, usize, String)> {
        let mut all = Vec::new();
        for end in 1..=batch.bytes().len() {
            let mut found = Vec::new();
            aligner.align(batch, Hit { end, pattern, distance: 0, start: None }, &|_| true, &mut found);
            all.extend(found.iter().map(|found| (end, found.start, found.distance, found.cigar.to_string())));
        }
        all
    }

    #[test]
    fn tables_give_the_matches_of_the_general_matrix() {
        let mut rng = fastrand::Rng::with_seed(12);
        let mut bases = |lengths: std::ops::Range<usize>| -> String {
            let length = rng.usize(lengths);
            (0..length).map(|_| char::from(*rng.choice(b"AAAAAAAGGGGGGGCTN\n").expect("a letter"))).collect()
        };
        let mut count = 0;
        for case in 0..3_000 {
            let core = bases(3..10).replace('\n', "C");
            let source = match case % 3 {
                0 => format!("{core}<NGG>"),
                1 => format!("<GAAV>{core}"),
                _ => format!("<A>{core}<NRG>"),
            };
            let builder = PatternSet::builder(Alphabet::Dna).groups(Groups::Exact).at_most(1 + case / 3 % 3);
            let both = builder.strands(&[Strand::Forward, Strand::Reverse]);
            let set = Arc::new(both.build(&[PatternSource::new(source)]).unwrap());
            let batch = Batch::of_record(bases(1..300));
            let with_tables = StartPatterns::new(&set, |_| true).expect("all patterns are selected");
            assert!(with_tables.anchored.is_some());
            let mut with_tables = StartAligner::new(Arc::new(with_tables));
            let mirrored = set.patterns().iter().map(Pattern::mirrored).enumerate().collect();
            let general = StartPatterns { set: set.clone(), anchored: None, mirrored };
            let mut general = StartAligner::new(Arc::new(general));
            for (index, pattern) in set.patterns().iter().enumerate() {
                let constraints = pattern.constraints().expect("a pattern with constraints");
                if constraints.edge_groups(pattern.symbols().len()).before == 0 {
                    continue;
                }
                let expected = all(&mut general, &batch, index);
                assert_eq!(all(&mut with_tables, &batch, index), expected, "case {case}, pattern {index}");
                count += expected.len();
            }
        }
        assert!(count > 4_000, "only {count} matches");
    }
}
