//! Comparison of pairs on the processor's cores.
//!
//! Reading order: `engine` (the choice among the others), `short` (many short pairs: bit-sliced and in words), `long`
//! (edit distance of long pairs: blocks of rows in vectors, bands, threads), `scored` (global and local alignment).

mod engine;
mod long;
mod scored;
mod short;

pub(crate) use engine::CpuPairs;
#[cfg(feature = "cuda")]
pub(crate) use engine::ProbedValue;
