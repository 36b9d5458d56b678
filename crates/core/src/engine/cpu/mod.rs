//! The engine for the processor's cores.
//!
//! Patterns are compiled once for each search method (`compiled`, `search`). A scanner picks a method per batch
//! (`scanner`) from a cost model (`cost`): it searches around the seeds of the patterns (`filter`), bit-sliced in hundreds
//! of text streams at once (`bitslice`), or, for small batches, by block-based Myers (`myers`, `block_scanner`).
//! `ambiguous` searches twice if patterns match ambiguous letters of the text. `traceback` aligns hits.
//!
//! Read `engine`, `compiled`, `scanner` and `cost` first, then `myers`, `bitslice`, `filter` and `traceback`.

mod ambiguous;
pub(in crate::engine) mod bitslice;
mod block_scanner;
mod compiled;
mod cost;
mod divisions;
mod engine;
pub(in crate::engine) mod filter;
mod first_hits;
mod forecast;
mod found_items;
mod kept;
pub(in crate::engine) mod line_selection;
mod myers;
pub mod recurrence;
mod scanner;
mod search;
pub(in crate::engine) mod section;
mod traceback;

pub use crate::simd::isa::Isa;
pub use engine::CpuFinder;
