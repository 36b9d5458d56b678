//! Matches by their start, for patterns that begin with an exact group.
//!
//! A hit is an end with its best match. This module finds the mirror image, a start with its best match, by running the
//! matrix of the constraints on the reversed pattern and the reversed text. Every end of a match is a hit, so starts
//! are looked for before the hits. For each hit and each place of the first group before it, the best match from this
//! place to an end at or before the hit is computed. The match is kept if it ends at the hit. So the last match kept
//! for a start is the best of all matches from that start. Time is O(k m) for each pair, and a hit has at most 2k + 1
//! pairs.

use super::matrix::{Matrix, MatrixProblem};
use crate::alignment::Cigar;
use crate::alphabet::Alphabet;
use crate::batch::Batch;
use crate::engine::match_window::{MatchWindow, preference};
use crate::hit::Hit;
use crate::pattern::{Pattern, PatternSet};
use crate::text::PlacedSymbol;

/// Finds the matches that end with a hit and begin with an exact group.
pub struct StartAligner<'a> {
    patterns: &'a PatternSet,
    /// The reversed pattern of each pattern that has constraints and was selected; `None` for other patterns.
    mirrored: Vec<Option<Pattern>>,
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

impl<'a> StartAligner<'a> {
    /// Makes an aligner for the patterns with constraints that `wanted` selects.
    pub fn new(patterns: &'a PatternSet, wanted: impl Fn(&Pattern) -> bool) -> Self {
        let mirrored = |pattern: &Pattern| {
            let is_wanted = pattern.constraints().is_some() && wanted(pattern);
            is_wanted.then(|| pattern.mirrored())
        };
        let mirrored = patterns.patterns().iter().map(mirrored).collect();
        StartAligner { patterns, mirrored, matrix: Matrix::default(), forward: Vec::new() }
    }

    /// Returns whether the matches of the pattern with the index `pattern` are found by their starts.
    pub fn has(&self, pattern: usize) -> bool {
        self.mirrored[pattern].is_some()
    }

    /// Appends the matches that end at a hit, from the last start to the first. Leaves out a start if a match that is
    /// at least as good ends earlier, at an offset for which `is_hit` is true.
    pub fn align(&mut self, batch: &Batch, hit: Hit, is_hit: &dyn Fn(usize) -> bool, out: &mut Vec<StartMatch>) {
        let (alphabet, pattern) = (self.patterns.alphabet(), &self.patterns.patterns()[hit.pattern]);
        let mirrored = self.mirrored[hit.pattern].as_ref().expect("the pattern begins with an exact group");
        let constraints = mirrored.constraints().expect("a pattern with edits and an exact group has constraints");
        let window = MatchWindow::before(alphabet, batch, pattern, hit.end);
        let longest = window.symbols.len().min(pattern.max_match_len());
        let group = constraints.edge_groups(pattern.symbols().len()).after.max(1);
        for covered in pattern.min_match_len().max(group)..=longest {
            let backward = &window.symbols[..covered];
            let begins = backward.iter().rev().zip(&pattern.symbols()[..group]);
            if !begins.into_iter().all(|(placed, set)| set.contains(placed.symbol)) {
                continue;
            }
            self.forward.clear();
            self.forward.extend(backward.iter().rev());
            let forward = &self.forward;
            let ends = |length: usize| {
                let allowed = match forward[length - 1].end {
                    _ if length == covered => allows(pattern, &window, covered),
                    end => is_hit(end) && allows_end(alphabet, batch, pattern, ForwardEnd { end, length }),
                };
                let order = if pattern.is_free() { 0 } else { preference(length, pattern.symbols().len()) };
                allowed.then_some(order)
            };
            let problem = MatrixProblem { pattern: mirrored, constraints, backward: forward };
            let Some((distance, _)) = self.matrix.cost(&problem, &ends) else { continue };
            let cigar = self.matrix.cigar(&problem, &ends);
            if cigar.text_length() == covered {
                let start = backward[covered - 1].start;
                out.push(StartMatch { start, distance, cigar: cigar.reversed() });
            }
        }
    }
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
    let window = MatchWindow::before(alphabet, batch, pattern, end);
    window.end_holds(alphabet, batch, pattern) && window.allows(pattern, length)
}
