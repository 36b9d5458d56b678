//! Weighted edit distance with limits per kind of edit, adjacent transpositions and exact groups.
//!
//! A match is read from its end to its start. A row is a number of pattern symbols passed, and a column a number of text
//! symbols passed. The edits on the way to a row are told apart by their [tally](super::tally). It has the difference
//! between insertions and deletions, so the rows of a tally with the difference d lie on one diagonal of Sellers' matrix
//! (1980): the row r is in column r + d. There is a set of rows for each tally t, a bit for each row:
//!
//! ```text
//! first(t) = rows(t - insertion) & rows where text may be inserted
//!          | (rows(t - substitution) & rows whose symbol may be edited) << 1
//!          | (rows(t - deletion) & rows whose symbol may be edited) << 1
//!          | (rows(t - transposition) & rows whose symbols are swapped in the text) << 2
//! rows(t)  = first(t) and all rows that matches lead to from there
//! ```
//!
//! A run of matches is passed by one addition, whose carry runs through the bits of the rows that match: G. Myers, "A fast
//! bit-vector algorithm for approximate string matching based on dynamic programming", 1999. To go along the diagonals by the
//! number of edits is the idea of E. Ukkonen, "Algorithms for approximate string matching", 1985.
//!
//! A transposition swaps two adjacent symbols that no other edit touches, which makes the distance the optimal string
//! alignment distance (the restricted Damerau distance).
//!
//! For t tallies of at most the cost of the match, w words of rows and g differences, time is O(t w + g m) for a pattern of
//! m symbols. There are about k² tallies of k edits; if they are more than the cells of the matrix, it is computed cell by
//! cell (`cells`).

mod cells;
mod diagonals;
mod problem;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use self::cells::Cells;
use self::diagonals::{Diagonals, first_rows};
pub(crate) use self::problem::{MatrixProblem, MatrixStart, Starts};
use super::tally::{EditStep, EditTally, Tallies, TallyLimits};
use nigh_text::alignment::{BackwardRuns, Cigar, Edit};

/// Reusable memory for a matrix.
#[derive(Default)]
pub(crate) struct Matrix {
    /// The tallies of all limits so far: those of the last problem, and all.
    last: Option<(TallyLimits, Arc<Tallies>)>,
    tallies: HashMap<TallyLimits, Arc<Tallies>>,
    diagonals: Diagonals,
    /// For each tally, the words of its rows.
    rows: Vec<u64>,
    /// For each tally, the words of the rows from which a best start is reached.
    leading: Vec<u64>,
    /// The best starts.
    starts: Vec<ReachedStart>,
    /// In place of the rows, for problems with many edits.
    cells: Cells,
    runs: BackwardRuns,
}

/// A start that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReachedStart {
    /// The index of the tally of the match.
    tally: usize,
    row: usize,
    covered: usize,
}

impl Matrix {
    /// Returns the least cost of a match and the value of its start, or `None` if there is no match.
    pub(crate) fn cost(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Option<(usize, usize)> {
        let value = self.value(problem, starts)?;
        Some(((value / problem.unit) as usize, (value % problem.unit) as usize))
    }

    /// Returns the least value of a match, or `None` if there is no match.
    pub(crate) fn value(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Option<u64> {
        if Cells::suit(problem) {
            return self.cells.fill(problem, starts);
        }
        let tallies = self.tallies(problem);
        self.fill(problem, tallies.all(), starts)
    }

    /// Returns the least cost of a match, and the numbers of symbols that the matches with this cost cover, ascending;
    /// `None` if there is no match. `is_allowed` tells whether a match may cover a number of symbols.
    pub(crate) fn cost_and_lengths(
        &mut self,
        problem: &MatrixProblem<'_>,
        is_allowed: impl Fn(usize) -> bool,
    ) -> Option<(usize, Vec<usize>)> {
        let (cost, _) = self.cost(problem, &|start| is_allowed(start.covered).then_some(0))?;
        let mut lengths: Vec<usize> = match Cells::suit(problem) {
            true => self.cells.covered().collect(),
            false => self.starts.iter().map(|start| start.covered).collect(),
        };
        lengths.sort_unstable();
        lengths.dedup();
        Some((cost, lengths))
    }

    /// Returns the operations of the best match; none if there is no match.
    pub(crate) fn cigar(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Cigar {
        self.runs.clear();
        self.runs.push(problem.after, Edit::Overhang);
        if Cells::suit(problem) {
            if self.cells.fill(problem, starts).is_none() {
                return Cigar::default();
            }
            self.cells.walk(problem, &mut self.runs);
            return self.runs.cigar();
        }
        let tallies = self.tallies(problem);
        let tallies = tallies.all();
        if self.fill(problem, tallies, starts).is_none() {
            return Cigar::default();
        }
        self.lead_to_starts(problem, tallies);
        self.walk(problem, tallies);
        self.runs.cigar()
    }

    /// Returns the tallies of a problem.
    fn tallies(&mut self, problem: &MatrixProblem<'_>) -> Arc<Tallies> {
        let limits = TallyLimits::of_constraints(problem.constraints);
        match &self.last {
            Some((last, tallies)) if *last == limits => tallies.clone(),
            _ => {
                let make = || Arc::new(Tallies::new(&limits, true));
                let tallies = self.tallies.entry(limits.clone()).or_insert_with(make).clone();
                self.last = Some((limits, tallies.clone()));
                tallies
            }
        }
    }

    /// Computes the rows of the tallies, ordered by cost, up to the least value of a match. Returns this value, or `None`
    /// if no match satisfies the constraints. Keeps all starts of this value.
    fn fill(&mut self, problem: &MatrixProblem<'_>, tallies: &[EditTally], starts: Starts<'_>) -> Option<u64> {
        self.diagonals.begin(problem);
        self.rows.clear();
        self.starts.clear();
        let mut best = problem.limit;
        for (index, tally) in tallies.iter().enumerate() {
            // A start has a value of 0 at least, and several starts may have the best one.
            if problem.value(tally) > best || problem.value(tally) >= problem.limit {
                break;
            }
            match problem.words() {
                // The compiler makes a loop of its own for this number.
                1 => self.add_tally(problem, (index, tally), 1),
                words => self.add_tally(problem, (index, tally), words),
            }
            self.find_starts(problem, (index, tally), starts, &mut best);
        }
        (!self.starts.is_empty()).then_some(best)
    }

    /// Appends the rows of a tally to those of the tallies before it.
    #[inline(always)]
    fn add_tally(&mut self, problem: &MatrixProblem<'_>, (index, tally): (usize, &EditTally), words: usize) {
        let diagonal = self.diagonals.read(problem, tally.difference);
        let from = |step: EditStep| tally.before(step).map(|before| before * words);
        let [inserted, deleted, substituted, swapped] =
            [EditStep::Insertion, EditStep::Deletion, EditStep::Substitution, EditStep::Transposition].map(from);
        // The rows whose next symbol is a symbol of the text, on this diagonal and on the one before it.
        let in_text = problem.backward.len() as isize - tally.difference;
        let rows = |at: Option<usize>, word: usize, rows: &[u64]| at.map_or(0, |at| rows[at + word]);
        // Bits that a shift or an addition moves from one word to the next.
        let mut moved = u64::from(index == 0);
        for word in 0..words {
            let free = self.diagonals.free(word);
            let edited =
                rows(substituted, word, &self.rows) & first_rows(in_text, word) | rows(deleted, word, &self.rows);
            let edited = edited & free;
            let inserted =
                rows(inserted, word, &self.rows) & self.diagonals.insertable(word) & first_rows(in_text + 1, word);
            let mut first = moved | inserted | edited << 1;
            moved = edited >> 63;
            if swapped.is_some() {
                let swapped = rows(swapped, word, &self.rows) & self.diagonals.swaps(diagonal, word);
                first |= swapped << 2;
                moved |= swapped >> 62;
            }
            let matches = self.diagonals.matches(diagonal, word);
            let (sum, is_carried) = (first & matches).overflowing_add(matches);
            moved |= u64::from(is_carried);
            self.rows.push(sum ^ matches | first);
        }
    }

    /// Finds the starts among the rows of the last tally. Keeps them if they are at least as good as those so far, which
    /// have the value `best`.
    #[inline]
    fn find_starts(
        &mut self,
        problem: &MatrixProblem<'_>,
        (index, tally): (usize, &EditTally),
        starts: Starts<'_>,
        best: &mut u64,
    ) {
        let length = problem.symbols.len();
        let rows = &self.rows[self.rows.len() - problem.words()..];
        for row in length - problem.max_before.min(length)..=length {
            if rows[row / 64] >> (row % 64) & 1 == 0 {
                continue;
            }
            let Some(covered) = row.checked_add_signed(tally.difference).filter(|&covered| covered > 0) else {
                continue;
            };
            let Some(value) = starts(MatrixStart { before: length - row, covered }) else { continue };
            let value = problem.value(tally) + value;
            if value >= problem.limit || value > *best {
                continue;
            }
            if value < *best {
                self.starts.clear();
                *best = value;
            }
            self.starts.push(ReachedStart { tally: index, row, covered });
        }
    }

    /// Computes, for each tally, the rows from which the best starts are reached.
    fn lead_to_starts(&mut self, problem: &MatrixProblem<'_>, tallies: &[EditTally]) {
        let words = problem.words();
        let last = self.starts.iter().map(|start| start.tally).max().expect("there is a start");
        self.leading.clear();
        self.leading.resize((last + 1) * words, 0);
        for &ReachedStart { tally, row, .. } in &self.starts {
            self.leading[tally * words + row / 64] |= 1 << (row % 64);
        }
        for (index, tally) in tallies[..=last].iter().enumerate().rev() {
            let (before, here) = self.leading.split_at_mut(index * words);
            let here = &mut here[..words];
            let diagonals = &self.diagonals;
            let diagonal = diagonals.known(tally.difference);
            // The bits of the words are reversed, so that the carry of an addition runs to lower rows.
            let mut moved = 0;
            for word in (0..words).rev() {
                let rows = here[word].reverse_bits() | moved;
                let matches = diagonals.matches(diagonal, word) << 1
                    | word.checked_sub(1).map_or(0, |lower| diagonals.matches(diagonal, lower) >> 63);
                let matches = matches.reverse_bits();
                let (sum, is_carried) = (rows & matches).overflowing_add(matches);
                moved = u64::from(is_carried);
                here[word] = (sum ^ matches | rows).reverse_bits();
            }
            let in_text = problem.backward.len() as isize - tally.difference;
            // The rows from which a step passes a number of pattern symbols to a row of this tally.
            let passing = |count: u32, word: usize| {
                let higher = here.get(word + 1).map_or(0, |higher| higher << (64 - count));
                here[word] >> count | higher
            };
            for word in 0..words {
                let mut lead = |step: EditStep, rows: u64| {
                    if let Some(fewer) = tally.before(step) {
                        before[fewer * words + word] |= rows;
                    }
                };
                let edited = passing(1, word) & diagonals.free(word);
                lead(EditStep::Insertion, here[word] & diagonals.insertable(word) & first_rows(in_text + 1, word));
                lead(EditStep::Deletion, edited);
                lead(EditStep::Substitution, edited & first_rows(in_text, word));
                if tally.before(EditStep::Transposition).is_some() {
                    lead(EditStep::Transposition, passing(2, word) & diagonals.swaps(diagonal, word));
                }
            }
        }
    }

    /// Collects the operations of the best match. At each row, the walk stops at a best start, and otherwise tries, in this
    /// order: a match or a substitution, a transposition, a symbol of the pattern only, a symbol of the text only.
    fn walk(&mut self, problem: &MatrixProblem<'_>, tallies: &[EditTally]) {
        let words = problem.words();
        let (mut row, mut index) = (0, 0);
        while !self.starts.iter().any(|start| (start.tally, start.row) == (index, row)) {
            let tally = &tallies[index];
            let diagonal = self.diagonals.known(tally.difference);
            let leads = |index: usize, row: usize| {
                self.leading.get(index * words + row / 64).is_some_and(|rows| rows >> (row % 64) & 1 == 1)
            };
            let after = |step: EditStep, passed: usize| tally.after(step).filter(|&after| leads(after, row + passed));
            let is_free = row < problem.symbols.len() && self.diagonals.free(row / 64) >> (row % 64) & 1 == 1;
            let is_in_text =
                row.checked_add_signed(tally.difference).is_some_and(|column| column < problem.backward.len());
            let is_match = self.diagonals.matches(diagonal, row / 64) >> (row % 64) & 1 == 1;
            let substitution = || after(EditStep::Substitution, 1).filter(|_| is_free && is_in_text && !is_match);
            let is_swapped = || self.diagonals.swaps(diagonal, row / 64) >> (row % 64) & 1 == 1;
            let transposition = || after(EditStep::Transposition, 2).filter(|_| is_swapped());
            let deletion = || after(EditStep::Deletion, 1).filter(|_| is_free);
            let (length, edit, next) = if is_match && leads(index, row + 1) {
                (1, Edit::Match, index)
            } else if let Some(next) = substitution() {
                (1, Edit::Substitution, next)
            } else if let Some(next) = transposition() {
                (2, Edit::Substitution, next)
            } else if let Some(next) = deletion() {
                (1, Edit::PatternOnly, next)
            } else {
                (1, Edit::TextOnly, tally.after(EditStep::Insertion).expect("some step leads to a start"))
            };
            self.runs.push(length, edit);
            index = next;
            row += if edit == Edit::TextOnly { 0 } else { length };
        }
        self.runs.push(problem.symbols.len() - row, Edit::Overhang);
    }
}
