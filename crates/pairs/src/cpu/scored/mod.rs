//! Scores and alignments under a [`Scoring`].

mod batches;
mod grid;
mod interleaved;
mod profile;
mod steps;
mod striped;
mod symbols;
mod walk;
mod wide;

use std::ops::Range;

use batches::ScoreKernels;
use grid::{GridSizes, ScoredTask};
use walk::{TraceKernels, Walk};
use wide::WideMatrix;

use crate::PairAlignment;
use crate::pairs::{Pair, Pairs};
use crate::scoring::Scoring;
use crate::symbols::WidePair;
use crate::team::Team;
use nigh_simd::isa::Isa;

pub(crate) use steps::ScoredExtent;

/// Compares pairs under a scoring.
#[derive(Debug)]
pub(crate) struct ScoredPairs<'a> {
    task: ScoredTask<'a>,
    trace: TraceKernels,
    score: ScoreKernels,
}

impl<'a> ScoredPairs<'a> {
    pub(crate) fn new(isa: Isa, scoring: &'a Scoring, extent: ScoredExtent, team: &'a Team) -> Self {
        let task = ScoredTask { isa, scoring, extent, team, sizes: GridSizes::default() };
        ScoredPairs { task, trace: TraceKernels::new(), score: ScoreKernels::new() }
    }

    /// Returns whether all scores of a pair with these lengths fit in 32 bits. Other pairs must not be compared.
    pub(crate) fn fits(scoring: &Scoring, extent: ScoredExtent, query: usize, target: usize) -> bool {
        steps::fits(scoring, extent, query, target)
    }

    /// Computes the scores of the pairs in `range`: `values[i]` belongs to the pair `range.start + i`. All pairs must
    /// fit: see [`ScoredPairs::fits`]. A long pair is divided among the threads of the team.
    pub(crate) fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) {
        self.score.values(&self.task, pairs, range, values);
    }

    /// Aligns a pair, which must fit: see [`ScoredPairs::fits`].
    pub(crate) fn align(&mut self, pair: Pair<'_>) -> PairAlignment {
        Walk::new(&self.task, &mut self.trace).align(pair)
    }

    /// Computes the score of a wide pair, which must fit: see [`ScoredPairs::fits`].
    pub(crate) fn wide_value(&mut self, pair: &WidePair) -> i64 {
        WideMatrix::new(&self.task, pair).value()
    }

    /// Aligns a wide pair, which must fit: see [`ScoredPairs::fits`].
    pub(crate) fn align_wide(&mut self, pair: &WidePair) -> PairAlignment {
        WideMatrix::new(&self.task, pair).align(Walk::new(&self.task, &mut self.trace))
    }
}

#[cfg(test)]
mod tests {
    use super::grid::TileShape;
    use super::*;
    use crate::Objective;
    use crate::pairs::Strings;
    use crate::reference;
    use crate::scoring::{GapCosts, Substitution, SubstitutionMatrix};
    use crate::symbols::EncodedPair;
    use crate::test_cases::random_pair;
    use fastrand::Rng;

    fn random_scoring(rng: &mut Rng) -> Scoring {
        let substitution = match rng.u8(..4) {
            0 => Substitution::Equality { equal: 2, different: -3 },
            1 => Substitution::Equality { equal: rng.i8(-3..=127), different: rng.i8(-128..=3) },
            2 => {
                let count = rng.usize(1..=32);
                let classes = Box::new(std::array::from_fn(|byte| (byte % count) as u8));
                let scores = (0..count * count).map(|_| rng.i8(-9..=7)).collect();
                Substitution::Matrix(SubstitutionMatrix::new(classes, scores))
            }
            _ => Substitution::Equality { equal: 1, different: 0 },
        };
        let costs = |rng: &mut Rng| if rng.u8(..8) == 0 { rng.i32(0..=1000) } else { rng.i32(0..=12) };
        let open = if rng.bool() { 0 } else { costs(rng) };
        let extend = if rng.u8(..5) == 0 { 0 } else { costs(rng) };
        Scoring::new(substitution, GapCosts { open, extend }).unwrap()
    }

    fn objective(extent: ScoredExtent, scoring: &Scoring) -> Objective {
        match extent {
            ScoredExtent::Global => Objective::Global(scoring.clone()),
            ScoredExtent::Local => Objective::Local(scoring.clone()),
        }
    }

    fn small_sizes(checkpoint_bytes: usize) -> GridSizes {
        GridSizes { score: TileShape { rows: 64, columns: 16 }, walk: 64, checkpoint_bytes, codes: 3 }
    }

    #[test]
    fn alignments_equal_the_definition() {
        let team = Team::new(2);
        let mut rng = Rng::with_seed(13);
        for round in 0..300 {
            let length = [5, 33, 70, 140, 400][round % 5];
            let (query, target) = random_pair(&mut rng, length);
            let pair = Pair { query: &query, target: &target };
            let scoring = random_scoring(&mut rng);
            for extent in [ScoredExtent::Global, ScoredExtent::Local] {
                let expected = reference::align(&objective(extent, &scoring), pair);
                for isa in Isa::all() {
                    let mut pairs = ScoredPairs::new(isa, &scoring, extent, &team);
                    if round % 2 == 0 {
                        pairs.task.sizes = small_sizes([1 << 20, 2000][round / 2 % 2]);
                    }
                    let found = pairs.align(pair);
                    assert_eq!(
                        i64::from(pairs.score.value(&pairs.task, pair)),
                        expected.value,
                        "{round} {} {extent:?} {scoring:?}",
                        isa.name()
                    );
                    assert_eq!(found, expected, "{round} {} {extent:?} {scoring:?} {query:?} {target:?}", isa.name());
                }
            }
        }
    }

    #[test]
    fn wide_pairs_equal_the_definition() {
        let team = Team::new(2);
        let mut rng = Rng::with_seed(17);
        for round in 0..200 {
            let length = [5, 33, 70, 140, 400][round % 5];
            let (query, target) = random_pair(&mut rng, length);
            let scoring = random_scoring(&mut rng);
            let symbols = |string: Vec<u8>| string.into_iter().map(|byte| u32::from(byte) * 7).collect();
            // 255 symbols of both make the pair wide.
            let common: Vec<u32> = (1000..1255).collect();
            let [query, target] = [query, target].map(|string| [symbols(string), common.clone()].concat());
            let EncodedPair::Wide(pair) = EncodedPair::new(&Objective::Distance, query, target) else {
                panic!("the pair has 255 common symbols")
            };
            for extent in [ScoredExtent::Global, ScoredExtent::Local] {
                let expected = reference::align_wide(&objective(extent, &scoring), &pair);
                for isa in Isa::all() {
                    let mut pairs = ScoredPairs::new(isa, &scoring, extent, &team);
                    if round % 2 == 0 {
                        pairs.task.sizes = small_sizes([1 << 20, 2000][round / 2 % 2]);
                    }
                    let case = || format!("{round} {} {extent:?} {scoring:?} {pair:?}", isa.name());
                    assert_eq!(pairs.wide_value(&pair), expected.value, "{}", case());
                    assert_eq!(pairs.align_wide(&pair), expected, "{}", case());
                }
            }
        }
    }

    fn assert_values_equal(rng: &mut Rng, pairs: &Pairs<'_>) {
        let team = Team::new(1);
        let scoring = random_scoring(rng);
        for extent in [ScoredExtent::Global, ScoredExtent::Local] {
            let objective = objective(extent, &scoring);
            let expected: Vec<i64> =
                (0..pairs.len()).map(|index| reference::align(&objective, pairs.get(index)).value).collect();
            for isa in Isa::all() {
                let mut found = vec![i64::MIN; pairs.len()];
                let mut kernels = ScoredPairs::new(isa, &scoring, extent, &team);
                let middle = pairs.len() / 3;
                let (low, high) = found.split_at_mut(middle);
                kernels.values(pairs, middle..pairs.len(), high);
                kernels.values(pairs, 0..middle, low);
                assert_eq!(found, expected, "{} {extent:?} {scoring:?}", isa.name());
            }
        }
    }

    #[test]
    fn scores_of_many_pairs_equal_the_definition() {
        let mut rng = Rng::with_seed(31);
        for length in [1, 9, 33, 70, 200] {
            for _ in 0..4 {
                let strings: Vec<_> = (0..rng.usize(1..150)).map(|_| random_pair(&mut rng, length)).collect();
                let queries: Vec<&[u8]> = strings.iter().map(|pair| &pair.0[..]).collect();
                let targets: Vec<&[u8]> = strings.iter().map(|pair| &pair.1[..]).collect();
                let targets = Strings::Slices(&targets);
                assert_values_equal(&mut rng, &Pairs::zipped(Strings::Slices(&queries), targets));
                assert_values_equal(&mut rng, &Pairs::OneToMany { query: queries[0], targets });
            }
        }
    }

    #[test]
    fn scores_that_overflow_small_integers_are_right() {
        let team = Team::new(1);
        let long = vec![b'W'; 3000];
        let targets: Vec<&[u8]> = (0..100).map(|length| &long[..length * 30]).collect();
        let scoring =
            Scoring::new(Substitution::Equality { equal: 100, different: -100 }, GapCosts { open: 10, extend: 1 })
                .unwrap();
        for isa in Isa::all() {
            let pairs = Pairs::OneToMany { query: &long[..1000], targets: Strings::Slices(&targets) };
            let mut values = vec![0; 100];
            ScoredPairs::new(isa, &scoring, ScoredExtent::Local, &team).values(&pairs, 0..100, &mut values);
            let expected: Vec<i64> = (0..100).map(|length| 100 * (length * 30).min(1000)).collect();
            assert_eq!(values, expected, "{}", isa.name());
        }
    }
}
