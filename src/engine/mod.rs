//! From batches and patterns to hits, and from hits to alignments. No I/O and no threads here.
//!
//! Every engine finds the same: each end in the part a batch owns at which a pattern matches with at most k errors,
//! with the least distance of the matches that end there. The module `reference` is the definition, written plainly.

pub mod cpu;
mod encode;
mod filter;
mod plan;
pub mod reference;
mod settle;

use std::sync::Arc;

pub use settle::{Floor, settle};

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
    /// How many scanners keep the hardware busy.
    fn workers(&self) -> usize;
    /// How many bytes of text a scanner wants at once.
    fn batch_bytes(&self) -> usize;
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
    #[error("the patterns use too many different symbols: {0} classes, at most {most}", most = encode::MOST_CLASSES)]
    TooManyClasses(usize),
    /// An instruction set is wanted that this processor does not have.
    #[error("NIGH_ISA is '{wanted}', but this processor has {present}")]
    NoIsa {
        /// What is wanted.
        wanted: String,
        /// What there is.
        present: String,
    },
}

/// Which engine to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The definition, slow and plain.
    Reference,
    /// Bit-parallel words on the processor's cores.
    Cpu,
}

/// Makes an engine for some patterns that keeps so many threads busy.
///
/// # Errors
/// When the patterns or the machine do not fit the engine.
pub fn engine(choice: Choice, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match choice {
        Choice::Reference => Arc::new(reference::ReferenceEngine::new(patterns, threads)),
        Choice::Cpu => Arc::new(cpu::CpuEngine::new(patterns, threads)?),
    })
}
