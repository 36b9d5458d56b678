//! `pairs.cu`, `tiles.cu` and `pair_trace.cu`: edit distances, common subsequences and alignments of pairs, from empty
//! strings to several strips.

use std::fmt::Write;

use fastrand::Rng;
use nigh::pairwise::Objective;
use nigh::pairwise::pairs::Pair;
use nigh::pairwise::reference::align;

use crate::cases::Answers;
use crate::program::{Build, is_skipped, run};

type OwnedPair = (Vec<u8>, Vec<u8>);

/// The symbols of an alphabet, and the bits of a byte in which they differ.
struct Letters {
    symbols: &'static [u8],
    bits: &'static [u32],
}

const ALPHABETS: [Letters; 5] = [
    Letters { symbols: b"ACGT", bits: &[1, 2] },
    Letters { symbols: b"CA", bits: &[2, 1] },
    Letters { symbols: b"ARNDCQEGHILKMFPSTWYV", bits: &[0, 1, 2, 3, 4] },
    Letters { symbols: b"ab \x00\xff\x80\x7f0", bits: &[0, 1, 2, 3, 4, 5, 6, 7] },
    Letters { symbols: b"x", bits: &[7, 6, 5, 4, 3, 2, 1, 0] },
];

/// Pairs for one launch of a kernel, and the value to compute for each.
pub(crate) struct PairLaunch {
    head: String,
    objective: Objective,
    letters: &'static Letters,
    pairs: Vec<OwnedPair>,
}

impl PairLaunch {
    fn words(&self) -> String {
        let bits = self.letters.bits;
        let mut words = format!("{} {}", self.head, bits.len());
        bits.iter().for_each(|bit| write!(words, " {}", 7 - bit).unwrap());
        writeln!(words, " {}", self.pairs.len()).unwrap();
        for (query, target) in &self.pairs {
            writeln!(words, "{} {}", hexadecimal(query), hexadecimal(target)).unwrap();
        }
        words
    }
}

fn hexadecimal(string: &[u8]) -> String {
    let digits: String = string.iter().map(|byte| format!("{byte:02x}")).collect();
    if digits.is_empty() { "-".into() } else { digits }
}

/// Returns the value of a pair by a plain dynamic program in two rows.
fn value(objective: &Objective, query: &[u8], target: &[u8]) -> i64 {
    let is_lcs = *objective == Objective::Lcs;
    let mut above: Vec<i64> = (0..=target.len() as i64).map(|column| if is_lcs { 0 } else { column }).collect();
    for (row, &symbol) in query.iter().enumerate() {
        let mut here = vec![if is_lcs { 0 } else { row as i64 + 1 }];
        for (column, &other) in target.iter().enumerate() {
            let diagonal = above[column] + i64::from((symbol == other) == is_lcs);
            let (left, up) = (here[column], above[column + 1]);
            here.push(if is_lcs { diagonal.max(left).max(up) } else { diagonal.min(left + 1).min(up + 1) });
        }
        above = here;
    }
    above[target.len()]
}

fn string(rng: &mut Rng, letters: &Letters, length: usize) -> Vec<u8> {
    (0..length).map(|_| *rng.choice(letters.symbols).unwrap()).collect()
}

/// Returns a string of this length: unrelated to the query, a copy of it with edits, or a copy with a part moved.
fn related(rng: &mut Rng, letters: &Letters, query: &[u8], length: usize) -> Vec<u8> {
    let mut target = match rng.u8(..4) {
        0 => Vec::new(),
        1 => query[query.len() / 3..].to_vec(),
        _ => query.to_vec(),
    };
    for _ in 0..target.len() / rng.usize(4..40) {
        let at = rng.usize(..target.len());
        match rng.u8(..3) {
            0 => target[at] = *rng.choice(letters.symbols).unwrap(),
            1 => target.insert(at, *rng.choice(letters.symbols).unwrap()),
            _ => drop(target.remove(at)),
        }
    }
    let missing = length.saturating_sub(target.len());
    target.extend(string(rng, letters, missing));
    target.truncate(length);
    target
}

fn pair(rng: &mut Rng, letters: &Letters, (rows, columns): (usize, usize)) -> OwnedPair {
    let query = string(rng, letters, rows);
    let target = related(rng, letters, &query, columns);
    (query, target)
}

/// Returns a random length of at most `longest`, which is often at the end of a word of the bit vectors.
fn length(rng: &mut Rng, longest: usize) -> usize {
    let borders = [0, 1, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 255, 256];
    if rng.bool() { rng.usize(..=longest) } else { (*rng.choice(&borders).unwrap()).min(longest) }
}

fn objective(rng: &mut Rng) -> (&'static str, Objective) {
    if rng.bool() { ("distance", Objective::Distance) } else { ("lcs", Objective::Lcs) }
}

pub(crate) fn short_questions(seed: u64, count: usize) -> Vec<PairLaunch> {
    let mut rng = Rng::with_seed(seed);
    let question = |index: usize| {
        let (name, objective) = objective(&mut rng);
        let letters = &ALPHABETS[index % ALPHABETS.len()];
        let words = *rng.choice(&[1, 2, 4, 8]).unwrap();
        let layout = *rng.choice(&["ends", "ends", "equal", "shared"]).unwrap();
        let (threads, seed, pairs) = (*rng.choice(&[32, 64, 96]).unwrap(), rng.u64(..), rng.usize(1..100));
        let lengths = (length(&mut rng, 32 * words), length(&mut rng, 300));
        let mut pairs: Vec<OwnedPair> = (0..pairs)
            .map(|_| {
                let own = (length(&mut rng, 32 * words), length(&mut rng, 300));
                pair(&mut rng, letters, if layout == "ends" { own } else { lengths })
            })
            .collect();
        if layout == "shared" {
            let query = pairs[0].0.clone();
            pairs.iter_mut().for_each(|pair| pair.0.clone_from(&query));
        }
        PairLaunch { head: format!("pairs {seed} {name} {words} {layout} {threads}"), objective, letters, pairs }
    };
    (0..count).map(question).collect()
}

pub(crate) fn long_questions(seed: u64, lengths: &[(usize, usize)]) -> Vec<PairLaunch> {
    let mut rng = Rng::with_seed(seed);
    let question = |&lengths: &(usize, usize)| {
        let (name, objective) = objective(&mut rng);
        let letters = rng.choice(&ALPHABETS).unwrap();
        let words = *rng.choice(&[1, 1, 2, 4]).unwrap();
        let (warps, blocks, parts, seed) = (rng.usize(1..=4), rng.usize(1..=2), rng.usize(1..=2), rng.u64(..));
        let mut pairs = vec![pair(&mut rng, letters, lengths)];
        for _ in 0..rng.usize(..4) {
            let short = (length(&mut rng, 300), length(&mut rng, 300));
            pairs.push(pair(&mut rng, letters, short));
        }
        rng.shuffle(&mut pairs);
        PairLaunch { head: format!("tiles {seed} {name} {words} {warps} {blocks} {parts}"), objective, letters, pairs }
    };
    lengths.iter().map(question).collect()
}

/// Runs the kernels on all pairs, and compares the values with a plain dynamic program. Returns the number of pairs.
pub(crate) fn check(build: Build, questions: &[PairLaunch]) -> usize {
    let input: String = questions.iter().map(PairLaunch::words).collect();
    let Some(output) = run(build, &input) else { return usize::MAX };
    let mut answers = Answers::new(&output);
    for question in questions {
        for (query, target) in &question.pairs {
            let expected = value(&question.objective, query, target);
            let found: i64 = answers.next();
            assert!(
                found == expected,
                "{build:?}, {}: {} and {} symbols: {found}, not {expected}",
                question.head,
                query.len(),
                target.len()
            );
        }
    }
    answers.end();
    questions.iter().map(|question| question.pairs.len()).sum()
}

/// Returns pairs to align, of up to 32 or up to 64 symbols.
pub(crate) fn trace_questions(seed: u64, count: usize) -> Vec<PairLaunch> {
    let mut rng = Rng::with_seed(seed);
    let question = |index: usize| {
        let letters = &ALPHABETS[index % ALPHABETS.len()];
        let (words, threads, seed) = (rng.usize(1..=2), *rng.choice(&[32, 64, 128]).unwrap(), rng.u64(..));
        let pairs = (0..rng.usize(1..150)).map(|_| {
            let lengths = (length(&mut rng, 32 * words), length(&mut rng, 32 * words));
            pair(&mut rng, letters, lengths)
        });
        let pairs = pairs.collect();
        let head = format!("pair_trace {seed} distance {words} ends {threads}");
        PairLaunch { head, objective: Objective::Distance, letters, pairs }
    };
    (0..count).map(question).collect()
}

/// Aligns all pairs, and compares the alignments with the reference. Returns the number of pairs.
pub(crate) fn check_traces(build: Build, questions: &[PairLaunch]) -> usize {
    let input: String = questions.iter().map(PairLaunch::words).collect();
    let Some(output) = run(build, &input) else { return usize::MAX };
    let mut answers = Answers::new(&output);
    for question in questions {
        for (query, target) in &question.pairs {
            let cigar = align(&question.objective, Pair { query, target }).cigar;
            let edits: String = answers.next();
            assert_eq!(runs(&edits[1..]), cigar.to_string(), "{build:?}, {}: {query:?} {target:?}", question.head);
        }
    }
    answers.end();
    questions.iter().map(|question| question.pairs.len()).sum()
}

/// Returns edits, given as one letter for each, as a CIGAR string.
fn runs(edits: &str) -> String {
    let runs = edits.as_bytes().chunk_by(|a, b| a == b);
    runs.map(|run| format!("{}{}", run.len(), char::from(run[0]))).collect()
}

#[test]
fn traced_pairs_agree_to_the_letter() {
    if is_skipped() {
        return;
    }
    assert!(check_traces(Build::Plain, &trace_questions(60, 60)) > 3000);
    check_traces(Build::Sanitized, &trace_questions(61, 10));
}

#[test]
fn the_plain_program_is_the_reference() {
    for question in short_questions(40, 10) {
        for (query, target) in question.pairs.iter().take(5) {
            let expected = align(&question.objective, Pair { query, target }).value;
            assert_eq!(value(&question.objective, query, target), expected);
        }
    }
}

#[test]
fn short_pairs_have_the_values_of_the_plain_program() {
    if is_skipped() {
        return;
    }
    assert!(check(Build::Plain, &short_questions(41, 200)) > 5000);
}

#[test]
fn long_pairs_have_the_values_of_the_plain_program() {
    if is_skipped() {
        return;
    }
    let mut lengths = vec![(0, 0), (0, 70), (70, 0), (1, 1), (33, 1), (1, 65), (1024, 33), (1025, 34)];
    lengths.extend([(2049, 300), (3000, 31), (5000, 64), (1500, 1500), (4200, 700), (700, 3000), (9000, 97)]);
    let compared: usize = (45..49).map(|seed| check(Build::Plain, &long_questions(seed, &lengths))).sum();
    assert!(compared > 60, "only {compared} pairs were compared");
}

#[test]
fn pairs_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, &short_questions(42, 30));
    check(Build::Sanitized, &long_questions(43, &[(0, 5), (33, 2), (1300, 200), (2100, 65)]));
}
