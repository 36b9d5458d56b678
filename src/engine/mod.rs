//! From batches and patterns to hits, and from hits to alignments. No I/O and no threads here.
//!
//! Every engine finds the same: each end in the part a batch owns at which a pattern matches with at most k errors,
//! with the least distance of the matches that end there. The module `reference` is the definition, written plainly.

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

/// A way to find hits and to align them; makes one scanner and one aligner per worker.
pub trait Engine: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// The patterns it was made for.
    fn patterns(&self) -> &Arc<PatternSet>;
    /// How it searches, for people: what it has chosen from the patterns and the text it has seen, line by line.
    fn plan(&self) -> Vec<String>;
    /// What has failed, if the search goes on in another way since.
    fn trouble(&self) -> Option<&EngineError> {
        None
    }
    /// How many scanners keep the hardware busy.
    fn workers(&self) -> usize;
    /// How many bytes of text a scanner wants at once.
    fn batch_bytes(&self) -> usize;
    /// Estimates the time that one scanner needs for a batch, to a small factor. `None` if it is not known beforehand.
    fn estimate(&self, _: &Batch) -> Option<Duration> {
        None
    }
    /// Makes a scanner.
    ///
    /// # Errors
    /// When the hardware does not give what a scanner needs.
    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError>;
    /// Makes an aligner.
    ///
    /// # Errors
    /// When the hardware does not give what an aligner needs.
    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError>;
}

/// Scans one batch at a time, and owns the buffers for it.
pub trait Scanner: Send {
    /// Gives the sink every hit that ends in the range the batch owns, in pieces, in the order (end, pattern);
    /// stops early when the sink has had enough.
    ///
    /// # Errors
    /// When the hardware fails; hits that were given stay true.
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError>;
}

/// Traces hits back to their start.
pub trait Aligner: Send {
    /// Adds one alignment for each hit, in the order of the hits. Where several have the hit's distance, the one that
    /// is found walking back from the end and trying the diagonal step first, then the pattern-only step, then the
    /// text-only step.
    ///
    /// # Errors
    /// When the hardware fails.
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError>;
}

/// Why an engine cannot be had, or cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The patterns tell apart more classes of symbols than a code can name.
    #[error(
        "the patterns have {classes} classes of symbols, but at most {max} are supported; search for fewer patterns at a time"
    )]
    TooManyClasses {
        /// How many classes there are.
        classes: usize,
        /// How many there may be.
        max: usize,
    },
    /// An instruction set is wanted that this processor does not have.
    #[error("NIGH_ISA: '{wanted}' is not supported by this processor; use one of {present}")]
    NoIsa {
        /// What is wanted.
        wanted: String,
        /// What there is.
        present: String,
    },
    /// A device cannot be had, or does not go on.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Which devices to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    /// The first one.
    First,
    /// Those with these numbers.
    Some(Vec<usize>),
    /// All there are.
    All,
}

/// Whether another engine goes on where devices fail, and does what is too little for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// It does.
    Allowed,
    /// It only does what no kernel can; anything else is an error. This is for tests of the devices.
    Refused,
}

/// Which engine to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineChoice {
    /// The definition, slow and plain.
    Reference,
    /// Bit-parallel words on the processor's cores.
    Cpu,
    /// NVIDIA devices.
    Cuda(Devices, Fallback),
    /// The processor's cores, and devices once they are worth their start: those that are named, or the first.
    Auto(Option<Devices>, InputSize),
}

/// How many bytes there are to be searched, if that is known.
pub type InputSize = Option<u64>;
