//! Lines of a batch, one after the other, with their numbers and what was found in them.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::input::Lines;
use crate::report::{MatchSpan, MatchedItem};

/// A line to be printed.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The byte order mark before it, if there is one.
    pub mark: &'static [u8],
    /// The line without what ends it.
    pub text: &'a [u8],
    /// What ends lines.
    pub end: &'a [u8],
    /// Whether that is there: the last line of an input may lack it.
    pub ended: bool,
    /// Its number, from 1, where lines are counted.
    pub number: u64,
    /// Where it starts in its input, with its mark.
    pub offset: u64,
    /// Its least distance, if it has a hit.
    pub cost: Option<usize>,
    /// The matches to be shown in it; of a line that is printed in parts, those of this part.
    pub spans: &'a [MatchSpan],
    /// The part of it that was printed before; `None` with its first part.
    pub printed: Option<Printed>,
    /// Whether more of its matches follow.
    pub more: bool,
    /// Where it started in the batch from which its matches count.
    pub start: usize,
}

/// The part of a line that has been printed. A line with many matches is printed in parts.
#[derive(Debug, Clone, Copy)]
pub struct Printed {
    /// Number of matches in it.
    pub matches: usize,
    /// Where its last match ends in the text of the line.
    pub end: usize,
}

impl Line<'_> {
    /// The part that is printed once this one is.
    pub(crate) fn printed_with_this(&self) -> Option<Printed> {
        let before = self.printed.map_or(0, |printed| printed.matches);
        let last = self.spans.last().map(|span| self.place(span).end);
        last.map(|end| Printed { matches: before + self.spans.len(), end }).or(self.printed)
    }

    /// Where the text of the line ends in its input.
    pub fn text_end(&self) -> u64 {
        self.offset + (self.mark.len() + self.text.len()) as u64
    }

    /// Where a match starts in the line as it is printed.
    pub fn column(&self, span: &MatchSpan) -> usize {
        self.mark.len() + self.place(span).start
    }

    /// Where a match lies in the text of the line.
    pub fn place(&self, span: &MatchSpan) -> Range<usize> {
        span.bytes.start - self.start..span.bytes.end - self.start
    }
}

/// Whether lines are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// They are.
    Counted,
    /// Nobody asks for it.
    NotWanted,
}

/// A place between two lines of a batch, and the number of the line behind it.
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) lines: &'a Lines,
    /// What ends lines, as it is printed.
    pub(crate) end: &'a [u8],
    pub(crate) at: usize,
    pub(crate) number: u64,
    pub(crate) numbers: Numbers,
    /// The lines with a hit that are not before the place.
    pub(crate) items: &'a [MatchedItem],
    pub(crate) spans: &'a [MatchSpan],
}

impl<'a> Cursor<'a> {
    /// Goes on to a line.
    pub(crate) fn move_to(&mut self, at: usize) {
        if self.numbers == Numbers::Counted {
            let ends = memchr_iter(self.lines.terminator, &self.bytes[self.at..at]).count();
            self.number += (ends / self.lines.width) as u64;
        }
        self.at = at;
    }

    /// The line at the cursor, which goes on to the next.
    pub(crate) fn next_line(&mut self) -> Line<'a> {
        let start = self.at;
        let (end, ended) = match memchr(self.lines.terminator, &self.bytes[start..]) {
            Some(length) => (start + length, true),
            None => (self.bytes.len(), false),
        };
        let item = self.item_at(start);
        let mark = if start == 0 { self.lines.mark } else { b"" };
        let line = Line {
            mark,
            text: &self.bytes[start..end],
            end: self.end,
            ended,
            number: self.number,
            offset: self.lines.offset + start as u64 - mark.len() as u64,
            cost: item.map(|item| item.cost),
            spans: item.map_or(&[], |item| &self.spans[item.spans.clone()]),
            printed: None,
            more: false,
            start,
        };
        self.at = end + if ended { self.lines.width } else { 0 };
        self.number += 1;
        line
    }

    /// What was found in the line that starts here.
    fn item_at(&mut self, start: usize) -> Option<&'a MatchedItem> {
        while let Some((first, rest)) = self.items.split_first() {
            if first.bytes.start >= start {
                return Some(first).filter(|item| item.bytes.start == start);
            }
            self.items = rest;
        }
        None
    }

    /// Where the last `count` lines before `end` start, not before the cursor.
    pub(crate) fn start_of_last(&self, count: usize, end: usize) -> usize {
        let mut start = end;
        for _ in 0..count {
            if start == self.at {
                break;
            }
            let ended = self.bytes[start - 1] == self.lines.terminator;
            let text = &self.bytes[self.at..start - if ended { self.lines.width } else { 0 }];
            start = memrchr(self.lines.terminator, text).map_or(self.at, |before| self.at + before + 1);
        }
        start
    }
}

/// The last lines before a batch that may yet be context.
#[derive(Default)]
pub(crate) struct Tail(VecDeque<TailLine>);

/// A line that outlives its batch.
struct TailLine {
    text: Vec<u8>,
    end: Vec<u8>,
    spans: Vec<MatchSpan>,
    line: Line<'static>,
}

impl Tail {
    /// Keeps a line, and no more than `most` in all.
    pub(crate) fn push(&mut self, line: &Line<'_>, most: usize) {
        let bare = Line { text: &[], end: &[], spans: &[], ..*line };
        self.0.push_back(TailLine {
            text: line.text.to_vec(),
            end: line.end.to_vec(),
            spans: line.spans.to_vec(),
            line: bare,
        });
        let surplus = self.0.len().saturating_sub(most);
        self.0.drain(..surplus);
    }

    /// Gives the last `count` lines to somebody, and forgets all.
    pub(crate) fn drain<E>(&mut self, count: usize, mut take: impl FnMut(&Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let unused = self.0.len().saturating_sub(count);
        std::mem::take(&mut self.0)
            .iter()
            .skip(unused)
            .try_for_each(|TailLine { text, end, spans, line }| take(&Line { text, end, spans, ..*line }))
    }
}
