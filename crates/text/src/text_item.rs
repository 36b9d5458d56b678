//! The lines and records of a batch.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use crate::alphabet::is_residue;
use crate::batch::{Batch, Layout, Lines};

/// A line or record, or its part in a batch.
#[derive(Debug, Clone, Default)]
pub struct TextItem {
    pub bytes: Range<usize>,
    /// Number of residues of the record before `bytes`; 0 for lines.
    pub position: u64,
    /// Whether the line or record starts at the start of `bytes`.
    pub opens: bool,
    /// Whether the line or record ends at the end of `bytes`.
    pub closes: bool,
}

/// Iterates over the lines or segments of a batch.
pub fn text_items<'b>(batch: &'b Batch<'b>) -> impl Iterator<Item = TextItem> + 'b {
    let segments = batch.segments().iter().map(|segment| TextItem {
        bytes: segment.bytes.clone(),
        position: segment.position,
        opens: segment.opens,
        closes: segment.closes,
    });
    batch.lines().into_iter().flat_map(|lines| lines_of(batch.bytes(), lines)).chain(segments)
}

/// Iterates over the lines of `bytes`, without their terminators. A part without a terminator is the last one, which
/// may be empty.
fn lines_of<'a>(bytes: &'a [u8], lines: &'a Lines) -> impl Iterator<Item = TextItem> + 'a {
    let length = bytes.len();
    let mut start = 0;
    memchr_iter(lines.terminator, bytes).chain([length]).map(move |stop| {
        let line = TextItem {
            bytes: start..stop,
            position: 0,
            opens: start > 0 || lines.opens,
            closes: stop < length || lines.closes,
        };
        start = stop + 1;
        line
    })
}

/// Returns the end of the line or segment with the symbol before the offset `end`.
pub fn end_of_item(batch: &Batch, end: usize) -> usize {
    match batch.layout() {
        Layout::Lines(lines) => {
            memchr(lines.terminator, &batch.bytes()[end..]).map_or(batch.bytes().len(), |at| end + at)
        }
        Layout::Records(segments) => segments[batch.segment_before(end)].bytes.end,
    }
}

/// Returns the offset just past the residue with the number `count`, counted from the offset `from`, or the length of
/// `bytes` if there are fewer.
pub fn end_of_residue(bytes: &[u8], from: usize, count: usize) -> usize {
    let mut residues = (from..bytes.len()).filter(|&at| is_residue(bytes[at]));
    residues.nth(count - 1).map_or(bytes.len(), |at| at + 1)
}

/// Returns the offset of the residue with the number `count`, counted backwards from the end of `range`, or the start
/// of `range` if there are fewer.
pub fn start_of_residue(bytes: &[u8], range: Range<usize>, count: usize) -> usize {
    let mut residues = range.clone().rev().filter(|&at| is_residue(bytes[at]));
    residues.nth(count - 1).unwrap_or(range.start)
}
