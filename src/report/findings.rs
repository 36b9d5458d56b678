//! What workers find in a batch, for reports.

use std::ops::Range;
use std::sync::Arc;

use crate::alignment::Cigar;
use crate::input::Batch;

/// What a worker found in a batch.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The lines or records with a hit, in order.
    pub items: Vec<MatchedItem>,
    /// The matches to be shown in lines, line by line, in order; they do not overlap.
    pub spans: Vec<MatchSpan>,
    /// Formatted rows, item by item.
    pub rows: Vec<u8>,
    /// How many hits were looked at.
    pub hits: u64,
    /// For each part of a record in the batch, how many residues the record has up to the end of what the batch owns of
    /// it; empty if nobody has asked.
    pub lengths: Vec<u64>,
}

impl Findings {
    /// Moves all offsets in the batch back by some bytes, for a batch without its first ones.
    pub fn shift_back(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start.saturating_sub(by)..range.end.saturating_sub(by);
        for item in &mut self.items {
            [&mut item.bytes, &mut item.name, &mut item.record].into_iter().for_each(shift);
        }
        self.spans.iter_mut().map(|span| &mut span.bytes).for_each(shift);
    }

    /// The length of the record that the batches before left open, if it ends in this one and somebody has asked.
    pub fn ended(&self, batch: &Batch) -> Option<u64> {
        let ends = batch.segments().first().is_some_and(|segment| segment.continues && segment.closes);
        self.lengths.first().copied().filter(|_| ends)
    }
}

/// Rows of a batch that are reported before the rest of it.
#[derive(Debug, Clone, Default)]
pub struct EarlyRows {
    /// The rows.
    pub bytes: Vec<u8>,
    /// The length of the record that the batches before left open, if it ends in this one and somebody has asked.
    pub ended: Option<u64>,
}

/// Matches of a line that are reported before the others in it.
#[derive(Debug, Clone)]
pub struct EarlySpans {
    /// The line with what ends it, alone in a batch.
    pub line: Arc<Batch>,
    /// The next of its matches, in order, in offsets of that batch.
    pub spans: Vec<MatchSpan>,
}

/// A line, or the part of a record in one batch, with a hit that the batch owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedItem {
    /// Where it lies in the batch, without what ends it.
    pub bytes: Range<usize>,
    /// Where the record's name lies in the batch.
    pub name: Range<usize>,
    /// Where all of the record lies in the batch, from its header on, with quality and what else is before the next; of a
    /// record that was cut, what of it is here. In text, the line.
    pub record: Range<usize>,
    /// Whether an earlier batch owned a part of it.
    pub continues: bool,
    /// Whether it goes on in the next batch.
    pub open: bool,
    /// The least distance of its hits.
    pub cost: usize,
    /// How many hits it has.
    pub hits: u64,
    /// Its matches in [`Findings::spans`].
    pub spans: Range<usize>,
    /// Its rows in [`Findings::rows`].
    pub rows: Range<usize>,
}

/// A match to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSpan {
    /// Where it lies in the batch.
    pub bytes: Range<usize>,
    /// Its distance.
    pub distance: usize,
    /// Index of its pattern in the set.
    pub pattern: usize,
    /// Its edits, if they are wanted; few reports do, and to others they should not cost memory.
    pub cigar: Option<Box<Cigar>>,
}
