//! Edit distance and longest common subsequence of many short pairs on one core.
//!
//! Pairs of similar lengths are computed together, bit-sliced: a bit per pair (`bitslice`). Pairs that do not fill a
//! group are computed one by one in words of 64 rows (`blocks`, `columns`), and so are alignments (`trace`).
//!
//! Reading order: `members` (which pairs make a group), `symbols` (which bits of a byte tell symbols apart), `pack`
//! (strings to bit planes), `bitslice` (the matrices), `group` (all steps for one group), then `blocks`, `columns`
//! and `trace`.

mod bitslice;
mod blocks;
mod columns;
mod group;
mod members;
mod pack;
mod symbols;
mod trace;

use std::ops::Range;

use self::bitslice::QuerySymbols;
use self::columns::MatchTable;
use self::group::{Group, GroupBuffers, OneByOne, is_worth_slicing};
use self::members::MemberOrder;
use self::symbols::SymbolBits;
use self::trace::PairTrace;
use crate::pairs::{Pair, Pairs};
use crate::{EditModel, PairAlignment};
use nigh_simd::isa::Isa;
use nigh_text::interrupt;

/// The number of pairs that are sorted together. More pairs make groups of more similar lengths, but their strings do
/// not stay in the level 2 cache.
///
/// Million pairs of random DNA per second of processor time, lengths 1 to 100, AVX-512 on a shared Sapphire Rapids core
/// (2 MiB of level 2 cache): 8.8 for 4,096 pairs, 8.1 for 8,192, 6.4 for 16,384, 3.9 for 32,768.
const CHUNK: usize = 1 << 12;

/// The longest string of a pair that is aligned: the steps of all cells take 16 KiB.
const MAX_ALIGNED: usize = 256;

/// Compares short pairs. Its buffers are reused from call to call.
pub(crate) struct ShortPairs {
    isa: Isa,
    model: EditModel,
    order: MemberOrder,
    query: QuerySymbols,
    buffers: GroupBuffers,
    matches: MatchTable,
    trace: PairTrace,
}

impl ShortPairs {
    pub(crate) fn new(isa: Isa, model: EditModel) -> Self {
        ShortPairs {
            isa,
            model,
            order: MemberOrder::default(),
            query: QuerySymbols::default(),
            buffers: GroupBuffers::default(),
            matches: MatchTable::default(),
            trace: PairTrace::default(),
        }
    }

    /// Returns whether both strings are short enough to be aligned.
    pub(crate) fn aligns(pair: Pair<'_>) -> bool {
        pair.query.len().max(pair.target.len()) <= MAX_ALIGNED
    }

    /// Computes the values of the pairs in `range`: distances, or lengths of longest common subsequences. `values[i]`
    /// belongs to pair `range.start + i`. Appends to `rest` the indices of pairs that another engine should compare,
    /// and leaves their values alone. These pairs are too long, or too few for their length.
    pub(crate) fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64], rest: &mut Vec<usize>) {
        for start in range.clone().step_by(CHUNK) {
            interrupt::check();
            let chunk = start..range.end.min(start + CHUNK);
            let values = &mut values[chunk.start - range.start..chunk.end - range.start];
            self.chunk(pairs, chunk, values, rest);
        }
    }

    /// Aligns a pair that [`ShortPairs::aligns`].
    pub(crate) fn align(&mut self, pair: Pair<'_>) -> PairAlignment {
        self.trace.align(self.isa, self.model, pair)
    }

    fn chunk(&mut self, pairs: &Pairs<'_>, chunk: Range<usize>, values: &mut [i64], rest: &mut Vec<usize>) {
        let (isa, model, width) = (self.isa, self.model, self.isa.streams());
        self.order.list(pairs, chunk.clone(), width, rest);
        let mut symbols = None;
        for members in self.order.groups(width) {
            let (first, values) = (chunk.start, &mut *values);
            if !is_worth_slicing(model, members) {
                let matches = &mut self.matches;
                isa.run(OneByOne { pairs, chunk: first, members, model, matches, values, rest });
                continue;
            }
            let symbols = symbols.get_or_insert_with(|| {
                let symbols = SymbolBits::choose(isa, pairs, chunk.clone());
                if let Pairs::OneToMany { query, .. } = pairs {
                    self.query.set(query, symbols.bits());
                }
                symbols
            });
            let (query, buffers) = (&self.query, &mut self.buffers);
            let group = Group { pairs, chunk: first, members, model, bits: symbols.bits(), query, buffers, values };
            group.compute(isa);
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::members::MAX_LENGTH;
    use super::*;
    use crate::pairs::Strings;
    use crate::test_cases::random_pair;
    use crate::{Objective, reference};

    const MODELS: [(EditModel, Objective); 2] =
        [(EditModel::Levenshtein, Objective::Distance), (EditModel::Indel, Objective::Lcs)];

    /// Strings of one side in each layout.
    struct Side {
        strings: Vec<Vec<u8>>,
        packed: Vec<u8>,
        ends: Vec<usize>,
    }

    impl Side {
        fn new(strings: Vec<Vec<u8>>) -> Self {
            let packed = strings.concat();
            let ends = strings.iter().scan(0, |end, string| {
                *end += string.len();
                Some(*end)
            });
            Side { ends: ends.collect(), packed, strings }
        }

        fn packed(&self) -> Strings<'_> {
            Strings::Packed { bytes: &self.packed, ends: &self.ends }
        }
    }

    fn expected(objective: &Objective, pairs: &Pairs<'_>) -> Vec<i64> {
        (0..pairs.len()).map(|index| reference::align(objective, pairs.get(index)).value).collect()
    }

    /// Compares all pairs, on all instruction sets, with the reference.
    fn check(pairs: &Pairs<'_>) {
        for (model, objective) in MODELS {
            let expected = expected(&objective, pairs);
            for isa in Isa::all() {
                let mut engine = ShortPairs::new(isa, model);
                let (mut values, mut rest) = (vec![-1; pairs.len()], Vec::new());
                engine.values(pairs, 0..pairs.len(), &mut values, &mut rest);
                for index in 0..pairs.len() {
                    let pair = pairs.get(index);
                    let length = pair.query.len().max(pair.target.len());
                    assert!(rest.contains(&index) == (length > MAX_LENGTH) || model == EditModel::Levenshtein);
                    let value = if rest.contains(&index) { -1 } else { expected[index] };
                    assert_eq!(values[index], value, "{} {model:?} {index} {pair:?}", isa.name());
                }
            }
        }
    }

    #[test]
    fn alignments_are_those_of_the_reference() {
        let mut rng = Rng::with_seed(5);
        for max_length in [6, 40, 64, 65, 130, MAX_ALIGNED] {
            for _ in 0..(6000 / max_length).min(300) {
                let (query, target) = random_pair(&mut rng, max_length);
                let pair = Pair { query: &query, target: &target };
                for (model, objective) in MODELS {
                    let expected = reference::align(&objective, pair);
                    for isa in Isa::all() {
                        assert_eq!(ShortPairs::new(isa, model).align(pair), expected, "{model:?} {pair:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_of_the_pairs_has_the_same_values() {
        let (queries, targets) = random_pairs(20, 300, 40);
        let pairs = Pairs::zipped(queries.packed(), targets.packed());
        let mut engine = ShortPairs::new(Isa::all()[0], EditModel::Levenshtein);
        let mut all = vec![0; 300];
        engine.values(&pairs, 0..300, &mut all, &mut Vec::new());
        for range in [0..1, 299..300, 5..5, 17..80, 100..300] {
            let mut part = vec![0; range.len()];
            engine.values(&pairs, range.clone(), &mut part, &mut Vec::new());
            assert_eq!(part, all[range]);
        }
    }

    fn random_pairs(seed: u64, count: usize, max_length: usize) -> (Side, Side) {
        let mut rng = Rng::with_seed(seed);
        let pairs = (0..count).map(|_| random_pair(&mut rng, max_length));
        let (queries, targets) = pairs.unzip();
        (Side::new(queries), Side::new(targets))
    }

    #[test]
    fn pairs_of_any_lengths_have_the_values_of_the_reference() {
        for (seed, (count, max_length)) in
            (0..).zip([(700, 8), (700, 16), (700, 33), (600, 70), (300, 140), (40, 300), (30, 600)])
        {
            let (queries, targets) = random_pairs(seed, count, max_length);
            check(&Pairs::zipped(queries.packed(), targets.packed()));
        }
    }

    #[test]
    fn a_query_has_the_values_of_the_reference_with_each_target() {
        for (seed, (count, max_length)) in (10..).zip([(700, 8), (600, 33), (300, 140)]) {
            let (queries, targets) = random_pairs(seed, count, max_length);
            for query in &queries.strings[..2] {
                check(&Pairs::OneToMany { query, targets: targets.packed() });
            }
        }
    }

    #[test]
    fn pairs_of_equal_lengths_have_the_values_of_the_reference() {
        let mut rng = Rng::with_seed(3);
        for (rows, columns) in [(1, 1), (8, 8), (7, 9), (16, 16), (32, 32), (20, 33), (31, 32), (64, 64), (65, 64)] {
            let mut string =
                |length: usize| -> Vec<u8> { (0..length * 600).map(|_| b"ACGT"[rng.usize(..4)]).collect() };
            let (queries, targets) = (string(rows), string(columns));
            let queries = Strings::Equal { bytes: &queries, length: rows };
            let targets = Strings::Equal { bytes: &targets, length: columns };
            check(&Pairs::zipped(queries, targets));
        }
    }
}
