//! The sizes of the seed index, and the form of its tests.

use nigh_text::alignment::SearchEdits;

/// The number of residues in a q-gram. A bit for each q-gram takes 128 KiB, which fits the second-level cache.
pub const LENGTH: usize = 10;
/// The number of distinct q-grams.
pub(crate) const QGRAMS: usize = 1 << (2 * LENGTH);

/// The number of slots. A slot is a q-gram, and the side of the q-gram on which the boundary lies.
pub(crate) const SLOTS: usize = 2 * QGRAMS;
/// The number of parts of the index, which are built independently of each other.
pub const PARTS: usize = 256;
/// The number of slots in a part.
pub const PART_SLOTS: usize = SLOTS / PARTS;
/// The number of elements of the planes after the last entry that may be read.
pub const PADDING: usize = 32;

/// The largest number of edits that a test allows. With more, a test passes nearly everything.
pub const MAX_TEST_EDITS: usize = 5;
/// The largest number of rows of a test. A lane has 16 bits: the rows, and above them the edits that are left.
pub(crate) const MAX_ROWS: usize = 12;
/// The number of the highest bit of a lane that a test may set: a row for each symbol, and a row for each edit below.
pub(crate) const TOP_BIT: usize = 14;
/// The position of the edits in the low plane of an entry.
pub const EDITS_SHIFT: u32 = 12;

/// The tests of the entries of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedTests {
    /// The number of rows.
    pub rows: usize,
    /// The edits that the tests allow: with transpositions if a pattern of the index has them.
    pub edits: SearchEdits,
}

/// A piece of a pattern and its boundary.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexedSeed {
    /// Index of the pattern in its set.
    pub pattern: u32,
    /// The number of symbols of the pattern after the boundary.
    pub after: u32,
}
