//! Findings: what workers find in a batch, for reports.

use std::ops::Range;
use std::sync::Arc;

use crate::alignment::Cigar;
use crate::input::Batch;

/// The findings in a batch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// The lines or records with a hit, in order.
    pub items: Vec<MatchedItem>,
    /// The matches to show in lines, line by line, in order, without overlaps.
    pub spans: Vec<MatchSpan>,
    /// The formatted rows, line by line or record by record.
    pub rows: Vec<u8>,
    /// The hits of each line or record by distance, if needed.
    pub distances: Vec<DistanceCount>,
    /// Number of hits examined.
    pub hits: u64,
    /// For each segment of the batch, the number of residues of its record up to the end of the owned range; empty
    /// unless needed.
    pub lengths: Vec<u64>,
}

impl Findings {
    /// Subtracts `by` from all offsets, for a batch without its first `by` bytes.
    pub(crate) fn shift_back(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start.saturating_sub(by)..range.end.saturating_sub(by);
        for item in &mut self.items {
            [&mut item.bytes, &mut item.name, &mut item.record].into_iter().for_each(shift);
        }
        self.spans.iter_mut().map(|span| &mut span.bytes).for_each(shift);
    }

    /// Counts a hit of the last line or record by its distance.
    pub(crate) fn count_distance(&mut self, distance: usize) {
        let item = self.items.last_mut().expect("the line or record of this hit");
        match self.distances[item.distances.start..].iter_mut().find(|count| count.distance == distance) {
            Some(count) => count.hits += 1,
            None => self.distances.push(DistanceCount { distance, hits: 1 }),
        }
        item.distances.end = self.distances.len();
    }

    /// Returns the length of the record left open by the previous batch, if it ends in this one and lengths are
    /// needed.
    pub(crate) fn ended(&self, batch: &Batch) -> Option<u64> {
        let ends = batch.segments().first().is_some_and(|segment| segment.continues && segment.closes);
        self.lengths.first().copied().filter(|_| ends)
    }
}

/// Rows of a batch, reported ahead of the rest of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EarlyRows {
    /// The rows.
    pub bytes: Vec<u8>,
    /// The length of the record left open by the previous batch, if it ends in this one and lengths are needed.
    pub ended: Option<u64>,
}

/// Matches of a line, reported ahead of its other matches.
#[derive(Debug, Clone)]
pub(crate) struct EarlySpans {
    /// A batch that consists of the line and its line end.
    pub line: Arc<Batch>,
    /// The line's next matches, in order, with offsets in `line`.
    pub spans: Vec<MatchSpan>,
}

/// A line, or the part of a record in one batch, with a hit that the batch owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MatchedItem {
    /// Range in the batch, without the line end.
    pub bytes: Range<usize>,
    /// Range of the record's name in the batch.
    pub name: Range<usize>,
    /// Range of the whole record in the batch, from its header to the start of the next one, including quality. If
    /// the record was cut, the part of it in this batch. In text, the line.
    pub record: Range<usize>,
    /// Whether an earlier batch owned a part of it.
    pub continues: bool,
    /// Whether it continues in the next batch.
    pub open: bool,
    /// The least distance of its hits.
    pub min_distance: usize,
    /// Number of its hits.
    pub hits: u64,
    /// Its matches in [`Findings::spans`].
    pub spans: Range<usize>,
    /// Its rows in [`Findings::rows`].
    pub rows: Range<usize>,
    /// Its hits in [`Findings::distances`], one entry per distance, in any order.
    pub distances: Range<usize>,
}

/// The number of hits with one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DistanceCount {
    /// The distance.
    pub distance: usize,
    /// Number of hits.
    pub hits: u64,
}

/// A match to show in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MatchSpan {
    /// Range in the batch.
    pub bytes: Range<usize>,
    /// The distance of the match.
    pub distance: usize,
    /// Index of the pattern in its set.
    pub pattern: usize,
    /// The alignment, if needed. Boxed, since few reports need it.
    pub cigar: Option<Box<Cigar>>,
}
