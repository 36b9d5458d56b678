//! Lines, as grep prints them: with fields before them, context around them, and matches in colour or alone.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::style::{Fields, Part};
use super::tally::Tally;
use super::{Colours, Detail, Findings, Flow, Keep, Limits, Prefix, Report, Span};
use crate::input::{Batch, Lines};

/// What is printed of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// All of it.
    Lines,
    /// Its matches, each on a line of its own.
    Matches,
}

/// What is done about a NUL byte in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// From there on nothing is printed, but a message when a line matches.
    Announced,
    /// It is printed like any other.
    Text,
}

/// Lines around those that are selected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// How many before.
    pub before: usize,
    /// How many after.
    pub after: usize,
    /// What is printed between two groups of lines, if anything.
    pub separator: Option<Vec<u8>>,
}

/// Prints lines that are selected.
pub struct GrepReport {
    tally: Tally,
    show: Show,
    prefix: Prefix,
    context: Context,
    binary: Binary,
    label: Vec<u8>,
    state: State,
    /// Whether a line was printed, of any input.
    printed: bool,
}

/// Where the report stands in an input.
#[derive(Default)]
struct State {
    /// The last lines before the batch, as many as context may need, that were not printed.
    tail: VecDeque<TailLine>,
    /// How many lines of context are still to be printed.
    after: usize,
    /// Offset behind the line printed last.
    printed_to: Option<u64>,
    /// Offset of the first NUL byte.
    nul: Option<u64>,
    /// How many lines came before the batch, where they are counted.
    lines: u64,
}

struct TailLine {
    text: Vec<u8>,
    number: u64,
    offset: u64,
}

/// A line to be printed.
struct Line<'a> {
    text: &'a [u8],
    number: u64,
    offset: u64,
}

/// A place between two lines of a batch, and the number of the line behind it.
struct Cursor<'a> {
    bytes: &'a [u8],
    lines: &'a Lines,
    at: usize,
    number: u64,
    numbers: Numbers,
}

/// Whether lines are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Counted,
    NotWanted,
}

/// A line that is selected, with what was found in it.
struct Selected<'a> {
    bytes: Range<usize>,
    cost: Option<usize>,
    spans: &'a [Span],
}

impl<'a> Cursor<'a> {
    fn move_to(&mut self, at: usize) {
        if self.numbers == Numbers::Counted {
            self.number += memchr_iter(self.lines.terminator, &self.bytes[self.at..at]).count() as u64;
        }
        self.at = at;
    }

    /// Where the line at the cursor ends, without and with what ends it.
    fn line_end(&self) -> (usize, usize) {
        match memchr(self.lines.terminator, &self.bytes[self.at..]) {
            Some(length) => (self.at + length, self.at + length + 1),
            None => (self.bytes.len(), self.bytes.len()),
        }
    }

    /// The line at the cursor, which goes on to the next.
    fn next_line(&mut self) -> Line<'a> {
        let (end, next) = self.line_end();
        let line =
            Line { text: &self.bytes[self.at..end], number: self.number, offset: self.lines.offset + self.at as u64 };
        self.at = next;
        self.number += 1;
        line
    }

    /// Where the last `count` lines before `end` start, not before the cursor.
    fn start_of_last(&self, count: usize, end: usize) -> usize {
        let mut start = end;
        for _ in 0..count {
            if start == self.at {
                break;
            }
            start =
                memrchr(self.lines.terminator, &self.bytes[self.at..start - 1]).map_or(self.at, |p| self.at + p + 1);
        }
        start
    }
}

impl GrepReport {
    /// Prints lines within the limits; matches alone have no context.
    pub fn new(limits: Limits, show: Show, prefix: Prefix, context: Context, binary: Binary) -> Self {
        let context = if show == Show::Matches { Context::default() } else { context };
        GrepReport {
            tally: Tally::new(limits),
            show,
            prefix,
            context,
            binary,
            label: Vec::new(),
            state: State::default(),
            printed: false,
        }
    }

    /// The lines of a batch that are selected, in order.
    fn selected<'a>(&self, batch: &'a Batch, findings: &'a Findings) -> Box<dyn Iterator<Item = Selected<'a>> + 'a> {
        let units = findings.units.iter();
        if self.tally.limits().keep == Keep::Matching {
            return Box::new(units.map(|unit| Selected {
                bytes: unit.bytes.clone(),
                cost: Some(unit.cost),
                spans: &findings.spans[unit.spans.clone()],
            }));
        }
        let terminator = batch.terminator().unwrap_or(b'\n');
        let mut hit = units.map(|unit| unit.bytes.start).peekable();
        let lines = batch.bytes().split_inclusive(move |&byte| byte == terminator).scan(0, move |start, line| {
            let text = line.strip_suffix(&[terminator]).unwrap_or(line);
            let bytes = *start..*start + text.len();
            *start += line.len();
            Some(bytes)
        });
        let others = lines.filter(move |bytes| hit.next_if_eq(&bytes.start).is_none());
        Box::new(others.map(|bytes| Selected { bytes, cost: None, spans: &[] }))
    }

    /// Prints lines at the cursor as context, as long as there is some to be printed, up to `until`.
    fn print_after(&mut self, cursor: &mut Cursor<'_>, until: usize, out: &mut dyn Write) -> io::Result<()> {
        while self.state.after > 0 && cursor.at < until {
            self.state.after -= 1;
            let line = cursor.next_line();
            self.print_context(&line, cursor.lines.terminator, out)?;
        }
        Ok(())
    }

    /// Prints the context before the line at `until`, and moves the cursor there.
    fn print_before(&mut self, cursor: &mut Cursor<'_>, until: usize, out: &mut dyn Write) -> io::Result<()> {
        let start = cursor.start_of_last(self.context.before, until);
        let first = cursor.at;
        cursor.move_to(start);
        let here = memchr_iter(cursor.lines.terminator, &cursor.bytes[start..until]).count();
        let from_tail = match start == first {
            true => self.context.before - here,
            false => 0,
        };
        let unused = self.state.tail.len().saturating_sub(from_tail);
        for line in std::mem::take(&mut self.state.tail).into_iter().skip(unused) {
            let TailLine { text, number, offset } = line;
            let line = Line { text: &text, number, offset };
            self.print_context(&line, cursor.lines.terminator, out)?;
        }
        while cursor.at < until {
            let line = cursor.next_line();
            self.print_context(&line, cursor.lines.terminator, out)?;
        }
        Ok(())
    }

    fn print_context(&mut self, line: &Line<'_>, end: u8, out: &mut dyn Write) -> io::Result<()> {
        if self.is_binary(line) {
            return Ok(());
        }
        self.print_separator(line, out)?;
        let fields = Fields { label: &self.label, line: line.number, byte: line.offset, cost: None };
        self.prefix.write(&fields, b"-", out)?;
        out.write_all(line.text)?;
        out.write_all(&[end])
    }

    /// Prints what stands between two groups of lines, if the line is not next to the one before.
    fn print_separator(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        let adjacent = self.state.printed_to == Some(line.offset);
        if let (true, false, Some(separator)) = (self.printed, adjacent, &self.context.separator) {
            self.prefix.colours.write(Part::Separator, separator, out)?;
            out.write_all(b"\n")?;
        }
        self.printed = true;
        self.state.printed_to = Some(line.offset + line.text.len() as u64 + 1);
        Ok(())
    }

    fn print_selected(
        &mut self,
        line: &Line<'_>,
        found: &Selected<'_>,
        end: u8,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let inside = |span: &Span| span.bytes.start - found.bytes.start..span.bytes.end - found.bytes.start;
        if self.show == Show::Matches {
            for span in found.spans {
                let bytes = inside(span);
                let byte = line.offset + bytes.start as u64;
                let fields = Fields { label: &self.label, line: line.number, byte, cost: Some(span.distance) };
                self.prefix.write(&fields, b":", out)?;
                self.prefix.colours.write(Part::Match, &line.text[bytes], out)?;
                out.write_all(&[end])?;
            }
            return Ok(());
        }
        self.print_separator(line, out)?;
        let fields = Fields { label: &self.label, line: line.number, byte: line.offset, cost: found.cost };
        self.prefix.write(&fields, b":", out)?;
        let mut at = 0;
        for span in found.spans {
            let bytes = inside(span);
            out.write_all(&line.text[at..bytes.start])?;
            self.prefix.colours.write(Part::Match, &line.text[bytes.clone()], out)?;
            at = bytes.end;
        }
        out.write_all(&line.text[at..])?;
        out.write_all(&[end])
    }

    fn find_nul(&mut self, bytes: &[u8], lines: &Lines) {
        if self.binary == Binary::Announced && lines.terminator != 0 && self.state.nul.is_none() {
            self.state.nul = memchr(0, bytes).map(|at| lines.offset + at as u64);
        }
    }

    /// Whether a NUL byte came before the end of the line.
    fn is_binary(&self, line: &Line<'_>) -> bool {
        self.state.nul.is_some_and(|nul| nul < line.offset + line.text.len() as u64)
    }

    /// Keeps the last lines from the cursor on for the context of the next batch.
    fn keep_tail(&mut self, cursor: &mut Cursor<'_>) {
        if self.context.before == 0 {
            return;
        }
        let start = cursor.start_of_last(self.context.before, cursor.bytes.len());
        cursor.move_to(start);
        while cursor.at < cursor.bytes.len() {
            let Line { text, number, offset } = cursor.next_line();
            self.state.tail.push_back(TailLine { text: text.to_vec(), number, offset });
        }
        let surplus = self.state.tail.len().saturating_sub(self.context.before);
        self.state.tail.drain(..surplus);
    }
}

impl Report for GrepReport {
    fn detail(&self) -> Detail {
        let limits = self.tally.limits();
        let shown = self.show == Show::Matches || self.prefix.colours == Colours::On;
        Detail { spans: shown && limits.keep == Keep::Matching, ..Detail::units(limits.units_in_batch()) }
    }

    fn begin(&mut self, label: &[u8]) {
        self.tally.begin();
        self.label = label.to_vec();
        self.state = State::default();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let lines = batch.lines().expect("lines are printed of text");
        let bytes = batch.bytes();
        self.find_nul(bytes, lines);
        let numbers = if self.prefix.line { Numbers::Counted } else { Numbers::NotWanted };
        let mut cursor = Cursor { bytes, lines, at: 0, number: self.state.lines + 1, numbers };
        for found in self.selected(batch, findings) {
            if self.tally.is_full() {
                break;
            }
            self.print_after(&mut cursor, found.bytes.start, out)?;
            self.print_before(&mut cursor, found.bytes.start, out)?;
            let line = cursor.next_line();
            self.tally.count(1);
            if self.is_binary(&line) {
                return Ok(Flow::Binary);
            }
            self.print_selected(&line, &found, lines.terminator, out)?;
            self.state.after = self.context.after;
        }
        self.print_after(&mut cursor, bytes.len(), out)?;
        self.keep_tail(&mut cursor);
        cursor.move_to(bytes.len());
        self.state.lines = cursor.number - 1;
        Ok(if self.tally.is_full() && self.state.after == 0 { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}
