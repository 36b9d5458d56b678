//! Scans sections of batches bit-sliced, one pattern after the other. Finds long patterns by a prefix where that pays.

use std::collections::HashMap;

use super::bitsliced_batch::BitslicedBatch;
use super::myers::{BitslicedPattern, Buffers, FoundHits, StreamHit, scan};
use super::planes::{PlaneLayout, PlaneOrder, Planes};
use super::prefix::PrefixVerifier;
use crate::compiled::CompiledSection;
use crate::found_items::RequestedHits;
use crate::myers::Column;
use crate::sections::kept::{HitCompleteness, KeptHit, exceeds};
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_verify::distance::verify_unless_free;
use nigh_verify::encoder::{Chunk, Encoder};

/// A bit-sliced scanner and its buffers, for one section at a time.
pub(crate) struct BitslicedScanner {
    planes: Planes,
    buffers: Buffers,
    found: Vec<StreamHit>,
    verifier: PrefixVerifier,
    /// The whole patterns whose prefix had too many candidates. The keys are pattern indices.
    whole: HashMap<usize, BitslicedPattern>,
    chunk: Chunk,
}

impl BitslicedScanner {
    pub(crate) fn new() -> Self {
        BitslicedScanner {
            planes: Planes::default(),
            buffers: Buffers::default(),
            found: Vec::new(),
            verifier: PrefixVerifier::default(),
            whole: HashMap::new(),
            chunk: Chunk::default(),
        }
    }

    /// Appends the hits of the patterns with the indices `patterns` that are wanted, or empties `hits` and returns
    /// [`HitCompleteness::TooMany`]. The section must be large enough: see `Compiled::can_bitslice`.
    pub(crate) fn scan(
        &mut self,
        search: CompiledSection<'_>,
        patterns: &[usize],
        RequestedHits { mut first_of, hits }: RequestedHits<'_>,
    ) -> HitCompleteness {
        let CompiledSection { compiled, section } = search;
        let codes = compiled.byte_codes.as_ref().expect("bit-slicing needs codes that fit the planes");
        let layout = PlaneLayout { isa: compiled.isa, order: PlaneOrder::ByStep, min_steps: compiled.longest_rows };
        let (mut is_filled, first) = (false, hits.len());
        for (nth, &index) in patterns.iter().enumerate() {
            if !is_filled {
                self.planes.fill(layout, &compiled.classes, codes, section);
                is_filled = true;
            }
            let wanted = RequestedHits { first_of: first_of.as_deref_mut(), hits };
            let mut kept = self.scan_pattern(search, index, wanted);
            let found = hits.len() - first.min(hits.len());
            let expected = first + found * patterns.len() / (nth + 1);
            // An eighth of the hits that may be held tells well how many there will be.
            let is_foreseen = hits.len() > compiled.hit_capacity / 8 && expected > 2 * compiled.hit_capacity;
            if kept == HitCompleteness::All && (is_foreseen || exceeds(hits, compiled.hit_capacity)) {
                kept = HitCompleteness::too_many(expected, [1, 1], compiled.hit_capacity);
            }
            if kept != HitCompleteness::All {
                *hits = Vec::new();
                return kept;
            }
        }
        HitCompleteness::All
    }

    fn scan_pattern(
        &mut self,
        search: CompiledSection<'_>,
        index: usize,
        wanted: RequestedHits<'_>,
    ) -> HitCompleteness {
        let CompiledSection { compiled, section } = search;
        if compiled.bitsliced[index].is_prefix() && !self.whole.contains_key(&index) {
            self.scan_prefix(search, index, wanted.hits);
        }
        let whole = self.whole.get(&index).or(Some(&compiled.bitsliced[index]).filter(|whole| !whole.is_prefix()));
        if let Some(whole) = whole {
            // Before its own text, a stream reads as much text as a match covers, all of it from the previous stream.
            if whole.max_match_len() > self.planes.steps() {
                return self.scan_in_blocks(search, index, wanted.hits);
            }
            let found = FoundHits { hits: &mut self.found, hit_capacity: compiled.hit_capacity_of_one() };
            let kept = scan(compiled.isa, &self.planes, whole, &mut self.buffers, found);
            if kept != HitCompleteness::All {
                return kept;
            }
            let bitsliced = BitslicedBatch { compiled, section, planes: &self.planes };
            self.found.sort_unstable();
            bitsliced.take_hits(index, &self.found, wanted.first_of, wanted.hits);
        }
        HitCompleteness::All
    }

    /// Appends the hits of one pattern, found by block-based Myers.
    fn scan_in_blocks(
        &mut self,
        CompiledSection { compiled, section }: CompiledSection<'_>,
        index: usize,
        hits: &mut Vec<KeptHit>,
    ) -> HitCompleteness {
        let (pattern, blocks) = (&compiled.patterns.patterns()[index], &compiled.blocks[index]);
        let (alphabet, mut column) = (compiled.patterns.alphabet(), Column::new(blocks));
        let mut encoder = Encoder::within(&compiled.classes, section.batch, section.text());
        let (chunk, first, text) = (&mut self.chunk, hits.len(), section.text());
        while encoder.next_chunk(chunk) {
            interrupt::check();
            column.scan(blocks, chunk.codes(), |at, distance| {
                let end = chunk.end(at);
                if section.owns(end) {
                    let hit = Hit { end, pattern: index, distance, start: None };
                    hits.extend(verify_unless_free(alphabet, section.batch, pattern, hit).map(KeptHit::from));
                }
            });
            let found = &hits[first..];
            if let Some(&last) = found.last().filter(|_| found.len() > compiled.hit_capacity) {
                let done = Hit::from(last).end - text.start;
                return HitCompleteness::too_many(found.len(), [done, text.len()], compiled.hit_capacity);
            }
        }
        HitCompleteness::All
    }

    /// Finds the hits of a pattern by its prefix. If that does not pay, finds no hits, and makes the whole pattern,
    /// which replaces the prefix from then on.
    fn scan_prefix(&mut self, search: CompiledSection<'_>, index: usize, hits: &mut Vec<KeptHit>) {
        let CompiledSection { compiled, section } = search;
        let prefix = &compiled.bitsliced[index];
        let found = FoundHits { hits: &mut self.found, hit_capacity: compiled.hit_capacity_of_one() };
        let kept = scan(compiled.isa, &self.planes, prefix, &mut self.buffers, found);
        let (symbols, streams) = (self.planes.symbols(), compiled.isa.streams());
        let windows = if kept == HitCompleteness::All {
            PrefixVerifier::windows(prefix, &mut self.found, symbols, streams)
        } else {
            None
        };
        match windows {
            Some(windows) => {
                let bitsliced = BitslicedBatch { compiled, section, planes: &self.planes };
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
