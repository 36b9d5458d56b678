//! `--align`: a hit as three lines, the pattern over bars over the text, for people.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::alignment::Edit;
use crate::alphabet::Alphabet;
use crate::pattern::Strand;
use crate::report::style::colours::Part;
use crate::report::{HitRow, Prefix, Rows};
use crate::text::symbols;

/// Longer patterns are named by their number.
const MAX_LABEL: usize = 40;
/// So many columns of an alignment stand in a line, however narrow that is.
const MIN_COLUMNS: usize = 10;

/// Blocks of lines, with an empty one behind each hit. Places are 0-based and half-open, on the forward strand: residues of
/// the record, or bytes of the text.
pub struct AlignRows {
    /// What symbols are.
    pub alphabet: Alphabet,
    /// Of this, the file name and the colours count.
    pub prefix: Prefix,
    /// How many columns a line has.
    pub width: usize,
}

/// One column of an alignment.
struct Column {
    pattern: Option<String>,
    text: Option<String>,
    edit: Edit,
    width: usize,
    /// How far the text goes on with it.
    advance: u64,
}

/// A line of an alignment, and where in the pattern and in the text it starts and ends.
struct Stretch<'a> {
    columns: &'a [Column],
    pattern: (u64, u64),
    text: (u64, u64),
}

impl Rows for AlignRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        self.block(place, out).expect("memory can be written to");
    }
}

impl AlignRows {
    fn block(&self, place: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        self.head(place, out)?;
        let columns = self.columns(place);
        let symbols = place.letters.chars().count() as u64;
        let digits = place.end.max(symbols).to_string().len();
        // "pattern ", a number on either side, and blanks between.
        let room = self.width.saturating_sub("pattern ".len() + 2 * (digits + 1)).max(MIN_COLUMNS);
        let (mut in_pattern, mut in_text) = (0, place.start);
        let mut rest = &columns[..];
        while !rest.is_empty() {
            let (columns, later) = rest.split_at(fitting(rest, room));
            rest = later;
            let pattern_end = in_pattern + columns.iter().filter(|column| column.pattern.is_some()).count() as u64;
            let text_end = in_text + columns.iter().map(|column| column.advance).sum::<u64>();
            let pattern = match place.strand {
                Strand::Forward => (in_pattern, pattern_end),
                Strand::Reverse => (symbols - in_pattern, symbols - pattern_end),
            };
            self.stretch(&Stretch { columns, pattern, text: (in_text, text_end) }, digits, out)?;
            (in_pattern, in_text) = (pattern_end, text_end);
        }
        out.write_all(b"\n")
    }

    /// The line that says where the match is, and of what.
    fn head(&self, place: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        if self.prefix.file {
            self.prefix.colours.write(Part::File, shown(place.label).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        if self.alphabet.is_sequence() {
            self.prefix.colours.write(Part::File, shown(place.record).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        write!(out, "{}-{} {} ", place.start, place.end, char::from(place.strand.sign()))?;
        match place.pattern.len() <= MAX_LABEL {
            true => out.write_all(shown(place.pattern).as_bytes())?,
            false => write!(out, "pattern {}", place.number + 1)?,
        }
        writeln!(out, " distance {}", place.distance)
    }

    fn columns(&self, place: &HitRow<'_>) -> Vec<Column> {
        let mut letters = place.letters.chars();
        let mut text = symbols(self.alphabet, place.matched);
        let runs = place.cigar.map_or(&[][..], |cigar| cigar.runs());
        let edits = runs.iter().flat_map(|&(length, edit)| std::iter::repeat_n(edit, length as usize));
        let column = |edit| {
            let letter = if edit == Edit::TextOnly { None } else { letters.next() };
            let placed = if edit == Edit::PatternOnly { None } else { text.next() };
            let advance = match (&placed, self.alphabet.is_sequence()) {
                (None, _) => 0,
                (Some(_), true) => 1,
                (Some(placed), false) => (placed.end - placed.start) as u64,
            };
            let pattern = letter.map(|letter| shown(letter.encode_utf8(&mut [0; 4]).as_bytes()));
            let text = placed.map(|placed| shown(&place.matched[placed.start..placed.end]));
            let width = [&pattern, &text].into_iter().flatten().map(|cell| width(cell)).max().unwrap_or(1);
            Column { pattern, text, edit, width, advance }
        };
        edits.map(column).collect()
    }

    fn stretch(&self, stretch: &Stretch<'_>, digits: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let Stretch { columns, pattern, text } = stretch;
        write!(out, "pattern {:digits$} ", pattern.0)?;
        for column in *columns {
            cell(column.pattern.as_deref(), column.width, out)?;
        }
        writeln!(out, " {}", pattern.1)?;
        let mut bars = format!("        {:digits$} ", "");
        for column in *columns {
            let bar = if column.edit == Edit::Match { '|' } else { ' ' };
            bars.extend([bar].into_iter().chain(std::iter::repeat_n(' ', column.width - 1)));
        }
        writeln!(out, "{}", bars.trim_end())?;
        write!(out, "text    {:digits$} ", text.0)?;
        for column in *columns {
            let mut shown = Vec::new();
            cell(column.text.as_deref(), column.width, &mut shown)?;
            match column.edit {
                Edit::Match => out.write_all(&shown)?,
                _ => self.prefix.colours.write(Part::Match, &shown, out)?,
            }
        }
        writeln!(out, " {}", text.1)
    }
}

/// How many columns fit into so much room.
fn fitting(columns: &[Column], room: usize) -> usize {
    let mut used = 0;
    let fit = columns.iter().take_while(|column| {
        used += column.width;
        used <= room
    });
    fit.count().max(1)
}

/// Writes a symbol, or the sign that there is none, with blanks up to the width of its column.
fn cell(symbol: Option<&str>, columns: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let symbol = symbol.unwrap_or("-");
    write!(out, "{symbol}{:blank$}", "", blank = columns - width(symbol).min(columns))
}

/// How many columns a terminal takes for a text that is shown.
fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(1)).sum()
}

/// Bytes as they can be shown without harm: pictures of control characters, a mark that takes a combining one, and the sign
/// for what is not UTF-8.
fn shown(bytes: &[u8]) -> String {
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
