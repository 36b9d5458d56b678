//! Part cutting: parts of a file that are read independently, in any order.
//!
//! Reading order: `file.rs` (the division and the hand-over), `part.rs` (the cuts of one part), `lines.rs` and
//! `fasta.rs` (batches), `excerpt.rs` (positioned reads).

pub(super) mod excerpt;
pub(super) mod fasta;
pub(super) mod file;
mod line_records;
mod lines;
mod part;
