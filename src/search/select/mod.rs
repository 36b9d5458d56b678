//! From hits to what is printed: the lines or records selected, and the matches shown in them.

pub(super) mod best_hits;
pub(super) mod overlap;
pub(super) mod positions;
mod rows;
pub(super) mod selector;
pub(super) mod spans;
pub(super) mod units;
