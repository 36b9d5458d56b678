//! Matches by their start, for patterns that begin with an exact group.
//!
//! A hit is an end with its best match. This module finds the mirror image, a start with its best match, by running the
//! matrix of the constraints on the reversed pattern and the reversed text. Every end of a match is a hit, so starts
//! are looked for before the hits. For each hit and each place of the first group before it, the best match from this
//! place to an end at or before the hit is computed. The match is kept if it ends at the hit. So the last match kept
//! for a start is the best of all matches from that start. A hit has at most 2k + 1 such places.
//!
//! If patterns may hang over, a match may end with the line or record, before the pattern does. Each place of the group
//! that is as near to the end is then a start.

use std::collections::HashMap;
use std::sync::Arc;

use crate::match_window::{MatchWindow, end_holds, preference};
use crate::matrix::{Matrix, MatrixProblem, MatrixStart};
use nigh_pattern::{OverhangLimits, Pattern, PatternSet};
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::PlacedSymbol;

/// The patterns of a set whose matches are found by their starts, reversed. Aligners share them.
pub struct StartPatterns {
    set: Arc<PatternSet>,
    /// By their index in the set.
    mirrored: HashMap<usize, Pattern>,
}

/// Finds the matches that end with a hit and begin with an exact group.
pub struct StartAligner {
    patterns: Arc<StartPatterns>,
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
        let mirrored = |(index, pattern): (usize, &Pattern)| is_wanted(pattern).then(|| (index, pattern.mirrored()));
        let mirrored = set.patterns().iter().enumerate().filter_map(mirrored).collect();
        Some(StartPatterns { set: set.clone(), mirrored })
    }

    /// Returns the whole set.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns whether the matches of the pattern with the index `pattern` are found by their starts.
    pub fn has(&self, pattern: usize) -> bool {
        self.mirrored.contains_key(&pattern)
    }
}

impl StartAligner {
    /// Makes an aligner.
    pub fn new(patterns: Arc<StartPatterns>) -> Self {
        StartAligner { patterns, matrix: Matrix::default(), forward: Vec::new() }
    }

    /// Returns the patterns.
    pub fn patterns(&self) -> &StartPatterns {
        &self.patterns
    }

    /// Appends the matches that end at a hit, from the last start to the first. Leaves out a start if a match that is
    /// at least as good ends earlier, at an offset for which `is_hit` is true.
    pub fn align(&mut self, batch: &Batch, hit: Hit, is_hit: &dyn Fn(usize) -> bool, out: &mut Vec<StartMatch>) {
        let StartPatterns { set, mirrored } = &*self.patterns;
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
    use std::collections::BTreeMap;

    use super::*;
    use nigh_pattern::{Groups, MaxEdits, PatternSource, SymbolSet};

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

    /// Returns the least number of edits between a pattern of a core and then `after`, which nothing may edit, and a text:
    /// by the rows of their matrix.
    fn edits(core: &[SymbolSet], after: &[SymbolSet], text: &[u8]) -> Option<usize> {
        let (text, last) = text.split_at_checked(text.len().checked_sub(after.len())?)?;
        let is_equal = |set: &SymbolSet, byte: u8| set.contains(Alphabet::Dna.symbol_of_byte(byte));
        if !after.iter().zip(last).all(|(set, &byte)| is_equal(set, byte)) {
            return None;
        }
        let mut row: Vec<usize> = (0..=text.len()).collect();
        for (at, set) in core.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], at + 1);
            for (column, &byte) in text.iter().enumerate() {
                let edited = (diagonal + usize::from(!is_equal(set, byte))).min(row[column].min(row[column + 1]) + 1);
                diagonal = std::mem::replace(&mut row[column + 1], edited);
            }
        }
        Some(row[text.len()])
    }

    #[test]
    fn each_start_has_its_best_match() {
        let mut rng = fastrand::Rng::with_seed(12);
        let mut bases = |lengths: std::ops::Range<usize>| -> String {
            let length = rng.usize(lengths);
            (0..length).map(|_| char::from(*rng.choice(b"AAAAAAAGGGGGGGCT").expect("a letter"))).collect()
        };
        let mut count = 0;
        for case in 0..1_000 {
            let (core, k) = (bases(4..10), 1 + case / 2 % 3);
            let (before, after) = if case % 2 == 0 { (4, "") } else { (1, "<NRG>") };
            let source = format!("<{}>{core}{after}", &"GAAV"[..before]);
            let builder = PatternSet::builder(Alphabet::Dna).groups(Groups::Exact).max_edits(MaxEdits::Count(k));
            let set = Arc::new(builder.build(&[PatternSource::new(source.as_str())]).unwrap());
            let text = bases(1..100);
            let batch = Batch::of_record(text.clone());
            let patterns = StartPatterns::new(&set, |_| true).expect("all patterns are selected");
            let mut aligner = StartAligner::new(Arc::new(patterns));
            let found = all(&mut aligner, &batch, 0);
            let symbols = set.patterns()[0].symbols();
            let after = symbols.len() - if after.is_empty() { 0 } else { 3 };
            let mut expected = BTreeMap::new();
            for start in 0..text.len() {
                let text = &text.as_bytes()[start..];
                let is_equal = |(set, &byte): (&SymbolSet, &u8)| set.contains(Alphabet::Dna.symbol_of_byte(byte));
                if text.len() < before || !symbols[..before].iter().zip(text).all(is_equal) {
                    continue;
                }
                let edits = |end: usize| edits(&symbols[before..after], &symbols[after..], &text[before..end]);
                let least = (before + 1..=text.len()).filter_map(edits).min().filter(|&least| least <= k);
                expected.extend(least.map(|least| (start, least)));
            }
            // The last match of a start is the best one.
            let found: BTreeMap<usize, usize> =
                found.iter().map(|&(_, start, distance, _)| (start, distance)).collect();
            assert_eq!(found, expected, "case {case}: {source} {k} {text}");
            count += found.len();
        }
        assert!(count > 1_000, "only {count} matches");
    }
}
