//! Scans batches bit-sliced, one pattern after the other. Finds long patterns by a prefix where that pays.

use std::collections::HashMap;

use super::bitsliced_batch::BitslicedBatch;
use super::myers::{BitslicedPattern, Buffers, StreamHit, scan};
use super::planes::{PlaneLayout, PlaneOrder, Planes};
use super::prefix::PrefixVerifier;
use crate::batch::Batch;
use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::found_items::FoundItems;
use crate::engine::cpu::kept::{HitCompleteness, MAX_HITS};
use crate::hit::Hit;

/// A bit-sliced scanner and its buffers, for one batch at a time.
pub(crate) struct BitslicedScanner {
    planes: Planes,
    buffers: Buffers,
    found: Vec<StreamHit>,
    verifier: PrefixVerifier,
    /// The whole patterns whose prefix had too many candidates. The keys are pattern indices.
    whole: HashMap<usize, BitslicedPattern>,
}

/// The hits to find.
pub(crate) struct RequestedHits<'a> {
    /// The lines and records of which one hit is enough; `None` if all hits are wanted.
    pub(crate) first_of: Option<&'a mut FoundItems>,
    /// Receives the hits.
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl BitslicedScanner {
    pub(crate) fn new() -> Self {
        BitslicedScanner {
            planes: Planes::default(),
            buffers: Buffers::default(),
            found: Vec::new(),
            verifier: PrefixVerifier::default(),
            whole: HashMap::new(),
        }
    }

    /// Appends the hits of the patterns with the indices `patterns` that are wanted, or empties `hits` and returns
    /// [`HitCompleteness::TooMany`]. The batch must be large enough: see [`Compiled::is_large_enough`].
    pub(crate) fn scan(
        &mut self,
        compiled: &Compiled,
        batch: &Batch,
        patterns: impl Iterator<Item = usize>,
        RequestedHits { mut first_of, hits }: RequestedHits<'_>,
    ) -> HitCompleteness {
        let codes = compiled.byte_codes.as_ref().expect("bit-slicing needs codes that fit the planes");
        let layout = PlaneLayout { isa: compiled.isa, order: PlaneOrder::ByStep, min_steps: 0 };
        let mut is_filled = false;
        for index in patterns {
            if !is_filled {
                self.planes.fill(layout, &compiled.classes, codes, batch);
                is_filled = true;
            }
            if self.scan_pattern(compiled, batch, index, RequestedHits { first_of: first_of.as_deref_mut(), hits })
                == HitCompleteness::TooMany
                || hits.len() > MAX_HITS
            {
                *hits = Vec::new();
                return HitCompleteness::TooMany;
            }
        }
        HitCompleteness::All
    }

    fn scan_pattern(
        &mut self,
        compiled: &Compiled,
        batch: &Batch,
        index: usize,
        wanted: RequestedHits<'_>,
    ) -> HitCompleteness {
        if compiled.bitsliced[index].is_prefix() && !self.whole.contains_key(&index) {
            self.scan_prefix(compiled, batch, index, wanted.hits);
        }
        let whole = self.whole.get(&index).or(Some(&compiled.bitsliced[index]).filter(|whole| !whole.is_prefix()));
        if let Some(whole) = whole {
            // Before its own text, a stream reads as much text as a match covers, all of it from the previous stream.
            if whole.max_match_len() > self.planes.steps() {
                return HitCompleteness::TooMany;
            }
            if scan(compiled.isa, &self.planes, whole, &mut self.buffers, &mut self.found) == HitCompleteness::TooMany {
                return HitCompleteness::TooMany;
            }
            let bitsliced = BitslicedBatch { compiled, batch, planes: &self.planes };
            if bitsliced.is_cheaper_in_blocks(index, self.found.len()) {
                return HitCompleteness::TooMany;
            }
            self.found.sort_unstable();
            bitsliced.take_hits(index, &self.found, wanted.first_of, wanted.hits);
        }
        HitCompleteness::All
    }

    /// Finds the hits of a pattern by its prefix. If that does not pay, finds no hits, and makes the whole pattern,
    /// which replaces the prefix from then on.
    fn scan_prefix(&mut self, compiled: &Compiled, batch: &Batch, index: usize, hits: &mut Vec<Hit>) {
        let prefix = &compiled.bitsliced[index];
        let kept = scan(compiled.isa, &self.planes, prefix, &mut self.buffers, &mut self.found);
        let (symbols, streams) = (self.planes.symbols(), compiled.isa.streams());
        let windows = if kept == HitCompleteness::All {
            PrefixVerifier::windows(prefix, &mut self.found, symbols, streams)
        } else {
            None
        };
        match windows {
            Some(windows) => {
                let bitsliced = BitslicedBatch { compiled, batch, planes: &self.planes };
                self.verifier.verify(bitsliced, index, &windows, hits);
            }
            None => {
                let pattern = &compiled.patterns.patterns()[index];
                let whole = BitslicedPattern::new(pattern, pattern.symbols().len(), &compiled.classes);
                self.whole.insert(index, whole);
            }
        }
    }
}
