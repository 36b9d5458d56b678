use fastrand::Rng;

use super::*;
use crate::test_cases::random_pair;
use crate::{Objective, reference};

const MODELS: [(EditModel, Objective); 2] =
    [(EditModel::Levenshtein, Objective::Distance), (EditModel::Indel, Objective::Lcs)];

/// Sizes that make many passes, tiles and threads of short strings.
fn small_sizes(rng: &mut Rng) -> Sizes {
    let vectors = Some(1 << rng.u32(..3));
    Sizes { first_edits: Some(rng.usize(1..4)), tile: Some(rng.usize(1..100)), vectors, cells_per_thread: 1 }
}

/// Compares all results of a pair with the expected alignment.
fn check(long: &mut LongPairs<'_>, model: EditModel, pair: Pair<'_>, expected: &PairAlignment) {
    let value = expected.value as usize;
    let distance = match model {
        EditModel::Levenshtein => value,
        EditModel::Indel => pair.query.len() + pair.target.len() - 2 * value,
    };
    let case = |bound| format!("{} {:?} {model:?} {bound:?} {pair:?}", long.isa.name(), long.sizes);
    let (case, bounds) = (case(""), [0, distance / 2, distance.saturating_sub(1), distance, distance + 1]);
    assert_eq!(long.distance(model, pair, None), Some(distance), "{case}");
    for bound in bounds {
        let expected = Some(distance).filter(|&distance| distance <= bound);
        assert_eq!(long.distance(model, pair, Some(bound)), expected, "{bound} {case}");
    }
    assert_eq!(&long.align(model, pair), expected, "{case}");
}

/// Compares all results of a pair with the reference, for each instruction set, with tuned and with small sizes.
fn check_all(pair: Pair<'_>, rng: &mut Rng) {
    for (model, objective) in MODELS {
        let expected = reference::align(&objective, pair);
        for isa in Isa::all() {
            for sizes in [Sizes::TUNED, small_sizes(rng)] {
                let team = Team::new(rng.usize(1..=4));
                let mut long = LongPairs::new(isa, &team);
                long.sizes = sizes;
                check(&mut long, model, pair, &expected);
            }
        }
    }
}

/// Returns the distance by a program of two rows.
fn plain_distance(model: EditModel, pair: Pair<'_>) -> usize {
    let substitution = if model == EditModel::Indel { 2 } else { 1 };
    let mut row: Vec<usize> = (0..=pair.target.len()).collect();
    for (index, &symbol) in pair.query.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, &other) in pair.target.iter().enumerate() {
            let cost = if symbol == other { 0 } else { substitution };
            let best = (diagonal + cost).min(row[column] + 1).min(row[column + 1] + 1);
            diagonal = std::mem::replace(&mut row[column + 1], best);
        }
    }
    row[pair.target.len()]
}

#[test]
fn random_pairs_equal_the_reference() {
    let mut rng = Rng::with_seed(1);
    for length in [1, 3, 40, 70, 140, 300] {
        for _ in 0..20 {
            let (query, target) = random_pair(&mut rng, length);
            check_all(Pair { query: &query, target: &target }, &mut rng);
        }
    }
}

#[test]
fn lengths_around_block_borders_equal_the_reference() {
    let mut rng = Rng::with_seed(2);
    let lengths = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1025];
    for query in lengths {
        let target = lengths[rng.usize(..lengths.len())];
        let [query, target] = [query, target].map(|length| (0..length).map(|_| rng.u8(b'a'..b'd')).collect::<Vec<_>>());
        check_all(Pair { query: &query, target: &target }, &mut rng);
    }
}

#[test]
fn long_pairs_equal_a_plain_program() {
    let mut rng = Rng::with_seed(3);
    let team = Team::new(3);
    for isa in Isa::all() {
        let mut long = LongPairs::new(isa, &team);
        for case in 0..6 {
            long.sizes = if case % 2 == 0 { Sizes::TUNED } else { Sizes { tile: Some(77), ..small_sizes(&mut rng) } };
            let (query, target) = random_pair(&mut rng, 4000);
            let pair = Pair { query: &query, target: &target };
            for (model, _) in MODELS {
                let distance = plain_distance(model, pair);
                assert_eq!(long.distance(model, pair, None), Some(distance));
                let aligned = long.align(model, pair);
                let steps = aligned.cigar.runs().filter(|(_, edit)| *edit != Edit::Match);
                assert_eq!(steps.map(|(length, _)| length).sum::<usize>(), distance);
            }
        }
    }
}

#[test]
fn shifted_copies_equal_the_reference() {
    let mut rng = Rng::with_seed(4);
    let copied: Vec<u8> = (0..900).map(|_| b"ACGT"[rng.usize(..4)]).collect();
    let inserted: Vec<u8> = (0..250).map(|_| b"ACGT"[rng.usize(..4)]).collect();
    let query = [&inserted[..], &copied].concat();
    let target = [&copied[..], &inserted[..200]].concat();
    check_all(Pair { query: &query, target: &target }, &mut rng);
    check_all(Pair { query: &query, target: &target[700..] }, &mut rng);
    check_all(Pair { query: &target[..30], target: &query }, &mut rng);
}

#[test]
fn a_panic_in_a_tile_ends_all_threads() {
    let (isa, string) = (Isa::all()[0], [b'A'; 4000]);
    let mut symbols = CodedPair::default();
    symbols.set(Pair { query: &string, target: &string });
    let band = DiagonalBand::of(string.len(), string.len(), string.len());
    let grid =
        BandGrid { rows: string.len(), columns: string.len(), words: isa.streams() / 64, vectors: 1, tile: 64, band };
    let mut query = Vec::new();
    symbols.query_planes(grid.words, grid.vectors, &mut query);
    // The last strips have no query.
    query.truncate(query.len() / 2);
    let pass =
        Pass { isa, model: EditModel::Levenshtein, grid: &grid, symbols: &symbols, query: &query, edits: string.len() };
    let (team, windows) = (Team::new(2), Mutex::default());
    let resources = PassResources { team: &team, max_threads: 2, windows: &windows, checkpoints: &[] };
    let run = std::panic::AssertUnwindSafe(|| pass.run(&resources));
    assert!(std::panic::catch_unwind(run).is_err());
}

/// Returns a random string of nucleotides, and a copy with `rate` edits for each 100 symbols.
fn similar(rng: &mut Rng, length: usize, rate: u32) -> (Vec<u8>, Vec<u8>) {
    let query: Vec<u8> = (0..length).map(|_| b"ACGT"[rng.usize(..4)]).collect();
    let mut target = Vec::with_capacity(length);
    for &symbol in &query {
        match (rng.u32(..100) < rate, rng.u8(..3)) {
            (false, _) => target.push(symbol),
            (true, 0) => {}
            (true, 1) => target.push(b"ACGT"[rng.usize(..4)]),
            (true, _) => target.extend([b"ACGT"[rng.usize(..4)], symbol]),
        }
    }
    (query, target)
}

#[test]
fn a_probe_tells_how_similar_strings_are() {
    let mut rng = Rng::with_seed(21);
    let team = Team::new(1);
    for (model, _) in MODELS {
        let mut long = LongPairs::new(Isa::all()[0], &team);
        for (length, rate) in [(200_000, 5), (200_000, 20), (200_000, 100), (60_000, 1), (60_000, 0)] {
            let (query, target) = match rate {
                100 => (similar(&mut rng, length, 0).0, similar(&mut rng, length, 0).0),
                rate => similar(&mut rng, length, rate),
            };
            let pair = Pair { query: &query, target: &target };
            let distance = long.distance(model, pair, None).unwrap();
            match long.probe(model, pair, None) {
                ProbedDistance::Known(known) => {
                    assert_eq!(known, Some(distance));
                    assert!(distance <= MAX_PROBED_EDITS, "{model:?} {rate} {distance}");
                }
                ProbedDistance::Guessed { edits, .. } => {
                    let error = edits.abs_diff(distance);
                    assert!(error <= distance / 4 && distance > 2_000, "{model:?} {rate} {distance} {edits}");
                }
            }
            for bound in [distance, distance / 2] {
                let within = Some(distance).filter(|&distance| distance <= bound);
                let probed = long.probe(model, pair, Some(bound));
                assert!(
                    probed == ProbedDistance::Known(within) || distance > 2_000,
                    "{model:?} {rate} {bound} {probed:?}"
                );
            }
        }
    }
}
