//! Selects the matches shown in a line, best first, over all patterns.
//!
//! Matches are ranked by distance, then by the difference between their length and the pattern's, then by start, then
//! longest first. At k = 0 this is grep's rule: leftmost, then longest. The rule of selection, and its bound on memory,
//! are in [`overlap`](crate::searcher::overlap).

use std::cmp::Reverse;
use std::ops::Range;

use crate::alignment::{Alignment, Cigar};
use crate::alphabet::Alphabet;
use crate::engine::{Aligner, EngineError};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::report::{MatchSpan, Spans};
use crate::searcher::overlap::{BestFirst, Shown, Verdict};
use crate::text::{MAX_SYMBOL_BYTES, start_of_last, symbols};

/// Number of hits of a line that are collected for a round of decisions.
const HITS_PER_ROUND: usize = 1 << 15;

/// Selects the matches shown in one line at a time, as hits arrive.
pub(crate) struct SpanChooser<'a> {
    patterns: &'a PatternSet,
    aligner: Box<dyn Aligner + 'a>,
    wanted: Spans,
    /// Undecided hits, in the order (end, pattern).
    pending: Vec<Pending>,
    /// Number of hits left undecided by the last round.
    still_undecided: usize,
    shown: Shown,
    /// Index of the first span of the line.
    first_span: usize,
}

/// A hit that may be selected.
struct Pending {
    hit: Hit,
    /// The start of its match, once known.
    placement: Option<Placement>,
}

/// The start, length difference and alignment of a match. The hit has the end of the match.
struct Placement {
    start: usize,
    /// Difference between its length and the pattern's, in symbols.
    excess: usize,
    /// Its alignment, if wanted and known.
    cigar: Option<Box<Cigar>>,
}

impl<'a> SpanChooser<'a> {
    /// Makes a chooser for hits of these patterns. `wanted` says what to compute for the selected matches.
    pub(crate) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>, wanted: Spans) -> Self {
        SpanChooser {
            patterns,
            aligner,
            wanted,
            pending: Vec::new(),
            still_undecided: 0,
            shown: Shown::default(),
            first_span: 0,
        }
    }

    /// Begins a line. `spans` is the index of its first span.
    pub(crate) fn begin_line(&mut self, spans: usize) {
        self.first_span = spans;
    }

    /// Adds the next hit of the line. After a round of decisions, returns the offset in the batch before which all
    /// hits are decided.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        hit: Hit,
        spans: &mut Vec<MatchSpan>,
    ) -> Result<Option<usize>, EngineError> {
        self.pending.push(Pending { hit, placement: None });
        if self.pending.len() < HITS_PER_ROUND.max(2 * self.still_undecided) {
            return Ok(None);
        }
        let frontier = hit.end.saturating_sub(MAX_SYMBOL_BYTES * self.patterns.max_match_len());
        let decided = self.decide(batch, frontier as u64, spans)?;
        Ok(Some(decided as usize))
    }

    /// Ends the line, and sorts its spans by start.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn end_line(&mut self, batch: &Batch, spans: &mut Vec<MatchSpan>) -> Result<(), EngineError> {
        self.decide(batch, u64::MAX, spans)?;
        self.shown.clear();
        spans[self.first_span..].sort_unstable_by_key(|span| span.bytes.start);
        Ok(())
    }

    /// Decides about the pending hits, one distance at a time, and appends the selected matches to `spans`. Matches
    /// that start at or after the offset `frontier` may still be unknown. Returns the offset in the batch before which
    /// all matches are decided.
    fn decide(&mut self, batch: &Batch, frontier: u64, spans: &mut Vec<MatchSpan>) -> Result<u64, EngineError> {
        let mut shown = std::mem::take(&mut self.shown);
        let mut selection = BestFirst::new(&mut shown, frontier);
        let mut pending = std::mem::take(&mut self.pending);
        let mut undecided = Vec::new();
        while let Some(distance) = pending.iter().map(|one| one.hit.distance).min() {
            let mut level: Vec<Pending> = pending.extract_if(.., |one| one.hit.distance == distance).collect();
            level.retain(|one| !selection.is_hidden(&self.common_range(one.hit)));
            self.place(batch, &mut level)?;
            level.sort_by_key(|one| {
                let placement = one.placement.as_ref().expect("it was placed");
                (placement.excess, placement.start, Reverse(one.hit.end), one.hit.pattern)
            });
            for one in level {
                let placement = one.placement.as_ref().expect("it was placed");
                match selection.decide(placement.start as u64..one.hit.end as u64) {
                    Verdict::Shown => spans.push(self.span(batch, one)?),
                    Verdict::Undecided => undecided.push(one),
                    Verdict::Hidden => {}
                }
            }
        }
        undecided.sort_unstable_by_key(|one| (one.hit.end, one.hit.pattern));
        let decided = selection.frontier();
        shown.forget_before(decided);
        (self.still_undecided, self.pending, self.shown) = (undecided.len(), undecided, shown);
        Ok(decided)
    }

    /// Returns the bytes that every match with this end and distance covers.
    fn common_range(&self, hit: Hit) -> Range<u64> {
        let length = self.patterns.patterns()[hit.pattern].symbols().len();
        // A symbol has at least one byte. A pattern that hangs over an end may cover a single symbol.
        let min_length = match self.patterns.overhang() {
            Some(_) => 1,
            None => length.saturating_sub(hit.distance).max(1),
        };
        (hit.end - min_length) as u64..hit.end as u64
    }

    /// Sets the placements of `level`: hits of equal distance, in the order of their ends.
    fn place(&mut self, batch: &Batch, level: &mut [Pending]) -> Result<(), EngineError> {
        for one in level.iter_mut().filter(|one| one.placement.is_none()) {
            one.placement = self.known_placement(batch, one.hit);
        }
        let unknown: Vec<Hit> = level.iter().filter(|one| one.placement.is_none()).map(|one| one.hit).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let mut aligned = Vec::with_capacity(unknown.len());
        self.aligner.align(batch, &unknown, &mut aligned)?;
        let unplaced = level.iter_mut().filter(|one| one.placement.is_none());
        for (one, Alignment { start, cigar, .. }) in unplaced.zip(aligned) {
            let excess = cigar.text_length().abs_diff(self.length(one.hit));
            let cigar = (self.wanted == Spans::Edits).then(|| Box::new(cigar));
            one.placement = Some(Placement { start, excess, cigar });
        }
        Ok(())
    }

    /// Returns the placement of a match that needs no alignment, because it has no edits or the hit has its start.
    fn known_placement(&self, batch: &Batch, hit: Hit) -> Option<Placement> {
        let alphabet = self.patterns.alphabet();
        let length = self.length(hit);
        match hit.start {
            Some(start) => {
                let covered = count_symbols(alphabet, &batch.bytes()[start..hit.end]);
                Some(Placement { start, excess: covered.abs_diff(length), cigar: None })
            }
            None if hit.distance == 0 && self.patterns.overhang().is_none() => {
                let start = start_of_last(alphabet, &batch.bytes()[..hit.end], length);
                Some(Placement { start, excess: 0, cigar: None })
            }
            None => None,
        }
    }

    fn length(&self, hit: Hit) -> usize {
        self.patterns.patterns()[hit.pattern].symbols().len()
    }

    /// Returns the span of a selected match.
    fn span(&mut self, batch: &Batch, one: Pending) -> Result<MatchSpan, EngineError> {
        let Placement { start, mut cigar, .. } = one.placement.expect("it was placed");
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
