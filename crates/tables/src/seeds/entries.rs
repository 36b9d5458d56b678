//! The entries of the seed index for chunks of patterns, divided by q-gram.

use std::ops::Range;

use super::layout::{EDITS_SHIFT, IndexedSeed, LENGTH, MAX_ROWS, MAX_TEST_EDITS, PART_SLOTS, PARTS};
use super::neighbourhood::{EDIT_BITS, Neighbour, NeighbourBounds, neighbours};
use super::plan::SeedPlan;
use super::residues::{ANY, ResidueGroups, core_of};
use super::scheme::{MAX_GRAMS, MAX_PIECE_EDITS, PieceSide, SeedPiece};
use nigh_pattern::Pattern;
use nigh_simd::isa::prefetch;

/// The number of entries ahead for which the rows of the seed are loaded into the cache.
const AHEAD: usize = 16;
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
    pub(crate) fn edits(self) -> usize {
        usize::from(self.low as u16 >> EDITS_SHIFT)
    }
}

/// An entry that has no place in the index yet. An index can have 70 million entries, so this has 8 bytes.
#[derive(Debug, Clone, Copy, Default)]
struct NewEntry {
    /// The seed: its number among those of its chunk.
    seed: u32,
    /// The slot, a q-gram and a side of it: its number among those of its part.
    slot: u16,
    /// The number of edits in the piece.
    edits: u8,
}

/// An entry for the index.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SeedEntry {
    /// The index of the slot in its part of the index.
    pub(crate) slot: usize,
    /// The index of the seed.
    pub(crate) seed: u32,
    pub(crate) rows: TestRows,
}

/// The seeds of a chunk of patterns.
pub struct ChunkSeeds {
    /// The index of the first seed.
    first: u32,
    pub(crate) seeds: Vec<IndexedSeed>,
    /// The rows of each seed for each number of edits in its piece.
    rows: Vec<[TestRows; MAX_PIECE_EDITS + 1]>,
    /// The patterns that have too many q-grams for the index.
    pub(crate) refused: Vec<usize>,
}

/// The entries of one part of the index, from all chunks of patterns. Writing entries to all places of a large index in
/// random order would miss every cache.
#[derive(Default)]
pub struct PartEntries {
    entries: Vec<NewEntry>,
    /// For each chunk that was added, in the order of their completion: its number, and its range in `entries`.
    runs: Vec<(usize, Range<usize>)>,
}

/// Buffers for the entries of a chunk of patterns. They are reused: when each task let its own grow, 16 threads spent 6 s
/// of system time on the indexes of 77,441 guides, most of it waiting for each other, and now 1 s.
#[derive(Default)]
pub(crate) struct EntryBuffers {
    /// The entries of the chunk, each with its part.
    all: Vec<(u16, NewEntry)>,
    /// The entries of `all`, ordered by part.
    divided: Vec<NewEntry>,
    /// The end of each part in `divided`.
    ends: Vec<usize>,
    grams: Vec<Neighbour>,
}

impl EntryBuffers {
    /// Collects the entries of the patterns with the indices `range` that `plan` has chosen. Returns their seeds.
    pub(crate) fn collect(&mut self, plan: &SeedPlan, patterns: &[Pattern], range: Range<usize>) -> ChunkSeeds {
        self.all.clear();
        let mut chosen = range.filter(|&index| plan.is_chosen(index)).peekable();
        let first = chosen.peek().map_or(0, |&index| plan.first_seed(index));
        let mut chunk = ChunkSeeds { first, seeds: Vec::new(), rows: Vec::new(), refused: Vec::new() };
        for index in chosen {
            let pattern = &patterns[index];
            let core = core_of(pattern);
            let groups = plan.groups(index);
            let scheme = plan.scheme(index).expect("the patterns of the index have a scheme");
            for piece in &scheme.pieces {
                let model = pattern.edit_model();
                let bounds = NeighbourBounds { length: LENGTH, edits: piece.edits, model, max: MAX_GRAMS };
                match text_grams(piece, groups, bounds, &mut self.grams) {
                    Some(()) => self.add(chunk.seeds.len() as u32, piece.side),
                    None => chunk.refused.push(index),
                }
                let after = (pattern.symbols().len() - core.start - piece.boundary()) as u32;
                chunk.seeds.push(IndexedSeed { pattern: index as u32, after });
                chunk.rows.push(rows_by_edits(plan, pattern, piece, groups));
            }
        }
        self.divide();
        chunk
    }

    /// Adds the entries of a seed, one for each of `grams`.
    fn add(&mut self, seed: u32, side: PieceSide) {
        let side = u32::from(side == PieceSide::Before);
        self.all.extend(self.grams.iter().map(|&gram| {
            let slot = 2 * (gram >> EDIT_BITS) + side;
            let (part, slot) = (slot / PART_SLOTS as u32, slot % PART_SLOTS as u32);
            (part as u16, NewEntry { seed, slot: slot as u16, edits: (gram & EDIT_MASK) as u8 })
        }));
    }

    /// Orders the entries by their part.
    fn divide(&mut self) {
        let EntryBuffers { all, divided, ends, .. } = self;
        ends.clear();
        ends.resize(PARTS + 1, 0);
        all.iter().for_each(|&(part, _)| ends[usize::from(part) + 1] += 1);
        for part in 0..PARTS {
            ends[part + 1] += ends[part];
        }
        divided.clear();
        divided.resize(all.len(), NewEntry::default());
        for &(part, entry) in all.iter() {
            let place = &mut ends[usize::from(part)];
            divided[*place] = entry;
            *place += 1;
        }
        ends.pop();
    }

    /// Returns the entries of the part of the index with the index `part`.
    fn part(&self, part: usize) -> &[NewEntry] {
        let first = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.divided[first..self.ends[part]]
    }
}

impl PartEntries {
    /// Makes an empty list with room for `count` entries and a few more.
    pub(crate) fn with_room(count: usize) -> Self {
        PartEntries { entries: Vec::with_capacity(count + count / 16), runs: Vec::new() }
    }

    /// Adds the entries of the part `part` from the chunk with the number `chunk`.
    pub(crate) fn add(&mut self, chunk: usize, part: usize, buffers: &EntryBuffers) {
        let first = self.entries.len();
        self.entries.extend_from_slice(buffers.part(part));
        self.runs.push((chunk, first..self.entries.len()));
    }

    /// Orders the entries by their chunk, so that the index does not depend on the order in which chunks were added.
    pub(crate) fn order(&mut self) {
        self.runs.sort_unstable_by_key(|&(chunk, _)| chunk);
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Iterates over the index of the slot of each entry.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().map(|entry| usize::from(entry.slot))
    }

    /// Iterates over the entries, whose seeds are in `chunks`.
    pub(crate) fn iter<'a>(&'a self, chunks: &'a [&ChunkSeeds]) -> impl Iterator<Item = SeedEntry> + 'a {
        self.runs.iter().flat_map(|(chunk, run)| {
            let ChunkSeeds { first, rows, .. } = chunks[*chunk];
            let run = &self.entries[run.clone()];
            run.iter().enumerate().map(move |(at, &NewEntry { seed, slot, edits })| {
                if let Some(later) = run.get(at + AHEAD) {
                    prefetch(rows, later.seed as usize);
                }
                SeedEntry { slot: usize::from(slot), seed: first + seed, rows: rows[seed as usize][usize::from(edits)] }
            })
        })
    }
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

/// Returns the rows of the test of a piece for each number of edits in it.
fn rows_by_edits(
    plan: &SeedPlan,
    pattern: &Pattern,
    piece: &SeedPiece,
    groups: &[ResidueGroups],
) -> [TestRows; MAX_PIECE_EDITS + 1] {
    // The symbols on the other side of the boundary, the nearest first.
    let tested: Vec<ResidueGroups> = match piece.side {
        PieceSide::Before => groups[piece.symbols.end..].iter().take(MAX_ROWS).copied().collect(),
        PieceSide::After => groups[..piece.symbols.start].iter().rev().take(MAX_ROWS).copied().collect(),
    };
    let mut by_edits = [TestRows::default(); MAX_PIECE_EDITS + 1];
    for (edits, of_edits) in by_edits.iter_mut().enumerate().take(piece.edits + 1) {
        *of_edits = rows(&tested, plan.tests().rows, pattern.k() - edits);
    }
    by_edits
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
