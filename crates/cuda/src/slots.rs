//! Slots: the distinct sets of symbol codes that the rows of patterns match, and groups of patterns that share slots.
//!
//! A bit-sliced kernel computes one equality mask per slot and step, in shared memory. The patterns of a group share
//! their slots.

use std::collections::{BTreeSet, VecDeque};

use super::launch_geometry::{self, BitslicedColumn, LaunchBlock, SlotSharing};
use nigh_device::abi::{MAX_UNIONS, SLICED_CODES};
use nigh_device::driver::Facts;

/// Number of patterns examined to find one with similar slots.
const LOOKAHEAD: usize = 64;

/// A pattern whose rows are sets of codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodedPattern {
    /// Index of the pattern in the pattern set.
    pub(super) id: usize,
    pub(super) k: usize,
    /// For each row, the codes that it matches, as one bit per code.
    pub(super) rows: Vec<u64>,
    pub(super) slots: Slots,
}

/// The distinct code sets of the rows of one or more patterns. A slot is a single code or a union: a set of several
/// codes, or of none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slots {
    /// The codes that occur in any row, alone or in a union, as one bit per code.
    codes: u64,
    /// The unions, each with one bit per code.
    unions: BTreeSet<u64>,
}

impl Slots {
    /// Collects the slots of `rows`.
    pub(super) fn of(rows: &[u64]) -> Self {
        Slots {
            codes: rows.iter().fold(0, |codes, row| codes | row),
            unions: rows.iter().copied().filter(|row| row.count_ones() != 1).collect(),
        }
    }

    /// Returns the number of slots.
    pub(super) fn count(&self) -> usize {
        self.codes.count_ones() as usize + self.unions.len()
    }

    /// Returns whether these slots fit the tables of the kernels.
    pub(super) fn are_possible(&self) -> bool {
        (self.codes.count_ones() as usize) < SLICED_CODES && self.unions.len() <= MAX_UNIONS
    }

    /// Returns the number of slots in `others` that are not in `self`.
    fn missing(&self, others: &Slots) -> usize {
        (others.codes & !self.codes).count_ones() as usize + others.unions.difference(&self.unions).count()
    }

    /// Adds the slots of `others`.
    fn add(&mut self, others: &Slots) {
        self.codes |= others.codes;
        self.unions.extend(&others.unions);
    }

    /// Collects the slots of `patterns`.
    fn together(patterns: &[CodedPattern]) -> Slots {
        let mut all = Slots::of(&[]);
        patterns.iter().for_each(|pattern| all.add(&pattern.slots));
        all
    }
}

/// The slots of a group in the order that kernels expect: single codes, sorted by their lowest three bits, then unions.
pub(super) struct SlotTable {
    codes: Vec<u8>,
    /// The unions, each with one bit per code, ascending.
    unions: Vec<u64>,
}

impl SlotTable {
    pub(super) fn new(slots: &Slots) -> Self {
        let mut codes: Vec<u8> = (0..SLICED_CODES as u8).filter(|code| slots.codes >> code & 1 != 0).collect();
        codes.sort_by_key(|code| code % 8);
        SlotTable { codes, unions: slots.unions.iter().copied().collect() }
    }

    /// Returns, for each value `low` from 0 to 7, the number of single codes whose lowest three bits are at most `low`.
    pub(super) fn until(&self) -> [u32; 8] {
        std::array::from_fn(|low| self.codes.iter().filter(|&&code| usize::from(code % 8) <= low).count() as u32)
    }

    /// Returns the code of each slot that is a single code, padded with zeros.
    pub(super) fn codes(&self) -> [u8; SLICED_CODES] {
        std::array::from_fn(|slot| self.codes.get(slot).copied().unwrap_or(0))
    }

    /// Returns the number of unions.
    pub(super) fn unions(&self) -> u32 {
        self.unions.len() as u32
    }

    /// Returns, for each union, the slots of its codes, as one bit per slot; padded with zeros.
    pub(super) fn members(&self) -> [u64; MAX_UNIONS] {
        let slots_of =
            |set: &u64| (0..).zip(&self.codes).fold(0, |slots, (slot, code)| slots | (set >> code & 1) << slot);
        std::array::from_fn(|index| self.unions.get(index).map_or(0, slots_of))
    }

    /// Returns the index of the slot of each row, padded with zeros.
    ///
    /// # Panics
    /// Panics if the set of a row is not in the table.
    pub(super) fn slots<const COUNT: usize>(&self, rows: &[u64]) -> [u8; COUNT] {
        let slot_of = |row: &u64| match row.count_ones() {
            1 => self.codes.iter().position(|&code| row >> code & 1 != 0),
            _ => self.unions.binary_search(row).ok().map(|index| self.codes.len() + index),
        };
        let slot_of = |row| slot_of(row).expect("every row has a slot") as u8;
        std::array::from_fn(|index| rows.get(index).map_or(0, slot_of))
    }
}

/// Patterns of one launch, in groups. One block searches one group.
pub(super) struct SlotGroups {
    pub(super) block: LaunchBlock,
    /// The cost of the search, in arbitrary units for comparison.
    cost: usize,
    /// Maximum number of slots of a group.
    pub(super) slots: usize,
    /// The patterns, group by group. Each group but the last has `block.patterns` patterns.
    pub(super) patterns: Vec<CodedPattern>,
}

impl SlotGroups {
    /// Returns the cheapest division of the patterns into groups. Returns `None` if no division fits shared memory and
    /// the tables of the kernels.
    pub(super) fn best(facts: &Facts, column: BitslicedColumn, patterns: &[CodedPattern]) -> Option<SlotGroups> {
        let sizes = [4, 2, 1].into_iter().filter(|&size| size < 2 * patterns.len());
        let offers = sizes.filter_map(|size| {
            let patterns = by_similarity(patterns.to_vec(), size);
            let groups: Vec<Slots> = patterns.chunks(size).map(Slots::together).collect();
            let slots = groups.iter().map(Slots::count);
            let sharing = SlotSharing {
                patterns: size,
                groups: groups.len(),
                slots: slots.clone().sum(),
                max_slots: slots.max()?,
            };
            let (block, cost) = launch_geometry::block(facts, column, sharing)?;
            let layout = SlotGroups { block, cost, slots: sharing.max_slots, patterns };
            groups.iter().all(Slots::are_possible).then_some(layout)
        });
        offers.min_by_key(|groups| groups.cost)
    }

    /// Divides slot classes of patterns into launches. Each class must fit a launch of its own. Merges neighbouring
    /// classes if that costs at most an eighth more, because multiprocessors are idle at the end of every launch.
    pub(super) fn of_launches(
        facts: &Facts,
        column: BitslicedColumn,
        classes: Vec<Vec<CodedPattern>>,
    ) -> Vec<SlotGroups> {
        let best = |patterns: &[CodedPattern]| SlotGroups::best(facts, column, patterns);
        let mut launches: Vec<SlotGroups> = Vec::new();
        for patterns in classes {
            let alone = best(&patterns).expect("each class fits shared memory");
            let apart = launches.last().map(|last| last.cost + alone.cost);
            let together = launches.last().and_then(|last| best(&[&last.patterns[..], &patterns].concat()));
            match together {
                Some(together) if apart.is_some_and(|apart| 8 * together.cost <= 9 * apart) => {
                    launches.pop();
                    launches.push(together);
                }
                _ => launches.push(alone),
            }
        }
        launches
    }

    /// Converts each pattern with `convert`, which receives the pattern and the slot table of its group.
    pub(super) fn with_slots<T>(&self, convert: impl Fn(&CodedPattern, &SlotTable) -> T) -> Vec<T> {
        let groups = self.patterns.chunks(self.block.patterns);
        let of_group = |group: &[CodedPattern]| {
            let table = SlotTable::new(&Slots::together(group));
            group.iter().map(|pattern| convert(pattern, &table)).collect::<Vec<T>>()
        };
        groups.flat_map(of_group).collect()
    }
}

/// Reorders patterns so that groups of `size` neighbours share many slots.
fn by_similarity(mut patterns: Vec<CodedPattern>, size: usize) -> Vec<CodedPattern> {
    if size == 1 {
        return patterns;
    }
    patterns.sort_by(|a, b| a.slots.cmp(&b.slots));
    let mut ordered = Vec::with_capacity(patterns.len());
    let mut left = VecDeque::from(patterns);
    while let Some(first) = left.pop_front() {
        let mut common = first.slots.clone();
        ordered.push(first);
        for _ in 1..size {
            let Some(next) = most_similar(&common, &left).and_then(|index| left.remove(index)) else { break };
            common.add(&next.slots);
            ordered.push(next);
        }
    }
    ordered
}

/// Returns the index of the pattern in `left` that adds the fewest slots to `common`, among the first [`LOOKAHEAD`].
fn most_similar(common: &Slots, left: &VecDeque<CodedPattern>) -> Option<usize> {
    let missing = |index: &usize| common.missing(&left[*index].slots);
    let candidates = 0..left.len().min(LOOKAHEAD);
    // In most cases one of the first patterns adds no slot.
    candidates.clone().find(|index| missing(index) == 0).or_else(|| candidates.min_by_key(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(shared_bytes: usize) -> Facts {
        Facts { ordinal: 0, name: String::new(), capability: (9, 0), multiprocessors: 132, shared_bytes }
    }

    fn coded(id: usize, rows: &[u64]) -> CodedPattern {
        CodedPattern { id, k: 1, rows: rows.to_vec(), slots: Slots::of(rows) }
    }

    /// A pattern of twenty rows that cycles through these codes.
    fn of_codes(id: usize, codes: &[u32]) -> CodedPattern {
        coded(id, &(0..20).map(|row| 1 << codes[row % codes.len()]).collect::<Vec<u64>>())
    }

    #[test]
    fn sets_of_several_codes_share_a_slot() {
        let rows = [1 << 1, 1 << 2 | 1 << 9, 1 << 9, 1 << 2 | 1 << 9, 0, 1 << 1];
        let table = SlotTable::new(&Slots::of(&rows));
        assert_eq!((&table.codes()[..3], table.until()), (&[1, 9, 2][..], [0, 2, 3, 3, 3, 3, 3, 3]));
        assert_eq!(table.slots::<64>(&rows)[..7], [0, 4, 1, 4, 3, 0, 0]);
        assert_eq!((table.unions(), &table.members()[..3]), (2, &[0, 0b110, 0][..]));
    }

    #[test]
    fn patterns_of_few_codes_are_grouped_by_four() {
        let patterns: Vec<CodedPattern> = (0..15).map(|id| of_codes(id, &[1, 2, 3, 4])).collect();
        let groups = SlotGroups::best(&facts(227 << 10), BitslicedColumn::sliced(20), &patterns).unwrap();
        assert_eq!((groups.block, groups.slots), (LaunchBlock { threads: 128, patterns: 4 }, 4));
        assert_eq!(groups.patterns, patterns, "nothing is to be won by another order");
    }

    #[test]
    fn few_patterns_do_not_pay_for_idle_warps() {
        let size = |count: usize| {
            let patterns: Vec<CodedPattern> = (0..count).map(|id| of_codes(id, &[1, 2, 3, 4])).collect();
            SlotGroups::best(&facts(227 << 10), BitslicedColumn::sliced(20), &patterns).unwrap().block.patterns
        };
        assert_eq!([1, 2, 3, 4, 5, 6, 8, 1001].map(size), [1, 2, 1, 4, 1, 2, 4, 4]);
    }

    #[test]
    fn patterns_with_similar_codes_share_a_block() {
        let kinds = [[1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]];
        let patterns: Vec<CodedPattern> = (0..24).map(|id| of_codes(id, &kinds[id % 3])).collect();
        let groups = SlotGroups::best(&facts(227 << 10), BitslicedColumn::sliced(20), &patterns).unwrap();
        assert_eq!((groups.block.patterns, groups.slots), (4, 6));
        for group in groups.patterns.chunks(4) {
            assert!(group.iter().all(|pattern| pattern.id % 3 == group[0].id % 3));
        }
        let firsts = groups.with_slots(|pattern, table| (pattern.id, table.codes()[..6].to_vec()));
        assert!(firsts.iter().all(|(id, codes)| codes.iter().all(|&code| kinds[id % 3].contains(&u32::from(code)))));
    }

    #[test]
    fn classes_are_searched_together_where_that_pays() {
        let few =
            |ids: std::ops::Range<usize>| ids.map(|id| of_codes(id, &[1, 2, 3, 4])).collect::<Vec<CodedPattern>>();
        let more: Vec<CodedPattern> = (10..15).map(|id| of_codes(id, &[1, 2, 3, 4, 5, 6])).collect();
        let many: Vec<u32> = (1..50).collect();
        let most: Vec<CodedPattern> =
            (15..30).map(|id| coded(id, &many.iter().map(|&c| 1 << c).collect::<Vec<u64>>())).collect();
        let launches =
            SlotGroups::of_launches(&facts(227 << 10), BitslicedColumn::sliced(20), vec![few(0..10), more, most]);
        assert_eq!(launches.iter().map(|groups| groups.patterns.len()).collect::<Vec<usize>>(), [15, 15]);
        assert_eq!((launches[0].block.patterns, launches[0].slots), (4, 6));
    }

    #[test]
    fn patterns_that_have_nothing_in_common_stay_alone() {
        let codes: Vec<Vec<u32>> = (0..4).map(|id| (0..15).map(|code| 1 + 15 * id + code).collect()).collect();
        let patterns: Vec<CodedPattern> = (0..4).map(|id| of_codes(id, &codes[id])).collect();
        let alone = SlotGroups::best(&facts(227 << 10), BitslicedColumn::sliced(20), &patterns).unwrap();
        assert_eq!((alone.block.patterns, alone.slots), (1, 15));
        let many: Vec<u64> = (1..64).map(|code| 1 << code).collect();
        let possible = [&many[..], &many[..20]].map(|rows| coded(0, rows));
        assert!(SlotGroups::best(&facts(48 << 10), BitslicedColumn::sliced(64), &possible[..1]).is_none());
        assert!(SlotGroups::best(&facts(227 << 10), BitslicedColumn::sliced(64), &possible).is_some());
    }
}
