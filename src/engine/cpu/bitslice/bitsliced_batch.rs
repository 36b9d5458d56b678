//! Maps stream positions to hits of a batch, and verifies those near ends of lines and records, which the streams
//! ignore.

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
    /// Returns the end in the batch of the symbol with this index; `None` for the separator between two records.
    fn end_of(self, symbol: usize, mark_hint: &mut usize) -> Option<usize> {
        self.planes.end_of(self.compiled.patterns.alphabet(), self.batch.bytes(), symbol, mark_hint)
    }

    /// Returns the end of the last symbol before this index, or the start of the batch if there is none.
    pub(crate) fn end_before(self, symbol: usize) -> usize {
        (0..symbol.min(self.planes.symbols())).rev().find_map(|before| self.end_of(before, &mut 0)).unwrap_or(0)
    }

    /// Returns whether scanning the batch by block-based Myers costs less than verifying this number of hits one by
    /// one.
    pub(crate) fn is_cheaper_in_blocks(self, index: usize, hits: usize) -> bool {
        let pattern = &self.compiled.patterns.patterns()[index];
        // A pattern with edges needs verification after a block-based search as well.
        if !pattern.is_free() {
            return false;
        }
        let blocks = self.compiled.blocks.iter().map(|blocks| blocks.length().div_ceil(ROWS)).sum();
        let (rows, k, symbols) = (pattern.symbols().len(), pattern.k(), self.planes.symbols());
        // Counts the lines only if the hits would be too many even with every symbol near a line start.
        let found = cost::UnverifiedHits { hits, rows, k, symbols, near_starts: symbols, blocks };
        cost::is_cheaper_in_blocks(found)
            && cost::is_cheaper_in_blocks(cost::UnverifiedHits {
                near_starts: starts(self.batch) * pattern.max_match_len(),
                ..found
            })
    }

    /// Appends the hits of one pattern.
    pub(crate) fn take_hits(self, index: usize, found: &[StreamHit], hits: &mut Vec<Hit>) {
        let mut mark_hint = 0;
        hits.extend(found.iter().filter_map(|hit| self.hit(index, hit.symbol(), hit.distance(), &mut mark_hint)));
    }

    /// Returns the hit that ends with a symbol, if the batch owns it and it lies within its line or record.
    ///
    /// `mark_hint` carries the position in the marks from hit to hit: marks of hits in order are close together.
    pub(crate) fn hit(self, index: usize, symbol: usize, distance: usize, mark_hint: &mut usize) -> Option<Hit> {
        let BitslicedBatch { compiled, batch, .. } = self;
        let end = self.end_of(symbol, mark_hint).filter(|&end| batch.owns(end))?;
        let hit = Hit { end, pattern: index, distance, start: None };
        verify_within_record(compiled.patterns.alphabet(), batch, &compiled.patterns.patterns()[index], hit)
    }
}

/// Returns the number of lines or records in a batch.
fn starts(batch: &Batch) -> usize {
    match batch.layout() {
        Layout::Lines(lines) => memchr::memchr_iter(lines.terminator, batch.bytes()).count() + 1,
        Layout::Records(segments) => segments.len(),
    }
}
