//! The definition of each objective: plain dynamic programs over the whole matrix.
//!
//! Cell (i, j) belongs to the first i symbols of the query and the first j symbols of the target. A program takes O(mn)
//! time and memory for strings of m and n symbols. All other implementations are tested against it.
//!
//! - V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.
//! - R. A. Wagner, M. J. Fischer, "The string-to-string correction problem", 1974.
//! - S. B. Needleman, C. D. Wunsch, "A general method applicable to the search for similarities in the amino acid
//!   sequence of two proteins", 1970.
//! - T. F. Smith, M. S. Waterman, "Identification of common molecular subsequences", 1981.
//! - O. Gotoh, "An improved algorithm for matching biological sequences", 1982.

use super::pairs::Pair;
use super::scoring::{GapCosts, Scoring};
use super::symbols::WidePair;
use super::{Objective, PairAlignment};
use nigh_text::alignment::{BackwardRuns, Edit};

/// A score below every real one, and large enough that sums do not overflow.
const NEVER: i64 = i64::MIN / 4;

/// The part of the matrix that an alignment covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// From the last cell to the first.
    Global,
    /// From the best cell to a cell of score 0.
    Local,
}

/// Two strings, and the scores of steps: of a diagonal step over two symbols, and of gaps.
struct ReferenceProblem<'a, S> {
    query: &'a [S],
    target: &'a [S],
    diagonal: &'a dyn Fn(S, S) -> Option<i64>,
    gaps: GapCosts,
    extent: Extent,
}

/// The best scores, `[row][column]`, of alignments that end in each cell.
struct ReferenceMatrix {
    /// The best of all alignments.
    best: Vec<Vec<i64>>,
    /// The best of those that end with a symbol of the query only.
    query_gap: Vec<Vec<i64>>,
    /// The best of those that end with a symbol of the target only.
    target_gap: Vec<Vec<i64>>,
}

/// Aligns a pair.
pub fn align(objective: &Objective, pair: Pair<'_>) -> PairAlignment {
    align_symbols(objective, pair.query, pair.target, &Scoring::score)
}

/// Aligns a pair of strings of any symbols.
pub fn align_wide(objective: &Objective, pair: &WidePair) -> PairAlignment {
    align_symbols(objective, pair.query(), pair.target(), &Scoring::wide_score)
}

fn align_symbols<S: Copy + PartialEq>(
    objective: &Objective,
    query: &[S],
    target: &[S],
    score: &dyn Fn(&Scoring, S, S) -> i32,
) -> PairAlignment {
    let unit = GapCosts { open: 0, extend: 1 };
    let of_scoring = |scoring: &Scoring, extent| {
        let diagonal = |query, target| Some(i64::from(score(scoring, query, target)));
        ReferenceProblem { query, target, diagonal: &diagonal, gaps: scoring.gaps(), extent }.align()
    };
    match objective {
        Objective::Distance => {
            let diagonal = |query, target| Some(-i64::from(query != target));
            let steps = ReferenceProblem { query, target, diagonal: &diagonal, gaps: unit, extent: Extent::Global };
            let aligned = steps.align();
            PairAlignment { value: -aligned.value, ..aligned }
        }
        Objective::Lcs => {
            let diagonal = |query, target| (query == target).then_some(1);
            let free = GapCosts { open: 0, extend: 0 };
            ReferenceProblem { query, target, diagonal: &diagonal, gaps: free, extent: Extent::Global }.align()
        }
        Objective::Global(scoring) => of_scoring(scoring, Extent::Global),
        Objective::Local(scoring) => of_scoring(scoring, Extent::Local),
    }
}

impl<S: Copy + PartialEq> ReferenceProblem<'_, S> {
    fn align(&self) -> PairAlignment {
        let matrix = self.matrix();
        let (rows, columns) = (self.query.len(), self.target.len());
        let end = match self.extent {
            Extent::Global => (rows, columns),
            Extent::Local => matrix.best_cell(),
        };
        let mut runs = BackwardRuns::default();
        let start = self.walk_back(&matrix, end, &mut runs);
        PairAlignment {
            value: matrix.best[end.0][end.1],
            query: start.0..end.0,
            target: start.1..end.1,
            cigar: runs.cigar(),
        }
    }

    fn matrix(&self) -> ReferenceMatrix {
        let (rows, columns) = (self.query.len(), self.target.len());
        let (open, extend) = (i64::from(self.gaps.open), i64::from(self.gaps.extend));
        let empty = vec![vec![NEVER; columns + 1]; rows + 1];
        let mut matrix = ReferenceMatrix { best: empty.clone(), query_gap: empty.clone(), target_gap: empty };
        for row in 0..=rows {
            for column in 0..=columns {
                let mut best = if row == 0 && column == 0 || self.extent == Extent::Local { 0 } else { NEVER };
                if row > 0 {
                    let gap = (matrix.best[row - 1][column] - open).max(matrix.query_gap[row - 1][column]) - extend;
                    matrix.query_gap[row][column] = gap;
                    best = best.max(gap);
                }
                if column > 0 {
                    let gap = (matrix.best[row][column - 1] - open).max(matrix.target_gap[row][column - 1]) - extend;
                    matrix.target_gap[row][column] = gap;
                    best = best.max(gap);
                }
                if let Some(diagonal) = self.diagonal(&matrix, row, column) {
                    best = best.max(diagonal);
                }
                matrix.best[row][column] = best;
            }
        }
        matrix
    }

    /// Returns the score of the best alignment that ends in a cell with a diagonal step.
    fn diagonal(&self, matrix: &ReferenceMatrix, row: usize, column: usize) -> Option<i64> {
        if row == 0 || column == 0 {
            return None;
        }
        let step = (self.diagonal)(self.query[row - 1], self.target[column - 1])?;
        Some(matrix.best[row - 1][column - 1] + step)
    }

    /// Walks from the cell `end` back to the start of the alignment. Returns its first cell.
    fn walk_back(&self, matrix: &ReferenceMatrix, end: (usize, usize), runs: &mut BackwardRuns) -> (usize, usize) {
        let (mut row, mut column) = end;
        let is_end = |row: usize, column: usize| match self.extent {
            Extent::Global => row == 0 && column == 0,
            Extent::Local => matrix.best[row][column] == 0,
        };
        while !is_end(row, column) {
            let score = matrix.best[row][column];
            if self.diagonal(matrix, row, column) == Some(score) {
                let is_match = self.query[row - 1] == self.target[column - 1];
                runs.push(1, if is_match { Edit::Match } else { Edit::Substitution });
                (row, column) = (row - 1, column - 1);
                continue;
            }
            let cost = |length: usize| i64::from(self.gaps.open) + i64::from(self.gaps.extend) * length as i64;
            let in_query = (1..=row).find(|&length| matrix.best[row - length][column] - cost(length) == score);
            if let Some(length) = in_query {
                runs.push(length, Edit::PatternOnly);
                row -= length;
                continue;
            }
            let in_target = (1..=column).find(|&length| matrix.best[row][column - length] - cost(length) == score);
            let length = in_target.expect("a step leads to each cell");
            runs.push(length, Edit::TextOnly);
            column -= length;
        }
        (row, column)
    }
}

impl ReferenceMatrix {
    /// Returns the best cell with the smallest column, and of these the one with the smallest row.
    fn best_cell(&self) -> (usize, usize) {
        let cells = (0..self.best[0].len()).flat_map(|column| (0..self.best.len()).map(move |row| (row, column)));
        let mut best = (0, 0);
        for (row, column) in cells {
            if self.best[row][column] > self.best[best.0][best.1] {
                best = (row, column);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::Substitution;

    fn aligned(objective: &Objective, query: &str, target: &str) -> (i64, String) {
        let aligned = align(objective, Pair { query: query.as_bytes(), target: target.as_bytes() });
        (aligned.value, format!("{:?} {:?} {}", aligned.query, aligned.target, aligned.cigar))
    }

    fn scoring(open: i32, extend: i32) -> Scoring {
        Scoring::new(Substitution::Equality { equal: 2, different: -3 }, GapCosts { open, extend }).unwrap()
    }

    #[test]
    fn the_distance_counts_edits() {
        let of = |query, target| aligned(&Objective::Distance, query, target);
        assert_eq!(of("kitten", "sitting"), (3, "0..6 0..7 1X3=1X1=1D".into()));
        assert_eq!(of("", "abc"), (3, "0..0 0..3 3D".into()));
        assert_eq!(of("abc", ""), (3, "0..3 0..0 3I".into()));
        assert_eq!(of("", ""), (0, "0..0 0..0 ".into()));
    }

    #[test]
    fn a_subsequence_has_no_substitution() {
        assert_eq!(aligned(&Objective::Lcs, "ABCBDAB", "BDCABA").0, 4);
        assert_eq!(aligned(&Objective::Lcs, "abc", "xyz"), (0, "0..3 0..3 3D3I".into()));
    }

    #[test]
    fn gaps_may_have_a_cost_of_their_own() {
        let global = |open, extend| aligned(&Objective::Global(scoring(open, extend)), "ACGTACGT", "ACGACT");
        assert_eq!(global(0, 2), (8, "0..8 0..6 3=1I2=1I1=".into()));
        assert_eq!(global(20, 2), (-22, "0..8 0..6 3=2I2X1=".into()));
    }

    #[test]
    fn a_local_alignment_is_a_part_of_both() {
        let local = |query, target| aligned(&Objective::Local(scoring(5, 2)), query, target);
        assert_eq!(local("TTACGTTT", "GGACGTGG"), (8, "2..6 2..6 4=".into()));
        assert_eq!(local("AAA", "CCC"), (0, "0..0 0..0 ".into()));
        assert_eq!(local("AC", "ACGGAC"), (4, "0..2 0..2 2=".into()));
    }
}
