//! Searches for some patterns with one engine and for regular expressions with another.

use std::sync::Arc;
use std::time::Duration;

use super::refine::merging_sink::MergingSink;
use super::{Aligner, Engine, EngineError, EngineFacts, MatchPlace, Scanner, ShownMatches, WantedHits};
use crate::alignment::Alignment;
use crate::batch::Batch;
use crate::hit::{Hit, HitSink, LaterMatch};
use crate::pattern::PatternSet;

/// Some patterns of a set, and the engine that searches for them.
pub(super) struct EnginePart {
    pub(super) engine: Arc<dyn Engine>,
    /// For each pattern of the engine, its index in the set; ascending.
    pub(super) indices: Vec<usize>,
}

/// An engine for a set of which some patterns are regular expressions.
pub(super) struct MixedEngine {
    patterns: Arc<PatternSet>,
    strings: EnginePart,
    expressions: EnginePart,
}

impl EnginePart {
    /// Replaces the pattern index of a hit of the engine by the index of the pattern in the set.
    fn in_set(&self, hit: Hit) -> Hit {
        Hit { pattern: self.indices[hit.pattern], ..hit }
    }

    /// Returns the hits of the engine's patterns, and the index of each in `hits`.
    fn own(&self, hits: &[Hit]) -> (Vec<Hit>, Vec<usize>) {
        let own = hits.iter().enumerate().filter_map(|(at, hit)| {
            let pattern = self.indices.binary_search(&hit.pattern).ok()?;
            Some((Hit { pattern, ..*hit }, at))
        });
        own.unzip()
    }
}

impl MixedEngine {
    pub(super) fn new(patterns: Arc<PatternSet>, strings: EnginePart, expressions: EnginePart) -> Self {
        MixedEngine { patterns, strings, expressions }
    }

    fn parts(&self) -> [&EnginePart; 2] {
        [&self.strings, &self.expressions]
    }
}

impl Engine for MixedEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn plan(&self) -> Vec<String> {
        self.parts().iter().flat_map(|part| part.engine.plan()).collect()
    }

    fn facts(&self) -> EngineFacts<'_> {
        let [strings, expressions] = self.parts().map(|part| part.engine.facts());
        EngineFacts {
            name: strings.name,
            workers: strings.workers.max(expressions.workers),
            in_flight: strings.in_flight.max(expressions.in_flight),
            batch_bytes: strings.batch_bytes.max(expressions.batch_bytes),
            failure: strings.failure.or(expressions.failure),
        }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        Some(self.strings.engine.estimate(batch)?.saturating_add(self.expressions.engine.estimate(batch)?))
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let (strings, expressions) = (self.strings.engine.scanner()?, self.expressions.engine.scanner()?);
        Ok(Box::new(MixedScanner { engine: self, strings, expressions, found: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        let aligners = [self.strings.engine.aligner()?, self.expressions.engine.aligner()?];
        Ok(Box::new(MixedAligner { engine: self, aligners }))
    }
}

struct MixedScanner<'a> {
    engine: &'a MixedEngine,
    strings: Box<dyn Scanner + 'a>,
    expressions: Box<dyn Scanner + 'a>,
    /// The hits of expressions in a batch.
    found: Vec<Hit>,
}

impl Scanner for MixedScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        let expressions = self.expressions.submit(batch, wanted)?;
        Ok(self.strings.submit(batch, wanted)? || expressions)
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let MixedEngine { strings, expressions, .. } = self.engine;
        self.found.clear();
        self.expressions.search(batch, wanted, &mut self.found)?;
        self.found.iter_mut().for_each(|hit| *hit = expressions.in_set(*hit));
        let change = |hit: Hit| Some(strings.in_set(hit));
        let mut sink = MergingSink::new(&self.found, &change, hits);
        self.strings.search(batch, wanted, &mut sink)?;
        sink.finish();
        Ok(())
    }
}

struct MixedAligner<'a> {
    engine: &'a MixedEngine,
    /// The aligners of the engines for strings and for expressions.
    aligners: [Box<dyn Aligner + 'a>; 2],
}

impl Aligner for MixedAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut aligned: Vec<(usize, Alignment)> = Vec::with_capacity(hits.len());
        for (part, aligner) in self.engine.parts().into_iter().zip(&mut self.aligners) {
            let (own, at) = part.own(hits);
            let mut alignments = Vec::with_capacity(own.len());
            if !own.is_empty() {
                aligner.align(batch, &own, &mut alignments)?;
            }
            aligned.extend(at.into_iter().zip(alignments));
        }
        aligned.sort_unstable_by_key(|&(at, _)| at);
        out.extend(aligned.into_iter().map(|(_, alignment)| alignment));
        Ok(())
    }

    fn places(&mut self, batch: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        let mut places = vec![None; hits.len()];
        for (part, aligner) in self.engine.parts().into_iter().zip(&mut self.aligners) {
            let (own, at) = part.own(hits);
            at.into_iter().zip(aligner.places(batch, &own)).for_each(|(at, place)| places[at] = place);
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
        let [_, expressions] = &mut self.aligners;
        let part = &self.engine.expressions;
        let (own, _) = part.own(hits);
        let before = shown.hits.len();
        let are_added =
            own.len() == hits.len() && expressions.add_shown_matches(batch, (&own, given), max_distance, shown);
        shown.hits[before..].iter_mut().for_each(|hit| *hit = part.in_set(*hit));
        are_added
    }

    fn needed_hits(&self) -> WantedHits {
        let [_, expressions] = &self.aligners;
        if self.engine.strings.indices.is_empty() { expressions.needed_hits() } else { WantedHits::All }
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        let mut parts = self.engine.parts().into_iter().zip(&mut self.aligners);
        parts.find_map(|(part, aligner)| {
            let pattern = part.indices.binary_search(&hit.pattern).ok()?;
            let later = aligner.later_match(batch, Hit { pattern, ..hit }, from)?;
            Some(LaterMatch { hit: part.in_set(later.hit), ..later })
        })
    }
}
