//! Search engines: batches and patterns to hits, hits to alignments. Engines do no I/O.
//!
//! Every engine reports the same hits: each end position in the range that a batch owns at which a pattern matches with
//! at most k edits, with the least distance of all matches that end there. The module [`reference`](mod@reference) is
//! the definition.
//!
//! The traits [`Engine`], [`Scanner`] and [`Aligner`] in this file are the contract. Read on in this order:
//!
//! 1. `select` builds the engine that the user chose.
//! 2. [`reference`](mod@reference) is the oracle: Sellers' recurrence over the whole matrix.
//! 3. `encoder` maps symbols to dense codes. All other engines search codes.
//! 4. [`cpu`] searches on the processor: filters, bit-sliced Myers and block-based Myers.
//! 5. `verify` and `match_window` compute the true distance of a candidate within its line or record, and `text_window`
//!    caches encoded text for tracebacks.
//! 6. `constraints` limits hits by kind of edit, costs, transpositions and exact groups, on top of any engine.
//! 7. `cuda` searches on NVIDIA devices, and `hybrid` combines `cuda` with `cpu`.

mod constraints;
pub mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod deliver;
mod device_error;
mod encoder;
#[cfg(feature = "cuda")]
mod hybrid;
mod match_window;
pub mod reference;
mod select;
mod text_window;
mod verify;

use std::sync::Arc;
use std::time::Duration;

pub use device_error::DeviceError;
pub use select::engine;

use crate::alignment::Alignment;
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::PatternSet;

/// Finds hits and aligns them. Makes one scanner and one aligner per worker.
pub trait Engine: Send + Sync {
    /// Returns the engine's name on the command line.
    fn name(&self) -> &'static str;
    /// Returns the patterns that the engine searches for.
    fn patterns(&self) -> &Arc<PatternSet>;
    /// Describes the search plan for display, line by line. It depends on the patterns and on the text seen so far.
    fn plan(&self) -> Vec<String>;
    /// Returns the first failure after which the engine continued in another way, if any.
    fn failure(&self) -> Option<&EngineError> {
        None
    }
    /// Returns the number of scanners that keep the hardware busy.
    fn workers(&self) -> usize;
    /// Returns the preferred size of a batch, in bytes.
    fn batch_bytes(&self) -> usize;
    /// Estimates the time that one scanner needs for a batch, to a small factor. Returns `None` if the engine cannot
    /// tell.
    fn estimate(&self, _: &Batch) -> Option<Duration> {
        None
    }
    /// Makes a scanner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a scanner.
    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError>;
    /// Makes an aligner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for an aligner.
    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError>;
}

/// Scans one batch at a time and owns the buffers for it.
pub trait Scanner: Send {
    /// Passes every hit that ends in the range the batch owns to the sink, in chunks, ordered by (end, pattern). Stops
    /// early when the sink returns `Break`.
    ///
    /// # Errors
    /// Fails if the hardware fails. Hits delivered before the failure are valid.
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError>;
}

/// Traces hits back to their start.
pub trait Aligner: Send {
    /// Appends one alignment per hit, in the order of the hits. Ties between alignments of equal distance are broken on
    /// the walk back from the end: first the diagonal step, then the pattern-only step, then the text-only step.
    ///
    /// The hits must be those that a scanner reported for this batch and the patterns of the engine, all or some.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    ///
    /// # Panics
    /// May panic on other hits; an engine that does not panic appends an alignment without meaning. Neither reads nor
    /// writes memory out of bounds.
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError>;
}

/// An engine that cannot be built, or cannot continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The patterns distinguish more classes of symbols than codes can name.
    #[error(
        "the patterns have {classes} classes of symbols, but at most {max} are supported; search for fewer patterns at a time"
    )]
    TooManyClasses {
        /// The number of classes in the patterns.
        classes: usize,
        /// The largest number of classes allowed.
        max: usize,
    },
    /// The environment asks for an instruction set that this processor lacks.
    #[error("NIGH_ISA: '{wanted}' is not supported by this processor; use one of {present}")]
    NoIsa {
        /// The requested instruction set.
        wanted: String,
        /// The instruction sets present.
        present: String,
    },
    /// A device is missing or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// The devices to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    /// The first device.
    First,
    /// The devices with these numbers.
    Some(Vec<usize>),
    /// All devices.
    All,
}

/// Whether the CPU engine takes over after a device failure, and does work that is too small for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// The CPU engine takes over.
    Allowed,
    /// The CPU engine only does what no kernel supports; a device failure is an error. Tests of devices use this.
    Refused,
}

/// The engine to use.
///
/// # Examples
///
/// ```
/// use nigh::{Alphabet, Devices, EngineChoice, Fallback, Searcher};
///
/// let builder = Searcher::builder(Alphabet::Dna).pattern("GGGCGGCGACCT").max_edits(2);
/// let devices = builder.clone().engine(EngineChoice::Cuda(Devices::All, Fallback::Allowed)).build();
/// let searcher = devices.or_else(|_| builder.build())?;
/// assert!(searcher.is_match(b"AAGGGCGCGACCTAA"));
/// # Ok::<(), nigh::SearcherError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineChoice {
    /// Sellers' recurrence over the whole matrix: the definition, and slow.
    Reference,
    /// Bit-parallel search on the processor's cores.
    Cpu,
    /// NVIDIA devices.
    Cuda(Devices, Fallback),
    /// The processor's cores, and devices once the input is large enough to repay their start: the named ones, or the
    /// first.
    Auto(Option<Devices>, InputSize),
}

/// The number of bytes to search, if known.
pub type InputSize = Option<u64>;
