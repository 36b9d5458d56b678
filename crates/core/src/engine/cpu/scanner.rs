//! Scans batches on the processor by filters, bit-slicing or block-based Myers, whichever suits the batch.

use super::bitslice::scanner::{BitslicedScanner, RequestedHits};
use super::block_scanner::BlockScanner;
use super::compiled::Compiled;
use super::filter::choice::FilterChoice;
use super::filter::scanner::{FilteredScanner, WithoutFilter};
use super::first_hits::{ExpectedHits, FirstHitFinder, HitForecast};
use super::found_items::FoundItems;
use super::kept::{HitCompleteness, keep_each_once};
use super::line_selection::{FirstHits, LineSelection, UnselectedItems, group_pays};
use crate::batch::Batch;
use crate::engine::deliver::deliver;
use crate::engine::{EngineError, Scanner};
use crate::hit::{Hit, HitSink};

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
    selection: LineSelection,
    forecast: HitForecast,
    first_hits: FirstHitFinder,
    hits: Vec<Hit>,
}

impl Scanner for CpuScanner<'_> {
    fn scan(&mut self, batch: &Batch, sink: &mut dyn HitSink) -> Result<(), EngineError> {
        self.scan_batch(batch, sink);
        Ok(())
    }

    fn select(&mut self, batch: &Batch, sink: &mut dyn HitSink) -> Result<(), EngineError> {
        if !self.compiled.is_large_enough(batch) {
            self.scan_batch(batch, sink);
            return Ok(());
        }
        let expected = self.forecast.next();
        let groups = self.selection.groups(self.cost_of_all(batch.bytes()), expected);
        if !groups.is_empty() {
            let mut selected = Vec::new();
            self.select_in_groups(groups, batch, &mut selected);
            let _ = deliver(&selected, sink);
        } else if expected == ExpectedHits::Many && FirstHitFinder::suits(self.compiled, batch) {
            let _ = deliver(&self.first_hits.find(self.compiled, batch), sink);
        } else {
            self.select_any(batch, sink);
        }
        Ok(())
    }
}

impl<'a> CpuScanner<'a> {
    /// Finds the lines or records with a hit, searching for one group of patterns after the other. Appends one hit of
    /// each line or record to `selected`, and sorts the hits.
    fn select_in_groups(&mut self, groups: Vec<Vec<usize>>, batch: &Batch, selected: &mut Vec<Hit>) {
        let compiled = self.compiled;
        let cost_of_all = self.cost_of_all(batch.bytes());
        let mut items = UnselectedItems::of_batch(batch);
        for (nth, group) in groups.into_iter().enumerate() {
            if items.is_empty() {
                break;
            }
            let found = selected.len();
            self.hits.clear();
            if !compiled.can_bitslice(items.batch()) {
                break;
            }
            let mut first_of = self.first_of(items.batch());
            let wanted = RequestedHits { first_of: first_of.as_mut(), hits: &mut self.hits };
            if self.bitsliced.scan(compiled, items.batch(), group.iter().copied(), wanted) == HitCompleteness::TooMany {
                break;
            }
            let share = items.take_out(&self.hits, selected);
            selected[found..].iter().for_each(|hit| self.selection.count(hit.pattern));
            if !group_pays(compiled, &group, share, cost_of_all) && compiled.is_large_enough(items.batch()) {
                if nth == 0 {
                    self.selection.give_up();
                }
                break;
            }
        }
        if !items.is_empty() {
            let mut first = FirstHits { items: &items, hits: Vec::new(), last: None };
            let kept = self.find_all(items.batch(), self.first_of(items.batch()));
            self.deliver_all(kept, items.batch(), &mut first);
            let hits = first.hits;
            items.take_out(&hits, selected);
        }
        selected.sort_unstable();
    }

    /// Passes at least one hit of each line or record of a large batch that has any to the sink.
    fn select_any(&mut self, batch: &Batch, sink: &mut dyn HitSink) {
        let kept = self.find_all(batch, self.first_of(batch));
        let hits = if kept == HitCompleteness::All { Some(self.hits.len()) } else { None };
        self.forecast.note(hits, batch.bytes().len());
        if kept == HitCompleteness::TooMany && FirstHitFinder::suits(self.compiled, batch) {
            let _ = deliver(&self.first_hits.find(self.compiled, batch), sink);
        } else {
            self.deliver_all(kept, batch, sink);
        }
    }

    /// Returns the cost of searching text like `text` for all patterns.
    fn cost_of_all(&self, text: &[u8]) -> f64 {
        match self.filters.for_large(self.compiled, text) {
            Some(filter) => filter.cost(),
            None => self.compiled.unfiltered_cost(),
        }
    }

    fn scan_batch(&mut self, batch: &Batch, sink: &mut dyn HitSink) {
        let kept = self.find_all(batch, None);
        self.deliver_all(kept, batch, sink);
    }

    /// Returns the lines or records of a batch if hits must be verified one by one. The search then verifies only one
    /// hit of each line or record. Otherwise returns `None`.
    fn first_of(&self, batch: &Batch) -> Option<FoundItems> {
        let are_verified = self.compiled.patterns.patterns().iter().any(|pattern| !pattern.is_free());
        are_verified.then(|| FoundItems::none_of(batch))
    }

    /// Finds the hits of a batch, in no order. May leave out hits in lines or records that have one according to
    /// `first_of`.
    fn find_all(&mut self, batch: &Batch, first_of: Option<FoundItems>) -> HitCompleteness {
        self.hits.clear();
        if self.compiled.is_large_enough(batch) { self.scan_large(batch, first_of) } else { self.scan_small(batch) }
    }

    /// Passes the hits that were found to the sink, or scans the batch by block-based Myers if they are not complete.
    fn deliver_all(&mut self, kept: HitCompleteness, batch: &Batch, sink: &mut dyn HitSink) {
        if kept == HitCompleteness::TooMany {
            self.blocks.scan(batch, sink);
            return;
        }
        keep_each_once(&mut self.hits);
        // These are the last hits of the batch, so a `Break` from the sink changes nothing.
        let _ = deliver(&self.hits, sink);
    }

    /// Makes a scanner for compiled patterns. The filters are chosen when the first batches are scanned.
    pub(super) fn new(compiled: &'a Compiled, filters: &'a FilterChoice) -> Self {
        CpuScanner {
            compiled,
            filters,
            blocks: BlockScanner::new(compiled),
            filtered: FilteredScanner::new(WithoutFilter::Bitsliced),
            filtered_small: FilteredScanner::new(WithoutFilter::Blocks),
            bitsliced: BitslicedScanner::new(),
            selection: LineSelection::new(compiled.patterns.patterns().len()),
            forecast: HitForecast::default(),
            first_hits: FirstHitFinder::default(),
            hits: Vec::new(),
        }
    }

    /// Scans a batch too small for bit-slicing by a filter that covers all patterns. Returns [`HitCompleteness::TooMany`] if there
    /// is no such filter, or the filter gave a pattern up; the caller then scans the batch by block-based Myers.
    fn scan_small(&mut self, batch: &Batch) -> HitCompleteness {
        let compiled = self.compiled;
        let length = batch.bytes().len();
        if compiled.patterns.alphabet().is_sequence() || !compiled.suits_bit_slicing() || length < MIN_FILTERED {
            return HitCompleteness::TooMany;
        }
        let Some(filter) = self
            .filters
            .for_small(compiled, batch.bytes())
            .filter(|filter| filter.filtered().iter().all(|&filtered| filtered))
        else {
            return HitCompleteness::TooMany;
        };
        let kept = self.filtered_small.scan(compiled, filter, batch, &mut self.hits);
        if kept == HitCompleteness::TooMany
            || !(0..compiled.patterns.patterns().len()).all(|index| self.filtered_small.has_scanned(index))
        {
            self.hits.clear();
            return HitCompleteness::TooMany;
        }
        HitCompleteness::All
    }

    fn scan_large(&mut self, batch: &Batch, mut first_of: Option<FoundItems>) -> HitCompleteness {
        let compiled = self.compiled;
        if let Some(filter) = self.filters.for_large(compiled, batch.bytes())
            && self.filtered.scan(compiled, filter, batch, &mut self.hits) == HitCompleteness::TooMany
        {
            self.hits = Vec::new();
            return HitCompleteness::TooMany;
        }
        let bitsliced = (0..compiled.patterns.patterns().len()).filter(|&index| !self.filtered.has_scanned(index));
        let wanted = RequestedHits { first_of: first_of.as_mut(), hits: &mut self.hits };
        self.bitsliced.scan(compiled, batch, bitsliced, wanted)
    }
}
