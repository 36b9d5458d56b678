//! The hits in a batch, aligned as they are needed.

use super::alternatives::keep_best_alternatives;
use nigh_core::alignment::Alignment;
use nigh_core::batch::Batch;
use nigh_core::engine::{Aligner, Engine, Scanner};
use nigh_core::hit::Hit;
use nigh_core::pattern::{Pattern, PatternSet};

/// Number of hits that are aligned at a time.
const HITS_AT_ONCE: usize = 256;

/// Searches one batch at a time, and returns its hits one by one.
///
/// # Panics
/// All functions panic if a device fails and the engine has no other to fall back to.
pub(super) struct BatchHits<'s> {
    engine: &'s dyn Engine,
    scanner: Box<dyn Scanner + 's>,
    aligner: Box<dyn Aligner + 's>,
    /// The hits of the batch, and the number of hits that have been returned.
    hits: Vec<Hit>,
    returned: usize,
    /// The alignments of the next hits, last hit first.
    aligned: Vec<Alignment>,
}

impl<'s> BatchHits<'s> {
    pub(super) fn new(engine: &'s dyn Engine) -> Self {
        BatchHits {
            engine,
            scanner: engine.scanner().expect("the CPU takes over for a device"),
            aligner: engine.aligner().expect("the CPU takes over for a device"),
            hits: Vec::new(),
            returned: 0,
            aligned: Vec::new(),
        }
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

    /// Searches a batch. Forgets the hits of the batch before it.
    pub(super) fn search(&mut self, batch: &Batch) {
        self.hits.clear();
        self.aligned.clear();
        self.returned = 0;
        self.scanner.scan(batch, &mut self.hits).expect("the CPU takes over for a device");
        keep_best_alternatives(self.engine.patterns().patterns(), &mut self.hits);
    }

    /// Returns the next hit, with its alignment. `batch` is the batch that was searched last.
    pub(super) fn next(&mut self, batch: &Batch) -> Option<(Hit, Alignment)> {
        let hit = *self.hits.get(self.returned)?;
        if self.aligned.is_empty() {
            let next = &self.hits[self.returned..];
            let next = &next[..next.len().min(HITS_AT_ONCE)];
            self.aligner.align(batch, next, &mut self.aligned).expect("the CPU takes over for a device");
            self.aligned.reverse();
        }
        self.returned += 1;
        Some((hit, self.aligned.pop().expect("each hit has an alignment")))
    }
}
