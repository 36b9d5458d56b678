//! Cutters divide the bytes that were read into batches, one file for each format.

pub(super) mod delimited;
pub(super) mod fasta;
pub(super) mod fastq;
pub(super) mod lines;
