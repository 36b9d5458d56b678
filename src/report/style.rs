//! What stands before a line, and colours, both as GNU grep has them.

use std::io::{self, Write};

/// Whether output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// It is not.
    Off,
    /// As GNU grep does without GREP_COLORS.
    On,
}

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    File,
    Number,
    Separator,
    Match,
}

impl Colours {
    pub(super) fn write(self, part: Part, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self == Colours::Off || text.is_empty() {
            return out.write_all(text);
        }
        let code = match part {
            Part::File => "35",
            Part::Number => "32",
            Part::Separator => "36",
            Part::Match => "01;31",
        };
        write!(out, "\x1b[{code}m\x1b[K")?;
        out.write_all(text)?;
        out.write_all(b"\x1b[m\x1b[K")
    }
}

/// Which fields stand before a line, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// The input's name.
    pub file: bool,
    /// The number of the line, from 1.
    pub line: bool,
    /// The offset of the line, or of the match where only that is printed.
    pub byte: bool,
    /// The least distance.
    pub cost: bool,
    /// A NUL byte and no separator behind a file name.
    pub null: bool,
    /// Colours.
    pub colours: Colours,
}

/// What the fields say for one line.
pub(super) struct Fields<'a> {
    pub(super) label: &'a [u8],
    pub(super) line: u64,
    pub(super) byte: u64,
    pub(super) cost: Option<usize>,
}

impl Prefix {
    /// Writes the file name and the separator, if names are shown.
    pub(super) fn file(&self, label: &[u8], separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if !self.file {
            return Ok(());
        }
        self.colours.write(Part::File, label, out)?;
        if self.null { out.write_all(b"\0") } else { self.colours.write(Part::Separator, separator, out) }
    }

    /// Writes a file name as a line of its own.
    pub(super) fn name_alone(&self, label: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.colours.write(Part::File, label, out)?;
        out.write_all(if self.null { b"\0" } else { b"\n" })
    }

    /// Writes all fields that are shown, each with a separator behind it.
    pub(super) fn write(&self, fields: &Fields<'_>, separator: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.file(fields.label, separator, out)?;
        let numbers = [
            self.line.then_some(fields.line),
            self.byte.then_some(fields.byte),
            fields.cost.filter(|_| self.cost).map(|cost| cost as u64),
        ];
        for number in numbers.into_iter().flatten() {
            self.colours.write(Part::Number, number.to_string().as_bytes(), out)?;
            self.colours.write(Part::Separator, separator, out)?;
        }
        Ok(())
    }
}
