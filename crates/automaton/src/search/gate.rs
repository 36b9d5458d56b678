//! Finds the lines that an expression may match, by the symbols that all strings of the expression have.
//!
//! This is the pigeonhole filter for strings: k edits leave at least one of k + 1 disjoint seeds unchanged. The seeds
//! of an expression lie within its required symbols. A line without a seed has no match, so only the lines with a seed
//! are simulated. A match may have any length.

use crate::line::ItemRange;
use nigh_cpu::filter::pigeonhole::{GRAM, MIN_GRAM, Sample, Seed, rarest_seeds};
use nigh_cpu::filter::text_seeds::{Lookup, SeedFinder};
use nigh_pattern::{PatternSet, SymbolSet};
use nigh_simd::isa::Isa;
use nigh_text::batch::Batch;

/// Maximum rate of seeds at which a search for the seeds of an expression pays: their occurrences per byte of text. A
/// line of a log has about 100 bytes.
const MAX_RATE: f64 = 0.01;
/// Maximum share of the text in lines with a seed at which these lines are searched alone.
const MAX_SHARE: f64 = 0.5;

/// Finds the lines with a seed of an expression.
pub(crate) struct LineGate {
    isa: Isa,
    finder: SeedFinder,
    /// For each pattern, whether it has seeds.
    has_seeds: Vec<bool>,
}

/// A line that one pattern may match.
pub(crate) struct GatedLine {
    pub(crate) line: ItemRange,
    pub(crate) pattern: usize,
}

impl LineGate {
    /// Returns whether every expression of a set has enough seeds without classes of symbols. Such seeds are rare in
    /// most texts.
    pub(crate) fn is_likely(patterns: &PatternSet) -> bool {
        let mut all = patterns.patterns().iter().filter_map(|one| Some((one.k(), one.expression()?)));
        !patterns.alphabet().is_sequence() && all.all(|(k, expression)| literal_seeds(expression.required()) > k)
    }

    /// Chooses the seeds of the expressions of a set for text like `text`; `None` if no expression has rare seeds.
    pub(crate) fn new(patterns: &PatternSet, isa: Isa, text: &[u8]) -> Option<Self> {
        if patterns.alphabet().is_sequence() {
            return None;
        }
        let sample = Sample::new(text);
        let choose = |min_gram: usize| -> Vec<Seed> {
            let all = patterns.patterns().iter().enumerate().filter(|(_, pattern)| pattern.expression().is_some());
            let sets = all.filter_map(|(index, pattern)| {
                let seeds = rarest_seeds(index, pattern, patterns.alphabet(), min_gram, &sample)?;
                (seeds.rate <= MAX_RATE).then_some(seeds.seeds)
            });
            sets.flatten().collect()
        };
        let count = patterns.patterns().iter().filter(|one| one.expression().is_some()).map(|one| one.k() + 1).sum();
        let lookup = Lookup::of(count, isa);
        let seeds = choose(if lookup == Lookup::Teddy { MIN_GRAM } else { GRAM });
        if seeds.is_empty() {
            return None;
        }
        let mut has_seeds = vec![false; patterns.patterns().len()];
        seeds.iter().for_each(|seed| has_seeds[seed.pattern] = true);
        Some(LineGate { isa, finder: SeedFinder::new(seeds, lookup), has_seeds })
    }

    /// Describes the seeds for display.
    pub(crate) fn description(&self) -> String {
        let count = self.has_seeds.iter().filter(|&&has_seeds| has_seeds).count();
        format!("{count} regular expressions are simulated only in lines with a seed: {}", self.finder.description())
    }

    /// Returns the lines of a batch of text that have a seed, in order. Also returns for each pattern whether few lines
    /// have its seeds. If many do, some of the pattern's lines may be missing.
    pub(crate) fn candidates(&self, batch: &Batch, masks: &mut Vec<u64>) -> (Vec<GatedLine>, Vec<bool>) {
        let bytes = batch.bytes();
        self.finder.fill_masks(self.isa, bytes, masks);
        let mut candidates = Vec::new();
        let mut are_few = self.has_seeds.clone();
        let affordable = (bytes.len() as f64 * MAX_SHARE) as usize;
        let mut left = vec![affordable; are_few.len()];
        // For each pattern, the offset before which its lines with a seed are collected.
        let mut known = vec![0; are_few.len()];
        for (block, &mask) in (0..).step_by(64).zip(&*masks) {
            let mut rest = mask;
            while rest != 0 {
                let at = block + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.finder.seeds_at(bytes, at, |seed| {
                    let pattern = seed.pattern;
                    if !are_few[pattern] || at < known[pattern] {
                        return;
                    }
                    let line = ItemRange::around(batch, at + 1);
                    known[pattern] = line.bytes.end;
                    match left[pattern].checked_sub(line.bytes.len()) {
                        Some(rest) => {
                            left[pattern] = rest;
                            candidates.push(GatedLine { line, pattern });
                        }
                        None => are_few[pattern] = false,
                    }
                });
            }
        }
        (candidates, are_few)
    }
}

/// Returns the number of disjoint seeds that consist of required symbols whose sets have at most two members, such as
/// the two cases of a letter.
fn literal_seeds<'a>(required: impl Iterator<Item = &'a [SymbolSet]>) -> usize {
    let symbols =
        |set: &SymbolSet| set.ranges().iter().map(|&(first, last)| (last - first) as usize + 1).sum::<usize>();
    let literals = required.flat_map(|run| run.split(|set| symbols(set) > 2));
    literals.map(|literals| literals.len() / MIN_GRAM).sum()
}
