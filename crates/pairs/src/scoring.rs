//! Scores of global and local alignments.

use std::fmt;

/// The scores of pairs of symbols, and the costs of gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scoring {
    substitution: Substitution,
    gaps: GapCosts,
}

/// The scores of pairs of symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Substitution {
    /// One score for equal bytes and one for different bytes.
    Equality {
        /// The score of two equal bytes.
        equal: i8,
        /// The score of two different bytes.
        different: i8,
    },
    /// A score for each pair of classes of bytes.
    Matrix(SubstitutionMatrix),
}

/// A substitution matrix: classes of bytes, and a score for each pair of classes.
#[derive(Clone, PartialEq, Eq)]
pub struct SubstitutionMatrix {
    /// The class of each byte.
    classes: Box<[u8; 256]>,
    /// The number of classes.
    count: usize,
    /// The score of each pair of classes, `[query class][target class]`.
    scores: Box<[i8]>,
}

/// The costs of gaps. A gap of n symbols costs `open + n * extend`, as in BLAST and minimap2. Costs are linear if
/// `open` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapCosts {
    /// The cost of a gap, whatever its length.
    pub open: i32,
    /// The additional cost of each symbol of a gap, the first included.
    pub extend: i32,
}

/// The largest number of classes of a substitution matrix.
pub const MAX_CLASSES: usize = 32;

/// The largest cost of opening or extending a gap.
pub const MAX_GAP_COST: i32 = 1000;

/// An invalid scoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScoringError {
    /// A gap cost is negative or too large.
    #[error("the cost of a gap must be between 0 and {MAX_GAP_COST}, not {0}")]
    GapCost(i32),
}

impl Scoring {
    /// Makes a scoring.
    ///
    /// # Errors
    /// Fails if a gap cost is negative or more than [`MAX_GAP_COST`].
    pub fn new(substitution: Substitution, gaps: GapCosts) -> Result<Self, ScoringError> {
        match [gaps.open, gaps.extend].into_iter().find(|cost| !(0..=MAX_GAP_COST).contains(cost)) {
            Some(cost) => Err(ScoringError::GapCost(cost)),
            None => Ok(Scoring { substitution, gaps }),
        }
    }

    /// Returns the scores of pairs of symbols.
    pub fn substitution(&self) -> &Substitution {
        &self.substitution
    }

    /// Returns the costs of gaps.
    pub fn gaps(&self) -> GapCosts {
        self.gaps
    }

    /// Returns the score of a query symbol with a target symbol.
    #[inline(always)]
    pub fn score(&self, query: u8, target: u8) -> i32 {
        match &self.substitution {
            Substitution::Equality { equal, different } => i32::from(if query == target { *equal } else { *different }),
            Substitution::Matrix(matrix) => {
                i32::from(matrix.row(matrix.class(query))[usize::from(matrix.class(target))])
            }
        }
    }

    /// Returns the score of two symbols of a [`WidePair`](super::symbols::WidePair).
    pub(crate) fn wide_score(&self, query: u32, target: u32) -> i32 {
        match &self.substitution {
            Substitution::Equality { equal, different } => i32::from(if query == target { *equal } else { *different }),
            Substitution::Matrix(matrix) => {
                let byte = |symbol| match u8::try_from(symbol) {
                    Ok(byte) if byte.is_ascii() => byte,
                    _ => matrix.other_bytes()[0],
                };
                self.score(byte(query), byte(target))
            }
        }
    }

    /// Returns the largest score of two symbols.
    pub fn max_score(&self) -> i32 {
        match &self.substitution {
            Substitution::Equality { equal, different } => i32::from(*equal.max(different)),
            Substitution::Matrix(matrix) => matrix.scores.iter().copied().max().map_or(0, i32::from),
        }
    }

    /// Returns the smallest score of two symbols.
    pub fn min_score(&self) -> i32 {
        match &self.substitution {
            Substitution::Equality { equal, different } => i32::from(*equal.min(different)),
            Substitution::Matrix(matrix) => matrix.scores.iter().copied().min().map_or(0, i32::from),
        }
    }
}

/// The parts of a scoring that a user may choose. A part that is `None` has its default value.
///
/// # Examples
///
/// ```
/// use nigh_pairs::scoring::{GapCosts, ScoringOptions};
///
/// let scoring = ScoringOptions { equal: Some(1), ..ScoringOptions::default() }.scoring()?;
/// assert_eq!([scoring.score(b'A', b'A'), scoring.score(b'A', b'C')], [1, -3]);
/// assert_eq!(scoring.gaps(), GapCosts { open: 5, extend: 2 });
/// # Ok::<(), nigh_pairs::scoring::ScoringError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ScoringOptions {
    /// The scores of residues. Without a matrix, a score depends only on whether two symbols are equal.
    pub matrix: Option<SubstitutionMatrix>,
    /// The score of equal symbols; 2 by default. Not used with a matrix.
    pub equal: Option<i8>,
    /// The cost of different symbols; 3 by default. Not used with a matrix.
    pub mismatch: Option<i8>,
    /// The cost of opening a gap: by default 11 with a matrix, as in blastp, and otherwise 5, as in blastn.
    pub gap_open: Option<i32>,
    /// The cost of each symbol of a gap: by default 1 with a matrix, and otherwise 2.
    pub gap_extend: Option<i32>,
}

impl ScoringOptions {
    /// Makes the scoring.
    ///
    /// # Errors
    /// Fails if a gap cost is negative or more than [`MAX_GAP_COST`].
    pub fn scoring(self) -> Result<Scoring, ScoringError> {
        let (substitution, gaps) = match self.matrix {
            Some(matrix) => (Substitution::Matrix(matrix), GapCosts { open: 11, extend: 1 }),
            None => {
                let (equal, mismatch) = (self.equal.unwrap_or(2), self.mismatch.unwrap_or(3));
                let different = mismatch.checked_neg().unwrap_or(i8::MAX);
                (Substitution::Equality { equal, different }, GapCosts { open: 5, extend: 2 })
            }
        };
        let (open, extend) = (self.gap_open.unwrap_or(gaps.open), self.gap_extend.unwrap_or(gaps.extend));
        Scoring::new(substitution, GapCosts { open, extend })
    }
}

impl SubstitutionMatrix {
    /// Makes a matrix from the class of each byte and the score of each pair of classes, `[query class][target class]`.
    ///
    /// # Panics
    /// Panics if `scores` is not square, if there are more than [`MAX_CLASSES`] classes, or if a byte has a class
    /// without scores.
    pub fn new(classes: Box<[u8; 256]>, scores: Box<[i8]>) -> Self {
        let count = scores.len().isqrt();
        assert!(count * count == scores.len() && count <= MAX_CLASSES, "{} scores", scores.len());
        assert!(classes.iter().all(|&class| usize::from(class) < count), "each byte has a class with scores");
        SubstitutionMatrix { classes, count, scores }
    }

    /// Returns the class of a byte.
    #[inline(always)]
    pub fn class(&self, byte: u8) -> u8 {
        self.classes[usize::from(byte)]
    }

    /// Returns the class of each byte.
    pub fn classes(&self) -> &[u8; 256] {
        &self.classes
    }

    /// Returns the bytes above 127 of the class that most of them have: at least four, as these 128 bytes have at most
    /// 32 classes.
    pub(crate) fn other_bytes(&self) -> Vec<u8> {
        let mut classes = [const { Vec::new() }; MAX_CLASSES];
        (0x80..=u8::MAX).for_each(|byte| classes[usize::from(self.class(byte))].push(byte));
        classes.into_iter().max_by_key(Vec::len).unwrap_or_default()
    }

    /// Returns the number of classes.
    pub fn class_count(&self) -> usize {
        self.count
    }

    /// Returns the scores of a query class with each target class.
    #[inline(always)]
    pub fn row(&self, query_class: u8) -> &[i8] {
        &self.scores[usize::from(query_class) * self.count..][..self.count]
    }
}

impl fmt::Debug for SubstitutionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubstitutionMatrix").field("classes", &self.count).finish_non_exhaustive()
    }
}
