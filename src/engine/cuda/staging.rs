//! The staging buffer: copies the text of a batch to pinned memory, one record after the other.

use super::driver::{Pinned, Queue};
use crate::engine::DeviceError;
use crate::input::{Batch, Layout};

/// The byte before each record. It is kept like a residue, so it gets a symbol, but no pattern matches it.
pub(super) const SEPARATOR: u8 = 0xff;

/// The text of a batch in pinned memory, and the positions of its records in the batch.
pub(super) struct Staged {
    text: Pinned<u8>,
    /// Length of the staged text in bytes; `text` may be longer.
    length: usize,
    /// For each record, the offset of its separator in the staged text and the offset of its residues in the batch.
    /// Empty for lines of text.
    records: Vec<(u32, u32)>,
}

impl Staged {
    pub(super) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        Ok(Staged { text: queue.pinned(0)?, length: 0, records: Vec::new() })
    }

    /// Returns the length of a batch's staged text, in bytes.
    pub(super) fn bytes_for(batch: &Batch) -> usize {
        match batch.layout() {
            Layout::Lines(_) => batch.bytes().len(),
            Layout::Records(segments) => segments.iter().map(|segment| segment.bytes.len() + 1).sum(),
        }
    }

    /// Copies the text of a batch into the buffer.
    pub(super) fn fill(&mut self, queue: &Queue, batch: &Batch) -> Result<(), DeviceError> {
        self.length = Staged::bytes_for(batch);
        if self.text.length() < self.length {
            self.text = queue.pinned(self.length + self.length / 8)?;
        }
        self.records.clear();
        let text = &mut self.text.wait()?[..self.length];
        let bytes = batch.bytes();
        match batch.layout() {
            Layout::Lines(_) => text.copy_from_slice(bytes),
            Layout::Records(segments) => {
                let mut at = 0;
                for segment in segments {
                    self.records.push((at as u32, segment.bytes.start as u32));
                    text[at] = SEPARATOR;
                    let end = at + 1 + segment.bytes.len();
                    text[at + 1..end].copy_from_slice(&bytes[segment.bytes.clone()]);
                    at = end;
                }
            }
        }
        Ok(())
    }

    /// Returns the buffer with the staged text.
    pub(super) fn text(&self) -> &Pinned<u8> {
        &self.text
    }

    /// Returns the length of the staged text, in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Returns a converter of offsets in the staged text.
    pub(super) fn ends(&self) -> StagedEnds<'_> {
        StagedEnds { records: &self.records, at: 0 }
    }
}

/// Converts the ends of symbols from offsets in the staged text to offsets in the batch, in ascending order.
pub(super) struct StagedEnds<'a> {
    records: &'a [(u32, u32)],
    /// Index of the record of the last end.
    at: usize,
}

impl StagedEnds<'_> {
    /// Returns the offset in the batch for the offset `end` in the staged text, which must not be less than at the last
    /// call. Returns `None` for the end of a separator.
    pub(super) fn in_batch(&mut self, end: usize) -> Option<usize> {
        if self.records.is_empty() {
            return Some(end);
        }
        let after = self.records[self.at..].iter().skip(1);
        self.at += after.take_while(|&&(before, _)| (before as usize) < end).count();
        let (before, start) = self.records[self.at];
        let within = end - 1 - before as usize;
        (within > 0).then_some(start as usize + within)
    }
}
