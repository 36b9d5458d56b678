//! Query profiles in striped order: the scores of all symbols of a query with one symbol of the target (Farrar 2007).

use crate::scoring::{Scoring, Substitution};
use nigh_simd::int_lanes::LaneInteger;

/// Marks a byte that has no row yet.
const NO_ROW: u16 = u16::MAX;

/// The order of a query's symbols in vectors: lane l of segment s has symbol `l * segments + s`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stripes {
    /// The number of lanes of a vector.
    pub(super) lanes: usize,
    /// The number of vectors.
    pub(super) segments: usize,
}

impl Stripes {
    pub(super) fn new(length: usize, lanes: usize) -> Self {
        Stripes { lanes, segments: length.div_ceil(lanes).max(1) }
    }

    /// Returns the number of integers in all vectors, including those after the last symbol.
    pub(super) fn len(self) -> usize {
        self.lanes * self.segments
    }

    /// Returns the offset of the integer of a symbol.
    #[inline(always)]
    pub(super) fn offset(self, symbol: usize) -> usize {
        symbol % self.segments * self.lanes + symbol / self.segments
    }
}

/// The query profile of some symbols of a query: for each byte, a row of scores. The row of a byte is made when a
/// target first has this byte.
#[derive(Debug)]
pub(super) struct StripedProfile<I> {
    stripes: Stripes,
    query: Vec<u8>,
    /// The row of each byte, or `NO_ROW`.
    row_of: Box<[u16; 256]>,
    /// The scores, `[row][segment][lane]`.
    scores: Vec<I>,
}

impl<I: LaneInteger> StripedProfile<I> {
    pub(super) fn new() -> Self {
        StripedProfile {
            stripes: Stripes::default(),
            query: Vec::new(),
            row_of: Box::new([NO_ROW; 256]),
            scores: Vec::new(),
        }
    }

    /// Changes the query. Does nothing if it is the same.
    pub(super) fn set_query(&mut self, query: &[u8], lanes: usize) {
        let stripes = Stripes::new(query.len(), lanes);
        if self.stripes == stripes && self.query == query {
            return;
        }
        self.stripes = stripes;
        self.query.clear();
        self.query.extend_from_slice(query);
        self.row_of.fill(NO_ROW);
        self.scores.clear();
    }

    /// Makes the rows for the bytes of a target.
    pub(super) fn prepare(&mut self, scoring: &Scoring, target: &[u8]) {
        for &byte in target {
            if self.row_of[usize::from(byte)] == NO_ROW {
                self.add_row(scoring, byte);
            }
        }
    }

    /// Returns the scores of all symbols of the query with a byte. The byte must be one of a prepared target.
    #[inline(always)]
    pub(super) fn row(&self, byte: u8) -> &[I] {
        let length = self.stripes.len();
        &self.scores[usize::from(self.row_of[usize::from(byte)]) * length..][..length]
    }

    fn add_row(&mut self, scoring: &Scoring, byte: u8) {
        let length = self.stripes.len();
        let start = self.scores.len();
        // A row after the last symbol must not increase a score, or its cell could look like the best of a column.
        let blank = I::of(scoring.min_score().min(0));
        self.scores.resize(start + length, blank);
        let row = &mut self.scores[start..];
        for (lane, symbols) in self.query.chunks(self.stripes.segments).enumerate() {
            for (segment, &symbol) in symbols.iter().enumerate() {
                row[segment * self.stripes.lanes + lane] = I::of(scoring.score(symbol, byte));
            }
        }
        let number = u16::try_from(start / length).expect("there are at most 256 rows");
        for other in 0..=u8::MAX {
            let is_same = match scoring.substitution() {
                Substitution::Equality { .. } => other == byte,
                Substitution::Matrix(matrix) => matrix.class(other) == matrix.class(byte),
            };
            if is_same {
                self.row_of[usize::from(other)] = number;
            }
        }
    }
}
