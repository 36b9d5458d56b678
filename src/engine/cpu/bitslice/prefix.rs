//! Long patterns by their prefix: a lossless filter.
//!
//! A match of a pattern with at most k errors holds a match of its first r symbols with at most k errors. So a search for
//! the prefix, which costs only its rows, gives candidates; the few windows of text that follow from them are searched in
//! words for the whole pattern.

use std::ops::Range;

use super::myers::{SlicedHit, SlicedPattern};
use super::scanner::Sliced;
use crate::engine::cpu::myers::{Column, ROWS};
use crate::engine::encoder::{Chunk, Encoder};
use crate::engine::settle;
use crate::hit::Hit;
use crate::pattern::Pattern;

/// How many symbols of a pattern are searched for: enough to make candidates rare in random DNA, or all if that would
/// save little.
///
/// One core of a Zen 4 server, 100 Mb of random DNA on both strands: 1,000 symbols with k = 100 in 0.166 s with 2.5k + 12 and
/// 0.149 s with 2.25k + 12 rows, 100 symbols with k = 10 in 0.050 and 0.041 s.
pub(crate) fn rows(pattern: &Pattern) -> usize {
    const LEAST_SAVED: usize = 4;
    let enough = 9 * pattern.k() / 4 + 12;
    let all = pattern.symbols().len();
    if all >= enough + LEAST_SAVED { enough } else { all }
}

/// What costs are counted in: picoseconds on one core of a Zen 4 server. A row of the pattern, for as many symbols as there
/// are streams; a window; and in a window a symbol in each word of rows.
const ROW: usize = 1_200;
const WINDOW: usize = 3_000_000;
const WORD: usize = 2_600;

/// Finds the hits of whole patterns where their prefixes were found.
#[derive(Default)]
pub(crate) struct Verifier {
    chunk: Chunk,
}

impl Verifier {
    /// The symbols at which a whole pattern may end when its prefix ends at these, in ascending ranges; nothing if
    /// there are so many that they would cost more than they save.
    pub(crate) fn windows(
        pattern: &SlicedPattern,
        candidates: &mut [SlicedHit],
        (symbols, streams): (usize, usize),
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
        let words = (pattern.reach() + pattern.rest()).div_ceil(ROWS);
        let searched = windows.iter().map(|window| window.len() + pattern.reach() + pattern.rest());
        let cost: usize = searched.map(|symbols| WINDOW + symbols * words * WORD).sum();
        let saved = pattern.rest() * ROW * (symbols / streams);
        (cost <= saved).then_some(windows)
    }

    /// Adds the hits of the whole pattern of this index that end in the windows.
    pub(crate) fn verify(&mut self, sliced: Sliced<'_>, index: usize, windows: &[Range<usize>], hits: &mut Vec<Hit>) {
        let Sliced { compiled, batch, .. } = sliced;
        let (pattern, words) = (&compiled.patterns.patterns()[index], &compiled.words[index]);
        let mut column = Column::new(words);
        for window in windows {
            let start = sliced.end_before(window.start.saturating_sub(pattern.reach()));
            let ends = sliced.end_before(window.start)..sliced.end_before(window.end);
            column.reset(words);
            let mut encoder = Encoder::within(&compiled.classes, batch, start..ends.end);
            while encoder.next_chunk(&mut self.chunk) {
                let chunk = &self.chunk;
                column.scan(words, chunk.codes(), |at, distance| {
                    let end = chunk.end(at);
                    if end > ends.start && batch.owns(end) {
                        let hit = Hit { end, pattern: index, distance, start: None };
                        let settled = || settle(compiled.patterns.alphabet(), batch, pattern, hit);
                        hits.extend(if pattern.is_free() { Some(hit) } else { settled() });
                    }
                });
            }
        }
    }
}
