//! Bit-sliced search, compared with the reference on every instruction set of this CPU, in texts that are large enough
//! for it.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::support::random::{ALPHABETS, batches, hits, letters, random_pattern, random_text, rounds};
use fastrand::Rng;
use nigh_cpu::{CpuFinder, Isa};
use nigh_engine::EngineChoice;
use nigh_engine::cpu_engine;
use nigh_pattern::{EditCosts, EditLimit, MaxEdits, Notation, PatternSet, PatternSource, Strand, Transpositions};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::Finder;

use crate::{indel_costs, transposition_costs};

fn sliced(isa: Isa, set: &Arc<PatternSet>, batch: &Batch) -> Vec<Hit> {
    let engine = cpu_engine(isa, set.clone(), 1).unwrap();
    let mut found = Vec::new();
    engine.scanner().unwrap().scan(batch, &mut found).unwrap();
    found
}

/// Returns lines or records of random length: many short ones or a few long ones.
fn input(rng: &mut Rng, alphabet: Alphabet, letters: &[&[u8]], total: usize) -> Vec<u8> {
    let longest = *rng.choice(&[3, 40, 300, 100_000]).unwrap();
    let mut input = Vec::new();
    while input.len() < total {
        let length = rng.usize(0..=longest);
        let line = random_text(rng, letters, length);
        if alphabet.is_sequence() {
            input.extend_from_slice(b">r\n");
            let width = rng.usize(1..200);
            line.chunks(width).for_each(|row| input.extend([row, b"\n"].concat()));
        } else {
            input.extend([&line[..], b"\n"].concat());
        }
    }
    input
}

/// Returns a random set of patterns, some of which contain pieces of a text.
fn random_set(rng: &mut Rng, alphabet: Alphabet, text: &[u8], letters: &[&[u8]], costs: EditCosts) -> Arc<PatternSet> {
    let longest = *rng.choice(&[8, 24]).unwrap();
    let sources: Vec<PatternSource> = (0..rng.usize(1..4))
        .map(|_| {
            let length = rng.usize(1..=longest);
            PatternSource::new(random_pattern(rng, alphabet, text, letters, length))
        })
        .collect();
    let strands: &[Strand] =
        if alphabet == Alphabet::Dna { &[Strand::Forward, Strand::Reverse] } else { &[Strand::Forward] };
    let percent = *rng.choice(&[0, 5, 10, 20, 30]).unwrap();
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands).edit_costs(costs);
    Arc::new(builder.max_edits(MaxEdits::Percent(percent)).build(&sources).unwrap())
}

/// Compares searches for `cases` random sets of patterns, whose edits have the costs that `costs` returns. Returns the
/// number of hits.
fn compare_random_sets(seed: u64, cases: usize, costs: impl Fn(&mut Rng) -> EditCosts) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut found = 0;
    for case in 0..cases {
        let alphabet = ALPHABETS[case % ALPHABETS.len()];
        let letters = letters(alphabet, &mut rng);
        let input = input(&mut rng, alphabet, &letters, 34_000);
        let costs = costs(&mut rng);
        let set = random_set(&mut rng, alphabet, &input, &letters, costs);
        let window = if rng.bool() { input.len() + 1024 } else { 40_000 };
        for batch in batches(&input, &set, window) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            found += expected.len();
            for isa in Isa::all() {
                let hits = sliced(isa, &set, &batch);
                assert!(hits == expected, "{}, case {case}, {costs:?}, {:?}", isa.name(), set.patterns());
            }
        }
    }
    found
}

#[test]
fn slices_find_what_the_reference_finds() {
    let found = compare_random_sets(11, 60, |_| EditCosts::default());
    assert!(found > 100_000, "only {found} hits were compared");
}

#[test]
fn slices_find_indel_distances() {
    let found = compare_random_sets(16, 40, indel_costs);
    assert!(found > 50_000, "only {found} hits were compared");
}

#[test]
fn slices_find_transpositions() {
    let found = compare_random_sets(18, 40, transposition_costs);
    assert!(found > 50_000, "only {found} hits were compared");
}

#[test]
fn slices_find_long_patterns() {
    let mut rng = Rng::with_seed(12);
    for (length, costs) in [63, 64, 65, 100, 200].into_iter().flat_map(|length| {
        let dear = EditCosts { substitution: EditLimit::new(2, usize::MAX), ..EditCosts::default() };
        let swaps = EditCosts { transpositions: Transpositions::One, ..EditCosts::default() };
        [(length, EditCosts::default()), (length, dear), (length, swaps)]
    }) {
        let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T"];
        let text: Vec<u8> = (0..150_000).map(|_| rng.choice(letters).unwrap()[0]).collect();
        let start = rng.usize(0..text.len() - length);
        let mut pattern = text[start..start + length].to_vec();
        pattern.remove(length / 3);
        pattern.insert(length / 2, b'A');
        pattern.swap(length - 2, length - 1);
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Percent(10)).edit_costs(costs);
        let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
        let batch = Batch::of_record(text);
        let expected = hits(&EngineChoice::reference(), &set, &batch);
        assert!(!expected.is_empty());
        for isa in Isa::all() {
            assert_eq!(sliced(isa, &set, &batch), expected, "{}, length {length}, {costs:?}", isa.name());
        }
    }
}

/// Compares searches for `cases` long patterns, of which the engine searches a prefix first. Returns the number of
/// hits.
fn compare_long_patterns(seed: u64, cases: usize, costs: impl Fn(&mut Rng) -> EditCosts) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut found = 0;
    for case in 0..cases {
        let alphabet = ALPHABETS[case % ALPHABETS.len()];
        let letters = letters(alphabet, &mut rng);
        let mut text = input(&mut rng, alphabet, &letters, 120_000);
        let length = *rng.choice(&[40, 90, 150]).unwrap();
        let pattern = match rng.bool() {
            true => random_text(&mut rng, &letters, length),
            false => (0..length).map(|_| b"ACGT"[rng.usize(..4)]).collect(),
        };
        let pattern: Vec<u8> =
            pattern.into_iter().filter(|b| alphabet.residues(*b) != 0 || b.is_ascii_lowercase()).collect();
        let pattern = if pattern.len() < 30 { b"ACGT".repeat(12) } else { pattern };
        // Copies with edits: a few, or enough to make the engine give up the search for the prefix.
        for _ in 0..*rng.choice(&[1, 3, 40]).unwrap() {
            let mut damaged = pattern.clone();
            for _ in 0..rng.usize(..4) {
                let at = rng.usize(..damaged.len());
                match rng.u8(..3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.swap(at, at.saturating_sub(1)),
                    _ => damaged[at] = b'A',
                }
            }
            let at = rng.usize(3..text.len());
            text.splice(at..at, damaged);
        }
        // The text ends with a prefix of the pattern.
        text.extend_from_slice(&pattern[..pattern.len() - pattern.len() / 3]);
        let strands: &[Strand] = &[Strand::Forward, Strand::Reverse];
        let builder =
            PatternSet::builder(alphabet).notation(Notation::Literal).max_edits(MaxEdits::Count(rng.usize(..5)));
        let builder = builder.strands(if alphabet == Alphabet::Dna { strands } else { &strands[..1] });
        let builder = builder.edit_costs(costs(&mut rng));
        let Ok(set) = builder.build(&[PatternSource::new(pattern), PatternSource::new("AAAAACCC")]) else { continue };
        let set = Arc::new(set);
        for batch in batches(&text, &set, *rng.choice(&[60_000, 200_000]).unwrap()) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            found += expected.iter().filter(|hit| set.patterns()[hit.pattern].symbols().len() > 20).count();
            for isa in Isa::all() {
                assert!(sliced(isa, &set, &batch) == expected, "{}, case {case}, {:?}", isa.name(), set.patterns());
            }
        }
    }
    found
}

#[test]
fn a_prefix_loses_no_long_pattern() {
    let found = compare_long_patterns(14, rounds(32), |_| EditCosts::default());
    assert!(found > 250, "only {found} hits of long patterns were compared");
}

#[test]
fn a_prefix_loses_no_indel_distance() {
    let found = compare_long_patterns(17, rounds(20), indel_costs);
    assert!(found > 100, "only {found} hits of long patterns were compared");
}

#[test]
fn a_prefix_loses_no_transposition() {
    let found = compare_long_patterns(19, rounds(12), transposition_costs);
    assert!(found > 100, "only {found} hits of long patterns were compared");
}

#[test]
fn slices_keep_edges() {
    let mut rng = Rng::with_seed(13);
    for case in 0..8 {
        let letters: &[&[u8]] = &[b"a", b"b", b" ", "é".as_bytes()];
        let input = input(&mut rng, Alphabet::Text, letters, 34_000);
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Percent(30));
        let builder = if case % 2 == 0 { builder } else { builder.edit_costs(indel_costs(&mut rng)) };
        let sources = ["^abab", r"\bbab a\b", "aba$", "[^a]b[ab]"].map(PatternSource::new);
        let set = Arc::new(builder.build(&sources).unwrap());
        for batch in batches(&input, &set, input.len() + 1024) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            for isa in Isa::all() {
                assert!(sliced(isa, &set, &batch) == expected, "{}, case {case}", isa.name());
            }
        }
    }
}

/// Counts hits, and checks that they arrive in order and in several calls.
#[derive(Default)]
struct Counter {
    hits: usize,
    last: Option<(usize, usize)>,
    largest_piece: usize,
}

impl HitSink for Counter {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        for hit in hits {
            assert!(self.last < Some((hit.end, hit.pattern)), "hits must arrive in order");
            self.last = Some((hit.end, hit.pattern));
        }
        self.hits += hits.len();
        self.largest_piece = self.largest_piece.max(hits.len());
        ControlFlow::Continue(())
    }
}

#[test]
fn too_many_hits_for_a_batch_come_in_pieces() {
    const LENGTH: usize = 1_100_000;
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(1));
    let sources: Vec<PatternSource> = (0..5).map(|_| PatternSource::new("AAAAAAAA")).collect();
    let engine = CpuFinder::new(Arc::new(builder.build(&sources).unwrap()), 1).unwrap();
    let mut counter = Counter::default();
    engine.scanner().unwrap().scan(&Batch::of_record(b"A".repeat(LENGTH)), &mut counter).unwrap();
    // Matches end from the seventh letter on, where the distance is 1.
    assert_eq!(counter.hits, 5 * (LENGTH - 6));
    assert!(counter.largest_piece <= 1 << 21, "a call has {} hits", counter.largest_piece);
}

#[test]
fn headers_are_not_searched_in_streams() {
    let mut rng = Rng::with_seed(15);
    let pattern: Vec<u8> = (0..80).map(|_| b"ACGT"[rng.usize(..4)]).collect();
    let mut text = Vec::new();
    for record in 0..100 {
        text.extend_from_slice(format!(">r{record} {}\n", "x".repeat(3000)).as_bytes());
        text.extend_from_slice(&pattern);
        text.extend_from_slice(b"ACGTAC\n");
    }
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(3));
    let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
    for batch in batches(&text, &set, 1 << 20) {
        let expected = hits(&EngineChoice::reference(), &set, &batch);
        assert!(expected.len() >= 100);
        for isa in Isa::all() {
            assert_eq!(sliced(isa, &set, &batch), expected, "{}", isa.name());
        }
    }
}
