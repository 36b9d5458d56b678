//! A q-gram index: all q-grams with which a seed of a pattern can begin, exactly or with one edit.
//!
//! A pattern is divided into p seeds. In a match with at most k edits, at least one seed has at most k / p edits,
//! rounded down. So with p = k + 1 seeds, one seed is exact. With p = k / 2 + 1 seeds, one seed has at most one edit
//! (Navarro 2001, intermediate partitioning). Residues fall into four groups; for nucleotides each base is a group. So
//! a q-gram of [`LENGTH`] residues is a number with two bits per residue. A lookup costs O(1), whatever the number of
//! patterns.
//!
//! The neighbourhood of a seed within one edit follows E. Myers, "A sublinear algorithm for approximate keyword
//! searching", 1994.

use std::ops::Range;

use crate::alignment::EditModel;
use crate::engine::encoder::{Classes, Code};
use crate::pattern::{Pattern, SymbolSet};

/// The number of residues in a q-gram. The index has a bit for each q-gram, 128 KiB in all. With the counts beside the
/// bits it takes 256 KiB, which fits the L2 cache.
pub(crate) const LENGTH: usize = 10;
/// The number of distinct q-grams.
const QGRAMS: usize = 1 << (2 * LENGTH);
/// The largest number of q-grams of a pattern. With more, the candidate windows would cost more than a bit-sliced
/// search.
const MAX_QGRAMS: usize = QGRAMS / 1024;

/// A set of groups of residues: a bit for each of the four groups.
type ResidueGroups = u8;
const ANY: ResidueGroups = 15;

/// Returns the group of a residue from its code.
fn group(code: Code) -> usize {
    usize::from(code.wrapping_sub(1) & 3)
}

/// Computes [`group`] for 64 residues at once: takes the two lowest bit planes of their codes, and returns the low and
/// the high bits of their groups.
#[inline(always)]
pub(crate) fn group_planes(low: u64, high: u64) -> (u64, u64) {
    (!low, !(low ^ high))
}

/// A seed of a pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QGramSeed {
    /// Index of the pattern in its set.
    pub(crate) pattern: usize,
    /// The number of symbols of the pattern before the seed.
    pub(crate) before: usize,
}

/// The q-grams that begin the seeds of one pattern.
pub(crate) struct PatternQGrams {
    qgrams: Vec<(QGramSeed, Vec<u32>)>,
}

impl PatternQGrams {
    /// Chooses between exact seeds and seeds with one edit, whichever has fewer q-grams. Returns `None` if both have
    /// too many.
    pub(crate) fn fewest(index: usize, pattern: &Pattern, classes: &Classes) -> Option<Self> {
        let groups: Vec<ResidueGroups> = pattern.symbols().iter().map(|set| groups_of(set, classes)).collect();
        let without = PatternQGrams::of_seeds(index, &groups, pattern.k() + 1, SeedEdits::None);
        let fewer = pattern.k() / 2 + 1;
        // A seed with one edit has at least one q-gram for each position of the edit.
        if without.as_ref().is_some_and(|choice| choice.len() <= fewer * LENGTH) {
            return without;
        }
        let with = PatternQGrams::of_seeds(index, &groups, fewer, SeedEdits::One(pattern.edit_model()));
        without.into_iter().chain(with).min_by_key(PatternQGrams::len).filter(|choice| choice.len() <= MAX_QGRAMS)
    }

    /// Divides a pattern into `count` seeds and collects their q-grams. Returns `None` if a seed has too many q-grams.
    /// `groups` has the groups allowed at each symbol of the pattern.
    fn of_seeds(index: usize, groups: &[ResidueGroups], count: usize, edits: SeedEdits) -> Option<Self> {
        let bounds = (0..count).map(|nth| nth * groups.len() / count..(nth + 1) * groups.len() / count);
        let qgrams = bounds.map(|range| {
            let seed = QGramSeed { pattern: index, before: range.start };
            Some((seed, qgrams(&groups[range], edits)?))
        });
        Some(PatternQGrams { qgrams: qgrams.collect::<Option<Vec<_>>>()? })
    }

    fn len(&self) -> usize {
        self.qgrams.iter().map(|(_, qgrams)| qgrams.len()).sum()
    }

    /// Returns the expected frequency of the q-grams in random text, per residue.
    pub(crate) fn rate(&self) -> f64 {
        self.len() as f64 / QGRAMS as f64
    }
}

/// The edits allowed in a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SeedEdits {
    None,
    /// One of the edits that the model counts.
    One(EditModel),
}

fn groups_of(set: &SymbolSet, classes: &Classes) -> ResidueGroups {
    classes.codes_in(set).iter().fold(0, |groups, &code| groups | 1 << group(code))
}

/// Returns all q-grams with which a match of `seed` can begin; `None` if there are too many.
fn qgrams(seed: &[ResidueGroups], edits: SeedEdits) -> Option<Vec<u32>> {
    let mut texts = vec![seed.to_vec()];
    if let SeedEdits::One(model) = edits {
        for at in 0..seed.len().min(LENGTH) {
            let (before, after) = seed.split_at(at);
            if model == EditModel::Levenshtein {
                texts.push([before, &[ANY], &after[1..]].concat());
            }
            texts.push([before, &after[1..]].concat());
            // An insertion before the seed is no edit of the seed.
            if at > 0 {
                texts.push([before, &[ANY], after].concat());
            }
        }
    }
    let mut qgrams = Vec::new();
    for text in texts {
        add_qgrams(&text, &mut qgrams)?;
        if qgrams.len() > MAX_QGRAMS {
            qgrams.sort_unstable();
            qgrams.dedup();
        }
        if qgrams.len() > MAX_QGRAMS {
            return None;
        }
    }
    qgrams.sort_unstable();
    qgrams.dedup();
    qgrams.shrink_to_fit();
    Some(qgrams)
}

/// Appends all q-grams with which a text can begin if its first residues are in `text`, whatever follows them. Returns
/// `None` if there are too many.
fn add_qgrams(text: &[ResidueGroups], qgrams: &mut Vec<u32>) -> Option<()> {
    let residues = |at: usize| text.get(at).copied().unwrap_or(ANY);
    let count: usize = (0..LENGTH).map(|at| residues(at).count_ones() as usize).product();
    if count > MAX_QGRAMS {
        return None;
    }
    let first = qgrams.len();
    qgrams.push(0);
    for at in 0..LENGTH {
        let shorter = qgrams.split_off(first);
        let groups = (0..4).filter(|group| residues(at) >> group & 1 == 1);
        qgrams.extend(groups.flat_map(|group| shorter.iter().map(move |qgram| qgram | group << (2 * at))));
    }
    Some(())
}

/// A map from each q-gram to the seeds that begin with it.
///
/// With a thousand patterns the index exceeds every cache. Lookups therefore run in stages, each for many residues, so
/// that many memory accesses are in flight at once.
pub(crate) struct QGramIndex {
    /// For each 64 successive q-grams, a word with a bit for each q-gram in the index, and the number of bits set in
    /// all words before.
    blocks: Vec<(u64, u32)>,
    /// For each q-gram in the index, ascending, the position of its first entry in `seed_indices`. The last element is
    /// the number of entries.
    starts: Vec<u32>,
    /// The entries: indices in `seeds`, one q-gram after the other.
    seed_indices: Vec<u32>,
    seeds: Vec<QGramSeed>,
}

/// A seed that may begin at a residue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Index of the residue.
    pub(crate) at: u32,
    /// Index of the seed in [`QGramIndex::seeds`].
    seed: u32,
}

impl QGramIndex {
    /// Builds the index of the q-grams of `patterns`.
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a PatternQGrams>) -> Self {
        let mut seeds = Vec::new();
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (seed, qgrams) in patterns.flat_map(|pattern| &pattern.qgrams) {
            entries.extend(qgrams.iter().map(|&qgram| (qgram, seeds.len() as u32)));
            seeds.push(*seed);
        }
        entries.sort_unstable();
        let mut blocks = vec![(0u64, 0); QGRAMS / 64];
        let mut starts = Vec::new();
        let mut last = None;
        for (index, &(qgram, _)) in (0..).zip(&entries) {
            blocks[qgram as usize / 64].0 |= 1 << (qgram % 64);
            if last.replace(qgram) != Some(qgram) {
                starts.push(index);
            }
        }
        starts.push(entries.len() as u32);
        let mut before = 0;
        for (bits, count) in &mut blocks {
            *count = before;
            before += bits.count_ones();
        }
        QGramIndex { blocks, starts, seed_indices: entries.into_iter().map(|(_, seed)| seed).collect(), seeds }
    }

    /// Returns the number of distinct q-grams in the index.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the q-gram with which `residues` begins, as a number. A residue takes two bits, and the first residue
    /// the lowest two.
    #[inline(always)]
    fn qgram(residues: u64) -> usize {
        residues as usize & (QGRAMS - 1)
    }

    /// Computes a mask for each 64 residues, which take two words of `residues`. A mask has a bit for each residue:
    /// whether a q-gram of the index begins there.
    pub(crate) fn fill_masks(&self, residues: &[u64], masks: &mut Vec<u64>) {
        masks.clear();
        masks.reserve(residues.len() / 2);
        let blocks = &self.blocks[..QGRAMS / 64];
        for pair in (0..residues.len()).step_by(2) {
            let word = |at: usize| residues.get(pair + at).copied().unwrap_or(0);
            let (first, second, third) = (word(0), word(1), word(2));
            // The quarters hold 32 residues each, from the residues 0, 16, 32 and 48 on.
            let quarters = [first, first >> 32 | second << 32, second, second >> 32 | third << 32];
            let mut mask = 0;
            for quarter in quarters.into_iter().rev() {
                for at in (0..16).rev() {
                    let qgram = QGramIndex::qgram(quarter >> (2 * at));
                    mask = mask << 1 | blocks[qgram / 64].0 >> (qgram % 64) & 1;
                }
            }
            masks.push(mask);
        }
    }

    /// Returns the range of the entries of the q-gram with which `residues` begins. The q-gram must be in the index.
    #[inline]
    pub(crate) fn find(&self, residues: u64) -> Range<u32> {
        let qgram = QGramIndex::qgram(residues);
        let (bits, before) = self.blocks[qgram / 64];
        let index = before as usize + (bits & ((1 << (qgram % 64)) - 1)).count_ones() as usize;
        self.starts[index]..self.starts[index + 1]
    }

    /// Appends the seeds of the entries `found` as candidates at the residue with the index `at`.
    #[inline]
    pub(crate) fn add_candidates(&self, at: u32, found: Range<u32>, candidates: &mut Vec<Candidate>) {
        let seeds = &self.seed_indices[found.start as usize..found.end as usize];
        candidates.extend(seeds.iter().map(|&seed| Candidate { at, seed }));
    }

    /// Returns the seed of a candidate.
    #[inline]
    pub(crate) fn seed(&self, candidate: Candidate) -> QGramSeed {
        self.seeds[candidate.seed as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_of_each_kind_is_in_the_qgrams() {
        let seed: Vec<ResidueGroups> = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1].map(|group| 1 << group).to_vec();
        let number = |text: &str| {
            let groups = text.bytes().map(|letter| u32::from(letter - b'0'));
            groups.zip(0..LENGTH).fold(0, |qgram, (group, at)| qgram | group << (2 * at))
        };
        let found = qgrams(&seed, SeedEdits::One(EditModel::Levenshtein)).unwrap();
        let indels = qgrams(&seed, SeedEdits::One(EditModel::Indel)).unwrap();
        for text in ["0123012301", "0123312301", "0230123012", "3230123012", "1230123010", "0122301230", "0123012330"] {
            assert_eq!(found.contains(&number(text)), text != "3230123012", "{text}");
            let has_two_edits = ["0123312301", "3230123012"].contains(&text);
            assert_eq!(indels.contains(&number(text)), !has_two_edits, "{text} without substitutions");
        }
        assert_eq!(qgrams(&seed, SeedEdits::None).unwrap(), [number("0123012301")]);
        assert_eq!(
            qgrams(&seed[..8], SeedEdits::None).unwrap().len(),
            16,
            "what comes behind a short seed can be anything"
        );
    }

    #[test]
    fn groups_of_planes_are_those_of_codes() {
        for code in 0..8usize {
            let (low, high) = group_planes(code as u64 & 1, code as u64 >> 1 & 1);
            assert_eq!((low & 1 | (high & 1) << 1) as usize, group(code as Code), "code {code}");
        }
    }
}
