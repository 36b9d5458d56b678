//! Traceback of patterns of a single block: two bits per row of a column encode the step back from its cell.
//!
//! The matrix of the text up to one hit also serves the hits after it, because cells that a walk can visit do not
//! depend on text before the match. Columns are therefore extended from hit to hit: a hit costs its new columns, one
//! word step each, and a walk of at most 2m steps. The ring holds as many columns as a match can cover.

use crate::alignment::{BackwardRuns, Edit};
use crate::engine::cpu::myers::{Above, BlockPattern, ROWS, step};
use crate::engine::text_window::Symbols;

/// The steps, in the order in which a walk prefers them.
const STEPS: [Edit; 4] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];

/// The step back from each row of a column, as its index in [`STEPS`]: the high bits and the low bits.
#[derive(Clone, Copy, Default)]
struct Steps {
    high: u64,
    low: u64,
}

impl Steps {
    #[inline(always)]
    fn at(self, row: usize) -> usize {
        ((self.high >> row & 1) << 1 | self.low >> row & 1) as usize
    }
}

/// The last columns of the matrix of one pattern.
#[derive(Default)]
pub(crate) struct Trace {
    /// Column c is at index c modulo the length, which is a power of two.
    ring: Vec<Steps>,
    /// The numbers of the symbols whose columns were computed without a gap: `start..end`.
    start: usize,
    end: usize,
    pv: u64,
    mv: u64,
}

impl Trace {
    /// Returns whether a pattern is short enough.
    pub(crate) fn fits(pattern: &BlockPattern) -> bool {
        pattern.length() <= ROWS
    }

    /// Walks back from the last symbol to the start of the best match. Returns the number of its first symbol. A match
    /// covers at most `max_match_len` symbols, which must be the same at each call.
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
        self.compute(pattern, symbols, Above::FREE);
        self.walk(pattern.length(), runs)
    }

    /// Walks back from the last of some symbols to the first. Returns the number of the first.
    pub(crate) fn walk_all(&mut self, pattern: &BlockPattern, symbols: Symbols<'_>, runs: &mut BackwardRuns) -> usize {
        self.restart(symbols.first, symbols.codes.len());
        self.compute(pattern, symbols, Above::RISING);
        let column = self.walk(pattern.length(), runs);
        runs.push(column - symbols.first, Edit::TextOnly);
        // Columns in which a match may not start cannot be extended for other hits.
        self.end = 0;
        symbols.first
    }

    fn restart(&mut self, start: usize, max_match_len: usize) {
        let length = max_match_len.next_power_of_two();
        if self.ring.len() < length {
            self.ring.resize(length, Steps::default());
        }
        (self.start, self.end) = (start, start);
        (self.pv, self.mv) = (!0, 0);
    }

    /// Computes the missing columns up to the end of the symbols.
    fn compute(&mut self, pattern: &BlockPattern, symbols: Symbols<'_>, above: Above) {
        let mask = self.ring.len() - 1;
        let (mut pv, mut mv) = (self.pv, self.mv);
        for (number, &code) in (self.end..).zip(&symbols.codes[self.end - symbols.first..]) {
            let eq = pattern.eq(code)[0];
            let step = step(eq, pv, mv, above);
            (pv, mv) = (step.pv, step.mv);
            let beside = step.d0 & !eq;
            self.ring[number & mask] = Steps { high: beside, low: beside & !pv | !(beside | eq) };
        }
        (self.pv, self.mv) = (pv, mv);
        self.end = symbols.end();
    }

    /// Walks back from the last row of the last column to the top row. Returns the column just after which it ends. At
    /// the first column, the remaining pattern symbols are pattern-only edits.
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
