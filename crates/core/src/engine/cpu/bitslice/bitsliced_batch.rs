//! Maps symbol indices in the streams to hits of a batch. Verifies the hits near starts of lines and records, because
//! the streams ignore such boundaries.

use super::myers::StreamHit;
use super::planes::Planes;
use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost;
use crate::engine::cpu::found_items::FoundItems;
use crate::engine::cpu::myers::ROWS;
use crate::engine::cpu::section::BatchSection;
use crate::engine::verify::verify_within_record;
use crate::hit::Hit;

/// A section of a batch and its planes.
#[derive(Clone, Copy)]
pub(crate) struct BitslicedBatch<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) section: &'a BatchSection<'a>,
    pub(crate) planes: &'a Planes,
}

impl BitslicedBatch<'_> {
    /// Returns the offset in the batch just past the symbol with the index `symbol`; `None` for the separator between
    /// two records. `mark_hint` is the index of the last mark used, and is updated.
    fn end_of(self, symbol: usize, mark_hint: &mut usize) -> Option<usize> {
        self.planes.end_of(self.compiled.patterns.alphabet(), self.section.bytes(), symbol, mark_hint)
    }

    /// Returns the offset in the batch just past the last symbol whose index is less than `symbol`, or the start of the
    /// section if there is none.
    pub(crate) fn end_before(self, symbol: usize) -> usize {
        (0..symbol.min(self.planes.symbols()))
            .rev()
            .find_map(|before| self.end_of(before, &mut 0))
            .unwrap_or(self.section.text().start)
    }

    /// Returns whether searching for the pattern with the index `index` by block-based Myers costs less than verifying
    /// `hits` hits of it one by one.
    pub(crate) fn is_cheaper_in_blocks(self, index: usize, hits: usize) -> bool {
        let pattern = &self.compiled.patterns.patterns()[index];
        // A pattern with edges needs verification after a block-based search as well.
        if !pattern.is_free() {
            return false;
        }
        let blocks = self.compiled.blocks[index].length().div_ceil(ROWS);
        let (rows, k, symbols) = (pattern.symbols().len(), pattern.k(), self.planes.symbols());
        // The first test assumes that every symbol is near a line start. The lines are counted only if it passes.
        let found = cost::UnverifiedHits { hits, rows, k, symbols, near_starts: symbols, blocks };
        cost::is_cheaper_in_blocks(found)
            && cost::is_cheaper_in_blocks(cost::UnverifiedHits {
                near_starts: self.section.starts() * pattern.max_match_len(),
                ..found
            })
    }

    /// Verifies the stream hits `found` of the pattern with the index `index`, and appends them to `hits`. Leaves out
    /// hits in lines or records that already have a hit according to `items`.
    pub(crate) fn take_hits(
        self,
        index: usize,
        found: &[StreamHit],
        items: Option<&mut FoundItems>,
        hits: &mut Vec<Hit>,
    ) {
        let mut mark_hint = 0;
        let Some(items) = items else {
            hits.extend(found.iter().filter_map(|hit| self.hit(index, hit.symbol(), hit.distance(), &mut mark_hint)));
            return;
        };
        for hit in found {
            let Some(end) = self.owned_end(hit.symbol(), &mut mark_hint).filter(|&end| !items.has_hit(end)) else {
                continue;
            };
            if let Some(hit) = self.verified(index, end, hit.distance()) {
                items.found();
                hits.push(hit);
            }
        }
    }

    /// Returns the hit that ends with the symbol of the index `symbol`, if the batch owns it and a match lies within
    /// one line or record.
    ///
    /// `mark_hint` is the index of the mark that the hit before used, and is updated: marks of successive hits are
    /// close together.
    pub(crate) fn hit(self, index: usize, symbol: usize, distance: usize, mark_hint: &mut usize) -> Option<Hit> {
        let end = self.owned_end(symbol, mark_hint)?;
        self.verified(index, end, distance)
    }

    /// Like [`end_of`](Self::end_of), but returns only ends at which the batch owns hits.
    fn owned_end(self, symbol: usize, mark_hint: &mut usize) -> Option<usize> {
        self.end_of(symbol, mark_hint).filter(|&end| self.section.owns(end))
    }

    fn verified(self, index: usize, end: usize, distance: usize) -> Option<Hit> {
        let BitslicedBatch { compiled, section, .. } = self;
        let hit = Hit { end, pattern: index, distance, start: None };
        verify_within_record(compiled.patterns.alphabet(), section.batch, &compiled.patterns.patterns()[index], hit)
    }
}
