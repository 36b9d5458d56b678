//! `sliced.cu` and `bands.cu`, with the planes that `planes.cu` computes.

use fastrand::Rng;
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;

use crate::cases::{Answers, Case, short_set};
use crate::program::{Build, is_skipped, run};
use crate::support::random::{ALPHABETS, letters, random_text};

/// Capacity of the hit buffer, which is large enough for every case.
const ENOUGH: usize = 1 << 20;

/// Layout of a case on the device.
pub(crate) struct Geometry {
    kernel: &'static str,
    seed: u64,
    threads: usize,
    steps: usize,
    capacity: usize,
    group: usize,
}

impl Geometry {
    /// Returns a random layout. The symbols before a stream are enough for a match of the longest pattern, or somewhat
    /// more.
    fn random(rng: &mut Rng, case: &Case) -> Geometry {
        let least = case.set.max_match_len().next_multiple_of(8).next_multiple_of(32);
        let (threads, group) = *rng.choice(&[(32, 1), (64, 1), (64, 2), (128, 1), (128, 2), (128, 4)]).unwrap();
        Geometry {
            kernel: "sliced",
            seed: rng.u64(..),
            threads,
            steps: least + 32 * rng.usize(0..4),
            capacity: ENOUGH,
            group,
        }
    }

    fn words(&self, case: &Case) -> String {
        let Geometry { kernel, seed, threads, steps, capacity, group } = self;
        let (planes, patterns) = (case.planes, case.set.patterns().len());
        format!("{kernel} {seed} {threads} {steps} {planes} {capacity} {group} {patterns}\n{}", case.words())
    }
}

/// Runs all cases and compares each with the reference. Returns the number of hits.
pub(crate) fn check(build: Build, cases: &[(Case, Geometry)]) -> usize {
    let input: String = cases.iter().map(|(case, geometry)| geometry.words(case)).collect();
    let Some(output) = run(build, &input) else { return usize::MAX };
    let mut answers = Answers::new(&output);
    let mut compared = 0;
    for (index, (case, geometry)) in cases.iter().enumerate() {
        let expected = case.expected();
        let (found, hits) = answers.hits();
        assert_eq!(found, expected.len(), "{build:?}, case {index}: {}", geometry.words(case));
        if found <= geometry.capacity {
            assert!(hits == expected, "{build:?}, case {index}: {}", geometry.words(case));
        } else {
            let known = hits.iter().all(|hit| expected.binary_search(hit).is_ok());
            let differ = hits.windows(2).all(|two| two[0] < two[1]);
            assert!(known && differ && hits.len() == geometry.capacity, "{build:?}, case {index}, a full buffer");
        }
        compared += hits.len();
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
        let length = rng.usize(1..2500);
        let text = random_text(&mut rng, &letters, length);
        let longest = *rng.choice(&[4, 12, 24, 40, 64]).unwrap();
        let set = short_set(&mut rng, alphabet, &text, &letters, longest);
        let case = Case::new(&mut rng, set, &text);
        // Each case runs with several seeds, which change the order of the lanes.
        let geometry = Geometry::random(&mut rng, &case);
        cases.push((case, geometry));
    }
    cases
}

#[test]
fn slices_find_what_the_reference_finds() {
    if is_skipped() {
        return;
    }
    let compared = check(Build::Plain, &random_cases(1, 160));
    assert!(compared > 20_000, "only {compared} hits were compared");
}

#[test]
fn slices_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, &random_cases(2, 40));
}

fn dna(patterns: &[&[u8]], k: usize) -> PatternSet {
    let sources: Vec<PatternSource> = patterns.iter().map(|&pattern| PatternSource::new(pattern)).collect();
    PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k)).build(&sources).unwrap()
}

#[test]
fn every_number_of_rows_and_errors_finds_its_own() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(3);
    let mut cases = Vec::new();
    for length in 1..=64 {
        let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T", b"N"];
        let pattern: Vec<u8> = (0..length).map(|_| rng.choice(&letters[..4]).unwrap()[0]).collect();
        // The text has a part of the pattern at its start and at its end, the whole pattern, and unrelated symbols.
        let mut text = pattern[length / 3..].to_vec();
        text.extend_from_slice(&random_text(&mut rng, letters, 200));
        text.extend_from_slice(&pattern);
        text.extend_from_slice(&b"N".repeat(150));
        text.extend_from_slice(&pattern[..length - length / 4]);
        for k in [0, length / 4, length - 1] {
            let case = Case::new(&mut rng, dna(&[&pattern], k).into(), &text);
            let geometry = Geometry { threads: 32, group: 1, ..Geometry::random(&mut rng, &case) };
            cases.push((case, geometry));
        }
    }
    check(Build::Plain, &cases);
}

/// Returns cases of patterns of several bands, in a text with exact and edited copies of them.
pub(crate) fn banded_cases(seed: u64, lengths: &[usize]) -> Vec<(Case, Geometry)> {
    let mut rng = Rng::with_seed(seed);
    let mut cases = Vec::new();
    for &length in lengths {
        let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T", b"C", b"A"];
        let mut pattern = random_text(&mut rng, letters, length);
        pattern.truncate(length);
        let mut damaged = pattern.clone();
        damaged.drain(length / 3..length / 3 + length / 20);
        damaged.splice(length / 2..length / 2, b"ACAC".iter().copied());
        let text =
            [b"GGTC", &pattern[..], b"AC", &damaged, &pattern[length / 10..], &b"N".repeat(40), &damaged].concat();
        // Patterns of equal length that share its slots, and one with a launch of its own.
        let mut other = random_text(&mut rng, letters, length);
        // Some rows match several codes.
        other.iter_mut().step_by(7).for_each(|letter| *letter = b'R');
        let patterns = [&pattern[..], &other[..length.min(other.len())], &pattern[pattern.len() - 65..]];
        let k = *rng.choice(&[0, length / 9, length / 2]).unwrap();
        let case = Case::new(&mut rng, dna(&patterns, k.min(64)).into(), &text);
        let geometry = Geometry { kernel: "bands", ..Geometry::random(&mut rng, &case) };
        cases.push((case, geometry));
    }
    cases
}

#[test]
fn bands_find_what_the_reference_finds() {
    if is_skipped() {
        return;
    }
    let lengths = [65, 66, 79, 80, 81, 96, 97, 127, 128, 129, 143, 192, 193, 200, 257, 448, 449, 700, 1023, 1024];
    let edges = [65, 128, 129, 200];
    let cases = [(11, &lengths[..]), (12, &edges), (13, &edges)].map(|(seed, lengths)| banded_cases(seed, lengths));
    let compared: usize = cases.iter().map(|cases| check(Build::Plain, cases)).sum();
    assert!(compared > 5_000, "only {compared} hits were compared");
}

#[test]
fn bands_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, &banded_cases(14, &[65, 129, 200]));
}

#[test]
fn sixty_classes_fit_six_planes() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(4);
    let letters: Vec<u8> = (b'0'..=b'o').collect();
    let pattern: Vec<u8> = letters[..60].iter().copied().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    let mut text: Vec<u8> = (0..900).map(|_| *rng.choice(&letters).unwrap()).collect();
    text.extend_from_slice(&pattern);
    let sources = ["[a-f]b[^0-9]..x", "aB9"].map(PatternSource::new);
    let all: Vec<PatternSource> = std::iter::once(PatternSource::new(pattern)).chain(sources).collect();
    let builder = PatternSet::builder(Alphabet::Bytes).max_edits(MaxEdits::Percent(20));
    let case = Case::new(&mut rng, builder.build(&all).unwrap().into(), &text);
    assert_eq!(case.planes, 6);
    let geometry = Geometry { threads: 32, group: 1, ..Geometry::random(&mut rng, &case) };
    assert!(check(Build::Plain, &[(case, geometry)]) > 3);
}

#[test]
fn a_text_of_several_tiles_has_no_seams() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(5);
    let text = random_text(&mut rng, &[b"A", b"C", b"G", b"T", b"A", b"C"], 70_000);
    let case = Case::new(&mut rng, dna(&[b"ACGTNRGA", b"TTTTTTTT"], 2).into(), &text);
    let geometry = Geometry { threads: 32, group: 1, steps: 32, ..Geometry::random(&mut rng, &case) };
    assert!(check(Build::Plain, &[(case, geometry)]) > 1000);
}

#[test]
fn a_buffer_that_is_too_small_says_so() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(6);
    let mut cases = Vec::new();
    for capacity in [0, 1, 77] {
        let case = Case::new(&mut rng, dna(&[b"AAAAAA", b"ACAAAC"], 2).into(), &b"A".repeat(1000));
        let geometry = Geometry { capacity, ..Geometry::random(&mut rng, &case) };
        cases.push((case, geometry));
    }
    check(Build::Plain, &cases);
}
