//! The scores of single steps, and the range of the scores of a matrix.

use crate::scoring::Scoring;

/// The part of both strings that an alignment covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScoredExtent {
    /// Both strings from end to end.
    Global,
    /// Any part of either string.
    Local,
}

/// The scores of single steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepScores {
    /// The cost of a gap of one symbol.
    pub(super) first: i32,
    /// The cost of each further symbol of a gap.
    pub(super) extend: i32,
    /// The largest score of two symbols; at least 0.
    pub(super) most: i32,
    /// The smallest score of two symbols; at most 0.
    pub(super) least: i32,
}

impl StepScores {
    pub(super) fn of(scoring: &Scoring) -> Self {
        let gaps = scoring.gaps();
        StepScores {
            first: gaps.open + gaps.extend,
            extend: gaps.extend,
            most: scoring.max_score().max(0),
            least: scoring.min_score().min(0),
        }
    }

    /// Returns how far below the lowest score of a matrix its intermediate results may be. At least 1, so that no score
    /// equals the smallest integer.
    pub(super) fn margin(&self) -> i32 {
        (self.first + self.extend).max(-self.least).max(1)
    }

    /// Returns the score of a gap over the first `length` symbols of a string, in a global alignment.
    pub(super) fn border(&self, length: usize) -> i32 {
        match length {
            0 => 0,
            _ => self.extend - self.first - self.extend * length as i32,
        }
    }
}

/// The scores of a matrix are in the range `low..=high`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoreRange {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl ScoreRange {
    /// Returns the range of a whole matrix with `rows` and `columns` symbols.
    pub(super) fn whole(steps: &StepScores, extent: ScoredExtent, rows: usize, columns: usize) -> Self {
        let gaps = 2 * i64::from(steps.first) + i64::from(steps.extend) * (rows + columns) as i64;
        ScoreRange {
            low: if extent == ScoredExtent::Global { -gaps } else { 0 },
            high: i64::from(steps.most) * rows.min(columns) as i64,
        }
    }
}

/// Returns whether every score of a pair with these lengths, and every intermediate result, fits in 32 bits. Other
/// pairs must not be compared.
pub(super) fn fits(scoring: &Scoring, extent: ScoredExtent, query: usize, target: usize) -> bool {
    let steps = StepScores::of(scoring);
    let range = ScoreRange::whole(&steps, extent, query, target);
    range.high - range.low + 4 * i64::from(steps.margin()) < i64::from(i32::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, Substitution};

    #[test]
    fn gaps_count_for_the_scores_of_global_alignments_only() {
        let substitution = Substitution::Equality { equal: 2, different: -3 };
        let scoring = Scoring::new(substitution, GapCosts { open: 5, extend: 2 }).unwrap();
        let (query, chromosome) = (1000, 540_000_000);
        assert!(fits(&scoring, ScoredExtent::Local, query, chromosome));
        assert!(!fits(&scoring, ScoredExtent::Global, query, chromosome));
        assert!(!fits(&scoring, ScoredExtent::Local, chromosome, chromosome));
    }
}
