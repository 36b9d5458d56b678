//! Hits of the alternatives of one pattern.

use nigh_pattern::Pattern;
use nigh_text::hit::Hit;

/// Of the hits of one pattern's alternatives with the same strand and end, keeps only the first with the least
/// distance.
pub fn keep_best_alternatives(patterns: &[Pattern], hits: &mut Vec<Hit>) {
    let same = |a: &Hit, b: &Hit| {
        let (first, second) = (&patterns[a.pattern], &patterns[b.pattern]);
        a.end == b.end && first.source() == second.source() && first.strand() == second.strand()
    };
    // The alternatives of a pattern are adjacent in the set, so their hits are too.
    hits.dedup_by(|later, kept| {
        let is_same = same(later, kept);
        if is_same && later.distance < kept.distance {
            *kept = *later;
        }
        is_same
    });
}
