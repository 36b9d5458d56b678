//! Cutters: divide the bytes read into batches, one file per format.
//!
//! Reading order: this file (the contract), `lines.rs`, `line_records.rs`, `returns.rs`, `fasta.rs`, `gaps.rs`, `fastq.rs`.

pub(super) mod fasta;
pub(super) mod fastq;
pub(super) mod gaps;
pub(super) mod line_records;
pub(super) mod lines;
pub(super) mod returns;

use std::ops::Range;

use super::error::InputError;
use nigh_text::batch::{Layout, LineRecords};

/// Whether the input ends after the bytes read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputEnd {
    /// More may follow.
    Ahead,
    /// No input has arrived for a second, and more may follow.
    Paused,
    /// The input ends here.
    Reached,
    /// A read error occurred here.
    Broken,
}

/// The next batch: the first `length` of the bytes read.
pub(super) struct Cut {
    pub(super) owned: Range<usize>,
    /// Number of bytes that belong to the batch.
    pub(super) length: usize,
    pub(super) layout: Layout,
    /// The records that lines form, if they do.
    pub(super) records: Option<LineRecords>,
}

/// Divides the bytes read into batches.
pub(super) trait Cutter: Send {
    /// Cuts the next batch from the start of `bytes`, and stores in `carry` the bytes with which the following batch
    /// begins.
    ///
    /// Returns `None` if there is nothing to own yet. At [`InputEnd::Reached`] the batch owns all bytes. At
    /// [`InputEnd::Broken`] it owns everything that is complete and, of a line or record that may be truncated, all but
    /// the last symbol, as if more followed.
    ///
    /// # Errors
    /// Input that is not of the format.
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError>;

    /// Returns whether a pause of the input ends a record, so that `cut` is to be called with [`InputEnd::Paused`].
    fn ends_at_pause(&self) -> bool {
        false
    }
}
