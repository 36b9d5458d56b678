//! The seed index on a device gives the hits of the reference, for many patterns of sequences.

use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{PatternSet, PatternSource, Strand};
use nigh_text::alphabet::Alphabet;
use nigh_text::hit::Hit;

use crate::support::random::{batches, hits};
use crate::tested;

/// Many patterns, and records to search.
struct Scene {
    set: Arc<PatternSet>,
    text: Vec<u8>,
}

/// Compares the hits with those of the reference, and checks that the engine's plan has a seed index. Returns the
/// number of hits.
fn check(scene: &Scene) -> usize {
    let Scene { set, text } = scene;
    let mut count = 0;
    for batch in batches(text, set, 3_000) {
        let expected = hits(&EngineChoice::reference(), set, &batch);
        count += expected.len();
        for choice in tested() {
            let engine = engine(choice, set.clone(), 2).unwrap();
            let mut found: Vec<Hit> = Vec::new();
            engine.scanner().unwrap().scan(&batch, &mut found).unwrap();
            let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            assert!(found == expected, "{} hits of {}, {differs:?}", found.len(), expected.len());
            assert!(
                engine.description().iter().any(|line| line.starts_with("seed index: ")),
                "{:?}",
                engine.description()
            );
        }
    }
    count
}

fn random(rng: &mut Rng, letters: &[u8], length: usize) -> Vec<u8> {
    (0..length).map(|_| *rng.choice(letters).unwrap()).collect()
}

/// Returns a piece with some edits.
fn damaged(rng: &mut Rng, piece: &[u8], edits: usize) -> Vec<u8> {
    let mut piece = piece.to_vec();
    for _ in 0..edits {
        let at = rng.usize(..piece.len());
        match rng.u8(0..3) {
            0 => drop(piece.remove(at)),
            1 => piece.insert(at, *rng.choice(b"ACGT").unwrap()),
            _ => piece[at] = *rng.choice(b"ACGT").unwrap(),
        }
    }
    piece
}

/// Returns records that contain edited copies of patterns, some of them at the start or end of a record.
fn records(rng: &mut Rng, patterns: &[Vec<u8>], count: usize, edits: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..count {
        let mut record = Vec::new();
        for _ in 0..rng.usize(1..12) {
            let pattern = rng.choice(patterns).unwrap();
            let edits = rng.usize(..=edits);
            record.extend(damaged(rng, pattern, edits));
            let gap = *rng.choice(&[0, 1, 40]).unwrap();
            record.extend(random(rng, b"ACGTACGTACGTN", gap));
        }
        text.extend_from_slice(b">r\n");
        record.chunks(60).for_each(|line| text.extend([line, b"\n"].concat()));
    }
    text
}

fn set(alphabet: Alphabet, patterns: &[Vec<u8>], k: impl Fn(usize) -> usize) -> Arc<PatternSet> {
    let sources = patterns.iter().enumerate().map(|(index, pattern)| PatternSource {
        bound: Some(k(index).to_string().parse().unwrap()),
        ..PatternSource::new(&pattern[..])
    });
    let sources: Vec<PatternSource> = sources.collect();
    let strands: &[Strand] = &[Strand::Forward, Strand::Reverse];
    let strands = if alphabet == Alphabet::Dna { strands } else { &strands[..1] };
    Arc::new(PatternSet::builder(alphabet).strands(strands).build(&sources).unwrap())
}

#[test]
fn patterns_of_different_lengths_and_bounds_lose_no_match() {
    let mut rng = Rng::with_seed(31);
    for (case, most) in [1, 2, 3, 4, 5].into_iter().enumerate() {
        let mut patterns: Vec<Vec<u8>> = Vec::new();
        for length in (14..=64).cycle().take(220) {
            // Many patterns are similar, and some are repeats of a short unit.
            patterns.push(match rng.u8(..8) {
                0 => b"ACG".repeat(length)[..length].to_vec(),
                1 | 2 if !patterns.is_empty() => {
                    let other = rng.choice(&patterns).unwrap().clone();
                    damaged(&mut rng, &other, 1)
                }
                3 => random(&mut rng, b"ACGTACGTACGTACGTNRY", length),
                _ => random(&mut rng, b"ACGT", length),
            });
        }
        let text = records(&mut rng, &patterns, 6, most + 1);
        let set = set(Alphabet::Dna, &patterns, |index| index % (most + 1));
        let found = check(&Scene { set, text });
        assert!(found > 30, "case {case}: {found} hits");
    }
}

#[test]
fn residues_of_proteins_share_groups() {
    let mut rng = Rng::with_seed(32);
    let letters = b"ACDEFGHIKLMNPQRSTVWY";
    let patterns: Vec<Vec<u8>> = (0..250).map(|_| random(&mut rng, letters, 20)).collect();
    let text = records(&mut rng, &patterns, 3, 2);
    let found = check(&Scene { set: set(Alphabet::Protein, &patterns, |_| 2), text });
    assert!(found > 20, "{found} hits");
}

#[test]
fn more_hits_than_the_buffer_holds_are_all_found() {
    let mut rng = Rng::with_seed(33);
    let mut patterns: Vec<Vec<u8>> = (0..200).map(|_| random(&mut rng, b"ACGT", 24)).collect();
    patterns.extend(vec![b"A".repeat(20); 60]);
    let text = [b">r\n", &b"A".repeat(700)[..], &random(&mut rng, b"ACGT", 100), b"\n"].concat();
    let found = check(&Scene { set: set(Alphabet::Dna, &patterns, |_| 1), text });
    assert!(found > 1 << 15, "{found} hits");
}

/// Launches the kernel for each number of edits once.
#[test]
fn seeds_sanitized() {
    let mut rng = Rng::with_seed(34);
    for k in 1..=5 {
        let patterns: Vec<Vec<u8>> = (0..250).map(|_| random(&mut rng, b"ACGT", 4 * k + 10)).collect();
        let text = records(&mut rng, &patterns, 2, k);
        let found = check(&Scene { set: set(Alphabet::Dna, &patterns, |_| k), text });
        assert!(found > 0, "{found} hits");
    }
}
