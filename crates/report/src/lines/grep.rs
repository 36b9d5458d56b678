//! Decides which lines are printed, and in what order, as grep does: selected lines, their context, and separators
//! between groups. A [`LinePrinter`] formats the lines.

use std::io::{self, Write};

use clap::ValueEnum;
use memchr::{memchr, memchr_iter, memrchr};

use super::line::{Cursor, Line, LineNumbering, Printed, Tail};
use super::printer::{LinePrinter, PrintedPart, Searched};
use crate::selection::{Selection, is_open, offset_after_first, selected_lines};
use crate::tally::Tally;
use crate::{
    EarlySpans, ExceededLimit, Findings, Flow, InputFault, ItemHits, Keep, KnownSize, Limits, MatchDetail, MatchSpan,
    Report, ReportNeeds,
};
use nigh_text::batch::{Batch, Lines};

/// Treatment of text with a NUL byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Binary {
    /// From the line with the first NUL byte on, no line is printed. If one of these lines matches, a message is
    /// printed. If only matches are printed, the matches before the NUL byte are printed.
    #[value(
        name = "binary",
        help = "Print lines, or with -o matches, up to the first NUL byte, then a message if there are more matches"
    )]
    Announced,
    /// From the line with the first NUL byte on, no line is selected. If only matches are printed, the line is selected
    /// if it has matches before the NUL byte.
    #[value(
        name = "without-match",
        help = "Skip files with a NUL byte in the first 32 KiB, and the rest of other files after the first NUL byte"
    )]
    PassedOver,
    /// NUL is treated like any other byte.
    #[value(help = "Search as text (same as --text)")]
    Text,
}

/// The context: lines printed around selected lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// No context. Groups of lines are not separated.
    None,
    /// A number of lines before and after each selected line, with a separator between groups.
    Lines {
        /// Number of lines before.
        before: usize,
        /// Number of lines after.
        after: usize,
    },
    /// All lines of the input. If the limit on selected lines is reached, only the lines up to the last selected one.
    All,
}

impl Context {
    /// Returns the maximum number of lines to print before a selected line.
    fn before(self) -> usize {
        match self {
            Context::None => 0,
            Context::Lines { before, .. } => before,
            Context::All => usize::MAX,
        }
    }

    /// Returns the number of lines to print after a selected line. It is 0 for [`Context::All`], since `print_before`
    /// prints all lines.
    fn after(self) -> usize {
        match self {
            Context::Lines { after, .. } => after,
            Context::None | Context::All => 0,
        }
    }
}

/// Prints selected lines and their context.
pub struct GrepReport {
    tally: Tally,
    context: Context,
    binary: Binary,
    printer: Box<dyn LinePrinter>,
    state: InputState,
    /// Whether a line of any input was printed.
    printed: bool,
}

/// The state of the current input.
#[derive(Default)]
struct InputState {
    /// The last unprinted lines before the batch, at most as many as may become context.
    tail: Tail,
    /// Number of context lines still to print after the last selected line.
    after: usize,
    /// Offset just past the last printed line. Offsets are those in the searched bytes, unless something else is said.
    printed_to: Option<u64>,
    /// Offset just past the last selected line.
    selected_to: Option<u64>,
    /// Offset in the input just past the last selected line, where hidden bytes count.
    selected_to_in_input: Option<u64>,
    /// Offset of the start of the last selected line.
    last_selected: Option<u64>,
    /// Offset up to which the input was needed; `None` if all of it was.
    needed_to: Option<u64>,
    /// Offset of the first NUL byte.
    nul: Option<u64>,
    /// Offset in the input of the first NUL byte, where hidden bytes count.
    nul_in_input: Option<u64>,
    /// The line that the last batch left open. Occurs in binary inputs, after a read error, and if only matches are
    /// printed.
    open: Option<OpenLine>,
    /// The part of the next line that is already printed.
    part: Option<Printed>,
    /// Whether matches of the next line after the first NUL byte were reported early.
    is_past_nul: bool,
    /// Number of lines before the batch, if they are counted.
    lines: u64,
    /// Statistics, passed to the printer at the end of the input.
    searched: Searched,
}

/// A line that continues in the next batch.
#[derive(Clone, Copy)]
struct OpenLine {
    /// Offset of its start in the input.
    begins: u64,
    has_hit: bool,
}

impl GrepReport {
    /// Makes a report that selects lines within `limits`.
    pub fn new(limits: Limits, context: Context, binary: Binary, printer: Box<dyn LinePrinter>) -> Self {
        let tally = Tally::new(limits);
        GrepReport { tally, context, binary, printer, state: InputState::default(), printed: false }
    }

    /// Prints lines from the cursor to offset `until` as context after the last selected line, until its context is
    /// complete.
    fn print_after(&mut self, cursor: &mut Cursor<'_>, until: usize, out: &mut dyn Write) -> io::Result<()> {
        while self.state.after > 0 && cursor.at < until {
            self.state.after -= 1;
            self.print_context(&cursor.next_line(), out)?;
        }
        Ok(())
    }

    /// Prints the context before the line at offset `until`, and moves the cursor there.
    fn print_before(&mut self, cursor: &mut Cursor<'_>, until: usize, out: &mut dyn Write) -> io::Result<()> {
        let before = self.context.before();
        if before == 0 {
            cursor.move_to(until);
            return Ok(());
        }
        let start = cursor.start_of_last(before, until);
        let first = cursor.at;
        cursor.move_to(start);
        let from_tail = if start == first { before - cursor.count_in(start..until) } else { 0 };
        let mut tail = std::mem::take(&mut self.state.tail);
        tail.drain(from_tail, |line| self.print_context(line, out))?;
        while cursor.at < until {
            self.print_context(&cursor.next_line(), out)?;
        }
        Ok(())
    }

    /// Prints a context line, unless it is binary.
    fn print_context(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.is_binary(line) {
            return Ok(());
        }
        self.print_separator(line, out)?;
        // As in grep, a matching line beyond the limit is printed as context, without its matches.
        match self.tally.limits().keep {
            Keep::Matching => self.printer.context(&Line { spans: &[], cost: None, ..*line }, out),
            Keep::NonMatching => self.printer.context(line, out),
        }
    }

    /// Prints the separator between groups, if `line` does not follow the last printed line. Then records that `line`
    /// is printed.
    fn print_separator(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        let adjacent = self.state.printed_to == Some(line.offset);
        // There are no groups if all lines are printed.
        if self.printed && !adjacent && matches!(self.context, Context::Lines { .. }) {
            self.printer.separator(out)?;
        }
        self.printed = true;
        self.state.printed_to = Some(line.text_end() + line.end.len() as u64);
        Ok(())
    }

    /// Stores the offset of the first NUL byte, unless NUL is ordinary text or ends lines.
    fn find_nul(&mut self, batch: &Batch, lines: &Lines) {
        if self.binary != Binary::Text && lines.terminator != 0 && self.state.nul.is_none() {
            self.state.nul = memchr(0, batch.shown()).map(|at| lines.offset + at as u64);
            self.state.nul_in_input = self.state.nul.map(|nul| batch.offset_in_input(nul));
        }
    }

    /// Stores the offset just past the last selected line.
    fn store_selected_to(&mut self, to: Option<u64>, batch: &Batch) {
        self.state.selected_to = to;
        self.state.selected_to_in_input = to.map(|to| batch.offset_in_input(to));
    }

    /// Returns whether a NUL byte occurred before the end of the line.
    fn is_binary(&self, line: &Line<'_>) -> bool {
        self.state.nul.is_some_and(|nul| nul < line.text_end())
    }

    /// Returns a cursor at the start of a batch.
    fn cursor<'b>(&self, batch: &'b Batch, findings: &'b Findings) -> Cursor<'b> {
        Cursor {
            bytes: batch.shown(),
            lines: batch.lines().expect("lines are printed of text"),
            records: batch.records.as_ref().map(|_| batch),
            end: batch.line_end(),
            at: 0,
            number: self.state.lines + 1,
            numbers: self.printer.numbers(),
            items: &findings.items,
            spans: &findings.spans,
            hidden: &batch.hidden,
        }
    }

    /// Returns the line that the batch leaves open, if any.
    fn open_line(&self, batch: &Batch, lines: &Lines, findings: &Findings) -> Option<OpenLine> {
        let start = open_start(batch, lines)?;
        let has_hit = findings.items.last().is_some_and(|item| item.open);
        match self.state.open.filter(|_| start == 0 && batch.continues_item()) {
            Some(open) => Some(OpenLine { has_hit: open.has_hit || has_hit, ..open }),
            None => {
                let mark = if start == 0 { lines.mark } else { b"" };
                Some(OpenLine { begins: lines.offset + start as u64 - mark.len() as u64, has_hit })
            }
        }
    }

    /// Returns the offset in the input at which the line begins. `line` may be only the part of the line in this batch.
    fn begin_of(&self, line: &Line<'_>, batch: &Batch) -> u64 {
        let continued = self.state.open.filter(|_| line.start == 0 && batch.continues_item());
        continued.map_or(line.begins, |open| open.begins)
    }

    /// Returns whether the line was selected with an earlier batch.
    fn is_continued(&self, line: &Line<'_>) -> bool {
        self.state.last_selected == Some(line.begins)
    }

    /// Returns whether matches of the last selected line may follow in the next batch.
    fn is_incomplete(&self) -> bool {
        let open = self.state.open.map(|open| open.begins);
        self.printer.printed_part() == PrintedPart::Matches && open.is_some() && open == self.state.last_selected
    }

    /// Divides a selected line at the first NUL byte. Returns the matches to print, or `None` if nothing of the line is
    /// printed, and whether the line has a match that is not printed because of the NUL byte.
    fn before_nul<'l>(&mut self, line: &Line<'l>) -> (Option<&'l [MatchSpan]>, bool) {
        let is_binary = self.is_binary(line);
        if self.printer.printed_part() == PrintedPart::Lines {
            return ((!is_binary).then_some(line.spans), is_binary);
        }
        let is_before = |span: &MatchSpan| self.state.nul.is_none_or(|nul| line.searched(span).end <= nul);
        let (before, after) = line.spans.split_at(line.spans.partition_point(is_before));
        // A match of a pattern without symbols has no span.
        let is_empty = line.spans.is_empty() && line.printed.is_none();
        let goes_on = std::mem::take(&mut self.state.is_past_nul) || !after.is_empty() || (is_empty && is_binary);
        let is_printed = !before.is_empty() || line.printed.is_some() || !goes_on;
        (is_printed.then_some(before), goes_on)
    }

    /// Selects a line, or the next part of it, and prints it up to the first NUL byte. If a match follows the NUL byte,
    /// returns how the search continues, and otherwise `None`.
    fn select(&mut self, line: &mut Line<'_>, out: &mut dyn Write) -> io::Result<Option<Flow>> {
        let is_new = !self.is_continued(line);
        let (shown, is_binary) = self.before_nul(line);
        if is_binary && shown.is_none() && is_new && self.binary == Binary::PassedOver {
            self.state.needed_to = Some(line.begins);
            return Ok(Some(Flow::EnoughOfInput));
        }
        if is_new {
            self.tally.count(1);
            self.state.last_selected = Some(line.begins);
        }
        if let Some(shown) = shown {
            line.spans = shown;
            if is_new && line.printed.is_none() {
                self.print_separator(line, out)?;
            }
            self.printer.selected(line, out)?;
            self.state.after = self.context.after();
        }
        if !is_binary {
            return Ok(None);
        }
        // The end of the line may not be known yet, so the input counts as needed only up to the NUL byte.
        self.state.needed_to = self.state.nul.map(|nul| line.begins.max(nul + 1));
        Ok(Some(if self.binary == Binary::PassedOver { Flow::EnoughOfInput } else { Flow::Binary }))
    }

    /// Keeps the last lines from the cursor on as possible context of the next batch. Leaves out the line that starts
    /// at `open`, which continues in the next batch.
    fn keep_tail(&mut self, cursor: &mut Cursor<'_>, open: Option<usize>) {
        let max = self.context.before();
        if max == 0 {
            return;
        }
        let end = open.unwrap_or(cursor.bytes.len()).max(cursor.at);
        let start = cursor.start_of_last(max, end);
        cursor.move_to(start);
        while cursor.at < end {
            self.state.tail.push(&cursor.next_line(), max);
        }
    }

    /// Prints the lines from the cursor to the end of the batch as context, or keeps them as possible context. `open`
    /// is the start of a line that continues in the next batch.
    fn print_rest(&mut self, cursor: &mut Cursor<'_>, open: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let end = cursor.bytes.len();
        match self.context {
            Context::All if !self.tally.is_full() => self.print_before(cursor, end, out)?,
            _ => {
                self.print_after(cursor, end, out)?;
                self.keep_tail(cursor, open);
            }
        }
        cursor.move_to(end);
        Ok(())
    }
}

/// Returns the offset in the batch at which its open last line starts, if it leaves a line open.
fn open_start(batch: &Batch, lines: &Lines) -> Option<usize> {
    let last_start = || match &batch.records {
        Some(_) => batch.last_record_before(batch.owned().end, 0),
        None => memrchr(lines.terminator, &batch.shown()[..batch.owned().end]).map_or(0, |line_end| line_end + 1),
    };
    is_open(batch, lines).then(last_start)
}

impl Report for GrepReport {
    fn needs(&self) -> ReportNeeds {
        let limits = self.tally.limits();
        let shown = limits.keep == Keep::Matching || self.context != Context::None;
        let spans = if shown { self.printer.spans() } else { MatchDetail::None };
        // With -v, lines with matches are context. Whether they are printed depends on the lines around them.
        let early_spans = limits.keep == Keep::Matching && self.printer.takes_parts();
        // A printer that takes no parts shows the least distance of the line.
        let any_is_enough = limits.keep == Keep::NonMatching || self.printer.takes_parts();
        let item_hits = if any_is_enough { ItemHits::Any } else { ItemHits::All };
        // Lines are numbered from the start of the file, and a NUL byte before a line decides whether it is printed.
        let passed_batches = self.printer.numbers() == LineNumbering::Counted || self.binary != Binary::Text;
        let items = ReportNeeds::items(limits.max_items_in_batch());
        ReportNeeds { spans, early_spans, item_hits, passed_batches, ..items }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.tally.begin();
        self.printer.begin(label, size);
        self.state = InputState::default();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let lines = batch.lines().expect("lines are printed of text");
        self.find_nul(batch, lines);
        let mut cursor = self.cursor(batch, findings);
        // If the batch begins with context, its first line is a part of the open line.
        let first_has_hit = batch.continues_item() && self.state.open.is_some_and(|open| open.has_hit);
        let selection = Selection { keep: self.tally.limits().keep, first_has_hit };
        if self.is_incomplete() {
            self.store_selected_to(offset_after_first(batch), batch);
        }
        for start in selected_lines(selection, batch, findings) {
            let is_more = start == 0 && batch.continues_item() && self.is_incomplete();
            if self.tally.is_full() && !is_more {
                break;
            }
            let printed = self.state.part.take();
            if printed.is_none() {
                self.print_after(&mut cursor, start, out)?;
                self.print_before(&mut cursor, start, out)?;
            }
            let mut line = cursor.next_line();
            (line.printed, line.begins) = (printed, self.begin_of(&line, batch));
            let flow = self.select(&mut line, out)?;
            if flow != Some(Flow::EnoughOfInput) {
                self.store_selected_to(Some(lines.offset + cursor.at as u64), batch);
            }
            if let Some(flow) = flow {
                return Ok(flow);
            }
        }
        self.print_rest(&mut cursor, open_start(batch, lines), out)?;
        self.state.lines = cursor.number - 1;
        self.state.open = self.open_line(batch, lines, findings);
        self.state.searched.bytes += batch.owned().len() as u64;
        if self.tally.is_full() && self.state.after == 0 && !self.is_incomplete() {
            self.state.needed_to = self.state.selected_to.max(self.state.printed_to);
            return Ok(Flow::EnoughOfInput);
        }
        Ok(Flow::More)
    }

    fn add_spans(&mut self, early: &EarlySpans, out: &mut dyn Write) -> io::Result<()> {
        let batch = &early.line;
        let lines = batch.lines().expect("lines are printed of text");
        self.find_nul(batch, lines);
        let none = Findings::default();
        let mut cursor = self.cursor(batch, &none);
        let mut line = Line { spans: &early.spans, printed: self.state.part, more: true, ..cursor.next_line() };
        line.begins = self.begin_of(&line, batch);
        let is_new = !self.is_continued(&line);
        // Binary lines, and lines over the limit, are handled with their batch.
        if self.tally.is_full() && is_new {
            return Ok(());
        }
        let (shown, is_binary) = self.before_nul(&line);
        self.state.is_past_nul = is_binary;
        let Some(shown) = shown else { return Ok(()) };
        line.spans = shown;
        if is_new && line.printed.is_none() {
            cursor.at = 0;
            self.print_before(&mut cursor, 0, out)?;
            self.print_separator(&line, out)?;
        }
        self.state.part = line.printed_with_this();
        self.printer.selected(&line, out)
    }

    fn pass(&mut self, batch: &Batch) {
        let lines = batch.lines().expect("lines are printed of text");
        let bytes = batch.shown();
        self.find_nul(batch, lines);
        if self.printer.numbers() == LineNumbering::Counted {
            self.state.lines += memchr_iter(lines.terminator, bytes).count() as u64;
        }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        let bytes = self.state.needed_to.unwrap_or(self.state.searched.bytes);
        let binary = self.state.nul_in_input.filter(|_| self.tally.selected() > 0);
        self.printer.end(Searched { bytes, binary }, out)?;
        Ok(Vec::new())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        self.printer.finish(out)?;
        Ok(None)
    }

    fn needed_to(&self) -> Option<u64> {
        self.state.needed_to
    }

    fn selected_to(&self) -> Option<u64> {
        self.state.selected_to_in_input.filter(|_| self.tally.is_full())
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, NON_MATCHING, lines, prefix, print_input};
    use crate::{Heading, PlainPrinter, PlainStyle, Prefix, Show};

    fn report(limits: Limits, context: Context, binary: Binary) -> GrepReport {
        let (show, keep, heading) = (Show::Lines, limits.keep, Heading::None);
        let (prefix, separator) = (Prefix { line: true, ..prefix() }, Some(b"--".to_vec()));
        let style = PlainStyle { show, keep, prefix, heading, separator, columns: None, trim: false };
        GrepReport::new(limits, context, binary, Box::new(PlainPrinter::new(style, None)))
    }

    fn printed(limits: Limits, context: Context) -> String {
        let text = lines("a\nb\n[c|0]\nd\ne\nf\n[g|1]\n[h|0]\ni\n");
        print_input(&mut report(limits, context, Binary::Text), "in", &[text])
    }

    #[test]
    fn groups_of_lines_are_separated_unless_they_touch() {
        let context = |before, after| Context::Lines { before, after };
        assert_eq!(printed(MATCHING, context(1, 1)), "2-b\n3:c\n4-d\n--\n6-f\n7:g\n8:h\n9-i\n");
        assert_eq!(printed(MATCHING, context(1, 2)), "2-b\n3:c\n4-d\n5-e\n6-f\n7:g\n8:h\n9-i\n");
        assert_eq!(printed(MATCHING, context(0, 0)), "3:c\n--\n7:g\n8:h\n");
        assert_eq!(printed(MATCHING, Context::None), "3:c\n7:g\n8:h\n");
        assert_eq!(printed(NON_MATCHING, context(0, 1)), "1:a\n2:b\n3-c\n4:d\n5:e\n6:f\n7-g\n--\n9:i\n");
    }

    #[test]
    fn the_context_of_the_last_line_within_a_limit_is_printed() {
        let limits = Limits { max: Some(2), ..MATCHING };
        assert_eq!(printed(limits, Context::Lines { before: 0, after: 1 }), "3:c\n4-d\n--\n7:g\n8-h\n");
    }

    #[test]
    fn lines_after_a_nul_byte_are_not_printed() {
        let add = |binary| {
            let (mut report, mut out) = (report(MATCHING, Context::None, binary), Vec::new());
            report.begin(b"in", &|| None);
            let (batch, findings) = lines("[a|0]\n\0[b|0]\n[c|0]\n");
            let flow = report.add(&batch, &findings, &mut out).unwrap();
            (String::from_utf8(out).unwrap(), flow, report.needed_to())
        };
        assert_eq!(add(Binary::Text), ("1:a\n2:\0b\n3:c\n".to_owned(), Flow::More, None));
        assert_eq!(add(Binary::Announced), ("1:a\n".to_owned(), Flow::Binary, Some(3)));
        assert_eq!(add(Binary::PassedOver), ("1:a\n".to_owned(), Flow::EnoughOfInput, Some(2)));
    }
}
