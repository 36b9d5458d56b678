//! Runs of residues that begin a piece of a pattern, with at most one error, in a table of all such runs.
//!
//! A pattern is divided into p pieces. Of a match with at most k errors one piece has at most k / p of them, rounded down; so
//! with p = k + 1 pieces one has none, and with p = k / 2 + 1 one has at most one. Residues are taken in four groups, for
//! nucleotides one a base, so a run of [`LENGTH`] of them is a number of two bits a residue, and the cost of looking it up does
//! not depend on the number of patterns.

use std::ops::Range;

use crate::engine::encoder::Classes;
use crate::pattern::Pattern;

/// How many residues a run has. The table has a bit for each run: 128 KiB, which the second-level cache holds.
pub(crate) const LENGTH: usize = 10;
/// How many different runs there are.
const RUNS: usize = 1 << (2 * LENGTH);
/// A pattern with more runs is not worth a filter: their windows would cost more than its rows in slices.
const MAX_RUNS: usize = RUNS / 1024;

/// What a residue can be: a bit for each of the four groups.
type Groups = u8;
const ANY: Groups = 15;

/// The group of a residue, from the code of its class in bit planes.
fn group(plane_code: usize) -> usize {
    plane_code.wrapping_sub(1) & 3
}

/// The bits of the groups of 64 residues, from their two lowest bit planes: what [`group`] gives, for all at once.
#[inline(always)]
pub(crate) fn group_planes(low: u64, high: u64) -> (u64, u64) {
    (!low, !(low ^ high))
}

/// A piece of a pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QGramSeed {
    /// Index of the pattern in its set.
    pub(crate) pattern: usize,
    /// How many symbols of it come before the piece.
    pub(crate) before: usize,
}

/// The runs that begin the pieces of one pattern.
pub(crate) struct PatternQGrams {
    runs: Vec<(QGramSeed, Vec<u32>)>,
}

impl PatternQGrams {
    /// The fewest runs for a pattern, with pieces that have an error or none; nothing if they are too many.
    pub(crate) fn fewest(index: usize, pattern: &Pattern, classes: &Classes) -> Option<Self> {
        let groups: Vec<Groups> = pattern.symbols().iter().map(|set| groups_of(set, classes)).collect();
        let without = PatternQGrams::of_pieces(index, &groups, (pattern.k() + 1, Errors::None));
        let fewer = pattern.k() / 2 + 1;
        // A piece with an error has a run for each place where it can be, and more.
        if without.as_ref().is_some_and(|way| way.len() <= fewer * LENGTH) {
            return without;
        }
        let with = PatternQGrams::of_pieces(index, &groups, (fewer, Errors::One));
        without.into_iter().chain(with).min_by_key(PatternQGrams::len).filter(|way| way.len() <= MAX_RUNS)
    }

    /// The runs of a pattern that is divided into some pieces, each with this many errors; nothing if they are too many.
    fn of_pieces(index: usize, groups: &[Groups], (pieces, errors): (usize, Errors)) -> Option<Self> {
        let bounds = (0..pieces).map(|piece| piece * groups.len() / pieces..(piece + 1) * groups.len() / pieces);
        let runs = bounds.map(|piece| {
            let seed = QGramSeed { pattern: index, before: piece.start };
            Some((seed, runs(&groups[piece], errors)?))
        });
        Some(PatternQGrams { runs: runs.collect::<Option<Vec<_>>>()? })
    }

    fn len(&self) -> usize {
        self.runs.iter().map(|(_, runs)| runs.len()).sum()
    }

    /// How often one of the runs begins, for each residue of a random text.
    pub(crate) fn rate(&self) -> f64 {
        self.len() as f64 / RUNS as f64
    }
}

/// How many errors a piece may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errors {
    None,
    One,
}

fn groups_of(set: &crate::pattern::SymbolSet, classes: &Classes) -> Groups {
    classes.codes_in(set).iter().fold(0, |groups, &code| groups | 1 << group(classes.plane_of(code)))
}

/// All runs with which text can begin that matches a piece; nothing if they are too many.
fn runs(piece: &[Groups], errors: Errors) -> Option<Vec<u32>> {
    let mut texts = vec![piece.to_vec()];
    if errors == Errors::One {
        for at in 0..piece.len().min(LENGTH) {
            let (before, after) = piece.split_at(at);
            texts.push([before, &[ANY], &after[1..]].concat());
            texts.push([before, &after[1..]].concat());
            // What is inserted before the piece is no error of the piece.
            if at > 0 {
                texts.push([before, &[ANY], after].concat());
            }
        }
    }
    let mut runs = Vec::new();
    for text in texts {
        add_runs(&text, &mut runs)?;
        if runs.len() > MAX_RUNS {
            runs.sort_unstable();
            runs.dedup();
        }
        if runs.len() > MAX_RUNS {
            return None;
        }
    }
    runs.sort_unstable();
    runs.dedup();
    runs.shrink_to_fit();
    Some(runs)
}

/// Adds the runs with which some text begins, whatever comes behind it; nothing if they are too many.
fn add_runs(text: &[Groups], runs: &mut Vec<u32>) -> Option<()> {
    let residues = |at: usize| text.get(at).copied().unwrap_or(ANY);
    let count: usize = (0..LENGTH).map(|at| residues(at).count_ones() as usize).product();
    if count > MAX_RUNS {
        return None;
    }
    let first = runs.len();
    runs.push(0);
    for at in 0..LENGTH {
        let shorter = runs.split_off(first);
        let groups = (0..4).filter(|group| residues(at) >> group & 1 == 1);
        runs.extend(groups.flat_map(|group| shorter.iter().map(move |run| run | group << (2 * at))));
    }
    Some(())
}

/// Which pieces begin with which run.
///
/// With a thousand patterns it fits no cache. So what is found is looked up in steps, each for many places: then the
/// processor waits for many words of memory at once.
pub(crate) struct QGramIndex {
    /// A bit for each run, and how many runs of the table come before those of a word.
    blocks: Vec<(u64, u32)>,
    /// Where the anchors of each run begin, in the order of the runs.
    starts: Vec<u32>,
    /// Indices of anchors, run by run.
    of_runs: Vec<u32>,
    seeds: Vec<QGramSeed>,
}

/// A piece that may begin at a residue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Index of the residue.
    pub(crate) at: u32,
    /// Index of the piece in the table.
    seed: u32,
}

impl QGramIndex {
    /// The table of the runs of some patterns.
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a PatternQGrams>) -> Self {
        let mut seeds = Vec::new();
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (seed, runs) in patterns.flat_map(|pattern| &pattern.runs) {
            entries.extend(runs.iter().map(|&run| (run, seeds.len() as u32)));
            seeds.push(*seed);
        }
        entries.sort_unstable();
        let mut blocks = vec![(0u64, 0); RUNS / 64];
        let mut starts = Vec::new();
        let mut last = None;
        for (index, &(run, _)) in (0..).zip(&entries) {
            blocks[run as usize / 64].0 |= 1 << (run % 64);
            if last.replace(run) != Some(run) {
                starts.push(index);
            }
        }
        starts.push(entries.len() as u32);
        let mut before = 0;
        for (bits, count) in &mut blocks {
            *count = before;
            before += bits.count_ones();
        }
        QGramIndex { blocks, starts, of_runs: entries.into_iter().map(|(_, seed)| seed).collect(), seeds }
    }

    /// How many runs it has.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the run with which these residues begin, two bits each from the lowest.
    #[inline(always)]
    fn run(residues: u64) -> usize {
        residues as usize & (RUNS - 1)
    }

    /// Where runs of the table begin: a mask for each 64 residues. Two words have 64 residues.
    pub(crate) fn fill_masks(&self, residues: &[u64], masks: &mut Vec<u64>) {
        masks.clear();
        masks.reserve(residues.len() / 2);
        let blocks = &self.blocks[..RUNS / 64];
        for pair in (0..residues.len()).step_by(2) {
            let word = |at: usize| residues.get(pair + at).copied().unwrap_or(0);
            let (first, second, third) = (word(0), word(1), word(2));
            // Each has the 32 residues from the first, 17th, 33rd and 49th on.
            let quarters = [first, first >> 32 | second << 32, second, second >> 32 | third << 32];
            let mut mask = 0;
            for quarter in quarters.into_iter().rev() {
                for at in (0..16).rev() {
                    let run = QGramIndex::run(quarter >> (2 * at));
                    mask = mask << 1 | blocks[run / 64].0 >> (run % 64) & 1;
                }
            }
            masks.push(mask);
        }
    }

    /// Where in the table the pieces stand that begin with one of its runs, that of these residues.
    #[inline]
    pub(crate) fn find(&self, residues: u64) -> Range<u32> {
        let run = QGramIndex::run(residues);
        let (bits, before) = self.blocks[run / 64];
        let index = before as usize + (bits & ((1 << (run % 64)) - 1)).count_ones() as usize;
        self.starts[index]..self.starts[index + 1]
    }

    /// Adds the pieces that stand there as candidates at a residue.
    #[inline]
    pub(crate) fn add_candidates(&self, at: u32, found: Range<u32>, candidates: &mut Vec<Candidate>) {
        let seeds = &self.of_runs[found.start as usize..found.end as usize];
        candidates.extend(seeds.iter().map(|&seed| Candidate { at, seed }));
    }

    /// The piece of a candidate.
    #[inline]
    pub(crate) fn seed(&self, candidate: Candidate) -> QGramSeed {
        self.seeds[candidate.seed as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_each_kind_is_in_the_runs() {
        let piece: Vec<Groups> = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1].map(|group| 1 << group).to_vec();
        let number = |text: &str| {
            let groups = text.bytes().map(|letter| u32::from(letter - b'0'));
            groups.zip(0..LENGTH).fold(0, |run, (group, at)| run | group << (2 * at))
        };
        let found = runs(&piece, Errors::One).unwrap();
        for text in ["0123012301", "0123312301", "0230123012", "3230123012", "1230123010", "0122301230", "0123012330"] {
            assert_eq!(found.contains(&number(text)), text != "3230123012", "{text}");
        }
        assert_eq!(runs(&piece, Errors::None).unwrap(), [number("0123012301")]);
        assert_eq!(
            runs(&piece[..8], Errors::None).unwrap().len(),
            16,
            "what comes behind a short piece can be anything"
        );
    }

    #[test]
    fn groups_of_planes_are_those_of_codes() {
        for code in 0..8usize {
            let (low, high) = group_planes(code as u64 & 1, code as u64 >> 1 & 1);
            assert_eq!((low & 1 | (high & 1) << 1) as usize, group(code), "code {code}");
        }
    }
}
