//! Scans batches on the processor by filters, bit-slicing or block-based Myers, whichever suits the batch.

use super::bitslice::scanner::BitslicedScanner;
use super::block_scanner::BlockScanner;
use super::compiled::Compiled;
use super::filter::choice::FilterChoice;
use super::filter::scanner::{FilteredScanner, WithoutFilter};
use super::kept::{Kept, keep_each_once};
use crate::engine::deliver::deliver;
use crate::engine::{EngineError, Scanner};
use crate::hit::{Hit, HitSink};
use crate::input::Batch;

/// The size of a batch, in bytes, below which a filter saves nothing.
const MIN_FILTERED: usize = 1 << 10;

/// Scans large batches by filters and bit-slicing, and small batches by a filter or block-based Myers.
pub(super) struct CpuScanner<'a> {
    compiled: &'a Compiled,
    filters: &'a FilterChoice,
    blocks: BlockScanner<'a>,
    filtered: FilteredScanner,
    /// Like `filtered`, for batches too small for bit-slicing.
    filtered_small: FilteredScanner,
    bitsliced: BitslicedScanner,
    hits: Vec<Hit>,
}

impl Scanner for CpuScanner<'_> {
    fn scan(&mut self, batch: &Batch, sink: &mut dyn HitSink) -> Result<(), EngineError> {
        self.hits.clear();
        let kept = if self.compiled.is_large_enough(batch) { self.scan_large(batch) } else { self.scan_small(batch) };
        if kept == Kept::TooMany {
            self.blocks.scan(batch, sink);
            return Ok(());
        }
        keep_each_once(&mut self.hits);
        // These are the last hits of the batch, so a `Break` from the sink changes nothing.
        let _ = deliver(&self.hits, sink);
        Ok(())
    }
}

impl<'a> CpuScanner<'a> {
    /// Makes a scanner for compiled patterns. The filters are chosen when the first batches are scanned.
    pub(super) fn new(compiled: &'a Compiled, filters: &'a FilterChoice) -> Self {
        CpuScanner {
            compiled,
            filters,
            blocks: BlockScanner::new(compiled),
            filtered: FilteredScanner::new(WithoutFilter::Bitsliced),
            filtered_small: FilteredScanner::new(WithoutFilter::Blocks),
            bitsliced: BitslicedScanner::new(),
            hits: Vec::new(),
        }
    }

    /// Scans a batch too small for bit-slicing by a filter that covers all patterns. Returns [`Kept::TooMany`] if there
    /// is no such filter, or the filter gave a pattern up; the caller then scans the batch by block-based Myers.
    fn scan_small(&mut self, batch: &Batch) -> Kept {
        let compiled = self.compiled;
        let length = batch.bytes().len();
        if compiled.patterns.alphabet().is_sequence() || compiled.bitsliced.is_empty() || length < MIN_FILTERED {
            return Kept::TooMany;
        }
        let Some(filter) = self
            .filters
            .for_small(compiled, batch.bytes())
            .filter(|filter| filter.filtered().iter().all(|&filtered| filtered))
        else {
            return Kept::TooMany;
        };
        let kept = self.filtered_small.scan(compiled, filter, batch, &mut self.hits);
        if kept == Kept::TooMany
            || !(0..compiled.patterns.patterns().len()).all(|index| self.filtered_small.has_scanned(index))
        {
            self.hits.clear();
            return Kept::TooMany;
        }
        Kept::All
    }

    fn scan_large(&mut self, batch: &Batch) -> Kept {
        let compiled = self.compiled;
        if let Some(filter) = self.filters.for_large(compiled, batch.bytes())
            && self.filtered.scan(compiled, filter, batch, &mut self.hits) == Kept::TooMany
        {
            self.hits = Vec::new();
            return Kept::TooMany;
        }
        let bitsliced = (0..compiled.bitsliced.len()).filter(|&index| !self.filtered.has_scanned(index));
        self.bitsliced.scan(compiled, batch, bitsliced, &mut self.hits)
    }
}
