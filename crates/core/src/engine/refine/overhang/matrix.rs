//! Sellers' matrix of a pattern and a text at the end of a line or record, in exact sums of edits and overhangs.

use std::ops::Range;

use crate::alignment::{Cigar, Edit};
use crate::pattern::{OverhangLimits, Pattern, SymbolSet, UNIT};
use crate::text::PlacedSymbol;

/// A sum that no match has. Sums with it do not overflow.
const NEVER: u64 = u64::MAX / 4;

/// Where a match starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OverhangStart {
    /// With the first symbol of the pattern, at any symbol of the text.
    Inside,
    /// At the first symbol of the text. The number of pattern symbols before it is in this range.
    Over(Range<usize>),
}

/// Returns the number of starts before a text of `length` symbols that one matrix may cover, for matches that hang over
/// both ends: all starts, or one if symbols beyond the end of the text may make the overlap too short.
pub(super) fn starts_at_once(pattern: &Pattern, limits: OverhangLimits, length: usize) -> usize {
    if length >= limits.min_overlap + pattern.k() { limits.max_overhang } else { 1 }
}

/// Returns the starts of matches that hang over the start of a text, in ranges of `at_once`.
pub(super) fn starts_over(limits: OverhangLimits, at_once: usize) -> impl Iterator<Item = OverhangStart> {
    let most = limits.max_before;
    (1..=most).step_by(at_once).map(move |first| OverhangStart::Over(first..(first + at_once).min(most + 1)))
}

/// Returns the largest number of symbols beyond the end of a text for a match with this start.
pub(super) fn most_after(start: &OverhangStart, limits: OverhangLimits) -> usize {
    match start {
        OverhangStart::Inside => limits.max_after,
        OverhangStart::Over(range) => limits.max_after.min(limits.max_overhang - range.start),
    }
}

/// A pattern, a text, and where matches start.
pub(super) struct OverhangCase<'a> {
    /// The symbols of the pattern without the first `first` and the last `last`. In no match are any of these in the
    /// text.
    pub(super) symbols: &'a [SymbolSet],
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) limits: OverhangLimits,
    pub(super) text: &'a [PlacedSymbol],
    pub(super) start: OverhangStart,
}

impl<'a> OverhangCase<'a> {
    /// Makes the case of a whole pattern.
    pub(super) fn new(
        pattern: &'a Pattern,
        limits: OverhangLimits,
        text: &'a [PlacedSymbol],
        start: OverhangStart,
    ) -> Self {
        OverhangCase { symbols: pattern.symbols(), first: 0, last: 0, limits, text, start }
    }
}

/// The best match of a matrix.
pub(super) struct BestOverhang {
    /// Sum of edits and overhangs.
    pub(super) sum: u64,
    /// Number of symbols of the pattern beyond the end of the text.
    pub(super) after: usize,
}

/// The matrix of a case. A row stands for a prefix of the pattern, a column for a prefix of the text.
pub(super) struct OverhangMatrix<'a> {
    case: OverhangCase<'a>,
    /// Least sum of a match of the prefixes, column by column.
    cells: Vec<u64>,
}

impl<'a> OverhangMatrix<'a> {
    pub(super) fn new(case: OverhangCase<'a>) -> Self {
        let rows = case.symbols.len() + 1;
        let mut matrix = OverhangMatrix { cells: vec![0; rows * (case.text.len() + 1)], case };
        let mut above = NEVER;
        for row in 0..rows {
            above = matrix.sum_at_start(row, 0).min(above + UNIT);
            matrix.cells[row] = above;
        }
        for column in 1..=matrix.case.text.len() {
            matrix.add_column(column);
        }
        matrix
    }

    fn add_column(&mut self, column: usize) {
        let rows = self.case.symbols.len() + 1;
        let symbol = self.case.text[column - 1].symbol;
        let first = self.sum_at_start(0, column);
        let (left, here) = self.cells[(column - 1) * rows..(column + 1) * rows].split_at_mut(rows);
        let mut above = first.min(left[0] + UNIT);
        here[0] = above;
        for ((set, left), here) in self.case.symbols.iter().zip(left.windows(2)).zip(&mut here[1..]) {
            let step = left[0] + if set.contains(symbol) { 0 } else { UNIT };
            above = step.min(above.min(left[1]) + UNIT);
            *here = above;
        }
    }

    /// Returns the cost of a match that starts at a cell; [`NEVER`] if none does.
    fn sum_at_start(&self, row: usize, column: usize) -> u64 {
        let before = self.case.first + row;
        match &self.case.start {
            OverhangStart::Inside if row == 0 => 0,
            OverhangStart::Over(range) if column == 0 && range.contains(&before) => self.case.limits.cost(before),
            _ => NEVER,
        }
    }

    fn sum(&self, row: usize, column: usize) -> u64 {
        self.cells[column * (self.case.symbols.len() + 1) + row]
    }

    /// Returns the least sum of a match of the whole pattern that ends after each symbol of the text.
    pub(super) fn sums_by_end(&self) -> impl Iterator<Item = u64> + '_ {
        (1..=self.case.text.len()).map(|column| self.sum(self.case.symbols.len(), column))
    }

    /// Returns the best match whose number of symbols beyond the end of the text is in `after`; of several, the one
    /// with the fewest such symbols. Returns `None` if `after` is empty.
    pub(super) fn best(&self, after: Range<usize>) -> Option<BestOverhang> {
        let matches = after.map(|after| {
            let before = self.sum(self.last_row(after), self.case.text.len());
            BestOverhang { sum: before + self.case.limits.cost(after), after }
        });
        matches.min_by_key(|best| best.sum)
    }

    /// Returns the alignment of the match with `after` symbols beyond the end of the text. Of several ways back, tries
    /// the diagonal step first, then the step that consumes a symbol of the pattern only, then the one that consumes a
    /// symbol of the text only.
    pub(super) fn cigar(&self, after: usize) -> Cigar {
        let mut edits = vec![Edit::Overhang; after];
        let (mut row, mut column) = (self.last_row(after), self.case.text.len());
        while self.sum(row, column) != self.sum_at_start(row, column) {
            let edit = self.step_back(row, column);
            edits.push(edit);
            row -= usize::from(edit != Edit::TextOnly);
            column -= usize::from(edit != Edit::PatternOnly);
        }
        if self.case.start != OverhangStart::Inside {
            edits.extend(std::iter::repeat_n(Edit::Overhang, self.case.first + row));
        }
        Cigar::from_backward(edits)
    }

    /// Returns the row of a match with `after` symbols beyond the end of the text.
    fn last_row(&self, after: usize) -> usize {
        self.case.symbols.len() + self.case.last - after
    }

    /// Returns the last edit of the best match of two prefixes.
    fn step_back(&self, row: usize, column: usize) -> Edit {
        let here = self.sum(row, column);
        if row > 0 && column > 0 {
            let is_match = self.case.symbols[row - 1].contains(self.case.text[column - 1].symbol);
            let (cost, edit) = if is_match { (0, Edit::Match) } else { (UNIT, Edit::Substitution) };
            if here == self.sum(row - 1, column - 1) + cost {
                return edit;
            }
        }
        if row > 0 && here == self.sum(row - 1, column) + UNIT { Edit::PatternOnly } else { Edit::TextOnly }
    }
}
