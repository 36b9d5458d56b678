//! Selects the matches shown in a line, best first, over all patterns.
//!
//! The rule of selection, the rank of matches and the bound on memory are in [`overlap`](nigh_verify::choice::overlap). At
//! k = 0 this is grep's rule: leftmost, then longest.
//!
//! A line may be cut between two batches, unless it is printed. The undecided matches are then handed on to the next
//! batch, with their texts. In the next batch, the matches before the first gap that no match can cross wait for the
//! undecided ones; all later matches are independent of the previous batch.

use std::ops::Range;

use super::positions::{end_of_owned, start_of_owned};
use nigh_pattern::PatternSet;
use nigh_report::{CarriedText, MatchDetail, MatchSpan};
use nigh_text::alignment::{Alignment, Cigar};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, MatchExcerpt};
use nigh_text::hit::{Hit, LaterMatch};
use nigh_text::text::{MAX_SYMBOL_BYTES, start_of_last, symbols};
use nigh_verify::choice::overlap::{BestFirst, DisjointMatches, Rank, Verdict};
use nigh_verify::{Aligner, EngineError, MatchPlace, ShownMatches, WantedHits, later_match};

/// Number of hits of a line that are collected for a round of decisions.
const HITS_PER_ROUND: usize = 1 << 15;

/// Selects the matches shown in one line at a time, as hits arrive. Positions are offsets in the input.
pub(crate) struct LineMatchSelector<'a> {
    patterns: &'a PatternSet,
    has_expressions: bool,
    aligner: Box<dyn Aligner + 'a>,
    wanted: MatchDetail,
    /// The largest length of a match, in bytes.
    reach: u64,
    /// The largest distance of a match; `None` if k is the only limit.
    max_distance: Option<usize>,
    /// The undecided matches of the current line, except those in `head`.
    line: UndecidedLine,
    /// The hits and the shown matches of a line, in memory that is reused.
    line_hits: Vec<Hit>,
    line_matches: ShownMatches,
    head: LeadingMatches,
}

/// The undecided matches of a line, and the last selected ones.
#[derive(Debug, Default)]
pub(crate) struct UndecidedLine {
    /// Undecided hits, in the order (end, pattern).
    pending: Vec<PendingHit>,
    /// Number of hits left undecided by the last round.
    still_undecided: usize,
    shown: DisjointMatches,
}

/// The first matches of a batch that begins inside a line. Matches of the previous batch may affect them, directly or
/// through a chain of overlapping matches.
#[derive(Debug)]
enum LeadingMatches {
    /// There are no such matches, or they were merged with the matches of the previous batch.
    Settled,
    /// The leading matches so far. The next match is also a leading match if it may start before the position `end`.
    Growing { pending: Vec<PendingHit>, end: u64 },
    /// All leading matches. Later matches overlap neither these nor matches of the previous batch.
    Complete(Vec<PendingHit>),
}

/// A hit that may be selected.
#[derive(Debug)]
struct PendingHit {
    /// The hit. Its offsets are offsets in the batch in which it was found.
    hit: Hit,
    /// Start of the match, once it is known.
    placement: Option<Placement>,
    /// Text of the match, if the hit was found in an earlier batch. The placement is then known.
    carried: Option<Box<MatchExcerpt>>,
}

/// The start, length difference and alignment of a match. The end is that of the hit.
#[derive(Debug)]
struct Placement {
    /// Position of the start.
    start: u64,
    /// Difference between the lengths of the match and of the pattern, in symbols.
    excess: usize,
    /// Alignment of the match, if wanted and known.
    cigar: Option<Box<Cigar>>,
}

impl<'a> LineMatchSelector<'a> {
    /// Makes a chooser for hits of these patterns. `wanted` says what to compute for the selected matches.
    pub(crate) fn new(patterns: &'a PatternSet, aligner: Box<dyn Aligner + 'a>, wanted: MatchDetail) -> Self {
        LineMatchSelector {
            patterns,
            has_expressions: patterns.has_expressions(),
            aligner,
            wanted,
            reach: (MAX_SYMBOL_BYTES * patterns.max_match_len()) as u64,
            max_distance: None,
            line: UndecidedLine::default(),
            line_hits: Vec::new(),
            line_matches: ShownMatches::default(),
            head: LeadingMatches::Settled,
        }
    }

    /// Sets the largest distance of the matches in the following batches; `None` if k is the only limit.
    pub(crate) fn set_max_distance(&mut self, max_distance: Option<usize>) {
        self.max_distance = max_distance;
    }

    /// Returns the hits of a line that are needed.
    pub(crate) fn needed_hits(&self) -> WantedHits {
        self.aligner.needed_hits()
    }

    /// Begins a batch whose first line continues from the previous batch. [`receive`](Self::receive) must follow.
    pub(crate) fn begin_inside_line(&mut self, batch: &Batch) {
        self.head = LeadingMatches::Growing { pending: Vec::new(), end: start_of_owned(batch) };
    }

    /// Returns whether the matches of the previous batch are still to be received.
    pub(crate) fn awaits_previous(&self) -> bool {
        !matches!(self.head, LeadingMatches::Settled)
    }

    /// Returns whether all leading matches are known, so that the previous batch cannot affect the other matches of
    /// this batch.
    pub(crate) fn has_complete_head(&self) -> bool {
        matches!(self.head, LeadingMatches::Complete(_))
    }

    /// Adds the next hit of the line. After a round of decisions, returns the offset in the batch before which all
    /// hits are decided. `previous` returns the matches of the previous batch, and may wait for them.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        hit: Hit,
        previous: &dyn Fn() -> UndecidedLine,
        spans: &mut Vec<MatchSpan>,
    ) -> Result<Option<usize>, EngineError> {
        self.complete_head(batch.position(hit.end).saturating_sub(self.reach));
        let pending = match &mut self.head {
            LeadingMatches::Growing { pending, end } => {
                *end = batch.position(hit.end);
                pending
            }
            LeadingMatches::Settled | LeadingMatches::Complete(_) => &mut self.line.pending,
        };
        pending.push(PendingHit { hit, placement: None, carried: None });
        // Matches of a regular expression are selected only at the end of the line, when all ends are known.
        let round = HITS_PER_ROUND.max(2 * self.line.still_undecided);
        if pending.len() < round || self.has_expressions {
            return Ok(None);
        }
        if let LeadingMatches::Growing { .. } = self.head {
            self.receive(batch, previous())?;
        }
        let frontier = batch.position(hit.end).saturating_sub(self.reach);
        let decided = self.decide(batch, frontier, spans)?;
        Ok(Some(decided.saturating_sub(batch.position(0)) as usize))
    }

    /// Completes the head if its last match ends at or before `frontier`, the position before which no later match
    /// starts. Use `u64::MAX` at the end of the line.
    pub(crate) fn complete_head(&mut self, frontier: u64) {
        if let LeadingMatches::Growing { pending, end } = &mut self.head
            && *end <= frontier
        {
            self.head = LeadingMatches::Complete(std::mem::take(pending));
        }
    }

    /// Receives the matches of the previous batch. If the head is complete, returns the selected ones among these
    /// matches and those of the head, in order. Otherwise, they become matches of the current line.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn receive(&mut self, batch: &Batch, previous: UndecidedLine) -> Result<Vec<MatchSpan>, EngineError> {
        let mut spans = Vec::new();
        match std::mem::replace(&mut self.head, LeadingMatches::Settled) {
            LeadingMatches::Settled => {}
            LeadingMatches::Growing { pending, .. } => self.line = previous.followed_by(pending),
            LeadingMatches::Complete(pending) => {
                let line = std::mem::replace(&mut self.line, previous.followed_by(pending));
                self.end_line(batch, &mut spans, 0)?;
                self.line = line;
            }
        }
        Ok(spans)
    }

    /// Ends the line, and sorts its spans, which begin at the index `first`.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn end_line(
        &mut self,
        batch: &Batch,
        spans: &mut Vec<MatchSpan>,
        first: usize,
    ) -> Result<(), EngineError> {
        if !self.select_at_once(batch, spans) {
            let UndecidedLine { pending, shown, .. } = &mut self.line;
            if pending.len() == 1 && shown.is_empty() {
                return self.select_only(batch, spans);
            }
            self.decide(batch, u64::MAX, spans)?;
            self.line.shown.clear();
        }
        sort(&mut spans[first..], batch);
        Ok(())
    }

    /// Selects the matches of a whole line if the aligner does so. Returns whether it does.
    fn select_at_once(&mut self, batch: &Batch, spans: &mut Vec<MatchSpan>) -> bool {
        let UndecidedLine { pending, shown, .. } = &mut self.line;
        let is_fresh = |one: &PendingHit| one.placement.is_none() && one.carried.is_none();
        if !self.has_expressions || !shown.is_empty() || !pending.iter().all(is_fresh) {
            return false;
        }
        let (hits, shown) = (&mut self.line_hits, &mut self.line_matches);
        hits.clear();
        hits.extend(pending.iter().map(|one| one.hit));
        shown.hits.clear();
        shown.are_aligned = self.wanted.is_aligned();
        let max_distance = self.max_distance.unwrap_or(usize::MAX);
        let given = self.aligner.needed_hits();
        if !self.aligner.add_shown_matches(batch, (hits, given), max_distance, shown) {
            return false;
        }
        pending.clear();
        self.line.still_undecided = 0;
        let mut cigars = shown.cigars.drain(..);
        let to_span = ToSpan { batch, patterns: self.patterns, wanted: self.wanted };
        spans.extend(
            shown.hits.iter().map(|hit| {
                to_span.span(hit, (hit.start.expect("it was placed")..hit.end, None), cigars.next().as_ref())
            }),
        );
        true
    }

    /// Selects the only match of a line, with the result that a round of decisions would have.
    fn select_only(&mut self, batch: &Batch, spans: &mut Vec<MatchSpan>) -> Result<(), EngineError> {
        if let Some(mut only) = self.line.pending.pop() {
            self.place(batch, std::slice::from_mut(&mut only))?;
            self.add_spans(batch, vec![only], spans)?;
        }
        self.line.still_undecided = 0;
        Ok(())
    }

    /// Ends the batch inside the line, and sorts the spans of the line, which begin at the index `first`.
    ///
    /// # Errors
    /// Errors of the aligner.
    pub(crate) fn interrupt_line(
        &mut self,
        batch: &Batch,
        spans: &mut Vec<MatchSpan>,
        first: usize,
    ) -> Result<(), EngineError> {
        self.decide(batch, self.frontier(batch), spans)?;
        sort(&mut spans[first..], batch);
        Ok(())
    }

    /// Returns the lowest position at which a match that ends after the batch may start.
    pub(crate) fn frontier(&self, batch: &Batch) -> u64 {
        end_of_owned(batch).saturating_sub(self.reach)
    }

    /// Takes the undecided matches of the line that continues after the batch, for the next batch.
    pub(crate) fn hand_on(&mut self, batch: &Batch) -> UndecidedLine {
        let mut line = std::mem::take(&mut self.line);
        line.pending.iter_mut().for_each(|one| one.carry(self.patterns.alphabet(), batch));
        line
    }

    /// Decides about the pending hits, one distance at a time, and appends the selected matches to `spans`. Matches
    /// that start at or after the position `frontier` may still be unknown. Returns the position before which all
    /// matches are decided.
    fn decide(&mut self, batch: &Batch, frontier: u64, spans: &mut Vec<MatchSpan>) -> Result<u64, EngineError> {
        let UndecidedLine { mut pending, mut shown, .. } = std::mem::take(&mut self.line);
        let mut selection = BestFirst::new(&mut shown, frontier);
        let (mut undecided, mut chosen) = (Vec::new(), Vec::new());
        while let Some(distance) = pending.iter().map(|one| one.hit.distance).min() {
            let mut level: Vec<PendingHit> = pending.extract_if(.., |one| one.hit.distance == distance).collect();
            level.retain(|one| !selection.is_hidden(&self.common_range(batch, one)));
            self.place(batch, &mut level)?;
            let patterns = self.patterns;
            let ranked = |one: PendingHit| (one.rank(patterns, batch), one);
            let later = |one: PendingHit, from| {
                let Some(one) = self.later_match(batch, one, from)? else { return Ok(None) };
                if one.hit.distance == distance {
                    return Ok(Some(ranked(one)));
                }
                pending.push(one);
                Ok(None)
            };
            selection.decide_all(level.into_iter().map(ranked), later, |one, verdict| {
                if verdict == Verdict::Shown { &mut chosen } else { &mut undecided }.push(one);
                Ok::<_, EngineError>(())
            })?;
        }
        let decided = selection.frontier();
        shown.forget_before(decided);
        self.add_spans(batch, chosen, spans)?;
        pending.append(&mut undecided);
        pending.sort_unstable_by_key(|one| (one.end(batch), one.hit.pattern));
        self.line = UndecidedLine { still_undecided: pending.len(), pending, shown };
        Ok(decided)
    }

    /// Replaces the match of a hit by the best match with the same end that starts at or after the position `from`, and
    /// has at most k edits. Returns `None` if there is no such match.
    fn later_match(&mut self, batch: &Batch, one: PendingHit, from: u64) -> Result<Option<PendingHit>, EngineError> {
        let position = one.placement().start;
        let (batch, range) = match &one.carried {
            Some(excerpt) => (&excerpt.batch, excerpt.matched.clone()),
            None => (batch, (position - batch.position(0)) as usize..one.hit.end),
        };
        let start = range.start + (from - position) as usize;
        let hit = Hit { end: range.end, start: None, ..one.hit };
        let Some(LaterMatch { hit, excess }) = later_match(self.aligner.as_mut(), self.patterns, batch, hit, start)
        else {
            return Ok(None);
        };
        if self.max_distance.is_some_and(|max| hit.distance > max) {
            return Ok(None);
        }
        let mut aligned = Vec::with_capacity(1);
        self.aligner.align(batch, &[hit], &mut aligned)?;
        let Alignment { start, cigar, .. } = aligned.pop().expect("one alignment per hit");
        let cigar = self.wanted.is_aligned().then(|| Box::new(cigar));
        let placement = Placement { start: position + (start - range.start) as u64, excess, cigar };
        let carried = one.carried.map(|mut carried| {
            carried.matched.start = start;
            carried
        });
        let hit = Hit { end: one.hit.end, ..hit };
        Ok(Some(PendingHit { hit, placement: Some(placement), carried }))
    }

    /// Returns the range that every match with the pattern and end of `one` covers.
    fn common_range(&self, batch: &Batch, one: &PendingHit) -> Range<u64> {
        let end = one.end(batch);
        // A symbol has at least one byte. A pattern that hangs over an end may cover a single symbol.
        let min_length = match self.patterns.overhang() {
            Some(_) => 1,
            None => self.patterns.patterns()[one.hit.pattern].min_match_len().max(1),
        };
        end - min_length as u64..end
    }

    /// Sets the placements of `level`: hits of equal distance, in the order of their ends.
    fn place(&mut self, batch: &Batch, level: &mut [PendingHit]) -> Result<(), EngineError> {
        for one in level.iter_mut().filter(|one| one.placement.is_none()) {
            one.placement = self.known_placement(batch, one.hit);
        }
        let unknown: Vec<Hit> = level.iter().filter(|one| one.placement.is_none()).map(|one| one.hit).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let places = self.aligner.places(batch, &unknown);
        let unplaced = level.iter_mut().filter(|one| one.placement.is_none());
        for (one, MatchPlace { start, excess }) in
            unplaced.zip(&places).filter_map(|(one, place)| Some((one, (*place)?)))
        {
            one.placement = Some(Placement { start: batch.position(start), excess, cigar: None });
        }
        let unknown: Vec<Hit> = level.iter().filter(|one| one.placement.is_none()).map(|one| one.hit).collect();
        let mut aligned = Vec::with_capacity(unknown.len());
        self.aligner.align(batch, &unknown, &mut aligned)?;
        let unplaced = level.iter_mut().filter(|one| one.placement.is_none());
        for (one, Alignment { start, cigar, .. }) in unplaced.zip(aligned) {
            let excess = self.patterns.patterns()[one.hit.pattern].excess(&cigar);
            let cigar = self.wanted.is_aligned().then(|| Box::new(cigar));
            one.placement = Some(Placement { start: batch.position(start), excess, cigar });
        }
        Ok(())
    }

    /// Returns the placement of a match if no alignment is needed for it, because the match has no edits or the hit
    /// states its start; otherwise `None`.
    fn known_placement(&mut self, batch: &Batch, hit: Hit) -> Option<Placement> {
        if self.patterns.patterns()[hit.pattern].expression().is_some() {
            let start = hit.start.filter(|_| hit.distance == 0)?;
            let excess = usize::from(self.aligner.end_elsewhere(batch, &[hit]).contains(&true));
            return Some(Placement { start: batch.position(start), excess, cigar: None });
        }
        let alphabet = self.patterns.alphabet();
        let length = self.length(hit);
        match hit.start {
            Some(start) => {
                let covered = count_symbols(alphabet, &batch.bytes()[start..hit.end]);
                Some(Placement { start: batch.position(start), excess: covered.abs_diff(length), cigar: None })
            }
            None if hit.distance == 0 && self.patterns.overhang().is_none() => {
                let start = start_of_last(alphabet, &batch.bytes()[..hit.end], length);
                Some(Placement { start: batch.position(start), excess: 0, cigar: None })
            }
            None => None,
        }
    }

    fn length(&self, hit: Hit) -> usize {
        self.patterns.patterns()[hit.pattern].symbols().len()
    }

    /// Appends the spans of selected matches.
    fn add_spans(
        &mut self,
        batch: &Batch,
        mut chosen: Vec<PendingHit>,
        spans: &mut Vec<MatchSpan>,
    ) -> Result<(), EngineError> {
        let offset = |position: u64| (position - batch.position(0)) as usize;
        let wanted = self.wanted;
        let is_unaligned =
            |one: &&mut PendingHit| wanted.is_aligned() && one.carried.is_none() && one.placement().cigar.is_none();
        let mut unaligned: Vec<&mut PendingHit> = chosen.iter_mut().filter(is_unaligned).collect();
        let hits: Vec<Hit> =
            unaligned.iter().map(|one| Hit { start: Some(offset(one.placement().start)), ..one.hit }).collect();
        let mut aligned = Vec::with_capacity(hits.len());
        self.aligner.align(batch, &hits, &mut aligned)?;
        for (one, Alignment { cigar, .. }) in unaligned.iter_mut().zip(aligned) {
            one.placement.as_mut().expect("it was placed").cigar = Some(Box::new(cigar));
        }
        let to_span = ToSpan { batch, patterns: self.patterns, wanted };
        spans.extend(chosen.into_iter().map(|one| {
            let PendingHit { hit, placement, carried } = one;
            let Placement { start, cigar, .. } = placement.expect("it was placed");
            let bytes = if carried.is_some() { 0..0 } else { offset(start)..hit.end };
            let carried = carried.map(|excerpt| Box::new(CarriedText { offset: start, text: excerpt.text().into() }));
            to_span.span(&hit, (bytes, carried), cigar.as_deref())
        }));
        Ok(())
    }
}

/// Makes the spans of selected matches.
struct ToSpan<'a> {
    batch: &'a Batch<'a>,
    patterns: &'a PatternSet,
    wanted: MatchDetail,
}

impl ToSpan<'_> {
    /// Returns the span of a hit: of a range of the batch, or of text that was carried here.
    fn span(
        &self,
        hit: &Hit,
        (bytes, carried): (Range<usize>, Option<Box<CarriedText>>),
        cigar: Option<&Cigar>,
    ) -> MatchSpan {
        let text = || carried.as_ref().map_or(&self.batch.bytes()[bytes.clone()], |carried| &carried.text);
        let groups = cigar.and_then(|cigar| self.patterns.groups_of(hit.pattern, text(), cigar));
        let groups = groups.map(|groups| Box::new(groups.into_ranges()));
        let cigar = cigar.filter(|_| self.wanted == MatchDetail::Edits).map(|cigar| Box::new(cigar.clone()));
        MatchSpan { bytes, carried, distance: hit.distance, pattern: hit.pattern, cigar, groups }
    }
}

impl UndecidedLine {
    /// Appends the matches of the next batch.
    fn followed_by(mut self, next: Vec<PendingHit>) -> Self {
        self.pending.extend(next);
        self
    }
}

impl PendingHit {
    fn placement(&self) -> &Placement {
        self.placement.as_ref().expect("it was placed")
    }

    /// Returns the rank of the match.
    fn rank(&self, patterns: &PatternSet, batch: &Batch) -> Rank {
        let &Placement { start, excess, .. } = self.placement();
        Rank::new(patterns.patterns(), &self.hit, start..self.end(batch), excess)
    }

    /// Returns the position of the end.
    fn end(&self, batch: &Batch) -> u64 {
        match &self.carried {
            Some(excerpt) => self.placement().start + excerpt.matched.len() as u64,
            None => batch.position(self.hit.end),
        }
    }

    /// Makes the match independent of its batch.
    fn carry(&mut self, alphabet: Alphabet, batch: &Batch) {
        if self.carried.is_none() {
            let start = (self.placement().start - batch.position(0)) as usize;
            self.carried = Some(Box::new(batch.excerpt(alphabet, start..self.hit.end)));
        }
    }
}

/// Sorts spans of a batch by their starts.
fn sort(spans: &mut [MatchSpan], batch: &Batch) {
    spans.sort_unstable_by_key(|span| span.in_input(batch.position(0)).start);
}

fn count_symbols(alphabet: Alphabet, bytes: &[u8]) -> usize {
    if bytes.is_ascii() && !alphabet.is_sequence() { bytes.len() } else { symbols(alphabet, bytes).count() }
}
