//! Cuts text whose lines end with a line feed after an optional carriage return.
//!
//! Engines expect a single byte at the end of a line, so a carriage return before a line feed is overwritten in place with a
//! second line feed, and no offset changes. `Batch::shown` keeps the original bytes.

use memchr::memmem;

use super::lines::LineCutter;
use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use nigh_core::batch::Batch;

/// Cuts text whose lines end with a line feed after an optional carriage return.
pub(crate) struct CrlfLineCutter(pub(crate) LineCutter);

impl Cutter for CrlfLineCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        self.0.cut(bytes, end, carry)
    }

    fn finish(&self, batch: &mut Batch) {
        hide_returns(batch);
    }
}

/// Overwrites each carriage return before a line feed with a line feed. Keeps the bytes as read in `shown`.
pub(crate) fn hide_returns(batch: &mut Batch) {
    let returns: Vec<usize> = memmem::find_iter(batch.bytes(), b"\r\n").collect();
    if !returns.is_empty() {
        batch.shown = Some(batch.bytes().to_vec());
        let bytes = batch.bytes_mut().expect("a batch of a file has a buffer");
        returns.into_iter().for_each(|at| bytes[at] = b'\n');
    }
}
