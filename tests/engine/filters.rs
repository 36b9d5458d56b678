//! Searches with filters, compared with the reference on every instruction set of this CPU.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::support::random::{batches, hits, rounds};
use fastrand::Rng;
use nigh_cpu::{CpuFinder, Isa};
use nigh_engine::EngineChoice;
use nigh_engine::cpu_engine;
use nigh_pattern::{Case, EditCosts, MaxEdits, Notation, PatternSet, PatternSource, Strand};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::{Finder, WantedHits};

use crate::{indel_costs, transposition_costs};

/// Parameters of a test of a filter.
struct Scene {
    set: Arc<PatternSet>,
    text: Vec<u8>,
    /// Batch size in bytes.
    window: usize,
}

/// Compares a search with the reference. Returns whether the engine's plan had a filter, and the number of hits.
fn compare(name: &str, scene: &Scene) -> (bool, usize) {
    let Scene { set, text, window } = scene;
    let (mut filtered, mut count) = (false, 0);
    let batches = batches(text, set, *window);
    let expected: Vec<Vec<Hit>> = batches.iter().map(|batch| hits(&EngineChoice::reference(), set, batch)).collect();
    for isa in Isa::all() {
        let engine = cpu_engine(isa, set.clone(), 1).unwrap();
        let mut scanner = engine.scanner().unwrap();
        for (batch, expected) in batches.iter().zip(&expected) {
            let mut found = Vec::new();
            scanner.scan(batch, &mut found).unwrap();
            let first = found.iter().zip(expected).find(|(found, expected)| found != expected);
            assert!(found == *expected, "{name}, {}: {} for {}, {first:?}", isa.name(), found.len(), expected.len());
            count += found.len();
        }
        filtered |= engine.description().iter().any(|line| line.starts_with("filter:"));
    }
    (filtered, count)
}

fn random(rng: &mut Rng, letters: &[u8], length: usize) -> Vec<u8> {
    (0..length).map(|_| *rng.choice(letters).unwrap()).collect()
}

/// Returns a piece with some edits.
fn damaged(rng: &mut Rng, piece: &[u8], letters: &[u8], edits: usize) -> Vec<u8> {
    let mut piece = piece.to_vec();
    for _ in 0..edits {
        let at = rng.usize(..piece.len());
        match rng.u8(0..4) {
            0 if piece.len() > 1 => drop(piece.remove(at)),
            1 => piece.insert(at, *rng.choice(letters).unwrap()),
            2 => piece.swap(at, at.saturating_sub(1)),
            _ => piece[at] = *rng.choice(letters).unwrap(),
        }
    }
    piece
}

/// Returns records that contain edited copies of patterns, some of them at the start or end of a record.
fn records(rng: &mut Rng, letters: &[u8], patterns: &[Vec<u8>], k: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..rng.usize(1..6) {
        let mut record = Vec::new();
        for _ in 0..30 {
            let pattern = rng.choice(patterns).unwrap();
            let edits = rng.usize(..=k + 1);
            record.extend(damaged(rng, pattern, letters, edits));
            let gap = *rng.choice(&[0, 1, 40, 900]).unwrap();
            record.extend(random(rng, letters, gap));
        }
        text.extend_from_slice(b">r\n");
        let width = rng.usize(20..100);
        record.chunks(width).for_each(|line| text.extend([line, b"\n"].concat()));
    }
    text
}

/// Compares searches for 16 sets of patterns in sequences, multiplied by NIGH_ROUNDS. Returns the number of searches
/// with a filter, and of hits.
fn compare_sequences(seed: u64, costs: impl Fn(&mut Rng) -> EditCosts) -> (usize, usize) {
    let mut rng = Rng::with_seed(seed);
    let (mut filtered, mut found) = (0, 0);
    for case in 0..rounds(16) {
        let (alphabet, letters, in_patterns): (_, &[u8], &[u8]) = match case % 4 {
            0 | 1 => (Alphabet::Dna, b"ACGT", b"ACGT"),
            2 => (Alphabet::Dna, b"ACGTNR-", b"ACGTACGTACGTACGTRN"),
            _ => (Alphabet::Protein, b"ACDEFGHIKLMNPQRSTVWY", b"ACDEFGHIKLMNPQRSTVWYX"),
        };
        let k = case / 4 % 4;
        let patterns: Vec<Vec<u8>> = (0..40)
            .map(|_| {
                let length = rng.usize(k + 6..34);
                random(&mut rng, in_patterns, length)
            })
            .collect();
        let text = records(&mut rng, letters, &patterns, k);
        let strands: &[Strand] = &[Strand::Forward, Strand::Reverse];
        let strands = if alphabet == Alphabet::Dna { strands } else { &strands[..1] };
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(k)).strands(strands);
        let builder = builder.edit_costs(costs(&mut rng));
        let sources: Vec<PatternSource> = patterns.iter().map(|pattern| PatternSource::new(&pattern[..])).collect();
        let set = Arc::new(builder.build(&sources).unwrap());
        let window = *rng.choice(&[40_000, 1 << 20]).unwrap();
        let (was_filtered, count) = compare(&format!("case {case}"), &Scene { set, text, window });
        filtered += usize::from(was_filtered);
        found += count;
    }
    (filtered, found)
}

#[test]
fn the_seed_index_loses_no_match() {
    let (filtered, found) = compare_sequences(21, |_| EditCosts::default());
    assert!(filtered >= 8 && found > 5_000, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn the_seed_index_loses_no_indel_distance() {
    let (filtered, found) = compare_sequences(26, indel_costs);
    assert!(filtered >= 8 && found > 2_500, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn the_seed_index_loses_no_transposition() {
    let (filtered, found) = compare_sequences(30, transposition_costs);
    assert!(filtered >= 8 && found > 2_500, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn patterns_with_and_without_substitutions_are_filtered_together() {
    let mut rng = Rng::with_seed(27);
    for letters in [&b"ACGT"[..], b"abcdefghijklmnopqrstuvwxyz"] {
        let alphabet = if letters.len() == 4 { Alphabet::Dna } else { Alphabet::Text };
        let patterns: Vec<Vec<u8>> = (0..40).map(|_| random(&mut rng, letters, 20)).collect();
        let text = records(&mut rng, letters, &patterns, 3).repeat(3);
        let bounds = ["2", "2id", "3", "3id", "2s"];
        let sources = patterns.iter().enumerate().map(|(index, pattern)| PatternSource {
            bound: Some(bounds[index % bounds.len()].parse().unwrap()),
            ..PatternSource::new(&pattern[..])
        });
        let sources: Vec<PatternSource> = sources.collect();
        let set = Arc::new(PatternSet::builder(alphabet).build(&sources).unwrap());
        let (filtered, found) = compare("both", &Scene { set, text, window: 1 << 20 });
        assert!(filtered && found > 500, "{alphabet:?}: {filtered}, {found} hits");
    }
}

#[test]
fn patterns_that_are_everywhere_are_given_up() {
    let mut rng = Rng::with_seed(22);
    let mut patterns: Vec<Vec<u8>> = (0..40).map(|_| random(&mut rng, b"ACGT", 20)).collect();
    patterns.extend([b"A".repeat(20), b"AC".repeat(10)]);
    let mut text = b">r\n".to_vec();
    for unit in [&b"A"[..], b"AC", b"ACGTTGCA"] {
        text.extend(unit.repeat(12_000 / unit.len()));
        text.extend(random(&mut rng, b"ACGT", 3_000));
    }
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(2));
    let sources: Vec<PatternSource> = patterns.iter().map(|pattern| PatternSource::new(&pattern[..])).collect();
    let set = Arc::new(builder.build(&sources).unwrap());
    let (filtered, found) = compare("everywhere", &Scene { set, text, window: 20_000 });
    assert!(filtered && found > 20_000, "{found} hits");
}

const WORDS: [&str; 16] = [
    "connection",
    "refused",
    "timeout",
    "größe",
    "日本語",
    "error",
    "worker",
    "kernel",
    "session",
    "opened",
    "\u{fffd}",
    "id=",
    "GET",
    "/index",
    "K",
    "ſtaſh",
];

fn phrase(rng: &mut Rng, words: usize) -> String {
    (0..words).map(|_| *rng.choice(&WORDS).unwrap()).collect::<Vec<_>>().join(" ")
}

/// Compares searches for `cases` sets of patterns in text. Returns the number of searches with a filter, and of hits.
fn compare_text(seed: u64, cases: usize, costs: impl Fn(&mut Rng) -> EditCosts) -> (usize, usize) {
    let mut rng = Rng::with_seed(seed);
    let (mut filtered, mut found) = (0, 0);
    for case in 0..cases {
        let k = case % 4;
        let count = *rng.choice(&[1, 2, 40]).unwrap();
        let alphabet = if case % 5 == 4 { Alphabet::Bytes } else { Alphabet::Text };
        let mut sources: Vec<String> = Vec::new();
        while sources.len() < count {
            let words = rng.usize(1..5);
            sources.push(phrase(&mut rng, words));
            sources.retain(|source| source.chars().count() > k);
        }
        let mut text = Vec::new();
        while text.len() < 50_000 {
            let words = rng.usize(..12);
            let mut line = phrase(&mut rng, words).into_bytes();
            for byte in &mut line {
                if rng.u8(..) < 60 {
                    *byte = *rng.choice(b"xyzqjv0123456789-_\xff\xc3").unwrap();
                }
            }
            if rng.u8(..) < 20 {
                let source = rng.choice(&sources).unwrap().as_bytes();
                let edits = rng.usize(..=k + 1);
                line.extend(damaged(&mut rng, source, b"abc \xc3\xa9", edits));
            }
            line.retain(|&byte| byte != b'\n');
            text.extend([&line[..], b"\n"].concat());
        }
        let case_of = if rng.bool() { Case::Sensitive } else { Case::Insensitive };
        let builder = PatternSet::builder(alphabet).notation(Notation::Literal).case(case_of);
        let builder = builder.edit_costs(costs(&mut rng));
        let sources: Vec<PatternSource> = sources.iter().map(|source| PatternSource::new(source.as_str())).collect();
        let set = Arc::new(builder.max_edits(MaxEdits::Count(k)).build(&sources).unwrap());
        let window = *rng.choice(&[30_000, 1 << 20]).unwrap();
        // A text that is too short for the bit-sliced search is also filtered.
        compare(
            &format!("case {case} in small batches"),
            &Scene { set: set.clone(), text: text.clone(), window: 5_000 },
        );
        let (was_filtered, count) = compare(&format!("case {case}"), &Scene { set, text, window });
        filtered += usize::from(was_filtered);
        found += count;
    }
    (filtered, found)
}

#[test]
fn pigeonhole_seeds_lose_no_match() {
    let (filtered, found) = compare_text(23, rounds(24), |_| EditCosts::default());
    assert!(filtered >= 6 && found > 2_500, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn pigeonhole_seeds_lose_no_indel_distance() {
    let (filtered, found) = compare_text(28, rounds(16), indel_costs);
    assert!(filtered >= 5 && found > 1_000, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn pigeonhole_seeds_lose_no_transposition() {
    let (filtered, found) = compare_text(31, rounds(16), transposition_costs);
    assert!(filtered >= 5 && found > 1_000, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn pigeonhole_seeds_keep_edges_and_long_patterns() {
    let mut rng = Rng::with_seed(24);
    let sources = [r"^connection refused", r"\bworker timeout\b", "session opened$", "[Kk]ernel error [0-9]{2}"];
    let long = phrase(&mut rng, 14);
    let mut text = Vec::new();
    while text.len() < 150_000 {
        let kinds =
            ["connection refused", "worker timeout", "workertimeoutx", "session opened", "kernel eror 42", &long];
        let kind = if rng.u8(..) < 20 { *rng.choice(&kinds).unwrap() } else { "" };
        let (before, behind) = ("z".repeat(rng.usize(..200)), "x".repeat(rng.usize(..200)));
        text.extend_from_slice(format!("{before} {kind} {behind}\n").trim_start_matches('z').as_bytes());
        text.extend_from_slice(format!("{kind}\n").as_bytes());
    }
    let (mut filtered, mut found) = (0, 0);
    for source in sources.into_iter().chain([&*long]) {
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(2));
        let set = Arc::new(builder.build(&[PatternSource::new(source)]).unwrap());
        compare(source, &Scene { set: set.clone(), text: text.clone(), window: 5_000 });
        let (was_filtered, count) = compare(source, &Scene { set, text: text.clone(), window: 1 << 20 });
        filtered += usize::from(was_filtered);
        found += count;
    }
    assert!(filtered >= 3 && found > 500, "{filtered} searches with a filter, {found} hits");
}

#[test]
fn seeds_on_both_sides_of_long_characters_are_searched() {
    let mut rng = Rng::with_seed(25);
    let filler =
        |rng: &mut Rng| (0..1000).map(|_| random(rng, b"efghijklmnopqrstuv ", 60)).collect::<Vec<_>>().join(&b"\n"[..]);
    let line = "\nabQd12345678abcd\u{1f600}\u{1f600}\u{1f600}\u{1f600}wxyz\n";
    let text = [filler(&mut rng), line.into(), filler(&mut rng)].concat();
    for (pattern, k) in [("abcd.{16}wxyz", 1), ("12345678abcd", 1), ("abcd\u{1f600}\u{1f600}wxyz", 2)] {
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k));
        let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
        let (filtered, found) = compare(pattern, &Scene { set, text: text.clone(), window: 1 << 20 });
        assert!(filtered && found > 0, "{pattern}: {found} hits");
    }
}

#[test]
fn hits_at_one_end_come_in_one_piece() {
    /// Records the offsets at which pieces begin and end.
    #[derive(Default)]
    struct Pieces(Vec<(usize, usize)>);
    impl HitSink for Pieces {
        fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
            self.0.push((hits[0].end, hits[hits.len() - 1].end));
            ControlFlow::Continue(())
        }
    }
    let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(1));
    let set = Arc::new(builder.build(&["abcd|abce", "abc"].map(PatternSource::new)).unwrap());
    let engine = CpuFinder::new(set, 1).unwrap();
    let mut pieces = Pieces::default();
    let batch = Batch::of_lines(format!("xabcz {}\n", "abcd".repeat(20_000)), b'\n');
    engine.scanner().unwrap().scan(&batch, &mut pieces).unwrap();
    assert!(pieces.0.len() > 5 && pieces.0.windows(2).all(|pair| pair[0].1 < pair[1].0), "{:?}", pieces.0);
}

#[test]
fn many_patterns_of_different_lengths_and_bounds_lose_no_match() {
    let mut rng = Rng::with_seed(29);
    let mut patterns: Vec<Vec<u8>> = Vec::new();
    for length in (14usize..40).cycle().take(260) {
        // Many patterns are similar, and some are repeats of a short unit.
        patterns.push(match rng.u8(..8) {
            0 => b"ACG".repeat(length.div_ceil(3))[..length].to_vec(),
            1 | 2 if !patterns.is_empty() => {
                let other = rng.choice(&patterns).unwrap().clone();
                damaged(&mut rng, &other, b"ACGT", 2)
            }
            3 => random(&mut rng, b"ACGTACGTACGTNRY", length),
            _ => random(&mut rng, b"ACGT", length),
        });
    }
    patterns.retain(|pattern| pattern.len() > 12);
    let mut text = records(&mut rng, b"ACGT", &patterns, 5);
    while text.len() < 40_000 {
        text.extend(records(&mut rng, b"ACGTN", &patterns, 5));
    }
    let sources = patterns.iter().enumerate().map(|(index, pattern)| PatternSource {
        bound: Some((index % 6).to_string().parse().unwrap()),
        ..PatternSource::new(&pattern[..])
    });
    let sources: Vec<PatternSource> = sources.collect();
    let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
    let set = Arc::new(builder.build(&sources).unwrap());
    let (filtered, found) = compare("many", &Scene { set, text, window: 1 << 20 });
    assert!(filtered && found > 20_000, "{filtered}, {found} hits");
}

/// Returns the lines of a batch in which one of `hits` ends.
fn lines_with(batch: &Batch, hits: &[Hit]) -> Vec<usize> {
    let line = |hit: &Hit| batch.bytes()[..hit.end].iter().filter(|&&byte| byte == b'\n').count();
    let mut lines: Vec<usize> = hits.iter().map(line).collect();
    lines.dedup();
    lines
}

#[test]
fn selection_finds_the_lines_with_a_hit() {
    let mut rng = Rng::with_seed(30);
    let (mut selected, mut all) = (0, 0);
    for case in 0..6 {
        let k = case % 3;
        let mut sources: Vec<String> = (0..600).map(|_| format!("{}{}", phrase(&mut rng, 3), rng.u16(..300))).collect();
        sources.extend(["$".to_owned(), "x".repeat(12)]);
        let mut text = Vec::new();
        for _ in 0..1500 {
            let words = rng.usize(..9);
            let line = format!("{}{}", phrase(&mut rng, words), rng.u16(..300)).into_bytes();
            let edits = rng.usize(..=4);
            text.extend([damaged(&mut rng, &line, b"ab", edits).as_slice(), b"\n"].concat());
        }
        // Frequent patterns, which are in nearly all lines.
        if case >= 3 {
            sources.extend((0..8).map(|_| phrase(&mut rng, 1) + " " + WORDS[rng.usize(..6)]));
        }
        sources.retain(|source| source.chars().count() > k + 1);
        let sources: Vec<PatternSource> = sources.iter().map(|source| PatternSource::new(source.as_str())).collect();
        let builder = PatternSet::builder(Alphabet::Text).notation(Notation::Literal).max_edits(MaxEdits::Count(k));
        let set = Arc::new(builder.build(&sources).unwrap());
        for isa in Isa::all() {
            let engine = cpu_engine(isa, set.clone(), 1).unwrap();
            let mut scanner = engine.scanner().unwrap();
            // The order of patterns for later batches depends on the hits of the first batch.
            for batch in batches(&text, &set, 30_000) {
                let (mut some, mut expected) = (Vec::new(), Vec::new());
                scanner.search(&batch, WantedHits::One, &mut some).unwrap();
                scanner.scan(&batch, &mut expected).unwrap();
                assert!(some.iter().all(|hit| expected.binary_search(hit).is_ok()), "case {case}, {}", isa.name());
                assert_eq!(lines_with(&batch, &some), lines_with(&batch, &expected), "case {case}, {}", isa.name());
                selected += some.len();
                all += expected.len();
            }
        }
    }
    // Each instruction set has the same hits.
    let (selected, all) = (selected / Isa::all().len(), all / Isa::all().len());
    assert!(selected > 600 && all > selected + 300, "{selected} of {all} hits");
}

#[test]
fn the_first_of_many_hits_of_each_line_is_selected() {
    let mut rng = Rng::with_seed(31);
    let letters: &[&[u8]] = &[b"a", b"b", "é".as_bytes(), b" ", b"7"];
    let mut text = Vec::new();
    while text.len() < 1_300_000 {
        let length = rng.usize(..200);
        text.extend((0..length).flat_map(|_| rng.choice(letters).unwrap().to_vec()));
        text.push(b'\n');
    }
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts: Vec<usize> = ends.map(|(end, _)| end + 1).collect();
    let lines = |hits: &[Hit]| {
        let mut lines: Vec<usize> = hits.iter().map(|hit| starts.partition_point(|&start| start < hit.end)).collect();
        lines.dedup();
        lines
    };
    for patterns in [&["[ab ]"][..], &["[ab]é?[7b]", "[^a]"], &[r"\w\b|[a-z]", "[^ ]"], &["^[ab]", "[^x]"]] {
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(0));
        let sources: Vec<PatternSource> = patterns.iter().map(|&pattern| PatternSource::new(pattern)).collect();
        let set = Arc::new(builder.build(&sources).unwrap());
        let batch = Batch::of_lines(&text[..], b'\n');
        for isa in Isa::all() {
            let engine = cpu_engine(isa, set.clone(), 1).unwrap();
            let mut scanner = engine.scanner().unwrap();
            let mut expected = Vec::new();
            scanner.scan(&batch, &mut expected).unwrap();
            assert!(expected.len() > 1 << 19, "{patterns:?}: {} hits", expected.len());
            // The search of the second batch depends on the hits of the first batch.
            for _ in 0..2 {
                let mut some = Vec::new();
                scanner.search(&batch, WantedHits::One, &mut some).unwrap();
                assert!(some.iter().all(|hit| expected.binary_search(hit).is_ok()), "{patterns:?}, {}", isa.name());
                assert!(lines(&some) == lines(&expected), "{patterns:?}, {}", isa.name());
                assert_eq!(some.len(), lines(&some).len(), "a selection has at most one hit in each line");
            }
        }
    }
}
