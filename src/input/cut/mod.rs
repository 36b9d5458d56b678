//! Cutters divide the bytes that were read into batches, one file for each format.

pub(super) mod delimited;
pub(super) mod fasta;
pub(super) mod fastq;
pub(super) mod lines;

use std::ops::Range;

use super::batch::{Batch, Layout};
use super::error::InputError;

/// Whether the bytes that were read end the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// More may follow.
    Ahead,
    /// Nothing follows.
    Reached,
    /// What follows could not be read.
    Broken,
}

/// Where a batch ends, and what the next one begins with.
pub(super) struct Cut {
    pub(super) owned: Range<usize>,
    /// The end of the bytes that belong to the batch.
    pub(super) length: usize,
    pub(super) layout: Layout,
}

/// Divides the bytes that were read.
pub(super) trait Cutter: Send {
    /// Decides what of `bytes` is the next batch, and puts what the one after it begins with into `carry`.
    /// `None`: there is nothing to own yet. At the end of the input it owns everything. Where the input is broken off, what is
    /// whole is owned, and of a line or record that may be cut all but its last symbol, as if more followed.
    fn cut(&mut self, bytes: &[u8], end: End, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError>;

    /// Makes the batch of the last cut such that it can be searched.
    fn finish(&self, _batch: &mut Batch) {}
}
