//! The patterns of a set between exact groups, and the text before their hits, for the bit-parallel matrix of
//! [`anchored_matrix`](super::anchored_matrix).

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
    pub(super) fn distance(
        &self,
        batch: &Batch,
        (pattern, end): (usize, usize),
        matrix: &mut AnchoredMatrix,
    ) -> Option<usize> {
        let (pattern, masks) = self.tables(pattern);
        let backward = self.backward(batch, end, pattern.max_match_len());
        matrix.distance(&pattern.problem(masks, backward.codes()))
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
        let backward = self.backward(batch, end, pattern.max_match_len());
        let cigar = matrix.cigar(&pattern.problem(masks, backward.codes())).expect("a hit has a match");
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
        let mut text = self.backward(batch, end, pattern.max_match_len());
        // From here on, the text is in its own direction. It ends at `end`.
        text.codes[..text.count].reverse();
        matrix.fill(&pattern.problem(masks, text.codes()));
        let group = pattern.groups.after;
        let least = pattern.length.saturating_sub(pattern.k).max(group).max(1);
        (least..=text.count).filter_map(move |covered| {
            let column = text.count - covered;
            let problem = pattern.problem(masks, text.codes());
            if !problem.has_group(0, group, column..=column) {
                return None;
            }
            let cigar = matrix.cigar_from(&problem, column)?;
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
    /// Returns the largest number of symbols of a match.
    fn max_match_len(&self) -> usize {
        self.length + self.k
    }

    fn problem<'a>(&self, masks: &'a [u64], text: &'a [Code]) -> AnchoredProblem<'a> {
        let &AnchoredPattern { length, k, groups, .. } = self;
        AnchoredProblem { length, k, groups, masks, text }
    }
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

/// Returns whether the only constraints of a pattern are exact groups at its edges, one at least, with symbols between
/// them.
fn is_anchored(pattern: &Pattern) -> bool {
    let length = pattern.symbols().len();
    let EdgeGroups { before, after } = edge_groups(pattern);
    pattern.is_free()
        && length <= MAX_SYMBOLS
        && pattern.k() <= MAX_MATCH - MAX_SYMBOLS
        && (1..length).contains(&(before + after))
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
    use crate::engine::match_window::MatchWindow;
    use crate::engine::matrix::{Matrix, MatrixProblem};
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
                    let Some(distance) = anchored.distance(&batch, (index, end), &mut special) else { continue };
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
