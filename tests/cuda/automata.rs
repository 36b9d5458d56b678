//! Regular expressions on a device give the hits of the reference in every layout.

use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_verify::WantedHits;

use crate::selection::items_with;
use crate::support::random::{batches, hits};
use crate::tested;

fn set(alphabet: Alphabet, k: usize, expressions: &[&str]) -> PatternSet {
    let sources: Vec<PatternSource> = expressions.iter().map(|&expression| PatternSource::new(expression)).collect();
    let set = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(k)).build(&sources).unwrap();
    assert!(set.patterns().iter().all(|pattern| pattern.expression().is_some()));
    set
}

/// Returns lines of random words.
fn lines(rng: &mut Rng, words: &[&str], count: usize) -> Vec<u8> {
    let line = |rng: &mut Rng| {
        let words: Vec<&str> = (0..rng.usize(0..9)).map(|_| *rng.choice(words).unwrap()).collect();
        words.join(" ") + "\n"
    };
    (0..count).map(|_| line(rng)).collect::<String>().into_bytes()
}

/// Compares the hits in a batch with those of the reference, and the selected lines with the lines that have hits.
/// Checks that a device did the search. Returns the number of hits.
fn check(set: PatternSet, batch: &Batch) -> usize {
    let set = Arc::new(set);
    let expected = hits(&EngineChoice::reference(), &set, batch);
    for choice in tested() {
        let engine = engine(choice, set.clone(), 1).unwrap();
        let mut scanner = engine.scanner().unwrap();
        let (mut found, mut selected) = (Vec::new(), Vec::new());
        scanner.scan(batch, &mut found).unwrap();
        let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert!(found == expected, "{} hits of {}, {differs:?}", found.len(), expected.len());
        scanner.search(batch, WantedHits::One, &mut selected).unwrap();
        assert!(selected.iter().all(|hit| expected.binary_search(hit).is_ok()));
        assert_eq!(items_with(batch, &selected), items_with(batch, &expected));
        let plan = engine.description();
        assert!(plan.iter().any(|line| line.starts_with("automata: ")), "{plan:?}");
    }
    expected.len()
}

const WORDS: [&str; 12] = [
    "error",
    "eror",
    "timeout",
    "time-out",
    "a1b2",
    "10.0.0.1:80",
    "GET",
    "/x/y?id=7",
    "é",
    "日本",
    "user@host.org",
    "x",
];

#[test]
fn expressions_of_every_kind_together() {
    let mut rng = Rng::with_seed(31);
    let expressions = [
        "error.*timeout",
        r"(\d+\.){3}\d+:\d+",
        "[a-z0-9]+@[a-z]+\\.(com|org)",
        r"\berror\b.*\btime",
        "^(GET|x).*id=[0-9]+$",
        "(日|é)+ .*x y*z*error",
        "[^ ]+ [^ ]+ [^ ]+$",
    ];
    for k in [0, 1, 2] {
        let batch = Batch::of_lines(lines(&mut rng, &WORDS, 700), b'\n');
        let found = check(set(Alphabet::Text, k, &expressions), &batch);
        assert!(found > 300, "{found} hits with k = {k}");
    }
}

#[test]
fn the_last_line_may_have_no_end() {
    let batch = Batch::of_lines(b"an error\n\nno time\nerrror  time", b'\n');
    assert_eq!(check(set(Alphabet::Text, 1, &["er+or +time$", "^no? *time$"]), &batch), 2);
}

#[test]
fn motifs_in_records() {
    let mut rng = Rng::with_seed(32);
    let bases: String = (0..9000).map(|_| *rng.choice(&["A", "C", "G", "GG", "GGG", "T", "N"]).unwrap()).collect();
    let fasta = format!(">a\n{}\n>b\n{}\n", &bases[..4000], &bases[4000..]);
    let expressions = ["G{3,5}(N{1,7}G{3,5}){3}", "A(C|GG){1,30}T[AG]{2,50}C"];
    let set = Arc::new(set(Alphabet::Dna, 1, &expressions));
    let mut found = 0;
    for batch in batches(fasta.as_bytes(), &set, 3000) {
        found += check((*set).clone(), &batch);
    }
    assert!(found > 50, "{found} hits");
}

#[test]
fn large_automata_have_their_states_in_memory() {
    let mut rng = Rng::with_seed(33);
    let batch = Batch::of_lines(lines(&mut rng, &WORDS, 60), b'\n');
    let expression = "(error|x)[a-z ]{0,120}[ :][a-z0-9 .]{0,180}(timeout|host)";
    assert!(check(set(Alphabet::Text, 2, &[expression, "er+or.*time"]), &batch) > 10);
}

/// Returns an expression with at most `states` states: two or three repeats of classes between short words.
fn large_expression(rng: &mut Rng, states: usize, letters: &[&str], classes: &[&str]) -> String {
    let word = |rng: &mut Rng| (0..rng.usize(2..4)).map(|_| *rng.choice(letters).unwrap()).collect::<String>();
    let mut expression = word(rng);
    let repeats = rng.usize(2..4);
    for _ in 0..repeats {
        let max = (states - 14) / repeats - rng.usize(0..8);
        expression += &format!("{}{{{},{max}}}{}", rng.choice(classes).unwrap(), rng.usize(0..8), word(rng));
    }
    expression
}

/// Checks random expressions of up to `most` states in records of random lengths, cut into batches of random sizes.
fn check_large_expressions(seed: u64, cases: usize, most: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut found = 0;
    for _ in 0..cases {
        let states = rng.usize(200..=most);
        let expression = large_expression(&mut rng, states, &["A", "C"], &["N", "[ACG]", "M", "R"]);
        let set = Arc::new(set(Alphabet::Dna, rng.usize(0..=(600 / states).min(2)), &[&expression]));
        let mut fasta = String::new();
        for record in 0..rng.usize(1..4) {
            let residues = (0..rng.usize(states / 4..3 * states)).map(|_| *rng.choice(&["A", "C", "AC", "G"]).unwrap());
            fasta += &format!(">{record}\n{}\n", residues.collect::<String>());
        }
        for batch in batches(fasta.as_bytes(), &set, rng.usize(100..3 * fasta.len())) {
            found += check((*set).clone(), &batch);
        }
    }
    assert!(found > 100, "{found} hits");
}

#[test]
fn matches_longer_than_the_overlap_of_streams_are_found_in_records() {
    check_large_expressions(35, 4, 420);
}

#[test]
#[ignore = "slow on the stand-in; ci/gpu runs it on a device"]
fn expressions_of_up_to_4096_states_in_records() {
    check_large_expressions(36, 40, 4096);
}

#[test]
fn more_hits_than_are_kept_are_searched_for_in_parts() {
    let mut rng = Rng::with_seed(34);
    let batch = Batch::of_lines(lines(&mut rng, &["ab", "ba", "aab"], 3800), b'\n');
    let expressions = ["a+b*", "b+a*", "[ab]+", ".+a", "a.*", "b.*", "a b*", "b a*", "[^a]+", "[^b]+", "a*b+"];
    let found = check(set(Alphabet::Text, 0, &expressions), &batch);
    assert!(found > 1 << 18, "{found} hits");
}

#[test]
fn long_lines_are_left_to_the_processor() {
    let mut text = vec![b'x'; 9000];
    text.extend_from_slice(b" error time\nerror time\n");
    let (set, batch) = (Arc::new(set(Alphabet::Text, 1, &["er+or.*time"])), Batch::of_lines(text, b'\n'));
    let expected = hits(&EngineChoice::reference(), &set, &batch);
    for choice in tested() {
        assert_eq!(hits(&choice, &set, &batch), expected);
    }
    assert!(expected.len() >= 2);
}
