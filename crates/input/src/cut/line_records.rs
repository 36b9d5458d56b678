//! Cuts text into batches of records that have several lines, such as the messages of a log with their stack traces.
//!
//! Lines are whole. If records are kept whole, a batch ends where a record starts; otherwise it ends before the last line
//! that was read, so that it is known whether a record starts there.

use memchr::memrchr;

use super::returns::hide_returns;
use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use crate::format::{LongLines, RecordRule};
use crate::source::encoding::mark_of;
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::{Batch, Layout, LineRecords, Lines};
use nigh_core::text::previous_symbol;

/// Cuts text into batches of records; holds the state between two batches.
pub(crate) struct LineRecordCutter {
    rule: RecordRule,
    long: LongLines,
    alphabet: Alphabet,
    /// The layout of the bytes from the start of the carry on.
    lines: Lines,
    /// Number of bytes at the start of the carry in which starts were searched for. They are whole lines.
    searched: usize,
    /// The starts in these bytes.
    starts: Vec<usize>,
    /// Whether the first line of the carry is the first of the input.
    is_first: bool,
    /// Whether the first line of the carry belongs to a record of an earlier batch.
    continues: bool,
    /// Number of bytes of the carry that were there at the last pause.
    previewed: usize,
}

impl LineRecordCutter {
    /// Makes a cutter for an input whose first `skipped` bytes are a byte order mark.
    pub(crate) fn new(rule: RecordRule, long: LongLines, alphabet: Alphabet, skipped: u64) -> Self {
        let mark = mark_of(skipped);
        let lines = Lines { terminator: rule.terminator, opens: true, closes: true, offset: skipped, mark };
        let (searched, starts, previewed) = (0, Vec::new(), 0);
        LineRecordCutter { rule, long, alphabet, lines, searched, starts, is_first: true, continues: false, previewed }
    }

    /// Searches the whole lines of `bytes` that were not searched yet for starts of records.
    fn search(&mut self, bytes: &[u8], end: InputEnd) {
        let fresh = &bytes[self.searched..];
        let whole = match end {
            InputEnd::Reached => fresh.len(),
            _ => memrchr(self.lines.terminator, fresh).map_or(0, |at| at + 1),
        };
        if whole == 0 {
            return;
        }
        let fresh = &fresh[..whole];
        let found = if self.rule.hides_returns {
            let mut lines = Batch::of_lines(fresh.to_vec(), self.lines.terminator);
            hide_returns(&mut lines);
            self.rule.starts.of(&lines)
        } else {
            self.rule.starts.of(&Batch::of_lines(fresh, self.lines.terminator))
        };
        if self.is_first && self.searched == 0 && found.first() != Some(&0) {
            // The lines before the first start are a record.
            self.starts.push(0);
        }
        self.starts.extend(found.into_iter().map(|start| self.searched + start));
        self.searched += whole;
    }

    /// Returns the end of the lines that the next batch owns, and whether their last record may go on after them; `None`
    /// if more must be read.
    fn owned_end(&self, bytes: &[u8], end: InputEnd) -> Option<(usize, bool)> {
        match end {
            InputEnd::Reached => Some((bytes.len(), false)),
            // The last line may continue after the error, so its last symbol is not owned.
            InputEnd::Broken if self.searched < bytes.len() => {
                let last = previous_symbol(self.alphabet, bytes, bytes.len())?;
                Some((last.start.max(self.searched), true))
            }
            InputEnd::Broken => Some((self.searched, true)),
            InputEnd::Ahead if self.long == LongLines::Cut => {
                let before = self.searched.saturating_sub(1);
                let line = memrchr(self.lines.terminator, &bytes[..before]).map(|at| at + 1);
                line.map(|line| (line, self.starts.last() != Some(&line)))
            }
            InputEnd::Ahead => self.starts.last().map(|&start| (start, false)),
        }
        .filter(|&(end, _)| end > 0)
    }
}

impl Cutter for LineRecordCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        self.search(bytes, end);
        let Some((cut, open)) = self.owned_end(bytes, end) else { return Ok(None) };
        let rest = self.starts.split_off(self.starts.partition_point(|&start| start < cut));
        let starts = std::mem::replace(&mut self.starts, rest.iter().map(|start| start - cut).collect());
        let records = LineRecords { starts, continues: self.continues, open, is_preview: false };
        // Only a read error ends a batch inside a line.
        let is_inside = cut > self.searched;
        let (lines, length) = (Lines { closes: !is_inside, ..self.lines }, if is_inside { bytes.len() } else { cut });
        self.lines.pass(cut);
        (self.searched, self.previewed) = (self.searched.saturating_sub(cut), 0);
        (self.continues, self.is_first) = (open, false);
        carry.clear();
        carry.extend_from_slice(&bytes[length..]);
        Ok(Some(Cut { owned: 0..cut, length, layout: Layout::Lines(lines), records: Some(records) }))
    }

    fn has_preview(&self, length: usize) -> bool {
        length > self.previewed
    }

    fn preview(&mut self, bytes: &[u8], carry: &mut Vec<u8>) -> Option<Cut> {
        self.previewed = bytes.len();
        if self.searched == 0 {
            return None;
        }
        carry.clear();
        carry.extend_from_slice(bytes);
        let records =
            LineRecords { starts: self.starts.clone(), continues: self.continues, open: true, is_preview: true };
        let (owned, layout) = (0..self.searched, Layout::Lines(self.lines));
        Some(Cut { owned, length: self.searched, layout, records: Some(records) })
    }
}
