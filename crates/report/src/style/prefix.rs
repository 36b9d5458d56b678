//! The prefix of a printed line: fields such as the file name and line number, as in GNU grep.

use std::io::{self, Write};

use super::colours::{ColouredPart, Colours};
use super::visible::Controls;

/// The fields to show before a line (`file` to `cost`, in this order), and their style.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "any of the fields may be there")]
pub struct Prefix {
    /// Whether to show the name of the input.
    pub file: bool,
    /// Whether to show the line number, from 1.
    pub line: bool,
    /// Whether to show the column: the position of the first match in the line, in bytes from 1.
    pub column: bool,
    /// Whether to show the byte offset in the input of the line, or of the match if only matches are printed.
    pub byte: bool,
    /// Whether to show the least distance of the line's hits, or the match's distance if only matches are printed.
    pub cost: bool,
    /// Whether a NUL byte replaces the separator after a file name.
    pub null: bool,
    /// Minimum width of numbers, if a tab precedes the text so that the text's own tab stops align. `None` for no
    /// minimum and no tab.
    pub tab: Option<usize>,
    /// Colours.
    pub colours: Colours,
    /// Treatment of control characters in the name of the input.
    pub controls: Controls,
}

/// The values of the fields for one line. A field with the value `None` is omitted.
pub struct Fields<'a> {
    pub label: &'a [u8],
    pub line: u64,
    pub column: Option<u64>,
    pub byte: u64,
    pub cost: Option<usize>,
    /// Whether the text after the fields is empty.
    pub empty: bool,
}

impl Prefix {
    /// Returns a prefix that shows only the names of inputs, if they are `shown`.
    pub fn of_names(shown: bool, colours: Colours, controls: Controls) -> Self {
        Prefix {
            file: shown,
            line: false,
            column: false,
            byte: false,
            cost: false,
            null: false,
            tab: None,
            colours,
            controls,
        }
    }

    /// Sets the width of aligned numbers to that of the largest possible offset in the input, as GNU grep does. `size`
    /// returns the input's size in bytes.
    pub fn align(&mut self, size: &dyn Fn() -> Option<u64>) {
        if self.tab.is_some() {
            let max = size().unwrap_or(i64::MAX as u64);
            self.tab = Some(itoa::Buffer::new().format(max).len());
        }
    }

    /// Writes the file name and the separator, if file names are shown.
    pub fn file(&self, label: &[u8], separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if !self.file {
            return Ok(());
        }
        self.colours.write(ColouredPart::File, &self.controls.show(label), out)?;
        if self.null { out.write_all(b"\0") } else { self.colours.write(ColouredPart::Separator, separator, out) }
    }

    /// Writes a file name on a line of its own.
    pub fn name_alone(&self, label: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.colours.write(ColouredPart::File, &self.controls.show(label), out)?;
        out.write_all(if self.null { b"\0" } else { b"\n" })
    }

    /// Writes all fields that are shown, each followed by the separator.
    pub fn write(&self, fields: &Fields<'_>, separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.file(fields.label, separator, out)?;
        let column = fields.column.filter(|_| self.column);
        let cost = fields.cost.filter(|_| self.cost);
        if self.line {
            self.number(ColouredPart::Line, fields.line, separator, out)?;
        }
        if let Some(column) = column {
            self.number(ColouredPart::Column, column, separator, out)?;
        }
        if self.byte {
            self.number(ColouredPart::Byte, fields.byte, separator, out)?;
        }
        if let Some(cost) = cost {
            self.number(ColouredPart::Cost, cost as u64, separator, out)?;
        }
        let any = self.file || self.line || column.is_some() || self.byte || cost.is_some();
        if self.tab.is_some() && any && !fields.empty { out.write_all(b"\t") } else { Ok(()) }
    }

    fn number(&self, part: ColouredPart, number: u64, separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.colours.start(part, out)?;
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number);
        (digits.len()..self.tab.unwrap_or(0)).try_for_each(|_| out.write_all(b" "))?;
        out.write_all(digits.as_bytes())?;
        self.colours.end(part, out)?;
        self.colours.write(ColouredPart::Separator, separator, out)
    }
}
