//! The entries of the seed index for some patterns, divided by q-gram.

use std::ops::Range;

use super::layout::{EDITS_SHIFT, IndexedSeed, LENGTH, MAX_ROWS, MAX_TEST_EDITS, PART_SLOTS, PARTS};
use super::neighbourhood::{EDIT_BITS, Neighbour, NeighbourBounds, neighbours};
use super::plan::SeedPlan;
use super::residues::{ANY, ResidueGroups, core_of};
use super::scheme::{MAX_GRAMS, PieceSide, SeedPiece};
use crate::pattern::Pattern;

/// The bits for the edits in a [`Neighbour`].
const EDIT_MASK: u32 = (1 << EDIT_BITS) - 1;

/// The symbols on the tested side of a boundary, the nearest in the lowest bit: two planes for the group of each
/// symbol, and a plane for the symbols that match any residue. The low plane also holds the number of edits left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TestRows {
    pub(crate) low: i16,
    pub(crate) high: i16,
    pub(crate) wild: i16,
}

impl TestRows {
    /// Returns the number of edits that are left.
    #[cfg(feature = "cuda")]
    pub(crate) fn edits(self) -> usize {
        usize::from(self.low as u16 >> EDITS_SHIFT)
    }
}

/// An entry that has no place in the index yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewEntry {
    /// The slot: a q-gram and a side of it.
    slot: u32,
    /// The index of the seed.
    pub(crate) seed: u32,
    pub(crate) rows: TestRows,
}

impl NewEntry {
    /// Returns the index of the slot in its part of the index.
    #[inline(always)]
    pub(crate) fn slot_in_part(self) -> usize {
        self.slot as usize % PART_SLOTS
    }
}

/// The entries of some patterns, divided by the part of the index that they belong to. Writing entries to all places
/// of a large index in random order would miss every cache.
pub(crate) struct DividedEntries {
    entries: Vec<NewEntry>,
    /// The end of each part in `entries`.
    ends: Vec<usize>,
    /// The seeds of the entries, with their indices.
    pub(crate) seeds: Vec<(u32, IndexedSeed)>,
    /// The patterns that have too many q-grams for the index.
    pub(crate) refused: Vec<usize>,
}

/// Buffers for the entries of some patterns at a time. They are reused: when each task let its own grow, 16 threads
/// spent 6 s of system time on the indexes of 77,441 guides, most of it waiting for each other, and now 1 s.
#[derive(Default)]
pub(crate) struct EntryBuffers {
    all: Vec<NewEntry>,
    grams: Vec<Neighbour>,
}

impl DividedEntries {
    /// Collects the entries of the patterns with the indices `range` that `plan` has chosen.
    pub(crate) fn new(plan: &SeedPlan, patterns: &[Pattern], range: Range<usize>, buffers: &mut EntryBuffers) -> Self {
        let EntryBuffers { all, grams } = buffers;
        all.clear();
        let (mut seeds, mut refused) = (Vec::new(), Vec::new());
        for index in range.filter(|&index| plan.is_chosen(index)) {
            let pattern = &patterns[index];
            let core = core_of(pattern);
            let groups = plan.groups(index);
            let scheme = plan.scheme(index).expect("the patterns of the index have a scheme");
            let first = plan.first_seed(index);
            for (seed, piece) in (first..).zip(&scheme.pieces) {
                let model = pattern.edit_model();
                let bounds = NeighbourBounds { length: LENGTH, edits: piece.edits, model, max: MAX_GRAMS };
                match text_grams(piece, groups, bounds, grams) {
                    Some(()) => add(all, (seed, piece), grams, &RowTable::new(plan, pattern, piece, groups)),
                    None => refused.push(index),
                }
                let after = (pattern.symbols().len() - core.start - piece.boundary()) as u32;
                seeds.push((seed, IndexedSeed { pattern: index as u32, after }));
            }
        }
        let (entries, ends) = divide(all);
        DividedEntries { entries, ends, seeds, refused }
    }

    /// Returns the entries of the part of the index with the index `part`.
    pub(crate) fn part(&self, part: usize) -> &[NewEntry] {
        let first = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.entries[first..self.ends[part]]
    }
}

fn add(all: &mut Vec<NewEntry>, (seed, piece): (u32, &SeedPiece), grams: &[Neighbour], table: &RowTable) {
    let side = u32::from(piece.side == PieceSide::Before);
    all.extend(grams.iter().map(|&gram| NewEntry {
        slot: 2 * (gram >> EDIT_BITS) + side,
        seed,
        rows: table.by_edits[(gram & EDIT_MASK) as usize],
    }));
}

/// Sorts entries by their part. Returns them with the end of each part.
fn divide(all: &[NewEntry]) -> (Vec<NewEntry>, Vec<usize>) {
    let part = |entry: &NewEntry| entry.slot as usize / PART_SLOTS;
    let mut next = vec![0; PARTS + 1];
    all.iter().for_each(|entry| next[part(entry) + 1] += 1);
    for at in 0..PARTS {
        next[at + 1] += next[at];
    }
    let mut entries = vec![NewEntry { slot: 0, seed: 0, rows: TestRows::default() }; all.len()];
    for entry in all {
        let place = &mut next[part(entry)];
        entries[*place] = *entry;
        *place += 1;
    }
    next.pop();
    (entries, next)
}

/// Sets `grams` to the q-grams of a piece of a pattern with the groups `groups`, in the order of the text: the first
/// residue in the lowest bits. Each q-gram once, with its least number of edits. Returns `None` if there are too many.
fn text_grams(
    piece: &SeedPiece,
    groups: &[ResidueGroups],
    bounds: NeighbourBounds,
    grams: &mut Vec<Neighbour>,
) -> Option<()> {
    let mut symbols = groups[piece.symbols.clone()].to_vec();
    if bounds.model.has_transpositions() {
        allow_transpositions(&mut symbols, piece.symbols.clone(), groups);
    }
    if piece.side == PieceSide::Before {
        symbols.reverse();
    }
    neighbours(&symbols, bounds, grams)?;
    grams.sort_unstable();
    grams.dedup_by_key(|gram| *gram >> EDIT_BITS);
    if piece.side == PieceSide::Before {
        grams.iter_mut().for_each(|gram| *gram = reversed(*gram));
    }
    Some(())
}

/// Lets the first and the last of `symbols`, the symbols `range` of a pattern, also match what their neighbours outside
/// the range match. If a symbol and its neighbour are transposed, each of them matches the text symbol of the other.
fn allow_transpositions(symbols: &mut [ResidueGroups], range: Range<usize>, groups: &[ResidueGroups]) {
    if let (Some(first), Some(before)) = (symbols.first_mut(), range.start.checked_sub(1)) {
        *first |= groups[before];
    }
    if let (Some(last), Some(after)) = (symbols.last_mut(), groups.get(range.end)) {
        *last |= after;
    }
}

/// Reverses the order of the residues of a q-gram.
fn reversed(neighbour: Neighbour) -> Neighbour {
    let gram = neighbour >> EDIT_BITS;
    let pairs = gram.reverse_bits() >> (32 - 2 * LENGTH);
    let gram = (pairs & 0x5555_5555) << 1 | pairs >> 1 & 0x5555_5555;
    gram << EDIT_BITS | neighbour & EDIT_MASK
}

/// The rows of a test for each number of edits in the piece.
struct RowTable {
    by_edits: Vec<TestRows>,
}

impl RowTable {
    fn new(plan: &SeedPlan, pattern: &Pattern, piece: &SeedPiece, groups: &[ResidueGroups]) -> Self {
        // The symbols on the other side of the boundary, the nearest first.
        let tested: Vec<ResidueGroups> = match piece.side {
            PieceSide::Before => groups[piece.symbols.end..].iter().take(MAX_ROWS).copied().collect(),
            PieceSide::After => groups[..piece.symbols.start].iter().rev().take(MAX_ROWS).copied().collect(),
        };
        let rows = |edits: usize| rows(&tested, plan.tests().rows, pattern.k() - edits);
        RowTable { by_edits: (0..=piece.edits).map(rows).collect() }
    }
}

/// Makes the planes of `count` rows, with `edits` left. Rows without a symbol match any residue. All rows do if more
/// edits are left than a test allows.
fn rows(tested: &[ResidueGroups], count: usize, edits: usize) -> TestRows {
    let mut rows = TestRows { low: (edits.min(MAX_TEST_EDITS) << EDITS_SHIFT) as i16, high: 0, wild: 0 };
    for row in 0..count {
        let groups = tested.get(row).copied().filter(|_| edits <= MAX_TEST_EDITS).unwrap_or(ANY);
        if groups.is_power_of_two() {
            let group = groups.trailing_zeros() as i16;
            rows.low |= (group & 1) << row;
            rows.high |= (group >> 1) << row;
        } else {
            rows.wild |= 1 << row;
        }
    }
    rows
}
