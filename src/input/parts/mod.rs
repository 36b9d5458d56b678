//! Parts of a file that are read on their own, in any order.

pub(super) mod excerpt;
pub(super) mod fasta;
pub(super) mod file;
mod lines;
mod part;
