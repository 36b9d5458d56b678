//! A batch that is made of parts of another batch.

use std::ops::Range;

use nigh_text::batch::{Batch, Layout, Lines, RecordName, Segment};
use nigh_text::hit::Hit;
use nigh_text::text_item::TextItem;

/// A batch made of parts of another batch, which is called the whole batch.
pub struct PartialBatch {
    pub batch: Batch<'static>,
    /// The offsets at which each part starts in `batch` and in the whole batch, ascending.
    parts: Vec<(usize, usize)>,
}

impl PartialBatch {
    /// Makes a partial batch from its text, and the offsets at which its parts start in `batch` and in the whole batch,
    /// ascending.
    pub(super) fn new(batch: Batch<'static>, parts: Vec<(usize, usize)>) -> Self {
        PartialBatch { batch, parts }
    }

    /// Copies the lines in some ranges of a batch of whole lines. The ranges are ordered and exclude the terminators.
    pub fn of_lines<'a>(whole: &Batch, ranges: impl Iterator<Item = &'a Range<usize>>) -> Self {
        let terminator = whole.terminator().expect("the batch has lines");
        let (mut bytes, mut parts) = (Vec::new(), Vec::new());
        for range in ranges {
            parts.push((bytes.len(), range.start));
            bytes.extend_from_slice(&whole.bytes()[range.clone()]);
            bytes.push(terminator);
        }
        PartialBatch::new(Batch::of_lines(bytes, terminator), parts)
    }

    /// Copies parts of the lines or records of `whole` to `buffer`, each as a line or record of its own. Leaves out
    /// parts that have no byte in the owned range. `items` are not empty, ascend and do not overlap. Returns `None` if
    /// the parts have more than `max_bytes` bytes in total.
    pub fn of_items(
        whole: &Batch,
        items: impl Iterator<Item = TextItem>,
        mut buffer: Vec<u8>,
        max_bytes: usize,
    ) -> Option<Self> {
        buffer.clear();
        let separator = whole.terminator().unwrap_or(b'\n');
        let (mut parts, mut segments) = (Vec::new(), Vec::new());
        let of_whole = whole.owned();
        let mut owned = 0..0;
        let is_owned = |item: &TextItem| item.bytes.start < of_whole.end && item.bytes.end > of_whole.start;
        for item in items.filter(is_owned) {
            let start = buffer.len();
            if parts.is_empty() {
                owned.start = of_whole.start.saturating_sub(item.bytes.start);
            }
            owned.end = start + of_whole.end.min(item.bytes.end) - item.bytes.start;
            parts.push((start, item.bytes.start));
            buffer.extend_from_slice(&whole.bytes()[item.bytes]);
            if buffer.len() > max_bytes {
                return None;
            }
            if whole.lines().is_none() {
                let bytes = start..buffer.len();
                let (position, opens, closes) = (item.position, item.opens, item.closes);
                segments.push(Segment {
                    name: RecordName::NONE,
                    record: bytes.clone(),
                    bytes,
                    position,
                    continues: false,
                    opens,
                    closes,
                });
            }
            buffer.push(separator);
        }
        let layout = match whole.lines() {
            Some(_) => Layout::Lines(Lines::whole(separator)),
            None => Layout::Records(segments),
        };
        let held = 0..buffer.len();
        Some(PartialBatch { batch: Batch::new(buffer, held, owned, layout), parts })
    }

    /// Returns the index of the part that contains a hit ending at the offset `end` of this batch.
    pub(super) fn part_of(&self, end: usize) -> usize {
        self.parts.partition_point(|&(start, _)| start < end) - 1
    }

    /// Returns `hit` with its offsets in the whole batch.
    pub fn moved(&self, hit: Hit) -> Hit {
        let (start, whole) = self.parts[self.part_of(hit.end)];
        let moved = |at: usize| at - start + whole;
        Hit { end: moved(hit.end), start: hit.start.map(moved), ..hit }
    }
}
