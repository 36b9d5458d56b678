//! Finds the hits of strings, and of regular expressions that stand for few strings by a search for these strings.
//!
//! A hit of an expression is a hit of one of its strings, and its distance is the least of these. The alignments are those
//! of the automata.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::batch::Batch;
use crate::engine::deliver::deliver;
use crate::engine::mixed::MixedEngine;
use crate::engine::{Aligner, Engine, EngineError, EngineFacts, Forecast, Scanner, WantedHits};
use crate::hit::{Hit, HitSink};
use crate::pattern::{Pattern, PatternSet};

/// An engine for strings, and for regular expressions that are searched for as strings.
pub(in crate::engine) struct StringEndsEngine {
    patterns: Arc<PatternSet>,
    strings: Arc<dyn Engine>,
    /// For each string, the index in `patterns` of the pattern that it belongs to.
    owners: Vec<usize>,
    /// An engine that aligns the hits of `patterns`.
    aligning: MixedEngine,
}

impl StringEndsEngine {
    /// Makes an engine for `patterns`. `strings` searches for the strings of all of them, and `owners` has the index of
    /// the pattern of each. `aligning` aligns hits of the patterns.
    pub(in crate::engine) fn new(
        patterns: Arc<PatternSet>,
        strings: Arc<dyn Engine>,
        owners: Vec<usize>,
        aligning: MixedEngine,
    ) -> Self {
        StringEndsEngine { patterns, strings, owners, aligning }
    }

    /// Returns a sink that passes hits of the strings on to `hits` as those of the patterns.
    fn sink<'a>(&'a self, hits: &'a mut dyn HitSink) -> ExpressionSink<'a> {
        ExpressionSink { owners: &self.owners, patterns: self.patterns.patterns(), found: Vec::new(), hits }
    }
}

impl Engine for StringEndsEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn plan(&self) -> Vec<String> {
        self.strings.plan()
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.strings.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.strings.estimate(batch)
    }

    fn forecast(&self) -> Option<Forecast> {
        self.strings.forecast()
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(StringEndsScanner { engine: self, strings: self.strings.scanner()? }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        self.aligning.aligner()
    }
}

struct StringEndsScanner<'a> {
    engine: &'a StringEndsEngine,
    strings: Box<dyn Scanner + 'a>,
}

impl Scanner for StringEndsScanner<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        self.strings.submit(batch, wanted)
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.strings.search(batch, wanted, &mut self.engine.sink(hits))
    }
}

/// Passes on the hits of strings as those of their expressions.
struct ExpressionSink<'a> {
    owners: &'a [usize],
    patterns: &'a [Pattern],
    found: Vec<Hit>,
    hits: &'a mut dyn HitSink,
}

impl HitSink for ExpressionSink<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        // The match of an expression is not that of a string.
        let start = |pattern: usize, start| if self.patterns[pattern].expression().is_some() { None } else { start };
        let owned = hits.iter().map(|hit| {
            let pattern = self.owners[hit.pattern];
            Hit { pattern, start: start(pattern, hit.start), ..*hit }
        });
        self.found.clear();
        self.found.extend(owned);
        // All hits with the same end are in one chunk.
        self.found.sort_unstable();
        self.found.dedup_by_key(|hit| (hit.end, hit.pattern));
        deliver(&self.found, self.hits)
    }
}
