//! Wires input, engine and report together. The only place that has threads.

mod ordered;
mod pipeline;
mod select;
mod shard;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Engine, EngineError};
use crate::input::{Decoding, Format, InputError, Origin, plain};
use crate::report::{BadRecords, Report, ReportError};

pub use pipeline::{run, usual_buffers};
pub(crate) use select::overlap::{Judge, Shown, Verdict};
pub(crate) use select::selector::keep_best_alternatives;
pub use shard::Shard;

/// An input to be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Where it comes from.
    pub origin: Origin,
    /// Its name in output and messages.
    pub label: Vec<u8>,
    /// How it is decompressed and decoded.
    pub decoding: Decoding,
    /// Whether it holds lines or records.
    pub kind: Kind,
    /// How records are written, if it holds some.
    pub records: Records,
    /// Hits with more than this distance do not count in it.
    pub most: Option<usize>,
}

/// The inputs of a search, in order. They are asked for as they are read, so there may be any number.
pub type Inputs = Box<dyn Iterator<Item = Entry> + Send>;

/// What comes next among the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An input to be searched.
    Input(Input),
    /// Something that is not searched, by its name, and why.
    Trouble(Vec<u8>, Trouble),
}

impl Entry {
    /// The input, if it is one.
    pub fn input(&self) -> Option<&Input> {
        match self {
            Entry::Input(input) => Some(input),
            Entry::Trouble(..) => None,
        }
    }

    /// The input, if it is one, to be changed.
    pub fn input_mut(&mut self) -> Option<&mut Input> {
        match self {
            Entry::Input(input) => Some(input),
            Entry::Trouble(..) => None,
        }
    }
}

/// Why something is not searched. The words say it in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The system could not read it.
    Unreadable(String),
    /// It cannot be searched as the user asks.
    Refused(String),
    /// Nobody asked for it by name, so this is no failure.
    PassedOver(String),
}

/// What an input holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lines of text.
    Text,
    /// Records of sequences.
    Sequences,
}

/// How records of sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// As FASTA.
    Fasta,
    /// As FASTQ.
    Fastq,
}

/// How inputs of one kind are searched and reported.
pub struct SearchRoute {
    /// Finds the hits.
    pub engine: Arc<dyn Engine>,
    /// Prints them.
    pub report: Box<dyn Report>,
    /// How the bytes are divided; FASTA stands for FASTQ too.
    pub format: Format,
    /// How many bytes make a batch; the engine's wish if nothing is said.
    pub batch_bytes: Option<usize>,
}

/// A search: the inputs in order, and a lane for each kind that occurs among them.
pub struct Search {
    /// How many batches there are at a time at most; as many as the engines want if nothing is said.
    pub buffers: Option<usize>,
    /// The inputs; there is a lane for the kind of each.
    pub inputs: Inputs,
    /// How text is searched.
    pub text: Option<SearchRoute>,
    /// How sequences are searched.
    pub sequences: Option<SearchRoute>,
    /// What part of the inputs is searched; all of them if nothing is said. Then lanes say how many bytes make a batch.
    pub shard: Option<Shard>,
    /// Who wants to know how far it is.
    pub watch: Option<Arc<dyn Watch>>,
    /// What is said of text that looks like records of sequences.
    pub records_in_text: RecordsInText,
}

/// What is said of text that looks like records of sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsInText {
    /// A notice, for the first such input.
    Told,
    /// Nothing.
    Ignored,
}

/// Is told how far a search is, by many threads, after each batch.
pub trait Watch: Send + Sync {
    /// So many more bytes were searched, as they are when decompressed, with so many hits.
    fn searched(&self, bytes: u64, hits: u64);
}

/// Something to tell the user about an input; the search goes on.
#[derive(Debug)]
pub enum Notice {
    /// The search is expected to take this long.
    TakesLong(Duration),
    /// It could not be read, or not to its end.
    Failed(InputError),
    /// It is not searched.
    NotSearched(Trouble),
    /// A line of it matches, but it is not text.
    Binary,
    /// Some of its records could not be printed as they are.
    BadRecords(BadRecords),
    /// It is searched as text, but looks like records of sequences.
    LooksLike(Records),
    /// Its first header has carriage returns in it, as if lines ended with them.
    CarriageReturns,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Failed(error) => error.fmt(f),
            Notice::NotSearched(Trouble::Unreadable(words) | Trouble::Refused(words) | Trouble::PassedOver(words)) => {
                f.write_str(words)
            }
            Notice::Binary => write!(f, "binary file matches"),
            Notice::TakesLong(time) => {
                let hours = (time.as_secs_f64() / 3600.0).round();
                write!(f, "the search will take about {hours} hour{} or more", if hours == 1.0 { "" } else { "s" })?;
                write!(f, "; allow fewer edits, or watch it with --progress")
            }
            Notice::BadRecords(records) => records.fmt(f),
            Notice::LooksLike(records) => {
                let (name, option) = match records {
                    Records::Fasta => ("FASTA", "--fasta"),
                    Records::Fastq => ("FASTQ", "--fastq"),
                };
                write!(f, "looks like {name}, but is searched as text; use {option} to search its sequences")
            }
            Notice::CarriageReturns => f.write_str(
                "lines end with carriage returns alone, so the first header takes in what follows; convert them with tr '\\r' '\\n'",
            ),
        }
    }
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether a line or record was selected.
    pub selected: bool,
    /// Whether an input could not be read, or records of it not be printed.
    pub failed: bool,
}

/// Why a search ended early.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The output could not be written.
    #[error("write error: {}", plain(.0))]
    Write(std::io::Error),
    /// A report could not be made.
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
    /// What a report has given.
    fn of_report(error: std::io::Error) -> Self {
        error.downcast().map_or_else(SearchError::Write, SearchError::Report)
    }
}
