//! From matches to bytes: what is printed for an input, in one file for each form.
//!
//! A worker prepares [`Findings`] for a batch, in any order; a [`Report`] gets them in the order of the input.

mod lines;
mod records;
mod selection;
mod spool;
mod style;
mod summary;
mod tables;
mod tally;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

pub use lines::grep::{Binary, Context, GrepReport};
pub use lines::json::EventPrinter;
pub use lines::line::{Line, Numbers};
pub use lines::plain::{Heading, PlainPrinter, PlainStyle, Show};
pub use lines::printer::{LinePrinter, Searched};
pub use records::RecordReport;
pub use selection::Keep;
pub use style::colours::Colours;
pub use style::prefix::Prefix;
pub use style::visible::{Controls, visible};
pub use summary::count::{Count, CountReport, HitCountReport};
pub use summary::files::{FilesReport, List};
pub use summary::histogram::HistogramReport;
pub use summary::least::{Distances, LeastReport};
pub use summary::stats::{Stats, StatsReport};
pub use tables::align::AlignRows;
pub use tables::bed::BedRows;
pub use tables::ends::EndRows;
pub use tables::json::JsonRows;
pub use tables::matches::MatchRows;
pub use tables::paf::{PafReport, PafRows};
pub use tables::rows::{Choice, Names, RowReport};
pub use tables::sam::{SamReport, SamRows};
pub use tables::sites::SiteRows;
pub use tables::tsv::TsvRows;
pub use tally::Limits;

use bstr::ByteSlice;

use crate::alignment::Cigar;
use crate::alphabet::is_residue;
use crate::input::{Batch, plain};
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
    /// How many hits were looked at.
    pub hits: u64,
    /// For each part of a record in the batch, how many residues the record has up to the end of what the batch owns of
    /// it; empty if nobody has asked.
    pub lengths: Vec<u64>,
}

impl Findings {
    /// Moves all offsets in the batch back by some bytes, for a batch without its first ones.
    pub fn shift_back(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start.saturating_sub(by)..range.end.saturating_sub(by);
        for unit in &mut self.units {
            [&mut unit.bytes, &mut unit.name, &mut unit.record].into_iter().for_each(shift);
        }
        self.spans.iter_mut().map(|span| &mut span.bytes).for_each(shift);
    }

    /// The length of the record that the batches before left open, if it ends in this one and somebody has asked.
    pub fn ended(&self, batch: &Batch) -> Option<u64> {
        let ends = batch.segments().first().is_some_and(|segment| segment.continues && segment.closes);
        self.lengths.first().copied().filter(|_| ends)
    }
}

/// Rows of a batch that are reported before the rest of it.
#[derive(Debug, Clone, Default)]
pub struct EarlyRows {
    /// The rows.
    pub bytes: Vec<u8>,
    /// The length of the record that the batches before left open, if it ends in this one and somebody has asked.
    pub ended: Option<u64>,
}

/// Matches of a line that are reported before the others in it.
#[derive(Debug, Clone)]
pub struct EarlySpans {
    /// The line with what ends it, alone in a batch.
    pub line: Arc<Batch>,
    /// The next of its matches, in order, in offsets of that batch.
    pub spans: Vec<Span>,
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
    name: String,
    /// How many there are.
    count: u64,
    problem: &'static str,
}

impl BadRecords {
    /// No records yet, of which the first will be this one.
    fn new(name: &[u8], problem: &'static str) -> Self {
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
    /// How many hits it has.
    pub hits: u64,
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
    /// Index of its pattern in the set.
    pub pattern: usize,
    /// Its edits, if they are wanted; few reports do, and to others they should not cost memory.
    pub cigar: Option<Box<Cigar>>,
}

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
pub struct Detail {
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
    /// How many units of a batch are of interest.
    pub units: usize,
    /// Whether the lengths of records are wanted.
    pub lengths: bool,
    /// Whether all bytes of the input have to be in some batch, also those that hold neither text nor names.
    pub all_bytes: bool,
}

impl Detail {
    /// Which lines or records have a hit, and no more than so many of a batch.
    pub fn units(units: usize) -> Self {
        Detail {
            spans: Spans::None,
            rows: None,
            hits: Hits::All,
            all_rows: false,
            early_spans: false,
            units,
            lengths: false,
            all_bytes: false,
        }
    }
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

/// Adds the edits as they are written in SAM.
fn push_cigar(place: &Place<'_>, out: &mut Vec<u8>) {
    for &(length, edit) in place.cigar.map_or(&[][..], Cigar::runs) {
        push_number(u64::from(length), out);
        out.push(edit.letter());
    }
}

/// Adds a field of a table, with blanks for what would end it.
fn push_field(field: &[u8], out: &mut Vec<u8>) {
    out.extend(field.iter().map(|&byte| if byte < b' ' { b' ' } else { byte }));
}

/// Adds the match without line breaks.
fn push_match(place: &Place<'_>, out: &mut Vec<u8>) {
    // Most matches stand in one line, and so have as many bytes as residues.
    match place.matched.len() as u64 == place.end - place.start {
        true => out.extend_from_slice(place.matched),
        false => out.extend(place.matched.iter().filter(|&&byte| is_residue(byte))),
    }
}

/// Adds a name, with `_` for every byte that is not allowed in it, and `.` if nothing is left.
fn push_name(name: &[u8], allowed: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    match name.is_empty() {
        true => out.push(b'.'),
        false => out.extend(name.iter().map(|&byte| if allowed(byte) { byte } else { b'_' })),
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
    /// Hears how large the input is that begins, if it asks: nothing if it is no file.
    fn sized(&mut self, _: &dyn Fn() -> Option<u64>) {}
    /// Reports the next batch of the input.
    ///
    /// # Errors
    /// What writing gave.
    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow>;
    /// Takes note of a batch of the input that somebody else reports.
    fn pass(&mut self, _: &Batch) {}
    /// Prints rows of a batch whose other rows and units come later.
    ///
    /// # Errors
    /// What writing gave.
    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&rows.bytes)
    }
    /// Reports some matches of the next line of the input. The others follow in order, the last of them with the batch
    /// that holds the line. Called only if [`Detail::early_spans`] is set.
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
