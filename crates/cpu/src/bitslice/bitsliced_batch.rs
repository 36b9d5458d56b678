//! Maps symbol indices in the streams to hits of a batch. Verifies the hits near starts of lines and records, because
//! the streams ignore such boundaries.

use super::myers::StreamHit;
use super::planes::Planes;
use crate::compiled::Compiled;
use crate::found_items::FoundItems;
use crate::myers::Column;
use crate::sections::BatchSection;
use crate::sections::kept::KeptHit;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::distance::{may_cross, verify};
use nigh_verify::text_window::TextWindow;

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

    /// Verifies the stream hits `found` of the pattern with the index `index`, and appends them to `hits`. Leaves out
    /// hits in lines or records that already have a hit according to `items`.
    pub(crate) fn take_hits(
        self,
        index: usize,
        found: &[StreamHit],
        items: Option<&mut FoundItems>,
        hits: &mut Vec<KeptHit>,
    ) {
        let mut cursor = HitCursor::new();
        let Some(items) = items else {
            let all = found.iter().filter_map(|hit| self.hit(index, hit.symbol(), hit.distance(), &mut cursor));
            hits.extend(all.map(KeptHit::from));
            return;
        };
        for hit in found {
            let Some(end) = self.owned_end(hit.symbol(), &mut cursor).filter(|&end| !items.has_hit(end)) else {
                continue;
            };
            if let Some(hit) = self.verified(index, end, hit.distance(), &mut cursor) {
                items.found();
                hits.push(hit.into());
            }
        }
    }

    /// Returns the hit that ends with the symbol of the index `symbol`, if the batch owns it and a match lies within
    /// one line or record. The cursor is that of the hit before.
    pub(crate) fn hit(self, index: usize, symbol: usize, distance: usize, cursor: &mut HitCursor) -> Option<Hit> {
        let end = self.owned_end(symbol, cursor)?;
        self.verified(index, end, distance, cursor)
    }

    /// Like [`end_of`](Self::end_of), but returns only ends at which the batch owns hits.
    fn owned_end(self, symbol: usize, cursor: &mut HitCursor) -> Option<usize> {
        self.end_of(symbol, &mut cursor.mark_hint).filter(|&end| self.section.owns(end))
    }

    fn verified(self, index: usize, end: usize, distance: usize, cursor: &mut HitCursor) -> Option<Hit> {
        let BitslicedBatch { compiled, section, .. } = self;
        let (alphabet, pattern) = (compiled.patterns.alphabet(), &compiled.patterns.patterns()[index]);
        let hit = Hit { end, pattern: index, distance, start: None };
        if !pattern.is_free() {
            return verify(alphabet, section.batch, pattern, hit);
        }
        match may_cross(section.batch, end, pattern.max_match_len()) {
            true => cursor.distance(compiled, section.batch, hit).map(|distance| Hit { distance, ..hit }),
            false => Some(hit),
        }
    }
}

/// Results for a hit that the next hit of the same section reuses. They save most work if both hits are of one pattern,
/// and the next one ends later.
pub(crate) struct HitCursor {
    /// The index of the mark that was used last.
    mark_hint: usize,
    /// The text before the last hit near the start of a line or record.
    window: TextWindow,
    /// The index of the pattern of that hit, and its column of block-based Myers.
    column: Option<(usize, Column)>,
    /// The serial number in the window of the symbol after the column.
    next: usize,
}

impl HitCursor {
    pub(crate) fn new() -> Self {
        HitCursor { mark_hint: 0, window: TextWindow::default(), column: None, next: 0 }
    }

    /// Returns the distance of a hit within its line or record, if it is at most k. A match that ends there may cover
    /// all symbols of the line or record before the end.
    fn distance(&mut self, compiled: &Compiled, batch: &Batch, hit: Hit) -> Option<usize> {
        let max_match_len = compiled.patterns.patterns()[hit.pattern].max_match_len();
        self.window.extend_to(&compiled.classes, batch, hit.end, max_match_len);
        let (symbols, blocks) = (self.window.symbols(), &compiled.blocks[hit.pattern]);
        let column = match &mut self.column {
            Some((pattern, column)) if *pattern == hit.pattern => {
                if !(symbols.first..symbols.end()).contains(&self.next) {
                    column.reset(blocks);
                    self.next = symbols.first;
                }
                column
            }
            other => {
                self.next = symbols.first;
                &mut other.insert((hit.pattern, Column::new(blocks))).1
            }
        };
        let codes = &symbols.codes[self.next - symbols.first..];
        self.next = symbols.end();
        let mut last = None;
        column.scan(blocks, codes, |at, distance| {
            if at + 1 == codes.len() {
                last = Some(distance);
            }
        });
        last
    }
}
