//! Matches in a text, in order.

use std::ops::Range;

use super::batch_hits::BatchHits;
use nigh_core::alignment::{Alignment, Cigar};
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::{Batch, MemoryBatches, Window};
use nigh_core::engine::Engine;
use nigh_core::hit::Hit;
use nigh_core::pattern::{Pattern, Strand};

/// A match: a range of the text, with the pattern that matches there and the edits between them.
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("connection", 2)?;
/// let found = searcher.find_iter(b"lost conection").best().next().expect("one match");
/// assert_eq!((found.text(), found.range()), (&b"conection"[..], 5..14));
/// assert_eq!((found.pattern(), found.distance()), (0, 1));
/// # Ok::<(), nigh::SearcherError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match<'t> {
    pub(super) text: &'t [u8],
    pub(super) start: usize,
    pub(super) distance: usize,
    pub(super) pattern: usize,
    pub(super) strand: Strand,
    pub(super) cigar: Cigar,
    /// The difference between the length of the match and the pattern's, in symbols.
    pub(super) excess: usize,
}

impl<'t> Match<'t> {
    /// Makes the match of an aligned hit of `pattern` in the range `range` of `text`.
    pub(super) fn new(text: &'t [u8], range: Range<usize>, pattern: &Pattern, hit: Hit, alignment: Alignment) -> Self {
        Match {
            start: range.start,
            text: &text[range],
            distance: hit.distance,
            pattern: pattern.source(),
            strand: pattern.strand(),
            excess: pattern.excess(&alignment.cigar),
            cigar: alignment.cigar,
        }
    }

    /// The offset in the text of the first byte of the match.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The offset in the text just past the last byte of the match.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The range of bytes of the text that the match covers.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// The matched text.
    pub fn text(&self) -> &'t [u8] {
        self.text
    }

    /// The smallest number of edits of a match with this end.
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// The index of the pattern, from 0, in the order in which the patterns were added.
    pub fn pattern(&self) -> usize {
        self.pattern
    }

    /// The strand of the pattern; [`Strand::Forward`] in text.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// The rank for best-first selection: distance, difference in length, end. The best match has the smallest rank.
    pub(super) fn rank(&self) -> (usize, usize, usize) {
        (self.distance, self.excess, self.end())
    }

    /// The operations of the alignment, in text order. `I` is a symbol that only the pattern has, `D` a symbol that
    /// only the text has.
    pub fn cigar(&self) -> &Cigar {
        &self.cigar
    }
}

/// An iterator over all matches in a text; see [`Searcher::find_iter`](super::Searcher::find_iter).
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("abc", 1)?;
/// let found: Vec<_> = searcher.find_iter(b"xabcx").map(|found| (found.range(), found.distance())).collect();
/// assert_eq!(found, [(1..3, 1), (1..4, 0), (1..5, 1)]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
pub struct Matches<'s, 't> {
    text: &'t [u8],
    batches: MemoryBatches<'t>,
    hits: BatchHits<'s>,
    /// The batch of the hits; `None` before the first.
    batch: Option<Batch>,
    /// Offset in the text of the batch's first byte.
    offset: usize,
}

impl<'s, 't> Matches<'s, 't> {
    pub(super) fn new(engine: &'s dyn Engine, text: &'t [u8]) -> Self {
        Matches::in_batches(engine, text, engine.batch_bytes())
    }

    /// Searches in batches that own about `bytes` bytes each.
    pub(super) fn in_batches(engine: &'s dyn Engine, text: &'t [u8], bytes: usize) -> Self {
        let batches = MemoryBatches::new(text, window(engine, bytes));
        Matches { text, batches, hits: BatchHits::new(engine), batch: None, offset: 0 }
    }

    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    pub(super) fn alphabet(&self) -> Alphabet {
        self.hits.patterns().alphabet()
    }

    pub(super) fn max_match_len(&self) -> usize {
        self.hits.patterns().max_match_len()
    }

    /// Searches the next batch. Returns `false` if there is none.
    fn search_next(&mut self) -> bool {
        let Some((batch, offset)) = self.batches.next() else { return false };
        self.hits.search(&batch);
        (self.batch, self.offset) = (Some(batch), offset);
        true
    }
}

/// Returns the size of batches of about `bytes` bytes, and of their context.
pub(super) fn window(engine: &dyn Engine, bytes: usize) -> Window {
    let patterns = engine.patterns();
    Window { bytes, max_match_len: patterns.context_len(), alphabet: patterns.alphabet() }
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        while self.hits.len() == 0 {
            if !self.search_next() {
                return None;
            }
        }
        let batch = self.batch.as_ref().expect("the hits are those of a batch");
        let (hit, alignment) = self.hits.next(batch)?;
        let range = self.offset + alignment.start..self.offset + alignment.end;
        Some(Match::new(self.text, range, self.hits.pattern(&hit), hit, alignment))
    }

    /// Counts the remaining matches without aligning them.
    fn count(mut self) -> usize {
        let mut count = self.hits.len();
        while self.search_next() {
            count += self.hits.len();
        }
        count
    }
}
