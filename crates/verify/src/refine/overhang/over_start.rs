//! Matches over the start of a line or record, for all ends at once: Sellers' recurrence (1980).
//!
//! For patterns without constraints and edges. The [matrix of the constraints](crate::matrix::Matrix) gives the
//! same sums, one end at a time: two to three times slower where most lines have such a match.

use nigh_pattern::{OverhangLimits, Pattern, UNIT};
use nigh_text::text::PlacedSymbol;

/// Passes the least sum of edits and overhangs of the matches over the start that end after each symbol of `text` to
/// `each`, in order. At least `first` symbols of the pattern are before the start.
pub(super) fn for_each_end(
    (pattern, limits): (&Pattern, OverhangLimits),
    first: usize,
    text: &[PlacedSymbol],
    mut each: impl FnMut(&PlacedSymbol, u64),
) {
    let symbols = &pattern.symbols()[first..];
    // In row i, the first i of these symbols have been passed. A match starts in a row whose symbols may be before the
    // start, and deletes the next symbols.
    let start = |row: usize| (1..=limits.max_before).contains(&(first + row)).then(|| limits.cost(first + row));
    let mut column = Vec::with_capacity(symbols.len() + 1);
    let mut above = u64::MAX / 4;
    for row in 0..=symbols.len() {
        above = start(row).unwrap_or(u64::MAX).min(above + UNIT);
        column.push(above);
    }
    for placed in text {
        let mut diagonal = column[0];
        column[0] += UNIT;
        let mut above = column[0];
        for (set, here) in symbols.iter().zip(&mut column[1..]) {
            let step = diagonal + if set.contains(placed.symbol) { 0 } else { UNIT };
            above = step.min(above.min(*here) + UNIT);
            diagonal = std::mem::replace(here, above);
        }
        each(placed, above);
    }
}
