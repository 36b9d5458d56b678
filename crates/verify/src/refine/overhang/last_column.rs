//! Filter for matches that hang over an end: the last column of Myers' matrix (1999).
//!
//! The matrix of a pattern and the text before the end has in row i of its last column the least number of edits
//! between the first i symbols of the pattern and a text that ends there. Myers' algorithm stores a column as
//! differences between rows, so their prefix sums are the edits of all partial overlaps. Matches over the start are
//! those of the reversed pattern and the reversed text.
//!
//! Each 64-bit word of a vector holds 64 rows of another matrix: of several patterns, or of few patterns and several
//! texts. With w words in a vector, p patterns of m symbols and n text symbols take O(pn⌈m/64⌉/w) time for a text.

use std::collections::HashMap;

use crate::encoder::{Classes, Code, OTHER};
use nigh_pattern::{OverhangLimits, Pattern, SymbolSet};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};

/// Number of rows in a word.
const ROWS: usize = 64;
/// The most words of a vector.
const MAX_WORDS: usize = 8;
/// Highest bit of a word.
const SIGN: u64 = 1 << 63;
/// Sum of a row in which no match ends: no sum of differences makes it negative.
const NEVER: u64 = 1 << 32;

/// The first column of the matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstColumn {
    /// The row number: symbols of the pattern before the text are deleted.
    Deletions,
    /// Zero: symbols of the pattern before the text cost nothing. The edits are a lower bound for matches that hang
    /// over both ends.
    Free,
}

/// The order of the symbols of patterns and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// Returns the largest number of symbols beyond the end where the last column is: the end of the text, or with
    /// reversed texts its start.
    pub(super) fn max_beyond(self, limits: OverhangLimits) -> usize {
        match self {
            Direction::Forward => limits.max_after,
            Direction::Backward => limits.max_before,
        }
    }
}

/// Texts before an end, or reversed texts after a start, as codes. All have the same length: shorter ones begin with
/// padding, which leaves the first column unchanged.
pub(super) struct EndTexts {
    codes: Vec<Code>,
    /// Number of symbols of each text without padding.
    lengths: Vec<usize>,
    /// Number of codes of each text.
    stride: usize,
    padding: Code,
    /// For each text, whether its overlaps are not searched for, or no longer.
    done: Vec<bool>,
}

/// Which overlaps of a text are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedOverlaps {
    /// The overlaps of all patterns.
    All,
    /// If any pattern overlaps the text, the overlap of at least one.
    Any,
}

impl EndTexts {
    /// Makes a list of texts of at most `stride` symbols.
    pub(super) fn new(stride: usize, classes: &Classes, first_column: FirstColumn) -> Self {
        let padding = match first_column {
            FirstColumn::Deletions => OTHER,
            // The code after the last one matches every symbol.
            FirstColumn::Free => classes.count() as Code,
        };
        EndTexts { codes: Vec::new(), lengths: Vec::new(), stride, padding, done: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.codes.clear();
        self.lengths.clear();
        self.done.clear();
    }

    /// Adds a text of at most `stride` symbols.
    pub(super) fn push(&mut self, codes: impl ExactSizeIterator<Item = Code>) {
        let padding = self.stride - codes.len();
        self.lengths.push(codes.len());
        self.done.push(false);
        self.codes.extend(std::iter::repeat_n(self.padding, padding));
        self.codes.extend(codes);
    }

    /// Leaves out a text in the next searches.
    pub(super) fn leave_out(&mut self, text: usize) {
        self.done[text] = true;
    }

    /// Replaces the texts by a copy of one of `others`, which have the same stride.
    pub(super) fn replace(&mut self, others: &EndTexts, text: usize) {
        self.clear();
        let end = (text + 1) * others.stride;
        self.push(others.codes[end - others.length(text)..end].iter().copied());
    }

    /// Returns whether a text is left out.
    pub(super) fn is_left_out(&self, text: usize) -> bool {
        self.done[text]
    }

    /// Returns the number of symbols of a text without padding.
    pub(super) fn length(&self, text: usize) -> usize {
        self.lengths[text]
    }
}

/// The partial overlaps of a pattern and a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overlap {
    /// Index of the text.
    pub(super) text: usize,
    /// Index of the pattern.
    pub(super) pattern: usize,
    /// Largest number of symbols of the pattern that are not beyond the end.
    pub(super) longest: usize,
    /// Least sum of edits and overhang, in units; a lower bound for matches that hang over both ends.
    pub(super) sum: u64,
    /// Number of symbols of the pattern beyond the end where the sum is least; of several, the fewest.
    pub(super) beyond: usize,
    /// Number of edits where the sum is least.
    pub(super) edits: usize,
    /// Number of edits of the whole pattern.
    pub(super) edits_of_whole: usize,
}

/// Patterns in the words of a vector.
struct PatternGroup {
    members: Vec<GroupMember>,
    /// Number of words of one text: a power of two. Words without a pattern match nothing.
    slots: usize,
    /// Number of words of one pattern.
    blocks: usize,
    /// Largest number of rows.
    rows: usize,
    /// Largest number of text symbols that a match covers.
    columns: usize,
    /// Offset in `matching` of the words of each code.
    offsets: Vec<u32>,
    /// For each symbol, block and slot, the rows that match.
    matching: Vec<u64>,
    /// For each row and word of a vector, a threshold. A match may end in the row if the threshold plus the sum of the
    /// differences so far is negative.
    thresholds: Vec<[u64; MAX_WORDS]>,
}

struct GroupMember {
    /// Index of the pattern.
    pattern: usize,
    length: usize,
    limits: OverhangLimits,
    /// Largest number of symbols beyond the end where the last column is.
    max_beyond: usize,
}

impl GroupMember {
    /// Returns the largest number of edits of a match in the row `row`, counted from 1; `None` if there is no match.
    fn max_edits(&self, row: usize) -> Option<usize> {
        let beyond = self.length.checked_sub(row).filter(|&beyond| beyond <= self.max_beyond)?;
        self.limits.max_edits(beyond)
    }

    /// Returns a lower bound of the number of symbols beyond both ends of a text of `length` symbols, for matches with
    /// at least `edits` edits and `after` symbols after the end.
    fn beyond_ends(&self, after: usize, edits: usize, length: usize) -> usize {
        if !self.limits.has_dear_edits() {
            return after + 1;
        }
        // With more edits, fewer symbols are beyond the ends, and the sum is no less.
        let both = self.length.saturating_sub(length + edits).min(self.limits.max_overhang);
        both.max(after + 1)
    }
}

/// The patterns that can hang over, in groups of one vector.
pub(super) struct OverlapFinder {
    groups: Vec<PatternGroup>,
    /// For each pattern, the index of its group.
    group_of: HashMap<usize, usize>,
    isa: Isa,
}

impl OverlapFinder {
    pub(super) fn new(
        patterns: &[(usize, &Pattern, OverhangLimits)],
        classes: &Classes,
        direction: Direction,
        isa: Isa,
    ) -> Self {
        let words = isa.streams() / 64;
        let mut sorted = patterns.to_vec();
        sorted.retain(|(_, _, limits)| direction.max_beyond(*limits) > 0);
        sorted.sort_by_key(|(_, pattern, _)| pattern.symbols().len());
        let groups = sorted.chunks(words).map(|chunk| PatternGroup::new(chunk, classes, direction));
        let group_of = sorted.iter().enumerate().map(|(at, &(pattern, _, _))| (pattern, at / words));
        OverlapFinder { groups: groups.collect(), group_of: group_of.collect(), isa }
    }

    /// Appends the wanted overlaps with `texts` to `found`.
    pub(super) fn find(
        &self,
        texts: &mut EndTexts,
        first_column: FirstColumn,
        wanted: WantedOverlaps,
        found: &mut Vec<Overlap>,
    ) {
        if texts.lengths.is_empty() {
            return;
        }
        for index in 0..self.groups.len() {
            let before = found.len();
            self.find_in(index, texts, first_column, found);
            if wanted == WantedOverlaps::Any {
                found[before..].iter().for_each(|overlap| texts.leave_out(overlap.text));
            }
        }
    }
}

impl OverlapFinder {
    /// Appends to `found` the overlaps with the ends of `texts` of the given patterns, and of all patterns in the same
    /// groups.
    pub(super) fn find_of(&self, patterns: impl Iterator<Item = usize>, texts: &EndTexts, found: &mut Vec<Overlap>) {
        let mut groups: Vec<usize> = patterns.filter_map(|pattern| self.group_of.get(&pattern).copied()).collect();
        groups.sort_unstable();
        groups.dedup();
        groups.into_iter().for_each(|group| self.find_in(group, texts, FirstColumn::Deletions, found));
    }

    fn find_in(&self, group: usize, texts: &EndTexts, first_column: FirstColumn, found: &mut Vec<Overlap>) {
        self.isa.run(LastColumns { group: &self.groups[group], texts, first_column, found });
    }
}

impl PatternGroup {
    fn new(patterns: &[(usize, &Pattern, OverhangLimits)], classes: &Classes, direction: Direction) -> Self {
        let longest = patterns.iter().map(|(_, pattern, _)| pattern.symbols().len()).max().unwrap_or(0);
        let member = |&(pattern, of, limits): &(usize, &Pattern, OverhangLimits)| GroupMember {
            pattern,
            length: of.symbols().len(),
            limits,
            max_beyond: direction.max_beyond(limits),
        };
        let slots = patterns.len().next_power_of_two();
        let mut group = PatternGroup {
            members: patterns.iter().map(member).collect(),
            slots,
            blocks: longest.div_ceil(ROWS),
            rows: longest - 1,
            columns: patterns
                .iter()
                .map(|(_, pattern, limits)| limits.longest(pattern.symbols().len(), 1))
                .max()
                .unwrap_or(0),
            offsets: vec![0; classes.count() + 1],
            matching: Vec::new(),
            thresholds: Vec::new(),
        };
        group.thresholds = (1..=group.rows).map(|row| group.thresholds_of(row)).collect();
        group.fill_matching(patterns, classes, direction);
        group
    }

    /// Returns the thresholds of the row `row`, counted from 1.
    fn thresholds_of(&self, row: usize) -> [u64; MAX_WORDS] {
        std::array::from_fn(|word| {
            let member = self.members.get(word % self.slots);
            let edits = member.and_then(|member| member.max_edits(row));
            // The sum is one less for each row: see [`add_rows`].
            edits.map_or(NEVER, |edits| (row as u64).wrapping_sub(edits as u64 + 1))
        })
    }

    fn fill_matching(
        &mut self,
        patterns: &[(usize, &Pattern, OverhangLimits)],
        classes: &Classes,
        direction: Direction,
    ) {
        let size = self.blocks * self.slots;
        // Codes without a pattern share the first words.
        self.matching.resize(size, 0);
        self.offsets[classes.count()] = self.add_words(!0);
        for (slot, (_, pattern, _)) in patterns.iter().enumerate() {
            let symbols = pattern.symbols();
            for row in 0..symbols.len() {
                let set: &SymbolSet = match direction {
                    Direction::Forward => &symbols[row],
                    Direction::Backward => &symbols[symbols.len() - 1 - row],
                };
                for &code in classes.codes_in(set) {
                    if self.offsets[usize::from(code)] == 0 {
                        self.offsets[usize::from(code)] = self.add_words(0);
                    }
                    let at = self.offsets[usize::from(code)] as usize + row / ROWS * self.slots + slot;
                    self.matching[at] |= 1 << (row % ROWS);
                }
            }
        }
    }

    /// Adds the words of a symbol and returns their offset.
    fn add_words(&mut self, words: u64) -> u32 {
        let offset = self.matching.len();
        self.matching.resize(offset + self.blocks * self.slots, words);
        u32::try_from(offset).expect("the symbols of a few patterns")
    }

    /// Returns the overlaps of a member and a text whose matrix has the differences of `column` in its last column.
    fn overlap(
        &self,
        member: &GroupMember,
        column: &[LastDifferences],
        word: usize,
        TextEnd { text, over_start }: TextEnd,
    ) -> Option<Overlap> {
        let (mut edits, mut best) = (0usize, None);
        for row in 1..=member.length {
            let block = &column[(row - 1) / ROWS];
            let bit = |words: &[u64; MAX_WORDS]| (words[word] >> ((row - 1) % ROWS) & 1) as usize;
            edits = edits + bit(&block.plus) - bit(&block.minus);
            let after = member.length - row;
            if after == 0 || after > member.max_beyond {
                continue;
            }
            let beyond = over_start.map_or(after, |text_length| member.beyond_ends(after, edits, text_length));
            if member.limits.max_edits(beyond).is_some_and(|most| edits <= most) {
                let sum = member.limits.sum(edits, beyond);
                let least = best.filter(|best: &Overlap| best.sum < sum);
                let (edits_of_whole, pattern) = (0, member.pattern);
                let here = Overlap { text, pattern, longest: row, sum, beyond: after, edits, edits_of_whole };
                best = Some(least.map_or(here, |least| Overlap { longest: row, ..least }));
            }
        }
        best.map(|best| Overlap { edits_of_whole: edits, ..best })
    }
}

/// The end of a text.
#[derive(Clone, Copy)]
struct TextEnd {
    /// Index of the text.
    text: usize,
    /// Number of symbols of the text, if matches hang over its start too.
    over_start: Option<usize>,
}

/// Differences between the rows of a block, for each word of a vector: the rows that are one more than the row above,
/// and those that are one less.
#[derive(Clone, Copy)]
struct LastDifferences {
    plus: [u64; MAX_WORDS],
    minus: [u64; MAX_WORDS],
}

/// Computes the last columns of the matrices of a group and each text.
struct LastColumns<'a> {
    group: &'a PatternGroup,
    texts: &'a EndTexts,
    first_column: FirstColumn,
    found: &'a mut Vec<Overlap>,
}

impl SimdOp for LastColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(mut self) {
        let at_once = L::WORDS / self.group.slots;
        let columns = self.group.columns.min(self.texts.stride);
        let mut offsets = vec![[0u32; MAX_WORDS]; columns];
        let mut between = vec![[L::zero(); 2]; if self.group.blocks > 1 { columns } else { 0 }];
        let mut column = vec![LastDifferences { plus: [0; MAX_WORDS], minus: [0; MAX_WORDS] }; self.group.blocks];
        for first in (0..self.texts.lengths.len()).step_by(at_once) {
            let count = at_once.min(self.texts.lengths.len() - first);
            if self.texts.done[first..first + count].iter().all(|&done| done) {
                continue;
            }
            self.read_offsets(first, count, &mut offsets);
            between.fill([L::zero(); 2]);
            let (mut sum, mut under) = (L::zero(), L::zero());
            let thresholds = self.group.thresholds.chunks(ROWS).chain(std::iter::repeat(&[][..]));
            for (block, (differences, thresholds)) in column.iter_mut().zip(thresholds).enumerate() {
                let [plus, minus] = if between.is_empty() {
                    self.only_block::<L>(&offsets)
                } else {
                    self.next_block::<L>(block, &offsets, &mut between)
                };
                plus.store(&mut differences.plus);
                minus.store(&mut differences.minus);
                (sum, under) = add_rows(plus, minus, thresholds, sum, under);
            }
            if under.and(L::splat(SIGN)).any() {
                let mut words = [0; MAX_WORDS];
                under.store(&mut words);
                self.report(first, count, &words, &column);
            }
        }
    }
}

impl LastColumns<'_> {
    /// Looks up the offsets of the last symbols of `count` texts.
    #[inline(always)]
    fn read_offsets(&self, first: usize, count: usize, offsets: &mut [[u32; MAX_WORDS]]) {
        for text in 0..count {
            let end = (first + text + 1) * self.texts.stride;
            let codes = &self.texts.codes[end - offsets.len()..end];
            for (offsets, &code) in offsets.iter_mut().zip(codes) {
                offsets[text] = self.group.offsets[usize::from(code)];
            }
        }
    }

    /// Returns the differences in the first column.
    #[inline(always)]
    fn first_column<L: Simd>(&self) -> [L; 2] {
        match self.first_column {
            FirstColumn::Deletions => [L::ones(), L::zero()],
            FirstColumn::Free => [L::zero(), L::zero()],
        }
    }

    /// Computes the last column of patterns of one block.
    #[inline(always)]
    fn only_block<L: Simd>(&self, offsets: &[[u32; MAX_WORDS]]) -> [L; 2] {
        let mut vertical = self.first_column::<L>();
        for offsets in offsets {
            step(self.matching::<L>(0, offsets), &mut vertical, [L::zero(); 2]);
        }
        vertical
    }

    /// Computes one block of the last column. `between` has the horizontal differences above the block, and then those
    /// below it.
    #[inline(always)]
    fn next_block<L: Simd>(&self, block: usize, offsets: &[[u32; MAX_WORDS]], between: &mut [[L; 2]]) -> [L; 2] {
        let mut vertical = self.first_column::<L>();
        for (offsets, above) in offsets.iter().zip(between) {
            *above = step(self.matching::<L>(block, offsets), &mut vertical, *above);
        }
        vertical
    }

    /// Returns the rows that match the symbols with these offsets.
    #[inline(always)]
    fn matching<L: Simd>(&self, block: usize, offsets: &[u32; MAX_WORDS]) -> L {
        let slots = self.group.slots;
        let words = |text: usize| &self.group.matching[offsets[text] as usize + block * slots..];
        if slots == L::WORDS {
            return L::load(words(0));
        }
        let mut all = [0; MAX_WORDS];
        for (word, all) in all[..L::WORDS].iter_mut().enumerate() {
            // The number of slots is a power of two.
            *all = words(word >> slots.trailing_zeros())[word & (slots - 1)];
        }
        L::load(&all)
    }

    /// Reports the overlap of each word whose highest bit is set in `under`.
    fn report(&mut self, first: usize, count: usize, under: &[u64; MAX_WORDS], column: &[LastDifferences]) {
        let slots = self.group.slots;
        for word in (0..count * slots).filter(|&word| under[word] & SIGN != 0) {
            let (text, member) = (first + word / slots, &self.group.members[word % slots]);
            let over_start = (self.first_column == FirstColumn::Free).then(|| self.texts.length(text));
            self.found.extend(self.group.overlap(member, column, word, TextEnd { text, over_start }));
        }
    }
}

/// Computes the next column of a block. `vertical` has the rows that are one more than the row above, and those that
/// are one less; it is replaced. `above` and the result are horizontal differences, in the row above the block and in
/// its last row: where the cell is one more than its left neighbour, and where it is one less.
#[inline(always)]
fn step<L: Simd>(equal: L, vertical: &mut [L; 2], above: [L; 2]) -> [L; 2] {
    let [plus, minus] = *vertical;
    let either = equal.or(minus);
    let equal = equal.or(above[1]);
    let zero = equal.and(plus).add_words(plus).xor(plus).or(equal);
    let (up, down) = (minus.or_nor(zero, plus), plus.and(zero));
    let below = [up.shift_right::<63>(), down.shift_right::<63>()];
    let (up, down) = (up.shift_left::<1>().or(above[0]), down.shift_left::<1>().or(above[1]));
    *vertical = [down.or_nor(either, up), up.and(either)];
    below
}

/// Adds the differences of rows to `sum`, and subtracts 1 for each row. Sets the highest bit in `under` for the words
/// whose sum plus threshold is negative in some row. Returns `sum` and `under`.
#[inline(always)]
fn add_rows<L: Simd>(mut plus: L, mut minus: L, thresholds: &[[u64; MAX_WORDS]], mut sum: L, mut under: L) -> (L, L) {
    let one = L::splat(1);
    for thresholds in thresholds {
        // The complement of a bit b is -b - 1.
        sum = sum.add_words(plus.and(one)).add_words(minus.and(one).xor(L::ones()));
        under = under.or(sum.add_words(L::load(thresholds)));
        (plus, minus) = (plus.shift_right::<1>(), minus.shift_right::<1>());
    }
    (sum, under)
}
