//! Selection: from the hits of a batch to the lines or records, matches and rows of a report.
//!
//! Reading order: `selector.rs` (the flow of one batch), `items.rs` (lines and records), `searcher/overlap.rs` (the
//! rule of best-first selection), `spans.rs` and `best_hits.rs` (the two applications of the rule, the
//! second also of the rule in `searcher/sites.rs`), `rows.rs`, `positions.rs`.

pub(super) mod best_hits;
pub(super) mod items;
mod outranked;
mod positions;
mod rows;
pub(super) mod selector;
pub(super) mod spans;
