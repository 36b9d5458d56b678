//! The engine for the processor's cores.
//!
//! Patterns are compiled once for each search method (`compiled`, `search`). A scanner picks a method per batch
//! (`scanner`) from a cost model (`cost`): it searches around the seeds of the patterns (`filter`), bit-sliced in hundreds
//! of text streams at once (`bitslice`), or, for small batches, by block-based Myers (`myers`).
//! `ambiguous` searches twice if patterns match ambiguous letters of the text. `traceback` aligns hits.
//!
//! Read `engine`, `compiled`, `scanner` and `cost` first, then `sections`, `myers`, `bitslice`, `filter` and `traceback`.

mod ambiguous;
#[doc(hidden)]
pub mod bitslice;
mod compiled;
mod cost;
mod engine;
#[doc(hidden)]
pub mod filter;
mod forecast;
mod found_items;
#[doc(hidden)]
pub mod line_selection;
mod myers;
#[doc(hidden)]
pub mod recurrence;
mod scanner;
mod search;
#[doc(hidden)]
pub mod sections;
mod traceback;

pub use engine::CpuFinder;
pub use nigh_simd::isa::Isa;
