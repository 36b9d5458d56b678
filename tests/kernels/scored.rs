//! Code that the tests of `local.cu`, `score_tiles.cu` and `score_rows.cu` share: scorings, and pairs of strings of
//! codes.

use std::fmt::Write;

use fastrand::Rng;
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution, SubstitutionMatrix};
use nigh_text::alignment::{Cigar, Edit};

/// A scoring of codes, and the matrix of its scores.
pub(crate) struct CodeScoring {
    pub(crate) scoring: Scoring,
    pub(crate) classes: usize,
    scores: Vec<i8>,
}

impl CodeScoring {
    /// Makes a scoring from scores, `[query code][target code]`.
    pub(crate) fn new(scores: Vec<i8>, open: i32, extend: i32) -> Self {
        let classes = scores.len().isqrt();
        let class = |byte: usize| u8::try_from(byte).unwrap().wrapping_sub(b'0').min(classes as u8 - 1);
        let matrix = SubstitutionMatrix::new(Box::new(std::array::from_fn(class)), scores.clone().into());
        let scoring = Scoring::new(Substitution::Matrix(matrix), GapCosts { open, extend }).unwrap();
        CodeScoring { scoring, classes, scores }
    }

    /// Makes a random scoring: one of equality, or a matrix, which may be asymmetric.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let classes = *rng.choice(&[1, 2, 4, 20, 25]).unwrap();
        let is_matrix = rng.bool();
        let (equal, different) = (rng.i8(0..12), rng.i8(-9..2));
        let score = |index: usize| match (is_matrix, index / classes == index % classes) {
            (false, true) => equal,
            (false, false) => different,
            (true, true) => rng.i8(0..12),
            (true, false) => rng.i8(-8..5),
        };
        let scores = (0..classes * classes).map(score).collect();
        let open = *rng.choice(&[0, 0, 1, 5, 11, 300]).unwrap();
        let extend = *rng.choice(&[0, 1, 1, 2, 4, 30]).unwrap();
        CodeScoring::new(scores, open, extend)
    }

    /// Returns the scoring as words of the program's input.
    pub(crate) fn words(&self) -> String {
        let gaps = self.scoring.gaps();
        let mut words = format!("{} {} {}", gaps.open, gaps.extend, self.classes);
        self.scores.iter().for_each(|score| write!(words, " {score}").unwrap());
        words.push('\n');
        words
    }

    /// Returns a random string of codes, in which runs of a code are frequent.
    pub(crate) fn string(&self, rng: &mut Rng, length: usize) -> Vec<u8> {
        let mut string = Vec::new();
        while string.len() < length {
            let code = b'0' + rng.u8(..self.classes as u8);
            let run = if rng.u8(..20) == 0 { rng.usize(1..40) } else { 1 };
            string.extend(std::iter::repeat_n(code, run));
        }
        string.truncate(length);
        string
    }

    /// Returns a string that is similar to a part of another.
    pub(crate) fn similar(&self, rng: &mut Rng, string: &[u8], length: usize) -> Vec<u8> {
        let first = rng.usize(..=string.len() / 3);
        let rate = rng.u32(1..25);
        let mut changed = Vec::new();
        for &code in &string[first..] {
            match rng.u32(..100) {
                dice if dice >= rate => changed.push(code),
                dice if dice % 8 == 0 => {
                    let inserted = rng.usize(..20);
                    changed.extend(self.string(rng, inserted));
                }
                dice if dice % 3 == 0 => changed.extend(self.string(rng, 1)),
                _ => {}
            }
        }
        changed.truncate(length);
        changed
    }
}

/// Returns a string of codes as a word of the program's input.
pub(crate) fn word(string: &[u8]) -> &str {
    match string {
        [] => "-",
        _ => std::str::from_utf8(string).unwrap(),
    }
}

/// Returns the letters that the kernels write for the operations of an alignment. Matches and substitutions have the
/// same letter.
pub(crate) fn letters(cigar: &Cigar) -> String {
    let letter = |edit: Edit| match edit {
        Edit::Match | Edit::Substitution => 'M',
        Edit::PatternOnly => 'I',
        Edit::TextOnly => 'D',
        Edit::Overhang => unreachable!("pairs have no overhangs"),
    };
    let letters: String = cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(letter(edit), length)).collect();
    if letters.is_empty() { "-".into() } else { letters }
}
