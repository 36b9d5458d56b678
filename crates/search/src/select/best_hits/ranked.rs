//! A match that competes with others.

use std::ops::Range;

use nigh_text::alignment::Cigar;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, MatchExcerpt};
use nigh_text::hit::Hit;
use nigh_verify::choice::sites::SiteMatch;

/// A match of one pattern.
#[derive(Debug)]
pub(crate) struct RankedMatch {
    /// The hit. Its offsets are offsets in the batch in which it was found.
    pub hit: Hit,
    /// Range of the match: residues of the record, or bytes of the text.
    pub range: Range<u64>,
    /// Alignment of the match.
    pub cigar: Cigar,
    /// Text of the match.
    pub text: MatchedText,
    /// Index of the line or record of the match: 0 for the line or record that continues from the previous batch, and
    /// counted from 1 for the others with a match.
    pub(super) item: u32,
    /// Index of the group of the match: the matches of one pattern on one strand, which compete with each other.
    pub(super) group: u32,
    /// Difference between the lengths of the match and of the pattern, in symbols.
    pub(super) excess: u32,
    /// Whether the match was selected, but must wait until earlier matches are decided.
    pub(super) is_shown: bool,
}

/// The text of a match.
#[derive(Debug)]
pub(crate) enum MatchedText {
    /// The range of the match in the batch.
    InBatch(Range<usize>),
    /// A copy of the text: the match was found in an earlier batch, in the line or record that continues in this batch.
    Carried(Box<MatchExcerpt>),
}

impl RankedMatch {
    pub(super) fn of_site(&self) -> SiteMatch<'_> {
        SiteMatch { pattern: self.hit.pattern, range: self.range.clone(), cigar: &self.cigar }
    }

    /// Makes the match independent of its batch, for the hand-off.
    pub(super) fn carry(&mut self, alphabet: Alphabet, batch: &Batch) {
        self.item = 0;
        if let MatchedText::InBatch(range) = &self.text {
            self.text = MatchedText::Carried(Box::new(batch.excerpt(alphabet, range.clone())));
        }
    }
}
