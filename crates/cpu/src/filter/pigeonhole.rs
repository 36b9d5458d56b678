//! Pigeonhole seeds: a match with at most k edits leaves at least one of any k + 1 disjoint parts of its pattern
//! unchanged.
//!
//! Text without any of the k + 1 seeds contains no match, and around a seed a window of m + 2k symbols suffices. If a
//! transposition of two neighbours is one edit, a symbol between any two seeds belongs to neither, so that it changes
//! at most one of them.
//!
//! Dynamic programming over the pattern chooses the seeds that are rarest in a sample of the text, in O(km) steps.
//!
//! - R. Baeza-Yates and C. Perleberg, "Fast and practical approximate string matching", 1992.
//! - G. Navarro, "A guided tour to approximate string matching", 2001, section 8.

use nigh_pattern::{Pattern, SymbolSet};
use nigh_text::alphabet::{Alphabet, INVALID_BYTE};

/// The largest number of bytes in a q-gram. A q-gram is the start of a seed, which the search looks up; the rest of the
/// seed is compared at each occurrence of the q-gram.
pub const GRAM: usize = 4;
/// The smallest number of bytes in a q-gram. Shorter q-grams occur everywhere.
pub const MIN_GRAM: usize = 2;
/// The largest number of distinct byte strings that one q-gram may match.
const MAX_VARIANTS: usize = 64;

/// The largest number of cells in the matrix of choices, which then takes about ten megabytes. Patterns with more
/// symbols and edits are not filtered.
const MAX_CHOICES: usize = 1 << 18;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut set = [0; 4];
        for byte in bytes {
            set[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        ByteSet(set)
    }

    /// Returns whether the byte is in the set.
    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Returns the bytes, ascending.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.0.into_iter().zip([0, 64, 128, 192]).flat_map(|(mut word, first)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < u64::BITS).then(|| first + bit as u8)
            })
        })
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Consecutive symbols of a pattern, as the bytes that match them in the text.
#[derive(Debug, Clone)]
pub struct Seed {
    /// Index of the pattern in its set.
    pub pattern: usize,
    /// The number of symbols of the pattern before the seed.
    pub(crate) before: usize,
    /// The set of bytes allowed at each position.
    pub(crate) bytes: Vec<ByteSet>,
}

impl Seed {
    /// Returns the first [`GRAM`] byte sets. The seed must have been chosen with at least that many.
    pub(crate) fn gram(&self) -> &[ByteSet] {
        &self.bytes[..GRAM]
    }

    /// Returns whether the seed occurs at the offset `at` of `text`.
    #[inline]
    pub(crate) fn is_at(&self, text: &[u8], at: usize) -> bool {
        let Some(text) = text.get(at..at + self.bytes.len()) else { return false };
        self.bytes.iter().zip(text).all(|(set, &byte)| set.contains(byte))
    }
}

/// The seeds of one pattern: k + 1 of them.
#[derive(Debug, Clone)]
pub struct SeedSet {
    pub seeds: Vec<Seed>,
    /// Occurrences of the seeds' q-grams per byte of the sample, summed over the seeds.
    pub rate: f64,
}

/// Chooses k + 1 disjoint seeds of the pattern with the index `index`, which may be a regular expression: the seeds
/// whose q-grams are rarest in `sample`. The q-grams have at least `min_gram` bytes. Returns `None` if the pattern is
/// too short, much too long, or its symbol sets are too large.
///
/// If transpositions are edits, a symbol of the pattern lies between any two seeds.
///
/// The choice is a dynamic program: it computes the best `n` q-grams within the first `i` symbols of the pattern.
pub fn rarest_seeds(
    index: usize,
    pattern: &Pattern,
    alphabet: Alphabet,
    min_gram: usize,
    sample: &Sample,
) -> Option<SeedSet> {
    let form_of = |set: &SymbolSet| form(set, alphabet);
    // All strings that an expression matches contain the symbols of a seed, next to each other.
    let forms: Vec<Option<Vec<ByteSet>>> = match pattern.expression() {
        Some(expression) => {
            let runs: Vec<Vec<_>> = expression.required().map(|run| run.iter().map(form_of).collect()).collect();
            runs.join(&None)
        }
        None => pattern.symbols().iter().map(form_of).collect(),
    };
    let wanted = pattern.k() + 1;
    let is_long_enough = wanted * min_gram <= forms.iter().flatten().map(Vec::len).sum();
    if !is_long_enough || wanted * forms.len() > MAX_CHOICES {
        return None;
    }
    let grams = (0..forms.len()).flat_map(|start| grams_from(&forms[start..], start, min_gram, sample));
    let gap = usize::from(pattern.edit_model().has_transpositions());
    let chosen = BestGrams::new(grams, forms.len(), SeedLimits { wanted, gap }).best()?;
    let rate = chosen.iter().map(|gram| gram.rate).sum();
    let ends = chosen.iter().skip(1).map(|gram| gram.symbols.start - gap).chain([forms.len()]);
    let seeds = chosen.iter().zip(ends).map(|(gram, end)| {
        let whole = forms[gram.symbols.start..end].iter().map_while(Option::as_ref).flatten();
        Seed { pattern: index, before: gram.symbols.start, bytes: whole.copied().collect() }
    });
    Some(SeedSet { seeds: seeds.collect(), rate })
}

/// Returns the bytes that match a symbol of `set`, as a set of bytes for each position. Returns `None` if the set has
/// several symbols and one of them may take more than one byte.
fn form(set: &SymbolSet, alphabet: Alphabet) -> Option<Vec<ByteSet>> {
    let [(first, _), ..] = *set.ranges() else { return None };
    let &(_, last) = set.ranges().last()?;
    let plain = if alphabet == Alphabet::Text { 0x7f } else { 0xff };
    if last <= plain {
        let bytes = set.ranges().iter().flat_map(|&(first, last)| first as u8..=last as u8);
        return Some(vec![ByteSet::of(bytes)]);
    }
    if first != last {
        return None;
    }
    match first.checked_sub(INVALID_BYTE) {
        Some(byte) => Some(vec![ByteSet::of([byte as u8])]),
        None => {
            let mut buffer = [0; 4];
            let bytes = char::from_u32(first)?.encode_utf8(&mut buffer).as_bytes();
            Some(bytes.iter().map(|&byte| ByteSet::of([byte])).collect())
        }
    }
}

/// Consecutive symbols of a pattern that could be the q-gram of a seed.
#[derive(Debug, Clone)]
struct Gram {
    /// Indices of the symbols in the pattern.
    symbols: std::ops::Range<usize>,
    /// Occurrences in the sample per byte.
    rate: f64,
}

/// The number of seeds, and the number of symbols between two of them.
#[derive(Clone, Copy)]
struct SeedLimits {
    wanted: usize,
    /// Number of symbols between two successive seeds, which belong to neither seed.
    gap: usize,
}

/// The dynamic program: `best[n][i]` is the least sum of the rates of `n` disjoint q-grams within the first `i` symbols
/// of a pattern, and the last of these `n` q-grams.
struct BestGrams {
    best: Vec<Vec<Option<(f64, Gram)>>>,
    gap: usize,
}

impl BestGrams {
    fn new(grams: impl Iterator<Item = Gram>, symbols: usize, SeedLimits { wanted, gap }: SeedLimits) -> Self {
        let mut ending: Vec<Vec<Gram>> = vec![Vec::new(); symbols + 1];
        for gram in grams {
            ending[gram.symbols.end].push(gram);
        }
        let none = Gram { symbols: 0..0, rate: 0.0 };
        let mut best = vec![vec![Some((0.0, none)); symbols + 1]];
        for count in 1..=wanted {
            let fewer = &best[count - 1];
            let mut row: Vec<Option<(f64, Gram)>> = vec![None];
            for (end, grams) in ending.iter().enumerate().skip(1) {
                let with = grams.iter().filter_map(|gram| {
                    let (before, _) = fewer[gram.symbols.start.saturating_sub(gap)].as_ref()?;
                    Some((before + gram.rate, gram.clone()))
                });
                let all = row[end - 1].clone().into_iter().chain(with);
                row.push(all.min_by(|a, b| a.0.total_cmp(&b.0)));
            }
            best.push(row);
        }
        BestGrams { best, gap }
    }

    /// Returns the best q-grams, in the order of the pattern; `None` if the pattern has no room for them.
    fn best(&self) -> Option<Vec<Gram>> {
        let mut end = self.best[0].len() - 1;
        let mut chosen = Vec::with_capacity(self.best.len() - 1);
        for row in self.best[1..].iter().rev() {
            let (_, gram) = row[end].as_ref()?;
            end = gram.symbols.start.saturating_sub(self.gap);
            chosen.push(gram.clone());
        }
        chosen.reverse();
        Some(chosen)
    }
}

/// Returns the q-grams that start with the first of `forms`, the symbol with the index `start`. They have `min_gram` to
/// [`GRAM`] bytes: the pattern may have no room for longer ones.
fn grams_from(forms: &[Option<Vec<ByteSet>>], start: usize, min_gram: usize, sample: &Sample) -> Vec<Gram> {
    let mut strings = ByteStrings::empty();
    let mut grams = Vec::new();
    for (end, form) in (start + 1..).zip(forms) {
        let Some(form) = form else { break };
        let count = strings.numbers.len() * form.iter().map(ByteSet::len).product::<usize>();
        if strings.length + form.len() > GRAM || count > MAX_VARIANTS {
            break;
        }
        strings = form.iter().fold(strings, ByteStrings::followed_by);
        if strings.length >= min_gram {
            grams.push(Gram { symbols: start..end, rate: sample.rate(&strings) });
        }
    }
    grams
}

/// Byte strings of the same length, at most [`GRAM`].
struct ByteStrings {
    length: usize,
    /// The strings as integers, the first byte lowest.
    numbers: Vec<u32>,
}

impl ByteStrings {
    /// Returns the empty string.
    fn empty() -> Self {
        ByteStrings { length: 0, numbers: vec![0] }
    }

    /// Returns all strings of one of these and a byte of the set.
    fn followed_by(self, set: &ByteSet) -> Self {
        let shift = u8::BITS as usize * self.length;
        let longer = set.bytes().flat_map(|byte| {
            let last = u32::from(byte) << shift;
            self.numbers.iter().map(move |number| number | last)
        });
        ByteStrings { length: self.length + 1, numbers: longer.collect() }
    }
}

/// Returns all strings of one byte from each of the first [`GRAM`] sets, as integers, the first byte lowest.
pub(crate) fn numbers_of(gram: &[ByteSet]) -> Vec<u32> {
    gram.iter().fold(ByteStrings::empty(), ByteStrings::followed_by).numbers
}

/// The frequencies of strings of 2, 3 and 4 bytes in a sample of the text.
pub struct Sample {
    /// For each length, the number of occurrences of strings in each hash slot.
    counts: [Vec<u32>; GRAM - MIN_GRAM + 1],
    /// The number of bytes in the sample.
    length: usize,
}

impl Sample {
    /// The largest number of bytes in a sample.
    const MAX_BYTES: usize = 128 << 10;
    const SLOTS: usize = 1 << 16;

    pub fn new(text: &[u8]) -> Self {
        let text = &text[..text.len().min(Sample::MAX_BYTES)];
        let mut counts = std::array::from_fn(|_| vec![0; Sample::SLOTS]);
        for run in text.windows(GRAM) {
            let number = run.iter().rev().fold(0u32, |number, &byte| number << 8 | u32::from(byte));
            for (length, counts) in (MIN_GRAM..).zip(&mut counts) {
                counts[Sample::slot(number & u32::MAX >> (8 * (GRAM - length)))] += 1;
            }
        }
        Sample { counts, length: text.len() }
    }

    /// Returns the slot of a string, given as an integer.
    fn slot(number: u32) -> usize {
        (number.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// Returns the frequency of the strings: occurrences per byte of the sample. Never 0, because the text after the
    /// sample may hold strings that the sample does not.
    fn rate(&self, strings: &ByteStrings) -> f64 {
        let counts = &self.counts[strings.length - MIN_GRAM];
        let seen: u64 = strings.numbers.iter().map(|&number| u64::from(counts[Sample::slot(number)])).sum();
        (seen as f64 + 0.5) / (self.length as f64 + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{Case, MaxEdits, Notation, PatternSet, PatternSource};

    fn set(pattern: &str, k: usize, case: Case) -> PatternSet {
        let builder = PatternSet::builder(Alphabet::Text).notation(Notation::Regex).case(case);
        builder.max_edits(MaxEdits::Count(k)).build(&[PatternSource::new(pattern)]).unwrap()
    }

    fn seeds(pattern: &str, k: usize, case: Case, text: &str) -> Option<Vec<(usize, String)>> {
        let set = set(pattern, k, case);
        let found = rarest_seeds(0, &set.patterns()[0], Alphabet::Text, MIN_GRAM, &Sample::new(text.as_bytes()))?;
        let first = |seed: &Seed| seed.bytes.iter().map(|set| char::from(set.bytes().next().unwrap())).collect();
        Some(found.seeds.iter().map(|seed| (seed.before, first(seed))).collect())
    }

    #[test]
    fn seeds_are_disjoint_and_one_more_than_k() {
        let text = "connection refused by peer, connection timed out";
        let found = seeds("connection timed out", 2, Case::Sensitive, text).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.windows(2).all(|pair| pair[0].0 + pair[0].1.len() <= pair[1].0));
        assert!(seeds("abcde", 2, Case::Sensitive, "").is_none(), "three seeds need six symbols");
        assert!(seeds(&"abcd".repeat(1000), 100, Case::Sensitive, "").is_none(), "there would be too many choices");
    }

    #[test]
    fn rare_grams_are_chosen() {
        let text = "the user the user the user the user zq".repeat(10);
        let found = seeds("the zq user", 0, Case::Sensitive, &text).unwrap();
        assert!(found[0].1[..GRAM].contains('z'), "runs like 'e zq' were never seen, those of '{}' were", found[0].1);
    }

    #[test]
    fn sets_of_symbols_of_different_lengths_are_in_no_seed() {
        // K has a third form, the Kelvin sign, of three bytes.
        let found = seeds("abkcd", 1, Case::Insensitive, "").unwrap();
        assert_eq!(found, [(0, "AB".to_owned()), (3, "CD".to_owned())]);
        assert!(seeds("abk", 1, Case::Insensitive, "").is_none());
    }
}
