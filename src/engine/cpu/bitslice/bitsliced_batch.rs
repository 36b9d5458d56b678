//! From symbols of streams to hits of a batch, with what the streams cannot know: ends of lines and records.

use super::myers::StreamHit;
use super::planes::Planes;
use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost;
use crate::engine::cpu::myers::ROWS;
use crate::engine::verify::verify_within_record;
use crate::hit::Hit;
use crate::input::{Batch, Layout};

/// A batch and its planes.
#[derive(Clone, Copy)]
pub(crate) struct BitslicedBatch<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) batch: &'a Batch,
    pub(crate) planes: &'a Planes,
}

impl BitslicedBatch<'_> {
    /// Where the symbol of this index ends in the batch; nothing if it is what stands between two records.
    fn end_of(self, symbol: usize, near: &mut usize) -> Option<usize> {
        self.planes.end_of(self.compiled.patterns.alphabet(), self.batch.bytes(), symbol, near)
    }

    /// Where the last symbol ends that comes before this index; the start of the batch if none does.
    pub(crate) fn end_before(self, symbol: usize) -> usize {
        (0..symbol.min(self.planes.symbols())).rev().find_map(|before| self.end_of(before, &mut 0)).unwrap_or(0)
    }

    /// Whether so many hits of a pattern are better searched for again in words than verified one by one.
    pub(crate) fn is_cheaper_in_blocks(self, index: usize, hits: usize) -> bool {
        let pattern = &self.compiled.patterns.patterns()[index];
        // What is found in words is verified as well if it has edges.
        if !pattern.is_free() {
            return false;
        }
        let blocks = self.compiled.blocks.iter().map(|blocks| blocks.length().div_ceil(ROWS)).sum();
        let (rows, k, symbols) = (pattern.symbols().len(), pattern.k(), self.planes.symbols());
        // The lines are counted only if so many hits would be too many at their starts.
        let found = cost::UnverifiedHits { hits, rows, k, symbols, near_starts: symbols, blocks };
        cost::is_cheaper_in_blocks(found)
            && cost::is_cheaper_in_blocks(cost::UnverifiedHits {
                near_starts: starts(self.batch) * pattern.reach(),
                ..found
            })
    }

    /// Adds what was found of one pattern as hits in the batch.
    pub(crate) fn take_hits(self, index: usize, found: &[StreamHit], hits: &mut Vec<Hit>) {
        let mut near = 0;
        hits.extend(found.iter().filter_map(|hit| self.hit(index, (hit.symbol(), hit.distance()), &mut near)));
    }

    /// The hit that ends with a symbol, if the batch owns it and it is one within its line or record.
    ///
    /// `near` is kept from hit to hit: where they come in order, their marks are near each other.
    pub(crate) fn hit(self, index: usize, (symbol, distance): (usize, usize), near: &mut usize) -> Option<Hit> {
        let BitslicedBatch { compiled, batch, .. } = self;
        let end = self.end_of(symbol, near).filter(|&end| batch.owns(end))?;
        let hit = Hit { end, pattern: index, distance, start: None };
        verify_within_record(compiled.patterns.alphabet(), batch, &compiled.patterns.patterns()[index], hit)
    }
}

/// How many lines or records begin in a batch, or at its start.
fn starts(batch: &Batch) -> usize {
    match batch.layout() {
        Layout::Lines(lines) => memchr::memchr_iter(lines.terminator, batch.bytes()).count() + 1,
        Layout::Records(segments) => segments.len(),
    }
}
