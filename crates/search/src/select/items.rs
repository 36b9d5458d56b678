//! The lines and records of a batch, and the selection of lines and records that a pattern without symbols matches.

use std::ops::Range;

use memchr::{memchr, memrchr};

use nigh_core::alphabet::count_residues;
use nigh_core::batch::{Batch, Layout, Lines, RecordName, Segment};
use nigh_core::pattern::{Edge, PatternSet};
use nigh_core::text::symbols;
use nigh_report::{Findings, MatchedItem};

/// Returns the line of the hit that ends at `end`.
pub(crate) fn line_around(batch: &Batch, lines: &Lines, end: usize) -> MatchedItem {
    let bytes = batch.bytes();
    let start = memrchr(lines.terminator, &bytes[..end]).map_or(0, |line_end| line_end + 1);
    let stop = memchr(lines.terminator, &bytes[end..]).map_or(bytes.len(), |length| end + length);
    item_of_line(batch, lines, start..stop)
}

fn item_of_line(batch: &Batch, lines: &Lines, bytes: Range<usize>) -> MatchedItem {
    MatchedItem {
        // Context precedes the owned range only if the line was cut.
        continues: bytes.start == 0 && batch.owned().start > 0,
        open: bytes.end == batch.bytes().len() && !lines.closes,
        ..MatchedItem::new(bytes.clone(), bytes, RecordName::NONE)
    }
}

/// Returns the record of the segment at `index`, or the part of the record in the batch.
pub(crate) fn item_of_segment(batch: &Batch, index: usize) -> MatchedItem {
    let segment = &batch.segments()[index];
    MatchedItem {
        continues: segment.continues,
        open: !segment.closes,
        ..MatchedItem::new(segment.bytes.clone(), segment.record.clone(), segment.name.clone())
    }
}

/// Iterates over the offsets after `from` and before `until` at which lines or records start. In text, a line must
/// start at `from`.
pub(crate) fn item_starts<'b>(batch: &'b Batch<'b>, from: usize, until: usize) -> Box<dyn Iterator<Item = usize> + 'b> {
    match batch.layout() {
        Layout::Lines(lines) => {
            let next = move |&start: &usize| end_of_line(batch, lines, start).filter(|&next| next < until);
            Box::new(std::iter::successors(Some(from), next).skip(1))
        }
        Layout::Records(segments) => {
            let first = segments.partition_point(|segment| segment.record.start <= from);
            let starts = segments[first..].iter().map(|segment| segment.record.start);
            Box::new(starts.take_while(move |&start| start < until))
        }
    }
}

/// Returns the start of the next line; `None` if the line at `start` does not end.
fn end_of_line(batch: &Batch, lines: &Lines, start: usize) -> Option<usize> {
    memchr(lines.terminator, &batch.shown()[start..]).map(|length| start + length + 1)
}

/// Adds to `findings` the lines or records in `range` that a pattern without symbols matches. Such a match has distance
/// 0.
pub(crate) fn select_empty(patterns: &PatternSet, batch: &Batch, range: Range<usize>, findings: &mut Findings) {
    let is_of_empty_line = |&(start, end): &(Edge, Edge)| start.needs_record_end() && end.needs_record_end();
    // Set if all these patterns are like `^$`, which matches only lines without a symbol.
    let only_empty_lines = batch.lines().is_some() && patterns.empty().iter().all(is_of_empty_line);
    let mut found = std::mem::take(&mut findings.items).into_iter().peekable();
    let mut select = |bytes: &Range<usize>, item: &dyn Fn() -> MatchedItem| {
        let with_hits = found.next_if(|with_hits| with_hits.bytes == *bytes);
        if only_empty_lines && !bytes.is_empty() {
            findings.items.extend(with_hits);
            return;
        }
        let item = item();
        if matches_empty(patterns, batch, &item) {
            findings.items.push(MatchedItem { min_distance: 0, ..with_hits.unwrap_or(item) });
        } else {
            findings.items.extend(with_hits);
        }
    };
    match batch.layout() {
        Layout::Lines(lines) => {
            let mut start = range.start;
            while start < range.end {
                let rest = &batch.bytes()[start..];
                let bytes = start..start + memchr(lines.terminator, rest).unwrap_or(rest.len());
                select(&bytes, &|| item_of_line(batch, lines, bytes.clone()));
                start = end_of_line(batch, lines, start).unwrap_or(range.end);
            }
        }
        Layout::Records(segments) => {
            let inside =
                |index: &usize| range.contains(&segments[*index].record.start) || range.end == batch.bytes().len();
            let first = segments.partition_point(|segment| segment.record.start < range.start);
            for index in (first..segments.len()).take_while(inside) {
                select(&segments[index].bytes, &|| item_of_segment(batch, index));
            }
        }
    }
}

/// Returns whether both edges of a pattern without symbols hold at some position of a line or record.
fn matches_empty(patterns: &PatternSet, batch: &Batch, item: &MatchedItem) -> bool {
    if patterns.empty().contains(&(Edge::FREE, Edge::FREE)) {
        return true;
    }
    let text = &batch.bytes()[item.bytes.clone()];
    let mut before = None;
    let mut after = symbols(patterns.alphabet(), text).map(|placed| placed.symbol);
    loop {
        let next = after.next();
        // The symbol beyond a cut is in another batch, and the position at the cut is tested in that batch.
        let at_cut = (before.is_none() && starts_before(batch, item)) || (next.is_none() && item.open);
        let mut edges = patterns.empty().iter();
        if !at_cut && edges.any(|(start, end)| start.holds(before, next) && end.holds(next, before)) {
            return true;
        }
        if next.is_none() {
            return false;
        }
        before = next;
    }
}

/// Returns whether a line or record has symbols before the batch. A record has no symbols there if the previous batch
/// held only its header.
fn starts_before(batch: &Batch, item: &MatchedItem) -> bool {
    let opens = match batch.layout() {
        Layout::Lines(lines) => lines.opens,
        // Only the first record can continue from the previous batch.
        Layout::Records(segments) => segments[0].opens,
    };
    item.continues && !opens
}

/// Returns, for each segment, the number of residues of its record up to the end of the owned range.
pub(super) fn record_lengths(batch: &Batch) -> Vec<u64> {
    let until = |segment: &Segment| if segment.closes { segment.bytes.end } else { batch.owned().end };
    let residues = |segment: &Segment| {
        let end = until(segment).clamp(segment.bytes.start, segment.bytes.end);
        count_residues(&batch.bytes()[segment.bytes.start..end]) as u64
    };
    batch.segments().iter().map(|segment| segment.position + residues(segment)).collect()
}
