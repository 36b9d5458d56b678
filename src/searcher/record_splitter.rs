//! Records of several lines in a text.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use super::builder::SearcherError;
use nigh_engine::{MatchingLines, MatchingLinesError};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{MemoryBatches, RecordStarts, Window};

/// The byte that ends a line.
const TERMINATOR: u8 = b'\n';

/// Divides text into records of one or more lines, such as the messages of a log with their stack traces. A record begins
/// with each line that a regular expression matches without edits, and with the first line of the text. Records are next
/// to each other, include their line ends, and are as long as the text together.
///
/// `FileSearch::record_start` divides a file in the same way.
///
/// # Examples
///
/// ```
/// use nigh::{RecordSplitter, Searcher};
///
/// let log = b"10:01 start\n10:02 fault\n  at disk.c:7: time out\n10:03 stop\n";
/// let records = RecordSplitter::new(r"^\d\d:\d\d ")?;
/// assert_eq!(records.ranges(log).collect::<Vec<_>>(), [0..12, 12..48, 48..59]);
///
/// let searcher = Searcher::new("timeout", 1)?;
/// let found: Vec<_> = records.split(log).filter(|record| searcher.is_match(record)).collect();
/// assert_eq!(found, [b"10:02 fault\n  at disk.c:7: time out\n"]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
#[derive(Clone)]
pub struct RecordSplitter {
    starts: Arc<MatchingLines>,
}

impl RecordSplitter {
    /// Makes the division into records that begin with the lines that a regular expression matches.
    ///
    /// # Errors
    /// Fails if the expression is not valid or cannot be searched for.
    pub fn new(expression: impl AsRef<[u8]>) -> Result<Self, SearcherError> {
        match MatchingLines::new(expression.as_ref(), Alphabet::Text, TERMINATOR) {
            Ok(starts) => Ok(RecordSplitter { starts: Arc::new(starts) }),
            Err(MatchingLinesError::Pattern(error)) => Err(error.into()),
            Err(MatchingLinesError::Engine(error)) => Err(error.into()),
        }
    }

    /// Iterates over the ranges of the records of a text, in order. An empty text has no record.
    pub fn ranges<'s, 't>(&'s self, text: &'t [u8]) -> RecordRanges<'s, 't> {
        self.ranges_in_batches(text, self.starts.batch_bytes())
    }

    /// Iterates over the records of a text, in order.
    pub fn split<'t>(&self, text: &'t [u8]) -> impl FusedIterator<Item = &'t [u8]> + use<'_, 't> {
        self.ranges(text).map(|range| &text[range])
    }

    /// Searches in batches of about `bytes` bytes each.
    fn ranges_in_batches<'s, 't>(&'s self, text: &'t [u8], bytes: usize) -> RecordRanges<'s, 't> {
        let window = Window { bytes, max_match_len: 0, alphabet: Alphabet::Text };
        let (batches, found) = (MemoryBatches::new(text, window), Vec::new().into_iter());
        RecordRanges { starts: &self.starts, batches, found, offset: 0, next: 0, length: text.len() }
    }

    /// Returns the rule for the lines of a file.
    #[cfg(all(unix, feature = "cli"))]
    pub(crate) fn rule(&self) -> nigh_input::RecordRule {
        nigh_input::RecordRule::new(self.starts.clone(), TERMINATOR)
    }
}

impl fmt::Debug for RecordSplitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordSplitter").finish_non_exhaustive()
    }
}

/// An iterator over the ranges of the records of a text; see [`RecordSplitter::ranges`].
pub struct RecordRanges<'s, 't> {
    starts: &'s MatchingLines,
    batches: MemoryBatches<'t>,
    /// The other starts in the batch that was searched last.
    found: IntoIter<usize>,
    /// Offset in the text of this batch.
    offset: usize,
    /// Start of the next record; the length of the text at the end.
    next: usize,
    /// Length of the text.
    length: usize,
}

impl RecordRanges<'_, '_> {
    /// Returns the next start after the offset `at`; `None` if the last record starts there.
    fn start_after(&mut self, at: usize) -> Option<usize> {
        loop {
            let offset = self.offset;
            if let Some(start) = self.found.by_ref().map(|start| offset + start).find(|&start| start > at) {
                return Some(start);
            }
            let (batch, offset) = self.batches.next()?;
            (self.found, self.offset) = (self.starts.of(&batch).into_iter(), offset);
        }
    }
}

impl Iterator for RecordRanges<'_, '_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = Some(self.next).filter(|&start| start < self.length)?;
        self.next = self.start_after(start).unwrap_or(self.length);
        Some(start..self.next)
    }
}

impl FusedIterator for RecordRanges<'_, '_> {}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// A test of a line, without its line end.
    type LineTest = fn(&[u8]) -> bool;

    /// Expressions with tests that say which lines they match.
    const EXPRESSIONS: [(&str, LineTest); 7] = [
        ("^ab", |line| line.starts_with(b"ab")),
        ("b a", |line| line.windows(3).any(|part| part == b"b a")),
        ("^$", <[u8]>::is_empty),
        ("^$|^a", |line| line.is_empty() || line[0] == b'a'),
        ("a*", |_| true),
        ("c$", |line| line.ends_with(b"c")),
        ("^.b+a", |line| {
            line.len() > 1 && line[2..].iter().find(|&&byte| byte != b'b') == Some(&b'a') && line[1] == b'b'
        }),
    ];

    /// Divides a text line by line.
    fn divided(text: &[u8], is_start: LineTest) -> Vec<Range<usize>> {
        let mut records: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let end = at + line.len();
            match records.last_mut() {
                Some(record) if !is_start(line.strip_suffix(b"\n").unwrap_or(line)) => record.end = end,
                _ => records.push(at..end),
            }
            at = end;
        }
        records
    }

    #[test]
    fn records_begin_with_matching_lines_in_batches_of_any_size() {
        let mut rng = Rng::with_seed(41);
        let mut count = 0;
        for case in 0..300 {
            let (expression, is_start) = EXPRESSIONS[case % EXPRESSIONS.len()];
            let text: Vec<u8> = (0..case).map(|_| b"abc \n"[rng.usize(..5)]).collect();
            let splitter = RecordSplitter::new(expression).unwrap();
            let expected = divided(&text, is_start);
            count += expected.len();
            for bytes in [1, 7, 40, 1 << 20] {
                let found: Vec<_> = splitter.ranges_in_batches(&text, bytes).collect();
                assert_eq!(found, expected, "{expression}, case {case}, {bytes} bytes");
            }
            assert_eq!(splitter.split(&text).collect::<Vec<_>>().concat(), text);
        }
        assert!(count > 2_500, "{count} records");
    }

    #[test]
    fn a_text_without_a_start_is_one_record() {
        let splitter = RecordSplitter::new("^x").unwrap();
        assert_eq!(splitter.split(b"a\nb").collect::<Vec<_>>(), [b"a\nb"]);
        assert_eq!(splitter.ranges(b"").next(), None);
        let error = RecordSplitter::new("a(").unwrap_err().to_string();
        assert!(error.starts_with("pattern 'a(': "), "{error}");
    }
}
