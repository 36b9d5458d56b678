//! `word.cu` and `scan.cu`, with patterns that take from a part of a word to several bands.

use fastrand::Rng;
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;

use crate::cases::{Answers, Case};
use crate::program::{Build, is_skipped, run};
use crate::support::random::{ALPHABETS, letters, random_set, random_text};

/// Layout of a case on the device.
pub(crate) struct Geometry {
    seed: u64,
    words: usize,
    bands: usize,
    segments: usize,
    segment_symbols: usize,
    capacity: usize,
}

impl Geometry {
    fn random(rng: &mut Rng, longest_segment: usize) -> Geometry {
        Geometry {
            seed: rng.u64(..),
            words: *rng.choice(&[1, 2, 4]).unwrap(),
            bands: rng.usize(1..4),
            segments: rng.usize(1..3),
            segment_symbols: 32 * rng.usize(1..=longest_segment / 32),
            capacity: 1 << 20,
        }
    }

    fn words(&self, kernel: &str, case: &Case) -> String {
        let Geometry { seed, words, bands, segments, segment_symbols, capacity } = self;
        let (codes, patterns) = (1 << case.planes, case.set.patterns().len());
        let case = case.words();
        format!("{kernel} {seed} {words} {bands} {segments} {segment_symbols} {capacity} {codes} {patterns}\n{case}")
    }
}

/// Runs all cases with both kernels, and compares each with the reference. Returns the number of hits of one kernel.
pub(crate) fn check(build: Build, cases: &[(Case, Geometry)]) -> usize {
    let compared = ["word", "scan"].map(|kernel| check_kernel(kernel, build, cases));
    assert_eq!(compared[0], compared[1]);
    compared[0]
}

fn check_kernel(kernel: &str, build: Build, cases: &[(Case, Geometry)]) -> usize {
    let input: String = cases.iter().map(|(case, geometry)| geometry.words(kernel, case)).collect();
    let Some(output) = run(build, &input) else { return usize::MAX };
    let mut answers = Answers::new(&output);
    let mut compared = 0;
    for (index, (case, geometry)) in cases.iter().enumerate() {
        let expected = case.expected();
        let (found, hits) = answers.hits();
        assert!(
            found == expected.len() && hits == expected,
            "{build:?}, case {index}: {}",
            geometry.words(kernel, case)
        );
        compared += found;
    }
    answers.end();
    compared
}

pub(crate) fn random_cases(seed: u64, count: usize) -> Vec<(Case, Geometry)> {
    let mut rng = Rng::with_seed(seed);
    let mut cases = Vec::new();
    for index in 0..count {
        let alphabet = ALPHABETS[index % ALPHABETS.len()];
        let letters = letters(alphabet, &mut rng);
        let length = rng.usize(1..600);
        let text = random_text(&mut rng, &letters, length);
        let longest = *rng.choice(&[1, 33, 70, 300]).unwrap();
        let set = random_set(&mut rng, alphabet, &text, &letters, longest);
        cases.push((Case::new(&mut rng, set, &text), Geometry::random(&mut rng, 256)));
    }
    cases
}

/// Returns cases of patterns of several bands, in a text with exact and edited copies of them.
pub(crate) fn long_cases(seed: u64, lengths: &[usize]) -> Vec<(Case, Geometry)> {
    let mut rng = Rng::with_seed(seed);
    let mut cases = Vec::new();
    for &length in lengths {
        let pattern = random_text(&mut rng, &[b"A", b"C", b"G", b"T", b"C", b"A"], length);
        let mut damaged = pattern.clone();
        damaged.drain(length / 3..length / 3 + length / 20);
        damaged.splice(length / 2..length / 2, b"ACAC".iter().copied());
        let text = [b"GGTC", &pattern[..], b"AC", &damaged, &pattern[length / 10..]].concat();
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Percent(12));
        let set = builder.build(&[PatternSource::new(pattern), PatternSource::new("ACGGTN")]).unwrap();
        let case = Case::new(&mut rng, set.into(), &text);
        // A segment has a warm-up of the pattern's length, so short segments would multiply the work.
        let segment_symbols = 32 * rng.usize(64..=128);
        let geometry = Geometry { words: 1, segment_symbols, ..Geometry::random(&mut rng, 32) };
        cases.push((case, geometry));
    }
    cases
}

#[test]
fn words_find_what_the_reference_finds() {
    if is_skipped() {
        return;
    }
    let compared = check(Build::Plain, &random_cases(21, 80));
    assert!(compared > 5_000, "only {compared} hits were compared");
}

#[test]
fn bands_find_what_the_reference_finds() {
    if is_skipped() {
        return;
    }
    assert!(check(Build::Plain, &long_cases(22, &[1023, 1024, 1025, 2048, 2500, 4100])) > 1000);
}

#[test]
fn words_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, &random_cases(23, 12));
    check(Build::Sanitized, &long_cases(24, &[2100]));
}
