//! Any-match selection: finds which lines or records, called items, have a hit of some pattern.
//!
//! The device reports about one hit of each item: the kernel keeps a bit for each item, and drops the hits of items
//! whose bit is set. Patterns are searched for in stages (`selection_order`), those that select most items first. If a
//! stage selects a good part of the text, only the other items are searched in the next. If verification refuses all
//! hits of an item, the item is searched again without the bits, because its bit may have suppressed other hits.

#![allow(unsafe_code)]

use std::ops::{ControlFlow, Range};

use bytemuck::Zeroable;

use super::items::{Candidate, SelectedItems, UnselectedRanges, item_of};
use super::search::{BatchPart, CudaScanner, DevicePlanes, SlicedBlocks, SlicedSearch, WantedOfItem, grow};
use crate::device_tables::SearchMethod;
use crate::selection_order::PatternBlock;
use nigh_device::DeviceError;
use nigh_device::abi::FirstHitFilter;
use nigh_text::alignment::SearchEdits;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::deliver::deliver;

/// Minimum share of selected text, as its inverse, at which the rest is copied and encoded again.
const RESTAGED_SHARE: usize = 8;

/// A stage of a selection: the patterns of some blocks of the bit-sliced kernel.
pub(super) struct Stage {
    blocks: Vec<PatternBlock>,
    /// The range of the indices of these blocks in the uploaded order.
    listed: Range<usize>,
    /// Whether the patterns of other kernels are searched for, too.
    others: OtherKernels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherKernels {
    Used,
    Unused,
}

impl CudaScanner<'_> {
    /// Returns whether verification rarely refuses a hit, so that a selection pays.
    pub(super) fn can_select(&self) -> bool {
        if self.loaded.automata.is_some() {
            return true;
        }
        let has_sliced = self.loaded.groups.iter().any(|group| !group.sliced.is_empty());
        let mut patterns = self.patterns.patterns().iter();
        has_sliced && patterns.all(|pattern| pattern.is_free() && pattern.edit_model() == SearchEdits::Levenshtein)
    }

    /// Queues the first stage of a selection. Returns the stages; `None` if the batch has no items.
    ///
    /// # Safety
    /// As for [`CudaScanner::encode`].
    pub(super) unsafe fn begin_selection(&mut self, batch: &Batch) -> Result<Option<Vec<Stage>>, DeviceError> {
        let items = UnselectedRanges::of_batch(batch);
        if items.pieces().is_empty() {
            return Ok(None);
        }
        self.wanted = WantedOfItem::Any;
        // SAFETY: the caller keeps the batch as it is.
        unsafe { self.stage_items(batch, &items) }?;
        let stages = self.upload_order()?;
        if let Some(first) = stages.first() {
            self.launch_stage(first)?;
        }
        Ok(Some(stages))
    }

    /// Completes a selection whose first stage was queued. Passes at least one hit of each item that has any to the
    /// sink, ordered by (end, pattern).
    pub(super) fn finish_selection(
        &mut self,
        batch: &Batch,
        stages: &[Stage],
        sink: &mut dyn HitSink,
    ) -> Result<(), DeviceError> {
        let mut items = UnselectedRanges::of_batch(batch);
        let mut selected = SelectedItems::default();
        let (mut next, mut is_launched) = (0, true);
        while next < stages.len() && !items.pieces().is_empty() {
            if !std::mem::take(&mut is_launched) {
                self.launch_stage(&stages[next])?;
            }
            let found = self.found()?;
            let capacity = self.memory.hit_capacity();
            if found > capacity && self.make_room_for_hits()? {
                self.clear_selected()?;
                continue;
            }
            let candidates: Vec<Candidate> = self.candidates(batch, found.min(capacity))?.map(|(_, one)| one).collect();
            let of_stage = items.take_out(candidates);
            let is_complete = found <= capacity;
            if !is_complete && of_stage.bytes == 0 {
                selected.doubtful.extend(items.take_all());
                break;
            }
            next += usize::from(is_complete);
            of_stage.hits.iter().for_each(|hit| self.loaded.order.count(hit.pattern));
            let is_less = RESTAGED_SHARE * of_stage.bytes >= self.staged.length();
            selected.hits.extend(of_stage.hits);
            selected.doubtful.extend(of_stage.doubtful);
            if (is_less || !is_complete) && next < stages.len() && !items.pieces().is_empty() {
                // SAFETY: the caller's guard for the batch is dropped while the batch is borrowed.
                unsafe { self.stage_items(batch, &items) }?;
            }
        }
        self.search_doubtful(batch, &mut selected)?;
        selected.hits.sort_unstable();
        let _ = deliver(&selected.hits, sink);
        Ok(())
    }

    /// Uploads and encodes the items that are left, and clears the bits of all items.
    ///
    /// # Safety
    /// As for [`CudaScanner::encode`].
    unsafe fn stage_items(&mut self, batch: &Batch, items: &UnselectedRanges<'_>) -> Result<(), DeviceError> {
        // SAFETY: the caller keeps the batch as it is.
        unsafe { self.encode(batch, items.pieces()) }
    }

    /// Clears the bits of all items.
    fn clear_selected(&mut self) -> Result<(), DeviceError> {
        let words = self.staged.length().div_ceil(32);
        self.queue.clear(&mut self.memory.selected, 0..words)
    }

    /// Returns the filter of hits for the arguments of the bit-sliced kernel. The staged text is then one part.
    pub(super) fn item_filter(&self) -> FirstHitFilter {
        match self.wanted {
            WantedOfItem::All => FirstHitFilter::zeroed(),
            WantedOfItem::Any => {
                let (length, owned) = (self.staged.length(), self.staged.owned());
                FirstHitFilter {
                    text: self.memory.text.address(0..length),
                    ends: self.memory.ends.address(0..length),
                    selected: self.memory.selected.address(0..length.div_ceil(32)),
                    after: owned.start as u32,
                    until: owned.end as u32,
                    separator: u32::from(self.staged.separator()),
                    unused: 0,
                }
            }
        }
    }

    /// Divides the patterns into stages, and uploads the blocks of each.
    fn upload_order(&mut self) -> Result<Vec<Stage>, DeviceError> {
        let stages = self.loaded.order.stages();
        let count = stages.iter().map(Vec::len).sum();
        if self.order.length() < count {
            self.order = self.queue.pinned(count)?;
        }
        let indices: Vec<u32> = stages.iter().flatten().map(|block| block.index).collect();
        if indices != self.uploaded_order {
            self.order.wait()?[..count].copy_from_slice(&indices);
            grow(&self.queue, &mut self.memory.order, count)?;
            self.queue.upload(&self.order, count, &mut self.memory.order)?;
            self.uploaded_order = indices;
        }
        let last = stages.len() - 1;
        let mut first = 0;
        let stage = |(index, blocks): (usize, Vec<PatternBlock>)| {
            let listed = first..first + blocks.len();
            first = listed.end;
            let others = if index == last { OtherKernels::Used } else { OtherKernels::Unused };
            Stage { blocks, listed, others }
        };
        Ok(stages.into_iter().enumerate().map(stage).collect())
    }

    /// Queues the search of the staged text for the patterns of a stage.
    fn launch_stage(&mut self, stage: &Stage) -> Result<(), DeviceError> {
        self.clear_found()?;
        let part = BatchPart { symbols: 0..self.staged.length(), context: 0, after: 0 };
        let loaded = self.loaded.clone();
        let mut listed = stage.listed.start;
        for (index, group) in loaded.groups.iter().enumerate() {
            let mut planes = DevicePlanes { group: index, count: group.planes, are_packed: false, streams: None };
            let of_group = stage.blocks.iter().filter(|block| block.group == index);
            let launches: Vec<usize> = of_group.map(|block| block.launch).collect();
            let mut searches = Vec::new();
            for of_launch in launches.chunk_by(|a, b| a == b) {
                let blocks = SlicedBlocks::Listed(listed..listed + of_launch.len());
                listed += of_launch.len();
                searches.push(SlicedSearch { tables: &group.sliced[of_launch[0]], blocks });
            }
            self.search_sliced(&part, group, &mut planes, &searches)?;
            if stage.others == OtherKernels::Used {
                let searches = group.searches(self.device.facts(), part.length());
                let is_other = |search: &_| !matches!(search, SearchMethod::Sliced(_));
                let others: Vec<_> = searches.into_iter().filter(|search| is_other(&search.method)).collect();
                self.search_unsliced(&part, &mut planes, &others)?;
            }
        }
        self.download_first(&part)
    }

    /// Searches the doubtful items for all patterns, and adds the first hit of each.
    fn search_doubtful(&mut self, batch: &Batch, selected: &mut SelectedItems) -> Result<(), DeviceError> {
        if selected.doubtful.is_empty() {
            return Ok(());
        }
        let mut doubtful = std::mem::take(&mut selected.doubtful);
        doubtful.sort_unstable_by_key(|item| item.start);
        let _wait = self.queue.wait_on_drop();
        // SAFETY: the guard is dropped in this function, which borrows the batch.
        unsafe { self.begin_pieces(batch, &doubtful) }?;
        self.finish_pieces(batch, &mut FirstOfItems { batch, item: 0..0, hits: &mut selected.hits })
    }
}

/// Keeps the first hit of each item.
struct FirstOfItems<'a> {
    batch: &'a Batch<'a>,
    /// The last item with a hit.
    item: Range<usize>,
    hits: &'a mut Vec<Hit>,
}

impl HitSink for FirstOfItems<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        for &hit in hits {
            if hit.end > self.item.end {
                self.item = item_of(self.batch, hit.end);
                self.hits.push(hit);
            }
        }
        ControlFlow::Continue(())
    }
}
