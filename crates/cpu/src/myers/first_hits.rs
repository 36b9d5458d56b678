//! The first hit of each line, for patterns that match in nearly every line.
//!
//! A line is searched by block-based Myers in pieces, each twice as long as the one before, until a pattern has a hit.
//! The rest of the line is passed over.

use super::Column;
use crate::compiled::Compiled;
use crate::sections::BatchSection;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::symbol_boundary;
use nigh_verify::distance::verify_unless_free;
use nigh_verify::encoder::Code;

/// A batch has many hits if it has more than one hit for each of this number of bytes: several hits in a line of a log.
/// One core of a Zen 4 server, 60 MB of a log, `-k0 -c .`: 3.4 s with all hits, 0.08 s with the first of each line.
const BYTES_OF_MANY: usize = 32;
/// The length of the first piece of a line, in bytes.
const FIRST_PIECE: usize = 8;
/// The largest length of a piece, in bytes.
const MAX_PIECE: usize = 1 << 12;
/// The largest number of patterns that are searched one by one in each line.
const MAX_PATTERNS: usize = 8;
/// The number of batches for which many hits are expected, after a batch that had many.
const BATCHES: u32 = 64;

/// The number of hits that the next batch is expected to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedHits {
    Few,
    /// With this number of hits, finding one hit of each line or record takes less time than verifying all.
    Many,
}

/// Predicts many hits for some batches after a batch that had many.
#[derive(Default)]
pub(crate) struct HitForecast {
    /// The number of further batches in which many hits are expected.
    batches: u32,
}

impl HitForecast {
    /// Returns the expectation for the next batch.
    pub(crate) fn next(&mut self) -> ExpectedHits {
        let expected = if self.batches > 0 { ExpectedHits::Many } else { ExpectedHits::Few };
        self.batches = self.batches.saturating_sub(1);
        expected
    }

    /// Notes the number of hits in `bytes` bytes of text; `None` if there were too many to count.
    pub(crate) fn note(&mut self, hits: Option<usize>, bytes: usize) {
        if hits.is_none_or(|hits| hits > bytes / BYTES_OF_MANY) {
            self.batches = BATCHES;
        }
    }
}

/// Finds the first hit of each line, and owns the buffers for it.
#[derive(Default)]
pub(crate) struct FirstHitFinder {
    /// One column per pattern; empty until it is first used.
    columns: Vec<Column>,
    codes: Vec<Code>,
    starts: Vec<usize>,
}

impl FirstHitFinder {
    /// Returns whether searching each line up to its first hit has a reasonable cost: the batch is a large batch of
    /// text, and there are few patterns.
    pub(crate) fn suits(compiled: &Compiled, batch: &Batch) -> bool {
        let patterns = compiled.patterns.patterns().len();
        batch.lines().is_some()
            && (1..=MAX_PATTERNS).contains(&patterns)
            && compiled.is_large_enough(&BatchSection::whole(batch))
    }

    /// Returns a hit of each line that has one, in order. The batch must be text.
    pub(crate) fn find(&mut self, compiled: &Compiled, batch: &Batch) -> Vec<Hit> {
        if self.columns.is_empty() {
            self.columns.extend(compiled.blocks.iter().map(Column::new));
        }
        let bytes = batch.bytes();
        let terminator = batch.terminator().expect("the batch holds lines");
        let mut hits = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let found = (0..self.columns.len()).find_map(|pattern| self.first_hit(compiled, batch, pattern, start));
            hits.extend(found);
            let passed = found.map_or(start, |hit| hit.end);
            let end = memchr::memchr(terminator, &bytes[passed..]);
            start = end.map_or(bytes.len(), |length| passed + length + 1);
        }
        hits
    }

    /// Returns the first hit of a pattern in the line that starts at the offset `start`.
    fn first_hit(&mut self, compiled: &Compiled, batch: &Batch, pattern: usize, start: usize) -> Option<Hit> {
        let (bytes, terminator) = (batch.bytes(), batch.terminator()?);
        let alphabet = compiled.patterns.alphabet();
        let blocks = &compiled.blocks[pattern];
        let column = &mut self.columns[pattern];
        column.reset(blocks);
        let (mut from, mut length) = (start, FIRST_PIECE);
        loop {
            let ahead = &bytes[from..bytes.len().min(from + length)];
            let line_end = memchr::memchr(terminator, ahead).map(|length| from + length);
            let to = line_end.unwrap_or_else(|| symbol_boundary(alphabet, bytes, from + ahead.len()));
            self.codes.clear();
            self.starts.clear();
            compiled.classes.encode(bytes, from..to, &mut self.codes, &mut self.starts);
            let (starts, mut found) = (&self.starts, None);
            column.scan(blocks, &self.codes, |index, distance| {
                let end = starts.get(index + 1).copied().unwrap_or(to);
                if found.is_none() && batch.owns(end) {
                    let hit = Hit { end, pattern, distance, start: None };
                    found = verify_unless_free(alphabet, batch, &compiled.patterns.patterns()[pattern], hit);
                }
            });
            if found.is_some() || line_end.is_some() || to == bytes.len() {
                return found;
            }
            from = to;
            length = (2 * length).min(MAX_PIECE);
        }
    }
}
