//! Computes the values of a group of pairs: packs their strings into bit planes, computes the bit-sliced matrices, and
//! unpacks the sums.

use super::bitslice::{
    self, LevenshteinCells, PlaneView, PlanesWithPlanes, QuerySymbols, QueryWithPlanes, Recurrence, SUM_BITS, Shape,
    SubsequenceCells,
};
use super::blocks::{NoSteps, ROWS, sweep};
use super::columns::MatchTable;
use super::members::{Bounds, GroupMembers, SizedPair};
use super::pack::{AxisPlanes, Pack, StringBit, TransposePlanes, TransposeTile, UnpackedBytes};
use crate::EditModel;
use crate::pairs::{Pair, Pairs};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{PLANES, Simd, SimdOp};

/// Words whose address is a multiple of a cache line, so that no vector crosses a line.
#[derive(Default)]
pub(super) struct LineWords(Vec<u64>);

impl LineWords {
    /// Returns `length` words with arbitrary contents.
    fn get(&mut self, length: usize) -> &mut [u64] {
        const LINE_WORDS: usize = 8;
        if self.0.len() < length + LINE_WORDS {
            self.0.resize(length + LINE_WORDS, 0);
        }
        let skip = self.0.as_ptr().align_offset(LINE_WORDS * size_of::<u64>());
        &mut self.0[skip..skip + length]
    }
}

/// Reusable buffers of a group.
#[derive(Default)]
pub(super) struct GroupBuffers {
    /// The planes of the strings along the rows, and along the columns, `[plane][position]`.
    rows: LineWords,
    columns: LineWords,
    /// For each column, the pairs that have it.
    within: LineWords,
    /// The vertical differences of each row.
    deltas: LineWords,
    /// For each distinct symbol of the query, the pairs whose target differs from it, column by column.
    equal: LineWords,
    sums: LineWords,
}

/// A group of pairs, at most as many as a vector has bits.
pub(super) struct Group<'a> {
    pub(super) pairs: &'a Pairs<'a>,
    /// The index of the first pair of the chunk.
    pub(super) chunk: usize,
    pub(super) members: GroupMembers<'a>,
    pub(super) model: EditModel,
    /// The bits that tell symbols apart.
    pub(super) bits: &'a [u8],
    /// The query, if all pairs have the same.
    pub(super) query: &'a QuerySymbols,
    pub(super) buffers: &'a mut GroupBuffers,
    /// The values of the chunk.
    pub(super) values: &'a mut [i64],
}

impl Group<'_> {
    /// Computes the values.
    pub(super) fn compute(self, isa: Isa) {
        let bounds = self.members.bounds();
        let words = isa.streams() / 64;
        let tile = TransposeTile::fit(bounds.rows.max(bounds.columns));
        let planes = self.bits.len();
        let buffers = self.buffers;
        let is_zipped = matches!(self.pairs, Pairs::Zipped { .. });
        let rows = if is_zipped { bounds.rows.next_multiple_of(tile.side()) } else { 0 };
        let columns = bounds.columns.next_multiple_of(tile.side());
        let row_planes = buffers.rows.get(planes * rows * words);
        let column_planes = buffers.columns.get(planes * columns * words);
        isa.run(Pack {
            pairs: self.pairs,
            chunk: self.chunk,
            members: self.members,
            tile,
            bits: self.bits,
            rows: AxisPlanes { words: &mut *row_planes, positions: rows },
            columns: AxisPlanes { words: &mut *column_planes, positions: columns },
        });
        isa.run(TransposePlanes { tile, planes: &mut *row_planes });
        isa.run(TransposePlanes { tile, planes: &mut *column_planes });
        let within = buffers.within.get(columns * words);
        isa.run(MarkColumns { members: self.members, bounds, tile, within: &mut *within });
        let sums = buffers.sums.get(SUM_BITS * words);
        isa.run(Matrices {
            shape: Shape { rows: bounds.rows, columns: bounds.columns, within },
            model: self.model,
            query: (!is_zipped).then_some(self.query),
            rows: PlaneView { words: row_planes, positions: rows },
            columns: PlaneView { words: column_planes, positions: columns },
            planes,
            table: buffers.equal.get(MAX_STEPS * self.query.distinct() * words),
            deltas: buffers.deltas.get(2 * bounds.rows * words),
            sums: &mut *sums,
        });
        isa.run(Sums { members: self.members, model: self.model, bounds, tile, sums, values: self.values });
    }
}

/// The cost of a cell in vector operations, including two or three to compare its symbols.
const CELL_COST: usize = 8;

/// The fixed cost of a group in vector operations, including the choice of the bits that tell symbols apart.
const GROUP_COST: usize = 8000;

/// Returns the cost of a column of a word of 64 rows, in vector operations.
fn word_step_cost(model: EditModel) -> usize {
    match model {
        EditModel::Levenshtein => 10,
        EditModel::Indel => 5,
    }
}

/// Returns whether a group takes less time bit-sliced than one by one, as estimated from the size of the matrices.
///
/// Random DNA of 1 to 100 symbols, AVX-512, million pairs per second of processor time in calls of 16 pairs: 0.45
/// bit-sliced, 1.37 one by one; pairs of 32 symbols: 2.1 and 2.6.
pub(super) fn is_worth_slicing(model: EditModel, members: GroupMembers<'_>) -> bool {
    let Bounds { rows, columns } = members.bounds();
    let steps = match members {
        GroupMembers::Uniform { first, count } => count * word_steps(first),
        GroupMembers::Listed(members) => members.iter().map(|member| word_steps(*member)).sum(),
    };
    word_step_cost(model) * steps > rows * columns * CELL_COST + GROUP_COST
}

/// Returns the number of steps of a pair in words of 64 rows: one for each column of each word, and 5 for the pair
/// itself.
#[inline(always)]
fn word_steps(member: SizedPair) -> usize {
    usize::from(member.columns) * usize::from(member.rows).div_ceil(ROWS) + 5
}

/// The longest strings whose distance is computed in words of 64 rows. Vectors of 512 rows take less time for longer
/// ones.
const MAX_SWEPT: usize = 256;

/// Computes the values of the pairs of a group one by one.
pub(super) struct OneByOne<'a> {
    pub(super) pairs: &'a Pairs<'a>,
    /// The index of the first pair of the chunk.
    pub(super) chunk: usize,
    pub(super) members: GroupMembers<'a>,
    pub(super) model: EditModel,
    pub(super) matches: &'a mut MatchTable,
    /// The values of the chunk.
    pub(super) values: &'a mut [i64],
    /// Receives the indices of the pairs that are too long to be computed here.
    pub(super) rest: &'a mut Vec<usize>,
}

impl SimdOp for OneByOne<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        for index in (0..self.members.len()).map(|index| self.members.get(index).index as usize) {
            let Pair { query, target } = self.pairs.get(self.chunk + index);
            let (query, target) = if query.len() <= target.len() { (query, target) } else { (target, query) };
            let pair = Pair { query, target };
            let value = match self.model {
                EditModel::Indel => self.matches.common_length::<L>(pair),
                EditModel::Levenshtein if target.len() <= MAX_SWEPT => sweep::<L>(self.model, pair, &mut NoSteps),
                EditModel::Levenshtein => {
                    self.rest.push(self.chunk + index);
                    continue;
                }
            };
            self.values[index] = value.into();
        }
    }
}

/// The largest number of columns that are computed at a time.
const MAX_STEPS: usize = 8;

/// Sets the bits of the pairs that have each column.
struct MarkColumns<'a> {
    members: GroupMembers<'a>,
    bounds: Bounds,
    tile: TransposeTile,
    within: &'a mut [u64],
}

impl SimdOp for MarkColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let (inside, outside) = self.within.split_at_mut(self.bounds.columns * L::WORDS);
        outside.fill(0);
        if let GroupMembers::Uniform { .. } = self.members {
            inside.fill(!0);
            return;
        }
        inside.fill(0);
        for index in 0..self.members.len() {
            let columns = self.bounds.columns_of(self.members.get(index));
            if columns > 0 {
                let StringBit { word, bit } = self.tile.place::<L>(index);
                inside[(columns - 1) * L::WORDS + word] |= 1 << bit;
            }
        }
        let mut all = L::zero();
        for words in inside.chunks_exact_mut(L::WORDS).rev() {
            all = all.or(L::load(words));
            all.store(words);
        }
    }
}

/// The matrices of a group.
struct Matrices<'a> {
    shape: Shape<'a>,
    model: EditModel,
    /// The query, if all pairs have the same.
    query: Option<&'a QuerySymbols>,
    rows: PlaneView<'a>,
    columns: PlaneView<'a>,
    planes: usize,
    table: &'a mut [u64],
    deltas: &'a mut [u64],
    sums: &'a mut [u64],
}

impl SimdOp for Matrices<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        match self.model {
            EditModel::Levenshtein if L::WORDS == 8 => self.compute::<L, LevenshteinCells, 8>(),
            EditModel::Levenshtein => self.compute::<L, LevenshteinCells, 4>(),
            EditModel::Indel => self.compute::<L, SubsequenceCells, 8>(),
        }
    }
}

impl Matrices<'_> {
    #[inline(always)]
    fn compute<L: Simd, R: Recurrence, const STEPS: usize>(self) {
        match self.query {
            Some(query) => {
                let comparison = QueryWithPlanes::<L, STEPS>::new(query, self.columns, self.table);
                bitslice::compute::<L, R, _, STEPS>(&self.shape, comparison, self.deltas, self.sums);
            }
            None => match self.planes {
                2 => self.compute_pairs::<L, R, 2, STEPS>(),
                3 => self.compute_pairs::<L, R, 3, STEPS>(),
                5 => self.compute_pairs::<L, R, 5, STEPS>(),
                _ => self.compute_pairs::<L, R, PLANES, STEPS>(),
            },
        }
    }

    #[inline(always)]
    fn compute_pairs<L: Simd, R: Recurrence, const P: usize, const STEPS: usize>(self) {
        let comparison = PlanesWithPlanes::<L, P, STEPS>::new(self.rows, self.columns);
        bitslice::compute::<L, R, _, STEPS>(&self.shape, comparison, self.deltas, self.sums);
    }
}

/// Stores the value of each pair.
struct Sums<'a> {
    members: GroupMembers<'a>,
    model: EditModel,
    bounds: Bounds,
    tile: TransposeTile,
    /// The sum of each pair, a vector for each bit.
    sums: &'a mut [u64],
    values: &'a mut [i64],
}

impl SimdOp for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(mut self) {
        let (low, high) = std::mem::take(&mut self.sums).split_at_mut(8 * L::WORDS);
        let low = UnpackedBytes::new::<L>(low);
        let high = (self.bounds.columns >= 128).then(|| UnpackedBytes::new::<L>(high));
        let (tile, values) = (self.tile, std::mem::take(&mut self.values));
        let sum = |index| {
            let place = tile.place::<L>(index);
            low.get::<L>(place) + (high.as_ref().map_or(0, |high| high.get::<L>(place)) << 8)
        };
        match self.members {
            GroupMembers::Uniform { first, count } => {
                let offset = self.offset(first);
                for (index, value) in values[first.index as usize..][..count].iter_mut().enumerate() {
                    *value = i64::from(sum(index) + offset);
                }
            }
            GroupMembers::Listed(members) => {
                for (index, member) in members.iter().enumerate() {
                    values[member.index as usize] = i64::from(sum(index) + self.offset(*member));
                }
            }
        }
    }
}

impl Sums<'_> {
    /// Returns the value of a pair minus its sum.
    #[inline(always)]
    fn offset(&self, member: SizedPair) -> i32 {
        match self.model {
            EditModel::Levenshtein => i32::from(member.rows) - i32::from(member.columns),
            // The symbols that extend both strings match each other.
            EditModel::Indel => i32::from(member.rows) - self.bounds.rows as i32,
        }
    }
}
