//! `score_tiles.cu`: global and local alignment in tiles, with traceback.

use fastrand::Rng;
use nigh::pairwise::pairs::Pair;
use nigh::pairwise::{Objective, PairAlignment, reference};

use crate::cases::Answers;
use crate::program::{Build, is_skipped, run};
use crate::scored::{CodeScoring, letters, word};

/// The part of the strings that is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Global,
    Local,
}

/// The borders of tiles that the launches keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Borders {
    /// The borders of the last tiles.
    Last,
    /// All borders, for the traceback.
    All,
}

/// Two strings to align.
struct Alignment {
    extent: Extent,
    borders: Borders,
    scoring: CodeScoring,
    query: Vec<u8>,
    target: Vec<u8>,
}

impl Alignment {
    fn random(rng: &mut Rng, longest: usize) -> Self {
        let scoring = CodeScoring::random(rng);
        let length = |rng: &mut Rng| match rng.u8(..4) {
            0 => *rng.choice(&[1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 511, 512, 513]).unwrap(),
            _ => rng.usize(1..=longest),
        };
        let (rows, columns) = (length(rng), length(rng));
        let query = scoring.string(rng, rows);
        let similar = scoring.similar(rng, &query, columns);
        let target = if rng.bool() || similar.is_empty() { scoring.string(rng, columns) } else { similar };
        let extent = *rng.choice(&[Extent::Global, Extent::Local]).unwrap();
        let borders = if rng.u8(..3) == 0 { Borders::Last } else { Borders::All };
        Alignment { extent, borders, scoring, query, target }
    }

    fn words(&self, rng: &mut Rng) -> String {
        let (seed, local, keeps) =
            (rng.u64(..), u8::from(self.extent == Extent::Local), u8::from(self.borders == Borders::All));
        let (scoring, query, target) = (self.scoring.words(), word(&self.query), word(&self.target));
        format!("score_tiles {seed} {local} {keeps}\n{scoring}{query} {target}\n")
    }

    fn expected(&self) -> PairAlignment {
        let objective = match self.extent {
            Extent::Global => Objective::Global(self.scoring.scoring.clone()),
            Extent::Local => Objective::Local(self.scoring.scoring.clone()),
        };
        reference::align(&objective, Pair { query: &self.query, target: &self.target })
    }

    fn check(&self, answers: &mut Answers<'_>) {
        let case = || self.words(&mut Rng::with_seed(0));
        let expected = self.expected();
        let found: (i64, usize, usize) = (answers.next(), answers.next(), answers.next());
        assert_eq!(found, (expected.value, expected.query.end, expected.target.end), "{}", case());
        if self.borders == Borders::All {
            let found: (usize, usize, String) = (answers.next(), answers.next(), answers.next());
            let edits = letters(&expected.cigar);
            assert_eq!(found, (expected.query.start, expected.target.start, edits), "{}", case());
        }
    }
}

fn check(build: Build, seed: u64, count: usize, longest: usize) {
    let mut rng = Rng::with_seed(seed);
    let alignments: Vec<Alignment> = (0..count).map(|_| Alignment::random(&mut rng, longest)).collect();
    let cases: String = alignments.iter().map(|alignment| alignment.words(&mut rng)).collect();
    let Some(output) = run(build, &cases) else { return };
    let mut answers = Answers::new(&output);
    alignments.iter().for_each(|alignment| alignment.check(&mut answers));
    answers.end();
}

#[test]
fn alignments_in_tiles_are_those_of_the_reference() {
    if is_skipped() {
        return;
    }
    check(Build::Plain, 51, 80, 300);
    check(Build::Plain, 52, 12, 900);
}

#[test]
fn tiles_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, 53, 12, 300);
}
