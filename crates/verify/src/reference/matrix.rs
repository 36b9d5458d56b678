//! The matrix of a pattern and a text, with every way to a cell that may matter.
//!
//! Row i stands for the first i symbols of the pattern, column j for the first j symbols of the text. A way leads from
//! a start, where a match begins, to a cell, and has used some edits. A cell keeps for each number of edits of each
//! kind the least sum of the ways that have used as many. Without constraints only the sum matters, and the cells are
//! those of Sellers' matrix.

use std::borrow::Cow;

use smallvec::SmallVec;

use nigh_pattern::{EditConstraints, EditKind, Overhang, OverhangLimits, Pattern, SymbolSet, UNIT};
use nigh_text::alignment::Edit;
use nigh_text::text::PlacedSymbol;

/// The rules for the matches of a pattern.
pub(super) struct Rules<'a> {
    symbols: &'a [SymbolSet],
    constraints: Cow<'a, EditConstraints>,
    /// Largest number of edits of each kind, indexed by [`EditKind`]; `None` if the sum is the only limit.
    most_edits: [Option<usize>; 3],
    overhang: Option<OverhangLimits>,
    is_plain: bool,
    /// Largest sum of edits and of symbols beyond the ends, in units.
    max_sum: u64,
}

/// The ways to a cell.
pub(super) type WayCell = SmallVec<[Way; 1]>;

/// The cells of a column, from row 0 on.
pub(super) type WayColumn = Vec<WayCell>;

/// A way to a cell: of those that have used the same, the one with the least sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    used: Used,
    /// The sum of edits and of symbols before the start, in units.
    sum: u64,
}

/// The properties of a way to a cell that limit how it may continue. If two ways to a cell have the same properties, only
/// the one with the smaller sum is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Used {
    /// The number of edits of each kind that has a limit.
    edits: [usize; 3],
    /// Number of pattern symbols before the start of the text.
    before: usize,
    /// Whether the way covers a symbol of the text.
    covers: bool,
}

/// A way to the end of a match.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    way: Way,
    /// Number of pattern symbols after the end of the text.
    after: usize,
    /// The sum of the whole match, in units.
    pub(super) sum: u64,
}

impl End {
    /// Returns whether the match hangs over the start or the end of the text.
    pub(super) fn hangs_over(&self) -> bool {
        self.way.used.before > 0 || self.after > 0
    }

    /// Returns the rank of the match among those that hang over: the sum; of equal sums, matches that do not hang over
    /// the start come first, then those with the fewest symbols after the end.
    pub(super) fn rank(&self) -> (u64, bool, usize) {
        (self.sum, self.way.used.before > 0, self.after)
    }
}

/// A step from one cell to another.
#[derive(Clone, Copy)]
struct WayStep {
    rows: usize,
    columns: usize,
    cost: usize,
    kind: Option<EditKind>,
    /// The operation of each row or column that the step passes.
    edit: Edit,
}

impl<'a> Rules<'a> {
    /// Makes the rules for a pattern, which is a string.
    pub(super) fn new(pattern: &'a Pattern, overhang: Option<Overhang>) -> Self {
        let constraints = pattern.all_constraints();
        let overhang = overhang.map(|overhang| pattern.overhang_limits(overhang)).filter(|one| one.max_overhang > 0);
        let max_sum = overhang.and_then(|limits| limits.max_sum_inside(0));
        let max_sum = max_sum.unwrap_or(constraints.max_cost() as u64 * UNIT);
        let costs = constraints.costs();
        let most_edits = [costs.insertion, costs.deletion, costs.substitution].map(|limit| {
            let payable = max_sum / (limit.cost.get() as u64 * UNIT);
            ((limit.max as u64) < payable).then_some(limit.max)
        });
        let is_plain = pattern.constraints().is_none() && overhang.is_none();
        Rules { symbols: pattern.symbols(), is_plain, max_sum, most_edits, constraints, overhang }
    }

    /// Returns whether matches have no limit but the number of edits, and do not hang over.
    pub(super) fn are_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the rows in which a match may start, where it may hang over the start of the text.
    pub(super) fn rows_over_start(&self) -> std::ops::RangeInclusive<usize> {
        0..=self.overhang.map_or(0, |limits| limits.max_before)
    }

    /// Returns the column after the first `number` symbols of the text. `last` are the columns before it, at least two
    /// if there are as many; matches may start in the rows `starts`.
    pub(super) fn column(
        &self,
        text: &[PlacedSymbol],
        number: usize,
        last: &[WayColumn],
        starts: impl Iterator<Item = usize>,
    ) -> WayColumn {
        let mut column: WayColumn = vec![WayCell::new(); self.symbols.len() + 1];
        starts.for_each(|row| add(&mut column[row], self.start(row)));
        let two_last = &last[last.len().saturating_sub(2)..];
        for row in 0..column.len() {
            let (above, cell) = column.split_at_mut(row);
            let near = two_last.iter().flat_map(|column| &column[row.saturating_sub(2)..=row]).chain(above.last());
            // Most cells are far from every way.
            if near.into_iter().all(|cell| cell.is_empty()) {
                continue;
            }
            for step in self.steps(text, row, number) {
                let from = if step.columns == 0 { &*above } else { &last[last.len() - step.columns] };
                let ways = from[row - step.rows].iter().filter_map(|&way| self.after(way, step));
                ways.for_each(|way| add(&mut cell[0], way));
            }
        }
        column
    }

    /// Returns the ends of matches in a column. `is_last` tells whether the text ends there.
    pub(super) fn ends(&self, column: &WayColumn, is_last: bool) -> impl Iterator<Item = End> {
        let limits = self.overhang;
        let most_after = limits.filter(|_| is_last).map_or(0, |limits| limits.max_after);
        let max_overhang = limits.map_or(0, |limits| limits.max_overhang);
        let all = (0..=most_after).flat_map(move |after| {
            let cost = limits.map_or(0, |limits| limits.cost(after));
            let ways = column[self.symbols.len() - after].iter();
            ways.map(move |&way| End { way, after, sum: way.sum + cost })
        });
        all.filter(move |End { way, after, sum }| {
            way.used.covers && *sum <= self.max_sum && way.used.before + after <= max_overhang
        })
    }

    /// Walks back from the ends of matches in the last column, which have the same sum and the same number of symbols
    /// after the end. Prefers to end at a start, then matches and substitutions, transpositions, deletions, insertions.
    /// Returns the operations, last first, and the column of the start.
    pub(super) fn walk_back<I: Iterator<Item = usize>>(
        &self,
        text: &[PlacedSymbol],
        columns: &[WayColumn],
        ends: &[End],
        starts: impl Fn(usize) -> I,
    ) -> (Vec<Edit>, usize) {
        let after = ends[0].after;
        let mut edits = vec![Edit::Overhang; after];
        let mut ways: Vec<Way> = ends.iter().map(|end| end.way).collect();
        let (mut row, mut column) = (self.symbols.len() - after, columns.len() - 1);
        loop {
            if starts(column).any(|start| start == row) && ways.contains(&self.start(row)) {
                edits.extend(std::iter::repeat_n(Edit::Overhang, row));
                return (edits, column);
            }
            let steps = self.steps(text, row, column).map(|step| {
                let from = columns[column - step.columns][row - step.rows].iter().copied();
                let leads_here = |&way: &Way| self.after(way, step).is_some_and(|next| ways.contains(&next));
                (step, from.filter(leads_here).collect::<Vec<Way>>())
            });
            let (step, before) = steps.into_iter().find(|(_, before)| !before.is_empty()).expect("a way has a start");
            edits.extend(std::iter::repeat_n(step.edit, step.rows.max(step.columns)));
            (row, column, ways) = (row - step.rows, column - step.columns, before);
        }
    }

    /// Returns the way that starts in a row. The symbols of the pattern before it are before the start of the text.
    fn start(&self, row: usize) -> Way {
        let sum = self.overhang.map_or(0, |limits| limits.cost(row));
        // Without an overhang every match covers a symbol.
        Way { used: Used { edits: [0; 3], before: row, covers: self.overhang.is_none() }, sum }
    }

    /// Returns a way with one more step; `None` if it exceeds a limit.
    #[inline]
    fn after(&self, way: Way, step: WayStep) -> Option<Way> {
        let Way { mut used, sum } = way;
        used.covers |= step.columns > 0;
        if let Some(kind) = step.kind
            && let Some(most) = self.most_edits[kind as usize]
        {
            used.edits[kind as usize] += 1;
            if used.edits[kind as usize] > most {
                return None;
            }
        }
        let sum = sum + step.cost as u64 * UNIT;
        (sum <= self.max_sum).then_some(Way { used, sum })
    }

    /// Iterates over the steps that lead to a cell, in the order in which alignments prefer them.
    fn steps(&self, text: &[PlacedSymbol], row: usize, column: usize) -> impl Iterator<Item = WayStep> + use<> {
        let (symbols, constraints) = (self.symbols, &*self.constraints);
        let costs = constraints.costs();
        let matches = |row: usize, column: usize| symbols[row].contains(text[column].symbol);
        let is_free = |row: usize| !constraints.is_locked(row);
        let edit = |rows, columns, cost, kind, edit| WayStep { rows, columns, cost, kind, edit };
        let diagonal = (row > 0 && column > 0).then(|| match matches(row - 1, column - 1) {
            true => Some(edit(1, 1, 0, None, Edit::Match)),
            false => is_free(row - 1)
                .then(|| edit(1, 1, costs.substitution.cost.get(), Some(EditKind::Substitution), Edit::Substitution)),
        });
        let may_swap =
            constraints.has_transpositions() && row > 1 && column > 1 && is_free(row - 1) && is_free(row - 2);
        let is_swap = may_swap && matches(row - 1, column - 2) && matches(row - 2, column - 1);
        let deletion = row > 0 && is_free(row - 1);
        let insertion = column > 0 && !(row < symbols.len() && constraints.is_joined(row));
        [
            diagonal.flatten(),
            is_swap.then(|| edit(2, 2, 1, None, Edit::Substitution)),
            deletion.then(|| edit(1, 0, costs.deletion.cost.get(), Some(EditKind::Deletion), Edit::PatternOnly)),
            insertion.then(|| edit(0, 1, costs.insertion.cost.get(), Some(EditKind::Insertion), Edit::TextOnly)),
        ]
        .into_iter()
        .flatten()
    }
}

/// Adds a way to a cell. Of two ways that have used the same, the cell keeps the one with the smaller sum.
#[inline]
fn add(cell: &mut WayCell, way: Way) {
    match cell.iter_mut().find(|known| known.used == way.used) {
        Some(known) => known.sum = known.sum.min(way.sum),
        None => cell.push(way),
    }
}
