//! Prints lines for people, as grep and ripgrep do: fields, a separator, and the line or its matches.

use std::borrow::Cow;
use std::io::{self, Write};
use std::iter;
use std::ops::Range;

use memchr::memchr;

use super::excerpt::{ELLIPSIS, excerpt, excerpt_text};
use super::line::{Line, LineNumbering};
use super::printer::{LinePrinter, PrintedPart};
use super::replacement::{MatchReplacement, ReplacedLine};
use crate::style::colours::ColouredPart;
use crate::style::prefix::{Fields, Prefix};
use crate::{Keep, KnownSize, MatchDetail, MatchSpan};
use nigh_input::{ESCAPE, escape_length};

/// The part of a line that is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The whole line.
    Lines,
    /// The matches, each on a line of its own. Lines without a match are omitted.
    Matches,
    /// The matches, each on a line of its own. Lines without a match are printed whole.
    MatchesAndLines,
    /// The whole line, once per match.
    LineOfEachMatch,
}

/// Position of the input's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// In the prefix of each line.
    None,
    /// Above the lines of the input, after an empty line except at the start of the output. The prefix then has no
    /// name.
    Above,
}

/// The style of printed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainStyle {
    /// The part of a line that is printed.
    pub show: Show,
    /// Choice of the selected lines.
    pub keep: Keep,
    /// Fields before a line.
    pub prefix: Prefix,
    /// Position of the input's name.
    pub heading: Heading,
    /// Separator between groups of lines; `None` for none.
    pub separator: Option<Vec<u8>>,
    /// Largest number of columns of a printed line or match; `None` for no limit. Of a longer one, an excerpt is printed.
    pub columns: Option<usize>,
    /// Whether to remove white space at the start of lines.
    pub trim: bool,
}

/// Prints lines for people.
pub struct PlainPrinter {
    style: PlainStyle,
    /// The text that is printed in place of matches; `None` to print the matches.
    replacement: Option<MatchReplacement>,
    label: Vec<u8>,
    /// Whether the heading of this input was printed.
    headed: bool,
    /// Whether the heading of any input was printed.
    any_headed: bool,
    /// The line end that is missing after a line that was cut short. It is printed before anything that follows.
    missing_end: Vec<u8>,
}

/// Whether a line is selected or context.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Selected,
    Context,
}

impl PlainPrinter {
    /// Makes a printer of the given style, which prints a `replacement` in place of matches if there is one.
    pub fn new(style: PlainStyle, replacement: Option<MatchReplacement>) -> Self {
        PlainPrinter {
            style,
            replacement,
            label: Vec::new(),
            headed: false,
            any_headed: false,
            missing_end: Vec::new(),
        }
    }

    /// Prints a line, or the lines of a record.
    fn print_all(&mut self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        if !line.is_record {
            return self.print(line, role, out);
        }
        for one in line.lines() {
            match self.style.show {
                // A line without a match is no match, but may belong to a record with one.
                Show::LineOfEachMatch if one.spans.is_empty() && !line.spans.is_empty() => {}
                Show::MatchesAndLines if one.spans.is_empty() => {
                    self.head_input(out)?;
                    self.whole(&one, role, out)?;
                }
                _ => self.print(&one, role, out)?,
            }
        }
        Ok(())
    }

    fn print(&mut self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        let matching = (role == Role::Selected) == (self.style.keep == Keep::Matching);
        match self.style.show {
            Show::Matches if !matching => Ok(()),
            Show::Matches | Show::MatchesAndLines if matching => self.matches(line, role, out),
            Show::LineOfEachMatch if matching && (!line.spans.is_empty() || line.printed.is_some()) => {
                self.head_input(out)?;
                let line = Line { printed: None, more: false, ..*line };
                let replaced = self.replaced(&line, role);
                (0..line.spans.len()).try_for_each(|nth| {
                    self.end_cut_line(out)?;
                    let shown = replaced.as_ref().map_or(line, |replaced| replaced.line(&line));
                    let only = Line { spans: &shown.spans[nth..nth + 1], ..shown };
                    self.head_line(&line, Some(&line.spans[nth]), role, out)?;
                    self.body(&only, role, out)
                })
            }
            _ => {
                self.head_input(out)?;
                self.whole(line, role, out)
            }
        }
    }

    /// Prints the line end that is missing after a line that was cut short.
    fn end_cut_line(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&std::mem::take(&mut self.missing_end))
    }

    /// Prints the heading of the input before its first line, if the style has headings.
    fn head_input(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.end_cut_line(out)?;
        if self.style.heading == Heading::None || self.headed {
            return Ok(());
        }
        if self.any_headed {
            out.write_all(b"\n")?;
        }
        (self.headed, self.any_headed) = (true, true);
        self.style.prefix.name_alone(&self.label, out)
    }

    /// Prints each match of a line on a line of its own. Skips empty matches, as grep does.
    fn matches(&mut self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        for span in line.spans.iter().filter(|span| !line.matched(span).is_empty()) {
            self.head_input(out)?;
            let fields = Fields {
                column: Some(line.column(span) + 1),
                byte: line.offset_of_match(span),
                cost: Some(span.distance),
                ..self.fields(line)
            };
            self.head(&fields, role, out)?;
            let text = match &self.replacement {
                Some(replacement) => Cow::Owned(replacement.alone(line, span)),
                None => line.shown_match(span),
            };
            let text = self.trimmed(&text);
            match self.excerpt(text, iter::empty()) {
                Some(parts) => self.matched(line, &excerpt_text(text, &parts), role, out),
                None => self.matched(line, text, role, out),
            }?;
            out.write_all(line.end)?;
        }
        Ok(())
    }

    /// Returns the line with its matches replaced, if they are.
    fn replaced(&self, line: &Line<'_>, role: Role) -> Option<ReplacedLine> {
        let matching = (role == Role::Selected) == (self.style.keep == Keep::Matching);
        self.replacement.as_ref().filter(|_| matching).map(|replacement| replacement.replace_in(line))
    }

    /// Prints a line, or the next part of it.
    fn whole(&mut self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        if line.printed.is_none() {
            self.head_line(line, None, role, out)?;
        }
        match self.replaced(line, role) {
            Some(replaced) => self.body(&replaced.line(line), role, out),
            None => self.body(line, role, out),
        }
    }

    /// Prints a line after its fields, or the next part of it.
    fn body(&mut self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        let first = line.text.len() - self.trimmed(line.text).len();
        let matches = line.spans.iter().map(|span| line.range_of(span)).filter(|range| range.start >= first);
        let matches = matches.map(|range| range.start - first..range.end - first);
        match self.excerpt(&line.text[first..], matches) {
            None => self.text(line, role, out),
            // The first part has the matches that an excerpt shows.
            Some(_) if line.printed.is_some() => Ok(()),
            Some(parts) => {
                let moved = |part: Range<usize>| part.start + first..part.end + first;
                self.parts(line, parts.into_iter().map(moved), role, out)
            }
        }?;
        if line.cut && !line.more {
            // A line end here would make the cut line look complete.
            self.missing_end = line.end.to_vec();
            return Ok(());
        }
        if line.more { Ok(()) } else { out.write_all(line.end) }
    }

    /// Writes the fields before a line.
    fn head_line(&self, line: &Line<'_>, only: Option<&MatchSpan>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        let first = only.or(line.spans.first()).filter(|_| role == Role::Selected);
        let fields = Fields {
            column: first.map(|span| line.column(span) + 1),
            cost: only.map(|span| span.distance).or(line.cost).filter(|_| role == Role::Selected),
            empty: line.mark.is_empty() && line.text.is_empty(),
            ..self.fields(line)
        };
        self.head(&fields, role, out)
    }

    fn fields(&self, line: &Line<'_>) -> Fields<'_> {
        Fields {
            label: &self.label,
            line: line.number,
            column: None,
            byte: line.offset_in_input(),
            cost: None,
            empty: false,
        }
    }

    /// Writes fields, each followed by the separator for selected or context lines.
    fn head(&self, fields: &Fields<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        let separator: &[u8] = if role == Role::Selected { b":" } else { b"-" };
        self.style.prefix.write(fields, separator, out)
    }

    /// Writes the text of a line, or the next part of it.
    fn text(&self, line: &Line<'_>, role: Role, out: &mut dyn Write) -> io::Result<()> {
        if !line.mark.is_empty() && line.printed.is_none() {
            self.style.prefix.colours.write(self.line_part(role), line.mark, out)?;
        }
        let first = line.text.len() - self.trimmed(line.text).len();
        if line.printed.is_none() {
            out.write_all(&line.hidden_to(first))?;
        }
        let start = line.printed.map_or(first, |printed| first.max(printed.end));
        let at = self.coloured(line, start..line.text.len(), role, out)?;
        if line.more { Ok(()) } else { self.plain(&line.shown(at..line.text.len()), role, out) }
    }

    /// Writes parts of a line, and an ellipsis for the text between them.
    fn parts(
        &self,
        line: &Line<'_>,
        parts: impl Iterator<Item = Range<usize>>,
        role: Role,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut end = line.text.len() - self.trimmed(line.text).len();
        for part in parts {
            if part.start > end {
                out.write_all(ELLIPSIS.as_bytes())?;
            } else {
                out.write_all(&line.hidden_to(part.start))?;
            }
            let at = self.coloured(line, part.clone(), role, out)?;
            self.plain(&line.shown(at..part.end), role, out)?;
            end = part.end;
        }
        if end < line.text.len() { out.write_all(ELLIPSIS.as_bytes()) } else { Ok(()) }
    }

    /// Writes a range of a line up to its last match if matches are coloured. Returns the offset at which the rest
    /// starts. The escape sequences are placed as in GNU grep.
    fn coloured(&self, line: &Line<'_>, range: Range<usize>, role: Role, out: &mut dyn Write) -> io::Result<usize> {
        let colours = &self.style.prefix.colours;
        let matching = (role == Role::Selected) == (self.style.keep == Keep::Matching);
        let mut at = range.start;
        if !matching || !colours.has(match_part(role)) {
            return Ok(at);
        }
        for Range { start, end } in line.spans.iter().map(|span| line.range_of(span)) {
            let end = end.min(range.end);
            if end <= at || start >= end {
                continue;
            }
            colours.start(self.line_part(role), out)?;
            out.write_all(&line.shown(at..start.max(at)))?;
            self.matched(line, &line.shown(start.max(at)..end), role, out)?;
            at = end;
        }
        Ok(at)
    }

    /// Writes the text of a match. Escape sequences that are hidden in it may end a colour, so the text after them is coloured
    /// anew.
    fn matched(&self, line: &Line<'_>, text: &[u8], role: Role, out: &mut dyn Write) -> io::Result<()> {
        let (colours, part) = (&self.style.prefix.colours, match_part(role));
        if line.hidden.is_empty() || !colours.has(part) {
            return colours.write(part, text, out);
        }
        let (mut rest, mut at) = (text, 0);
        while let Some(escape) = memchr(ESCAPE, &rest[at..]) {
            at += escape;
            let Some(length) = escape_length(&rest[at..]) else {
                at += 1;
                continue;
            };
            let (sequence, after) = rest[at..].split_at(length);
            self.matched_piece(&rest[..at], part, out)?;
            out.write_all(sequence)?;
            (rest, at) = (after, 0);
        }
        self.matched_piece(rest, part, out)
    }

    /// Writes a piece of a match without escape sequences, which may be empty.
    fn matched_piece(&self, text: &[u8], part: ColouredPart, out: &mut dyn Write) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.style.prefix.colours.write(part, text, out) }
    }

    /// Writes text without matches.
    fn plain(&self, text: &[u8], role: Role, out: &mut dyn Write) -> io::Result<()> {
        let (colours, part) = (&self.style.prefix.colours, self.line_part(role));
        // As in grep, a carriage return before the line end is not coloured.
        let coloured = text.strip_suffix(b"\r").unwrap_or(text);
        if !colours.has(part) || coloured.is_empty() {
            return out.write_all(text);
        }
        colours.write(part, coloured, out)?;
        out.write_all(&text[coloured.len()..])
    }

    /// Returns the colour of the text of a line.
    fn line_part(&self, role: Role) -> ColouredPart {
        let exchanged = self.style.prefix.colours.reversed() && self.style.keep == Keep::NonMatching;
        if (role == Role::Selected) == exchanged { ColouredPart::Context } else { ColouredPart::Selected }
    }

    fn trimmed<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        if self.style.trim { text.trim_ascii_start() } else { text }
    }

    /// Returns the parts of the excerpt of a text; `None` if it is short enough.
    fn excerpt(&self, text: &[u8], matches: impl Iterator<Item = Range<usize>>) -> Option<Vec<Range<usize>>> {
        excerpt(text, matches, self.style.columns?)
    }
}

fn match_part(role: Role) -> ColouredPart {
    if role == Role::Selected { ColouredPart::Match } else { ColouredPart::ContextMatch }
}

impl LinePrinter for PlainPrinter {
    fn spans(&self) -> MatchDetail {
        let colours = &self.style.prefix.colours;
        if self.replacement.is_some() {
            return MatchDetail::Groups;
        }
        let coloured = [ColouredPart::Match, ColouredPart::ContextMatch].iter().any(|&part| colours.has(part));
        let is_shown = self.style.show != Show::Lines || self.style.prefix.column;
        let wants_places = is_shown || coloured || self.style.columns.is_some();
        if wants_places { MatchDetail::Places } else { MatchDetail::None }
    }

    fn printed_part(&self) -> PrintedPart {
        match (self.style.show, self.style.keep) {
            (Show::Matches, Keep::Matching) => PrintedPart::Matches,
            _ => PrintedPart::Lines,
        }
    }

    fn takes_parts(&self) -> bool {
        match self.style.show {
            Show::Matches | Show::MatchesAndLines => true,
            // A replaced line has all its matches.
            Show::LineOfEachMatch => self.replacement.is_none(),
            // The least distance precedes the line, so all hits must be known.
            Show::Lines => !self.style.prefix.cost && self.replacement.is_none(),
        }
    }

    fn numbers(&self) -> LineNumbering {
        if self.style.prefix.line { LineNumbering::Counted } else { LineNumbering::NotWanted }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.label = label.to_vec();
        self.headed = false;
        self.style.prefix.align(size);
    }

    fn selected(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.print_all(line, Role::Selected, out)
    }

    fn context(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.print_all(line, Role::Context, out)
    }

    fn separator(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.end_cut_line(out)?;
        // With headings, the heading already separates two inputs.
        let Some(separator) =
            self.style.separator.as_ref().filter(|_| self.headed || self.style.heading == Heading::None)
        else {
            return Ok(());
        };
        self.style.prefix.colours.write(ColouredPart::Separator, separator, out)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, NON_MATCHING, lines, named, prefix, print_input};
    use crate::{Binary, Colours, Context, GrepReport};

    const TEXT: &str = "one [abc|1] two [abd|0]\nnone\n  [abc|2]\n";

    fn style(show: Show, prefix: Prefix) -> PlainStyle {
        let (keep, heading) = (Keep::Matching, Heading::None);
        PlainStyle { show, keep, prefix, heading, separator: None, columns: None, trim: false }
    }

    fn printed(style: PlainStyle) -> String {
        let limits = if style.keep == Keep::Matching { MATCHING } else { NON_MATCHING };
        let printer = Box::new(PlainPrinter::new(style, None));
        print_input(&mut GrepReport::new(limits, Context::None, Binary::Text, printer), "in", &[lines(TEXT)])
    }

    #[test]
    fn fields_come_before_a_line_in_the_order_of_grep() {
        assert_eq!(printed(style(Show::Lines, prefix())), "one abc two abd\n  abc\n");
        let all = Prefix { line: true, column: true, byte: true, cost: true, ..named() };
        assert_eq!(printed(style(Show::Lines, all)), "in:1:5:0:0:one abc two abd\nin:3:3:21:2:  abc\n");
        assert_eq!(printed(PlainStyle { keep: Keep::NonMatching, ..style(Show::Lines, named()) }), "in:none\n");
    }

    #[test]
    fn matches_have_fields_of_their_own() {
        let fields = Prefix { column: true, byte: true, cost: true, ..prefix() };
        let expected = "5:4:1:abc\n13:12:0:abd\n3:23:2:abc\n";
        assert_eq!(printed(style(Show::Matches, fields.clone())), expected);
        let line = "one abc two abd";
        let expected = format!("5:0:1:{line}\n13:0:0:{line}\n3:21:2:  abc\n");
        assert_eq!(printed(style(Show::LineOfEachMatch, fields)), expected);
    }

    #[test]
    fn a_heading_is_above_the_lines_of_its_input() {
        let style = PlainStyle { heading: Heading::Above, trim: true, ..style(Show::Lines, prefix()) };
        assert_eq!(printed(style), "in\none abc two abd\nabc\n");
    }

    #[test]
    fn an_excerpt_is_printed_of_a_line_that_is_too_long() {
        let short = |show| PlainStyle { columns: Some(9), ..style(show, prefix()) };
        assert_eq!(printed(short(Show::Lines)), "…abc …abd\n  abc\n");
        assert_eq!(printed(short(Show::Matches)), "abc\nabd\nabc\n");
    }

    #[test]
    fn only_matches_are_coloured() {
        let prefix = Prefix { colours: Colours::on(b"ne"), ..prefix() };
        let red = |text: &str| format!("\x1b[01;31m{text}\x1b[m");
        let expected = format!("one {} two {}\n  {}\n", red("abc"), red("abd"), red("abc"));
        assert_eq!(printed(style(Show::Lines, prefix)), expected);
    }
}
