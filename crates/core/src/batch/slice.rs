//! Makes a batch of a part of a batch, so that a batch can be reported in parts.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Batch, Layout, Lines, Segment};

impl Batch {
    /// Copies the whole lines or records in `range`, which starts and ends at a line or record boundary or with the
    /// batch.
    pub fn copy_of(&self, range: Range<usize>) -> Batch {
        let buffer = self.bytes()[range.clone()].to_vec();
        let held = 0..buffer.len();
        let layout = self.layout_of(&range);
        let mut part = Batch::new(buffer, held, self.owned_in(&range), layout);
        part.shown = self.shown.as_ref().map(|shown| shown[range].to_vec());
        part.delimiter.clone_from(&self.delimiter);
        part
    }

    /// Drops the lines or records before `start`, which must be a line or record start.
    pub fn starting_at(mut self, start: usize) -> Batch {
        if start == 0 {
            return self;
        }
        let range = start..self.bytes().len();
        (self.layout, self.owned) = (self.layout_of(&range), self.owned_in(&range));
        self.held.start += start;
        self.residues = OnceLock::new();
        if let Some(shown) = &mut self.shown {
            shown.drain(..start);
        }
        self
    }

    fn owned_in(&self, range: &Range<usize>) -> Range<usize> {
        let inside = |at: usize| at.clamp(range.start, range.end) - range.start;
        inside(self.owned.start)..inside(self.owned.end)
    }

    fn layout_of(&self, range: &Range<usize>) -> Layout {
        match &self.layout {
            Layout::Lines(lines) => {
                let mut part = Lines { closes: lines.closes || range.end < self.bytes().len(), ..*lines };
                part.opens |= range.start > 0;
                part.pass(range.start);
                Layout::Lines(part)
            }
            Layout::Records(segments) => {
                let inside =
                    segments.iter().filter(|one| range.start <= one.record.start && one.record.end <= range.end);
                Layout::Records(inside.map(|segment| shifted(segment, range.start)).collect())
            }
        }
    }
}

fn shifted(segment: &Segment, by: usize) -> Segment {
    let shift = |range: &Range<usize>| range.start.saturating_sub(by)..range.end.saturating_sub(by);
    Segment {
        name: shift(&segment.name),
        bytes: shift(&segment.bytes),
        record: shift(&segment.record),
        ..segment.clone()
    }
}
