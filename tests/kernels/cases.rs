//! Texts and patterns in the encoding of the kernels: codes for the text, and sets of codes for the patterns.

use std::collections::HashMap;
use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_pattern::PatternSet;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::text::symbols;

use crate::support::random::{hits, random_set};

/// A hit as the kernels return it: index of the last symbol, pattern, distance.
pub(crate) type CodeHit = (usize, usize, usize);

/// A text of one line or record, and patterns to search for in it.
pub(crate) struct Case {
    pub(crate) set: Arc<PatternSet>,
    batch: Batch<'static>,
    /// Code of each symbol of the text; 0 if no pattern contains it.
    codes: Vec<u8>,
    /// For each pattern and row, the codes that match.
    rows: Vec<Vec<Vec<u8>>>,
    pub(crate) planes: usize,
}

impl Case {
    /// Makes a case with random codes for the classes of symbols, in a random number of planes that is large enough.
    pub(crate) fn new(rng: &mut Rng, set: Arc<PatternSet>, text: &[u8]) -> Case {
        let batch = match set.alphabet() {
            Alphabet::Text | Alphabet::Bytes => Batch::of_lines(text.to_vec(), b'\n'),
            Alphabet::Dna | Alphabet::Protein => Batch::of_record(text.to_vec()),
        };
        let sets: Vec<_> = set.patterns().iter().flat_map(|pattern| pattern.symbols()).collect();
        let mut classes: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut members: Vec<Vec<bool>> = Vec::new();
        let text: Vec<usize> = symbols(set.alphabet(), text)
            .map(|placed| {
                let member: Vec<bool> = sets.iter().map(|set| set.contains(placed.symbol)).collect();
                if !member.contains(&true) {
                    return 0;
                }
                *classes.entry(member.clone()).or_insert_with(|| {
                    members.push(member);
                    members.len()
                })
            })
            .collect();
        let least = (2..=6).find(|planes| 1 << planes > members.len()).expect("the text has few classes of symbols");
        let planes = rng.usize(least..=6);
        let mut numbers: Vec<u8> = (1..1 << planes).collect();
        rng.shuffle(&mut numbers);
        numbers.insert(0, 0);
        let codes_of = |row: usize| -> Vec<u8> {
            let classes = (1..=members.len()).filter(|class| members[class - 1][row]);
            classes.map(|class| numbers[class]).collect()
        };
        let mut row = 0;
        let rows = set.patterns().iter().map(|pattern| {
            let first = row;
            row += pattern.symbols().len();
            (first..row).map(codes_of).collect()
        });
        let rows = rows.collect();
        let codes = text.into_iter().map(|class| numbers[class]).collect();
        Case { set, batch, codes, rows, planes }
    }

    /// Returns the text.
    pub(crate) fn batch(&self) -> &Batch<'static> {
        &self.batch
    }

    /// Returns the text and the patterns as words of the program's input.
    pub(crate) fn words(&self) -> String {
        let mut words = format!("{}\n", letters(&self.codes));
        for (rows, pattern) in self.rows.iter().zip(self.set.patterns()) {
            write!(words, "{} {}", rows.len(), pattern.k()).unwrap();
            rows.iter().for_each(|codes| write!(words, " {}", letters(codes)).unwrap());
            words.push('\n');
        }
        words
    }

    /// Returns the hits of the reference.
    pub(crate) fn expected(&self) -> Vec<CodeHit> {
        let places: HashMap<usize, usize> =
            symbols(self.set.alphabet(), self.batch.bytes()).enumerate().map(|(index, p)| (p.end, index)).collect();
        let found = hits(&EngineChoice::reference(), &self.set, &self.batch);
        let mut found: Vec<CodeHit> = found.iter().map(|hit| (places[&hit.end], hit.pattern, hit.distance)).collect();
        found.sort_unstable();
        found
    }
}

/// Returns a random set of patterns with at most this many symbols.
pub(crate) fn short_set(
    rng: &mut Rng,
    alphabet: Alphabet,
    text: &[u8],
    letters: &[&[u8]],
    longest: usize,
) -> Arc<PatternSet> {
    loop {
        let set = random_set(rng, alphabet, text, letters, longest);
        if set.patterns().iter().all(|pattern| pattern.symbols().len() <= longest) {
            return set;
        }
    }
}

fn letters(codes: &[u8]) -> String {
    match codes {
        [] => "-".into(),
        _ => codes.iter().map(|code| char::from(b'0' + code)).collect(),
    }
}

/// Reads numbers from the output of the program.
pub(crate) struct Answers<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(output: &'a str) -> Self {
        Answers { words: output.split_ascii_whitespace() }
    }

    pub(crate) fn next<T: FromStr>(&mut self) -> T {
        self.words.next().and_then(|word| word.parse().ok()).expect("a number")
    }

    /// Returns the number of hits, and the hits in the buffer, in order.
    pub(crate) fn hits(&mut self) -> (usize, Vec<CodeHit>) {
        let (found, kept): (usize, usize) = (self.next(), self.next());
        let mut hits: Vec<CodeHit> = (0..kept).map(|_| (self.next(), self.next(), self.next())).collect();
        hits.sort_unstable();
        (found, hits)
    }

    pub(crate) fn end(mut self) {
        assert_eq!(self.words.next(), None, "the program printed more answers than expected");
    }
}
