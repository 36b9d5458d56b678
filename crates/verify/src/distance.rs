//! Verifies hits by the matrix of the constraints, run backwards from the end of the hit.
//!
//! An engine may ignore the edges of patterns, or the ends of lines and records. It then reports too many hits, or too
//! small distances. Verification computes the least distance of the matches whose start is allowed, or drops the hit.

use std::cell::RefCell;

use super::match_window::{MatchWindow, end_holds, is_too_ambiguous, preference};
use super::matrix::{Matrix, MatrixProblem, MatrixStart};
use nigh_pattern::Pattern;
use nigh_text::alignment::SearchEdits;
use nigh_text::alphabet::is_residue;
use nigh_text::alphabet::{Alphabet, count_residues};
use nigh_text::batch::Segment;
use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::{Hit, LaterMatch};
use nigh_text::interrupt;
use nigh_text::text::MAX_SYMBOL_BYTES;

thread_local! {
    /// The matrix of the thread. It keeps tables for the limits on edits, which most hits share.
    static MATRIX: RefCell<Matrix> = RefCell::default();
}

/// Returns `hit` with the least distance of the matches that end there and satisfy the pattern's edges, and also its range
/// and its limit on ambiguous letters. Returns `None` if there is no such match.
///
/// Sets the start unless matches may start and end anywhere. Of several starts with the least distance, prefers the one
/// whose match length is closest to the pattern's, then the later start.
pub fn verify(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    interrupt::check();
    if is_too_ambiguous(alphabet, batch, pattern, hit.end) {
        return None;
    }
    if !end_holds(alphabet, batch, pattern, hit.end) {
        return None;
    }
    let window = MatchWindow::before(alphabet, batch, pattern, hit.end);
    if !pattern.is_free() {
        return nearest_match(&window, pattern, hit);
    }
    let constraints = pattern.all_constraints();
    let problem = MatrixProblem::new(pattern, &constraints, window.within_reach());
    let (distance, _) = MATRIX.with_borrow_mut(|matrix| matrix.cost(&problem, &|_| Some(0)))?;
    Some(Hit { distance, start: None, ..hit })
}

/// Like [`verify`], for a match that starts at or after the offset `from`. An earlier match of the pattern ends where
/// `hit` does, so the edges allow this end. Always sets the start.
pub(super) fn later_match(
    alphabet: Alphabet,
    batch: &Batch,
    pattern: &Pattern,
    hit: Hit,
    from: usize,
) -> Option<LaterMatch> {
    let mut window = MatchWindow::before(alphabet, batch, pattern, hit.end);
    window.start_from(from);
    let hit = nearest_match(&window, pattern, hit)?;
    let covered = window.symbols.iter().take_while(|symbol| Some(symbol.start) >= hit.start).count();
    Some(LaterMatch { hit, excess: covered.abs_diff(pattern.symbols().len()) })
}

/// Returns `hit` with the distance and the start of the best match whose start the window allows.
fn nearest_match(window: &MatchWindow, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    let constraints = pattern.all_constraints();
    let problem = MatrixProblem::new(pattern, &constraints, window.within_reach());
    let length = pattern.symbols().len();
    let starts =
        |MatrixStart { covered, .. }| window.allows(pattern, covered).then(|| preference(covered, length) as u64);
    let (distance, preferred) = MATRIX.with_borrow_mut(|matrix| matrix.cost(&problem, &starts))?;
    let covered = match preferred % 2 {
        0 => length - preferred / 2,
        _ => length + preferred / 2,
    };
    Some(Hit { distance, start: Some(window.symbols[covered - 1].start), ..hit })
}

/// Returns the number of symbols that each match with the distance of a hit covers, ascending; empty if only matches
/// with an overhang have this distance.
pub fn match_lengths(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Vec<usize> {
    let window = MatchWindow::before(alphabet, batch, pattern, hit.end);
    let constraints = pattern.all_constraints();
    let problem = MatrixProblem::new(pattern, &constraints, window.within_reach()).at_most(hit.distance);
    let is_allowed = |covered: usize| pattern.is_free() || window.allows(pattern, covered);
    let best = MATRIX.with_borrow_mut(|matrix| matrix.cost_and_lengths(&problem, is_allowed));
    best.filter(|&(cost, _)| cost == hit.distance).map_or_else(Vec::new, |(_, lengths)| lengths)
}

/// Verifies a hit of a search that ignores the ends of lines and records: computes its distance within its line or
/// record, if a match may cross the start, and verifies edges if the pattern has any.
pub(super) fn verify_within_record(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    if !pattern.is_free() {
        return verify(alphabet, batch, pattern, hit);
    }
    if !may_cross(batch, hit.end, pattern.max_match_len()) {
        return Some(hit);
    }
    verify(alphabet, batch, pattern, hit)
}

/// Like `verify_within_record`, for a search that counts substitutions as one edit in every pattern.
pub fn verify_levenshtein_hit(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    match pattern.edit_model() {
        SearchEdits::Levenshtein => verify_within_record(alphabet, batch, pattern, hit),
        SearchEdits::Indel | SearchEdits::StringAlignment => verify(alphabet, batch, pattern, hit),
    }
}

/// Verifies the hit if the pattern's edges restrict where a match starts or ends; otherwise returns it unchanged.
pub fn verify_unless_free(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    if pattern.is_free() { Some(hit) } else { verify(alphabet, batch, pattern, hit) }
}

/// Tells which matches lie inside their segment of a record, for ends in ascending order.
pub struct SegmentInside<'a> {
    segments: &'a [Segment],
    bytes: &'a [u8],
    max_match_len: usize,
    /// Index of the segment of the last end.
    at: usize,
    /// Offset just past the first `max_match_len` residues of that segment, or past its end if it has fewer; `None`
    /// before the first end.
    inside: Option<usize>,
}

impl<'a> SegmentInside<'a> {
    /// Makes the test for matches of at most `max_match_len` symbols.
    pub fn new(batch: &'a Batch<'a>, max_match_len: usize) -> Self {
        SegmentInside { segments: batch.segments(), bytes: batch.bytes(), max_match_len, at: 0, inside: None }
    }

    /// Returns whether every match that ends at `end`, which must not be less than at the last call, lies inside its
    /// segment. Returns `false` for lines of text.
    pub fn has_match_before(&mut self, end: usize) -> bool {
        let after = self.segments.iter().skip(self.at + 1);
        let passed = after.take_while(|segment| segment.bytes.start < end).count();
        let Some(segment) = self.segments.get(self.at + passed) else { return false };
        if passed > 0 || self.inside.is_none() {
            self.at += passed;
            self.inside =
                Some(offset_after(&self.bytes[segment.bytes.clone()], self.max_match_len) + segment.bytes.start);
        }
        self.inside.is_some_and(|inside| end >= inside)
    }
}

/// Returns the offset just past the first `count` residues. If there are fewer, returns `bytes.len() + 1`, which is
/// greater than the end of every match.
fn offset_after(bytes: &[u8], count: usize) -> usize {
    let mut residues = bytes.iter().enumerate().filter(|&(_, &byte)| is_residue(byte));
    match count.checked_sub(1) {
        None => 0,
        Some(others) => residues.nth(others).map_or(bytes.len() + 1, |(at, _)| at + 1),
    }
}

/// Returns whether a match of `max_match_len` symbols that ends at `end` may cross the start of its line or record.
pub fn may_cross(batch: &Batch, end: usize, max_match_len: usize) -> bool {
    let bytes = batch.bytes();
    let (window, crosses) = match batch.layout() {
        Layout::Lines(lines) => {
            let ascii = &bytes[end.saturating_sub(max_match_len)..end];
            let wide = end.saturating_sub(max_match_len * MAX_SYMBOL_BYTES)..end;
            let window = if ascii.is_ascii() { ascii } else { &bytes[wide] };
            (window, memchr::memrchr(lines.terminator, window).is_some())
        }
        Layout::Records(segments) => {
            let start = segments[batch.segment_before(end)].bytes.start;
            let window = &bytes[start.max(end.saturating_sub(MAX_SYMBOL_BYTES * max_match_len))..end];
            (window, count_residues(window) < max_match_len)
        }
    };
    crosses && !window.is_empty()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Finder;
    use crate::reference::ReferenceFinder;
    use nigh_pattern::{EditCosts, EditLimit, MaxEdits, PatternSet, PatternSource, PositionRange};

    #[test]
    fn matches_of_a_distance_do_not_depend_on_conditions_without_effect() {
        let mut rng = fastrand::Rng::with_seed(3);
        let bases = |rng: &mut fastrand::Rng, length| -> String {
            (0..length).map(|_| *rng.choice(&['A', 'C']).unwrap()).collect()
        };
        let mut several = 0;
        for _ in 0..100 {
            let (length, k) = (rng.usize(3..9), rng.usize(1..3));
            let (source, text) = (bases(&mut rng, length), bases(&mut rng, 40));
            let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k));
            let limited = EditCosts { insertion: EditLimit::new(1, k - 1), ..EditCosts::default() };
            let range: PositionRange = "0..99".parse().unwrap();
            let sources = [PatternSource::new(source.as_str())];
            let plain = Arc::new(builder.build(&sources).unwrap());
            let others = [builder.clone().edit_costs(limited), builder.within(range)];
            let others = others.map(|builder| builder.build(&sources).unwrap());
            let batch = Batch::of_record(text);
            let mut hits: Vec<Hit> = Vec::new();
            let finder = ReferenceFinder::new(plain.clone(), 1);
            finder.scanner().unwrap().scan(&batch, &mut hits).unwrap();
            // Matches with less than k edits have no more insertions than the limit.
            for hit in hits.into_iter().filter(|hit| hit.distance < k) {
                let lengths = |set: &PatternSet| match_lengths(Alphabet::Dna, &batch, &set.patterns()[0], hit);
                let expected = lengths(&plain);
                assert!(!expected.is_empty(), "{hit:?}");
                others.iter().for_each(|set| assert_eq!(lengths(set), expected, "{hit:?}"));
                several += usize::from(expected.len() > 1);
            }
        }
        assert!(several > 100, "only {several} hits with several matches");
    }

    #[test]
    fn lengths_of_matches_with_many_edits_are_all_found() {
        let distance = |pattern: &[u8], text: &[u8]| {
            let mut row: Vec<usize> = (0..=text.len()).collect();
            for (at, symbol) in pattern.iter().enumerate() {
                let mut diagonal = std::mem::replace(&mut row[0], at + 1);
                for (column, other) in text.iter().enumerate() {
                    let cost = (diagonal + usize::from(symbol != other)).min(row[column].min(row[column + 1]) + 1);
                    diagonal = std::mem::replace(&mut row[column + 1], cost);
                }
            }
            row[text.len()]
        };
        let mut rng = fastrand::Rng::with_seed(7);
        let mut bases = |length| -> String { (0..length).map(|_| *rng.choice(&['A', 'C', 'G']).unwrap()).collect() };
        let mut several = 0;
        for _ in 0..20 {
            let (source, text) = (bases(50), bases(120));
            let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(30));
            let set = builder.build(&[PatternSource::new(source.as_str())]).unwrap();
            let batch = Batch::of_record(text.clone());
            let to = text.len();
            let distances = (1..=to).map(|length| distance(source.as_bytes(), &text.as_bytes()[to - length..]));
            let distances: Vec<usize> = distances.collect();
            let least = *distances.iter().min().unwrap();
            let expected: Vec<usize> = (1..=to).filter(|length| distances[length - 1] == least).collect();
            let hit = Hit { end: to, pattern: 0, distance: least, start: None };
            assert_eq!(match_lengths(Alphabet::Dna, &batch, &set.patterns()[0], hit), expected);
            several += usize::from(expected.len() > 1);
        }
        assert!(several > 5, "only {several} hits with several matches");
    }
}
