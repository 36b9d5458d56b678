//! `--align`: prints alignments for people. The pattern, bars under equal symbols, and the text are one below the
//! other.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::alignment::Edit;
use crate::alphabet::Alphabet;
use crate::pattern::Strand;
use crate::report::style::colours::ColouredPart;
use crate::report::{HitRow, Prefix, Rows};
use crate::text::symbols;

/// Maximum length in bytes of a printed pattern name. A longer name is replaced by the pattern's number.
const MAX_LABEL: usize = 40;
/// Minimum number of terminal columns for the symbols on one line, however narrow the terminal is.
const MIN_COLUMNS: usize = 10;

/// Formats a hit as a block of lines that ends with an empty line. Positions are 0-based and half-open on the forward
/// strand, in residues of the record or bytes of the text.
pub(crate) struct AlignRows {
    /// The alphabet, which divides the text into symbols.
    pub alphabet: Alphabet,
    /// The prefix. Only its file name and colours are used.
    pub prefix: Prefix,
    /// Width of a line in terminal columns.
    pub width: usize,
}

/// One column of an alignment: an edit and its symbols.
struct AlignmentColumn {
    /// The pattern's symbol as printed; `None` for a gap.
    pattern: Option<String>,
    /// The text's symbol as printed; `None` for a gap.
    text: Option<String>,
    edit: Edit,
    /// Width of the wider symbol, in terminal columns.
    width: usize,
    /// Length of the text's symbol: 0 or 1 residue, or a number of bytes.
    advance: u64,
}

/// The part of an alignment that fits on one line, and its start and end in the pattern and in the text. On the reverse
/// strand, positions in the pattern descend.
struct AlignmentLine<'a> {
    columns: &'a [AlignmentColumn],
    pattern: (u64, u64),
    text: (u64, u64),
}

impl Rows for AlignRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        self.block(hit, out).expect("memory can be written to");
    }
}

impl AlignRows {
    /// Writes the block of a hit.
    fn block(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        self.head(hit, out)?;
        let columns = self.columns(hit);
        let symbols = hit.letters.chars().count() as u64;
        let digits = hit.end.max(symbols).to_string().len();
        // The label "pattern ", a position on either side, and blanks between them.
        let room = self.width.saturating_sub("pattern ".len() + 2 * (digits + 1)).max(MIN_COLUMNS);
        let (mut in_pattern, mut in_text) = (0, hit.start);
        let mut rest = &columns[..];
        while !rest.is_empty() {
            let (columns, later) = rest.split_at(count_fitting(rest, room));
            rest = later;
            let pattern_end = in_pattern + columns.iter().filter(|column| column.pattern.is_some()).count() as u64;
            let text_end = in_text + columns.iter().map(|column| column.advance).sum::<u64>();
            let pattern = match hit.strand {
                Strand::Forward => (in_pattern, pattern_end),
                Strand::Reverse => (symbols - in_pattern, symbols - pattern_end),
            };
            self.line(&AlignmentLine { columns, pattern, text: (in_text, text_end) }, digits, out)?;
            (in_pattern, in_text) = (pattern_end, text_end);
        }
        out.write_all(b"\n")
    }

    /// Writes the first line of a block: the names of the input and record, the range of the match, its strand, the
    /// pattern and the distance.
    fn head(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        if self.prefix.file {
            self.prefix.colours.write(ColouredPart::File, shown(hit.label).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        if self.alphabet.is_sequence() {
            self.prefix.colours.write(ColouredPart::File, shown(hit.record).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        write!(out, "{}-{} {} ", hit.start, hit.end, char::from(hit.strand.sign()))?;
        if hit.pattern.len() <= MAX_LABEL {
            out.write_all(shown(hit.pattern).as_bytes())?;
        } else {
            write!(out, "pattern {}", hit.number + 1)?;
        }
        writeln!(out, " distance {}", hit.distance)
    }

    /// Returns the columns of a hit's alignment.
    fn columns(&self, hit: &HitRow<'_>) -> Vec<AlignmentColumn> {
        let mut letters = hit.letters.chars();
        let mut text = symbols(self.alphabet, hit.matched);
        let runs = hit.cigar.map_or(&[][..], |cigar| cigar.runs());
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
            let text = placed.map(|placed| shown(&hit.matched[placed.start..placed.end]));
            let width = [&pattern, &text].into_iter().flatten().map(|cell| width(cell)).max().unwrap_or(1);
            AlignmentColumn { pattern, text, edit, width, advance }
        };
        edits.map(column).collect()
    }

    /// Writes the three lines for a part of an alignment. `digits` is the width of the positions on the left.
    fn line(&self, line: &AlignmentLine<'_>, digits: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let AlignmentLine { columns, pattern, text } = line;
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
                _ => self.prefix.colours.write(ColouredPart::Match, &shown, out)?,
            }
        }
        writeln!(out, " {}", text.1)
    }
}

/// Returns the number of alignment columns that fit into `room` terminal columns, but at least 1.
fn count_fitting(columns: &[AlignmentColumn], room: usize) -> usize {
    let mut used = 0;
    let fit = columns.iter().take_while(|column| {
        used += column.width;
        used <= room
    });
    fit.count().max(1)
}

/// Writes a symbol, or `-` for a gap, padded to `columns` terminal columns.
fn cell(symbol: Option<&str>, columns: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let symbol = symbol.unwrap_or("-");
    write!(out, "{symbol}{:blank$}", "", blank = columns - width(symbol).min(columns))
}

/// Returns the width of a text in terminal columns.
fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(1)).sum()
}

/// Returns bytes as text that is safe to print. Control characters become control pictures, combining marks get a
/// dotted circle as their base, and invalid UTF-8 becomes U+FFFD.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_support::{cigar, hit, prefix, row};

    fn rows(width: usize) -> AlignRows {
        AlignRows { alphabet: Alphabet::Dna, prefix: prefix(), width }
    }

    #[test]
    fn bars_are_between_symbols_that_match() {
        let expected =
            "chr1 10-16 + site 1 distance 1\npattern  0 ACGTAC 6\n           || |||\ntext    10 ACCTAC 16\n\n";
        assert_eq!(row(&rows(80), &hit(&cigar("2=1X3="))), expected);
    }

    #[test]
    fn a_gap_is_a_dash_and_takes_no_position() {
        let cigar = cigar("2=1I3=");
        let printed = row(&rows(80), &HitRow { end: 15, matched: b"ACTAC", ..hit(&cigar) });
        assert!(printed.contains("pattern  0 ACGTAC 6\n           || |||\ntext    10 AC-TAC 15\n"), "{printed}");
    }

    #[test]
    fn positions_of_the_pattern_descend_on_the_reverse_strand() {
        let cigar = cigar("6=");
        let printed = row(&rows(80), &HitRow { strand: Strand::Reverse, ..hit(&cigar) });
        assert!(printed.contains("pattern  6 ACGTAC 0\n"), "{printed}");
    }

    #[test]
    fn a_long_alignment_continues_on_further_lines() {
        let cigar = cigar("12=");
        let hit = HitRow { end: 22, letters: "ACGTACGTACGT", matched: b"ACGTACGTACGT", ..hit(&cigar) };
        let printed = row(&rows(0), &hit);
        assert!(printed.contains("text    10 ACGTACGTAC 20\npattern 10 GT 12\n"), "{printed}");
        assert!(printed.ends_with("text    20 GT 22\n\n"), "{printed}");
    }
}
