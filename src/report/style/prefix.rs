//! The fields before a line, as GNU grep writes them.

use std::io::{self, Write};

use super::colours::{Colours, Part};
use super::visible::Controls;

/// Which fields stand before a line, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "any of the fields may be there")]
pub struct Prefix {
    /// The input's name.
    pub file: bool,
    /// The number of the line, from 1.
    pub line: bool,
    /// Where in the line its first match starts, in bytes, from 1.
    pub column: bool,
    /// The offset of the line, or of the match where only that is printed.
    pub byte: bool,
    /// The least distance.
    pub cost: bool,
    /// A NUL byte and no separator behind a file name.
    pub null: bool,
    /// A tab before the text, so that tabs in it stand where they would, and numbers of this width at least.
    pub tab: Option<usize>,
    /// Colours.
    pub colours: Colours,
    /// How the input's name is shown.
    pub controls: Controls,
}

/// What the fields say for one line; what is not known has no field.
pub(crate) struct Fields<'a> {
    pub(crate) label: &'a [u8],
    pub(crate) line: u64,
    pub(crate) column: Option<u64>,
    pub(crate) byte: u64,
    pub(crate) cost: Option<usize>,
    /// Whether nothing stands behind them.
    pub(crate) empty: bool,
}

impl Prefix {
    /// Where tabs are aligned, numbers are as wide as an offset in the input can be, as in GNU grep.
    pub(crate) fn align(&mut self, size: &dyn Fn() -> Option<u64>) {
        if self.tab.is_some() {
            let most = size().unwrap_or(i64::MAX as u64);
            self.tab = Some(itoa::Buffer::new().format(most).len());
        }
    }

    /// Writes the file name and the separator, if names are shown.
    pub(crate) fn file(&self, label: &[u8], separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if !self.file {
            return Ok(());
        }
        self.colours.write(Part::File, &self.controls.show(label), out)?;
        if self.null { out.write_all(b"\0") } else { self.colours.write(Part::Separator, separator, out) }
    }

    /// Writes a file name as a line of its own.
    pub(crate) fn name_alone(&self, label: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.colours.write(Part::File, &self.controls.show(label), out)?;
        out.write_all(if self.null { b"\0" } else { b"\n" })
    }

    /// Writes all fields that are shown, each with a separator behind it.
    pub(crate) fn write(&self, fields: &Fields<'_>, separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.file(fields.label, separator, out)?;
        let column = fields.column.filter(|_| self.column);
        let cost = fields.cost.filter(|_| self.cost);
        if self.line {
            self.number(Part::Line, fields.line, separator, out)?;
        }
        if let Some(column) = column {
            self.number(Part::Column, column, separator, out)?;
        }
        if self.byte {
            self.number(Part::Byte, fields.byte, separator, out)?;
        }
        if let Some(cost) = cost {
            self.number(Part::Cost, cost as u64, separator, out)?;
        }
        let any = self.file || self.line || column.is_some() || self.byte || cost.is_some();
        if self.tab.is_some() && any && !fields.empty { out.write_all(b"\t") } else { Ok(()) }
    }

    fn number(&self, part: Part, number: u64, separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.colours.start(part, out)?;
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number);
        (digits.len()..self.tab.unwrap_or(0)).try_for_each(|_| out.write_all(b" "))?;
        out.write_all(digits.as_bytes())?;
        self.colours.end(part, out)?;
        self.colours.write(Part::Separator, separator, out)
    }
}
