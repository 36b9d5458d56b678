//! Pairs with more symbols than there are bytes.
//!
//! The columns are divided into chunks with few different symbols. In a chunk, each of its symbols has its own byte.
//! All other symbols of the query share one byte, since they match nothing in the chunk. So the kernels for bytes
//! compute one chunk after the other, and the scores of a chunk's last column enter the next. An alignment keeps the
//! scores between chunks, O(m) for each, and walks back through one chunk after the other.

use std::collections::HashMap;
use std::ops::Range;

use super::grid::{FilledRegion, MatrixCell, Region, ScoredTask};
use super::striped::{BestCell, TileEdge, TileEdges};
use super::walk::Walk;
use crate::PairAlignment;
use crate::pairs::Pair;
use crate::scoring::Substitution;
use crate::symbols::WidePair;

/// The matrix of a wide pair.
pub(super) struct WideMatrix<'a> {
    task: &'a ScoredTask<'a>,
    /// The symbols of the strings, numbered from 0.
    query: Vec<u32>,
    target: Vec<u32>,
    /// For each symbol, its byte if it has the same byte in all chunks.
    fixed: Vec<Option<u8>>,
    /// The bytes for the other symbols of a chunk.
    codes: Vec<u8>,
    /// The byte of all symbols that are not in the chunk.
    absent: u8,
    /// The columns of the chunks.
    chunks: Vec<Range<usize>>,
}

/// The scores of a matrix.
struct WideScores {
    last: i32,
    best: BestCell,
}

impl<'a> WideMatrix<'a> {
    /// Divides the matrix of a pair into chunks.
    pub(super) fn new(task: &'a ScoredTask<'a>, pair: &WidePair) -> Self {
        let mut numbers = HashMap::new();
        let mut number = |&symbol: &u32| {
            let next = numbers.len() as u32;
            *numbers.entry(symbol).or_insert(next)
        };
        let query = pair.query().iter().map(&mut number).collect();
        let target = pair.target().iter().map(&mut number).collect();
        let mut fixed = vec![None; numbers.len()];
        let mut codes: Vec<u8> = match task.scoring.substitution() {
            Substitution::Equality { .. } => (0..=u8::MAX).collect(),
            Substitution::Matrix(matrix) => {
                for (&symbol, &number) in &numbers {
                    fixed[number as usize] = u8::try_from(symbol).ok().filter(u8::is_ascii);
                }
                matrix.other_bytes()
            }
        };
        let absent = codes.pop().expect("there are bytes for symbols without a byte of their own");
        codes.truncate(task.sizes.codes);
        let mut matrix = WideMatrix { task, query, target, fixed, codes, absent, chunks: Vec::new() };
        matrix.chunks = matrix.chunks();
        matrix
    }

    /// Returns the longest chunks that have codes for all of their symbols.
    fn chunks(&self) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        // The last chunk in which each symbol was seen, counted from 1.
        let mut seen = vec![0; self.fixed.len()];
        let (mut start, mut count) = (0, 0);
        for (column, &symbol) in self.target.iter().enumerate() {
            let symbol = symbol as usize;
            if self.fixed[symbol].is_some() || seen[symbol] == chunks.len() + 1 {
                continue;
            }
            if count == self.codes.len() {
                chunks.push(start..column);
                (start, count) = (column, 0);
            }
            seen[symbol] = chunks.len() + 1;
            count += 1;
        }
        chunks.push(start..self.target.len());
        chunks
    }

    /// Encodes the first `rows` symbols of the query and some columns of a chunk.
    fn encoded(&self, rows: usize, columns: Range<usize>) -> (Vec<u8>, Vec<u8>) {
        let mut codes = self.fixed.clone();
        let mut free = self.codes.iter();
        let mut code = |&symbol: &u32| {
            let next = || *free.next().expect("a chunk has codes for its symbols");
            *codes[symbol as usize].get_or_insert_with(next)
        };
        let target = self.target[columns].iter().map(&mut code).collect();
        let query = self.query[..rows].iter().map(|&symbol| codes[symbol as usize].unwrap_or(self.absent)).collect();
        (query, target)
    }

    /// Returns the score of the pair.
    pub(super) fn value(&self) -> i64 {
        let WideScores { last, best } = self.scores(drop);
        match self.task.extent {
            super::ScoredExtent::Global => last.into(),
            super::ScoredExtent::Local => best.score.into(),
        }
    }

    /// Computes all chunks. Passes the scores that enter each chunk from the left to `keep`.
    fn scores(&self, mut keep: impl FnMut(TileEdge)) -> WideScores {
        let rows = self.query.len();
        let TileEdges { top, mut left } = self.task.edges(rows, self.target.len());
        let mut scores = WideScores { last: 0, best: BestCell::default() };
        for columns in &self.chunks {
            let (query, target) = self.encoded(rows, columns.clone());
            let pair = Pair { query: &query, target: &target };
            let region = Region { pair, edges: TileEdges { top: part_of_top(&top, columns.clone()), left } };
            let FilledRegion { last, best, right, .. } = self.task.fill(&region, None);
            scores.last = last;
            if best.column > 0 {
                scores.best.replace_if_before(BestCell { column: best.column + columns.start, ..best });
            }
            keep(region.edges.left);
            left = right;
        }
        scores
    }

    /// Aligns the pair.
    pub(super) fn align(&self, mut walk: Walk<'_>) -> PairAlignment {
        let mut lefts = Vec::with_capacity(self.chunks.len());
        let WideScores { last, best } = self.scores(|left| lefts.push(left));
        let (value, end) = walk.end(self.query.len(), self.target.len(), best, last);
        let TileEdges { top, .. } = self.task.edges(0, self.target.len());
        for (columns, mut left) in self.chunks.iter().zip(lefts).rev() {
            let Some(cell) = walk.cell() else { break };
            if cell.column <= columns.start {
                continue;
            }
            let columns = columns.start..cell.column;
            left.best.truncate(cell.row);
            left.gap.truncate(cell.row);
            let (query, target) = self.encoded(cell.row, columns.clone());
            let edges = TileEdges { top: part_of_top(&top, columns.clone()), left };
            let region = Region { pair: Pair { query: &query, target: &target }, edges };
            walk.walk_region(region, MatrixCell { row: 0, column: columns.start });
        }
        walk.finish(value, end)
    }
}

/// Returns the scores above some columns of a matrix.
fn part_of_top(top: &TileEdge, columns: Range<usize>) -> TileEdge {
    TileEdge { best: top.best[columns.start..=columns.end].to_vec(), gap: top.gap[columns].to_vec() }
}
