//! The contract between reports and the search: the data that a report needs, and the calls with which it receives
//! findings.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use bstr::ByteSlice;

use super::cells::CellLayout;
use super::choice::HitSelection;
use super::findings::{EarlyRows, EarlySpans, Findings};
use super::hit::HitForm;
use super::max_hits::{ExceededLimit, HitLimit};
use nigh_input::{InputError, plain};
use nigh_text::batch::Batch;

/// The facts about matches in lines that a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchDetail {
    /// None. The report shows only which lines or records have a match.
    None,
    /// The ranges of the matches.
    Places,
    /// The ranges of the matches, and their groups if the pattern set was built with groups.
    Groups,
    /// All that [`Groups`](Self::Groups) has, and the alignments.
    Edits,
}

impl MatchDetail {
    /// Returns whether matches are aligned.
    pub fn is_aligned(self) -> bool {
        matches!(self, MatchDetail::Groups | MatchDetail::Edits)
    }
}

/// Hits of a line or record that a report needs, besides those that decide which matches are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemHits {
    /// All hits: the report shows each hit, or the least distance.
    All,
    /// Any hit: the report shows only whether there is one.
    Any,
}

/// The least distance of reported matches or hits. It applies after the best of overlapping matches were chosen, so
/// nothing is reported at a place whose best match has a smaller distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceFloor {
    /// The floor applies to the matches shown in lines. A line has a hit if it has such a match.
    Spans(usize),
    /// The floor applies to the best hits of each pattern and strand.
    Hits(usize),
}

/// The form of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordShape {
    /// Records have two ends.
    Linear,
    /// Records are circles. The input repeats the first residues after the last.
    Circular,
}

/// The data and limits that a report asks of the workers.
#[derive(Clone)]
pub struct ReportNeeds {
    /// Facts that the report shows about the matches in lines.
    pub spans: MatchDetail,
    /// The form in which the report receives hits; `None` if it receives none.
    pub each_hit: Option<HitForm>,
    /// Choice of the hits to report.
    pub hits: HitSelection,
    /// Whether the report receives, of the hits in a line or record, only those with the least distance in their batch.
    pub nearest: bool,
    /// Hits of a line or record that the report needs.
    pub item_hits: ItemHits,
    /// The least distance of reported matches or hits; `None` to report all.
    pub floor: Option<DistanceFloor>,
    /// Whether the hits of each line or record are counted by distance.
    pub distances: bool,
    /// The table in which hits are counted by pattern and distance; `None` if the report has no such table.
    pub cells: Option<CellLayout>,
    /// The largest number of reported hits of each pattern; `None` for no limit.
    pub max_hits: Option<HitLimit>,
    /// Whether the report needs no other findings of a batch to print its rows or to take its hits, so that it can receive
    /// them before the end of their batch.
    pub all_rows: bool,
    /// Whether the report accepts matches of a line before the line's other matches are known.
    pub early_spans: bool,
    /// Maximum number of lines or records with a hit that the report needs per batch.
    pub max_items: usize,
    /// Whether the report needs the lengths of records.
    pub lengths: bool,
    /// Whether batches must cover all bytes of the input, including those that belong neither to sequences nor to their
    /// names.
    pub all_bytes: bool,
    /// Maximum number of residues at the start of each record that are repeated after its end, because the record is
    /// circular; 0 if records are linear.
    pub circle_extension: u64,
    /// Number of residues at the start of each circular record in which no reported hit ends, since the same hits, and
    /// those across the end of the record, end in the repeated residues; 0 if all hits are reported.
    pub circle_seam: u64,
    /// Whether the report needs the batches that other shards search; see [`Report::pass`].
    pub passed_batches: bool,
}

impl ReportNeeds {
    /// Makes the needs of a report that shows only which lines or records have a hit. It needs at most `max_items` of
    /// them per batch.
    pub fn items(max_items: usize) -> Self {
        ReportNeeds {
            spans: MatchDetail::None,
            each_hit: None,
            hits: HitSelection::All,
            nearest: false,
            item_hits: ItemHits::All,
            floor: None,
            distances: false,
            cells: None,
            max_hits: None,
            all_rows: false,
            early_spans: false,
            max_items,
            lengths: false,
            all_bytes: false,
            circle_extension: 0,
            circle_seam: 0,
            passed_batches: false,
        }
    }

    /// Returns these needs, limited to matches or hits of at least the distance `floor`.
    pub fn above(self, floor: DistanceFloor) -> Self {
        let needs = ReportNeeds { floor: Some(floor), ..self };
        match floor {
            DistanceFloor::Hits(_) if needs.hits == HitSelection::All => {
                ReportNeeds { hits: HitSelection::Best, ..needs }
            }
            DistanceFloor::Hits(_) => needs,
            // Whether a line has a hit is known only once all its matches are known.
            DistanceFloor::Spans(_) => {
                let spans = if needs.spans == MatchDetail::None { MatchDetail::Places } else { needs.spans };
                ReportNeeds { spans, early_spans: false, ..needs }
            }
        }
    }

    /// Returns these needs for circular records, in which each hit is reported once. No match is longer than `longest`.
    pub fn on_circles(self, longest: usize) -> Self {
        // The choice of the best hits at the seam and behind it sees the matches that overlap theirs on both sides.
        let seam = 2 * longest as u64;
        ReportNeeds { circle_extension: 2 * seam, circle_seam: seam, ..self }
    }

    /// Returns whether the report needs each hit of a line or record. If not, one hit is enough.
    pub fn needs_each_hit(&self) -> bool {
        self.spans != MatchDetail::None || self.each_hit.is_some() || self.distances || self.cells.is_some()
    }
}

/// How the search continues after a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next batch.
    More,
    /// Skip the rest of this input.
    EnoughOfInput,
    /// Skip the rest of this input, which is binary and has a matching line.
    Binary,
    /// End the search.
    EnoughOfAll,
}

/// Returns the size of an input in bytes; `None` if the input is not a regular file.
pub type KnownSize<'a> = dyn Fn() -> Option<u64> + 'a;

/// A fault that a report found in an input.
#[derive(Debug)]
pub enum InputFault {
    /// Some output was left out or changed for these records.
    Records(BadRecords),
    /// The input is invalid.
    Invalid(InputError),
}

/// Prints results. The writer calls the methods in input order: for each input `begin`, then `add` for each batch, then
/// `end`; after the last input `finish`, once.
pub trait Report {
    /// Returns what the report needs from the workers.
    fn needs(&self) -> ReportNeeds;
    /// Begins the input named `label`.
    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>);
    /// Reports the next batch of the input.
    ///
    /// # Errors
    /// Write errors.
    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow>;
    /// Notes a batch that another shard searches. Called for each such batch if [`ReportNeeds::passed_batches`] is set.
    fn pass(&mut self, _: &Batch) {}
    /// Takes some rows or hits of a batch before the batch's other rows and findings are known. Called only if
    /// [`ReportNeeds::all_rows`] is set.
    ///
    /// # Errors
    /// Write errors.
    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&rows.bytes)
    }
    /// Reports some matches of the next line before its other matches are known, in order. `add` receives the line's
    /// remaining matches. Called only if [`ReportNeeds::early_spans`] is set.
    ///
    /// # Errors
    /// Write errors.
    fn add_spans(&mut self, _: &EarlySpans, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Ends the current input: it was read to its end, or the report has enough of it. Returns what the report found
    /// wrong with it.
    ///
    /// # Errors
    /// Write errors.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>>;
    /// Ends the report, after all inputs. Returns the patterns that have more hits than were reported; `None` if there
    /// are none.
    ///
    /// # Errors
    /// Write errors.
    fn finish(&mut self, _: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        Ok(None)
    }
    /// Returns the offset in the input just past the last selected line, if the report needs no more lines.
    fn selected_to(&self) -> Option<u64> {
        None
    }
    /// Returns the offset in the searched bytes up to which the report needed the input; `None` if it needed all.
    fn needed_to(&self) -> Option<u64> {
        None
    }
    /// Returns whether a line or record of any input was selected.
    fn has_selected(&self) -> bool;
}

/// An error of a report other than a failed write to its output. It is passed on inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Reading or writing a temporary file failed.
    #[error("temporary file: {}", plain(.0))]
    Spool(io::Error),
    /// A read has a name that SAM does not allow.
    #[error(
        "the name of read '{start}...' has {length} characters, but SAM allows at most {max}; use a shorter name, or --format tsv"
    )]
    LongName {
        /// The first characters of the name.
        start: String,
        /// The number of characters of the name.
        length: usize,
        /// The largest number of characters.
        max: usize,
    },
}

/// Records of one input for which a report left out or changed some output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecords {
    /// Name of the first such record.
    pub(super) name: String,
    /// Number of such records.
    pub count: u64,
    pub(super) problem: Cow<'static, str>,
}

impl BadRecords {
    /// Makes an empty list: the count is 0. `name` is the name of the first record, and `problem` the message about the
    /// records.
    pub fn new(name: &[u8], problem: impl Into<Cow<'static, str>>) -> Self {
        BadRecords { name: name.to_str_lossy().into_owned(), count: 0, problem: problem.into() }
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
