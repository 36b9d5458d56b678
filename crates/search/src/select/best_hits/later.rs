//! The later matches of hits whose best match overlaps a selected one.

use super::ranked::{MatchedText, RankedMatch};
use nigh_pattern::PatternSet;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, LaterMatch};
use nigh_text::text::end_of_first;
use nigh_verify::{Aligner, EngineError, later_match};

/// Finds later matches.
pub(super) trait FindLater {
    /// Replaces a match by the best match with the same end that starts at or after the position `from`. Returns whether
    /// there is one.
    ///
    /// # Errors
    /// Errors of an aligner.
    fn replace(&mut self, one: &mut RankedMatch, from: u64) -> Result<bool, EngineError>;
}

/// Finds the later matches of hits in a batch, or in the copies of their text.
pub(super) struct LaterMatches<'b> {
    pub(super) patterns: &'b PatternSet,
    pub(super) aligner: &'b mut dyn Aligner,
    pub(super) batch: &'b Batch<'b>,
}

impl FindLater for LaterMatches<'_> {
    fn replace(&mut self, one: &mut RankedMatch, from: u64) -> Result<bool, EngineError> {
        let alphabet = self.patterns.alphabet();
        let (batch, range) = match &one.text {
            MatchedText::InBatch(range) => (self.batch, range),
            MatchedText::Carried(excerpt) => (&excerpt.batch, &excerpt.matched),
        };
        let passed = (from - one.range.start) as usize;
        let start = match alphabet {
            Alphabet::Text | Alphabet::Bytes => range.start + passed,
            Alphabet::Dna | Alphabet::Protein => {
                range.start + end_of_first(alphabet, &batch.bytes()[range.clone()], passed)
            }
        };
        let hit = Hit { end: range.end, start: None, ..one.hit };
        let Some(LaterMatch { hit, excess }) = later_match(self.aligner, self.patterns, batch, hit, start) else {
            return Ok(false);
        };
        let mut aligned = Vec::with_capacity(1);
        self.aligner.align(batch, &[hit], &mut aligned)?;
        let alignment = aligned.pop().expect("one alignment per hit");
        let covered = match alphabet {
            Alphabet::Text | Alphabet::Bytes => alignment.end - alignment.start,
            Alphabet::Dna | Alphabet::Protein => alignment.cigar.text_length(),
        };
        one.range.start = one.range.end - covered as u64;
        (one.hit.distance, one.excess, one.cigar) = (hit.distance, excess as u32, alignment.cigar);
        match &mut one.text {
            MatchedText::InBatch(range) => range.start = alignment.start,
            MatchedText::Carried(excerpt) => excerpt.matched.start = alignment.start,
        }
        Ok(true)
    }
}
