//! The symbols of a batch of pairs, a pair in each lane, and the scores of a column.

use crate::pairs::Pair;
use crate::scoring::{Scoring, Substitution};
use nigh_simd::int_lanes::{IntLanes, LOOKUP_ENTRIES, LaneInteger, MAX_LANES};

/// The symbols of a batch.
pub(super) trait LaneSymbols<I: LaneInteger> {
    /// The scores of a column, a vector for each row.
    type Scores<'s, L: IntLanes<Integer = I>>: LaneScores<L>
    where
        Self: 's;

    /// Returns the largest lengths of a query and of a target.
    fn sizes(&self) -> (usize, usize);
    /// Returns the lane with the (`ended` + 1)-th shortest target and the length of its query. Returns `None` unless
    /// this target has `columns` symbols.
    fn lane_with_end(&self, ended: usize, columns: usize) -> Option<(usize, usize)>;
    /// Computes the scores of a column.
    fn column<L: IntLanes<Integer = I>>(&mut self, column: usize) -> Self::Scores<'_, L>;
}

/// The scores of the rows of a column, from the first.
pub(super) trait LaneScores<L>: Iterator<Item = L> {}

impl<L, T: Iterator<Item = L>> LaneScores<L> for T {}

/// The lanes of a batch, by the lengths of their targets.
#[derive(Debug, Default)]
struct LaneEnds {
    /// For each lane, the target's length, the lane and the query's length, in ascending order.
    ends: Vec<(usize, usize, usize)>,
}

impl LaneEnds {
    fn set<'a>(&mut self, pairs: impl Iterator<Item = Pair<'a>>) {
        self.ends.clear();
        self.ends.extend(pairs.enumerate().map(|(lane, pair)| (pair.target.len(), lane, pair.query.len())));
        self.ends.sort_unstable();
    }

    #[inline(always)]
    fn lane_with_end(&self, ended: usize, columns: usize) -> Option<(usize, usize)> {
        self.ends.get(ended).filter(|(length, ..)| *length == columns).map(|&(_, lane, rows)| (lane, rows))
    }

    fn columns(&self) -> usize {
        self.ends.last().map_or(0, |&(length, ..)| length)
    }
}

/// The scores of a query's symbols with all classes of target symbols.
#[derive(Debug)]
pub(super) struct QueryTables {
    query: Vec<u8>,
    /// The class of each target byte.
    class_of: Box<[u8; 256]>,
    /// The tables of the distinct symbols of the query.
    tables: Vec<[i8; LOOKUP_ENTRIES]>,
    /// The table of each symbol of the query.
    rows: Vec<u8>,
}

impl QueryTables {
    /// Returns the tables of a query, or `None` if it has too many distinct symbols.
    pub(super) fn new(scoring: &Scoring, query: &[u8]) -> Option<Self> {
        let class_of = match scoring.substitution() {
            Substitution::Matrix(matrix) => Box::new(*matrix.classes()),
            Substitution::Equality { .. } => Box::new(classes_of_bytes(query)?),
        };
        // A representative byte of each class.
        let mut bytes = [None; LOOKUP_ENTRIES];
        for (byte, &class) in (0u8..=u8::MAX).zip(class_of.iter()) {
            bytes[usize::from(class)] = Some(byte);
        }
        let score = |symbol, byte: Option<u8>| byte.map_or(0, |byte| scoring.score(symbol, byte) as i8);
        let mut tables = QueryTables { query: query.to_vec(), class_of, tables: Vec::new(), rows: Vec::new() };
        let mut table_of = [None; LOOKUP_ENTRIES];
        for &symbol in query {
            let table = *table_of[usize::from(tables.class_of[usize::from(symbol)])].get_or_insert_with(|| {
                tables.tables.push(bytes.map(|byte| score(symbol, byte)));
                (tables.tables.len() - 1) as u8
            });
            tables.rows.push(table);
        }
        Some(tables)
    }

    /// Returns the query.
    pub(super) fn query(&self) -> &[u8] {
        &self.query
    }
}

/// Numbers the distinct bytes of a query. All other bytes have the last number.
fn classes_of_bytes(query: &[u8]) -> Option<[u8; 256]> {
    const OTHER: u8 = LOOKUP_ENTRIES as u8 - 1;
    let mut classes = [OTHER; 256];
    let mut count = 0;
    for &byte in query {
        if classes[usize::from(byte)] == OTHER {
            if count == OTHER {
                return None;
            }
            classes[usize::from(byte)] = count;
            count += 1;
        }
    }
    Some(classes)
}

/// One query, and a target in each lane.
#[derive(Debug)]
pub(super) struct SharedQuery<'q, I> {
    tables: &'q QueryTables,
    ends: LaneEnds,
    lanes: usize,
    /// The classes of the targets' symbols, `[column][lane]`.
    classes: Vec<u8>,
    /// The scores of a column, `[table][lane]`.
    scores: Vec<I>,
}

impl<'q, I: LaneInteger> SharedQuery<'q, I> {
    pub(super) fn new(tables: &'q QueryTables, lanes: usize) -> Self {
        let scores = vec![I::default(); tables.tables.len() * lanes];
        SharedQuery { tables, ends: LaneEnds::default(), lanes, classes: Vec::new(), scores }
    }

    /// Changes the targets, at most one for each lane.
    pub(super) fn set_targets(&mut self, targets: &[&[u8]]) {
        let query = &self.tables.query;
        self.ends.set(targets.iter().map(|target| Pair { query, target }));
        self.classes.clear();
        self.classes.resize(self.ends.columns() * self.lanes, 0);
        for (lane, target) in targets.iter().enumerate() {
            let column = self.classes[lane..].iter_mut().step_by(self.lanes);
            column.zip(*target).for_each(|(class, &byte)| *class = self.tables.class_of[usize::from(byte)]);
        }
    }
}

impl<I: LaneInteger> LaneSymbols<I> for SharedQuery<'_, I> {
    type Scores<'s, L: IntLanes<Integer = I>>
        = SharedScores<'s, L>
    where
        Self: 's;

    fn sizes(&self) -> (usize, usize) {
        (self.tables.rows.len(), self.ends.columns())
    }

    #[inline(always)]
    fn lane_with_end(&self, ended: usize, columns: usize) -> Option<(usize, usize)> {
        self.ends.lane_with_end(ended, columns)
    }

    #[inline(always)]
    fn column<L: IntLanes<Integer = I>>(&mut self, column: usize) -> SharedScores<'_, L> {
        let classes = &self.classes[column * L::COUNT..][..L::COUNT];
        for (table, scores) in self.tables.tables.iter().zip(self.scores.chunks_exact_mut(L::COUNT)) {
            L::table_lookup(table, classes).store(scores);
        }
        SharedScores { rows: self.tables.rows.iter(), scores: &self.scores, lanes: std::marker::PhantomData }
    }
}

/// The scores of a column with one query for all lanes.
pub(super) struct SharedScores<'s, L: IntLanes> {
    rows: std::slice::Iter<'s, u8>,
    scores: &'s [L::Integer],
    lanes: std::marker::PhantomData<L>,
}

impl<L: IntLanes> Iterator for SharedScores<'_, L> {
    type Item = L;

    #[inline(always)]
    fn next(&mut self) -> Option<L> {
        let table = usize::from(*self.rows.next()?);
        Some(L::load(&self.scores[table * L::COUNT..]))
    }
}

/// A query and a target in each lane, scored by one score for equal symbols and one for different symbols.
#[derive(Debug)]
pub(super) struct OwnQueries {
    ends: LaneEnds,
    lanes: usize,
    rows: usize,
    equal: i32,
    different: i32,
    /// The symbols of the queries, `[row][lane]`, and `NO_QUERY` after them.
    queries: Vec<i16>,
    /// The symbols of the targets, `[column][lane]`, and `NO_TARGET` after them.
    targets: Vec<i16>,
}

/// Fills the rows after a query; differs from all symbols.
const NO_QUERY: i16 = -1;

/// Fills the columns after a target; differs from all symbols and from `NO_QUERY`.
const NO_TARGET: i16 = -2;

impl OwnQueries {
    /// Returns an empty batch, or `None` if the scores need a table or if a symbol after the end of a query would
    /// increase a score.
    pub(super) fn new(scoring: &Scoring, lanes: usize) -> Option<Self> {
        match *scoring.substitution() {
            Substitution::Equality { equal, different } if different <= 0 => Some(OwnQueries {
                ends: LaneEnds::default(),
                lanes,
                rows: 0,
                equal: i32::from(equal),
                different: i32::from(different),
                queries: Vec::new(),
                targets: Vec::new(),
            }),
            _ => None,
        }
    }

    /// Changes the pairs, at most one for each lane.
    pub(super) fn set_pairs(&mut self, pairs: &[Pair<'_>]) {
        debug_assert!(pairs.len() <= MAX_LANES, "a pair has a lane");
        self.ends.set(pairs.iter().copied());
        self.rows = pairs.iter().map(|pair| pair.query.len()).max().unwrap_or(0);
        let lanes = self.lanes;
        interleave(pairs.iter().map(|pair| pair.query), NO_QUERY, self.rows, lanes, &mut self.queries);
        interleave(pairs.iter().map(|pair| pair.target), NO_TARGET, self.ends.columns(), lanes, &mut self.targets);
    }
}

/// Writes strings to `[symbol][lane]`, for a number of symbols and lanes.
fn interleave<'a>(
    strings: impl Iterator<Item = &'a [u8]>,
    blank: i16,
    length: usize,
    lanes: usize,
    symbols: &mut Vec<i16>,
) {
    symbols.clear();
    symbols.resize(length * lanes, blank);
    for (lane, string) in strings.enumerate() {
        let column = symbols[lane..].iter_mut().step_by(lanes);
        column.zip(string).for_each(|(symbol, &byte)| *symbol = i16::from(byte));
    }
}

impl LaneSymbols<i16> for OwnQueries {
    type Scores<'s, L: IntLanes<Integer = i16>> = OwnScores<'s, L>;

    fn sizes(&self) -> (usize, usize) {
        (self.rows, self.ends.columns())
    }

    #[inline(always)]
    fn lane_with_end(&self, ended: usize, columns: usize) -> Option<(usize, usize)> {
        self.ends.lane_with_end(ended, columns)
    }

    #[inline(always)]
    fn column<L: IntLanes<Integer = i16>>(&mut self, column: usize) -> OwnScores<'_, L> {
        OwnScores {
            queries: self.queries.chunks_exact(L::COUNT),
            target: L::load(&self.targets[column * L::COUNT..]),
            equal: L::splat(self.equal),
            different: L::splat(self.different),
        }
    }
}

/// The scores of a column with a query in each lane.
pub(super) struct OwnScores<'s, L: IntLanes> {
    queries: std::slice::ChunksExact<'s, L::Integer>,
    target: L,
    equal: L,
    different: L,
}

impl<L: IntLanes> Iterator for OwnScores<'_, L> {
    type Item = L;

    #[inline(always)]
    fn next(&mut self) -> Option<L> {
        let query = L::load(self.queries.next()?);
        Some(query.if_equal(self.target, self.equal, self.different))
    }
}
