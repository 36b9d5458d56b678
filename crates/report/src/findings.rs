//! Findings: the results of searching a batch, which workers pass to reports.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::cells::{CellLayout, HitCells};
use super::hit::HitList;
use nigh_pattern::GroupRanges;
use nigh_text::alignment::Cigar;
use nigh_text::batch::{Batch, RecordName};

/// The findings in a batch.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The lines or records with a hit, in order.
    pub items: Vec<MatchedItem>,
    /// The matches to show in lines, in order. Matches of one line do not overlap.
    pub spans: Vec<MatchSpan>,
    /// The formatted rows of all items, in order.
    pub rows: Vec<u8>,
    /// The hits of all items, in order, if the report takes them as values. They have no rows in `rows`.
    pub found: HitList,
    /// For each item, the numbers of its hits by distance. Empty unless needed.
    pub distances: Vec<DistanceCount>,
    /// The hits of all items in a table of patterns and distances. Empty unless needed.
    pub cells: HitCells,
    /// Number of hits that the search found, for the progress display. Hits beyond the limit of `--max-hits` count too.
    pub hits: u64,
    /// For each segment of the batch, the length of its record in residues. If the record continues, the length up to
    /// the end of the owned range. Empty unless needed.
    pub lengths: Vec<u64>,
    /// A position in the record that continues in the next batch: all matches that end at or before this position are
    /// reported. 0 unless the best hits are chosen.
    pub known_to: u64,
    /// What `nigh-align`, which compares pairs in place of a search, found besides rows; `None` in a search. Its own report
    /// knows the type.
    pub of_program: Option<Arc<dyn Any + Send + Sync>>,
}

impl Findings {
    /// Subtracts `by` from all offsets. Use it after removing the first `by` bytes of the batch.
    pub fn shift_back(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start.saturating_sub(by)..range.end.saturating_sub(by);
        for item in &mut self.items {
            [&mut item.bytes, &mut item.record].into_iter().for_each(shift);
            item.name.shift_back(by);
        }
        self.spans.iter_mut().map(|span| &mut span.bytes).for_each(shift);
    }

    /// Adds matches of the first item before all others. If the first item is not `item`, adds `item` as well.
    pub fn prepend_spans(&mut self, spans: Vec<MatchSpan>, item: MatchedItem) {
        let (added, least) = (spans.len(), spans.iter().map(|span| span.distance).min());
        self.spans.splice(0..0, spans);
        for item in &mut self.items {
            item.spans = item.spans.start + added..item.spans.end + added;
        }
        if self.items.first().is_none_or(|first| first.bytes != item.bytes) {
            self.items.insert(0, MatchedItem { spans: 0..added, ..item });
        }
        let first = &mut self.items[0];
        first.spans.start = 0;
        first.min_distance = least.map_or(first.min_distance, |least| first.min_distance.min(least));
    }

    /// Removes the matches with a distance below `least` from the last item, and removes the item if no match is left.
    pub fn keep_spans_from(&mut self, least: usize) {
        let Some(item) = self.items.last_mut() else { return };
        let kept: Vec<MatchSpan> = self.spans.drain(item.spans.clone()).filter(|span| span.distance >= least).collect();
        item.spans.end = item.spans.start + kept.len();
        match kept.iter().map(|span| span.distance).min() {
            Some(min_distance) => item.min_distance = min_distance,
            None => _ = self.items.pop(),
        }
        self.spans.extend(kept);
    }

    /// Removes the rows and values of the hits of the last item.
    pub fn remove_hits(&mut self) {
        let item = self.items.last_mut().expect("the line or record of these hits");
        (item.rows.end, item.found.end) = (item.rows.start, item.found.start);
        self.rows.truncate(item.rows.end);
        self.found.truncate(item.found.end);
    }

    /// Counts a hit of the last item by its distance.
    pub fn count_distance(&mut self, distance: usize) {
        let item = self.items.last_mut().expect("the line or record of this hit");
        match self.distances[item.distances.start..].iter_mut().find(|count| count.distance == distance) {
            Some(count) => count.hits += 1,
            None => self.distances.push(DistanceCount { distance, hits: 1 }),
        }
        item.distances.end = self.distances.len();
    }

    /// Counts a hit of the last item by its pattern and distance.
    pub fn count_cell(&mut self, layout: CellLayout, pattern: usize, distance: usize) {
        self.cells.push(layout, pattern, distance);
        self.items.last_mut().expect("the line or record of this hit").cells.end = self.cells.listed();
    }

    /// Returns the length in residues of the record that the previous batch left open. Returns `None` if the record
    /// does not end in this batch, or if lengths are not needed.
    pub fn ended(&self, batch: &Batch) -> Option<u64> {
        ended_length(batch, &self.lengths)
    }
}

/// Returns the length of the record that the previous batch left open, given the length of the record of each segment.
/// Returns `None` if the record does not end in this batch, or if lengths are not needed.
pub fn ended_length(batch: &Batch, lengths: &[u64]) -> Option<u64> {
    let ends = batch.segments().first().is_some_and(|segment| segment.continues && segment.closes);
    lengths.first().copied().filter(|_| ends)
}

/// Some rows or hits of a batch, reported before the batch's other findings.
#[derive(Debug, Clone, Default)]
pub struct EarlyRows {
    /// The rows.
    pub bytes: Vec<u8>,
    /// The hits, if the report takes them as values.
    pub found: HitList,
    /// The length in residues of the record that the previous batch left open. `None` if the record does not end in
    /// this batch, or if lengths are not needed.
    pub ended: Option<u64>,
}

/// Some matches of a line, reported before the line's other matches.
#[derive(Debug, Clone)]
pub struct EarlySpans {
    /// A batch of one line, with its line end.
    pub line: Arc<Batch<'static>>,
    /// The line's next matches, in order, with offsets in `line`.
    pub spans: Vec<MatchSpan>,
}

/// An item: a line, or the part of a record in one batch, that has a hit in the owned range of the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedItem {
    /// Range of the line or residues in the batch, without the line end.
    pub bytes: Range<usize>,
    /// The record's name.
    pub name: RecordName,
    /// Range of the whole record in the batch, from its header to the start of the next one, including quality. If the
    /// record was cut, the range of the part in this batch. In text, the range of the line.
    pub record: Range<usize>,
    /// Whether an earlier batch owned a part of the line or record.
    pub continues: bool,
    /// Whether the line or record continues in the next batch.
    pub open: bool,
    /// The least distance of the hits in this batch.
    pub min_distance: usize,
    /// Number of hits in this batch.
    pub hits: u64,
    /// Index range of the item's matches in [`Findings::spans`].
    pub spans: Range<usize>,
    /// Byte range of the item's rows in [`Findings::rows`].
    pub rows: Range<usize>,
    /// Index range of the item's hits in [`Findings::found`].
    pub found: Range<usize>,
    /// Index range of the item's counts in [`Findings::distances`], one per distance, in any order.
    pub distances: Range<usize>,
    /// Index range of the item's hits in the list of [`Findings::cells`], if the cells keep the order of hits.
    pub cells: Range<usize>,
}

impl MatchedItem {
    /// Makes an item without hits, which neither continues from an earlier batch nor in the next one. Its least distance
    /// is `usize::MAX`.
    pub fn new(bytes: Range<usize>, record: Range<usize>, name: RecordName) -> Self {
        MatchedItem {
            bytes,
            name,
            record,
            continues: false,
            open: false,
            min_distance: usize::MAX,
            hits: 0,
            spans: 0..0,
            rows: 0..0,
            found: 0..0,
            distances: 0..0,
            cells: 0..0,
        }
    }
}

/// The number of hits with one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistanceCount {
    /// The distance.
    pub distance: usize,
    /// Number of hits.
    pub hits: u64,
}

/// A match to show in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSpan {
    /// Range of the match in the batch, in bytes. Empty if the match is `carried`.
    pub bytes: Range<usize>,
    /// The text of the match, if it was found in an earlier batch, in the line that continues in this one.
    pub carried: Option<Box<CarriedText>>,
    /// The distance of the match.
    pub distance: usize,
    /// Index of the pattern in its set.
    pub pattern: usize,
    /// The alignment, if needed. Boxed, since few reports need it.
    pub cigar: Option<Box<Cigar>>,
    /// The groups, if needed and if the pattern was read with groups. Boxed, since few reports need them.
    pub groups: Option<Box<GroupRanges>>,
}

/// The text of a match in an earlier batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedText {
    /// Offset of the match in the input.
    pub offset: u64,
    /// The bytes of the match.
    pub text: Box<[u8]>,
}

impl MatchSpan {
    /// Returns the range of the match in the input. `offset` is the offset in the input of the batch's first byte.
    pub fn in_input(&self, offset: u64) -> Range<u64> {
        match &self.carried {
            Some(carried) => carried.offset..carried.offset + carried.text.len() as u64,
            None => offset + self.bytes.start as u64..offset + self.bytes.end as u64,
        }
    }
}
