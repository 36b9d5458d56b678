//! The text of a batch on its way to the device: in pinned memory, records one behind the other.

use super::device::{Pinned, Queue};
use crate::engine::DeviceError;
use crate::input::{Batch, Layout};

/// What stands before each record: a byte that is a residue, so that it becomes a symbol, and that no pattern matches.
pub(super) const BETWEEN: u8 = 0xff;

/// Text in pinned memory, and where it comes from.
pub(super) struct Staged {
    text: Pinned<u8>,
    length: usize,
    /// Where the byte before each record stands, and where in the batch the record begins; nothing if it is text.
    records: Vec<(u32, u32)>,
}

impl Staged {
    pub(super) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        Ok(Staged { text: queue.pinned(0)?, length: 0, records: Vec::new() })
    }

    /// How many bytes it takes to stage a batch.
    pub(super) fn room_for(batch: &Batch) -> usize {
        match batch.layout() {
            Layout::Lines(_) => batch.bytes().len(),
            Layout::Records(segments) => segments.iter().map(|segment| segment.bytes.len() + 1).sum(),
        }
    }

    /// Copies the text of a batch.
    pub(super) fn fill(&mut self, queue: &Queue, batch: &Batch) -> Result<(), DeviceError> {
        self.length = Staged::room_for(batch);
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
                    text[at] = BETWEEN;
                    let end = at + 1 + segment.bytes.len();
                    text[at + 1..end].copy_from_slice(&bytes[segment.bytes.clone()]);
                    at = end;
                }
            }
        }
        Ok(())
    }

    /// The text.
    pub(super) fn text(&self) -> &Pinned<u8> {
        &self.text
    }

    /// How many bytes it has.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Where in the batch the symbol ends that ends here; nothing if it is what stands before a record.
    pub(super) fn end_in_batch(&self, end: usize) -> Option<usize> {
        if self.records.is_empty() {
            return Some(end);
        }
        let after = self.records.partition_point(|&(before, _)| (before as usize) < end);
        let (before, start) = self.records[after - 1];
        let within = end - 1 - before as usize;
        (within > 0).then_some(start as usize + within)
    }
}
