//! The hits in a batch, aligned as they are needed.

use std::ops::ControlFlow;

use nigh_engine::Engine;
use nigh_pattern::{Pattern, PatternSet};
use nigh_text::alignment::Alignment;
use nigh_text::batch::{Batch, MatchExcerpt};
use nigh_text::hit::{Hit, HitSink, LaterMatch};
use nigh_text::interrupt;
use nigh_verify::choice::alternatives::keep_best_alternatives;
use nigh_verify::choice::sites::{SiteStarts, patterns_with_site_starts};
use nigh_verify::{Aligner, EngineError, Scanner, WantedHits, excesses, later_match};

/// Number of hits that are aligned at a time.
const HITS_AT_ONCE: usize = 256;

/// The matches that are returned for the hits of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returned {
    /// One match for each end, pattern and strand: of the alternatives of a pattern, that with the least distance.
    Hits,
    /// The match of each alternative, for a selection of the best matches.
    Candidates,
    /// Like `Candidates`, but one match for each start if the sites of the pattern are at the start of its matches.
    SiteCandidates,
}

/// Searches one batch at a time, and returns its hits one by one. The scanner and the aligner are made when they are
/// first needed.
pub(super) struct BatchHits<'s> {
    engine: &'s Engine,
    /// The number of patterns of the searcher before those of the engine, as in `Searcher::captures_of`.
    first_pattern: usize,
    scanner: Option<Box<dyn Scanner + 's>>,
    aligner: Option<Box<dyn Aligner + 's>>,
    returned_matches: Returned,
    /// Finds the matches of patterns whose sites are at the start of matches.
    starts: SiteStarts,
    /// The hits of the batch. The first `returned` of them have been returned.
    hits: Vec<Hit>,
    returned: usize,
    /// The alignments of the next hits, last hit first, each with the excess of its match.
    aligned: Vec<(Alignment, usize)>,
    /// The remaining matches of the last hit that was returned, if its matches are found by their starts; last match
    /// first.
    by_start: Vec<(Hit, Alignment)>,
}

/// A match in a batch.
pub(super) struct AlignedHit {
    pub(super) hit: Hit,
    /// Index of the pattern among those of the searcher, as in `Searcher::captures_of`.
    pub(super) of_searcher: usize,
    pub(super) alignment: Alignment,
    /// The difference between insertions and deletions by which matches are ranked.
    pub(super) excess: usize,
}

/// Notes whether there was a hit, and ends the search at the first hit.
struct AnyHit(bool);

impl HitSink for AnyHit {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        self.0 |= !hits.is_empty();
        if self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<'s> BatchHits<'s> {
    pub(super) fn new(engine: &'s Engine) -> Self {
        BatchHits {
            engine,
            first_pattern: 0,
            scanner: None,
            aligner: None,
            returned_matches: Returned::Hits,
            starts: SiteStarts::new(None),
            hits: Vec::new(),
            returned: 0,
            aligned: Vec::new(),
            by_start: Vec::new(),
        }
    }

    /// Sets which matches are returned from the next batch on, and takes the engine for them: the second of `engines` for
    /// sites, otherwise the first.
    pub(super) fn return_from(&mut self, engines: [&'s Engine; 2], returned: Returned) {
        let are_sites = returned == Returned::SiteCandidates;
        let engine = engines[usize::from(are_sites)];
        if !std::ptr::eq(self.engine, engine) {
            let is_second = !std::ptr::eq(engine, engines[0]);
            let first_pattern = if is_second { engines[0].patterns().patterns().len() } else { 0 };
            *self = BatchHits { first_pattern, ..BatchHits::new(engine) };
        }
        let starts = if are_sites { patterns_with_site_starts(self.engine.patterns()) } else { None };
        (self.returned_matches, self.starts) = (returned, SiteStarts::new(starts));
    }

    pub(super) fn engine(&self) -> &'s Engine {
        self.engine
    }

    pub(super) fn patterns(&self) -> &'s PatternSet {
        self.engine.patterns()
    }

    /// Returns the pattern of a hit.
    pub(super) fn pattern(&self, hit: &Hit) -> &'s Pattern {
        &self.engine.patterns().patterns()[hit.pattern]
    }

    /// Returns the number of hits that have not been returned.
    pub(super) fn len(&self) -> usize {
        self.hits.len() - self.returned
    }

    /// Forgets the hits of the last batch.
    pub(super) fn clear(&mut self) {
        self.hits.clear();
        self.returned = 0;
        self.aligned.clear();
        self.by_start.clear();
        self.starts.clear();
    }

    fn scanner(&mut self) -> Result<&mut Box<dyn Scanner + 's>, EngineError> {
        let made = match self.scanner.take() {
            Some(scanner) => scanner,
            None => self.engine.scanner()?,
        };
        Ok(self.scanner.insert(made))
    }

    /// Searches a batch. Forgets the hits of the batch before it.
    ///
    /// # Errors
    /// Fails if a device fails and the engine has no other to fall back to.
    pub(super) fn search(&mut self, batch: &Batch) -> Result<(), EngineError> {
        self.clear();
        let mut hits = std::mem::take(&mut self.hits);
        let searched = self.scanner().and_then(|scanner| scanner.search(batch, WantedHits::Aligned, &mut hits));
        self.hits = hits;
        if let Err(error) = searched {
            self.hits.clear();
            return Err(error);
        }
        if self.returned_matches == Returned::Hits {
            keep_best_alternatives(self.engine.patterns().patterns(), &mut self.hits);
        }
        Ok(())
    }

    /// Returns whether a batch has a hit. The search ends at the first hit.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub(super) fn has_hit(&mut self, batch: &Batch) -> Result<bool, EngineError> {
        let mut any = AnyHit(false);
        self.scanner()?.search(batch, WantedHits::One, &mut any)?;
        Ok(any.0)
    }

    /// Returns the next match with its hit; `None` after the last match of the batch. `batch` is the batch that was
    /// searched last.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub(super) fn next(&mut self, batch: &Batch) -> Result<Option<AlignedHit>, EngineError> {
        loop {
            interrupt::check();
            if let Some((hit, alignment)) = self.by_start.pop() {
                let excess = self.pattern(&hit).excess(&alignment.cigar);
                let of_searcher = self.first_pattern + hit.pattern;
                return Ok(Some(AlignedHit { hit, of_searcher, alignment, excess }));
            }
            let Some(&hit) = self.hits.get(self.returned) else { return Ok(None) };
            if self.starts.has(hit.pattern) {
                self.by_start.extend(self.starts.matches(batch, hit).rev());
                self.returned += 1;
                continue;
            }
            if self.aligned.is_empty() {
                self.align_next(batch)?;
            }
            self.returned += 1;
            let (alignment, excess) = self.aligned.pop().expect("each hit has an alignment");
            let of_searcher = self.first_pattern + hit.pattern;
            return Ok(Some(AlignedHit { hit, of_searcher, alignment, excess }));
        }
    }

    /// Returns the best match of a pattern with the end of the match in `excerpt` that starts at or after the offset
    /// `from` of the excerpt, and its alignment; `None` if there is none.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub(super) fn later_match(
        &mut self,
        excerpt: &MatchExcerpt,
        pattern: usize,
        from: usize,
    ) -> Result<Option<(LaterMatch, Alignment)>, EngineError> {
        let patterns = self.patterns();
        let (batch, end) = (&excerpt.batch, excerpt.matched.end);
        let aligner = self.aligner()?;
        // The distance is not known: any later match that does not hang over will do.
        let hit = Hit { end, pattern, distance: usize::MAX, start: None };
        let Some(later) = later_match(aligner.as_mut(), patterns, batch, hit, from) else { return Ok(None) };
        let mut aligned = Vec::with_capacity(1);
        aligner.align(batch, &[later.hit], &mut aligned)?;
        Ok(aligned.pop().map(|alignment| (later, alignment)))
    }

    fn aligner(&mut self) -> Result<&mut Box<dyn Aligner + 's>, EngineError> {
        let made = match self.aligner.take() {
            Some(aligner) => aligner,
            None => self.engine.aligner()?,
        };
        Ok(self.aligner.insert(made))
    }

    /// Aligns the next hits, except those whose matches are found by their starts.
    fn align_next(&mut self, batch: &Batch) -> Result<(), EngineError> {
        let next = &self.hits[self.returned..];
        let next = &next[..next.len().min(HITS_AT_ONCE)];
        let by_end: Vec<Hit> = next.iter().copied().filter(|hit| !self.starts.has(hit.pattern)).collect();
        let (patterns, aligner) = (self.patterns(), self.aligner()?);
        let mut aligned = Vec::with_capacity(by_end.len());
        aligner.align(batch, &by_end, &mut aligned)?;
        let excesses = excesses(aligner.as_mut(), patterns, batch, (&by_end, &aligned));
        self.aligned.extend(aligned.into_iter().zip(excesses).rev());
        Ok(())
    }
}
