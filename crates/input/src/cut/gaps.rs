//! Hides the gaps of aligned sequences.
//!
//! Engines pass over blanks in a record as they pass over line breaks, so each gap is overwritten in place with a blank,
//! and no offset changes. `Batch::shown` keeps the original bytes.

use memchr::memchr2;

use nigh_text::batch::{Batch, Segment};

/// Overwrites each gap `-` and `.` in the records of a batch with a blank. Keeps the bytes as read in `shown`.
pub(crate) fn hide_gaps(batch: &mut Batch) {
    let records: Vec<_> = batch.segments().iter().map(|Segment { bytes, .. }| bytes.clone()).collect();
    if !records.iter().any(|record| memchr2(b'-', b'.', &batch.bytes()[record.clone()]).is_some()) {
        return;
    }
    batch.shown = Some(batch.bytes().to_vec());
    let bytes = batch.bytes_mut().expect("a batch of a file has a buffer");
    for record in records {
        bytes[record].iter_mut().filter(|byte| matches!(byte, b'-' | b'.')).for_each(|byte| *byte = b' ');
    }
}
