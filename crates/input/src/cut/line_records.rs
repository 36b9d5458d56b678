//! Cuts text into batches of records that have several lines, such as the messages of a log with their stack traces.
//!
//! Lines are whole. If records are kept whole, a batch ends where the last record starts that was read; otherwise it ends
//! before the last line, so that it is known whether a record starts there. Only these lines are searched here: a batch
//! finds the other starts where they are asked for.

use memchr::memrchr;

use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use crate::format::{LongLines, PauseRule, RecordRule};
use crate::source::encoding::mark_of;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Layout, LineRecords, Lines};
use nigh_text::text::previous_symbol;

/// Cuts text into batches of records; holds the state between two batches.
pub(crate) struct LineRecordCutter {
    rule: RecordRule,
    long: LongLines,
    alphabet: Alphabet,
    /// The layout of the bytes from the start of the carry on.
    lines: Lines,
    /// Number of bytes at the start of the carry that are whole lines of one record.
    searched: usize,
    /// Whether the first line of the carry belongs to a record of an earlier batch.
    continues: bool,
}

/// The end of the next batch.
struct BatchEnd {
    /// Offset of the end of the owned range.
    at: usize,
    /// Whether the last record continues in the next batch.
    open: bool,
}

impl LineRecordCutter {
    /// Makes a cutter for an input whose first `skipped` bytes are a byte order mark.
    pub(crate) fn new(rule: RecordRule, long: LongLines, alphabet: Alphabet, skipped: u64) -> Self {
        let mark = mark_of(skipped);
        let lines = Lines { terminator: rule.terminator, opens: true, closes: true, offset: skipped, mark };
        LineRecordCutter { rule, long, alphabet, lines, searched: 0, continues: false }
    }

    /// Returns the end of the next batch in `bytes`, of which the first `whole` are whole lines; `None` if more must be
    /// read.
    ///
    /// # Errors
    /// A record that must be kept whole has too many bytes.
    fn end_of_batch(&mut self, bytes: &[u8], whole: usize, end: InputEnd) -> Result<Option<BatchEnd>, InputError> {
        let batch_end = match end {
            InputEnd::Reached => Some(BatchEnd { at: bytes.len(), open: false }),
            InputEnd::Paused => Some(BatchEnd { at: whole, open: false }),
            // The last line may continue after the error, so its last symbol is not owned.
            InputEnd::Broken if whole < bytes.len() => previous_symbol(self.alphabet, bytes, bytes.len())
                .map(|last| BatchEnd { at: last.start.max(whole), open: true }),
            InputEnd::Broken => Some(BatchEnd { at: whole, open: true }),
            InputEnd::Ahead if self.long == LongLines::Cut => {
                let before = &bytes[..whole.saturating_sub(1)];
                let line = memrchr(self.lines.terminator, before).map(|at| at + 1);
                line.map(|at| BatchEnd { at, open: !self.rule.is_start(&bytes[at..whole]) })
            }
            InputEnd::Ahead => self.last_start(bytes, whole)?.map(|at| BatchEnd { at, open: false }),
        };
        Ok(batch_end.filter(|end| end.at > 0))
    }

    /// Returns the start of the last record in the whole lines of `bytes`, other than the first record; `None` if there
    /// is none.
    fn last_start(&mut self, bytes: &[u8], whole: usize) -> Result<Option<usize>, InputError> {
        let fresh = &bytes[self.searched..whole];
        let start = self.rule.last_start(fresh).map(|start| self.searched + start).filter(|&start| start > 0);
        if start.is_none() {
            self.searched = whole;
            self.rule.check_length(whole, self.lines.offset)?;
        }
        Ok(start)
    }
}

impl Cutter for LineRecordCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let whole = match end {
            InputEnd::Reached => bytes.len(),
            _ => memrchr(self.lines.terminator, bytes).map_or(0, |at| at + 1),
        };
        let Some(BatchEnd { at, open }) = self.end_of_batch(bytes, whole, end)? else { return Ok(None) };
        // Only a read error ends a batch inside a line.
        let (closes, length) = if at > whole { (false, bytes.len()) } else { (true, at) };
        let mut records = LineRecords::new(self.rule.starts.clone(), length);
        (records.continues, records.open) = (self.continues, open);
        let lines = Lines { closes, ..self.lines };
        self.lines.pass(at);
        self.searched = if self.long == LongLines::Cut { 0 } else { whole.saturating_sub(at) };
        self.continues = open;
        carry.clear();
        carry.extend_from_slice(&bytes[length..]);
        Ok(Some(Cut { owned: 0..at, length, layout: Layout::Lines(lines), records: Some(records) }))
    }

    fn ends_at_pause(&self) -> bool {
        self.rule.pause == PauseRule::EndsRecord
    }
}
