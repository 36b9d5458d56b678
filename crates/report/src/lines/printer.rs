//! The contract of line printers, which format the lines that a report selects.

use std::io::{self, Write};

use super::line::{Line, LineNumbering};
use crate::{KnownSize, MatchDetail};

/// The parts of selected lines that a printer may print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedPart {
    /// Whole lines.
    Lines,
    /// Only matches, so a line may be cut between two batches.
    Matches,
}

/// Formats and prints lines, one input after another, in order.
pub trait LinePrinter: Send {
    /// Returns the facts that the printer shows about the matches in lines.
    fn spans(&self) -> MatchDetail;
    /// Returns the parts of selected lines that the printer prints.
    fn printed_part(&self) -> PrintedPart {
        PrintedPart::Lines
    }
    /// Returns whether the printer can print a line in parts, before all matches of the line are known.
    fn takes_parts(&self) -> bool;
    /// Returns whether the printer shows line numbers.
    fn numbers(&self) -> LineNumbering;
    /// Begins the input named `label`.
    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>);
    /// Prints a selected line, or the next part of it.
    ///
    /// # Errors
    /// Write errors.
    fn selected(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Prints a context line.
    ///
    /// # Errors
    /// Write errors.
    fn context(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Prints the separator between two groups of lines.
    ///
    /// # Errors
    /// Write errors.
    fn separator(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Ends the input.
    ///
    /// # Errors
    /// Write errors.
    fn end(&mut self, _: Searched, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Ends the output, after all inputs.
    ///
    /// # Errors
    /// Write errors.
    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Statistics of a searched input.
#[derive(Debug, Clone, Copy, Default)]
pub struct Searched {
    /// Number of bytes searched.
    pub bytes: u64,
    /// Offset in the input of the first NUL byte, if the input is binary and a line was selected.
    pub binary: Option<u64>,
}
