//! Values and alignments of pairs on a device equal those of the reference, for short and long pairs.

use fastrand::Rng;
use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution};
use nigh::pairwise::{Objective, PairAligner, PairAlignment, matrices};
use nigh_engine::EngineChoice;

use crate::tested;

/// Strings that own their bytes.
type Owned = Vec<Vec<u8>>;

/// Compares values and alignments with those of the reference.
fn check(objective: &Objective, pairs: &Pairs<'_>) {
    let reference = PairAligner::with_engine(objective.clone(), EngineChoice::reference(), 1).unwrap();
    let expected = reference.alignments(pairs).unwrap();
    let values: Vec<i64> = expected.iter().map(|aligned: &PairAlignment| aligned.value).collect();
    for choice in tested() {
        let aligner = PairAligner::with_engine(objective.clone(), choice, 2).unwrap();
        assert_eq!(aligner.values(pairs).unwrap(), values, "{objective:?}");
        assert_eq!(aligner.alignments(pairs).unwrap(), expected, "{objective:?}");
    }
}

fn scoring(equal: i8, different: i8, open: i32, extend: i32) -> Scoring {
    Scoring::new(Substitution::Equality { equal, different }, GapCosts { open, extend }).unwrap()
}

/// Returns a scoring with BLOSUM62.
fn blosum() -> Scoring {
    let matrix = matrices::built_in("BLOSUM62").unwrap();
    Scoring::new(Substitution::Matrix(matrix), GapCosts { open: 11, extend: 1 }).unwrap()
}

fn edit_objectives() -> [Objective; 2] {
    [Objective::Distance, Objective::Lcs]
}

fn string(rng: &mut Rng, letters: &[u8], length: usize) -> Vec<u8> {
    (0..length).map(|_| letters[rng.usize(..letters.len())]).collect()
}

/// Returns a copy of a string with about one edit in `rate` symbols.
fn edited(rng: &mut Rng, string: &[u8], letters: &[u8], rate: usize) -> Vec<u8> {
    let mut edited = Vec::new();
    for &symbol in string {
        let other = letters[rng.usize(..letters.len())];
        match rng.usize(..3 * rate) {
            0 => edited.push(other),
            1 => edited.extend([symbol, other]),
            2 => {}
            _ => edited.push(symbol),
        }
    }
    edited
}

/// Returns queries and targets of up to `longest` symbols, half of them related. The first ones are empty.
fn random_pairs(rng: &mut Rng, letters: &[u8], longest: usize, count: usize) -> (Owned, Owned) {
    let mut lengths = vec![0, 0, 1, longest];
    lengths.resize_with(count, || rng.usize(..=longest));
    let mut pair = |(index, &length): (usize, &usize)| {
        let query = string(rng, letters, length);
        let mut target = match index % 2 {
            0 => edited(rng, &query, letters, 8),
            _ => string(rng, letters, longest / (index % 3 + 1)),
        };
        target.truncate(longest);
        (query, target)
    };
    lengths.iter().enumerate().map(&mut pair).unzip()
}

fn slices(strings: &[Vec<u8>]) -> Vec<&[u8]> {
    strings.iter().map(Vec::as_slice).collect()
}

fn check_zipped(objective: &Objective, queries: &[Vec<u8>], targets: &[Vec<u8>]) {
    let (queries, targets) = (slices(queries), slices(targets));
    check(objective, &Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets)));
}

#[test]
fn short_pairs_of_every_length_and_alphabet() {
    let mut rng = Rng::with_seed(31);
    for objective in edit_objectives() {
        for (longest, letters) in [(32, &b"ACGT"[..]), (64, b"ARNDCQEGHILKMFPSTWYV"), (256, b"a\x00\xff b\x80")] {
            let (queries, targets) = random_pairs(&mut rng, letters, longest, 40);
            check_zipped(&objective, &queries, &targets);
        }
    }
}

#[test]
fn short_pairs_in_every_layout() {
    let mut rng = Rng::with_seed(32);
    let (queries, targets) = (string(&mut rng, b"ACGT", 300 * 20), string(&mut rng, b"ACGT", 300 * 23));
    let mut end = 0;
    let mut next_end = |index: usize| {
        end += index % 21;
        end
    };
    let ends: Vec<usize> = (0..300).map(&mut next_end).collect();
    for objective in edit_objectives() {
        let equal = Strings::Equal { bytes: &queries, length: 20 };
        let packed = Strings::Packed { bytes: &queries, ends: &ends };
        let targets = Strings::Equal { bytes: &targets, length: 23 };
        check(&objective, &Pairs::zipped(equal, targets));
        check(&objective, &Pairs::zipped(packed, targets));
        check(&objective, &Pairs::OneToMany { query: b"ACGTTGCATTGACA", targets });
        check(&objective, &Pairs::OneToMany { query: b"", targets: packed });
    }
}

#[test]
fn long_pairs_by_edits() {
    let mut rng = Rng::with_seed(33);
    for objective in edit_objectives() {
        let mut queries = vec![string(&mut rng, b"ACGT", 2500), string(&mut rng, b"ACGTN", 300), Vec::new()];
        let mut targets = vec![edited(&mut rng, &queries[0], b"ACGT", 9), string(&mut rng, b"ACGTN", 1100)];
        targets.push(string(&mut rng, b"AC", 400));
        check_zipped(&objective, &queries, &targets);
        queries.push(string(&mut rng, b"ACGT", 20));
        targets.push(string(&mut rng, b"ACGT", 5000));
        check_zipped(&objective, &targets, &queries);
    }
}

#[test]
fn a_query_is_searched_for_in_a_database() {
    let mut rng = Rng::with_seed(34);
    for scoring in [blosum(), scoring(2, -3, 5, 2), scoring(1, -1, 0, 1), scoring(127, -128, 1000, 1000)] {
        let letters = b"ARNDCQEGHILKMFPSTWYV";
        for length in [0, 1, 33, 300, 1600] {
            let query = string(&mut rng, letters, length);
            let mut targets: Owned = (0..12).map(|index| string(&mut rng, letters, 17 * index)).collect();
            targets.push(edited(&mut rng, &query, letters, 12));
            let targets = slices(&targets);
            let pairs = Pairs::OneToMany { query: &query, targets: Strings::Slices(&targets) };
            check(&Objective::Local(scoring.clone()), &pairs);
        }
    }
}

#[test]
fn scores_of_pairs_of_every_size() {
    let mut rng = Rng::with_seed(35);
    for scoring in [blosum(), scoring(2, -3, 5, 2), scoring(1, -1, 0, 1)] {
        for longest in [40, 600] {
            let (queries, targets) = random_pairs(&mut rng, b"ARNDCQEGHILKMFPSTWYV", longest, 7);
            check_zipped(&Objective::Global(scoring.clone()), &queries, &targets);
            check_zipped(&Objective::Local(scoring.clone()), &queries, &targets);
        }
    }
    // The target is too long for a block in which each thread computes eight columns.
    let (queries, targets) = (vec![string(&mut rng, b"ACGT", 30)], vec![string(&mut rng, b"ACGT", 9000)]);
    check_zipped(&Objective::Global(scoring(2, -3, 5, 2)), &queries, &targets);
}

#[test]
fn every_kernel_for_pairs_sanitized() {
    let mut rng = Rng::with_seed(36);
    let letters = b"ARNDCQEGHILKMFPSTWYV";
    for objective in edit_objectives() {
        for longest in [30, 60, 120, 250] {
            let (queries, targets) = random_pairs(&mut rng, letters, longest, 6);
            check_zipped(&objective, &queries, &targets);
        }
        for letters in [&b"ACGT"[..], letters, b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"] {
            let queries = vec![string(&mut rng, letters, 1100)];
            check_zipped(&objective, &queries, &[edited(&mut rng, &queries[0], letters, 5)]);
        }
    }
    let (queries, targets) = random_pairs(&mut rng, letters, 300, 5);
    for scoring in [scoring(2, -3, 5, 2), scoring(127, -128, 1000, 1000)] {
        check_zipped(&Objective::Global(scoring.clone()), &queries, &targets);
        check_zipped(&Objective::Local(scoring.clone()), &queries, &targets);
        let targets = slices(&targets);
        let pairs = Pairs::OneToMany { query: &queries[3], targets: Strings::Slices(&targets) };
        check(&Objective::Local(scoring), &pairs);
    }
}
