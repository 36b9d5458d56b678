//! Rows with tags, for reports that choose or order rows. A tag precedes a row, and holds the numbers on which choice
//! and order depend.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::report::{HitRow, Rows};

/// Number of fields of a tag: distance, pattern, record, start, end, and the length of the row.
const FIELDS: usize = 6;
/// Size of a tag, in bytes.
const TAG: usize = FIELDS * size_of::<u64>();

/// Formats rows with another formatter, and precedes each with a tag.
pub(super) struct TaggedRows(pub(super) Arc<dyn Rows>);

impl Rows for TaggedRows {
    fn wants_alignment(&self) -> bool {
        self.0.wants_alignment()
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let tag = out.len();
        let mut record = DefaultHasher::new();
        (hit.label, hit.record).hash(&mut record);
        for field in [hit.distance as u64, hit.number as u64, record.finish(), hit.start, hit.end, 0] {
            out.extend_from_slice(&field.to_ne_bytes());
        }
        self.0.row(hit, out);
        let length = (out.len() - tag - TAG) as u64;
        out[tag + TAG - size_of::<u64>()..tag + TAG].copy_from_slice(&length.to_ne_bytes());
    }
}

/// A row and the contents of its tag.
pub(super) struct TaggedRow<'a> {
    /// The distance of the hit.
    pub(super) distance: u64,
    /// Index of the pattern in the order in which the user gave the patterns.
    pub(super) pattern: usize,
    /// Hash of the names of the input and the record.
    pub(super) record: u64,
    /// Start of the match.
    pub(super) start: u64,
    /// End of the match.
    pub(super) end: u64,
    /// The row without its tag.
    pub(super) row: &'a [u8],
}

/// Iterates over tagged rows. If the last row is incomplete, it is left out.
#[derive(Clone, Copy)]
pub(super) struct Tagged<'a>(pub(super) &'a [u8]);

impl<'a> Tagged<'a> {
    /// Splits the first tag and row from the remaining bytes; `None` if the first tag or row is incomplete.
    fn split(self) -> Option<(&'a [u8], &'a [u8])> {
        let length = u64::from_ne_bytes(*self.0.get(TAG - size_of::<u64>()..TAG)?.first_chunk()?);
        self.0.split_at_checked(TAG + usize::try_from(length).expect("a row lies in memory"))
    }

    /// Returns the number of bytes of the complete rows.
    pub(super) fn complete(self) -> usize {
        let mut rest = self;
        while let Some((_, after)) = rest.split() {
            rest = Tagged(after);
        }
        self.0.len() - rest.0.len()
    }
}

impl<'a> Iterator for Tagged<'a> {
    type Item = TaggedRow<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = self.split()?;
        let field = |index: usize| {
            let bytes = first[index * size_of::<u64>()..].first_chunk().expect("a tag has all fields");
            u64::from_ne_bytes(*bytes)
        };
        self.0 = rest;
        Some(TaggedRow {
            distance: field(0),
            pattern: usize::try_from(field(1)).expect("patterns lie in memory"),
            record: field(2),
            start: field(3),
            end: field(4),
            row: &first[TAG..],
        })
    }
}
