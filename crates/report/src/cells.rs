//! Counts hits by pattern and distance: a table with a row for each pattern and a column for each distance.
//!
//! Workers list the cell of each hit, and the writer adds the cells to the table. Once a list is longer than the table,
//! the worker counts into a table of its own. A batch therefore takes at most as much memory as the table, however many
//! hits it has.

use std::ops::Range;

/// The size of the table, and whether the hits of a batch keep their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellLayout {
    patterns: usize,
    distances: usize,
    order: CellOrder,
}

/// Whether the hits of a batch keep their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellOrder {
    /// The report needs no order: the hits of a batch are only counted.
    Free,
    /// The report counts only some hits, so all hits stay in order. This takes memory for each hit of a batch.
    Kept,
}

/// The cells of the hits of a batch: listed in order, or counted once the list is longer than the table.
#[derive(Debug, Clone, Default)]
pub struct HitCells {
    /// The cell of each hit that `table` does not count, in order.
    list: Vec<u32>,
    /// The number of hits in each cell; empty until the list is longer than the table.
    table: Vec<u32>,
}

impl CellLayout {
    /// Makes the layout for `patterns` patterns and distances up to `max_distance`. Returns `None` if the table has
    /// more cells than a 32-bit number can denote.
    pub fn new(patterns: usize, max_distance: usize, order: CellOrder) -> Option<Self> {
        let distances = max_distance.checked_add(1)?;
        let cells = patterns.checked_mul(distances)?;
        u32::try_from(cells).ok().map(|_| CellLayout { patterns, distances, order })
    }

    /// Returns the number of distances.
    pub fn distances(self) -> usize {
        self.distances
    }

    /// Returns whether hits keep their order.
    pub fn order(self) -> CellOrder {
        self.order
    }

    /// Returns the number of cells.
    pub fn cells(self) -> usize {
        self.patterns * self.distances
    }

    fn cell(self, pattern: usize, distance: usize) -> u32 {
        debug_assert!(distance < self.distances, "distance {distance} of {} distances", self.distances);
        (pattern * self.distances + distance) as u32
    }

    /// Returns the pattern of a cell.
    pub fn pattern_of(self, cell: u32) -> usize {
        cell as usize / self.distances
    }

    /// Returns the distance of a cell.
    pub fn distance_of(self, cell: u32) -> usize {
        cell as usize % self.distances
    }
}

impl HitCells {
    /// Adds a hit of `pattern`, an index into the patterns as the user gave them.
    pub(super) fn push(&mut self, layout: CellLayout, pattern: usize, distance: usize) {
        let cell = layout.cell(pattern, distance);
        if let Some(count) = self.table.get_mut(cell as usize) {
            // A batch has less than 2^31 positions, and at most one hit of a pattern per position and strand.
            *count += 1;
            return;
        }
        self.list.push(cell);
        if layout.order == CellOrder::Free && self.list.len() > layout.cells() {
            self.table.resize(layout.cells(), 0);
            self.list.drain(..).for_each(|cell| self.table[cell as usize] += 1);
        }
    }

    /// Returns the number of hits in the list.
    pub fn listed(&self) -> usize {
        self.list.len()
    }

    /// Returns the cells of some hits of the list.
    pub(super) fn list(&self, range: Range<usize>) -> &[u32] {
        &self.list[range]
    }

    /// Adds all hits to `counts`, which has a number for each cell.
    pub(super) fn add_to(&self, counts: &mut [u64]) {
        counts.iter_mut().zip(&self.table).for_each(|(sum, &count)| *sum += u64::from(count));
        self.list.iter().for_each(|&cell| counts[cell as usize] += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_a_table_have_equal_counts() {
        let mut random = fastrand::Rng::with_seed(7);
        for hits in [0, 1, 11, 12, 13, 500] {
            let mut expected = vec![0_u64; 12];
            let free = CellLayout::new(4, 2, CellOrder::Free).unwrap();
            let kept = CellLayout::new(4, 2, CellOrder::Kept).unwrap();
            let (mut in_table, mut in_list) = (HitCells::default(), HitCells::default());
            for _ in 0..hits {
                let (pattern, distance) = (random.usize(0..4), random.usize(0..3));
                in_table.push(free, pattern, distance);
                in_list.push(kept, pattern, distance);
                expected[3 * pattern + distance] += 1;
            }
            assert_eq!(in_list.listed(), hits);
            assert_eq!(in_table.listed(), if hits > 12 { 0 } else { hits });
            for cells in [in_table, in_list] {
                let mut counts = vec![0; 12];
                cells.add_to(&mut counts);
                assert_eq!(counts, expected, "{hits} hits");
            }
        }
    }

    #[test]
    fn a_cell_has_one_pattern_and_distance() {
        let layout = CellLayout::new(5, 3, CellOrder::Free).unwrap();
        for (pattern, distance) in [(0, 0), (2, 3), (4, 3)] {
            let cell = layout.cell(pattern, distance);
            assert_eq!((layout.pattern_of(cell), layout.distance_of(cell)), (pattern, distance));
        }
        assert_eq!(CellLayout::new(1 << 20, 1 << 20, CellOrder::Free), None);
    }
}
