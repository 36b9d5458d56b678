//! The order in which patterns are searched for if one hit of each line or record is wanted.
//!
//! The patterns of a thread block are searched for together. The blocks that selected the most items so far come first.
//! They are divided into stages of growing size. A later stage searches only the items that the stages before it left.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering};

use super::host_tables::CodeGroup;

/// Number of blocks in the first stage, about 512 patterns. Each further stage has [`GROWTH`] times as many.
const FIRST_STAGE: usize = 128;
const GROWTH: usize = 4;

/// The patterns of a thread block of the bit-sliced kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PatternBlock {
    /// Index of the group of patterns.
    pub(super) group: usize,
    /// Index of the launch among the bit-sliced launches of the group.
    pub(super) launch: usize,
    /// Index of the block in the launch.
    pub(super) index: u32,
}

/// Counts, for each block of patterns, the items that it selected. All scanners of a device share the counts.
pub(super) struct SelectionOrder {
    blocks: Vec<PatternBlock>,
    counts: Vec<AtomicU32>,
    /// For each pattern, the index of its block in `blocks`; `None` if it is not bit-sliced in one band.
    block_of_pattern: Vec<Option<u32>>,
}

impl SelectionOrder {
    pub(super) fn new(groups: &[CodeGroup], patterns: usize) -> Self {
        let mut blocks = Vec::new();
        let mut block_of_pattern = vec![None; patterns];
        for (group, of_group) in groups.iter().enumerate() {
            for (launch, of_launch) in of_group.sliced.iter().enumerate() {
                for (index, together) in (0..).zip(of_launch.patterns.chunks(of_launch.block.patterns)) {
                    for pattern in together {
                        block_of_pattern[pattern.id as usize] = Some(blocks.len() as u32);
                    }
                    blocks.push(PatternBlock { group, launch, index });
                }
            }
        }
        SelectionOrder { counts: blocks.iter().map(|_| AtomicU32::new(0)).collect(), blocks, block_of_pattern }
    }

    /// Adds an item to the count of the block of the pattern that selected it.
    pub(super) fn count(&self, pattern: usize) {
        if let Some(block) = self.block_of_pattern[pattern] {
            self.counts[block as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the blocks of each stage, ordered within the stage. There is at least one stage, perhaps without blocks.
    pub(super) fn stages(&self) -> Vec<Vec<PatternBlock>> {
        // Neighbouring blocks have similar patterns, which select the same items. So blocks with equal counts are
        // scattered.
        let scattered = |index: usize| (index as u32).wrapping_mul(0x9e37_79b1);
        let key = |index: usize| (Reverse(self.counts[index].load(Ordering::Relaxed)), scattered(index));
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_cached_key(|&index| key(index));
        let mut stages = Vec::new();
        let mut left = &order[..];
        let mut size = FIRST_STAGE;
        loop {
            // A last stage that is smaller than the one before it does not pay.
            let count = if left.len() < 2 * size { left.len() } else { size };
            let (stage, rest) = left.split_at(count);
            let mut blocks: Vec<PatternBlock> = stage.iter().map(|&index| self.blocks[index]).collect();
            blocks.sort_unstable();
            stages.push(blocks);
            if rest.is_empty() {
                return stages;
            }
            (left, size) = (rest, GROWTH * size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(blocks: usize) -> SelectionOrder {
        SelectionOrder {
            blocks: (0..blocks).map(|index| PatternBlock { group: 0, launch: 0, index: index as u32 }).collect(),
            counts: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            block_of_pattern: (0..blocks).map(|index| Some(index as u32)).collect(),
        }
    }

    #[test]
    fn every_block_is_in_one_stage() {
        for (blocks, sizes) in [(0, vec![0]), (255, vec![255]), (256, vec![128, 128]), (2000, vec![128, 512, 1360])] {
            let stages = order(blocks).stages();
            assert_eq!(stages.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
            let mut all: Vec<u32> = stages.into_iter().flatten().map(|block| block.index).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..blocks as u32));
        }
    }

    #[test]
    fn blocks_that_select_come_first() {
        let order = order(1000);
        for pattern in 500..628 {
            order.count(pattern);
        }
        assert!(order.stages()[0].iter().map(|block| block.index).eq(500..628));
    }
}
