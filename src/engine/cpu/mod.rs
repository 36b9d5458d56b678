//! The engine for the processor's cores.
//!
//! Patterns are compiled once for each way of searching ([`compiled`]). A batch is searched around the seeds of the
//! patterns ([`filter`]), in many streams at once ([`bitslice`]), or, if it is too small for both, by Myers' algorithm
//! in blocks of 64 rows ([`myers`]); [`cost`] says which pays. Hits are traced back to their start in [`traceback`].

mod bitslice;
mod block_scanner;
mod compiled;
mod cost;
mod engine;
mod filter;
mod kept;
mod myers;
mod scanner;
mod simd;
mod traceback;

pub use engine::CpuEngine;
pub use simd::isa::Isa;
