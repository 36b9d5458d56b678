//! The lines and records of a batch, and the selection of lines and records that a pattern without symbols matches.

use std::ops::Range;

use memchr::{memchr, memrchr};

use nigh_pattern::{PatternSet, SymbolGap};
use nigh_report::{Findings, MatchedItem};
use nigh_text::alphabet::count_residues;
use nigh_text::batch::{Batch, Layout, LineRecords, Lines, RecordName, Segment};

/// Returns the range of the line of the hit that ends at `end`, without its line end.
pub(crate) fn line_around(batch: &Batch, lines: &Lines, end: usize) -> Range<usize> {
    let bytes = batch.bytes();
    let start = memrchr(lines.terminator, &bytes[..end]).map_or(0, |line_end| line_end + 1);
    let stop = memchr(lines.terminator, &bytes[end..]).map_or(bytes.len(), |length| end + length);
    start..stop
}

/// Returns the line of the hit that ends at `end`, or the record of this line if lines form records.
pub(crate) fn item_around(batch: &Batch, lines: &Lines, end: usize) -> MatchedItem {
    match &batch.records {
        None => item_of_line(batch, lines, line_around(batch, lines, end)),
        Some(records) => item_of_record(batch, lines, records, line_around(batch, lines, end).start),
    }
}

/// Returns the record of the line that starts at `at`.
fn item_of_record(batch: &Batch, lines: &Lines, records: &LineRecords, at: usize) -> MatchedItem {
    let shown = batch.shown();
    let record = batch.record_around(at);
    let has_end = shown[record.clone()].last() == Some(&lines.terminator);
    let bytes = record.start..record.end - usize::from(has_end);
    MatchedItem {
        continues: record.start == 0 && records.continues,
        open: record.end == shown.len() && records.open,
        ..MatchedItem::new(bytes, record, RecordName::NONE)
    }
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
        Layout::Lines(_) => {
            let next = move |&start: &usize| batch.next_line(start).filter(|&next| next < until);
            Box::new(std::iter::successors(Some(from), next).skip(1))
        }
        Layout::Records(segments) => {
            let first = segments.partition_point(|segment| segment.record.start <= from);
            let starts = segments[first..].iter().map(|segment| segment.record.start);
            Box::new(starts.take_while(move |&start| start < until))
        }
    }
}

/// Adds to `findings` the lines or records in `range` that a pattern without symbols matches. Such a match has distance
/// 0.
pub(crate) fn select_empty(patterns: &PatternSet, batch: &Batch, range: Range<usize>, findings: &mut Findings) {
    let only_empty_lines = batch.lines().is_some() && patterns.empty_matches_need_empty_text();
    let mut found = std::mem::take(&mut findings.items).into_iter().peekable();
    let mut select = |bytes: &Range<usize>, item: &dyn Fn() -> MatchedItem, is_selected: &dyn Fn() -> bool| {
        let with_hits = found.next_if(|with_hits| with_hits.bytes == *bytes);
        if is_selected() {
            findings.items.push(MatchedItem { min_distance: 0, ..with_hits.unwrap_or_else(item) });
        } else {
            findings.items.extend(with_hits);
        }
    };
    match (batch.layout(), &batch.records) {
        (Layout::Lines(lines), records) => {
            let line = |bytes: &Range<usize>| item_of_line(batch, lines, bytes.clone());
            let is_selected = |bytes: &Range<usize>| {
                (bytes.is_empty() || !only_empty_lines) && matches_empty(patterns, batch, &line(bytes))
            };
            match records {
                None => {
                    batch.lines_in(range).for_each(|bytes| select(&bytes, &|| line(&bytes), &|| is_selected(&bytes)))
                }
                Some(records) => {
                    let mut start = range.start;
                    while start < range.end {
                        let item = item_of_record(batch, lines, records, start);
                        let is_selected = || batch.lines_in(item.record.clone()).any(|line| is_selected(&line));
                        select(&item.bytes, &|| item.clone(), &is_selected);
                        start = item.record.end;
                    }
                }
            }
        }
        (Layout::Records(segments), _) => {
            let inside =
                |index: &usize| range.contains(&segments[*index].record.start) || range.end == batch.bytes().len();
            let first = segments.partition_point(|segment| segment.record.start < range.start);
            for index in (first..segments.len()).take_while(inside) {
                let item = || item_of_segment(batch, index);
                select(&segments[index].bytes, &item, &|| matches_empty(patterns, batch, &item()));
            }
        }
    }
}

/// Returns whether both edges of a pattern without symbols hold at some place in a line or record.
fn matches_empty(patterns: &PatternSet, batch: &Batch, item: &MatchedItem) -> bool {
    if patterns.matches_everywhere() {
        return true;
    }
    // The symbol beyond a cut is in another batch, and the place at the cut is tested in that batch.
    let starts_before = starts_before(batch, item);
    let is_cut = |gap: &SymbolGap| (gap.before.is_none() && starts_before) || (gap.after.is_none() && item.open);
    patterns.empty_matches(&batch.bytes()[item.bytes.clone()]).any(|gap| !is_cut(&gap))
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
