//! Lines of a batch with their numbers and matches, and the lines kept as context for the next batch. If lines form records,
//! what is called a line here is a record.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::{MatchSpan, MatchedItem};
use nigh_text::batch::{Batch, HiddenBytes, Lines, offset_in_input};

/// A line, or a record of several lines, to print.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The byte order mark before the line, if there is one.
    pub mark: &'static [u8],
    /// The line without its line end, or the lines of a record without the last line end.
    pub text: &'a [u8],
    /// The line end to print. The input may lack this line end: see `ended`.
    pub end: &'a [u8],
    /// Whether the input has a line end here. The last line of an input may lack it.
    pub ended: bool,
    /// Whether a read error or damage cut the line short.
    pub cut: bool,
    /// Line number, from 1. Meaningless if lines are not counted.
    pub number: u64,
    /// Offset of `mark` and `text` in the searched bytes of the input.
    pub offset: u64,
    /// Offset in the searched bytes of the start of the line, which includes `mark`. Less than `offset` if the line was cut and
    /// `text` is not its first part.
    pub begins: u64,
    /// The least distance of the line's hits, if it has any.
    pub cost: Option<usize>,
    /// The matches to show. If the line is printed in parts, the matches of this part.
    pub spans: &'a [MatchSpan],
    /// The part of the line that is already printed; `None` if this is the first part.
    pub printed: Option<Printed>,
    /// Whether another part of the line follows.
    pub more: bool,
    /// Whether this is a record of one or more lines.
    pub is_record: bool,
    /// Bytes that are printed but not searched: those in the line or just after it, and the last before it.
    pub hidden: &'a [HiddenBytes],
    /// Offset of `text` in the batch. The offsets of `spans` are relative to the same batch.
    pub start: usize,
}

/// The printed part of a line. A line with many matches is printed in several parts.
#[derive(Debug, Clone, Copy)]
pub struct Printed {
    /// End of the last printed match, as an offset in the text of the line.
    pub end: usize,
}

impl<'a> Line<'a> {
    /// Returns the lines of a record, or the line.
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> + use<'a> {
        let mut rest = Some(*self);
        std::iter::from_fn(move || {
            let record = rest?;
            if !record.is_record {
                return rest.take();
            }
            let record = Line { begins: record.offset, ..record };
            let Some(end) = memchr(record.end[0], record.text) else {
                rest = None;
                return Some(record);
            };
            rest = Some(record.after(end + 1));
            let spans = &record.spans[..record.spans.partition_point(|span| record.range_of(span).start <= end)];
            Some(Line { text: &record.text[..end], ended: true, cut: false, spans, ..record })
        })
    }

    /// Returns the lines of a record from the one that starts at `at` on, an offset in `text`.
    fn after(&self, at: usize) -> Line<'a> {
        let lines = memchr_iter(self.end[0], &self.text[..at]).count();
        let offset = self.offset + (self.mark.len() + at) as u64;
        let first = self.spans.partition_point(|span| self.range_of(span).start < at);
        Line {
            mark: b"",
            text: &self.text[at..],
            number: self.number + lines as u64,
            offset,
            begins: offset,
            spans: &self.spans[first..],
            start: self.start + at,
            ..*self
        }
    }
}

impl Line<'_> {
    /// Returns what is printed of the line once this part is printed: the value of `printed` for the next part.
    pub fn printed_with_this(&self) -> Option<Printed> {
        let last = self.spans.last().map(|span| self.range_of(span).end);
        last.map(|end| Printed { end }).or(self.printed)
    }

    /// Returns the offset of the line in the input.
    pub fn offset_in_input(&self) -> u64 {
        offset_in_input(self.offset, self.hidden)
    }

    /// Returns the offset in the input of a match, without the bytes that are hidden just before it.
    pub fn offset_of_match(&self, span: &MatchSpan) -> u64 {
        let start = self.searched(span).start;
        let count = self.hidden.partition_point(|one| one.before <= start);
        self.hidden[..count].last().map_or(start, |last| last.offset_after(start))
    }

    /// Returns the offset in the searched bytes of the input at which the line's text ends.
    pub fn text_end(&self) -> u64 {
        self.start_in_searched() + self.text.len() as u64
    }

    /// Returns the offset of `text` in the searched bytes of the input.
    pub fn start_in_searched(&self) -> u64 {
        self.offset + self.mark.len() as u64
    }

    /// Returns the offset in bytes of a match in the printed line, which includes the mark.
    pub fn column(&self, span: &MatchSpan) -> u64 {
        self.searched(span).start - self.begins
    }

    /// Returns the range of a match in the searched bytes of the input.
    pub fn searched(&self, span: &MatchSpan) -> Range<u64> {
        span.in_input(self.start_in_searched() - self.start as u64)
    }

    /// Returns the text of a match.
    pub fn matched<'a>(&'a self, span: &'a MatchSpan) -> &'a [u8] {
        match &span.carried {
            Some(carried) => &carried.text,
            None => &self.text[self.range_of(span)],
        }
    }

    /// Returns a range of `text` with the bytes that are hidden in it, up to its end.
    pub fn shown(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let hidden = range.start + 1..range.end + 1;
        self.with_hidden(range, hidden)
    }

    /// Returns the text of a match with the bytes that are hidden inside of it.
    pub fn shown_match<'a>(&'a self, span: &'a MatchSpan) -> Cow<'a, [u8]> {
        if span.carried.is_some() {
            return Cow::Borrowed(self.matched(span));
        }
        let range = self.range_of(span);
        let hidden = range.start + 1..range.end;
        self.with_hidden(range, hidden)
    }

    /// Returns the bytes that are hidden up to an offset in `text`. A range that starts there does not have them in
    /// [`shown`](Self::shown).
    pub fn hidden_to(&self, at: usize) -> Cow<'_, [u8]> {
        self.with_hidden(0..0, 0..at + 1)
    }

    /// Returns the bytes that are hidden before a range of offsets in `text`.
    pub fn hidden_in(&self, offsets: Range<usize>) -> &[HiddenBytes] {
        let start = self.start_in_searched();
        let first = self.hidden.partition_point(|one| one.before < start + offsets.start as u64);
        let end = self.hidden.partition_point(|one| one.before < start + offsets.end as u64);
        self.hidden.get(first..end).unwrap_or_default()
    }

    /// Returns a range of `text`, with the bytes that are hidden before the offsets `hidden`.
    fn with_hidden(&self, range: Range<usize>, hidden: Range<usize>) -> Cow<'_, [u8]> {
        let hidden = self.hidden_in(hidden);
        if hidden.is_empty() {
            return Cow::Borrowed(&self.text[range]);
        }
        let start = self.start_in_searched();
        let (mut shown, mut at) = (Vec::new(), range.start);
        for one in hidden {
            let before = ((one.before - start) as usize).clamp(at, range.end);
            shown.extend_from_slice(&self.text[at..before]);
            shown.extend_from_slice(&one.bytes);
            at = before;
        }
        shown.extend_from_slice(&self.text[at..range.end]);
        Cow::Owned(shown)
    }

    /// Returns the range of a match in `text`. The match must not be carried.
    pub fn range_of(&self, span: &MatchSpan) -> Range<usize> {
        span.bytes.start - self.start..span.bytes.end - self.start
    }
}

/// Whether lines are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineNumbering {
    /// Lines are counted.
    Counted,
    /// Line numbers are not needed.
    NotWanted,
}

/// A cursor: a position between two lines of a batch, and the number of the line after it.
pub(crate) struct Cursor<'a> {
    /// The printable bytes of the batch.
    pub bytes: &'a [u8],
    pub lines: &'a Lines,
    /// The batch, if its lines form records.
    pub records: Option<&'a Batch<'a>>,
    /// The line end to print.
    pub end: &'a [u8],
    /// The position: an offset in `bytes`.
    pub at: usize,
    /// Number of the line after the position, from 1.
    pub number: u64,
    pub numbers: LineNumbering,
    /// The lines with a hit that start at or after the position. Earlier ones may not be removed yet.
    pub items: &'a [MatchedItem],
    /// The matches of all lines of the batch.
    pub spans: &'a [MatchSpan],
    /// The bytes of the batch that are printed but not searched.
    pub hidden: &'a [HiddenBytes],
}

impl<'a> Cursor<'a> {
    /// Moves to the line that starts at offset `at`, which must not be before the cursor.
    pub(crate) fn move_to(&mut self, at: usize) {
        if self.numbers == LineNumbering::Counted {
            let ends = memchr_iter(self.lines.terminator, &self.bytes[self.at..at]).count();
            self.number += ends as u64;
        }
        self.at = at;
    }

    /// Returns the line at the cursor and moves to the next line.
    pub(crate) fn next_line(&mut self) -> Line<'a> {
        let start = self.at;
        let (end, ended) = match self.records {
            Some(batch) => {
                let end = batch.record_around(start).end;
                let ended = self.bytes[start..end].last() == Some(&self.lines.terminator);
                (end - usize::from(ended), ended)
            }
            None => match memchr(self.lines.terminator, &self.bytes[start..]) {
                Some(length) => (start + length, true),
                None => (self.bytes.len(), false),
            },
        };
        let item = self.item_at(start);
        let mark = if start == 0 { self.lines.mark } else { b"" };
        let offset = self.lines.offset + start as u64 - mark.len() as u64;
        let text = offset + mark.len() as u64;
        let first = self.hidden.partition_point(|one| one.before < text);
        let last = self.hidden.partition_point(|one| one.before <= text + (end - start) as u64);
        let line = Line {
            mark,
            text: &self.bytes[start..end],
            end: self.end,
            ended,
            cut: !ended && !self.lines.closes,
            number: self.number,
            offset,
            begins: offset,
            cost: item.map(|item| item.min_distance),
            spans: item.map_or(&[], |item| &self.spans[item.spans.clone()]),
            printed: None,
            more: false,
            is_record: self.records.is_some(),
            hidden: &self.hidden[first.saturating_sub(1)..last],
            start,
        };
        if self.records.is_some() && self.numbers == LineNumbering::Counted {
            self.number += memchr_iter(self.lines.terminator, line.text).count() as u64;
        }
        self.at = end + usize::from(ended);
        // The rest of a line without an end may follow in the next batch.
        self.number += u64::from(ended);
        line
    }

    /// Returns the findings of the line that starts at offset `start`, if it has a hit.
    fn item_at(&mut self, start: usize) -> Option<&'a MatchedItem> {
        while let Some((first, rest)) = self.items.split_first() {
            if first.bytes.start >= start {
                return Some(first).filter(|item| item.bytes.start == start);
            }
            self.items = rest;
        }
        None
    }

    /// Returns the number of lines in a range of the batch that starts and ends with a line.
    pub(crate) fn count_in(&self, range: Range<usize>) -> usize {
        match self.records {
            Some(batch) => batch.count_records(range),
            None => memchr_iter(self.lines.terminator, &self.bytes[range]).count(),
        }
    }

    /// Returns the offset at which the last `count` lines before `end` start. Stops at the cursor.
    pub(crate) fn start_of_last(&self, count: usize, end: usize) -> usize {
        let mut start = end;
        for _ in 0..count {
            if start == self.at {
                break;
            }
            if let Some(batch) = self.records {
                start = batch.last_record_before(start, self.at);
                continue;
            }
            let ended = self.bytes[start - 1] == self.lines.terminator;
            let text = &self.bytes[self.at..start - usize::from(ended)];
            start = memrchr(self.lines.terminator, text).map_or(self.at, |before| self.at + before + 1);
        }
        start
    }
}

/// The last lines of earlier batches, kept as possible context.
#[derive(Default)]
pub(crate) struct Tail(VecDeque<TailLine>);

/// A line with its own copies of the bytes and matches, since the batch is gone.
struct TailLine {
    text: Vec<u8>,
    end: Vec<u8>,
    spans: Vec<MatchSpan>,
    hidden: Vec<HiddenBytes>,
    line: Line<'static>,
}

impl Tail {
    /// Adds a line. Drops the oldest lines, so that at most `max` remain.
    pub(crate) fn push(&mut self, line: &Line<'_>, max: usize) {
        let bare = Line { text: &[], end: &[], spans: &[], hidden: &[], ..*line };
        self.0.push_back(TailLine {
            text: line.text.to_vec(),
            end: line.end.to_vec(),
            spans: line.spans.to_vec(),
            hidden: line.hidden.to_vec(),
            line: bare,
        });
        let surplus = self.0.len().saturating_sub(max);
        self.0.drain(..surplus);
    }

    /// Passes the last `count` lines to `take`, and removes all lines.
    pub(crate) fn drain<E>(&mut self, count: usize, mut take: impl FnMut(&Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let unused = self.0.len().saturating_sub(count);
        std::mem::take(&mut self.0).iter().skip(unused).try_for_each(|TailLine { text, end, spans, hidden, line }| {
            take(&Line { text, end, spans, hidden, ..*line })
        })
    }
}
