//! Matches that hang over and have the same end, by the [matrix of the constraints](Matrix).
//!
//! The matrix runs from the end of a match to its start, with a start wherever the pattern may hang over the start of
//! the text. It is computed for each number of symbols after the end. For a pattern of m symbols with k edits that is
//! O(m² k) time for the end of a line or record, and O(m k) time for any other end, less with a bound on these symbols.

use std::borrow::Cow;

use crate::match_window::{MatchWindow, end_holds};
use crate::matrix::{Matrix, MatrixProblem, MatrixStart};
use nigh_pattern::{EditConstraints, OverhangLimits, Pattern};
use nigh_text::alignment::Alignment;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;

/// The matches of a pattern that hang over and have the same end.
pub(super) struct OverhangMatches<'a> {
    pattern: &'a Pattern,
    constraints: Cow<'a, EditConstraints>,
    limits: OverhangLimits,
    window: MatchWindow,
    /// Whether the line or record ends with the matches.
    closes: bool,
    /// Number of symbols from the start of the line or record to the end of the matches; `None` if a match cannot cover
    /// as many.
    from_start: Option<usize>,
}

/// The symbols beyond the ends of some matches.
#[derive(Debug, Clone, Copy)]
struct BeyondEnds {
    start: StartOverhang,
    /// Number of symbols after the end.
    after: usize,
}

/// Whether matches hang over the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartOverhang {
    Absent,
    Present,
}

impl<'a> OverhangMatches<'a> {
    /// Reads the text before the offset `end` of the batch; `None` if no match may end there.
    pub(super) fn before(
        alphabet: Alphabet,
        batch: &Batch,
        pattern: &'a Pattern,
        limits: OverhangLimits,
        end: usize,
    ) -> Option<Self> {
        if !end_holds(alphabet, batch, pattern, end) {
            return None;
        }
        let window = MatchWindow::before(alphabet, batch, pattern, end);
        Some(OverhangMatches {
            constraints: pattern.all_constraints(),
            closes: window.closes(alphabet, batch),
            from_start: window.symbols_from_start(),
            pattern,
            limits,
            window,
        })
    }

    /// Returns whether any match may hang over.
    pub(super) fn are_possible(&self) -> bool {
        self.max_after() > 0 || self.may_hang_over_start()
    }

    /// Returns the largest number of symbols after the end.
    fn max_after(&self) -> usize {
        if self.closes { self.limits.max_after } else { 0 }
    }

    fn may_hang_over_start(&self) -> bool {
        self.from_start.is_some() && self.limits.max_before > 0
    }

    /// Returns the least sum of edits and overhangs, in units; `None` if there is no match.
    pub(super) fn sum(&self, matrix: &mut Matrix) -> Option<u64> {
        self.sums(matrix).map(|(sum, _)| sum).min()
    }

    /// Returns the alignment of the match with the least sum. Of several, prefers one that does not hang over the start,
    /// then the one with the fewest symbols after the end.
    pub(super) fn alignment(&self, matrix: &mut Matrix) -> Option<Alignment> {
        let mut all = self.beyond_ends();
        let (first, second) = (all.next()?, all.next());
        let best = match second {
            None => first,
            Some(_) => self.sums(matrix).min_by_key(|&(sum, _)| sum)?.1,
        };
        self.alignment_beyond(matrix, best)
    }

    /// Returns the alignment of the match with the least sum among those that have `after` symbols after the end and do
    /// not hang over the start.
    pub(super) fn alignment_over_end(&self, matrix: &mut Matrix, after: usize) -> Option<Alignment> {
        self.alignment_beyond(matrix, BeyondEnds { start: StartOverhang::Absent, after })
    }

    fn alignment_beyond(&self, matrix: &mut Matrix, beyond: BeyondEnds) -> Option<Alignment> {
        let cigar = matrix.cigar(&self.problem(beyond)?, &|start| self.cost_of_start(beyond, start));
        let last = cigar.text_length().checked_sub(1)?;
        let [end, start] = [0, last].map(|index| &self.window.symbols[index]);
        Some(Alignment { start: start.start, end: end.end, cigar })
    }

    /// Iterates over the least sums of the matches that hang over, in the order in which alignments are preferred.
    fn sums<'b>(&'b self, matrix: &'b mut Matrix) -> impl Iterator<Item = (u64, BeyondEnds)> + 'b {
        self.beyond_ends().filter_map(move |beyond| {
            let value = matrix.value(&self.problem(beyond)?, &|start| self.cost_of_start(beyond, start))?;
            Some((value + self.limits.cost(beyond.after), beyond))
        })
    }

    /// Iterates over the ways in which a match may hang over, in the order in which alignments are preferred.
    fn beyond_ends(&self) -> impl Iterator<Item = BeyondEnds> + use<> {
        let max_after = self.max_after();
        let inside = (1..=max_after).map(|after| BeyondEnds { start: StartOverhang::Absent, after });
        let afters = if self.may_hang_over_start() { 0..max_after + 1 } else { 0..0 };
        inside.chain(afters.map(|after| BeyondEnds { start: StartOverhang::Present, after }))
    }

    fn problem(&self, BeyondEnds { start, after }: BeyondEnds) -> Option<MatrixProblem<'_>> {
        let max_before = match start {
            StartOverhang::Absent => 0,
            StartOverhang::Present => self.limits.max_before.min(self.limits.max_overhang.checked_sub(after)?),
        };
        let problem = MatrixProblem::new(self.pattern, &self.constraints, self.window.within_reach());
        problem.hanging_over(self.limits, after, max_before)
    }

    /// Returns the cost of the symbols before the start of a match; `None` if it may not start there.
    fn cost_of_start(&self, beyond: BeyondEnds, start: MatrixStart) -> Option<u64> {
        let MatrixStart { before, covered } = start;
        let is_known = match beyond.start {
            StartOverhang::Absent => before == 0,
            StartOverhang::Present => before > 0 && self.from_start == Some(covered),
        };
        (is_known && self.window.allows(self.pattern, covered)).then(|| self.limits.cost(before))
    }
}
