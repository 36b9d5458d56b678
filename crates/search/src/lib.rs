//! Search: connects input, engine and report, and owns the worker threads.
//!
//! [`run`] takes a [`Search`], which lists the inputs and has a [`SearchRoute`] for each kind of input. Reading order:
//! this file (the public types), `pipeline/` (threads and the flow of batches), `ordered/` (keeps their results in
//! input order), `batch_work.rs` (the work on a batch), `select/` (from hits to the lines, records, matches and rows of
//! a report), `shard.rs` (the share of one process), `two_pass.rs`
//! (a search bounded by the least distance that a first search finds), `circles.rs` (circular records).

#[doc(hidden)]
pub mod batch_work;
mod circles;
mod ordered;
mod pipeline;
mod select;
mod shard;
mod temporary_file;
mod two_pass;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;

use nigh_input::{Charset, Decoding, EncodingChange, Format, InputError, Origin, plain};
use nigh_report::{BadRecords, DistanceFloor, ExceededLimit, RecordShape, Report, ReportError, ReportNeeds};
use nigh_text::stage::StageTally;
use nigh_verify::EngineError;

pub use batch_work::BatchWork;
pub use pipeline::{run, usual_permits};
pub use select::engine_work::EngineWork;
pub use shard::Shard;
pub use two_pass::{Copies, FirstPass, find_least};

/// An input to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Origin of the bytes of the input.
    pub origin: Origin,
    /// Name of the input in output and messages.
    pub label: Vec<u8>,
    /// Decompression and conversion to UTF-8.
    pub decoding: Decoding,
    /// Lines or records.
    pub kind: InputKind,
    /// Format of the records if their first byte does not show it. Ignored for text.
    pub records: RecordFormat,
    /// Upper limit on the distance of hits in this input; hits above it are dropped.
    pub max_distance: Option<usize>,
    /// An input whose records, the mates, are read in parallel with those of this input; `None` if there is none.
    pub mates: Option<MateInput>,
}

/// An input whose records are read in parallel with those of another input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateInput {
    /// Origin of the bytes of the input.
    pub origin: Origin,
    /// Name of the input in messages.
    pub label: Vec<u8>,
    /// Decompression and conversion to UTF-8.
    pub decoding: Decoding,
    /// Format of the records if their first byte does not show it.
    pub records: RecordFormat,
}

/// The inputs of a search, in order. The iterator is advanced as inputs are read, so it may be unbounded.
pub type Inputs = Box<dyn Iterator<Item = Entry> + Send>;

/// An element of the list of inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An input to search.
    Input(Input),
    /// The name of something that is not searched, and the reason.
    NotSearched(Vec<u8>, SkipReason),
}

impl Entry {
    /// Returns the input; `None` if the entry is not searched.
    pub fn input(&self) -> Option<&Input> {
        match self {
            Entry::Input(input) => Some(input),
            Entry::NotSearched(..) => None,
        }
    }

    /// Returns the label for modification.
    pub fn label_mut(&mut self) -> &mut Vec<u8> {
        match self {
            Entry::Input(Input { label, .. }) | Entry::NotSearched(label, _) => label,
        }
    }

    /// Returns the input for modification; `None` if the entry is not searched.
    pub fn input_mut(&mut self) -> Option<&mut Input> {
        match self {
            Entry::Input(input) => Some(input),
            Entry::NotSearched(..) => None,
        }
    }
}

/// The reason why something is not searched, as a complete message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// The system could not read it.
    Unreadable(String),
    /// It cannot be searched with the user's options.
    Refused(String),
    /// It was not named by the user, so skipping it is not a failure.
    PassedOver(String),
}

/// The content of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// Lines of text.
    Text,
    /// Records of sequences.
    Sequences,
}

/// The strands of patterns or queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strands {
    /// Both strands
    Both,
    /// The sequence as it is given
    Forward,
    /// Its reverse complement
    Reverse,
}

/// The format of sequence records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// FASTA.
    Fasta,
    /// FASTQ.
    Fastq,
}

/// The work, report and format for inputs of one kind.
pub struct SearchRoute<'r> {
    /// Turns batches into findings.
    pub work: Arc<dyn BatchWork>,
    /// Prints the results.
    pub report: Box<dyn Report + 'r>,
    /// How an input is divided: into lines or into records. [`Format::Fasta`] stands for FASTQ as well.
    pub format: Format,
    /// Batch size in bytes; `None` takes the preference of `work`.
    pub batch_bytes: Option<usize>,
    /// The least distance of reported matches or hits; `None` to report all.
    pub floor: Option<DistanceFloor>,
    /// The form of records. A report may make them circular on its own, to receive each hit that the repeated residues have.
    pub records: RecordShape,
}

impl SearchRoute<'_> {
    /// Returns the size of batches in bytes.
    pub fn batch_size(&self) -> usize {
        self.batch_bytes.unwrap_or_else(|| self.work.batch_size(&self.needs()))
    }

    /// Returns what the report needs from the workers.
    pub fn needs(&self) -> ReportNeeds {
        let needs = self.report.needs();
        let needs = match self.floor {
            Some(floor) => needs.above(floor),
            None => needs,
        };
        match self.records {
            RecordShape::Linear => needs,
            RecordShape::Circular => needs.on_circles(self.work.window(0).max_match_len),
        }
    }
}

/// A search: the inputs in order, and a route for each kind that occurs among them.
pub struct Search<'r> {
    /// Number of permits, which is the largest number of batches in memory; `None` takes as many as the workers need.
    pub permits: Option<usize>,
    /// The inputs. The kind of each input must have a route.
    pub inputs: Inputs,
    /// The route of text.
    pub text: Option<SearchRoute<'r>>,
    /// The route of sequences.
    pub sequences: Option<SearchRoute<'r>>,
    /// The share of this process; `None` for all of the input. With a shard, routes must set `batch_bytes`.
    pub shard: Option<Shard>,
    /// Receives the progress; `None` if progress is not shown.
    pub watch: Option<Arc<dyn ProgressObserver>>,
    /// Treatment of text that looks like sequence records.
    pub records_in_text: RecordsInText,
    /// Receives the times of the stages.
    pub times: Arc<StageTimes>,
    /// The threads that still wait for input, or search, when nothing more is wanted.
    pub threads_at_end: ThreadsAtEnd,
}

impl<'r> Search<'r> {
    /// Makes a search of all `inputs` without a limit on memory. Its progress is not watched, text that looks like
    /// records is not reported, and its threads are left at the end.
    pub fn new(inputs: Inputs, text: Option<SearchRoute<'r>>, sequences: Option<SearchRoute<'r>>) -> Self {
        Search {
            permits: None,
            inputs,
            text,
            sequences,
            shard: None,
            watch: None,
            records_in_text: RecordsInText::Ignored,
            times: Arc::new(StageTimes::new(false)),
            threads_at_end: ThreadsAtEnd::Left,
        }
    }

    /// Makes a search of one input, as [`new`](Self::new) does.
    pub fn of_input(input: Input, route: SearchRoute<'r>) -> Self {
        let (text, sequences) = match input.kind {
            InputKind::Text => (Some(route), None),
            InputKind::Sequences => (None, Some(route)),
        };
        Search::new(Box::new(std::iter::once(Entry::Input(input))), text, sequences)
    }

    /// Returns the routes.
    pub fn routes(&self) -> impl Iterator<Item = &SearchRoute<'r>> {
        [&self.text, &self.sequences].into_iter().flatten()
    }

    /// Returns the number of workers that the engines ask for.
    pub fn workers(&self) -> usize {
        self.routes().map(|route| route.work.facts().workers).max().unwrap_or(1)
    }

    /// Returns the number of batches that a worker has in flight.
    pub fn in_flight(&self) -> usize {
        self.routes().map(|route| route.work.facts().in_flight).max().unwrap_or(1)
    }

    /// Returns the routes for modification.
    pub fn routes_mut(&mut self) -> impl Iterator<Item = &mut SearchRoute<'r>> {
        [&mut self.text, &mut self.sequences].into_iter().flatten()
    }
}

/// Treatment of the threads of a search that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadsAtEnd {
    /// They are left running, because the process ends soon.
    Left,
    /// They end before the search returns: each completes its batch, and a wait for data of a pipe ends.
    Joined,
}

/// The stages of a search, for display.
#[derive(Debug)]
pub struct StageTimes {
    /// Reads of batches, including decompression by the reading thread and waits for the part before.
    pub read: StageTally,
    /// Submissions of batches to devices: uploads and launches.
    pub submit: StageTally,
    /// Searches of batches: finding, aligning and choosing hits, and making rows in the threads that search.
    pub search: StageTally,
    /// Reports of batches by the thread that writes the output.
    pub report: StageTally,
}

impl StageTimes {
    /// Makes times that are measured only if they are shown.
    pub fn new(are_shown: bool) -> Self {
        let tally = || if are_shown { StageTally::default() } else { StageTally::off() };
        StageTimes { read: tally(), submit: tally(), search: tally(), report: tally() }
    }
}

impl fmt::Display for StageTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StageTimes { read, submit, search, report } = self;
        let bytes = search.bytes();
        let [read, submit, search, report] = [read, submit, search, report].map(|stage| stage.with_rate_of(bytes));
        write!(
            f,
            "time of all threads for {bytes} bytes: read {read}, submit {submit}, search {search}, report {report}"
        )
    }
}

/// Whether text that looks like sequence records is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsInText {
    /// Give a notice for the first such input.
    Reported,
    /// Give no notice.
    Ignored,
}

/// Receives the progress of a search after each batch, from several threads.
pub trait ProgressObserver: Send + Sync {
    /// Adds `bytes` searched bytes, counted after decompression, and the number of hits in these bytes.
    fn searched(&self, bytes: u64, hits: u64);
}

/// A message about an input. The search continues.
#[derive(Debug)]
pub enum Notice {
    /// The search is expected to take this time.
    TakesLong(Duration),
    /// The input could not be read, or not to its end.
    Failed(InputError),
    /// The input is not searched.
    NotSearched(SkipReason),
    /// A line of the input matches, but the input is binary.
    Binary,
    /// A line of the input matches, but the input is a tar archive.
    Tar,
    /// Some records of the input could not be printed unchanged.
    BadRecords(BadRecords),
    /// Some patterns have more hits than were reported. This notice belongs to no single input.
    MaxHits(ExceededLimit),
    /// The input looks like sequence records, but is searched as text.
    LooksLike(RecordsLike),
    /// The first header contains carriage returns, apparently meant as line ends.
    CarriageReturns,
    /// The text is decoded from this encoding, because its zero bytes show it.
    WideText(Charset),
    /// The encoding changes within the input, so that a part of it is not searched as it should be.
    EncodingChange(EncodingChange),
    /// The input is binary and holds text in this encoding.
    WideInBinary(Charset),
}

/// A format of sequence records that text may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsLike {
    /// FASTA.
    Fasta,
    /// FASTQ.
    Fastq,
    /// SAM.
    Sam,
    /// GFF with sequences.
    Gff,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Failed(error) => error.fmt(f),
            Notice::NotSearched(SkipReason::Unreadable(words) | SkipReason::Refused(words) | SkipReason::PassedOver(words)) => {
                f.write_str(words)
            }
            Notice::Binary => write!(f, "binary file matches"),
            Notice::Tar => {
                write!(f, "binary file matches; use 'tar -xOf FILE | nigh ...' to search the files of a tar archive")
            }
            Notice::TakesLong(time) => {
                let minutes = (time.as_secs_f64() / 60.0).round();
                let (number, unit) = if minutes < 120.0 { (minutes, "minutes") } else { ((minutes / 60.0).round(), "hours") };
                write!(f, "the search will take about {number} {unit} or more")?;
                write!(f, "; allow fewer edits, or follow the search with --progress")
            }
            Notice::BadRecords(records) => records.fmt(f),
            Notice::MaxHits(exceeded) => exceeded.fmt(f),
            Notice::LooksLike(records) => {
                let (name, remedy) = match records {
                    RecordsLike::Fasta => ("FASTA", "--fasta"),
                    RecordsLike::Fastq => ("FASTQ", "--fastq"),
                    RecordsLike::Gff => ("GFF with FASTA", "--fasta"),
                    RecordsLike::Sam => ("SAM", "'samtools fasta FILE | nigh --fasta ...'"),
                };
                write!(f, "looks like {name}, but is searched as text; use {remedy} to search its sequences")
            }
            Notice::CarriageReturns => f.write_str(
                "lines end with carriage returns only, so the first header includes the sequence; convert the line ends with tr '\\r' '\\n'",
            ),
            Notice::EncodingChange(change) => change.fmt(f),
            Notice::WideInBinary(charset) => {
                let order = if *charset == Charset::UTF16_BE { 'b' } else { 'l' };
                write!(f, "binary file with {charset} text, in which matches are not found; ")?;
                write!(f, "use 'strings -e{order} FILE | nigh ...' to search it")
            }
            Notice::WideText(charset) => write!(
                f,
                "decoded as {charset}, since many bytes are 0; use --encoding none to search its bytes as they are"
            ),
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether a line or record was selected.
    pub selected: bool,
    /// Whether an input could not be read, or a record could not be printed unchanged.
    pub failed: bool,
}

/// The reason why a search ended early.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The output could not be written.
    #[error("write error: {}", plain(.0))]
    Write(std::io::Error),
    /// A report failed.
    #[error(transparent)]
    Report(ReportError),
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A thread ended before its work was done.
    #[error("a worker thread stopped unexpectedly")]
    WorkerStopped,
}

impl SearchError {
    /// Converts an error that a report returned: a write error, or a [`ReportError`] inside an I/O error.
    fn of_report(error: std::io::Error) -> Self {
        error.downcast().map_or_else(SearchError::Write, SearchError::Report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_is_announced_in_minutes_or_hours() {
        let words = |seconds| Notice::TakesLong(Duration::from_secs(seconds)).to_string();
        assert!(words(200).starts_with("the search will take about 3 minutes or more; "), "{}", words(200));
        assert!(words(7190).starts_with("the search will take about 2 hours or more; "), "{}", words(7190));
    }
}
