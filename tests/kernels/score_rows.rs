//! `score_rows.cu`: global alignment by a scan along each row.

use std::fmt::Write;

use fastrand::Rng;
use nigh::pairwise::pairs::Pair;
use nigh::pairwise::{Objective, reference};

use crate::cases::Answers;
use crate::program::{Build, is_skipped, run};
use crate::scored::{CodeScoring, letters, word};

/// Number of columns that a thread computes.
const THREAD_COLUMNS: usize = 8;

/// The results that the kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Score,
    Alignment,
}

/// The pairs of one launch.
struct Batch {
    wanted: Wanted,
    scoring: CodeScoring,
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Batch {
    fn random(rng: &mut Rng, longest: usize) -> Self {
        let scoring = CodeScoring::random(rng);
        let length = |rng: &mut Rng| match rng.u8(..3) {
            0 => *rng.choice(&[1, 7, 8, 9, 63, 64, 65, 255, 256, 257]).unwrap(),
            _ => rng.usize(1..=longest),
        };
        let pair = |_| {
            let (rows, columns) = (length(rng), length(rng));
            let query = scoring.string(rng, rows);
            let similar = scoring.similar(rng, &query, columns);
            let target = if rng.bool() || similar.is_empty() { scoring.string(rng, columns) } else { similar };
            (query, target)
        };
        let pairs = (0..3).map(pair).collect();
        let wanted = if rng.u8(..3) == 0 { Wanted::Score } else { Wanted::Alignment };
        Batch { wanted, scoring, pairs }
    }

    fn words(&self, rng: &mut Rng) -> String {
        let columns = self.pairs.iter().map(|pair| pair.1.len()).max().unwrap();
        let threads = (columns.div_ceil(THREAD_COLUMNS) + rng.usize(..32)).next_multiple_of(32);
        let (seed, keeps) = (rng.u64(..), u8::from(self.wanted == Wanted::Alignment));
        let mut words = format!("score_rows {seed} {keeps} {threads} {}\n{}", self.pairs.len(), self.scoring.words());
        self.pairs.iter().for_each(|(query, target)| writeln!(words, "{} {}", word(query), word(target)).unwrap());
        words
    }

    fn check(&self, answers: &mut Answers<'_>) {
        let objective = Objective::Global(self.scoring.scoring.clone());
        for (query, target) in &self.pairs {
            let case = || format!("{} {} {}", self.scoring.words(), word(query), word(target));
            let expected = reference::align(&objective, Pair { query, target });
            assert_eq!(answers.next::<i64>(), expected.value, "{}", case());
            if self.wanted == Wanted::Alignment {
                assert_eq!(answers.next::<String>(), letters(&expected.cigar), "{}", case());
            }
        }
    }
}

fn check(build: Build, seed: u64, count: usize, longest: usize) {
    let mut rng = Rng::with_seed(seed);
    let batches: Vec<Batch> = (0..count).map(|_| Batch::random(&mut rng, longest)).collect();
    let cases: String = batches.iter().map(|batch| batch.words(&mut rng)).collect();
    let Some(output) = run(build, &cases) else { return };
    let mut answers = Answers::new(&output);
    batches.iter().for_each(|batch| batch.check(&mut answers));
    answers.end();
}

#[test]
fn alignments_by_scan_are_those_of_the_reference() {
    if is_skipped() {
        return;
    }
    check(Build::Plain, 61, 60, 130);
    check(Build::Plain, 62, 6, 1200);
}

#[test]
fn scans_are_clean_under_the_sanitizers() {
    if is_skipped() {
        return;
    }
    check(Build::Sanitized, 63, 8, 300);
}
