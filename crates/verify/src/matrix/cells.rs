//! The matrix cell by cell, for problems with more tallies than cells: very many edits, none of which has a limit of its own.
//!
//! This is Sellers' matrix (1980) from the end of a match, with the cost of the best way to each cell. For m symbols of the
//! pattern and n of the text, time and memory are O(m n).

use std::ops::ControlFlow;

use super::problem::{MatrixProblem, MatrixStart, Starts};
use nigh_pattern::EditKind;
use nigh_text::alignment::{BackwardRuns, Edit};

/// The cost of a cell that no way leads to.
const NEVER: u32 = u32::MAX;

/// Reusable memory for the cells of a matrix.
#[derive(Default)]
pub(super) struct Cells {
    /// The number of cells of a row: one more than symbols of the text.
    width: usize,
    /// The least cost of a way to each cell, row by row.
    costs: Vec<u32>,
    /// For each cell, whether a best way leads from it to a best start.
    leading: Vec<bool>,
    /// The cells of the best starts.
    starts: Vec<usize>,
}

/// A step from a cell: the number of symbols of the pattern and of the text that it passes, its cost and its operation.
#[derive(Clone, Copy)]
struct CellStep {
    rows: usize,
    columns: usize,
    cost: u32,
    edit: Edit,
}

impl Cells {
    /// Returns whether the cells of a problem are fewer than the words of its tallies, and need no counts of edits.
    pub(super) fn suit(problem: &MatrixProblem<'_>) -> bool {
        let constraints = problem.constraints;
        let kinds = [EditKind::Insertion, EditKind::Deletion, EditKind::Substitution];
        let costs = constraints.costs();
        let limits = [costs.insertion, costs.deletion, costs.substitution];
        let needs_counts = kinds.into_iter().zip(limits).any(|(kind, limit)| constraints.limits(kind) && limit.max > 0);
        let tallies = (constraints.max_cost() + 1).saturating_mul(constraints.max_cost() + 1);
        let cells = (problem.symbols.len() + 1).saturating_mul(problem.backward.len() + 1);
        !needs_counts && tallies.saturating_mul(problem.words()) > cells
    }

    /// Computes the costs of all cells. Returns the least value of a match; `None` if there is no match.
    pub(super) fn fill(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Option<u64> {
        let (rows, width) = (problem.symbols.len() + 1, problem.backward.len() + 1);
        self.width = width;
        self.costs.clear();
        self.costs.resize(rows * width, NEVER);
        self.costs[0] = 0;
        for row in 0..rows {
            for column in 0..width {
                let cost = self.costs[row * width + column];
                if u64::from(cost) * problem.unit >= problem.limit {
                    continue;
                }
                for_each_step(problem, (row, column), |step| {
                    let to = &mut self.costs[(row + step.rows) * width + column + step.columns];
                    *to = (*to).min(cost + step.cost);
                    ControlFlow::Continue(())
                });
            }
        }
        self.find_starts(problem, starts)
    }

    /// Finds the starts with the least value, and returns this value.
    fn find_starts(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Option<u64> {
        let length = problem.symbols.len();
        let mut best = problem.limit;
        self.starts.clear();
        for row in length - problem.max_before.min(length)..=length {
            for covered in 1..self.width {
                let at = row * self.width + covered;
                let cost = u64::from(self.costs[at]) * problem.unit;
                if cost >= problem.limit {
                    continue;
                }
                let Some(value) = starts(MatrixStart { before: length - row, covered }) else { continue };
                let value = cost + value;
                if value >= problem.limit || value > best {
                    continue;
                }
                if value < best {
                    self.starts.clear();
                    best = value;
                }
                self.starts.push(at);
            }
        }
        (!self.starts.is_empty()).then_some(best)
    }

    /// Iterates over the numbers of text symbols that the matches with the best starts cover.
    pub(super) fn covered(&self) -> impl Iterator<Item = usize> {
        self.starts.iter().map(|at| at % self.width)
    }

    /// Collects the operations of the best match, after [`fill`](Self::fill) found one. The order of steps is that of the
    /// tallies.
    pub(super) fn walk(&mut self, problem: &MatrixProblem<'_>, runs: &mut BackwardRuns) {
        self.lead_to_starts(problem);
        let mut at = 0;
        while !self.starts.contains(&at) {
            let mut next = None;
            for_each_step(problem, (at / self.width, at % self.width), |step| {
                let to = at + step.rows * self.width + step.columns;
                if !self.leads(at, to, step.cost) {
                    return ControlFlow::Continue(());
                }
                next = Some((to, step));
                ControlFlow::Break(())
            });
            let (to, step) = next.expect("a step leads to a start");
            runs.push(step.rows.max(step.columns), step.edit);
            at = to;
        }
        runs.push(problem.symbols.len() - at / self.width, Edit::Overhang);
    }

    /// Returns whether a step is on a best way to a best start.
    fn leads(&self, from: usize, to: usize, cost: u32) -> bool {
        self.leading[to] && self.costs[from].saturating_add(cost) == self.costs[to]
    }

    /// Finds the cells from which a best way leads to a best start.
    fn lead_to_starts(&mut self, problem: &MatrixProblem<'_>) {
        self.leading.clear();
        self.leading.resize(self.costs.len(), false);
        for &start in &self.starts {
            self.leading[start] = true;
        }
        for at in (0..self.costs.len()).rev().filter(|&at| self.costs[at] != NEVER).collect::<Vec<_>>() {
            let mut leads = self.leading[at];
            for_each_step(problem, (at / self.width, at % self.width), |step| {
                leads |= self.leads(at, at + step.rows * self.width + step.columns, step.cost);
                if leads { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            self.leading[at] = leads;
        }
    }
}

/// Calls `each` for the steps from a cell, in the order in which they are tried, until it returns `Break`.
#[inline]
fn for_each_step(
    problem: &MatrixProblem<'_>,
    (row, column): (usize, usize),
    mut each: impl FnMut(CellStep) -> ControlFlow<()>,
) {
    let MatrixProblem { symbols, constraints, backward, .. } = *problem;
    let costs = constraints.costs();
    let left = symbols.len() - row;
    let reads = |passed: usize, behind: usize| {
        let set = left.checked_sub(passed + 1).map(|index| &symbols[index]);
        set.zip(backward.get(column + behind)).map(|(set, placed)| set.contains(placed.symbol))
    };
    let is_free = |passed: usize| left > passed && !constraints.is_locked(left - passed - 1);
    let mut step = |rows, columns, cost: usize, edit| each(CellStep { rows, columns, cost: cost as u32, edit });
    let diagonal = match reads(0, 0) {
        Some(true) => step(1, 1, 0, Edit::Match),
        Some(false) if is_free(0) && costs.substitution.max > 0 => {
            step(1, 1, costs.substitution.cost.get(), Edit::Substitution)
        }
        _ => ControlFlow::Continue(()),
    };
    if diagonal.is_break() {
        return;
    }
    let is_swapped = constraints.has_transpositions()
        && is_free(0)
        && is_free(1)
        && reads(1, 0) == Some(true)
        && reads(0, 1) == Some(true);
    if is_swapped && step(2, 2, 1, Edit::Substitution).is_break() {
        return;
    }
    if is_free(0) && costs.deletion.max > 0 && step(1, 0, costs.deletion.cost.get(), Edit::PatternOnly).is_break() {
        return;
    }
    let is_inside = row > 0 && constraints.is_joined(left);
    if column < backward.len() && !is_inside && costs.insertion.max > 0 {
        let _ = step(0, 1, costs.insertion.cost.get(), Edit::TextOnly);
    }
}
