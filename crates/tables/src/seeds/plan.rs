//! Chooses how each pattern is divided for the seed index, and estimates the cost.

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{LENGTH, MAX_ROWS, MAX_TEST_EDITS, QGRAMS, SeedTests, TOP_BIT};
use super::residues::{ResidueGroups, core_of, groups_of};
use super::scheme::{MAX_GRAMS, SeedScheme};
use nigh_pattern::Pattern;
use nigh_text::alignment::SearchEdits;
use nigh_verify::encoder::Classes;

/// The largest number of entries of an index. They take 560 MB with two planes and 700 MB with three,
/// and about as much during the build.
const MAX_ENTRIES: f64 = 7e7;

/// The number of q-grams of a piece with transpositions as edits, as a multiple of the number without. Measured: 1.76
/// for 40 and 1.83 for 600 random patterns of 20 bases with k = 3.
const TRANSPOSED_GRAMS: f64 = 1.8;

/// The patterns of a seed index, and the divisions of all patterns.
pub struct SeedPlan {
    divided: Arc<DividedPatterns>,
    /// For each pattern, the index of its first seed; `None` if it is not in the index.
    first_seeds: Vec<Option<u32>>,
    seeds: usize,
    /// The estimated number of entries.
    entries: f64,
    tests: SeedTests,
    plane_count: usize,
}

/// The cores of all patterns, and how each is divided.
struct DividedPatterns {
    /// The groups that each symbol of the cores allows, pattern by pattern.
    groups: Vec<ResidueGroups>,
    /// The end of each pattern in `groups`.
    ends: Vec<usize>,
    /// The division of each pattern; `None` if it cannot be in the index.
    divisions: Vec<Option<Arc<PatternDivision>>>,
}

/// The properties of a pattern on which its division depends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PatternShape {
    /// The number of groups that each symbol of the core allows.
    groups: Vec<u8>,
    k: usize,
    edits: SearchEdits,
}

/// How the patterns of a shape are divided.
struct PatternDivision {
    scheme: SeedScheme,
    /// The cost of a pattern of the shape; `None` if it has too many q-grams.
    estimate: Option<SeedEstimate>,
    /// Whether each symbol allows one group.
    is_plain: bool,
}

/// The cost of a pattern in the index.
#[derive(Debug, Clone, Copy)]
pub struct SeedEstimate {
    /// The number of entries.
    pub entries: f64,
    /// The expected number of entries that a residue of random text leads to.
    pub rate: f64,
    /// The share of these entries that pass their test in random text.
    pub passing: f64,
}

impl DividedPatterns {
    fn new(patterns: &[Pattern], classes: &Classes) -> Self {
        let mut known: HashMap<PatternShape, Option<Arc<PatternDivision>>> = HashMap::new();
        let mut divided = DividedPatterns {
            groups: Vec::with_capacity(patterns.iter().map(|pattern| core_of(pattern).len()).sum()),
            ends: Vec::with_capacity(patterns.len()),
            divisions: Vec::with_capacity(patterns.len()),
        };
        let mut shape = PatternShape { groups: Vec::new(), k: 0, edits: SearchEdits::Levenshtein };
        // Most patterns have the shape of the one before them, which is found without a hash of the shape.
        let mut last = shape.clone();
        for pattern in patterns {
            let first = divided.groups.len();
            divided.groups.extend(groups_of(&pattern.symbols()[core_of(pattern)], classes));
            divided.ends.push(divided.groups.len());
            (shape.k, shape.edits) = (pattern.k(), pattern.edit_model());
            shape.groups.clear();
            shape.groups.extend(divided.groups[first..].iter().map(|groups| groups.count_ones() as u8));
            let division = match divided.divisions.last() {
                Some(division) if shape == last => division.clone(),
                _ => match known.get(&shape) {
                    Some(division) => division.clone(),
                    None => {
                        let division = PatternDivision::of(&shape).map(Arc::new);
                        known.insert(shape.clone(), division.clone());
                        division
                    }
                },
            };
            divided.divisions.push(division);
            std::mem::swap(&mut shape, &mut last);
        }
        divided
    }
}

impl PatternDivision {
    /// Divides the patterns of a shape; `None` if they cannot be in the index.
    fn of(shape: &PatternShape) -> Option<Self> {
        let PatternShape { groups, k, edits } = shape;
        let scheme = SeedScheme::fewest(groups, *k, LENGTH)?;
        let (mut entries, mut passed) = (0.0, 0.0);
        for piece in &scheme.pieces {
            let grams = piece.grams(groups, LENGTH) * if edits.has_transpositions() { TRANSPOSED_GRAMS } else { 1.0 };
            let rows = piece.tested(groups.len()).min(MAX_ROWS).min(TOP_BIT.saturating_sub(*k));
            entries += grams;
            // Nearly all q-grams have as many edits as the piece may have.
            passed += grams * passing(rows, k - piece.edits);
        }
        let rate = entries / QGRAMS as f64;
        let estimate = SeedEstimate { entries, rate, passing: passed / entries };
        let estimate = (entries <= MAX_GRAMS as f64).then_some(estimate);
        Some(PatternDivision { scheme, estimate, is_plain: groups.iter().all(|&groups| groups == 1) })
    }
}

impl SeedPlan {
    /// Divides the patterns. None is in the index yet.
    pub fn new(patterns: &[Pattern], classes: &Classes) -> Self {
        SeedPlan::of_divided(Arc::new(DividedPatterns::new(patterns, classes)))
    }

    fn of_divided(divided: Arc<DividedPatterns>) -> Self {
        let first_seeds = vec![None; divided.ends.len()];
        let tests = SeedTests { rows: 0, edits: SearchEdits::Levenshtein };
        SeedPlan { divided, first_seeds, seeds: 0, entries: 0.0, tests, plane_count: 2 }
    }

    /// Returns a plan with the same divisions. No pattern is in the index yet.
    pub fn emptied(&self) -> Self {
        SeedPlan::of_divided(self.divided.clone())
    }

    /// Estimates the cost of the pattern with the index `pattern`; `None` if it cannot be in the index.
    pub fn estimate(&self, pattern: usize) -> Option<SeedEstimate> {
        self.divided.divisions[pattern].as_ref()?.estimate
    }

    /// Puts the patterns that `chosen` marks into the index, as far as there is room, and clears the marks of the
    /// others. `estimates` has the cost of each pattern.
    pub fn choose(&mut self, patterns: &[Pattern], estimates: &[Option<SeedEstimate>], chosen: &mut [bool]) {
        let mut room = MAX_ENTRIES;
        let (mut edits, mut longest, mut wild) = (0, 0, false);
        let mut shortest = MAX_ROWS;
        let divided = self.divided.clone();
        for (index, pattern) in patterns.iter().enumerate().filter(|&(index, _)| chosen[index]) {
            let (Some(estimate), Some(division)) = (&estimates[index], &divided.divisions[index]) else { continue };
            room -= estimate.entries;
            if room < 0.0 {
                continue;
            }
            self.entries += estimate.entries;
            let pieces = &division.scheme.pieces;
            let tested = pieces.iter().map(|piece| piece.tested(self.groups(index).len()));
            longest = tested.clone().max().unwrap_or(0).max(longest);
            shortest = tested.min().unwrap_or(0).min(shortest);
            edits = edits.max(pattern.k());
            wild |= !division.is_plain;
            if pattern.edit_model().has_transpositions() {
                self.tests.edits = pattern.edit_model();
            }
            self.first_seeds[index] = Some(self.seeds as u32);
            self.seeds += pieces.len();
        }
        chosen.iter_mut().zip(&self.first_seeds).for_each(|(chosen, seed)| *chosen = seed.is_some());
        self.tests.rows = longest.min(TOP_BIT - edits.min(MAX_TEST_EDITS)).min(MAX_ROWS);
        let needs_wild = wild || shortest < self.tests.rows || edits > MAX_TEST_EDITS;
        self.plane_count = if needs_wild { 3 } else { 2 };
    }

    /// Returns the division of the core of the pattern with the index `pattern`; `None` if it cannot be in the index.
    pub fn scheme(&self, pattern: usize) -> Option<&SeedScheme> {
        self.divided.divisions[pattern].as_ref().map(|division| &division.scheme)
    }

    /// Returns the groups that each symbol of the core of a pattern allows.
    pub(crate) fn groups(&self, pattern: usize) -> &[ResidueGroups] {
        let ends = &self.divided.ends;
        let first = if pattern == 0 { 0 } else { ends[pattern - 1] };
        &self.divided.groups[first..ends[pattern]]
    }

    /// Returns whether the pattern with the index `pattern` is in the index.
    pub fn is_chosen(&self, pattern: usize) -> bool {
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

    /// Returns the estimated number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.entries as usize
    }

    /// Returns the number of rows and the edit model of the tests.
    pub fn tests(&self) -> SeedTests {
        self.tests
    }

    /// Returns the number of planes of an entry: 3 if a row matches any residue, otherwise 2.
    pub fn plane_count(&self) -> usize {
        self.plane_count
    }
}

/// Estimates the share of random texts that begin with a match of `rows` symbols within `edits` edits.
fn passing(rows: usize, edits: usize) -> f64 {
    if edits > MAX_TEST_EDITS {
        return 1.0;
    }
    let texts = (1..=edits).fold(1.0, |texts, edit| texts * 7.0 * rows as f64 / edit as f64);
    (texts / 4f64.powi(rows as i32)).min(1.0)
}
