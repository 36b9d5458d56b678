//! The matches that are shown in a line, best first, over all patterns.
//!
//! The rank of a match is (distance, difference between its length and the pattern's, start, longest). With k = 0 that is what
//! grep shows: the leftmost match, and of several the longest. The rule is in [`overlap`](super::overlap).

use std::cmp::Reverse;
use std::ops::Range;

use super::overlap::{Judge, Shown, Verdict};
use crate::alignment::{Alignment, Cigar};
use crate::alphabet::Alphabet;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::report::{MatchSpan, Spans};
use crate::text::{MAX_SYMBOL_BYTES, start_of_last, symbols};

/// Number of hits of a line that are collected before they are judged.
const MANY_HITS: usize = 1 << 15;

/// Chooses among the hits of one line at a time, as they come.
pub(crate) struct SpanChooser<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    wanted: Spans,
    /// Hits that are not decided, in order.
    pending: Vec<Pending>,
    /// Number of hits that were left the last time they were judged.
    left: usize,
    shown: Shown,
    /// Number of spans that were there when the line began.
    first_span: usize,
}

/// A hit that may be shown.
struct Pending {
    hit: Hit,
    /// Where its match lies, once that is known.
    place: Option<HitRow>,
}

/// Where a match lies.
struct HitRow {
    start: usize,
    /// Difference between its length and the pattern's, in symbols.
    excess: usize,
    /// Its edits, if they are wanted and known.
    cigar: Option<Box<Cigar>>,
}

impl<'a> SpanChooser<'a> {
    /// Chooses among hits of these patterns, and finds out what is wanted of those it shows.
    pub(crate) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>, wanted: Spans) -> Self {
        SpanChooser { patterns, aligner, wanted, pending: Vec::new(), left: 0, shown: Shown::default(), first_span: 0 }
    }

    /// Begins a line; its spans come after the first so many.
    pub(crate) fn begin_line(&mut self, spans: usize) {
        self.first_span = spans;
    }

    /// Adds the next hit of the line. After a round of decisions, returns the place in the batch before which all hits
    /// are decided.
    ///
    /// # Errors
    /// When the aligner fails.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        hit: Hit,
        spans: &mut Vec<MatchSpan>,
    ) -> Result<Option<usize>, EngineError> {
        self.pending.push(Pending { hit, place: None });
        if self.pending.len() < MANY_HITS.max(2 * self.left) {
            return Ok(None);
        }
        let frontier = hit.end.saturating_sub(MAX_SYMBOL_BYTES * self.patterns.reach());
        let decided = self.judge(batch, frontier as u64, spans)?;
        Ok(Some(decided as usize))
    }

    /// Takes note that the line has no more hits, and puts its spans in order.
    ///
    /// # Errors
    /// When the aligner fails.
    pub(crate) fn end_line(&mut self, batch: &Batch, spans: &mut Vec<MatchSpan>) -> Result<(), EngineError> {
        self.judge(batch, u64::MAX, spans)?;
        self.shown.clear();
        spans[self.first_span..].sort_unstable_by_key(|span| span.bytes.start);
        Ok(())
    }

    /// Judges the hits at hand, level by level of distance. Matches that start at or after the frontier are not all known.
    /// Returns the place before which all is decided.
    fn judge(&mut self, batch: &Batch, frontier: u64, spans: &mut Vec<MatchSpan>) -> Result<u64, EngineError> {
        let mut shown = std::mem::take(&mut self.shown);
        let mut judge = Judge::new(&mut shown, frontier);
        let mut pending = std::mem::take(&mut self.pending);
        let mut undecided = Vec::new();
        while let Some(distance) = pending.iter().map(|one| one.hit.distance).min() {
            let mut level: Vec<Pending> = pending.extract_if(.., |one| one.hit.distance == distance).collect();
            level.retain(|one| !judge.is_hidden(&self.least_range(one.hit)));
            self.place(batch, &mut level)?;
            level.sort_by_key(|one| {
                let place = one.place.as_ref().expect("it was placed");
                (place.excess, place.start, Reverse(one.hit.end), one.hit.pattern)
            });
            for one in level {
                let place = one.place.as_ref().expect("it was placed");
                match judge.decide(place.start as u64..one.hit.end as u64) {
                    Verdict::Shown => spans.push(self.span(batch, one)?),
                    Verdict::Undecided => undecided.push(one),
                    Verdict::Hidden => {}
                }
            }
        }
        undecided.sort_unstable_by_key(|one| (one.hit.end, one.hit.pattern));
        let decided = judge.frontier();
        shown.forget_before(decided);
        (self.left, self.pending, self.shown) = (undecided.len(), undecided, shown);
        Ok(decided)
    }

    /// The bytes that every match with this end and distance covers.
    fn least_range(&self, hit: Hit) -> Range<u64> {
        let length = self.patterns.patterns()[hit.pattern].symbols().len();
        // A symbol has one byte or more.
        let least = length.saturating_sub(hit.distance).max(1);
        (hit.end - least) as u64..hit.end as u64
    }

    /// Finds out where the matches of these hits lie, of which all have one distance and come in the order of their ends.
    fn place(&mut self, batch: &Batch, level: &mut [Pending]) -> Result<(), EngineError> {
        for one in level.iter_mut().filter(|one| one.place.is_none()) {
            one.place = self.known_place(batch, one.hit);
        }
        let unknown: Vec<Hit> = level.iter().filter(|one| one.place.is_none()).map(|one| one.hit).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let mut aligned = Vec::with_capacity(unknown.len());
        self.aligner.align(batch, &unknown, &mut aligned)?;
        let unplaced = level.iter_mut().filter(|one| one.place.is_none());
        for (one, Alignment { start, cigar, .. }) in unplaced.zip(aligned) {
            let excess = cigar.text_length().abs_diff(self.length(one.hit));
            let cigar = (self.wanted == Spans::Edits).then(|| Box::new(cigar));
            one.place = Some(HitRow { start, excess, cigar });
        }
        Ok(())
    }

    /// Where a match lies, if that takes no alignment: it has no edits, or its start is fixed.
    fn known_place(&self, batch: &Batch, hit: Hit) -> Option<HitRow> {
        let alphabet = self.patterns.alphabet();
        let length = self.length(hit);
        match hit.start {
            Some(start) => {
                let covered = count_symbols(alphabet, &batch.bytes()[start..hit.end]);
                Some(HitRow { start, excess: covered.abs_diff(length), cigar: None })
            }
            None if hit.distance == 0 => {
                let start = start_of_last(alphabet, &batch.bytes()[..hit.end], length);
                Some(HitRow { start, excess: 0, cigar: None })
            }
            None => None,
        }
    }

    fn length(&self, hit: Hit) -> usize {
        self.patterns.patterns()[hit.pattern].symbols().len()
    }

    /// The span of a match that is shown.
    fn span(&mut self, batch: &Batch, one: Pending) -> Result<MatchSpan, EngineError> {
        let HitRow { start, mut cigar, .. } = one.place.expect("it was placed");
        if self.wanted == Spans::Edits && cigar.is_none() {
            let mut aligned: Vec<Alignment> = Vec::with_capacity(1);
            self.aligner.align(batch, &[one.hit], &mut aligned)?;
            cigar = aligned.pop().map(|alignment| Box::new(alignment.cigar));
        }
        Ok(MatchSpan { bytes: start..one.hit.end, distance: one.hit.distance, pattern: one.hit.pattern, cigar })
    }
}

fn count_symbols(alphabet: Alphabet, bytes: &[u8]) -> usize {
    if bytes.is_ascii() && !alphabet.is_sequence() { bytes.len() } else { symbols(alphabet, bytes).count() }
}
