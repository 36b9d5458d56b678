//! The definition of matches with an overhang: an exhaustive search over starts, ends and symbols beyond the ends.

use std::collections::BTreeSet;
use std::ops::Range;

use nigh_pattern::{
    Bound, EditCosts, EditKind, EditLimit, MaxEdits, Pattern, PatternSet, PositionRange, Transpositions,
};
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::{PlacedSymbol, symbols};

use super::constraints::{GroupedSymbols, turned};

/// Number of units in a cost of 1.
pub(super) const UNIT: u64 = 1_000_000;

/// The rules of a search.
#[derive(Debug, Clone)]
pub(super) struct OverhangRules {
    pub(super) bound: Bound,
    pub(super) costs: EditCosts,
    pub(super) cost: u64,
    /// Whether patterns may hang over the start, and over the end.
    pub(super) ends: [bool; 2],
    pub(super) min_overlap: usize,
    pub(super) within: PositionRange,
    pub(super) max_ambiguous: Option<usize>,
    /// The exact groups of each source; empty if there are none.
    pub(super) groups: Vec<GroupedSymbols>,
}

/// Numbers of insertions, deletions, substitutions and transpositions.
type Used = [usize; 4];

/// Least costs of the alignments of a part of a pattern with a part of a text: for each number of the first symbols of
/// the text, and each number of the first symbols of the pattern.
type LeastCosts = Vec<Vec<Option<usize>>>;

impl OverhangRules {
    /// Returns the largest sum of a match with an overhang.
    fn max_sum(&self, pattern: &Pattern) -> u64 {
        match self.bound.max_edits() {
            MaxEdits::Percent(percent) => (pattern.symbols().len() * percent) as u64 * (UNIT / 100),
            _ => self.max_cost(pattern) as u64 * UNIT,
        }
    }

    /// Returns the largest cost of the edits of a match.
    fn max_cost(&self, pattern: &Pattern) -> usize {
        self.bound.max_edits().of_length(pattern.symbols().len())
    }

    /// Returns the sum of a match whose edits cost `cost`, with `beyond` symbols beyond the ends, if it is one.
    fn sum(&self, pattern: &Pattern, cost: usize, beyond: usize) -> Option<u64> {
        let sum = cost as u64 * UNIT + self.cost * beyond as u64;
        let is_match = match beyond {
            0 => cost <= self.max_cost(pattern),
            _ => sum <= self.max_sum(pattern) && pattern.symbols().len() >= beyond + self.min_overlap,
        };
        is_match.then_some(sum)
    }

    /// Returns whether a match may cover a range of symbols of a line or record.
    fn allow(&self, alphabet: Alphabet, pattern: &Pattern, text: &[PlacedSymbol], range: Range<usize>) -> bool {
        let unit = |symbol: usize| match alphabet.is_sequence() {
            true => symbol as u64,
            false => text.get(symbol).map_or_else(|| text[text.len() - 1].end, |placed| placed.start) as u64,
        };
        let within = self.within.of_length(unit(text.len()));
        let ambiguous = text[range.clone()].iter().filter(|placed| alphabet.is_ambiguous(placed.symbol)).count();
        let symbol = |at: Option<usize>| at.and_then(|at| text.get(at)).map(|placed| placed.symbol);
        let Range { start, end } = range;
        unit(start) >= within.start
            && unit(end) <= within.end
            && self.max_ambiguous.is_none_or(|max| ambiguous <= max)
            && pattern.start().holds(symbol(start.checked_sub(1)), symbol(Some(start)))
            && pattern.end().holds(symbol(Some(end)), symbol(end.checked_sub(1)))
    }

    /// Returns the exact groups of a pattern.
    fn held(&self, pattern: &Pattern) -> GroupedSymbols {
        let length = pattern.symbols().len();
        let free = || GroupedSymbols { locked: vec![false; length], joined: vec![false; length] };
        self.groups.get(pattern.source()).map_or_else(free, |held| turned(held, pattern.strand()))
    }

    fn cost_of(&self, used: Used) -> usize {
        let EditCosts { insertion, deletion, substitution, .. } = self.costs;
        let kinds = [insertion, deletion, substitution];
        used[3] + (0..3).map(|kind| used[kind] * kinds[kind].cost.get()).sum::<usize>()
    }

    /// Returns whether a match of a pattern may have these edits.
    fn allow_edits(&self, pattern: &Pattern, used: Used) -> bool {
        let EditCosts { insertion, deletion, substitution, .. } = self.costs;
        let kinds =
            [(insertion, EditKind::Insertion), (deletion, EditKind::Deletion), (substitution, EditKind::Substitution)];
        let is_within = |(kind, (limit, of)): (usize, (EditLimit, EditKind))| {
            used[kind] == 0 || used[kind] <= limit.max && self.bound.allows(of)
        };
        self.cost_of(used) <= self.max_cost(pattern) && kinds.into_iter().enumerate().all(is_within)
    }

    fn are_plain(&self) -> bool {
        let kinds = [EditKind::Insertion, EditKind::Deletion, EditKind::Substitution];
        self.costs == EditCosts::default()
            && self.groups.is_empty()
            && kinds.iter().all(|&kind| self.bound.allows(kind))
    }

    /// Returns the least costs of a pattern without its first `before` symbols.
    fn least_costs(&self, pattern: &Pattern, before: usize, text: &[PlacedSymbol]) -> LeastCosts {
        if self.are_plain() {
            return edit_distances(&pattern.symbols()[before..], text);
        }
        let rows = pattern.symbols().len() - before + 1;
        let mut cells: Vec<Vec<BTreeSet<Used>>> = vec![vec![BTreeSet::new(); rows]; text.len() + 1];
        cells[0][0].insert([0; 4]);
        for column in 0..=text.len() {
            for row in 0..rows {
                for (rows_back, columns_back, kind) in self.steps(pattern, before, text, (row, column)) {
                    for mut used in cells[column - columns_back][row - rows_back].clone() {
                        kind.into_iter().for_each(|kind| used[kind] += 1);
                        if self.allow_edits(pattern, used) {
                            cells[column][row].insert(used);
                        }
                    }
                }
            }
        }
        let least = |cell: &BTreeSet<Used>| cell.iter().map(|&used| self.cost_of(used)).min();
        cells.iter().map(|column| column.iter().map(least).collect()).collect()
    }

    /// Returns the steps to a cell: their rows and columns, and the index in [`Used`] of the edit.
    fn steps(
        &self,
        pattern: &Pattern,
        before: usize,
        text: &[PlacedSymbol],
        (row, column): (usize, usize),
    ) -> Vec<(usize, usize, Option<usize>)> {
        let held = self.held(pattern);
        let rows = pattern.symbols().len() - before;
        let matches = |row: usize, column: usize| pattern.symbols()[before + row].contains(text[column].symbol);
        let is_locked = |back: usize| row >= back && held.locked[before + row - back];
        let mut steps = Vec::new();
        if row > 0 && column > 0 {
            match matches(row - 1, column - 1) {
                true => steps.push((1, 1, None)),
                false if !is_locked(1) => steps.push((1, 1, Some(2))),
                false => {}
            }
        }
        let has_swaps = self.costs.transpositions == Transpositions::One && !is_locked(1) && !is_locked(2);
        if has_swaps && row > 1 && column > 1 && matches(row - 1, column - 2) && matches(row - 2, column - 1) {
            steps.push((2, 2, Some(3)));
        }
        if row > 0 && !is_locked(1) {
            steps.push((1, 0, Some(1)));
        }
        if column > 0 && !(row > 0 && row < rows && held.joined[before + row]) {
            steps.push((0, 1, Some(0)));
        }
        steps
    }

    /// Returns the least sum of the matches that end after each symbol of a line or record.
    fn sums_by_end(&self, alphabet: Alphabet, pattern: &Pattern, text: &[PlacedSymbol]) -> Vec<Option<u64>> {
        let length = pattern.symbols().len();
        let locked = self.held(pattern).locked;
        let limit = |unlocked: Option<usize>, hangs: bool| if hangs { unlocked.unwrap_or(length - 1) } else { 0 };
        let most_before = limit(locked.iter().position(|&locked| locked), self.ends[0]);
        let most_after = limit(locked.iter().rev().position(|&locked| locked), self.ends[1]);
        let mut least: Vec<Option<u64>> = vec![None; text.len() + 1];
        for start in 0..text.len() {
            for before in 0..=if start == 0 { most_before } else { 0 } {
                let costs = self.least_costs(pattern, before, &text[start..]);
                for end in (start + 1..=text.len()).filter(|&end| self.allow(alphabet, pattern, text, start..end)) {
                    let most_after = if end == text.len() { most_after.min(length - 1 - before) } else { 0 };
                    let sums = (0..=most_after).filter_map(|after| {
                        self.sum(pattern, costs[end - start][length - before - after]?, before + after)
                    });
                    least[end] = least[end].into_iter().chain(sums).min();
                }
            }
        }
        least
    }

    /// Returns the distances that an alignment may have: it may take two substitutions for a transposition.
    pub(super) fn distances(&self, pattern: &Pattern, text: &[PlacedSymbol], cigar: &Cigar) -> Vec<usize> {
        let edits: Vec<Edit> = cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length)).collect();
        let beyond = edits.iter().filter(|&&edit| edit == Edit::Overhang).count();
        let locked = self.held(pattern).locked;
        // For each number of the first edits, the numbers of symbols passed and of edits of each kind.
        let mut ways: Vec<BTreeSet<(usize, usize, Used)>> = vec![BTreeSet::new(); edits.len() + 2];
        ways[0].insert((0, 0, [0; 4]));
        for (at, &edit) in edits.iter().enumerate() {
            for (row, column, used) in ways[at].clone() {
                let with = |kind: usize| std::array::from_fn(|index| used[index] + usize::from(index == kind));
                let matches = |row: usize, column: usize| {
                    let placed = text.get(column);
                    pattern.symbols().get(row).zip(placed).is_some_and(|(set, placed)| set.contains(placed.symbol))
                };
                let is_free = (row < locked.len()).then(|| !locked[row]);
                match edit {
                    Edit::Match if matches(row, column) => drop(ways[at + 1].insert((row + 1, column + 1, used))),
                    Edit::Substitution if is_free == Some(true) => {
                        if !matches(row, column) {
                            ways[at + 1].insert((row + 1, column + 1, with(2)));
                        }
                        let is_swap = edits.get(at + 1) == Some(&Edit::Substitution)
                            && self.costs.transpositions == Transpositions::One;
                        if is_swap
                            && locked.get(row + 1) == Some(&false)
                            && matches(row, column + 1)
                            && matches(row + 1, column)
                        {
                            ways[at + 2].insert((row + 2, column + 2, with(3)));
                        }
                    }
                    Edit::PatternOnly if is_free == Some(true) => drop(ways[at + 1].insert((row + 1, column, with(1)))),
                    Edit::TextOnly => drop(ways[at + 1].insert((row, column + 1, with(0)))),
                    Edit::Overhang if is_free == Some(true) => drop(ways[at + 1].insert((row + 1, column, used))),
                    _ => {}
                }
            }
        }
        let whole = ways[edits.len()].iter().filter(|way| (way.0, way.1) == (pattern.symbols().len(), text.len()));
        let allowed = whole.filter(|way| self.allow_edits(pattern, way.2));
        allowed.filter_map(|way| Some((self.sum(pattern, self.cost_of(way.2), beyond)? / UNIT) as usize)).collect()
    }
}

/// Returns the edit distances of the first symbols of a pattern, from 0 to all, from the first symbols of a text.
fn edit_distances(pattern: &[nigh_pattern::SymbolSet], text: &[PlacedSymbol]) -> LeastCosts {
    let mut column: Vec<usize> = (0..=pattern.len()).collect();
    let mut columns = vec![column.clone()];
    for placed in text {
        let mut diagonal = column[0];
        column[0] += 1;
        for (row, set) in pattern.iter().enumerate() {
            let step = diagonal + usize::from(!set.contains(placed.symbol));
            diagonal = column[row + 1];
            column[row + 1] = step.min(diagonal + 1).min(column[row] + 1);
        }
        columns.push(column.clone());
    }
    columns.into_iter().map(|column| column.into_iter().map(Some).collect()).collect()
}

/// Returns the lines or records of a batch that is a whole input.
pub(super) fn items(batch: &Batch) -> Vec<Range<usize>> {
    let bytes = batch.bytes();
    match batch.lines() {
        Some(lines) => {
            let starts = std::iter::once(0).chain(memchr::memchr_iter(lines.terminator, bytes).map(|end| end + 1));
            let stop = |start: usize| memchr::memchr(lines.terminator, &bytes[start..]);
            starts.map(|start| start..stop(start).map_or(bytes.len(), |length| start + length)).collect()
        }
        None => batch.segments().iter().map(|segment| segment.bytes.clone()).collect(),
    }
}

/// Returns all hits of a batch that is a whole input, without their starts.
pub(super) fn oracle(set: &PatternSet, rules: &OverhangRules, batch: &Batch) -> Vec<Hit> {
    let mut found = Vec::new();
    for item in items(batch) {
        let text: Vec<PlacedSymbol> = symbols(set.alphabet(), &batch.bytes()[item.clone()]).collect();
        for (index, pattern) in set.patterns().iter().enumerate() {
            let sums = rules.sums_by_end(set.alphabet(), pattern, &text);
            let hits = sums.into_iter().enumerate().filter_map(|(end, sum)| {
                let end = item.start + text[end.checked_sub(1)?].end;
                Some(Hit { end, pattern: index, distance: (sum? / UNIT) as usize, start: None })
            });
            found.extend(hits);
        }
    }
    found.sort_unstable();
    found
}
