//! The engine for the processor's cores.
//!
//! Patterns are compiled once for each search method (`compiled`, `search`). A scanner picks a method per batch
//! (`scanner`) from a cost model (`cost`): it searches around the seeds of the patterns (`filter`), bit-sliced in hundreds
//! of text streams at once (`bitslice`), or, for small batches, by block-based Myers (`myers`).
//! `ambiguous` searches twice if patterns match ambiguous letters of the text. `traceback` aligns hits.
//!
//! Read `engine`, `compiled`, `scanner` and `cost` first, then `sections`, `myers`, `bitslice`, `filter` and `traceback`.

mod ambiguous;
pub(in crate::engine) mod bitslice;
mod compiled;
mod cost;
mod engine;
pub(in crate::engine) mod filter;
mod forecast;
mod found_items;
pub(in crate::engine) mod line_selection;
mod myers;
pub mod recurrence;
mod scanner;
mod search;
pub(in crate::engine) mod sections;
mod traceback;

pub use crate::simd::isa::Isa;
pub use engine::CpuFinder;
