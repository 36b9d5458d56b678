//! What a report asks of workers, and what it is given.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use bstr::ByteSlice;

use super::findings::{EarlyRows, EarlySpans, Findings};
use crate::alignment::Cigar;
use crate::input::{Batch, plain};
use crate::pattern::Strand;

/// What is wanted of the matches to be shown in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spans {
    /// Nothing: just which lines or records have one.
    None,
    /// Where they lie.
    Places,
    /// Where they lie, and their edits.
    Edits,
}

/// Which hits are shown, where each of them can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// All ends.
    All,
    /// The matches of each pattern and strand that overlap no better one.
    Best,
}

/// What a report needs workers to find out.
#[derive(Clone)]
pub struct ReportNeeds {
    /// The matches to be shown.
    pub spans: Spans,
    /// How to format hits as rows, if they are.
    pub rows: Option<Arc<dyn Rows>>,
    /// Which hits have rows.
    pub hits: Hits,
    /// Whether all rows are printed in any case, so that those of half a batch can be.
    pub all_rows: bool,
    /// Whether some matches of a line can be printed before the others in it are known.
    pub early_spans: bool,
    /// How many items of a batch are of interest.
    pub max_items: usize,
    /// Whether the lengths of records are wanted.
    pub lengths: bool,
    /// Whether all bytes of the input have to be in some batch, also those that hold neither text nor names.
    pub all_bytes: bool,
}

impl ReportNeeds {
    /// Which lines or records have a hit, and no more than so many of a batch.
    pub fn items(max_items: usize) -> Self {
        ReportNeeds {
            spans: Spans::None,
            rows: None,
            hits: Hits::All,
            all_rows: false,
            early_spans: false,
            max_items,
            lengths: false,
            all_bytes: false,
        }
    }
}

/// One hit, in the terms of a table.
pub struct HitRow<'a> {
    /// The input's name.
    pub label: &'a [u8],
    /// The record's name; empty in text.
    pub record: &'a [u8],
    /// Where the match starts, if it was traced back: symbols of the record, or bytes of the text.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// How many residues the record has, if it ends in the batch and somebody has asked.
    pub record_length: Option<u64>,
    /// The pattern as the user wrote it.
    pub pattern: &'a [u8],
    /// Which of the user's patterns it is, from 0.
    pub number: usize,
    /// A letter for each symbol of the pattern, in the direction of the text.
    pub letters: &'a str,
    /// The number of edits.
    pub distance: usize,
    /// The strand of the pattern.
    pub strand: Strand,
    /// The edits; nothing if the hit was not traced back.
    pub cigar: Option<&'a Cigar>,
    /// The match as it stands in the input, with line breaks.
    pub matched: &'a [u8],
}

/// Formats hits as rows of a table, one at a time and in any thread.
pub trait Rows: Send + Sync {
    /// Whether a row shows where the match starts.
    fn wants_alignment(&self) -> bool;
    /// Adds the row of one hit.
    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>);
}

/// What is to be done after a batch was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    More,
    /// Nothing more is wanted from this input.
    EnoughOfInput,
    /// Nothing more is wanted from this input: a line of it matches and is not text.
    Binary,
    /// Nothing more is wanted at all.
    EnoughOfAll,
}

/// Prints what was found.
pub trait Report: Send {
    /// What workers have to find out.
    fn detail(&self) -> ReportNeeds;
    /// An input begins.
    fn begin(&mut self, label: &[u8]);
    /// Hears how large the input is that begins, if it asks: nothing if it is no file.
    fn sized(&mut self, _: &dyn Fn() -> Option<u64>) {}
    /// Reports the next batch of the input.
    ///
    /// # Errors
    /// What writing gave.
    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow>;
    /// Takes note of a batch of the input that somebody else reports.
    fn pass(&mut self, _: &Batch) {}
    /// Prints rows of a batch whose other rows and items come later.
    ///
    /// # Errors
    /// What writing gave.
    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&rows.bytes)
    }
    /// Reports some matches of the next line of the input. The others follow in order, the last of them with the batch
    /// that holds the line. Called only if [`ReportNeeds::early_spans`] is set.
    ///
    /// # Errors
    /// What writing gave.
    fn add_spans(&mut self, _: &EarlySpans, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// The input has ended, or enough was had of it.
    ///
    /// # Errors
    /// What writing gave.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// All inputs have ended.
    ///
    /// # Errors
    /// What writing gave.
    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Takes the records of the input that ended last that could not be shown as they are.
    fn bad_records(&mut self) -> Vec<BadRecords> {
        Vec::new()
    }
    /// Offset behind the last line that was selected, where no more are wanted.
    fn selected_to(&self) -> Option<u64> {
        None
    }
    /// Offset up to which the input had to be read, where that is not its end.
    fn needed_to(&self) -> Option<u64> {
        None
    }
    /// Whether a line or record of any input was selected.
    fn has_selected(&self) -> bool;
}

/// Why a report cannot be made, where it is not its output that cannot be written. It travels as an [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// What had to wait could not be kept.
    #[error("temporary file: {}", plain(.0))]
    Spool(io::Error),
}

/// Records of one input that a format cannot show as they are, for the user to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecords {
    /// The first of them.
    pub(super) name: String,
    /// How many there are.
    pub(super) count: u64,
    pub(super) problem: &'static str,
}

impl BadRecords {
    /// No records yet, of which the first will be this one.
    pub(super) fn new(name: &[u8], problem: &'static str) -> Self {
        BadRecords { name: name.to_str_lossy().into_owned(), count: 0, problem }
    }
}

impl fmt::Display for BadRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record '{}'", self.name)?;
        match self.count {
            ..2 => {}
            2 => write!(f, " and 1 other")?,
            more => write!(f, " and {} others", more - 1)?,
        }
        write!(f, ": {}", self.problem)
    }
}

impl From<ReportError> for io::Error {
    fn from(error: ReportError) -> Self {
        io::Error::other(error)
    }
}
