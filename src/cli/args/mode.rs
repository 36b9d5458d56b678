//! The form of the output, which follows from several options.

use super::{Args, TableFormat};

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Mode {
    /// No output (`-q`).
    Nothing,
    /// The names of files with a selected line or record (`-l`).
    FilesWith,
    /// The names of files without a selected line or record (`-L`).
    FilesWithout,
    /// The number of selected lines or records (`-c`).
    Count,
    /// The number of matches.
    CountMatches,
    /// A table of the hits of each pattern.
    CountPatterns,
    /// The number of lines or hits with each distance.
    Histogram,
    /// A row for each hit in text.
    Ends,
    /// An alignment of each hit.
    Align,
    /// JSON Lines in the format of ripgrep.
    Json,
    /// The matches alone (`-o`).
    Matches,
    /// Selected lines, or hits or records in this format.
    Selected(TableFormat),
}

impl Mode {
    /// Returns whether the output consists of counts or names of files, or is empty. Such output has the same form for
    /// lines and records.
    pub(in crate::cli) fn is_summary(self) -> bool {
        matches!(self, Mode::Nothing | Mode::FilesWith | Mode::FilesWithout | Mode::Count)
    }
}

impl Args {
    /// Returns the form of the output. Of `-q`, `-l`, `-L` and `-c`, the first in this order applies, as in GNU grep. The
    /// parser has refused most other combinations.
    pub(in crate::cli) fn mode(&self) -> Mode {
        let output = &self.output;
        let modes = [
            (output.quiet, Mode::Nothing),
            (output.list_with, Mode::FilesWith),
            (output.list_without, Mode::FilesWithout),
            (output.count, Mode::Count),
            (self.fuzzy.ends, Mode::Ends),
            (output.count_patterns, Mode::CountPatterns),
            (output.align, Mode::Align),
            (output.count_matches, Mode::CountMatches),
            (output.histogram, Mode::Histogram),
            (output.json, Mode::Json),
            (output.only_matching, Mode::Matches),
        ];
        let selected = Mode::Selected(self.sequences.format.unwrap_or(TableFormat::Tsv));
        modes.iter().find(|(given, _)| *given).map_or(selected, |(_, mode)| *mode)
    }
}
