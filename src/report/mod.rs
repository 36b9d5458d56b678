//! From matches to bytes: what is printed for an input, in one file for each form.
//!
//! A worker prepares [`Findings`] for a batch, in any order; a [`Report`] gets them in the order of the input.

mod count;
mod ends;
mod files;
mod grep;
mod rows;
mod style;
mod tally;
mod tsv;

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

pub use count::CountReport;
pub use ends::EndRows;
pub use files::{FilesReport, List};
pub use grep::{Binary, Context, GrepReport, Show};
pub use rows::RowReport;
pub use style::{Colours, Prefix};
pub use tally::{Keep, Limits};
pub use tsv::TsvRows;

use crate::alignment::Cigar;
use crate::input::Batch;
use crate::pattern::Strand;

/// What a worker found in a batch.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The lines or records with a hit, in order.
    pub units: Vec<Unit>,
    /// The matches to be shown in lines, line by line, in order; they do not overlap.
    pub spans: Vec<Span>,
    /// Formatted rows, unit by unit.
    pub rows: Vec<u8>,
}

/// A line, or the part of a record in one batch, with a hit that the batch owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Where it lies in the batch, without what ends it.
    pub bytes: Range<usize>,
    /// Where the record's name lies in the batch.
    pub name: Range<usize>,
    /// Where all of the record lies in the batch, from its header on, with quality and what else is before the next; of a
    /// record that was cut, what of it is here. In text, the line.
    pub record: Range<usize>,
    /// Whether an earlier batch owned a part of it.
    pub continues: bool,
    /// Whether it goes on in the next batch.
    pub open: bool,
    /// The least distance of its hits.
    pub cost: usize,
    /// Its matches in [`Findings::spans`].
    pub spans: Range<usize>,
    /// Its rows in [`Findings::rows`].
    pub rows: Range<usize>,
}

/// A match to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it lies in the batch.
    pub bytes: Range<usize>,
    /// Its distance.
    pub distance: usize,
}

/// What a report needs workers to find out.
#[derive(Clone)]
pub struct Detail {
    /// The matches to be shown, or just which lines or records have one.
    pub spans: bool,
    /// How to format hits as rows, if they are.
    pub rows: Option<Arc<dyn Rows>>,
    /// Whether all rows are printed in any case, so that those of half a batch can be.
    pub all_rows: bool,
    /// How many units of a batch are of interest.
    pub units: usize,
}

/// One hit, in the terms of a table.
pub struct Place<'a> {
    /// The input's name.
    pub label: &'a [u8],
    /// The record's name; empty in text.
    pub record: &'a [u8],
    /// Where the match starts, if it was traced back: symbols of the record, or bytes of the text.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// The pattern as the user wrote it.
    pub pattern: &'a [u8],
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
    fn row(&self, place: &Place<'_>, out: &mut Vec<u8>);
}

/// Adds a number in decimal.
fn push_number(number: u64, out: &mut Vec<u8>) {
    // Distances and runs of a CIGAR are short.
    match number {
        0..10 => out.push(b'0' + number as u8),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
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
    fn detail(&self) -> Detail;
    /// An input begins.
    fn begin(&mut self, label: &[u8]);
    /// Reports the next batch of the input.
    ///
    /// # Errors
    /// What writing gave.
    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow>;
    /// Prints rows of a batch whose other rows and units come later.
    ///
    /// # Errors
    /// What writing gave.
    fn add_rows(&mut self, rows: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(rows)
    }
    /// The input has ended, or enough was had of it.
    ///
    /// # Errors
    /// What writing gave.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Whether a line or record of any input was selected.
    fn has_selected(&self) -> bool;
}
