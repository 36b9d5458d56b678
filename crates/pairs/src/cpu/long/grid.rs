//! The part of the matrix that a pass computes: strips of rows, tiles of columns, and the band around the diagonal.
//!
//! An alignment with at most k insertions and deletions stays on few diagonals (Ukkonen). A strip covers only the
//! columns in which its rows meet these diagonals. Each strip is behind the strip above it, by one column less than it
//! has blocks. So a tile of a strip gets from the same tile of the strip above exactly the differences that it reads.
//!
//! - E. Ukkonen, "Algorithms for approximate string matching", 1985.

use std::ops::Range;

/// The diagonals that a pass computes: those of the cells (row, column) with `row - left <= column <= row + right`.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiagonalBand {
    left: usize,
    right: usize,
}

/// Rows and columns of a matrix in strips and tiles.
#[derive(Debug, Clone)]
pub(super) struct BandGrid {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Number of words in a vector.
    pub(super) words: usize,
    /// Number of vectors in a strip.
    pub(super) vectors: usize,
    /// Number of steps of a tile.
    pub(super) tile: usize,
    pub(super) band: DiagonalBand,
}

/// The columns of a strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StripSpan {
    /// The column before the first one.
    pub(super) start: usize,
    /// The last column.
    pub(super) last: usize,
}

impl DiagonalBand {
    /// Returns the diagonals of all alignments with at most `edits` insertions and deletions.
    ///
    /// # Panics
    /// Panics if `edits` is less than the difference of the lengths.
    pub(super) fn of(rows: usize, columns: usize, edits: usize) -> Self {
        let slack = (edits - rows.abs_diff(columns)) / 2;
        DiagonalBand { left: slack + rows.saturating_sub(columns), right: slack + columns.saturating_sub(rows) }
    }
}

impl BandGrid {
    /// Returns the number of blocks in a strip.
    pub(super) fn blocks(&self) -> usize {
        self.words * self.vectors
    }

    /// Returns the number of rows in a strip.
    pub(super) fn height(&self) -> usize {
        64 * self.blocks()
    }

    /// Returns the number of strips.
    pub(super) fn strips(&self) -> usize {
        self.rows.div_ceil(self.height())
    }

    /// Returns the columns of a strip.
    pub(super) fn span(&self, strip: usize) -> StripSpan {
        let top = strip * self.height();
        let bottom = self.rows.min(top + self.height());
        StripSpan {
            start: top.saturating_sub(self.band.left),
            last: self.columns.min(bottom.saturating_add(self.band.right)),
        }
    }

    /// Returns the first strip that does not start in the first column; `None` if there is none.
    pub(super) fn first_inner_strip(&self) -> Option<usize> {
        Some(self.band.left / self.height() + 1).filter(|&strip| strip < self.strips())
    }

    /// Returns the number of columns by which a strip is behind the first strip.
    fn lag(&self, strip: usize) -> usize {
        strip * (self.blocks() - 1)
    }

    /// Returns the range of tiles of a strip.
    pub(super) fn tiles(&self, strip: usize) -> Range<usize> {
        let span = self.span(strip);
        let end = span.last + self.blocks() - 1 + self.lag(strip);
        (span.start + self.lag(strip)) / self.tile..end.div_ceil(self.tile)
    }

    /// Returns the tile of a strip that contains a step.
    pub(super) fn tile_of(&self, strip: usize, step: usize) -> usize {
        (step + self.lag(strip) - 1) / self.tile
    }

    /// Returns the number of tiles in a row of tiles that covers all strips.
    pub(super) fn tile_columns(&self) -> usize {
        self.tiles(self.strips() - 1).end
    }

    /// Returns the range of strips that have a tile with the index `tile`.
    pub(super) fn strips_of(&self, tile: usize) -> Range<usize> {
        // The ends of the ranges of tiles ascend.
        let first = partition_point(self.strips(), |strip| self.tiles(strip).end <= tile);
        first..partition_point(self.strips(), |strip| self.tiles(strip).start <= tile)
    }

    /// Returns the columns of the first block of a strip in a tile.
    pub(super) fn steps(&self, strip: usize, tile: usize) -> Range<usize> {
        let span = self.span(strip);
        let first = (tile * self.tile + 1).saturating_sub(self.lag(strip));
        let end = ((tile + 1) * self.tile + 1).saturating_sub(self.lag(strip));
        first.max(span.start + 1)..end.min(span.last + self.blocks())
    }
}

/// Returns the smallest index below `count` for which `is_before` is false, or `count`.
fn partition_point(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
