//! The further local alignments of pairs (`nigh-align --all`).
//!
//! The best alignment of a pair divides the target. In the parts before and after it, the best alignments are looked for
//! again, and so on until none is good enough. So the alignments of a pair do not overlap in the target.
//!
//! An alignment with a positive score covers a limited number of target symbols, r. Each part is searched in stretches of
//! up to 3 r symbols, each of which overlaps the next by r symbols, so each alignment lies in a stretch. The best one of a
//! stretch whose value is not exceeded by that of a stretch that overlaps it is the best of all that overlap it in the
//! target. So many stretches have their alignments found at a time. Only the stretches that overlap a new alignment are cut
//! at it and compared again: for a query of m symbols and h alignments, this takes O(h m r) time, beside O(m n) for the
//! target of n symbols.

use std::cmp::Reverse;
use std::ops::Range;

use super::comparison::{StrandComparison, StrandValues};
use super::lines::IndexedPair;
use super::sets::StrandedPairs;
use nigh_pairs::pairs::{Pair, Pairs, Strings};
use nigh_pairs::symbols::WidePair;
use nigh_pairs::{Objective, PairAlignment};
use nigh_pattern::Strand;
use nigh_verify::EngineError;

/// The distance between the starts of two stretches, in lengths of their overlap.
const STEP: usize = 2;

/// An alignment of a pair that is not its best.
pub(super) struct FurtherAlignment {
    pub(super) strand: Strand,
    pub(super) alignment: PairAlignment,
}

/// A range of the target of a pair, and the value of the query in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    range: Range<usize>,
    value: i64,
    strand: Strand,
}

/// The stretches of a target in which further alignments may be found, in order. A stretch overlaps none but the one before
/// it and the one after it.
struct DividedTarget {
    stretches: Vec<Stretch>,
    /// The ranges that must be compared.
    new: Vec<Range<usize>>,
}

impl StrandComparison<'_> {
    /// Returns for each aligned pair its further alignments, the best first; nothing if only the best is wanted. The
    /// indices of `indices` count from the pair `first`.
    pub(super) fn further(
        &mut self,
        pairs: &StrandedPairs<'_>,
        first: usize,
        (indices, aligned): (&[usize], &[PairAlignment]),
    ) -> Result<Vec<Vec<FurtherAlignment>>, EngineError> {
        if !self.work.wants_all {
            return Ok(Vec::new());
        }
        let index_of = |place: usize| first + indices[place];
        let reaches: Vec<usize> =
            (0..aligned.len()).map(|place| self.reach(pairs.lengths(index_of(place)).0)).collect();
        let divided = aligned.iter().enumerate().map(|(place, best)| {
            let all =
                Stretch { range: 0..pairs.lengths(index_of(place)).1, value: best.value, strand: Strand::Forward };
            let mut target = DividedTarget { stretches: vec![all], new: Vec::new() };
            target.cut(&best.target);
            target.divide(reaches[place]);
            target
        });
        let mut targets: Vec<DividedTarget> = divided.collect();
        let mut found: Vec<Vec<FurtherAlignment>> = aligned.iter().map(|_| Vec::new()).collect();
        let mut values = StrandValues::default();
        loop {
            let new = targets
                .iter_mut()
                .enumerate()
                .flat_map(|(place, target)| target.new.drain(..).map(move |range| (place, range)));
            let new: Vec<(usize, Range<usize>)> = new.collect();
            let parts: Vec<TargetPart> = new.iter().map(|(place, range)| (index_of(*place), range.clone())).collect();
            with_parts(pairs, &parts, |parts| self.values(parts, 0..new.len(), &mut values))?;
            for (index, (place, range)) in new.into_iter().enumerate() {
                let (value, strand) = values.get(index);
                if self.work.is_printed(value) {
                    targets[place].add(Stretch { range, value, strand });
                }
            }
            let best =
                targets.iter().enumerate().flat_map(|(place, target)| target.best().map(move |one| (place, one)));
            let best: Vec<(usize, Stretch)> = best.map(|(place, one)| (place, one.clone())).collect();
            if best.is_empty() {
                break;
            }
            let parts: Vec<TargetPart> =
                best.iter().map(|(place, one)| (index_of(*place), one.range.clone())).collect();
            values.set(best.iter().map(|(_, one)| (one.value, one.strand)));
            let all: Vec<usize> = (0..best.len()).collect();
            let aligned = with_parts(pairs, &parts, |parts| self.alignments(parts, 0, &all, &values))?;
            for ((place, Stretch { range, strand, .. }), mut alignment) in best.into_iter().zip(aligned) {
                alignment.target = range.start + alignment.target.start..range.start + alignment.target.end;
                targets[place].cut(&alignment.target);
                found[place].push(FurtherAlignment { strand, alignment });
            }
        }
        found.iter_mut().for_each(|all| {
            // As the best of all, the first of those with equal values are on the forward strand.
            let key = |FurtherAlignment { strand, alignment }: &FurtherAlignment| {
                (Reverse(alignment.value), *strand == Strand::Reverse, alignment.target.start)
            };
            all.sort_unstable_by_key(key);
        });
        Ok(found)
    }

    /// Returns the largest number of target symbols that an alignment of a query with a printed value covers.
    fn reach(&self, query: usize) -> usize {
        let Objective::Local(scoring) = self.work.engine.objective() else { return usize::MAX };
        let best = query as i64 * i64::from(scoring.max_score().max(0));
        let to_lose = (best - self.work.bound.unwrap_or(1)).max(0);
        let gaps = to_lose.checked_div(i64::from(scoring.gaps().extend)).and_then(|gaps| usize::try_from(gaps).ok());
        gaps.map_or(usize::MAX, |gaps| query + gaps)
    }
}

impl Stretch {
    /// The best of two stretches has the greater rank.
    fn rank(&self) -> (i64, bool, Reverse<usize>, usize) {
        (self.value, self.strand == Strand::Forward, Reverse(self.range.start), self.range.end)
    }
}

impl DividedTarget {
    /// Adds a stretch that was compared, unless it is what was left of another stretch too.
    fn add(&mut self, stretch: Stretch) {
        let place = |one: &Stretch| (one.range.start, one.range.end);
        let at = self.stretches.partition_point(|one| place(one) < place(&stretch));
        if self.stretches.get(at).is_none_or(|one| one.range != stretch.range) {
            self.stretches.insert(at, stretch);
        }
    }

    /// Iterates over the stretches that are better than those that overlap them.
    fn best(&self) -> impl Iterator<Item = &Stretch> {
        self.stretches
            .iter()
            .enumerate()
            .filter(|&(at, one)| {
                let before =
                    at.checked_sub(1).map(|at| &self.stretches[at]).filter(|before| before.range.end > one.range.start);
                let after = self.stretches.get(at + 1).filter(|after| after.range.start < one.range.end);
                before.into_iter().chain(after).all(|other| other.rank() < one.rank())
            })
            .map(|(_, one)| one)
    }

    /// Removes a range from the stretches. What is left of those that overlap it must be compared again.
    fn cut(&mut self, range: &Range<usize>) {
        let is_cut = |one: &Range<usize>| one.start < range.end && range.start < one.end;
        let compared = self.stretches.extract_if(.., |one| is_cut(&one.range)).map(|one| one.range);
        let (mut first, mut last) = (range.start, range.end);
        for cut in compared.chain(self.new.extract_if(.., |one| is_cut(one))) {
            (first, last) = (first.min(cut.start), last.max(cut.end));
        }
        self.new.extend([first..range.start, range.end..last].into_iter().filter(|left| !left.is_empty()));
    }

    /// Divides the ranges that must be compared into stretches, for alignments of at most `reach` symbols.
    fn divide(&mut self, reach: usize) {
        let step = reach.max(1).saturating_mul(STEP);
        let stretches = |all: Range<usize>| {
            let starts = (all.start..all.end).step_by(step);
            let is_needed = move |start: &usize| *start == all.start || start + reach < all.end;
            starts
                .filter(is_needed)
                .map(move |start| start..all.end.min(start.saturating_add(step).saturating_add(reach)))
        };
        self.new = std::mem::take(&mut self.new).into_iter().flat_map(stretches).collect();
    }
}

/// A part of the target of a pair: the index of the pair, and the range of the target.
type TargetPart = (usize, Range<usize>);

/// Queries, and parts of their targets.
struct PartStrings<'b> {
    queries: Vec<&'b [u8]>,
    targets: Vec<&'b [u8]>,
}

impl<'b> PartStrings<'b> {
    fn new(pairs: &Pairs<'b>, first: usize, parts: &[TargetPart]) -> Self {
        let strings = |(index, range): &TargetPart| {
            let Pair { query, target } = pairs.get(first + index);
            // The strings of a wide pair are empty.
            (query, target.get(range.clone()).unwrap_or_default())
        };
        let (queries, targets) = parts.iter().map(strings).unzip();
        PartStrings { queries, targets }
    }

    fn pairs(&self) -> Pairs<'_> {
        Pairs::zipped(Strings::Slices(&self.queries), Strings::Slices(&self.targets))
    }
}

/// Calls `compare` with the pairs of queries and parts of their targets.
fn with_parts<T>(pairs: &StrandedPairs<'_>, parts: &[TargetPart], compare: impl FnOnce(&StrandedPairs<'_>) -> T) -> T {
    let wide = parts.iter().enumerate().filter_map(|(index, (of_pair, range))| {
        let pair = pairs.wide_pair(*of_pair)?;
        let pair = WidePair::new(pair.query().to_vec(), pair.target()[range.clone()].to_vec());
        Some(IndexedPair { index, pair })
    });
    let wide: Vec<IndexedPair> = wide.collect();
    let forward = PartStrings::new(&pairs.forward, pairs.first, parts);
    let reverse = pairs.reverse.as_ref().map(|reverse| PartStrings::new(reverse, pairs.first, parts));
    let reverse = reverse.as_ref().map(PartStrings::pairs);
    compare(&StrandedPairs { forward: forward.pairs(), reverse, first: 0, wide: &wide })
}
