//! Distances and alignments of patterns between exact groups.
//!
//! These are the values and the order of steps of [`Matrix`](crate::engine::matrix::Matrix), for edits of cost 1. A word has a bit for
//! each row of Sellers' matrix (1980), and there is a word for each column and number of edits: S. Wu and U. Manber, "Fast
//! text searching allowing errors", 1992. Time is O(k (m + k)) for each hit, or for all matches with the same end.

use std::ops::RangeInclusive;

use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::engine::encoder::Code;
use crate::pattern::EdgeGroups;

/// Reusable memory for the matrix of one text at a time.
#[derive(Default)]
pub(super) struct AnchoredMatrix {
    /// For each symbol of the text, its mask.
    masks: Vec<u64>,
    /// The word of a column for each number of edits and then each column. A column is the number of text symbols
    /// passed from the end of the match. A bit is a row, which is the number of pattern symbols passed from the end. It
    /// is set if the rest of the pattern matches the text before that end with at most this number of edits. Words
    /// beyond those that were computed are left over from other texts.
    words: Vec<u64>,
    allowed: AllowedEdits,
    runs: BackwardRuns,
}

/// A pattern of up to 64 symbols, not all of which may be edited, and the text before the end of its match, last symbol
/// first; or the pattern and the text after the start of its match, with the mirrored pattern in place of the pattern.
pub(super) struct AnchoredProblem<'a> {
    pub(super) length: usize,
    pub(super) k: usize,
    pub(super) groups: EdgeGroups,
    /// For each code, a bit for each symbol of the pattern that it matches, the last symbol in the lowest bit.
    pub(super) masks: &'a [u64],
    pub(super) text: &'a [Code],
}

/// The rows at which edits are allowed.
#[derive(Clone, Copy, Default)]
struct AllowedEdits {
    /// The rows whose next symbol may be substituted or deleted.
    symbols: u64,
    /// The rows at which a text symbol may be inserted.
    insertions: u64,
}

impl AnchoredMatrix {
    /// Returns the least distance of the matches whose end is the start of the text of `problem`; `None` if there is no
    /// match.
    pub(super) fn distance(&mut self, problem: &AnchoredProblem<'_>) -> Option<usize> {
        if !problem.has_groups() {
            return None;
        }
        self.begin(problem);
        (0..=problem.k).find(|&edits| {
            self.add_edits(problem, edits);
            self.words[edits * self.columns()] & 1 == 1
        })
    }

    /// Returns the operations of the best match whose end is the start of the text of `problem`; `None` if there is no
    /// match.
    pub(super) fn cigar(&mut self, problem: &AnchoredProblem<'_>) -> Option<Cigar> {
        let distance = self.distance(problem)?;
        Some(self.trace(problem, 0, distance))
    }

    /// Computes the words of all columns, for [`cigar_from`](Self::cigar_from).
    pub(super) fn fill(&mut self, problem: &AnchoredProblem<'_>) {
        self.begin(problem);
        (0..=problem.k).for_each(|edits| self.add_edits(problem, edits));
    }

    /// Returns the operations of the best match whose end is `column`; `None` if there is no match. The matrix is filled
    /// for `problem`.
    pub(super) fn cigar_from(&mut self, problem: &AnchoredProblem<'_>, column: usize) -> Option<Cigar> {
        let distance = (0..=problem.k).find(|&edits| self.words[edits * self.columns() + column] & 1 == 1)?;
        Some(self.trace(problem, column, distance))
    }

    fn columns(&self) -> usize {
        self.masks.len() + 1
    }

    fn begin(&mut self, problem: &AnchoredProblem<'_>) {
        debug_assert!(problem.groups.before + problem.groups.after > 0, "a symbol cannot be edited");
        self.masks.clear();
        self.masks.extend(problem.text.iter().map(|&code| problem.masks[usize::from(code)]));
        self.allowed = problem.allowed();
        let needed = (problem.k + 1) * self.columns();
        if self.words.len() < needed {
            self.words.resize(needed, 0);
        }
    }

    /// Computes the words of all columns for the number of edits `edits`, after those of fewer edits.
    fn add_edits(&mut self, problem: &AnchoredProblem<'_>, edits: usize) {
        let columns = self.columns();
        let AllowedEdits { symbols, insertions } = self.allowed;
        // All of the pattern is before each column.
        let last_row = 1 << (problem.length - 1);
        let (before, words) = self.words.split_at_mut(edits * columns);
        let words = &mut words[..columns];
        let Some(fewer) = edits.checked_sub(1).map(|fewer| &before[fewer * columns..]) else {
            let mut word = 0;
            words[columns - 1] = word;
            for (mask, here) in self.masks.iter().zip(&mut words[..columns - 1]).rev() {
                word = word >> 1 & mask | last_row & mask;
                *here = word;
            }
            return;
        };
        let mut passed = fewer[columns - 1];
        let mut word = (passed >> 1 | last_row) & symbols;
        words[columns - 1] = word;
        for ((mask, fewer), here) in self.masks.iter().zip(&fewer[..columns - 1]).zip(&mut words[..columns - 1]).rev() {
            // All but the shift and two operations are independent of the column before, and run ahead of it.
            let edited = ((passed | fewer) >> 1 | last_row) & symbols | passed & insertions;
            word = word >> 1 & mask | (last_row & mask | edited);
            (*here, passed) = (word, *fewer);
        }
    }

    /// Returns the operations of the best match whose end is `column`, which has the distance `edits`.
    fn trace(&mut self, problem: &AnchoredProblem<'_>, mut column: usize, mut edits: usize) -> Cigar {
        self.runs.clear();
        let AllowedEdits { symbols, .. } = self.allowed;
        let columns = self.columns();
        let mut row = 0;
        while row < problem.length {
            let is_reached = |edits: usize, row: usize, column: usize| {
                row == problem.length || self.words[edits * columns + column] >> row & 1 == 1
            };
            let is_match = self.masks.get(column).is_some_and(|mask| mask >> row & 1 == 1);
            let may_edit = edits > 0 && symbols >> row & 1 == 1;
            if is_match && is_reached(edits, row + 1, column + 1) {
                self.runs.push(1, Edit::Match);
                (row, column) = (row + 1, column + 1);
                continue;
            }
            edits -= 1;
            if !is_match && may_edit && column + 1 < columns && is_reached(edits, row + 1, column + 1) {
                self.runs.push(1, Edit::Substitution);
                (row, column) = (row + 1, column + 1);
            } else if may_edit && is_reached(edits, row + 1, column) {
                self.runs.push(1, Edit::PatternOnly);
                row += 1;
            } else {
                self.runs.push(1, Edit::TextOnly);
                column += 1;
            }
        }
        self.runs.cigar()
    }
}

impl AnchoredProblem<'_> {
    /// Returns the rows at which edits are allowed: those outside the groups. Text may be inserted at the outer edges of
    /// groups, and between the groups and the symbols between them.
    fn allowed(&self) -> AllowedEdits {
        let EdgeGroups { before, after } = self.groups;
        let rows = |from: usize, to: usize| rows_before(to) & !rows_before(from);
        let inside = rows(1, after) | rows(self.length - before + 1, self.length);
        AllowedEdits { symbols: rows(after, self.length - before), insertions: rows(0, self.length) & !inside }
    }

    /// Returns whether each group occurs in the text where k edits may shift it to. Otherwise there is no match.
    fn has_groups(&self) -> bool {
        let EdgeGroups { before, after } = self.groups;
        let core = self.length - before - after;
        let last_columns = 0..=if after > 0 { self.k } else { 0 };
        let first_columns =
            if before > 0 { (after + core).saturating_sub(self.k)..=after + core + self.k } else { 0..=0 };
        self.has_group(0, after, last_columns) && self.has_group(self.length - before, before, first_columns)
    }

    /// Returns whether the `length` symbols from `row` on occur at one of these columns.
    pub(super) fn has_group(&self, row: usize, length: usize, mut columns: RangeInclusive<usize>) -> bool {
        columns.any(|column| {
            let matches = |(&code, row): (&Code, usize)| self.masks[usize::from(code)] >> row & 1 == 1;
            self.text.get(column..column + length).is_some_and(|codes| codes.iter().zip(row..).all(matches))
        })
    }
}

/// Returns the rows below `row`.
fn rows_before(row: usize) -> u64 {
    1u64.checked_shl(row as u32).map_or(!0, |bit| bit - 1)
}
