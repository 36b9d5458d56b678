//! Hides the carriage returns of text whose lines end with a line feed after an optional carriage return.
//!
//! Engines expect a single byte at the end of a line, so a carriage return before a line feed is overwritten in place with a
//! second line feed, and no offset changes. `Batch::shown` keeps the original bytes.

use memchr::memmem;

use nigh_text::batch::Batch;

/// Overwrites each carriage return before a line feed with a line feed. Keeps the bytes as read in `shown`.
pub(crate) fn hide_returns(batch: &mut Batch) {
    let returns: Vec<usize> = memmem::find_iter(batch.bytes(), b"\r\n").collect();
    if !returns.is_empty() {
        batch.shown = Some(batch.bytes().to_vec());
        let bytes = batch.bytes_mut().expect("a batch of a file has a buffer");
        returns.into_iter().for_each(|at| bytes[at] = b'\n');
    }
}
