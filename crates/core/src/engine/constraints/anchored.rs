//! Distances of patterns between exact groups, by Myers' bit-parallel algorithm (1999).
//!
//! A hit is computed backwards from its end. At each place of the last group, one pass computes the distance between
//! the symbols between the groups and every length of text before this place. A length counts only if the first group
//! stands before that text. For patterns of up to 64 symbols, the time is O(m + k) for each of the at most k + 1 places
//! of the last group.

use std::borrow::Cow;

use super::anchored_matrix::{AnchoredMatrix, AnchoredProblem};
use crate::alignment::{Alignment, Cigar};
use crate::alphabet::is_residue;
use crate::batch::Batch;
use crate::engine::encoder::{Classes, Code};
use crate::pattern::{EdgeGroups, Pattern, PatternSet};

/// The largest number of symbols of a pattern: a word has a bit for each.
const MAX_SYMBOLS: usize = 64;
/// The largest number of text symbols of a match.
const MAX_MATCH: usize = 2 * MAX_SYMBOLS;

/// The tables of the patterns of a set whose only constraints are exact groups at their edges.
pub(super) struct AnchoredPatterns {
    classes: Classes,
    /// For each pattern of the set, its tables; `None` if it needs a matrix.
    patterns: Vec<Option<AnchoredPattern>>,
    /// For each of `patterns` with tables and each code, a bit for each symbol that the code matches, the last symbol
    /// in the lowest bit.
    masks: Vec<u64>,
}

/// A pattern with exact groups at its edges.
#[derive(Debug, Clone, Copy)]
struct AnchoredPattern {
    /// The index of the pattern's first mask in [`AnchoredPatterns::masks`].
    masks: usize,
    length: usize,
    k: usize,
    groups: EdgeGroups,
}

/// The symbols before the end of a hit, the last first.
pub(super) struct BackwardCodes {
    codes: [Code; MAX_MATCH],
    count: usize,
}

impl AnchoredPatterns {
    /// Collects the patterns of a set; `None` if there are none, or the set is not for sequences.
    pub(super) fn new(set: &PatternSet) -> Option<Self> {
        AnchoredPatterns::of(set, |pattern| is_anchored(pattern).then_some(Cow::Borrowed(pattern)))
    }

    /// Like [`AnchoredPatterns::new`], but reverses each pattern, and only collects those that `is_wanted` selects.
    pub(super) fn mirrored(set: &PatternSet, is_wanted: impl Fn(&Pattern) -> bool) -> Option<Self> {
        let mirrored = |pattern: &Pattern| Cow::Owned(pattern.mirrored());
        AnchoredPatterns::of(set, |pattern| (is_anchored(pattern) && is_wanted(pattern)).then(|| mirrored(pattern)))
    }

    /// Collects the results of `anchored` for the patterns of a set.
    fn of<'p>(set: &'p PatternSet, anchored: impl Fn(&'p Pattern) -> Option<Cow<'p, Pattern>>) -> Option<Self> {
        let is_any = set.patterns().iter().any(is_anchored);
        let classes = Classes::new(set).ok().filter(|_| is_any && set.alphabet().is_sequence())?;
        let mut masks = Vec::new();
        let patterns = set.patterns().iter().map(|pattern| {
            let pattern = anchored(pattern)?;
            let first = masks.len();
            add_masks(&mut masks, &classes, &pattern);
            let (length, k, groups) = (pattern.symbols().len(), pattern.k(), edge_groups(&pattern));
            Some(AnchoredPattern { masks: first, length, k, groups })
        });
        let patterns = patterns.collect();
        Some(AnchoredPatterns { classes, patterns, masks })
    }

    /// Returns whether the pattern with the index `pattern` has tables.
    pub(super) fn has(&self, pattern: usize) -> bool {
        self.patterns[pattern].is_some()
    }

    /// Returns the least distance of the matches that end at the offset `end`; `None` if there is no match. The pattern
    /// with the index `pattern` must have tables.
    pub(super) fn distance(&self, batch: &Batch, pattern: usize, end: usize) -> Option<usize> {
        let (pattern, masks) = self.tables(pattern);
        let backward = self.backward(batch, end, pattern.length + pattern.k);
        pattern.distance(masks, backward.codes())
    }

    /// Returns the alignment of the best match that ends at `end`, wherever it starts. The pattern with the index
    /// `pattern` must have tables and a match there.
    pub(super) fn align(
        &self,
        batch: &Batch,
        (pattern, end): (usize, usize),
        matrix: &mut AnchoredMatrix,
    ) -> Alignment {
        let (pattern, masks) = self.tables(pattern);
        let backward = self.backward(batch, end, pattern.length + pattern.k);
        let AnchoredPattern { length, k, groups, .. } = pattern;
        let cigar = matrix.cigar(&AnchoredProblem { length, k, groups, masks, text: backward.codes() });
        Alignment { start: start_before(batch, end, cigar.text_length()), end, cigar }
    }

    /// Returns the start and the alignment of each match that ends at `end` and is the best of all matches that begin at
    /// its start and end there or before, from the last start to the first. The tables of the pattern with the index
    /// `pattern` must be those of the mirrored pattern.
    pub(super) fn align_starts(
        &self,
        batch: &Batch,
        (pattern, end): (usize, usize),
        matrix: &mut AnchoredMatrix,
    ) -> impl Iterator<Item = (usize, Cigar)> {
        let (pattern, masks) = self.tables(pattern);
        let AnchoredPattern { length, k, groups, .. } = pattern;
        let mut text = self.backward(batch, end, length + k);
        // From here on, the text is in its own direction. It ends at `end`.
        text.codes[..text.count].reverse();
        let least = length.saturating_sub(k).max(groups.after).max(1);
        (least..=text.count).filter_map(move |covered| {
            let text = &text.codes()[text.count - covered..];
            if !matches_group(masks, 0, text, groups.after) {
                return None;
            }
            let cigar = matrix.cigar(&AnchoredProblem { length, k, groups, masks, text });
            (cigar.text_length() == covered).then(|| (start_before(batch, end, covered), cigar.reversed()))
        })
    }

    fn tables(&self, pattern: usize) -> (AnchoredPattern, &[u64]) {
        let pattern = self.patterns[pattern].expect("the pattern has tables");
        (pattern, &self.masks[pattern.masks..][..self.classes.count()])
    }

    /// Reads up to `count` symbols of the record before the offset `end`.
    #[inline]
    fn backward(&self, batch: &Batch, end: usize, count: usize) -> BackwardCodes {
        let start = batch.surroundings(end, count).bytes.start;
        let mut backward = BackwardCodes { codes: [0; MAX_MATCH], count: 0 };
        for &byte in batch.bytes()[start..end].iter().rev() {
            if backward.count == count {
                break;
            }
            if is_residue(byte) {
                backward.codes[backward.count] = self.classes.code_of_byte(byte);
                backward.count += 1;
            }
        }
        backward
    }
}

impl BackwardCodes {
    fn codes(&self) -> &[Code] {
        &self.codes[..self.count]
    }
}

impl AnchoredPattern {
    /// Returns the least distance of the matches whose end is the start of the reversed text `backward`.
    #[inline]
    fn distance(&self, masks: &[u64], backward: &[Code]) -> Option<usize> {
        let EdgeGroups { after, .. } = self.groups;
        // Between a group at the end of the pattern and the end of the match there may be inserted text symbols.
        // Without such a group, insertions at the end are part of the core's distance.
        let last_gap = if after > 0 { self.k } else { 0 };
        let mut best = None;
        for gap in 0..=last_gap {
            let bound = best.map_or(self.k, |best: usize| best - 1);
            if gap > bound {
                break;
            }
            let Some(rest) = backward.get(gap..) else { break };
            if matches_group(masks, 0, rest, after) {
                let distance = self.core_distance(masks, &rest[after..], bound - gap);
                best = distance.map(|distance| gap + distance).or(best);
            }
            if best == Some(0) {
                break;
            }
        }
        best
    }

    /// Returns the least distance, at most `bound`, of the core, which is the part of the pattern between the groups,
    /// from a prefix of the reversed text `backward`. The first group must match the text after that prefix.
    #[inline]
    fn core_distance(&self, masks: &[u64], backward: &[Code], bound: usize) -> Option<usize> {
        let EdgeGroups { before, after } = self.groups;
        let length = self.length - before - after;
        let symbols = !0 >> (MAX_SYMBOLS - length);
        let (mut vertical_plus, mut vertical_minus, mut distance) = (symbols, 0u64, length);
        let mut best = None;
        let mut bound = bound;
        for covered in 0..=backward.len().min(length + bound) {
            if distance <= bound && matches_group(masks, self.length - before, &backward[covered..], before) {
                best = Some(distance);
                if distance == 0 {
                    break;
                }
                bound = distance - 1;
            }
            let Some(&code) = backward.get(covered) else { break };
            let matches = masks[usize::from(code)] >> after & symbols;
            let diagonal = (((matches & vertical_plus).wrapping_add(vertical_plus)) ^ vertical_plus) | matches;
            let plus = vertical_minus | !(diagonal | vertical_plus);
            let minus = vertical_plus & diagonal;
            let vertical = matches | vertical_minus;
            distance += (plus >> (length - 1) & 1) as usize;
            distance -= (minus >> (length - 1) & 1) as usize;
            // The match must begin with the first symbol of `backward`, so the top row rises.
            let (plus, minus) = (plus << 1 | 1, minus << 1);
            vertical_plus = minus | !(vertical | plus);
            vertical_minus = plus & vertical;
        }
        best
    }
}

/// Returns whether the reversed text `backward` begins with `length` symbols that match those of the pattern from the
/// bit `first` on.
#[inline]
fn matches_group(masks: &[u64], first: usize, backward: &[Code], length: usize) -> bool {
    let Some(codes) = backward.get(..length) else { return false };
    (first..).zip(codes).all(|(bit, &code)| masks[usize::from(code)] >> bit & 1 == 1)
}

/// Returns the offset of the residue that is `count` residues before the offset `end`; `end` if `count` is 0.
fn start_before(batch: &Batch, end: usize, count: usize) -> usize {
    let residues = batch.bytes()[..end].iter().enumerate().rev().filter(|&(_, &byte)| is_residue(byte));
    match count.checked_sub(1) {
        None => end,
        Some(before) => residues.map(|(at, _)| at).nth(before).unwrap_or(0),
    }
}

fn edge_groups(pattern: &Pattern) -> EdgeGroups {
    let length = pattern.symbols().len();
    pattern.constraints().map_or_else(EdgeGroups::default, |constraints| constraints.edge_groups(length))
}

/// Returns whether the only constraints of a pattern are exact groups at its edges, with symbols between them.
fn is_anchored(pattern: &Pattern) -> bool {
    let length = pattern.symbols().len();
    let EdgeGroups { before, after } = edge_groups(pattern);
    pattern.is_free()
        && length <= MAX_SYMBOLS
        && pattern.k() <= MAX_MATCH - MAX_SYMBOLS
        && before + after < length
        && pattern.constraints().is_some_and(|constraints| constraints.are_edge_groups(length))
}

/// Appends the masks of a pattern.
fn add_masks(masks: &mut Vec<u64>, classes: &Classes, pattern: &Pattern) {
    let first = masks.len();
    masks.resize(first + classes.count(), 0);
    for (bit, set) in pattern.symbols().iter().rev().enumerate() {
        for &code in classes.codes_in(set) {
            masks[first + usize::from(code)] |= 1 << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::engine::constraints::matrix::{Matrix, MatrixProblem};
    use crate::engine::match_window::MatchWindow;
    use crate::pattern::{Groups, PatternSource, Strand};

    fn bases(rng: &mut fastrand::Rng, length: usize) -> String {
        // Mostly two letters, so that there are many matches, of which many tie.
        (0..length).map(|_| char::from(*rng.choice(b"AAAAAAAGGGGGGGCTN").expect("a letter"))).collect()
    }

    #[test]
    fn alignments_are_those_of_the_general_matrix() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut aligned = 0;
        for case in 0..2_000 {
            let core_length = rng.usize(3..30);
            let core = bases(&mut rng, core_length);
            let edge = |rng: &mut fastrand::Rng| rng.choice(["", "<NGG>", "<GAAV>", "<A>"]).expect("a group");
            let (mut before, mut after) = (edge(&mut rng), edge(&mut rng));
            if before.is_empty() && after.is_empty() {
                (before, after) = ("", "<NRG>");
            }
            let source = PatternSource::new(format!("{before}{core}{after}"));
            let builder = PatternSet::builder(Alphabet::Dna).groups(Groups::Exact);
            let k = *rng.choice(&[1, 2, 3, 4, 9]).expect("a number");
            let set = builder.at_most(k).strands(&[Strand::Forward, Strand::Reverse]).build(&[source]).unwrap();
            let anchored = AnchoredPatterns::new(&set).expect("a pattern with groups at its edges");
            let text_length = rng.usize(1..600);
            let batch = Batch::of_record(bases(&mut rng, text_length));
            let (mut general, mut special) = (Matrix::default(), AnchoredMatrix::default());
            for (index, pattern) in set.patterns().iter().enumerate() {
                for end in 1..=text_length {
                    let Some(distance) = anchored.distance(&batch, index, end) else { continue };
                    let window = MatchWindow::before(Alphabet::Dna, &batch, pattern, end);
                    let backward = &window.symbols[..window.symbols.len().min(pattern.max_match_len())];
                    let constraints = pattern.constraints().expect("a pattern with constraints");
                    let problem = MatrixProblem::new(pattern, constraints, backward);
                    let expected = general.cigar(&problem, &|_| Some(0));
                    let found = anchored.align(&batch, (index, end), &mut special);
                    let place = (case, index, end);
                    assert_eq!(found.cigar, expected, "{place:?}");
                    assert_eq!(found.cigar.distance(), distance, "{place:?}");
                    assert_eq!((found.start, found.end), (end - expected.text_length(), end), "{place:?}");
                    aligned += 1;
                }
            }
        }
        assert!(aligned > 1_000, "only {aligned} matches");
    }
}
