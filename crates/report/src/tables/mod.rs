//! Tables: reports that print a row for each hit, one file per format.
//!
//! Reading order: `rows.rs` (prints rows; all formats use it), `tsv.rs` (the simplest format), `stages.rs`,
//! `nearest.rs`, `by_start.rs` and `open_record.rs` (rows that wait for others of their record), then `paf.rs` and
//! `sam.rs`, which need the lengths of records.

pub(super) mod align;
pub(super) mod bed;
mod by_start;
pub(super) mod columns;
pub(super) mod ends;
mod gapped;
pub(super) mod json;
pub(super) mod matches;
mod nearest;
mod open_record;
pub(super) mod paf;
pub(super) mod rows;
pub(super) mod sam;
mod stages;
pub(super) mod tsv;
