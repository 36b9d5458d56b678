//! Traceback of patterns of a single block. Two bits per cell of the matrix encode the step back from the cell.
//!
//! The matrix of the text up to one hit also serves the hits after it, because cells that a walk can visit do not
//! depend on text before the match. The columns are therefore kept from hit to hit: a hit costs one word step for each
//! new column, and a walk of at most m + k steps. A ring buffer holds at least as many columns as a match can cover.

use crate::myers::{BlockPattern, ROWS};
use crate::recurrence::{CellRecurrence, LevenshteinEdits, TopDifference};
use nigh_text::alignment::{BackwardRuns, Edit};
use nigh_verify::text_window::Symbols;

/// The steps, in the order in which a walk prefers them.
const STEPS: [Edit; 4] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];

/// The step back from each row of a column, as an index in [`STEPS`] whose high and low bits are stored apart.
#[derive(Clone, Copy, Default)]
struct Steps {
    high: u64,
    low: u64,
}

impl Steps {
    /// Returns the index in [`STEPS`] of the step back from the row `row`.
    #[inline(always)]
    fn at(self, row: usize) -> usize {
        ((self.high >> row & 1) << 1 | self.low >> row & 1) as usize
    }
}

/// The last columns of the matrix of one pattern.
#[derive(Default)]
pub(crate) struct TraceColumns {
    /// The column of the symbol with the serial number c is at index c modulo the length, which is a power of two.
    ring: Vec<Steps>,
    /// The columns of the symbols with the serial numbers `start..end` were computed without a gap.
    start: usize,
    end: usize,
    /// The rows of the last column whose cell is one more than the cell above it.
    pv: u64,
    /// The rows of the last column whose cell is one less than the cell above it.
    mv: u64,
}

impl TraceColumns {
    /// Returns whether a pattern is short enough for this traceback.
    pub(crate) fn fits(pattern: &BlockPattern) -> bool {
        pattern.length() <= ROWS
    }

    /// Walks back from the last of `symbols` to the start of the best match, and writes the edits to `runs`. Returns
    /// the serial number of the first symbol of the match. A match covers at most `max_match_len` symbols; this bound
    /// must be the same at each call.
    pub(crate) fn walk_free(
        &mut self,
        pattern: &BlockPattern,
        symbols: Symbols<'_>,
        max_match_len: usize,
        runs: &mut BackwardRuns,
    ) -> usize {
        let start = symbols.first.max(symbols.end().saturating_sub(max_match_len));
        if !(start..=symbols.end()).contains(&self.end) {
            self.restart(start, max_match_len);
        }
        self.compute(pattern, symbols, TopDifference::FREE);
        self.walk(pattern.length(), runs)
    }

    /// Walks back through all of `symbols`, last to first, and writes the edits to `runs`. Returns the serial number of
    /// the first symbol.
    pub(crate) fn walk_all(&mut self, pattern: &BlockPattern, symbols: Symbols<'_>, runs: &mut BackwardRuns) -> usize {
        self.restart(symbols.first, symbols.codes.len());
        self.compute(pattern, symbols, TopDifference::RISING);
        let column = self.walk(pattern.length(), runs);
        runs.push(column - symbols.first, Edit::TextOnly);
        // Other hits cannot use these columns, because a match can start only before the first of them.
        self.end = 0;
        symbols.first
    }

    /// Forgets all columns. The next column to compute belongs to the symbol with the serial number `start`.
    fn restart(&mut self, start: usize, max_match_len: usize) {
        let length = max_match_len.next_power_of_two();
        if self.ring.len() < length {
            self.ring.resize(length, Steps::default());
        }
        (self.start, self.end) = (start, start);
        (self.pv, self.mv) = (!0, 0);
    }

    /// Computes the missing columns up to the last of `symbols`.
    fn compute(&mut self, pattern: &BlockPattern, symbols: Symbols<'_>, above: TopDifference) {
        let mask = self.ring.len() - 1;
        let (mut pv, mut mv) = (self.pv, self.mv);
        for (number, &code) in (self.end..).zip(&symbols.codes[self.end - symbols.first..]) {
            let eq = pattern.eq(code)[0];
            let step = LevenshteinEdits::step(eq, pv, mv, above);
            (pv, mv) = (step.pv, step.mv);
            let beside = step.d0 & !eq;
            self.ring[number & mask] = Steps { high: beside, low: beside & !pv | !(beside | eq) };
        }
        (self.pv, self.mv) = (pv, mv);
        self.end = symbols.end();
    }

    /// Walks back from the last row of the last column to the top row, and writes the edits to `runs`. Returns the
    /// serial number of the first symbol of the match. If the walk passes the first column, the remaining pattern
    /// symbols become pattern-only edits.
    fn walk(&self, length: usize, runs: &mut BackwardRuns) -> usize {
        runs.clear();
        let mask = self.ring.len() - 1;
        let (mut row, mut column) = (length, self.end);
        loop {
            let mut step = 0;
            let below = row;
            while row > 0 && column > self.start {
                step = self.ring[(column - 1) & mask].at(row - 1);
                if step > 0 {
                    break;
                }
                row -= 1;
                column -= 1;
            }
            runs.push(below - row, Edit::Match);
            if row == 0 || column == self.start {
                break;
            }
            let edit = STEPS[step];
            row -= usize::from(edit != Edit::TextOnly);
            column -= usize::from(edit != Edit::PatternOnly);
            runs.push(1, edit);
        }
        runs.push(row, Edit::PatternOnly);
        column
    }
}
