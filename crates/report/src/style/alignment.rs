//! Alignments for people: two texts, one below the other, with bars between equal symbols.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use super::colours::{ColouredPart, Colours};
use nigh_text::alignment::{Cigar, Edit};

/// Minimum number of terminal columns for the symbols on one line, however narrow the terminal is.
const MIN_COLUMNS: usize = 10;

/// An alignment of two texts, to be printed one above the other.
pub struct AlignmentBlock<'a> {
    /// The text above. The CIGAR operation `I` consumes its symbols.
    pub upper: AlignedText,
    /// The text below. The CIGAR operation `D` consumes its symbols. Its symbols are coloured where the texts differ.
    pub lower: AlignedText,
    pub cigar: &'a Cigar,
}

/// One of two aligned texts.
pub struct AlignedText {
    /// Label of the text on each line.
    pub label: &'static str,
    /// Symbols of the text as printed.
    pub symbols: Vec<String>,
    /// The position before the first symbol, and after each symbol.
    pub positions: Vec<u64>,
}

/// One column of an alignment: an edit and its symbols.
struct AlignmentColumn<'a> {
    /// The upper symbol; `None` for a gap.
    upper: Option<&'a str>,
    /// The lower symbol; `None` for a gap.
    lower: Option<&'a str>,
    edit: Edit,
    /// Width of the wider symbol, in terminal columns.
    width: usize,
}

/// The columns of one line, and the numbers of symbols of each text before them and up to their end.
struct AlignmentLine<'a> {
    columns: &'a [AlignmentColumn<'a>],
    upper: (usize, usize),
    lower: (usize, usize),
}

/// The widths of the parts of a line before its symbols.
#[derive(Clone, Copy)]
struct Margins {
    label: usize,
    digits: usize,
}

impl AlignmentBlock<'_> {
    /// Writes the alignment in lines of at most `width` terminal columns, and an empty line.
    pub fn write(&self, width: usize, colours: &Colours, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
        let largest = [&self.upper, &self.lower].into_iter().flat_map(|text| &text.positions).max();
        let label = self.upper.label.len().max(self.lower.label.len());
        let margins = Margins { label, digits: largest.map_or(1, |largest| largest.to_string().len()) };
        // A line has the label, a position on either side, and blanks between them.
        let room = width.saturating_sub(label + 1 + 2 * (margins.digits + 1)).max(MIN_COLUMNS);
        let (mut in_upper, mut in_lower) = (0, 0);
        let mut rest = &columns[..];
        while !rest.is_empty() {
            let (columns, later) = rest.split_at(count_fitting(rest, room));
            rest = later;
            let upper_end = in_upper + columns.iter().filter(|column| column.upper.is_some()).count();
            let lower_end = in_lower + columns.iter().filter(|column| column.lower.is_some()).count();
            let line = AlignmentLine { columns, upper: (in_upper, upper_end), lower: (in_lower, lower_end) };
            self.line(&line, margins, colours, out)?;
            (in_upper, in_lower) = (upper_end, lower_end);
        }
        out.write_all(b"\n")
    }

    fn columns(&self) -> Vec<AlignmentColumn<'_>> {
        let (mut upper, mut lower) = (self.upper.symbols.iter(), self.lower.symbols.iter());
        let edits = self.cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length));
        let column = |edit| {
            let upper = if edit == Edit::TextOnly { None } else { upper.next().map(String::as_str) };
            let lower = if matches!(edit, Edit::PatternOnly | Edit::Overhang) {
                None
            } else {
                lower.next().map(String::as_str)
            };
            let width = [upper, lower].into_iter().flatten().map(width).max().unwrap_or(1);
            AlignmentColumn { upper, lower, edit, width }
        };
        edits.map(column).collect()
    }

    /// Writes the three lines for a part of the alignment.
    fn line(
        &self,
        line: &AlignmentLine<'_>,
        margins: Margins,
        colours: &Colours,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let AlignmentLine { columns, upper, lower } = line;
        let Margins { label, digits } = margins;
        write!(out, "{:label$} {:digits$} ", self.upper.label, self.upper.positions[upper.0])?;
        for column in *columns {
            cell(column.upper, column.width, out)?;
        }
        writeln!(out, " {}", self.upper.positions[upper.1])?;
        let mut bars = format!("{:label$} {:digits$} ", "", "");
        for column in *columns {
            let bar = if column.edit == Edit::Match { '|' } else { ' ' };
            bars.extend([bar].into_iter().chain(std::iter::repeat_n(' ', column.width - 1)));
        }
        writeln!(out, "{}", bars.trim_end())?;
        write!(out, "{:label$} {:digits$} ", self.lower.label, self.lower.positions[lower.0])?;
        for column in *columns {
            let mut shown = Vec::new();
            cell(column.lower, column.width, &mut shown)?;
            match column.edit {
                Edit::Match => out.write_all(&shown)?,
                _ => colours.write(ColouredPart::Match, &shown, out)?,
            }
        }
        writeln!(out, " {}", self.lower.positions[lower.1])
    }
}

/// Returns the number of alignment columns that fit into `room` terminal columns, but at least 1.
fn count_fitting(columns: &[AlignmentColumn<'_>], room: usize) -> usize {
    let mut used = 0;
    let fit = columns.iter().take_while(|column| {
        used += column.width;
        used <= room
    });
    fit.count().max(1)
}

/// Writes a symbol, or `-` for a gap, padded to `columns` terminal columns.
fn cell(symbol: Option<&str>, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let symbol = symbol.unwrap_or("-");
    write!(out, "{symbol}{:blank$}", "", blank = columns - width(symbol).min(columns))
}

/// Returns the width of a text in terminal columns.
fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(1)).sum()
}

/// Returns bytes as text that is safe to print. Control characters become control pictures, combining marks get a
/// dotted circle as their base, and invalid UTF-8 becomes U+FFFD.
pub fn shown(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for character in String::from_utf8_lossy(bytes).chars() {
        match character {
            '\0'..' ' => shown.extend(char::from_u32(0x2400 + u32::from(character))),
            '\x7f' => shown.push('\u{2421}'),
            _ if character.is_control() => shown.push('\u{fffd}'),
            _ if character.width() == Some(0) => shown.extend(['\u{25cc}', character]),
            _ => shown.push(character),
        }
    }
    shown
}
