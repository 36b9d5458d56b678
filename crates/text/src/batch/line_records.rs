//! Records of several lines in a batch of text, such as a message of a log with its stack trace.
//!
//! The lines with which records begin are searched for where they are asked for: in chunks of a few kilobytes, each of
//! them once. So a count of records looks only at the lines around matches.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::memchr;

use super::Batch;

/// Number of bytes of a chunk. A chunk has the lines that start in it. With smaller chunks, less text is searched around
/// a rare match; with larger ones, a search of all lines takes fewer calls of the engine.
const CHUNK: usize = 16 << 10;

/// Finds the lines with which records begin. Displayed as the rule of these lines, such as an expression.
pub trait RecordStarts: fmt::Display + Send + Sync {
    /// Returns the offsets in a batch of whole lines at which such lines start, in order.
    fn of(&self, lines: &Batch<'_>) -> Vec<usize>;
}

/// The division of the lines of a batch into records. Such a batch holds whole lines. A record starts with its first
/// line. The first line of the batch starts a record unless it belongs to a record of the batch before.
#[derive(Clone)]
pub struct LineRecords {
    starts: Arc<dyn RecordStarts>,
    /// Whether the first line belongs to a record that starts in an earlier batch.
    pub continues: bool,
    /// Whether the last record continues in the next batch.
    pub open: bool,
    /// Offsets in the batch, except 0, at which records start: those of each chunk that was searched.
    chunks: Box<[OnceLock<Box<[usize]>>]>,
}

impl LineRecords {
    /// Makes the division of a batch of `length` bytes into records that begin with the lines that `starts` finds.
    pub fn new(starts: Arc<dyn RecordStarts>, length: usize) -> Self {
        let chunks = (0..length.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect();
        LineRecords { starts, continues: false, open: false, chunks }
    }
}

impl fmt::Debug for LineRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineRecords")
            .field("continues", &self.continues)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

/// Records of lines. Methods panic if the lines of the batch form no records.
impl Batch<'_> {
    /// Returns the range of the record with the offset `at`.
    pub fn record_around(&self, at: usize) -> Range<usize> {
        let end = self.record_start_after(at).unwrap_or(self.bytes().len());
        self.last_record_before(at + 1, 0)..end
    }

    /// Returns the start of the last record that starts before the offset `end`, but at least `floor`.
    pub fn last_record_before(&self, end: usize, floor: usize) -> usize {
        let chunks = floor / CHUNK..self.records().chunks.len().min(end.div_ceil(CHUNK));
        let last = chunks.rev().find_map(|chunk| {
            let starts = self.record_starts_in(chunk);
            starts[..starts.partition_point(|&start| start < end)].last().copied()
        });
        last.unwrap_or(0).max(floor)
    }

    /// Returns the start of the first record that starts after the offset `at`; `None` if there is none in the batch.
    pub fn record_start_after(&self, at: usize) -> Option<usize> {
        (at / CHUNK..self.records().chunks.len()).find_map(|chunk| {
            let starts = self.record_starts_in(chunk);
            starts.get(starts.partition_point(|&start| start <= at)).copied()
        })
    }

    /// Returns the number of records that have a line in a range that starts with a line.
    pub fn count_records(&self, range: Range<usize>) -> usize {
        if range.is_empty() {
            return 0;
        }
        let chunks = range.start / CHUNK..range.end.div_ceil(CHUNK).min(self.records().chunks.len());
        let inside = |start: &&usize| range.start < **start && **start < range.end;
        1 + chunks.map(|chunk| self.record_starts_in(chunk).iter().filter(inside).count()).sum::<usize>()
    }

    /// Returns whether the line that starts at the offset `at` starts a record, if lines form records.
    pub fn starts_item(&self, at: usize) -> bool {
        match &self.records {
            None => true,
            Some(records) if at == 0 => !records.continues,
            Some(_) => self.record_starts_in(at / CHUNK).binary_search(&at).is_ok(),
        }
    }

    /// Returns whether the first line or record of the batch continues from the batch before.
    pub fn continues_item(&self) -> bool {
        match &self.records {
            Some(records) => records.continues,
            None => self.owned().start > 0,
        }
    }

    fn records(&self) -> &LineRecords {
        self.records.as_deref().expect("the lines form records")
    }

    /// Returns the starts of records in a chunk, except 0.
    fn record_starts_in(&self, chunk: usize) -> &[usize] {
        let records = self.records();
        records.chunks[chunk].get_or_init(|| {
            let Some(lines) = self.lines_of_chunk(chunk) else { return Box::default() };
            let found = records.starts.of(&self.whole_lines(lines.clone())).into_iter();
            found.map(|start| lines.start + start).filter(|&start| start > 0).collect()
        })
    }

    /// Returns the range of the lines that start in a chunk; `None` if there is none.
    fn lines_of_chunk(&self, chunk: usize) -> Option<Range<usize>> {
        let (shown, terminator) = (self.shown(), self.terminator()?);
        let (from, to) = (chunk * CHUNK, shown.len().min((chunk + 1) * CHUNK));
        let start = match from {
            0 => 0,
            _ => from + memchr(terminator, &shown[from - 1..to - 1])?,
        };
        let end = memchr(terminator, &shown[to - 1..]).map_or(shown.len(), |length| to + length);
        Some(start..end)
    }

    /// Returns a batch of the whole lines in a range.
    fn whole_lines(&self, range: Range<usize>) -> Batch<'_> {
        let terminator = self.terminator().expect("records of lines are in text");
        let mut lines = Batch::of_lines(&self.bytes()[range.clone()], terminator);
        lines.shown = self.shown.as_ref().map(|shown| shown[range].to_vec());
        lines
    }

    /// Returns the records of a range of lines, for a batch of these lines.
    pub(super) fn records_of(&self, range: &Range<usize>) -> Option<Box<LineRecords>> {
        let records = self.records.as_deref()?;
        let is_last = range.end == self.bytes().len();
        Some(Box::new(LineRecords {
            continues: !self.starts_item(range.start),
            open: if is_last { records.open } else { !self.starts_item(range.end) },
            ..LineRecords::new(records.starts.clone(), range.len())
        }))
    }

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

    /// Finds the lines that begin with `a`.
    struct LinesWithA;

    impl fmt::Display for LinesWithA {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("^a")
        }
    }

    impl RecordStarts for LinesWithA {
        fn of(&self, lines: &Batch<'_>) -> Vec<usize> {
            let all = lines.lines_in(0..lines.bytes().len());
            all.map(|line| line.start).filter(|&start| lines.bytes().get(start) == Some(&b'a')).collect()
        }
    }

    fn batch(text: Vec<u8>, continues: bool, open: bool) -> Batch<'static> {
        let records = LineRecords { continues, open, ..LineRecords::new(Arc::new(LinesWithA), text.len()) };
        let mut batch = Batch::of_lines(text, b'\n');
        batch.records = Some(Box::new(records));
        batch
    }

    #[test]
    fn records_are_divided_with_their_lines() {
        let batch = batch(b"b\nb\na\nbbb\na\nbbbbbbb\n".to_vec(), true, true);
        assert_eq!(batch.count_records(0..20), 3);
        assert_eq!([0, 3, 4, 9, 10, 15].map(|at| batch.record_around(at).start), [0, 0, 4, 4, 10, 10]);
        assert_eq!(batch.record_around(12), 10..20);
        assert_eq!([4, 5, 20].map(|end| batch.last_record_before(end, 0)), [0, 4, 10]);
        let flags = |range| batch.records_of(&range).map(|records| (records.continues, records.open));
        assert_eq!(flags(4..10), Some((false, false)));
        assert_eq!(flags(6..12), Some((true, true)));
        assert_eq!(flags(0..20), Some((true, true)));
    }

    #[test]
    fn chunks_have_the_starts_of_all_lines() {
        let mut rng = fastrand::Rng::with_seed(66);
        for longest in [3, 100, 5 * CHUNK] {
            let mut text = Vec::new();
            while text.len() < 6 * CHUNK {
                text.push(b"abc"[rng.usize(..3)]);
                text.extend(std::iter::repeat_n(b'b', rng.usize(..longest)));
                text.push(b'\n');
            }
            let batch = batch(text.clone(), false, false);
            let starts = LinesWithA.of(&Batch::of_lines(&text, b'\n'));
            let starts: Vec<usize> = starts.into_iter().filter(|&start| start > 0).collect();
            let found = std::iter::successors(batch.record_start_after(0), |&at| batch.record_start_after(at));
            assert_eq!(found.collect::<Vec<_>>(), starts);
            let mut back: Vec<usize> = std::iter::successors(Some(batch.last_record_before(text.len(), 0)), |&at| {
                Some(batch.last_record_before(at, 0)).filter(|_| at > 0)
            })
            .collect();
            back.reverse();
            assert_eq!(back, [&[0], &starts[..]].concat());
            assert_eq!(batch.count_records(0..text.len()), starts.len() + 1);
        }
    }
}
