//! Chooses how each pattern is divided for the seed index, and estimates the cost.

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{LENGTH, MAX_ROWS, MAX_TEST_EDITS, QGRAMS, TOP_BIT};
use super::residues::{ResidueGroups, core_of, groups_of};
use super::scheme::{MAX_GRAMS, Scheme};
use crate::engine::encoder::Classes;
use crate::pattern::Pattern;

/// The most entries of an index: 560 MB, and twice as much again while it is built.
const MAX_ENTRIES: f64 = 7e7;

/// The patterns of a seed index, and the divisions of all patterns.
pub(crate) struct SeedPlan {
    /// The division of each pattern; `None` if it cannot be in the index.
    scheme_of: Vec<Option<Arc<Scheme>>>,
    /// For each pattern, the index of its first seed; `None` if it is not in the index.
    first_seeds: Vec<Option<u32>>,
    seeds: usize,
    rows: usize,
    plane_count: usize,
}

/// The properties of a pattern on which its division depends.
#[derive(PartialEq, Eq, Hash)]
struct PatternShape {
    /// The number of groups that each symbol matches.
    groups: Vec<u8>,
    k: usize,
}

/// The cost of a pattern in the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeedEstimate {
    /// The number of entries.
    pub(crate) entries: f64,
    /// The expected number of entries that a residue of random text leads to.
    pub(crate) rate: f64,
    /// The share of these that pass their test in random text.
    pub(crate) passing: f64,
}

impl SeedPlan {
    /// Divides the patterns. None is in the index yet.
    pub(crate) fn new(patterns: &[Pattern], classes: &Classes) -> Self {
        let mut schemes: HashMap<PatternShape, Option<Arc<Scheme>>> = HashMap::new();
        let scheme_of = patterns.iter().map(|pattern| {
            let groups = core_groups(pattern, classes).iter().map(|groups| groups.count_ones() as u8).collect();
            let entry = schemes.entry(PatternShape { groups, k: pattern.k() });
            entry.or_insert_with_key(|shape| Scheme::fewest(&shape.groups, shape.k, LENGTH).map(Arc::new)).clone()
        });
        let scheme_of = scheme_of.collect();
        let first_seeds = vec![None; patterns.len()];
        SeedPlan { scheme_of, first_seeds, seeds: 0, rows: 0, plane_count: 2 }
    }

    /// Estimates the cost of the pattern with the index `index`; `None` if it cannot be in the index.
    pub(crate) fn estimate(&self, index: usize, pattern: &Pattern, classes: &Classes) -> Option<SeedEstimate> {
        let scheme = self.scheme(index)?;
        let groups: Vec<u8> = core_groups(pattern, classes).iter().map(|groups| groups.count_ones() as u8).collect();
        let (mut entries, mut passed) = (0.0, 0.0);
        for piece in &scheme.pieces {
            let grams = piece.grams(&groups, LENGTH);
            let rows = piece.tested(groups.len()).min(MAX_ROWS).min(TOP_BIT.saturating_sub(pattern.k()));
            entries += grams;
            // Nearly all q-grams have as many edits as the piece may have.
            passed += grams * passing(rows, pattern.k() - piece.edits);
        }
        let rate = entries / QGRAMS as f64;
        (entries <= MAX_GRAMS as f64).then_some(SeedEstimate { entries, rate, passing: passed / entries })
    }

    /// Puts the patterns that `chosen` marks into the index, as far as there is room, and clears the marks of the
    /// others. `estimates` has the cost of each pattern.
    pub(crate) fn choose(
        &mut self,
        patterns: &[Pattern],
        classes: &Classes,
        estimates: &[Option<SeedEstimate>],
        chosen: &mut [bool],
    ) {
        let mut room = MAX_ENTRIES;
        let (mut edits, mut longest, mut wild) = (0, 0, false);
        let mut shortest = MAX_ROWS;
        for (index, pattern) in patterns.iter().enumerate().filter(|&(index, _)| chosen[index]) {
            let (Some(estimate), Some(scheme)) = (&estimates[index], self.scheme(index).cloned()) else { continue };
            room -= estimate.entries;
            if room < 0.0 {
                continue;
            }
            let tested = scheme.pieces.iter().map(|piece| piece.tested(core_of(pattern).len()));
            longest = tested.clone().max().unwrap_or(0).max(longest);
            shortest = tested.min().unwrap_or(0).min(shortest);
            edits = edits.max(pattern.k());
            wild |= core_groups(pattern, classes).iter().any(|groups| !groups.is_power_of_two());
            let pieces = scheme.pieces.len();
            self.first_seeds[index] = Some(self.seeds as u32);
            self.seeds += pieces;
        }
        chosen.iter_mut().zip(&self.first_seeds).for_each(|(chosen, seed)| *chosen = seed.is_some());
        self.rows = longest.min(TOP_BIT - edits.min(MAX_TEST_EDITS)).min(MAX_ROWS);
        let needs_wild = wild || shortest < self.rows || edits > MAX_TEST_EDITS;
        self.plane_count = if needs_wild { 3 } else { 2 };
    }

    /// Returns a plan with the same divisions, for a part of the patterns. None is in the index yet.
    pub(crate) fn emptied(&self) -> Self {
        let first_seeds = vec![None; self.first_seeds.len()];
        SeedPlan { scheme_of: self.scheme_of.clone(), first_seeds, seeds: 0, rows: 0, plane_count: 2 }
    }

    /// Returns the division of the core of the pattern with the index `pattern`; `None` if it cannot be in the index.
    pub(crate) fn scheme(&self, pattern: usize) -> Option<&Arc<Scheme>> {
        self.scheme_of[pattern].as_ref()
    }

    /// Returns whether the pattern with the index `pattern` is in the index.
    pub(crate) fn is_chosen(&self, pattern: usize) -> bool {
        self.first_seeds[pattern].is_some()
    }

    /// Returns the index of the first seed of a pattern in the index.
    pub(crate) fn first_seed(&self, pattern: usize) -> u32 {
        self.first_seeds[pattern].expect("the pattern is in the index")
    }

    /// Returns the number of seeds.
    pub(crate) fn seeds(&self) -> usize {
        self.seeds
    }

    /// Returns the number of rows of a test.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of planes of an entry: 3 if a row matches any residue, otherwise 2.
    pub(crate) fn plane_count(&self) -> usize {
        self.plane_count
    }
}

/// Returns the groups that each symbol allows from which seeds are taken.
fn core_groups(pattern: &Pattern, classes: &Classes) -> Vec<ResidueGroups> {
    groups_of(&pattern.symbols()[core_of(pattern)], classes)
}

/// Estimates the share of random texts that begin with a match of `rows` symbols within `edits` edits.
fn passing(rows: usize, edits: usize) -> f64 {
    if edits > MAX_TEST_EDITS {
        return 1.0;
    }
    let texts = (1..=edits).fold(1.0, |texts, edit| texts * 7.0 * rows as f64 / edit as f64);
    (texts / 4f64.powi(rows as i32)).min(1.0)
}
