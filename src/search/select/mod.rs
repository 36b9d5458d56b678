//! Selection: from the hits of a batch to the lines or records, matches and rows of a report.
//!
//! Reading order: `selector.rs` (the flow of one batch), `items.rs` (lines and records), `searcher/overlap.rs`
//! (best-first selection, the rule), `spans.rs` and `best_hits.rs` (its two applications), `rows.rs`, `positions.rs`.

pub(super) mod best_hits;
pub(super) mod items;
pub(super) mod positions;
mod rows;
pub(super) mod selector;
pub(super) mod spans;
