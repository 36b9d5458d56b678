//! Positions in a record or text, which continue from batch to batch.

use std::ops::Range;

use nigh_text::alphabet::{count_residues, is_residue};
use nigh_text::batch::{Batch, Layout, Segment};

/// Counts residues incrementally, so that all positions of a batch cost one pass over it.
#[derive(Default)]
pub(super) struct Positions {
    /// Index of the segment in which the last call ended.
    segment: usize,
    /// Offset in the batch up to which residues have been counted.
    at: usize,
    /// Number of residues of the record before `at`.
    position: u64,
}

impl Positions {
    /// Returns the position just past the symbol that ends at `end`, in residues of its record or bytes of the text.
    /// Calls with ascending ends take one pass over the batch.
    pub(super) fn after(&mut self, batch: &Batch, end: usize) -> u64 {
        self.after_in(batch.bytes(), batch, end)
    }

    /// Returns the columns of a match in a record with gaps, which the batch holds whole. `range` is the range of the match in
    /// the batch. Only columns may be asked for. Calls with ascending ends take one pass over the batch.
    pub(super) fn columns(&mut self, batch: &Batch, range: &Range<usize>) -> Range<u64> {
        let end = self.after_in(batch.shown(), batch, range.end);
        let first = batch.bytes()[range.clone()].iter().position(|&byte| is_residue(byte)).unwrap_or(0);
        let width = count_residues(&batch.shown()[range.start + first..range.end]) as u64;
        end - width..end
    }

    /// Returns the position just past the symbol that ends at `end`, where `bytes` are those of the batch to count.
    fn after_in(&mut self, bytes: &[u8], batch: &Batch, end: usize) -> u64 {
        let segments = match batch.layout() {
            Layout::Lines(lines) => return lines.offset + end as u64,
            Layout::Records(segments) => segments,
        };
        let same = |segment: &Segment| segment.bytes.start < end && end <= segment.bytes.end;
        if self.at == 0 || end < self.at || !same(&segments[self.segment]) {
            let index = batch.segment_before(end);
            let segment = &segments[index];
            *self = Positions { segment: index, at: segment.bytes.start, position: segment.position };
        }
        self.position += count_residues(&bytes[self.at..end]) as u64;
        self.at = end;
        self.position
    }
}

/// Returns the position of the start of the owned range: in residues of the record that continues from the previous
/// batch, or in bytes of the text.
pub(super) fn start_of_owned(batch: &Batch) -> u64 {
    let start = batch.owned().start;
    match batch.layout() {
        Layout::Lines(lines) => lines.offset + start as u64,
        Layout::Records(segments) => segments.first().map_or(0, |segment| {
            let end = start.clamp(segment.bytes.start, segment.bytes.end);
            segment.position + count_residues(&batch.bytes()[segment.bytes.start..end]) as u64
        }),
    }
}

/// Returns the position of the end of the owned range: in residues of the record that is open there, or in bytes of the
/// text.
pub(super) fn end_of_owned(batch: &Batch) -> u64 {
    let end = batch.owned().end;
    match batch.layout() {
        Layout::Lines(lines) => lines.offset + end as u64,
        Layout::Records(segments) => segments.last().map_or(0, |segment| {
            let start = segment.bytes.start.min(end);
            segment.position + count_residues(&batch.bytes()[start..end]) as u64
        }),
    }
}
