//! Weighted edit distance with limits per kind of edit, adjacent transpositions and exact groups.
//!
//! The dynamic program extends Sellers' matrix (1980). A transposition swaps two adjacent symbols that no other edit
//! touches, which makes the distance the optimal string alignment distance (the restricted Damerau distance). The
//! program runs from the end of the match to its start. A state consists of the number of pattern symbols passed, the
//! number of text symbols passed, and the number of edits used of each kind that has a limit. The value of a state is
//! the least cost of the steps from it to an allowed start. The diagonal of a state is its number of insertions minus
//! its number of deletions, so at most one of the two is counted.
//!
//! For m pattern symbols, i insertions, d deletions and s substitutions allowed, time is O(m (i + d) min(i, d) s) per
//! end position, less where a kind has no limit of its own.

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

use crate::alignment::{BackwardRuns, Cigar, Edit};
use crate::pattern::{EditConstraints, EditKind, EditLimit, OverhangLimits, Pattern, SymbolSet, UNIT};
use crate::text::PlacedSymbol;

/// The value of a state from which no start can be reached.
const NEVER: u64 = u64::MAX / 2;

/// Reusable memory for a matrix.
#[derive(Default)]
pub(in crate::engine) struct Matrix {
    /// The values of the states, row by row: all states that have passed the same number of pattern symbols form a row.
    /// Within a row, values are ordered by diagonal, gap count and substitution count.
    cells: SmallVec<[u64; 64]>,
    runs: BackwardRuns,
}

/// The rows of a matrix that are kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoredRows {
    /// The last three rows: a step leads at most two rows further.
    Last,
    /// All rows, for the traceback.
    All,
}

/// A pattern, its constraints, and the text before the end of a match, last symbol first.
#[derive(Clone, Copy)]
pub(in crate::engine) struct MatrixProblem<'a> {
    /// The symbols of the pattern that are not after the end of the text.
    symbols: &'a [SymbolSet],
    constraints: &'a EditConstraints,
    backward: &'a [PlacedSymbol],
    /// Number of symbols of the pattern after the end of the text.
    after: usize,
    /// Largest number of symbols of the pattern before the start of the text.
    max_before: usize,
    /// The weight of cost 1 in a value.
    unit: u64,
    /// The least value that exceeds the cost limit.
    limit: u64,
}

/// Where a match starts.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct MatrixStart {
    /// Number of symbols of the pattern before the start of the text.
    pub(in crate::engine) before: usize,
    /// Number of text symbols that the match covers.
    pub(in crate::engine) covered: usize,
}

/// Maps a start to its value, such as its preference; `None` if the start is not allowed. The least value wins.
pub(in crate::engine) type Starts<'a> = &'a dyn Fn(MatrixStart) -> Option<u64>;

impl<'a> MatrixProblem<'a> {
    /// Makes the problem of a match inside a line or record. A value is the cost times the unit, plus the value of the
    /// start, which is less than the unit.
    pub(in crate::engine) fn new(
        pattern: &'a Pattern,
        constraints: &'a EditConstraints,
        backward: &'a [PlacedSymbol],
    ) -> Self {
        let costs = constraints.costs();
        let unit = 2 * (costs.insertion.max.max(costs.deletion.max) as u64) + 2;
        let limit = (constraints.max_cost() as u64 + 1) * unit;
        MatrixProblem { symbols: pattern.symbols(), constraints, backward, after: 0, max_before: 0, unit, limit }
    }

    /// Returns the problem of a match whose cost is at most `max`, which is at most the largest cost of a match.
    pub(super) fn at_most(self, max: usize) -> Self {
        MatrixProblem { limit: (max as u64 + 1) * self.unit, ..self }
    }

    /// Returns the problem of a match with `after` symbols after the end of the text, and at most `max_before` before
    /// its start. Values are in the units of sums, and the value of a start is the cost of the symbols before it.
    /// Returns `None` if these symbols cost too much.
    pub(in crate::engine) fn hanging_over(
        self,
        limits: OverhangLimits,
        after: usize,
        max_before: usize,
    ) -> Option<Self> {
        let symbols = &self.symbols[..self.symbols.len() - after];
        let limit = limits.max_sum_inside(after)? + 1;
        Some(MatrixProblem { symbols, after, max_before, unit: UNIT, limit, ..self })
    }
}

/// The dimensions of a matrix.
#[derive(Clone, Copy)]
struct MatrixShape {
    /// The largest number of deletions, which is also the index of the main diagonal.
    deletions: usize,
    /// The number of diagonals.
    width: usize,
    /// The kind of gap that states count.
    counted: CountedEdit,
    /// The number of gap counts that states distinguish, from 0 on.
    gaps: usize,
    /// The number of substitution counts that states distinguish, from 0 on; 1 if substitutions are not limited.
    substitutions: usize,
    /// The number of rows kept.
    rows: usize,
}

/// The kind of gap that states count. The count of the other kind follows from the diagonal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedEdit {
    Neither,
    Insertions,
    Deletions,
}

/// A state of the search: the pattern and text symbols passed, from the end of the match, and the edits used.
#[derive(Clone, Copy)]
struct MatrixState {
    /// The number of pattern symbols passed.
    row: usize,
    /// The index of the diagonal: insertions minus deletions, plus the largest number of deletions.
    diagonal: usize,
    gaps: usize,
    substitutions: usize,
}

/// A step from a state to a state closer to the start of the match. The variants are in the order in which they are
/// tried.
#[derive(Clone, Copy)]
enum MatrixStep {
    Diagonal,
    Swap,
    PatternOnly,
    TextOnly,
}

const STEPS: [MatrixStep; 4] = [MatrixStep::Diagonal, MatrixStep::Swap, MatrixStep::PatternOnly, MatrixStep::TextOnly];

impl Matrix {
    /// Returns the least cost of a match and the value of its start, or `None` if there is no match.
    pub(in crate::engine) fn cost(
        &mut self,
        problem: &MatrixProblem<'_>,
        starts: Starts<'_>,
    ) -> Option<(usize, usize)> {
        let value = self.value(problem, starts)?;
        Some(((value / problem.unit) as usize, (value % problem.unit) as usize))
    }

    /// Returns the least value of a match, or `None` if there is no match.
    pub(in crate::engine) fn value(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Option<u64> {
        self.fill(problem, &MatrixShape::new(problem, StoredRows::Last), starts, u64::min)
    }

    /// Returns the least cost of a match, and the bits of all starts of the matches with this cost; `None` if there is
    /// no match.
    pub(in crate::engine) fn cost_and_starts(
        &mut self,
        problem: &MatrixProblem<'_>,
        bits: impl Fn(MatrixStart) -> Option<u32>,
    ) -> Option<(usize, u32)> {
        let unit = 1 << u32::BITS;
        let problem = &MatrixProblem { unit, limit: problem.limit / problem.unit * unit, ..*problem };
        let starts = |start| bits(start).map(u64::from);
        let join = |first: u64, second: u64| match (first / unit).cmp(&(second / unit)) {
            Ordering::Less => first,
            Ordering::Equal => first | second,
            Ordering::Greater => second,
        };
        let value = self.fill(problem, &MatrixShape::new(problem, StoredRows::Last), &starts, join)?;
        Some(((value / unit) as usize, value as u32))
    }

    /// Returns the operations of the best match; none if there is no match.
    pub(in crate::engine) fn cigar(&mut self, problem: &MatrixProblem<'_>, starts: Starts<'_>) -> Cigar {
        let shape = MatrixShape::new(problem, StoredRows::All);
        self.runs.clear();
        self.runs.push(problem.after, Edit::Overhang);
        if self.fill(problem, &shape, starts, u64::min).is_none() {
            return Cigar::default();
        }
        let mut at = shape.end();
        loop {
            let here = self.cells[shape.index(at)];
            let tried = STEPS.iter().filter_map(|&step| shape.step(problem, at, step).map(|to| (step, to)));
            let mut right = tried.filter(|&(_, (to, cost))| cost + self.cells[shape.index(to)] == here);
            let arrived = shape.arrival(problem, at, starts) == Some(here);
            let Some((step, (to, cost))) = right.next().filter(|_| !arrived) else {
                self.runs.push(problem.symbols.len() - at.row, Edit::Overhang);
                return self.runs.cigar();
            };
            let (length, edit) = match step {
                MatrixStep::Diagonal if cost == 0 => (1, Edit::Match),
                MatrixStep::Diagonal => (1, Edit::Substitution),
                MatrixStep::Swap => (2, Edit::Substitution),
                MatrixStep::PatternOnly => (1, Edit::PatternOnly),
                MatrixStep::TextOnly => (1, Edit::TextOnly),
            };
            self.runs.push(length, edit);
            at = to;
        }
    }

    /// Fills the matrix. The value of a state is that of its best way to a start; `join` returns the better one of two,
    /// and what equally good ones make together. Returns the value of the state at the end of the match; `None` if no
    /// match satisfies the constraints.
    fn fill(
        &mut self,
        problem: &MatrixProblem<'_>,
        shape: &MatrixShape,
        starts: Starts<'_>,
        join: impl Fn(u64, u64) -> u64 + Copy,
    ) -> Option<u64> {
        if shape.gaps == 1 && !problem.constraints.has_transpositions() {
            return self.fill_without_gap_counts(problem, shape, starts, join);
        }
        let (rows, limit) = (problem.symbols.len(), problem.limit);
        self.cells.clear();
        self.cells.resize(shape.rows * shape.width * shape.states_per_cell(), NEVER);
        // The number of consecutive rows in which no state reaches a start within the cost limit.
        let mut dead = 0;
        for row in (0..=rows).rev() {
            let mut is_alive = false;
            for diagonal in (0..shape.width).rev() {
                for gaps in (0..shape.gaps).rev() {
                    for substitutions in (0..shape.substitutions).rev() {
                        let at = MatrixState { row, diagonal, gaps, substitutions };
                        let arrival = shape.arrival(problem, at, starts).unwrap_or(NEVER);
                        let ways = STEPS.iter().filter_map(|&step| shape.step(problem, at, step));
                        let value = ways.map(|(to, cost)| cost + self.cells[shape.index(to)]).fold(arrival, join);
                        is_alive |= value < limit;
                        self.cells[shape.index(at)] = if value < limit { value } else { NEVER };
                    }
                }
            }
            dead = if is_alive { 0 } else { dead + 1 };
            // A transposition skips one row, so the search ends after two such rows.
            if dead >= 2 && rows - row >= problem.max_before {
                return None;
            }
        }
        Some(self.cells[shape.index(shape.end())]).filter(|&value| value < limit)
    }

    /// Like [`fill`](Self::fill), but faster: for states that count no gaps, without transpositions.
    fn fill_without_gap_counts(
        &mut self,
        problem: &MatrixProblem<'_>,
        shape: &MatrixShape,
        starts: Starts<'_>,
        join: impl Fn(u64, u64) -> u64 + Copy,
    ) -> Option<u64> {
        let MatrixProblem { symbols, constraints, backward, max_before, unit, limit, .. } = *problem;
        let costs = constraints.costs();
        let price = |edit: EditLimit| if edit.max == 0 { NEVER } else { edit.cost.get() as u64 * unit };
        let cells = shape.width * shape.substitutions;
        self.cells.clear();
        self.cells.resize(shape.rows * cells, NEVER);
        for row in (0..=symbols.len()).rev() {
            let left = symbols.len() - row;
            let is_fixed = left == 0 || constraints.is_locked(left - 1);
            let is_inside = row > 0 && constraints.is_joined(left);
            // The diagonals on which no more text is passed than there is, and no less than none.
            let first = shape.deletions.saturating_sub(row);
            let end = shape.width.min((backward.len() + shape.deletions + 1).saturating_sub(row)).max(first);
            let covered = row + first - shape.deletions;
            let step = RowStep {
                set: left.checked_sub(1).map(|last| &symbols[last]),
                substitution: if is_fixed { NEVER } else { price(costs.substitution) },
                deletion: if is_fixed { NEVER } else { price(costs.deletion) },
                insertion: if is_inside { NEVER } else { price(costs.insertion) },
                limit,
                covered,
                text: backward.get(covered..).unwrap_or_default(),
                join,
            };
            let starts = (left <= max_before).then_some(|covered| starts(MatrixStart { before: left, covered }));
            let [here, next] = [row, row + 1].map(|row| shape.row(row)..shape.row(row) + cells);
            let [here, next] = self.cells.get_disjoint_mut([here, next]).expect("at least two rows are kept");
            here[..first * shape.substitutions].fill(NEVER);
            here[end * shape.substitutions..].fill(NEVER);
            let is_alive = match shape.substitutions {
                // The compiler makes a loop of its own for this number.
                1 => step.fill(here, next, (first..end, 1), starts),
                counts => step.fill(here, next, (first..end, counts), starts),
            };
            if !is_alive && left >= max_before {
                return None;
            }
        }
        Some(self.cells[shape.index(shape.end())]).filter(|&value| value < limit)
    }
}

/// The prices of the steps from the states of a row.
struct RowStep<'a, J> {
    /// The next symbol of the pattern; `None` in the last row.
    set: Option<&'a SymbolSet>,
    substitution: u64,
    deletion: u64,
    insertion: u64,
    /// The least value that exceeds the cost limit.
    limit: u64,
    /// The number of text symbols passed on the first diagonal with states, and the text after them.
    covered: usize,
    text: &'a [PlacedSymbol],
    /// Joins the values of two ways.
    join: J,
}

impl<J: Fn(u64, u64) -> u64> RowStep<'_, J> {
    /// Computes the values `here` of a row on some diagonals from the values `next` of the row after it. A diagonal has
    /// `counts` states. If matches may start in the row, `starts` maps the number of symbols that a match covers to the
    /// value of its start. Returns whether a value is within the limit.
    #[inline(always)]
    fn fill(
        &self,
        here: &mut [u64],
        next: &[u64],
        (diagonals, counts): (Range<usize>, usize),
        starts: Option<impl Fn(usize) -> Option<u64>>,
    ) -> bool {
        let mut is_alive = false;
        for diagonal in diagonals.clone().rev() {
            let passed = diagonal - diagonals.start;
            let symbol = self.text.get(passed).map(|placed| placed.symbol);
            let covered = self.covered + passed;
            let arrival = starts.as_ref().filter(|_| covered > 0).and_then(|value| value(covered)).unwrap_or(NEVER);
            let is_match = symbol.is_some_and(|symbol| self.set.is_some_and(|set| set.contains(symbol)));
            let states = diagonal * counts;
            for state in states..states + counts {
                let mut value = arrival;
                if symbol.is_some() {
                    value =
                        here.get(state + counts).map_or(value, |beside| (self.join)(value, beside + self.insertion));
                    let diagonal = match counts {
                        _ if is_match => next[state],
                        1 => next[state] + self.substitution,
                        _ if state + 1 < states + counts => next[state + 1] + self.substitution,
                        _ => NEVER,
                    };
                    value = (self.join)(value, diagonal);
                }
                if diagonal > 0 {
                    value = (self.join)(value, next[state - counts] + self.deletion);
                }
                let value = if value < self.limit { value } else { NEVER };
                here[state] = value;
                is_alive |= value != NEVER;
            }
        }
        is_alive
    }
}

impl MatrixShape {
    fn new(problem: &MatrixProblem<'_>, stored: StoredRows) -> Self {
        let (constraints, length) = (problem.constraints, problem.symbols.len());
        let costs = constraints.costs();
        let (insertions, deletions) = (costs.insertion.max, costs.deletion.max);
        // If only one kind of gap is allowed, the diagonal is its count.
        let is_limited = constraints.limits(EditKind::Insertion) || constraints.limits(EditKind::Deletion);
        let is_counted = insertions > 0 && deletions > 0 && is_limited;
        let counted = if !is_counted {
            CountedEdit::Neither
        } else if insertions < deletions {
            CountedEdit::Insertions
        } else {
            CountedEdit::Deletions
        };
        MatrixShape {
            deletions,
            width: insertions + deletions + 1,
            counted,
            gaps: if is_counted { insertions.min(deletions) + 1 } else { 1 },
            substitutions: if constraints.limits(EditKind::Substitution) { costs.substitution.max + 1 } else { 1 },
            rows: if stored == StoredRows::All { length + 1 } else { 3 },
        }
    }

    /// Returns the number of states with the same symbols passed.
    fn states_per_cell(&self) -> usize {
        self.gaps * self.substitutions
    }

    /// Returns the index of the first state of a row.
    #[inline]
    fn row(&self, row: usize) -> usize {
        let kept = if row < self.rows { row } else { row % self.rows };
        kept * self.width * self.states_per_cell()
    }

    #[inline]
    fn index(&self, at: MatrixState) -> usize {
        self.row(at.row) + (at.diagonal * self.gaps + at.gaps) * self.substitutions + at.substitutions
    }

    /// Returns the state at the end of the match, where nothing has been passed.
    fn end(&self) -> MatrixState {
        MatrixState { row: 0, diagonal: self.deletions, gaps: 0, substitutions: 0 }
    }

    /// Returns the number of text symbols that state `at` has passed; `None` if that number would be negative, or more
    /// than the text has.
    #[inline]
    fn covered(&self, problem: &MatrixProblem<'_>, at: MatrixState) -> Option<usize> {
        (at.row + at.diagonal).checked_sub(self.deletions).filter(|&covered| covered <= problem.backward.len())
    }

    /// Returns the value of state `at` if the match starts there; `None` if no match can start there.
    #[inline]
    fn arrival(&self, problem: &MatrixProblem<'_>, at: MatrixState, starts: Starts<'_>) -> Option<u64> {
        let before = problem.symbols.len() - at.row;
        if before > problem.max_before {
            return None;
        }
        let covered = self.covered(problem, at).filter(|&covered| covered > 0)?;
        starts(MatrixStart { before, covered })
    }

    /// Returns the state to which a step leads and the cost of the step; `None` if the step is not allowed.
    #[inline]
    fn step(&self, problem: &MatrixProblem<'_>, at: MatrixState, step: MatrixStep) -> Option<(MatrixState, u64)> {
        let MatrixProblem { symbols, constraints, backward, .. } = *problem;
        let covered = self.covered(problem, at)?;
        let left = symbols.len() - at.row;
        let costs = constraints.costs();
        let text = |behind: usize| backward.get(covered + behind).map(|placed| placed.symbol);
        let (to, cost) = match step {
            MatrixStep::Diagonal => {
                let symbol = text(0)?;
                let to = MatrixState { row: at.row + 1, ..at };
                if symbols[left.checked_sub(1)?].contains(symbol) {
                    (to, 0)
                } else if constraints.is_locked(left - 1) || costs.substitution.max == 0 {
                    return None;
                } else {
                    (self.with_substitution(to)?, costs.substitution.cost.get())
                }
            }
            MatrixStep::Swap => {
                let first = left.checked_sub(2).filter(|_| constraints.has_transpositions())?;
                let is_free = !constraints.is_locked(first) && !constraints.is_locked(first + 1);
                let (last, before) = (text(0)?, text(1)?);
                let is_swapped = symbols[first].contains(last) && symbols[first + 1].contains(before);
                (is_free && is_swapped).then_some((MatrixState { row: at.row + 2, ..at }, 1))?
            }
            MatrixStep::PatternOnly => {
                let is_free = left > 0 && costs.deletion.max > 0 && !constraints.is_locked(left - 1);
                let diagonal = at.diagonal.checked_sub(1).filter(|_| is_free)?;
                let to = MatrixState { row: at.row + 1, diagonal, ..at };
                (self.with_gap(to, CountedEdit::Deletions, problem)?, costs.deletion.cost.get())
            }
            MatrixStep::TextOnly => {
                text(0)?;
                let is_inside = left < symbols.len() && constraints.is_joined(left);
                let is_free = at.diagonal + 1 < self.width && costs.insertion.max > 0 && !is_inside;
                let to = is_free.then_some(MatrixState { diagonal: at.diagonal + 1, ..at })?;
                (self.with_gap(to, CountedEdit::Insertions, problem)?, costs.insertion.cost.get())
            }
        };
        Some((to, cost as u64 * problem.unit))
    }

    #[inline]
    fn with_substitution(&self, to: MatrixState) -> Option<MatrixState> {
        match self.substitutions {
            1 => Some(to),
            values => {
                (to.substitutions + 1 < values).then_some(MatrixState { substitutions: to.substitutions + 1, ..to })
            }
        }
    }

    /// Counts a gap of kind `kind` in the state `to`, whose diagonal already includes the gap. Returns `None` if the
    /// gap exceeds a limit.
    #[inline]
    fn with_gap(&self, to: MatrixState, kind: CountedEdit, problem: &MatrixProblem<'_>) -> Option<MatrixState> {
        if self.counted == CountedEdit::Neither {
            return Some(to);
        }
        let gaps = to.gaps + usize::from(kind == self.counted);
        let costs = problem.constraints.costs();
        // Insertions minus deletions equal the diagonal minus `self.deletions`.
        let is_within = match self.counted {
            CountedEdit::Insertions => gaps + self.deletions <= costs.deletion.max + to.diagonal,
            _ => gaps + to.diagonal <= costs.insertion.max + self.deletions,
        };
        (gaps < self.gaps && is_within).then_some(MatrixState { gaps, ..to })
    }
}
