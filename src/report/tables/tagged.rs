//! Rows with tags, for reports that print only some of the rows. A tag precedes a row and holds the distance of the hit,
//! its pattern, and the length of the row.

use std::sync::Arc;

use crate::report::{HitRow, Rows};

/// Size of a number in a tag, in bytes.
const NUMBER: usize = size_of::<u64>();
/// Size of a tag, in bytes.
const TAG: usize = 3 * NUMBER;

/// Formats rows with another formatter, and precedes each with a tag.
pub(crate) struct TaggedRows(pub(crate) Arc<dyn Rows>);

impl Rows for TaggedRows {
    fn wants_alignment(&self) -> bool {
        self.0.wants_alignment()
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let tag = out.len();
        for number in [hit.distance as u64, hit.number as u64, 0] {
            out.extend_from_slice(&number.to_ne_bytes());
        }
        self.0.row(hit, out);
        let length = (out.len() - tag - TAG) as u64;
        out[tag + TAG - NUMBER..tag + TAG].copy_from_slice(&length.to_ne_bytes());
    }
}

/// A row and the contents of its tag.
pub(super) struct TaggedRow<'a> {
    /// The distance of the hit.
    pub(super) distance: u64,
    /// Index of the pattern in the order in which the user gave the patterns.
    pub(super) pattern: usize,
    /// The row without its tag.
    pub(super) row: &'a [u8],
}

/// Iterates over tagged rows.
pub(super) struct Tagged<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Tagged<'a> {
    type Item = TaggedRow<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (distance, rest) = take_number(self.0)?;
        let (pattern, rest) = take_number(rest)?;
        let (length, rest) = take_number(rest)?;
        let (row, rest) = rest.split_at(usize::try_from(length).expect("a row lies in memory"));
        self.0 = rest;
        Some(TaggedRow { distance, pattern: usize::try_from(pattern).expect("patterns lie in memory"), row })
    }
}

/// Splits the first number of a tag from `bytes`; `None` at the end.
fn take_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_ne_bytes(*number), rest))
}
