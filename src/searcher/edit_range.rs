//! The value of `-k`: a bound on the number of edits, and the least number of edits.

use std::str::FromStr;

use nigh_pattern::{Bound, EditConstraints, MaxEdits, Pattern, PatternSet};

/// The number of edits allowed, and the least number of edits, as in `1..2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EditRange {
    /// The least number of edits of a reported match.
    pub(crate) min: usize,
    /// The number of edits allowed, and their kinds.
    pub(crate) bound: Bound,
}

impl From<MaxEdits> for EditRange {
    fn from(max_edits: MaxEdits) -> Self {
        EditRange { min: 0, bound: max_edits.into() }
    }
}

impl FromStr for EditRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((min, bound)) = text.split_once("..") else { return Ok(EditRange { min: 0, bound: text.parse()? }) };
        if min.is_empty() || !min.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected a number, 0 or more");
        }
        let min = min.parse::<u32>().unwrap_or(u32::MAX) as usize;
        let bound: Bound = bound.parse()?;
        match bound.max_edits() {
            MaxEdits::Count(max) if max < min => Err("the minimum number of edits is above the maximum"),
            _ => Ok(EditRange { min, bound }),
        }
    }
}

/// Returns the largest possible distance of a hit of any pattern: K, or, with costs or transpositions, the largest sum
/// of costs.
pub(crate) fn largest_distance(patterns: &PatternSet) -> usize {
    let largest = |pattern: &Pattern| pattern.constraints().map_or(pattern.k(), EditConstraints::max_cost);
    patterns.patterns().iter().map(largest).max().unwrap_or(0)
}
