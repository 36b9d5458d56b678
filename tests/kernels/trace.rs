//! `quadrant.cu` and `walk.cu`: the starts and the edits of alignments.

use std::fmt::Write;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alignment::Alignment;
use nigh_text::alphabet::Alphabet;
use nigh_text::hit::Hit;
use nigh_text::text::{PlacedSymbol, symbols};

use crate::cases::{Answers, Case, short_set};
use crate::program::{Build, is_skipped, run};
use crate::support::random::{ALPHABETS, hits, letters, random_text};

/// Hits to align, and their alignments by the reference.
pub(crate) struct Question {
    case: Case,
    rows: usize,
    hits: Vec<Hit>,
    expected: Vec<Alignment>,
    placed: Vec<PlacedSymbol>,
}

impl Question {
    fn new(case: Case, rows: usize, hits: Vec<Hit>) -> Question {
        let engine = engine(EngineChoice::reference(), case.set.clone(), 1).unwrap();
        let mut expected = Vec::new();
        engine.aligner().unwrap().align(case.batch(), &hits, &mut expected).unwrap();
        let placed = symbols(case.set.alphabet(), case.batch().bytes()).collect();
        Question { case, rows, hits, expected, placed }
    }

    /// Returns the index of the symbol that starts at this offset of the text.
    fn index(&self, start: usize) -> usize {
        self.placed.partition_point(|placed| placed.start < start)
    }

    fn words(&self, rng: &mut Rng) -> String {
        let Question { case, rows, .. } = self;
        let threads = *rng.choice(&[32, 64, 128]).unwrap();
        let (codes, patterns) = (1 << case.planes, case.set.patterns().len());
        let seed = rng.u64(..);
        let mut words = format!("trace {seed} {rows} {threads} {codes} {patterns} {}\n", self.hits.len());
        words += &case.words();
        for hit in &self.hits {
            let end = self.index(hit.end);
            let covered = case.set.patterns()[hit.pattern].symbols().len() + hit.distance;
            writeln!(words, "{} {end} {}", end.saturating_sub(covered), hit.pattern).unwrap();
        }
        words
    }

    /// Compares the answers with the expected alignments.
    fn check(&self, answers: &mut Answers<'_>) {
        for (hit, expected) in self.hits.iter().zip(&self.expected) {
            let (start, letters): (usize, String) = (answers.next(), answers.next());
            let runs = expected.cigar.runs();
            let edits: String = runs.flat_map(|(length, edit)| vec![char::from(edit.letter()); length]).collect();
            let case = || format!("{hit:?} of {:?}, text {}", self.case.set.patterns(), self.case.words());
            assert_eq!((start, letters), (self.index(expected.start), edits), "{}", case());
        }
    }
}

fn random_case(rng: &mut Rng, index: usize, rows: usize) -> Case {
    let alphabet = ALPHABETS[index % ALPHABETS.len()];
    let letters = letters(alphabet, rng);
    let length = rng.usize(1..300);
    let text = random_text(rng, &letters, length);
    let longest = *rng.choice(&[3, 12, rows]).unwrap();
    let set = short_set(rng, alphabet, &text, &letters, longest);
    Case::new(rng, set, &text)
}

/// Returns the hits of a search.
fn free_question(rng: &mut Rng, index: usize, rows: usize) -> Question {
    let case = random_case(rng, index, rows);
    let mut found = hits(&EngineChoice::reference(), &case.set, case.batch());
    rng.shuffle(&mut found);
    found.truncate(60);
    Question::new(case, rows, found)
}

/// Returns a long and a short pattern, in a text with exact and edited copies of the long one.
fn long_case(rng: &mut Rng, length: usize) -> Case {
    let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T", b"C", b"A"];
    let pattern = match rng.u8(0..3) {
        0 => random_text(rng, letters, length),
        _ => (0..length).flat_map(|_| rng.choice(letters).unwrap().to_vec()).collect(),
    };
    let mut damaged = pattern.clone();
    for _ in 0..rng.usize(1..4) {
        let (at, gone) = (rng.usize(..length / 2), rng.usize(..=length / 30));
        damaged.drain(at..at + gone);
        let more = rng.usize(..=length / 30);
        let more = random_text(rng, letters, more);
        damaged.splice(length / 3..length / 3, more);
    }
    (0..length / 40).for_each(|_| damaged[rng.usize(..length / 2)] = b'T');
    let text = [b"GGTC", &damaged[length / 20..], b"AC", &pattern[..], &damaged].concat();
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Percent(25));
    let short = PatternSource::new("ACGGTN".repeat(rng.usize(1..12)));
    let set = builder.build(&[PatternSource::new(pattern), short]).unwrap();
    Case::new(rng, set.into(), &text)
}

/// Returns the best and some other hits of a long pattern.
fn long_question(rng: &mut Rng, (length, rows): (usize, usize), count: usize) -> Question {
    let case = long_case(rng, length);
    let mut found = hits(&EngineChoice::cpu(), &case.set, case.batch());
    rng.shuffle(&mut found);
    found.sort_by_key(|hit| hit.pattern);
    let of_long = found.partition_point(|hit| hit.pattern == 0);
    let last = found.len().min(of_long + count);
    let best = found[..of_long].iter().min_by_key(|hit| hit.distance).copied();
    let mut some: Vec<Hit> = found[of_long.saturating_sub(count)..last].to_vec();
    some.extend(best);
    rng.shuffle(&mut some);
    Question::new(case, rows, some)
}

pub(crate) fn short_questions(seed: u64, count: usize) -> Vec<Question> {
    let mut rng = Rng::with_seed(seed);
    let question = |index: usize| free_question(&mut rng, index, if index.is_multiple_of(2) { 32 } else { 64 });
    (0..count).map(question).collect()
}

/// Returns `count` hits for each of `lengths`: pairs of the length of a pattern and the number of rows of the kernel's
/// module.
pub(crate) fn long_questions(seed: u64, lengths: &[(usize, usize)], count: usize) -> Vec<Question> {
    let mut rng = Rng::with_seed(seed);
    lengths.iter().map(|&length| long_question(&mut rng, length, count)).collect()
}

/// Aligns all hits, and compares the alignments with the reference. Returns the number of hits.
pub(crate) fn check(build: Build, seed: u64, mut questions: Vec<Question>) -> usize {
    let mut rng = Rng::with_seed(seed);
    questions.retain(|question| !question.hits.is_empty());
    let input: String = questions.iter().map(|question| question.words(&mut rng)).collect();
    let Some(output) = run(build, &input) else { return usize::MAX };
    let mut answers = Answers::new(&output);
    questions.iter().for_each(|question| question.check(&mut answers));
    answers.end();
    questions.iter().map(|question| question.hits.len()).sum()
}

#[test]
fn tracebacks_agree_to_the_letter() {
    if is_skipped() {
        return;
    }
    let compared = check(Build::Plain, 31, short_questions(31, 600));
    assert!(compared > 10_000, "only {compared} hits were compared");
}

#[test]
fn tracebacks_of_long_patterns_agree_to_the_letter() {
    if is_skipped() {
        return;
    }
    let some = [65, 100, 128, 129, 500].map(|length| [(length, 1024), (length, 2048), (length, 4096)]);
    let compared: usize =
        (0..4).map(|seed| check(Build::Plain, seed, long_questions(seed, some.as_flattened(), 24))).sum();
    assert!(compared > 1000, "only {compared} hits were compared");
    let long = [(1000, 1024), (1024, 1024), (1025, 2048), (2048, 2048), (2050, 4096)];
    let compared = check(Build::Plain, 33, long_questions(33, &long, 8));
    assert!(compared > 40, "only {compared} hits were compared");
}

#[test]
fn tracebacks_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, 32, short_questions(32, 100));
    check(Build::Sanitized, 34, long_questions(34, &[(65, 1024), (129, 2048), (150, 4096), (1025, 2048)], 3));
}
