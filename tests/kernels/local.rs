//! `local.cu`: best local scores of a query with many targets.

use std::fmt::Write;

use fastrand::Rng;
use nigh::pairwise::pairs::Pair;
use nigh::pairwise::{Objective, reference};

use crate::cases::Answers;
use crate::program::{Build, is_skipped, run};
use crate::scored::{CodeScoring, word};

/// The result of the 16-bit kernel for a score that may not fit into 16 bits.
const OVERFLOW: i64 = -1;

/// A query, targets, and the layout of the launch.
struct Search {
    bits: usize,
    rows: usize,
    lanes: usize,
    scoring: CodeScoring,
    query: Vec<u8>,
    targets: Vec<Vec<u8>>,
}

impl Search {
    /// Makes a search of random targets, some of them similar to the query.
    fn random(rng: &mut Rng) -> Self {
        let (bits, rows) = *rng.choice(&[(16, 16), (16, 32), (16, 48), (32, 32)]).unwrap();
        let lanes = 1 << rng.usize(..=5);
        let scoring = CodeScoring::random(rng);
        let length = rng.usize(..(3 * rows * lanes).min(250));
        let query = scoring.string(rng, length);
        let targets = (0..rng.usize(1..20)).map(|_| {
            let length = if rng.u8(..6) == 0 { rng.usize(..3) } else { rng.usize(..140) };
            if rng.bool() { scoring.similar(rng, &query, length) } else { scoring.string(rng, length) }
        });
        let targets = targets.collect();
        Search { bits, rows, lanes, scoring, query, targets }
    }

    fn words(&self, rng: &mut Rng) -> String {
        let Search { bits, rows, lanes, targets, .. } = self;
        let (seed, blocks, threads) = (rng.u64(..), rng.usize(1..4), 32 * rng.usize(1..4));
        let mut words = format!("local {seed} {bits} {rows} {lanes} {blocks} {threads} {}\n", targets.len());
        words += &self.scoring.words();
        writeln!(words, "{}", word(&self.query)).unwrap();
        targets.iter().for_each(|target| writeln!(words, "{}", word(target)).unwrap());
        words
    }

    /// Compares the answers with the reference. Returns the number of scores that did not fit.
    fn check(&self, answers: &mut Answers<'_>) -> usize {
        let objective = Objective::Local(self.scoring.scoring.clone());
        let gaps = self.scoring.scoring.gaps();
        let limit = i64::from(i16::MAX) - i64::from(self.scoring.scoring.max_score() + gaps.open + gaps.extend);
        let mut overflows = 0;
        for target in &self.targets {
            let found: (i64, usize, usize) = (answers.next(), answers.next(), answers.next());
            let aligned = reference::align(&objective, Pair { query: &self.query, target });
            let expected = match self.bits {
                32 => (aligned.value, aligned.query.end, aligned.target.end),
                _ if aligned.value > limit => (OVERFLOW, 0, 0),
                _ => (aligned.value, 0, 0),
            };
            overflows += usize::from(expected.0 == OVERFLOW);
            assert_eq!(found, expected, "{} {}", word(target), self.words(&mut Rng::with_seed(0)));
        }
        overflows
    }
}

fn check(build: Build, rng: &mut Rng, searches: &[Search]) -> usize {
    let cases: String = searches.iter().map(|search| search.words(rng)).collect();
    let Some(output) = run(build, &cases) else { return 0 };
    let mut answers = Answers::new(&output);
    let overflows = searches.iter().map(|search| search.check(&mut answers)).sum();
    answers.end();
    overflows
}

/// Returns a search with scores that are near the largest 16-bit number, or exceed it.
fn overflowing_search(rng: &mut Rng, bits: usize, rows: usize) -> Search {
    let scoring = CodeScoring::new(vec![127, -128, -3, 120], 1000, 1000);
    let query = vec![b'0'; 270];
    let targets = (235..255).chain([0, 270, 300]).map(|length| {
        let mut target = vec![b'0'; length];
        target.extend(scoring.string(rng, 10));
        target
    });
    let targets = targets.collect();
    Search { bits, rows, lanes: 256 / rows, scoring, query, targets }
}

#[test]
fn scores_are_those_of_the_reference() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(41);
    let searches: Vec<Search> = (0..150).map(|_| Search::random(&mut rng)).collect();
    check(Build::Plain, &mut rng, &searches);
}

#[test]
fn a_score_of_more_than_16_bits_is_reported() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(42);
    let searches = [(16, 16), (32, 32)].map(|(bits, rows)| overflowing_search(&mut rng, bits, rows));
    let overflows = check(Build::Plain, &mut rng, &searches);
    assert!((3..20).contains(&overflows), "{overflows}");
}

#[test]
fn searches_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    let mut rng = Rng::with_seed(43);
    let mut searches: Vec<Search> = (0..20).map(|_| Search::random(&mut rng)).collect();
    searches.push(overflowing_search(&mut rng, 16, 16));
    check(Build::Sanitized, &mut rng, &searches);
}
