//! Selection: from the hits of a batch to the lines or records, matches and rows of a report.
//!
//! Reading order: `engine_work.rs` (workers with an engine), `selector/` (the flow of one batch), `items.rs` (lines and
//! records), `spans.rs` and `best_hits/` (two applications of the rule in [`nigh_verify::choice::overlap`], the second also
//! of the rule in [`nigh_verify::choice::sites`]), `circle.rs` (circular records), `rows.rs`, `positions.rs`.

pub(super) mod best_hits;
mod circle;
pub(super) mod engine_work;
pub(super) mod items;
mod outranked;
mod positions;
mod rows;
mod selector;
mod spans;
