//! Matches that take the place of others with the same end.

use super::Aligner;
use crate::distance;
use nigh_pattern::{Expression, PatternSet};
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, LaterMatch};

/// Returns, for each hit and its alignment, the difference between insertions and deletions by which matches are ranked. It
/// is one more for a match without edits that [ends elsewhere](Aligner::end_elsewhere) in Perl.
pub fn excesses(
    aligner: &mut dyn Aligner,
    patterns: &PatternSet,
    batch: &Batch,
    (hits, alignments): (&[Hit], &[Alignment]),
) -> Vec<usize> {
    let pattern = |hit: &Hit| &patterns.patterns()[hit.pattern];
    let all = || hits.iter().zip(alignments);
    let mut excesses: Vec<usize> = all().map(|(hit, alignment)| pattern(hit).excess(&alignment.cigar)).collect();
    if hits.iter().any(|hit| pattern(hit).expression().is_some_and(Expression::ends_as_in_perl)) {
        let matches: Vec<Hit> = all().map(|(hit, alignment)| Hit { start: Some(alignment.start), ..*hit }).collect();
        let elsewhere = aligner.end_elsewhere(batch, &matches);
        excesses.iter_mut().zip(elsewhere).for_each(|(excess, elsewhere)| *excess += usize::from(elsewhere));
    }
    excesses
}

/// Returns the best match of a pattern that ends where `hit` does, starts at or after the offset `from`, and has at most
/// k edits; `None` if there is none. `from` is after the start of another match that ends there. Of several matches with
/// the least distance, the one of least excess is the best; of these, for a string the one that starts last, and for
/// an expression the one that starts first.
pub fn later_match(
    aligner: &mut dyn Aligner,
    patterns: &PatternSet,
    batch: &Batch,
    hit: Hit,
    from: usize,
) -> Option<LaterMatch> {
    let pattern = &patterns.patterns()[hit.pattern];
    // A symbol has at least one byte.
    if hit.end < from + pattern.min_match_len() {
        return None;
    }
    match pattern.expression() {
        Some(_) => aligner.later_match(batch, hit, from),
        // Matches that hang over an end compete with the start that they have.
        None if patterns.overhang().is_some() => None,
        None => distance::later_match(patterns.alphabet(), batch, pattern, hit, from),
    }
}
