//! The pairs that are computed together, and their order: pairs of similar lengths are side by side.

use std::ops::Range;

use crate::pairs::{Pairs, Strings};
use nigh_simd::vector::Simd;

/// The longest string of a pair that this engine takes.
pub(super) const MAX_LENGTH: usize = 512;

/// A pair and the size of its matrix.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SizedPair {
    /// The index of the pair, from the first pair of the chunk on.
    pub(super) index: u32,
    /// The number of rows of its matrix.
    pub(super) rows: u16,
    /// The number of columns of its matrix.
    pub(super) columns: u16,
}

/// The string along the rows of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowString {
    /// The shorter string: both objectives are symmetric.
    Shorter,
    /// The query, which is the same for all pairs.
    Query,
}

impl RowString {
    pub(super) fn of(pairs: &Pairs<'_>) -> Self {
        match pairs {
            Pairs::Zipped { .. } => RowString::Shorter,
            Pairs::OneToMany { .. } => RowString::Query,
        }
    }

    /// Returns the number of rows and columns of the matrix of a pair.
    #[inline(always)]
    fn size(self, query: usize, target: usize) -> (usize, usize) {
        match self {
            RowString::Shorter => (query.min(target), query.max(target)),
            RowString::Query => (query, target),
        }
    }
}

/// A string, and the bytes that follow it in memory.
#[derive(Clone, Copy)]
pub(super) struct StringWindow<'a> {
    /// The bytes from the start of the string on.
    bytes: &'a [u8],
    /// The number of bytes of the string.
    pub(super) length: usize,
}

impl<'a> StringWindow<'a> {
    #[inline(always)]
    pub(super) fn of(strings: &Strings<'a>, index: usize) -> Self {
        match *strings {
            Strings::Equal { bytes, length } => StringWindow { bytes: &bytes[index * length..], length },
            Strings::Packed { bytes, ends } => {
                let start = if index == 0 { 0 } else { ends[index - 1] };
                StringWindow { bytes: &bytes[start..], length: ends[index] - start }
            }
            Strings::Slices(strings) => StringWindow { bytes: strings[index], length: strings[index].len() },
        }
    }

    /// Returns the bytes of `count` strings of this length that follow one another.
    pub(super) fn run(&self, count: usize) -> &'a [u8] {
        &self.bytes[..count * self.length]
    }

    /// Adds the planes of up to 64 symbols from position `first` on to `planes`, shifted left by `shift`.
    #[inline(always)]
    pub(super) fn add_planes<L: Simd, const P: usize>(
        &self,
        first: usize,
        bits: &[u8; P],
        shift: usize,
        planes: &mut [u64; P],
    ) {
        if self.length > first {
            let found = L::bit_planes_of_prefix(&self.bytes[first..], (self.length - first).min(64), bits);
            for (plane, found) in planes.iter_mut().zip(found) {
                *plane |= found << shift;
            }
        }
    }
}

/// The pairs of a group.
#[derive(Clone, Copy)]
pub(super) enum GroupMembers<'a> {
    /// Successive pairs with matrices of the same size.
    Uniform {
        /// The first pair.
        first: SizedPair,
        /// The number of pairs.
        count: usize,
    },
    /// Pairs of any sizes.
    Listed(&'a [SizedPair]),
}

impl GroupMembers<'_> {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        match self {
            GroupMembers::Uniform { count, .. } => *count,
            GroupMembers::Listed(members) => members.len(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> SizedPair {
        match self {
            GroupMembers::Uniform { first, .. } => SizedPair { index: first.index + index as u32, ..*first },
            GroupMembers::Listed(members) => members[index],
        }
    }

    /// Returns the number of rows and columns of a matrix that holds all matrices. A smaller matrix is extended along
    /// its diagonal until it has all rows.
    pub(super) fn bounds(&self) -> Bounds {
        match *self {
            GroupMembers::Uniform { first, .. } => Bounds::of(&[first]),
            GroupMembers::Listed(members) => Bounds::of(members),
        }
    }
}

/// The size of a matrix that holds all matrices of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Bounds {
    fn of(members: &[SizedPair]) -> Self {
        let rows = members.iter().map(|member| usize::from(member.rows)).max().unwrap_or(0);
        let bounds = Bounds { rows, columns: 0 };
        let columns = members.iter().map(|member| bounds.columns_of(*member)).max().unwrap_or(0);
        Bounds { rows, columns }
    }

    /// Returns the number of columns of a matrix that is extended to all rows.
    #[inline(always)]
    pub(super) fn columns_of(self, member: SizedPair) -> usize {
        usize::from(member.columns) + self.rows - usize::from(member.rows)
    }
}

/// Lists the pairs of a chunk, and sorts them so that neighbours have matrices of similar sizes.
#[derive(Default)]
pub(super) struct MemberOrder {
    /// The first pair and the number of pairs, if all pairs have the same size; `members` is then empty.
    uniform: (SizedPair, usize),
    members: Vec<SizedPair>,
    sorted: Vec<SizedPair>,
    /// The number of pairs of each class of sizes, then the place of its next pair.
    places: Vec<u32>,
}

/// Returns the lengths of the query and the target of a pair.
#[inline(always)]
fn lengths(pairs: &Pairs<'_>, index: usize) -> (usize, usize) {
    let length = |strings: &Strings<'_>| match *strings {
        Strings::Equal { length, .. } => length,
        Strings::Packed { ends, .. } => ends[index] - index.checked_sub(1).map_or(0, |before| ends[before]),
        Strings::Slices(strings) => strings[index].len(),
    };
    match pairs {
        Pairs::Zipped { queries, targets } => (length(queries), length(targets)),
        Pairs::OneToMany { query, targets } => (query.len(), length(targets)),
    }
}

/// The number of classes into which pairs are sorted by the difference of columns and rows.
const DIAGONALS: usize = 128;

impl MemberOrder {
    /// Lists the pairs of `chunk`, and appends those that are too long to `rest`. `group` is the number of pairs that
    /// are computed together.
    pub(super) fn list(&mut self, pairs: &Pairs<'_>, chunk: Range<usize>, group: usize, rest: &mut Vec<usize>) {
        self.members.clear();
        self.uniform = (SizedPair::default(), 0);
        if let Some(member) = Self::uniform(pairs, chunk.start) {
            self.uniform = (member, chunk.len());
            return;
        }
        let row_string = RowString::of(pairs);
        let mut sizes = SizeRange::default();
        for (index, pair) in chunk.clone().enumerate() {
            let (query, target) = lengths(pairs, pair);
            if query.max(target) > MAX_LENGTH {
                rest.push(pair);
                continue;
            }
            let (rows, columns) = row_string.size(query, target);
            sizes.add(rows, columns);
            self.members.push(SizedPair { index: index as u32, rows: rows as u16, columns: columns as u16 });
        }
        if !sizes.is_uniform() {
            self.sort(&sizes, group);
        } else if self.members.len() == chunk.len() {
            self.uniform = (self.members[0], chunk.len());
            self.members.clear();
        }
    }

    /// Returns the pairs, in their order, in groups of up to `group` pairs.
    pub(super) fn groups(&self, group: usize) -> impl Iterator<Item = GroupMembers<'_>> {
        let listed = self.members.chunks(group).map(GroupMembers::Listed);
        let (member, count) = self.uniform;
        let uniform = (0..count).step_by(group).map(move |start| GroupMembers::Uniform {
            first: SizedPair { index: member.index + start as u32, ..member },
            count: group.min(count - start),
        });
        uniform.chain(listed)
    }

    /// Returns a member with the size of all pairs, if all have the same size.
    fn uniform(pairs: &Pairs<'_>, first: usize) -> Option<SizedPair> {
        let (Pairs::OneToMany { targets, .. } | Pairs::Zipped { targets, .. }) = pairs;
        let queries_are_equal = match pairs {
            Pairs::OneToMany { .. } => true,
            Pairs::Zipped { queries, .. } => matches!(queries, Strings::Equal { .. }),
        };
        if !queries_are_equal || !matches!(targets, Strings::Equal { .. }) {
            return None;
        }
        let (query, target) = lengths(pairs, first);
        let (rows, columns) = RowString::of(pairs).size(query, target);
        (query.max(target) <= MAX_LENGTH).then_some(SizedPair { index: 0, rows: rows as u16, columns: columns as u16 })
    }

    /// Sorts by bands of rows, and in each band by the difference of columns and rows, in alternating direction.
    fn sort(&mut self, sizes: &SizeRange, group: usize) {
        let groups = self.members.len().div_ceil(group);
        let bands = groups.isqrt().clamp(1, sizes.rows());
        let band_of = |member: &SizedPair| (usize::from(member.rows) - sizes.min_rows) * bands / sizes.rows();
        let classes = sizes.diagonals().min(DIAGONALS);
        let class_of = |member: &SizedPair| {
            let diagonal = sizes.diagonal(member) * classes / sizes.diagonals();
            let band = band_of(member);
            band * classes + if band % 2 == 0 { diagonal } else { classes - 1 - diagonal }
        };
        self.places.clear();
        self.places.resize(bands * classes, 0);
        self.members.iter().for_each(|member| self.places[class_of(member)] += 1);
        let mut before = 0;
        for place in &mut self.places {
            (*place, before) = (before, before + *place);
        }
        self.sorted.resize(self.members.len(), SizedPair::default());
        for member in &self.members {
            let place = &mut self.places[class_of(member)];
            self.sorted[*place as usize] = *member;
            *place += 1;
        }
        std::mem::swap(&mut self.members, &mut self.sorted);
    }
}

/// The range of the sizes of matrices.
struct SizeRange {
    min_rows: usize,
    max_rows: usize,
    /// The smallest and the largest difference of columns and rows, plus [`MAX_LENGTH`].
    min_diagonal: usize,
    max_diagonal: usize,
}

impl Default for SizeRange {
    fn default() -> Self {
        SizeRange { min_rows: usize::MAX, max_rows: 0, min_diagonal: usize::MAX, max_diagonal: 0 }
    }
}

impl SizeRange {
    #[inline(always)]
    fn add(&mut self, rows: usize, columns: usize) {
        let diagonal = columns + MAX_LENGTH - rows;
        (self.min_rows, self.max_rows) = (self.min_rows.min(rows), self.max_rows.max(rows));
        (self.min_diagonal, self.max_diagonal) = (self.min_diagonal.min(diagonal), self.max_diagonal.max(diagonal));
    }

    fn is_uniform(&self) -> bool {
        self.min_rows >= self.max_rows && self.min_diagonal >= self.max_diagonal
    }

    /// Returns the number of different numbers of rows.
    fn rows(&self) -> usize {
        self.max_rows - self.min_rows + 1
    }

    /// Returns the number of different diagonals.
    fn diagonals(&self) -> usize {
        self.max_diagonal - self.min_diagonal + 1
    }

    #[inline(always)]
    fn diagonal(&self, member: &SizedPair) -> usize {
        usize::from(member.columns) + MAX_LENGTH - usize::from(member.rows) - self.min_diagonal
    }
}
