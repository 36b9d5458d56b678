//! Bit-sliced search: each bit of a word is an independent stream of text, so one step of Myers' algorithm advances
//! hundreds of streams.
//!
//! Reading order: `planes` (batch to bit planes, with `packer` and `transpose` of nigh-simd), `myers` (the search, with
//! `code_sets`), `bitsliced_batch` (stream positions to verified hits), `prefix` (long patterns by a prefix) and
//! `scanner` (all of it for one batch). `automaton` is the search for a regular expression.

pub mod automaton;
pub(super) mod bitsliced_batch;
mod code_sets;
pub(super) mod myers;
pub(super) mod packer;
pub mod planes;
pub(super) mod prefix;
pub(super) mod scanner;
