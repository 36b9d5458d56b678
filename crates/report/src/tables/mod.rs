//! Tables: reports that print a row for each hit, one file per format.
//!
//! Reading order: `rows/` (prints rows, some of which wait for others of their record; all formats use it), `tsv.rs`
//! (the simplest format), then `paf.rs` and `sam.rs`, which need the lengths of records.

pub(super) mod align;
pub(super) mod bed;
pub(super) mod columns;
pub(super) mod ends;
mod gapped;
pub(super) mod json;
pub(super) mod matches;
pub(super) mod paf;
pub(super) mod rows;
pub(super) mod sam;
pub(super) mod tsv;
