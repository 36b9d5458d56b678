//! Records of several lines in a batch of text, such as a message of a log with its stack trace.

use std::ops::Range;

use memchr::memchr;

use super::Batch;

/// Finds the lines with which records begin.
pub trait RecordStarts: Send + Sync {
    /// Returns the offsets in a batch of whole lines at which such lines start, in order.
    fn of(&self, lines: &Batch<'_>) -> Vec<usize>;
}

/// The division of the lines of a batch into records. Such a batch holds whole lines. A record starts with its first line,
/// unless the line belongs to a record of the batch before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRecords {
    /// Offsets in the batch at which records start, in order.
    pub starts: Vec<usize>,
    /// Whether the first line belongs to a record that starts in an earlier batch.
    pub continues: bool,
    /// Whether the last record continues in the next batch.
    pub open: bool,
    /// Whether the batch is a preview: the only record may grow, and the next batch has all of it.
    pub is_preview: bool,
}

impl LineRecords {
    /// Returns the number of records that have a line in the batch.
    pub fn count(&self) -> usize {
        self.starts.len() + usize::from(self.continues)
    }

    /// Returns the range of the record with the offset `at`, in a batch of `length` bytes.
    pub fn around(&self, at: usize, length: usize) -> Range<usize> {
        let next = self.starts.partition_point(|&start| start <= at);
        let start = if next == 0 { 0 } else { self.starts[next - 1] };
        start..self.starts.get(next).copied().unwrap_or(length)
    }

    /// Returns the start of the last record before the offset `end`, but at least `floor`.
    pub fn last_before(&self, end: usize, floor: usize) -> usize {
        let next = self.starts.partition_point(|&start| start < end);
        if next == 0 { floor } else { self.starts[next - 1].max(floor) }
    }

    /// Returns the records of a range of lines in a batch of `length` bytes.
    pub(super) fn in_range(&self, range: &Range<usize>, length: usize) -> Self {
        let is_start = |at: usize| self.starts.binary_search(&at).is_ok();
        let inside = self.starts.iter().filter(|&start| range.contains(start));
        LineRecords {
            starts: inside.map(|start| start - range.start).collect(),
            continues: if range.start == 0 { self.continues } else { !is_start(range.start) },
            open: if range.end == length { self.open } else { !is_start(range.end) },
            is_preview: self.is_preview,
        }
    }
}

impl Batch<'_> {
    /// Iterates over the lines of text in a range that starts with a line, without their line ends.
    pub fn lines_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let start = Some(next).filter(|&next| next < range.end)?;
            let (terminator, rest) = (self.terminator()?, &self.bytes()[start..]);
            next = self.next_line(start).unwrap_or(range.end);
            Some(start..start + memchr(terminator, rest).unwrap_or(rest.len()))
        })
    }

    /// Returns the start of the line after the one that starts at `start`; `None` if that one does not end.
    pub fn next_line(&self, start: usize) -> Option<usize> {
        // A searched line may end before the line that is shown, with its carriage return.
        memchr(self.terminator()?, &self.shown()[start..]).map(|length| start + length + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_divided_with_their_lines() {
        let batch = LineRecords { starts: vec![4, 10], continues: true, open: true, is_preview: false };
        assert_eq!(batch.count(), 3);
        assert_eq!([0, 3, 4, 9, 10, 15].map(|at| batch.around(at, 20).start), [0, 0, 4, 4, 10, 10]);
        assert_eq!(batch.around(12, 20), 10..20);
        let inner = LineRecords { starts: vec![0], continues: false, open: false, is_preview: false };
        assert_eq!(batch.in_range(&(4..10), 20), inner);
        let cut = LineRecords { starts: vec![4], continues: true, open: true, is_preview: false };
        assert_eq!(batch.in_range(&(6..12), 20), cut);
        assert_eq!([4, 5, 20].map(|end| batch.last_before(end, 0)), [0, 4, 10]);
    }
}
