//! How a line is printed, and what stands before it.

use std::io::{self, Write};

use super::line::{Line, Numbers};
use crate::report::Spans;

/// Prints lines of one input after the other, in the order of the input.
pub trait LinePrinter: Send {
    /// What it shows of the matches in lines.
    fn spans(&self) -> Spans;
    /// Whether it can print a line in parts, some matches of it before the others are known.
    fn takes_parts(&self) -> bool;
    /// Whether it shows their numbers.
    fn numbers(&self) -> Numbers;
    /// An input begins.
    fn begin(&mut self, label: &[u8]);
    /// Hears how large the input is that begins, if it asks: nothing if it is no file.
    fn sized(&mut self, _: &dyn Fn() -> Option<u64>) {}
    /// Prints a line that is selected, or the next part of one.
    ///
    /// # Errors
    /// What writing gave.
    fn selected(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Prints a line near one that is selected.
    ///
    /// # Errors
    /// What writing gave.
    fn context(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what stands between two groups of lines.
    ///
    /// # Errors
    /// What writing gave.
    fn separator(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// An input has ended.
    ///
    /// # Errors
    /// What writing gave.
    fn end(&mut self, _: Searched, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// All inputs have ended.
    ///
    /// # Errors
    /// What writing gave.
    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// What was searched of an input.
#[derive(Debug, Clone, Copy, Default)]
pub struct Searched {
    /// How many bytes.
    pub bytes: u64,
    /// Where the first NUL byte is, if it kept lines from being printed.
    pub binary: Option<u64>,
}
