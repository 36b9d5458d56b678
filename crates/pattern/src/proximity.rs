//! Two groups of patterns whose matches count only near each other: `--near`.

use std::ops::Range;

/// Two groups of patterns, and the largest number of symbols between a match of one group and a match of the other.
///
/// A match of a pattern of either group counts only if a match of the other group is in the same line or record, on
/// either side and on either strand, does not overlap it, and at most `gap` symbols are between the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proximity {
    /// Indices of the sources of one group.
    pub first: Range<usize>,
    /// Indices of the sources of the other group.
    pub second: Range<usize>,
    /// Largest number of symbols between two matches.
    pub gap: u64,
}

/// A group of patterns of a [`Proximity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProximityGroup {
    /// The first group.
    First,
    /// The second group.
    Second,
}

impl Proximity {
    /// Returns the group of the source with the index `source`; `None` if matches of this source count anywhere.
    pub fn group(&self, source: usize) -> Option<ProximityGroup> {
        match (self.first.contains(&source), self.second.contains(&source)) {
            (true, _) => Some(ProximityGroup::First),
            (false, true) => Some(ProximityGroup::Second),
            (false, false) => None,
        }
    }
}
