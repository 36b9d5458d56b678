//! Residues in four groups, two bits each; for nucleotides each base is a group.

use std::ops::Range;

use nigh_pattern::{EdgeGroups, Pattern, SymbolSet};
use nigh_verify::encoder::{Classes, Code};

/// A set of groups of residues: a bit for each of the four groups.
pub type ResidueGroups = u8;
pub const ANY: ResidueGroups = 15;

/// Returns the group of a residue from its code.
fn group(code: Code) -> usize {
    usize::from(code.wrapping_sub(1) & 3)
}

/// Computes the group of 64 residues at once: takes the two lowest bit planes of their codes, and returns the low and
/// the high bits of their groups.
#[inline(always)]
pub fn group_planes(low: u64, high: u64) -> (u64, u64) {
    (!low, !(low ^ high))
}

/// Returns, for each of `symbols`, the groups that the symbol allows.
pub fn groups_of(symbols: &[SymbolSet], classes: &Classes) -> impl Iterator<Item = ResidueGroups> {
    symbols.iter().map(|set| classes.codes_in(set).iter().fold(0, |groups, &code| groups | 1 << group(code)))
}

/// Returns the range of the symbols from which the seeds of a pattern are taken: those between the exact groups at its
/// edges, unless they are less than half of the pattern.
pub fn core_of(pattern: &Pattern) -> Range<usize> {
    let length = pattern.symbols().len();
    let EdgeGroups { before, after } = pattern.edge_groups();
    if 2 * (before + after) > length { 0..length } else { before..length - after }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_planes_are_those_of_codes() {
        for code in 0..8usize {
            let (low, high) = group_planes(code as u64 & 1, code as u64 >> 1 & 1);
            assert_eq!((low & 1 | (high & 1) << 1) as usize, group(code as Code), "code {code}");
        }
    }
}
