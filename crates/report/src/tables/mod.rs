//! Tables: reports that print a row for each hit, one file per format.
//!
//! Reading order: `rows/` (prints rows, some of which wait for others of their record; all formats use it), `tsv.rs`
//! (the simplest format), then `paf.rs` and `sam.rs`, which need the lengths of records.

pub(super) mod align;
pub(super) mod bed;
pub(super) mod columns;
pub(super) mod ends;
mod gapped;
#[doc(hidden)]
pub mod json;
pub(super) mod matches;
pub(super) mod paf;
pub(super) mod rows;
#[doc(hidden)]
pub mod sam;
pub(super) mod tsv;
