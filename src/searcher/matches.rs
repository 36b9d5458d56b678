//! Matches in a text, in order.

use std::borrow::BorrowMut;
use std::marker::PhantomData;
use std::ops::Range;

use super::batch_hits::{AlignedHit, BatchHits, Returned};
use nigh_engine::Engine;
use nigh_pattern::{Expression, Pattern, PatternSet, Strand};
use nigh_text::alignment::Cigar;
use nigh_text::batch::{Batch, MatchExcerpt, MemoryBatches, Window};
use nigh_text::hit::Hit;
use nigh_text::text::end_of_first;
use nigh_verify::EngineError;
use nigh_verify::choice::overlap::Rank;

/// The message of the panic if a device fails and no other engine may take over.
pub(super) const NO_DEVICE: &str = "a device failed, and the searcher was built with Fallback::Refused";

/// Size in bytes of the first batch, if the first match ends the search. Each batch is twice as long as the one before.
const FIRST_BATCH: usize = 64 << 10;

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
    /// Index of the alternative of the pattern.
    pub(super) alternative: usize,
    /// Index of the alternative among those of the searcher, as in `Searcher::captures_of`.
    pub(super) of_searcher: usize,
    /// Difference between the lengths of the match and of the pattern, in symbols.
    pub(super) excess: usize,
}

impl<'t> Match<'t> {
    /// Makes the match of an aligned hit of `pattern` in the range `range` of `text`.
    pub(super) fn new(text: &'t [u8], range: Range<usize>, pattern: &Pattern, found: AlignedHit) -> Self {
        Match {
            start: range.start,
            text: &text[range],
            distance: found.hit.distance,
            pattern: pattern.source(),
            strand: pattern.strand(),
            alternative: found.hit.pattern,
            of_searcher: found.of_searcher,
            excess: found.excess,
            cigar: found.alignment.cigar,
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
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Searcher, Strand};
    ///
    /// let searcher = Searcher::dna("GGATCA", 1)?;
    /// let found = searcher.find_iter(b"TTTGATCCTT").best().map(|found| found.strand()).collect::<Vec<_>>();
    /// assert_eq!(found, [Strand::Reverse]);
    /// assert_eq!(Strand::Reverse.sign(), b'-');
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn strand(&self) -> Strand {
        self.strand
    }

    fn hit(&self) -> Hit {
        Hit { end: self.end(), pattern: self.alternative, distance: self.distance, start: Some(self.start) }
    }

    /// The rank among matches that compete.
    pub(super) fn rank(&self, patterns: &PatternSet) -> Rank {
        Rank::new(patterns.patterns(), &self.hit(), self.start as u64..self.end() as u64, self.excess)
    }

    /// Returns the best match with the same end in `text`, the whole text, that starts at or after the offset `from`;
    /// `None` if there is none.
    pub(super) fn later(
        &self,
        hits: &mut BatchHits<'_>,
        text: &'t [u8],
        from: usize,
    ) -> Result<Option<Match<'t>>, EngineError> {
        let pattern = self.alternative;
        // A match that hangs over an end competes with the start that it has.
        if self.cigar.start_overhang() + self.cigar.end_overhang() > 0 {
            return Ok(None);
        }
        if self.end() - from < hits.patterns().patterns()[pattern].min_match_len() {
            return Ok(None);
        }
        let read = self.read(hits.patterns(), text);
        let mut excerpt = MatchExcerpt::of_text(hits.patterns().alphabet(), text, read.clone());
        let offset = read.start - excerpt.matched.start;
        excerpt.matched = self.start - offset..self.end() - offset;
        let Some((later, alignment)) = hits.later_match(&excerpt, pattern, from - offset)? else { return Ok(None) };
        let start = offset + alignment.start;
        Ok(Some(Match {
            start,
            text: &text[start..self.end()],
            distance: later.hit.distance,
            excess: later.excess,
            cigar: alignment.cigar,
            ..*self
        }))
    }

    /// Returns the range of the text that decides about later matches with the same end. It is that of this match. If an
    /// expression ends as in Perl, as in lines only, the match that Perl finds may end after this one, and within a range
    /// of positions.
    fn read(&self, patterns: &PatternSet, text: &[u8]) -> Range<usize> {
        let pattern = &patterns.patterns()[self.alternative];
        if !pattern.expression().is_some_and(Expression::ends_as_in_perl) {
            return self.range();
        }
        let is_line_end = |&byte: &u8| byte == b'\n';
        let length = text[self.end()..].iter().position(is_line_end);
        let line_end = length.map_or(text.len(), |length| self.end() + length);
        if !pattern.within().is_all() {
            return text[..self.start].iter().rposition(is_line_end).map_or(0, |before| before + 1)..line_end;
        }
        let after = &text[self.end()..line_end];
        self.start..self.end() + end_of_first(patterns.alphabet(), after, pattern.max_match_len())
    }

    /// The operations of the alignment, in text order. `I` is a symbol that only the pattern has, `D` a symbol that
    /// only the text has.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Edit, Searcher};
    ///
    /// let searcher = Searcher::new("deadlock", 1)?;
    /// let found = searcher.find_iter(b"deadlok").best().next().expect("one match");
    /// assert_eq!(found.cigar().to_string(), "6=1I1=");
    /// assert!(found.cigar().runs().eq([(6, Edit::Match), (1, Edit::PatternOnly), (1, Edit::Match)]));
    /// assert_eq!((found.cigar().distance(), found.cigar().text_length()), (1, 7));
    /// let letters: Vec<u8> = found.cigar().runs().map(|(_, edit)| edit.letter()).collect();
    /// assert_eq!(letters, b"=I=");
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn cigar(&self) -> &Cigar {
        &self.cigar
    }
}

/// An iterator over all matches in a text; see [`Searcher::find_iter`](super::Searcher::find_iter).
///
/// `C` is the [`Cache`] of the search, or `&mut Cache` if it was lent to it.
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("abc", 1)?;
/// let found: Vec<_> = searcher.find_iter(b"xabcx").map(|found| (found.range(), found.distance())).collect();
/// assert_eq!(found, [(1..3, 1), (1..4, 0), (1..5, 1)]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
pub struct Matches<'s, 't, C = Cache<'s>> {
    text: &'t [u8],
    batches: MemoryBatches<'t>,
    /// The buffers of the search: its own, or those that were lent to it.
    cache: C,
    /// The searcher whose engine the buffers are of.
    searcher: PhantomData<&'s ()>,
    /// The batch of the hits; `None` before the first.
    batch: Option<Batch<'t>>,
    /// Offset in the text of the batch's first byte.
    offset: usize,
}

/// The settings of a searcher that apply to all of its patterns together.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchRules {
    /// Whether a batch must hold a whole record.
    pub(super) keeps_records: bool,
    /// The least number of edits of a selected match.
    pub(super) min_edits: usize,
}

/// Buffers that one search after another can use; see [`Searcher::cache`](super::Searcher::cache).
pub struct Cache<'s> {
    /// The engine, and that for sites.
    engines: [&'s Engine; 2],
    hits: BatchHits<'s>,
    rules: MatchRules,
}

impl<'s> Cache<'s> {
    /// Makes buffers for an engine and, if sites are selected, for that in the second place.
    pub(super) fn new(engines: [&'s Engine; 2], rules: MatchRules) -> Self {
        Cache { engines, hits: BatchHits::new(engines[0]), rules }
    }

    /// Iterates over the matches in a text, as [`Searcher::find_iter`](super::Searcher::find_iter) does.
    pub fn find_iter<'t>(&mut self, text: &'t [u8]) -> Matches<'s, 't, &mut Self> {
        Matches::new(self, text)
    }

    /// Returns whether a text has a match, as [`Searcher::is_match`](super::Searcher::is_match) does.
    ///
    /// # Errors
    /// Fails if a device fails and the searcher was built with
    /// [`Fallback::Refused`](nigh_device::Fallback::Refused).
    pub fn is_match(&mut self, text: &[u8]) -> Result<bool, EngineError> {
        self.hits.return_from(self.engines, Returned::Hits);
        if self.rules.min_edits > 0 {
            return Ok(self.find_iter(text).best().try_next()?.is_some());
        }
        let mut window = self.window(FIRST_BATCH);
        let mut batches = MemoryBatches::new(text, window);
        let max_bytes = self.hits.engine().facts().batch_bytes;
        while let Some((batch, _)) = batches.next() {
            if self.hits.has_hit(&batch)? {
                return Ok(true);
            }
            window.bytes = window.bytes.saturating_mul(2).min(max_bytes.max(window.bytes));
            batches.set_bytes(window.bytes);
        }
        Ok(false)
    }

    /// Returns the size of batches of about `bytes` bytes, and of their context.
    fn window(&self, bytes: usize) -> Window {
        window(self.engines, bytes, self.rules.keeps_records)
    }
}

impl<'s, 't, C: BorrowMut<Cache<'s>>> Matches<'s, 't, C> {
    pub(super) fn new(cache: C, text: &'t [u8]) -> Self {
        let bytes = cache.borrow().hits.engine().facts().batch_bytes;
        Matches::in_batches(cache, text, bytes)
    }

    /// Searches in batches that own about `bytes` bytes each.
    pub(super) fn in_batches(mut cache: C, text: &'t [u8], bytes: usize) -> Self {
        let own = cache.borrow_mut();
        own.hits.clear();
        own.hits.return_from(own.engines, Returned::Hits);
        let batches = MemoryBatches::new(text, own.window(bytes));
        Matches { text, batches, cache, searcher: PhantomData, batch: None, offset: 0 }
    }

    /// Returns the next match; `None` at the end. In contrast to [`next`](Iterator::next), the failure of a device is
    /// an error. After an error, the next call goes on with the next part of the text and matches are missing, so the
    /// search should be given up.
    ///
    /// # Errors
    /// Fails if a device fails and the searcher was built with
    /// [`Fallback::Refused`](nigh_device::Fallback::Refused). Otherwise the CPU takes over.
    pub fn try_next(&mut self) -> Result<Option<Match<'t>>, EngineError> {
        loop {
            if let Some(batch) = &self.batch
                && let Some(found) = self.cache.borrow_mut().hits.next(batch)?
            {
                let range = self.offset + found.alignment.start..self.offset + found.alignment.end;
                let pattern = &self.patterns().patterns()[found.hit.pattern];
                return Ok(Some(Match::new(self.text, range, pattern, found)));
            }
            if !self.search_next()? {
                return Ok(None);
            }
        }
    }

    /// Sets which matches are returned. Must be called before the first match.
    pub(super) fn returning(mut self, returned: Returned) -> Self {
        let own = self.cache.borrow_mut();
        own.hits.return_from(own.engines, returned);
        self
    }

    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    pub(super) fn hits(&mut self) -> &mut BatchHits<'s> {
        &mut self.cache.borrow_mut().hits
    }

    pub(super) fn patterns(&self) -> &'s PatternSet {
        self.cache.borrow().hits.patterns()
    }

    /// Returns the least number of edits of a selected match.
    pub(super) fn min_edits(&self) -> usize {
        self.cache.borrow().rules.min_edits
    }

    /// Searches the next batch. Returns `false` if there is none.
    fn search_next(&mut self) -> Result<bool, EngineError> {
        let hits = &mut self.cache.borrow_mut().hits;
        hits.clear();
        let Some((batch, offset)) = self.batches.next() else { return Ok(false) };
        hits.search(&batch)?;
        (self.batch, self.offset) = (Some(batch), offset);
        Ok(true)
    }
}

/// Returns the size of batches of about `bytes` bytes, and of their context, which suffices for both engines. If
/// `keeps_records` is set, a batch holds a whole record.
pub(super) fn window([engine, site_engine]: [&Engine; 2], bytes: usize, keeps_records: bool) -> Window {
    let patterns = engine.patterns();
    let context = match std::ptr::eq(engine, site_engine) {
        true => patterns.context_len(),
        false => patterns.context_len().max(site_engine.patterns().context_len()),
    };
    let bytes = if keeps_records && patterns.alphabet().is_sequence() { usize::MAX } else { bytes };
    Window { bytes, max_match_len: context, alphabet: patterns.alphabet() }
}

impl<'s, 't, C: BorrowMut<Cache<'s>>> Iterator for Matches<'s, 't, C> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        self.try_next().expect(NO_DEVICE)
    }

    /// Counts the remaining matches without aligning them.
    fn count(mut self) -> usize {
        let mut count = self.hits().len();
        while self.search_next().expect(NO_DEVICE) {
            count += self.hits().len();
        }
        count
    }
}
