//! Scans batches on the processor by filters, bit-slicing or block-based Myers, whichever suits the batch.

use super::bitslice::scanner::BitslicedScanner;
use super::compiled::{Compiled, CompiledSection};
use super::filter::choice::FilterChoice;
use super::filter::scanner::{FilteredScanner, WithoutFilter};
use super::found_items::{FoundItems, RequestedHits};
use super::line_selection::{FirstHits, LineSelection, UnselectedItems, group_pays};
use super::myers::first_hits::{ExpectedHits, FirstHitFinder, HitForecast};
use super::myers::scanner::BlockScanner;
use super::sections::kept::{HitCompleteness, KeptHit, keep_each_once};
use super::sections::{BatchSection, Divisions};
use nigh_text::batch::Batch;
use nigh_text::hit::HitSink;
use nigh_verify::deliver::deliver;
use nigh_verify::{EngineError, Scanner, WantedHits};
use std::ops::ControlFlow;

/// The size of a batch, in bytes, below which a filter saves nothing.
const MIN_FILTERED: usize = 1 << 10;
/// The smallest number of bytes of a section. A smaller one takes as long bit-sliced as by block-based Myers, which finds
/// hits in order.
const MIN_SECTION: usize = 1 << 10;

/// The smallest cost of a search, in picoseconds per byte, in which lines with a hit are passed over. Dividing a batch into
/// lines takes about 50.
const MIN_COST_OF_FIRST: f64 = 1_000.0;

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
    divisions: &'a Divisions,
    /// The number of bytes of the sections into which the next batch is divided; `None` for whole batches.
    section_bytes: Option<usize>,
    hits: Vec<KeptHit>,
}

impl Scanner for CpuScanner<'_> {
    fn search(&mut self, batch: &Batch, wanted: WantedHits, sink: &mut dyn HitSink) -> Result<(), EngineError> {
        if wanted != WantedHits::One || !self.compiled.is_large_enough(&BatchSection::whole(batch)) {
            self.scan_batch(batch, None, sink);
            return Ok(());
        }
        let expected = self.forecast.next();
        let groups = self.selection.groups(self.filters.cost(self.compiled, batch.bytes()), expected);
        if !groups.is_empty() {
            self.select_in_groups(groups, batch, sink);
        } else if expected == ExpectedHits::Many && FirstHitFinder::suits(self.compiled, batch) {
            let _ = deliver(&self.first_hits.find(self.compiled, batch), sink);
        } else {
            self.select_any(batch, sink);
        }
        Ok(())
    }
}

impl<'a> CpuScanner<'a> {
    /// Finds the lines or records with a hit, searching for one group of patterns after the other. Passes one hit of
    /// each line or record to the sink.
    fn select_in_groups(&mut self, groups: Vec<Vec<usize>>, batch: &Batch, sink: &mut dyn HitSink) {
        let compiled = self.compiled;
        let cost_of_all = self.filters.cost(self.compiled, batch.bytes());
        let mut items = UnselectedItems::of_batch(batch);
        let mut selected = Vec::new();
        for (nth, group) in groups.into_iter().enumerate() {
            if items.is_empty() {
                break;
            }
            let found = selected.len();
            if !self.find_group(&group, items.batch()) {
                break;
            }
            let share = items.take_out(self.hits.iter().map(|&hit| hit.into()), &mut selected);
            selected[found..].iter().for_each(|hit| self.selection.count(hit.pattern));
            let is_large = compiled.is_large_enough(&BatchSection::whole(items.batch()));
            if !group_pays(compiled, &group, share, cost_of_all) && is_large {
                if nth == 0 {
                    self.selection.give_up();
                }
                break;
            }
        }
        if !items.is_empty() {
            let mut first = FirstHits { items: &items, hits: Vec::new(), last: None };
            self.scan_batch(items.batch(), self.first_of(items.batch()), &mut first);
            let hits = first.hits;
            items.take_out(hits, &mut selected);
        }
        selected.sort_unstable();
        let _ = deliver(&selected, sink);
    }

    /// Replaces the hits by those of a group of patterns in a batch. Returns `false` if there are too many, or if
    /// bit-slicing does not suit the batch.
    fn find_group(&mut self, group: &[usize], batch: &Batch) -> bool {
        let (compiled, section) = (self.compiled, &BatchSection::whole(batch));
        self.hits.clear();
        if !compiled.can_bitslice(section) {
            return false;
        }
        let mut first_of = self.first_of(batch);
        let wanted = RequestedHits { first_of: first_of.as_mut(), hits: &mut self.hits };
        self.bitsliced.scan(CompiledSection { compiled, section }, group, wanted) == HitCompleteness::All
    }

    /// Passes at least one hit of each line or record of a large batch that has any to the sink.
    fn select_any(&mut self, batch: &Batch, sink: &mut dyn HitSink) {
        if self.section_bytes.is_some() {
            // The last batch had too many hits, so the first of each line are looked for at once.
            if !FirstHitFinder::suits(self.compiled, batch) {
                return self.select_in_groups(Vec::new(), batch, sink);
            }
            let _ = deliver(&self.first_hits.find(self.compiled, batch), sink);
            return;
        }
        let whole = BatchSection::whole(batch);
        let mut first_of = self.first_of(batch);
        let kept = self.find(&whole, first_of.as_mut());
        let passed = first_of.map_or(0, |items| items.passed());
        let hits = (kept == HitCompleteness::All).then(|| self.hits.len() + passed);
        self.forecast.note(hits, batch.bytes().len());
        let HitCompleteness::TooMany { parts } = kept else {
            let _ = self.deliver_all(kept, &whole, sink);
            return;
        };
        if FirstHitFinder::suits(self.compiled, batch) {
            let _ = deliver(&self.first_hits.find(self.compiled, batch), sink);
            return;
        }
        let groups = self.selection.groups(self.filters.cost(self.compiled, batch.bytes()), ExpectedHits::Many);
        if groups.is_empty() {
            self.divisions.note_division();
            self.scan_sections(whole.divide(&self.compiled.patterns, parts), self.first_of(batch), sink);
        } else {
            self.select_in_groups(groups, batch, sink);
        }
    }

    /// Passes the hits of a batch to the sink. May leave out hits in lines or records that have one according to
    /// `first_of`.
    fn scan_batch(&mut self, batch: &Batch, first_of: Option<FoundItems>, sink: &mut dyn HitSink) {
        let whole = BatchSection::whole(batch);
        let sections = match self.section_bytes {
            Some(bytes) => whole.divide(&self.compiled.patterns, whole.len().div_ceil(bytes).max(1)),
            None => vec![whole],
        };
        self.scan_sections(sections, first_of, sink);
    }

    /// Like [`scan_batch`](Self::scan_batch), for sections in order. Divides a section that has too many hits.
    fn scan_sections(
        &mut self,
        sections: Vec<BatchSection<'_>>,
        mut first_of: Option<FoundItems>,
        sink: &mut dyn HitSink,
    ) {
        let mut open = sections;
        open.reverse();
        let (mut bytes, mut hits, mut is_divided) = (0, 0, open.len() > 1);
        while let Some(section) = open.pop() {
            let kept = self.find(&section, first_of.as_mut());
            if let HitCompleteness::TooMany { parts } = kept {
                if let Some(items) = &mut first_of {
                    items.forget_from(section.first_end());
                }
                let parts = parts.min(section.len() / MIN_SECTION);
                if parts > 1 {
                    self.divisions.note_division();
                    is_divided = true;
                    open.extend(section.divide(&self.compiled.patterns, parts).into_iter().rev());
                    continue;
                }
                self.divisions.note_blocks();
            }
            bytes += section.len();
            hits += if kept == HitCompleteness::All { self.hits.len() } else { self.compiled.hit_capacity };
            if self.deliver_all(kept, &section, sink).is_break() {
                break;
            }
        }
        self.section_bytes = if is_divided { self.next_section_bytes(bytes, hits) } else { None };
    }

    /// Returns the number of bytes of sections that have half of the allowed hits, after `hits` hits in `bytes` bytes;
    /// `None` if more than these bytes may be searched at once.
    fn next_section_bytes(&self, bytes: usize, hits: usize) -> Option<usize> {
        let fitting = bytes as f64 * (self.compiled.hit_capacity / 2) as f64 / hits.max(1) as f64;
        (fitting < bytes as f64).then_some((fitting as usize).max(MIN_SECTION))
    }

    /// Returns the lines or records of a batch if it pays to pass over those that have a hit: if hits must be verified one
    /// by one, or the search takes much longer than dividing the batch. Otherwise returns `None`.
    fn first_of(&self, batch: &Batch) -> Option<FoundItems> {
        let are_verified = || self.compiled.patterns.patterns().iter().any(|pattern| !pattern.is_free());
        let pays = self.filters.cost(self.compiled, batch.bytes()) >= MIN_COST_OF_FIRST || are_verified();
        pays.then(|| FoundItems::none_of(batch))
    }

    /// Finds the hits of a section, in no order. May leave out hits in lines or records that have one according to
    /// `first_of`.
    fn find(&mut self, section: &BatchSection<'_>, first_of: Option<&mut FoundItems>) -> HitCompleteness {
        self.hits.clear();
        let compiled = self.compiled;
        let is_part = section.len() < section.batch.owned().len();
        if compiled.is_large_enough(section) || is_part && compiled.can_bitslice(section) {
            self.scan_large(section, first_of)
        } else if is_part {
            HitCompleteness::Unsuited
        } else {
            self.scan_small(section)
        }
    }

    /// Passes the hits that were found to the sink, or scans the section by block-based Myers if they are not complete.
    fn deliver_all(
        &mut self,
        kept: HitCompleteness,
        section: &BatchSection<'_>,
        sink: &mut dyn HitSink,
    ) -> ControlFlow<()> {
        if kept != HitCompleteness::All {
            return self.blocks.scan(section, sink);
        }
        keep_each_once(&mut self.hits);
        deliver(&self.hits, sink)
    }

    /// Makes a scanner for compiled patterns. The filters are chosen when the first batches are scanned.
    pub(super) fn new(compiled: &'a Compiled, filters: &'a FilterChoice, divisions: &'a Divisions) -> Self {
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
            divisions,
            section_bytes: None,
            hits: Vec::new(),
        }
    }

    /// Scans a batch too small for bit-slicing by a filter that covers all patterns. Returns
    /// [`HitCompleteness::Unsuited`] if there is no such filter, or the filter gave a pattern up.
    fn scan_small(&mut self, section: &BatchSection<'_>) -> HitCompleteness {
        let compiled = self.compiled;
        let length = section.bytes().len();
        let suits = compiled.suits_bit_slicing() && section.has_short_offsets();
        if compiled.patterns.alphabet().is_sequence() || !suits || length < MIN_FILTERED {
            return HitCompleteness::Unsuited;
        }
        let Some(filter) = self
            .filters
            .for_small(compiled, section.bytes())
            .filter(|filter| filter.filtered.iter().all(|&filtered| filtered))
        else {
            return HitCompleteness::Unsuited;
        };
        let wanted = RequestedHits { first_of: None, hits: &mut self.hits };
        let kept = self.filtered_small.scan(compiled, filter, section, wanted);
        if kept == HitCompleteness::All
            && !(0..compiled.patterns.patterns().len()).all(|index| self.filtered_small.has_scanned(index))
        {
            return HitCompleteness::Unsuited;
        }
        kept
    }

    fn scan_large(&mut self, section: &BatchSection<'_>, mut first_of: Option<&mut FoundItems>) -> HitCompleteness {
        let compiled = self.compiled;
        if let Some(filter) = self.filters.for_large(compiled, section.bytes()) {
            let wanted = RequestedHits { first_of: first_of.as_deref_mut(), hits: &mut self.hits };
            let kept = self.filtered.scan(compiled, filter, section, wanted);
            if kept != HitCompleteness::All {
                self.hits = Vec::new();
                return kept;
            }
        }
        let is_left = |&index: &usize| !self.filtered.has_scanned(index);
        let bitsliced: Vec<usize> = (0..compiled.patterns.patterns().len()).filter(is_left).collect();
        let wanted = RequestedHits { first_of, hits: &mut self.hits };
        self.bitsliced.scan(CompiledSection { compiled, section }, &bitsliced, wanted)
    }
}
