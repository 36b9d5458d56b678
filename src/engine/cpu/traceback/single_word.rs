//! The traceback of patterns of one word: for each row of a column, two bits say which step a walk takes back from it.
//!
//! The matrix of the text up to one hit is also that of the hits behind it, since the cells that a walk can meet do not
//! depend on text before the match. So columns go on from hit to hit: a hit costs the columns that are new, and a
//! walk. As many columns are kept as a match can cover.

use crate::alignment::{BackwardRuns, Edit};
use crate::engine::cpu::myers::{Above, BlockPattern, ROWS, step};
use crate::engine::text_window::Symbols;

/// In the order in which a walk prefers them.
const STEPS: [Edit; 4] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];

/// The step back from each row of a column, as its index among [`STEPS`]: the higher bits, and the lower.
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
    /// Column c is at c modulo the length, which is a power of two.
    ring: Vec<Steps>,
    /// The numbers of the symbols whose columns were computed one after the other.
    start: usize,
    end: usize,
    pv: u64,
    mv: u64,
}

impl Trace {
    /// Whether a pattern is short enough.
    pub(crate) fn fits(pattern: &BlockPattern) -> bool {
        pattern.length() <= ROWS
    }

    /// Walks back from the last symbol to wherever the best match starts, and gives the number of its first symbol.
    /// A match covers at most `reach` symbols, which is the same at each call.
    pub(crate) fn walk_free(
        &mut self,
        pattern: &BlockPattern,
        symbols: Symbols<'_>,
        reach: usize,
        runs: &mut BackwardRuns,
    ) -> usize {
        let start = symbols.first.max(symbols.end().saturating_sub(reach));
        if !(start..=symbols.end()).contains(&self.end) {
            self.restart(start, reach);
        }
        self.compute(pattern, symbols, Above::FREE);
        self.walk(pattern.length(), runs)
    }

    /// Walks back from the last of some symbols to the first, and gives the number of that.
    pub(crate) fn walk_all(&mut self, pattern: &BlockPattern, symbols: Symbols<'_>, runs: &mut BackwardRuns) -> usize {
        self.restart(symbols.first, symbols.codes.len());
        self.compute(pattern, symbols, Above::RISING);
        let column = self.walk(pattern.length(), runs);
        runs.push(column - symbols.first, Edit::TextOnly);
        // Nothing can go on from columns in which a match may not start.
        self.end = 0;
        symbols.first
    }

    fn restart(&mut self, start: usize, reach: usize) {
        let length = reach.next_power_of_two();
        if self.ring.len() < length {
            self.ring.resize(length, Steps::default());
        }
        (self.start, self.end) = (start, start);
        (self.pv, self.mv) = (!0, 0);
    }

    /// Computes the columns that are missing up to the end of the symbols.
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

    /// Walks back from the last row of the last column until there are no more rows; gives the column behind which
    /// it ends. Where there are no more columns, what is left of the pattern has no symbol of the text.
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
