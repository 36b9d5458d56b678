//! Engines: finders of the hits of patterns, and the refinements of these hits.

use std::sync::Arc;
use std::time::Duration;

use crate::windows::{WindowSearch, Windows};
use nigh_automaton::near::{AutomatonPart, Near, NearRefiner};
use nigh_pattern::PatternSet;
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink, LaterMatch};
use nigh_verify::refine::merger::Merger;
use nigh_verify::refine::{Refined, Refinement, Refiner};
use nigh_verify::{Aligner, EngineError, EngineFacts, Finder, MatchPlace, Scanner, ShownMatches, WantedHits};

/// Finds hits and aligns them. Makes one scanner and one aligner per worker.
pub struct Engine {
    patterns: Arc<PatternSet>,
    /// A part for strings, one for regular expressions, or both in this order.
    parts: Vec<EnginePart>,
    /// The regular expressions that are searched for as strings. Their automata align their hits.
    listed: Option<AutomatonPart>,
    /// The alignments of their matches that hang over, if any do.
    listed_overhangs: Option<Box<dyn Refinement>>,
    near: Option<Near>,
}

/// A finder of some patterns, and the refinements of its hits.
pub(super) struct EnginePart {
    pub(super) finder: Arc<dyn Finder>,
    /// The refinements of hits in windows.
    pub(super) in_windows: Vec<Box<dyn Refinement>>,
    /// The windows that are searched; `None` if all text is.
    pub(super) windows: Option<Windows>,
    /// The refinements of hits in the whole batch.
    pub(super) refinements: Vec<Box<dyn Refinement>>,
    /// The patterns whose hits this part aligns, as indices in the set; ascending. These are the first patterns of the
    /// part. Those after them are strings of `listed` expressions.
    pub(super) indices: Vec<usize>,
}

impl EnginePart {
    /// Searches all text with `finder`.
    pub(super) fn new(finder: Arc<dyn Finder>, indices: Vec<usize>) -> Self {
        EnginePart { finder, in_windows: Vec::new(), windows: None, refinements: Vec::new(), indices }
    }

    fn all_refinements(&self) -> impl DoubleEndedIterator<Item = &dyn Refinement> {
        self.in_windows.iter().chain(&self.refinements).map(Box::as_ref)
    }

    fn description(&self) -> Vec<String> {
        let plans = |refinements: &[Box<dyn Refinement>]| {
            refinements.iter().filter_map(|refinement| refinement.description()).collect::<Vec<_>>()
        };
        let mut lines = self.finder.description();
        lines.extend(plans(&self.in_windows));
        lines.extend(self.windows.as_ref().map(Windows::description));
        lines.extend(plans(&self.refinements));
        lines
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let time = self.finder.estimate(batch)?;
        Some(self.windows.as_ref().map_or(time, |windows| time.mul_f64(windows.share(batch, Some(time)))))
    }

    fn scanner(&self) -> Result<PartScanner<'_>, EngineError> {
        let has_patterns = !self.finder.patterns().patterns().is_empty();
        Ok(PartScanner {
            part: self,
            finder: if has_patterns { Some(self.finder.scanner()?) } else { None },
            in_windows: RefinementStage::of(&self.in_windows),
            windows: self.windows.as_ref().map(WindowSearch::new),
            stages: RefinementStage::of(&self.refinements),
        })
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        let inner = self.finder.aligner()?;
        Ok(self.all_refinements().fold(inner, |inner, refinement| refinement.aligner(inner)))
    }
}

impl Engine {
    pub(super) fn new(
        patterns: Arc<PatternSet>,
        parts: Vec<EnginePart>,
        (listed, listed_overhangs): (Option<AutomatonPart>, Option<Box<dyn Refinement>>),
        near: Option<Near>,
    ) -> Self {
        Engine { patterns, parts, listed, listed_overhangs, near }
    }

    /// Returns the patterns that the engine searches for.
    pub fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    /// Returns a description of the search plan for display, one element per line: the finders, and the refinements of
    /// their hits in order. The plan depends on the patterns and on the text seen so far.
    pub fn description(&self) -> Vec<String> {
        let of_parts = self.parts.iter().flat_map(EnginePart::description);
        of_parts.chain(self.near.as_ref().map(Near::description)).collect()
    }

    /// Returns the facts about the engine. They change when devices are opened or fail.
    pub fn facts(&self) -> EngineFacts<'_> {
        let facts = self.parts.iter().map(|part| part.finder.facts());
        let together = facts.reduce(|one, other| EngineFacts {
            name: one.name,
            workers: one.workers.max(other.workers),
            in_flight: one.in_flight.max(other.in_flight),
            batch_bytes: one.batch_bytes.max(other.batch_bytes),
            failure: one.failure.or(other.failure),
        });
        together.expect("an engine has a part")
    }

    /// Estimates the time that one scanner needs for a batch, within a small factor. Returns `None` if the engine
    /// cannot tell.
    pub fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let times = self.parts.iter().map(|part| part.estimate(batch));
        times.reduce(|one, other| Some(one?.saturating_add(other?))).flatten()
    }

    /// Makes a scanner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a scanner.
    pub fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let parts = self.parts.iter().map(EnginePart::scanner).collect::<Result<_, _>>()?;
        let near = match &self.near {
            Some(near) => Some(near.refiner(self.aligner()?)),
            None => None,
        };
        Ok(Box::new(EngineScanner { parts, merger: Merger::default(), near }))
    }

    /// Makes an aligner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for an aligner.
    pub fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        let mut parts: Vec<AlignerPart<'_>> = Vec::new();
        for part in self.parts.iter().filter(|part| !part.indices.is_empty()) {
            parts.push(AlignerPart { indices: &part.indices, aligner: part.aligner()? });
        }
        if let Some(AutomatonPart { automata, indices }) = &self.listed {
            let inner = automata.aligner()?;
            let aligner = match &self.listed_overhangs {
                Some(overhangs) => overhangs.aligner(inner),
                None => inner,
            };
            parts.push(AlignerPart { indices, aligner });
        }
        let is_whole = |part: &AlignerPart<'_>| part.indices.len() == self.patterns.patterns().len();
        if let Some(at) = parts.iter().position(is_whole) {
            return Ok(parts.swap_remove(at).aligner);
        }
        Ok(Box::new(EngineAligner(parts)))
    }
}

/// Searches with the finder of a part.
struct PartScanner<'a> {
    part: &'a EnginePart,
    /// Scans with the finder; `None` if it has no patterns.
    finder: Option<Box<dyn Scanner + 'a>>,
    in_windows: Vec<RefinementStage<'a>>,
    windows: Option<WindowSearch<'a>>,
    stages: Vec<RefinementStage<'a>>,
}

impl PartScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        match &mut self.finder {
            Some(finder) if self.windows.is_none() => {
                let needed = self.part.all_refinements().rev().fold(wanted, |wanted, one| one.needed(wanted));
                finder.submit(batch, needed)
            }
            _ => Ok(false),
        }
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let PartScanner { part, finder, in_windows, windows, stages } = self;
        let mut find = |batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink| {
            refine(in_windows, (batch, wanted), hits, |wanted, hits| {
                finder.as_mut().map_or(Ok(()), |finder| finder.search(batch, wanted, hits))
            })
        };
        refine(stages, (batch, wanted), hits, |wanted, hits| match windows {
            Some(windows) => windows.search((batch, wanted), || part.finder.estimate(batch), hits, find),
            None => find(batch, wanted, hits),
        })
    }
}

/// A refinement, and its refiner for one thread.
struct RefinementStage<'a> {
    refinement: &'a dyn Refinement,
    refiner: Box<dyn Refiner + 'a>,
}

impl<'a> RefinementStage<'a> {
    fn of(refinements: &'a [Box<dyn Refinement>]) -> Vec<Self> {
        let all = refinements.iter().map(Box::as_ref);
        all.map(|refinement| RefinementStage { refinement, refiner: refinement.refiner() }).collect()
    }
}

/// Passes the hits that `search` finds in a batch through stages, and on to a sink.
fn refine(
    stages: &mut [RefinementStage<'_>],
    (batch, mut wanted): (&Batch, WantedHits),
    hits: &mut dyn HitSink,
    search: impl FnOnce(WantedHits, &mut dyn HitSink) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    if stages.is_empty() {
        return search(wanted, hits);
    }
    for stage in stages.iter_mut().rev() {
        stage.refiner.begin(batch, wanted);
        wanted = stage.refinement.needed(wanted);
    }
    let refiners = stages.iter_mut().map(|stage| stage.refiner.as_mut() as &mut dyn Refiner);
    let mut refined = Refined::new(batch, refiners, hits);
    search(wanted, &mut refined)?;
    refined.finish()
}

struct EngineScanner<'a> {
    parts: Vec<PartScanner<'a>>,
    /// Merges the hits of the parts.
    merger: Merger,
    near: Option<NearRefiner<'a>>,
}

impl Scanner for EngineScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        if self.near.is_some() {
            return Ok(false);
        }
        let mut is_submitted = false;
        for part in &mut self.parts {
            is_submitted |= part.submit(batch, wanted)?;
        }
        Ok(is_submitted)
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let [first, others @ ..] = &mut self.parts[..] else { return Ok(()) };
        if others.is_empty() && self.near.is_none() {
            return first.search(batch, wanted, hits);
        }
        let widened = self.near.as_ref().and_then(|near| near.widened(batch));
        let batch = widened.as_ref().map_or(batch, |widened| &widened.batch);
        let wanted = if self.near.is_some() { WantedHits::All } else { wanted };
        let mut found = self.merger.take();
        for part in others {
            part.search(batch, wanted, &mut found)?;
        }
        self.merger.replace(found);
        let mut refiners: Vec<&mut dyn Refiner> = vec![&mut self.merger];
        if let Some(near) = &mut self.near {
            near.begin(batch, wanted);
            near.decided = widened.as_ref().map_or(0..usize::MAX, |widened| widened.decided.clone());
            refiners.push(near);
        }
        let mut refined = Refined::new(batch, refiners, hits);
        first.search(batch, wanted, &mut refined)?;
        refined.finish()
    }
}

/// Aligns the hits of each pattern with the aligner of its part.
struct EngineAligner<'a>(Vec<AlignerPart<'a>>);

/// An aligner of some patterns of a set.
struct AlignerPart<'a> {
    /// For each pattern of the aligner, its index in the set; ascending.
    indices: &'a [usize],
    aligner: Box<dyn Aligner + 'a>,
}

impl AlignerPart<'_> {
    /// Replaces the pattern index of a hit of the aligner by the index of the pattern in the set.
    fn in_set(&self, hit: Hit) -> Hit {
        Hit { pattern: self.indices[hit.pattern], ..hit }
    }

    /// Returns the hits of the aligner's patterns, and the index of each in `hits`.
    fn own(&self, hits: &[Hit]) -> (Vec<Hit>, Vec<usize>) {
        let own = hits.iter().enumerate().filter_map(|(at, hit)| {
            let pattern = self.indices.binary_search(&hit.pattern).ok()?;
            Some((Hit { pattern, ..*hit }, at))
        });
        own.unzip()
    }
}

impl Aligner for EngineAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut aligned: Vec<(usize, Alignment)> = Vec::with_capacity(hits.len());
        for part in &mut self.0 {
            let (own, at) = part.own(hits);
            let mut alignments = Vec::with_capacity(own.len());
            if !own.is_empty() {
                part.aligner.align(batch, &own, &mut alignments)?;
            }
            aligned.extend(at.into_iter().zip(alignments));
        }
        aligned.sort_unstable_by_key(|&(at, _)| at);
        out.extend(aligned.into_iter().map(|(_, alignment)| alignment));
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        let mut places = vec![None; hits.len()];
        for part in &mut self.0 {
            let (own, at) = part.own(hits);
            at.into_iter().zip(part.aligner.places(batch, &own)).for_each(|(at, place)| places[at] = place);
        }
        places
    }

    fn add_shown_matches(
        &mut self,
        batch: &Batch,
        (hits, given): (&[Hit], WantedHits),
        max_distance: usize,
        shown: &mut ShownMatches,
    ) -> bool {
        let before = shown.hits.len();
        for part in &mut self.0 {
            let (own, _) = part.own(hits);
            if own.len() == hits.len() && part.aligner.add_shown_matches(batch, (&own, given), max_distance, shown) {
                shown.hits[before..].iter_mut().for_each(|hit| *hit = part.in_set(*hit));
                return true;
            }
        }
        false
    }

    fn end_elsewhere(&mut self, batch: &Batch, matches: &[Hit]) -> Vec<bool> {
        let mut elsewhere = vec![false; matches.len()];
        for part in &mut self.0 {
            let (own, at) = part.own(matches);
            let found = part.aligner.end_elsewhere(batch, &own);
            at.into_iter().zip(found).for_each(|(at, is_elsewhere)| elsewhere[at] = is_elsewhere);
        }
        elsewhere
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        self.0.iter_mut().find_map(|part| {
            let pattern = part.indices.binary_search(&hit.pattern).ok()?;
            let later = part.aligner.later_match(batch, Hit { pattern, ..hit }, from)?;
            Some(LaterMatch { hit: part.in_set(later.hit), ..later })
        })
    }
}
