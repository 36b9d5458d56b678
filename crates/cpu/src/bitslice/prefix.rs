//! Prefix filter: finds long patterns by their prefix, and misses no match.
//!
//! A match of a pattern with at most k edits contains a match of its first r symbols with at most k edits. The
//! bit-sliced search for the prefix costs only r rows and yields candidates; block-based Myers then searches the
//! windows of text after the candidates for the whole pattern.

use std::ops::Range;

use super::bitsliced_batch::BitslicedBatch;
use super::myers::{BitslicedPattern, StreamHit};
use crate::cost;
use crate::myers::{Column, ROWS};
use crate::sections::kept::KeptHit;
use nigh_text::hit::Hit;
use nigh_verify::distance::verify_unless_free;
use nigh_verify::encoder::{Chunk, Encoder};

/// Searches for the whole patterns around the hits of their prefixes.
#[derive(Default)]
pub(crate) struct PrefixVerifier {
    chunk: Chunk,
}

impl PrefixVerifier {
    /// Returns ascending ranges of the indices of symbols at which a match of the whole pattern may end, given the hits
    /// of the prefix in `candidates`. Returns `None` if searching the ranges would cost more than it saves. `symbols`
    /// is the number of symbols in the batch, `streams` the number of streams.
    pub(crate) fn windows(
        pattern: &BitslicedPattern,
        candidates: &mut [StreamHit],
        symbols: usize,
        streams: usize,
    ) -> Option<Vec<Range<usize>>> {
        candidates.sort_unstable();
        let mut windows: Vec<Range<usize>> = Vec::new();
        for candidate in candidates.iter() {
            let range = pattern.ends_after(candidate.symbol());
            match windows.last_mut() {
                Some(last) if range.start <= last.end => last.end = range.end,
                _ => windows.push(range),
            }
        }
        let around = pattern.max_match_len() + pattern.rest();
        let searched = windows.iter().map(|window| window.len() + around);
        let searched =
            cost::PrefixWindows { windows: windows.len(), symbols: searched.sum(), blocks: around.div_ceil(ROWS) };
        cost::prefix_pays(searched, pattern.rest(), symbols / streams).then_some(windows)
    }

    /// Appends the hits of the whole pattern with the index `index` that end in `windows`, which are ranges of symbol
    /// indices.
    pub(crate) fn verify(
        &mut self,
        bitsliced: BitslicedBatch<'_>,
        index: usize,
        windows: &[Range<usize>],
        hits: &mut Vec<KeptHit>,
    ) {
        let BitslicedBatch { compiled, section, .. } = bitsliced;
        let (pattern, blocks) = (&compiled.patterns.patterns()[index], &compiled.blocks[index]);
        let alphabet = compiled.patterns.alphabet();
        let mut column = Column::new(blocks);
        for window in windows {
            let start = bitsliced.end_before(window.start.saturating_sub(pattern.max_match_len()));
            let ends = bitsliced.end_before(window.start)..bitsliced.end_before(window.end);
            column.reset(blocks);
            let mut encoder = Encoder::within(&compiled.classes, section.batch, start..ends.end);
            while encoder.next_chunk(&mut self.chunk) {
                let chunk = &self.chunk;
                column.scan(blocks, chunk.codes(), |at, distance| {
                    let end = chunk.end(at);
                    if end > ends.start && section.owns(end) {
                        let hit = Hit { end, pattern: index, distance, start: None };
                        hits.extend(verify_unless_free(alphabet, section.batch, pattern, hit).map(KeptHit::from));
                    }
                });
            }
        }
    }
}
