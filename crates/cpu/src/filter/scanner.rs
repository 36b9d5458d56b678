//! Searches batches only where a filter reports candidates.

use super::budget::FilterBudget;
use super::sequence::SequenceScanner;
use super::text::TextScanner;
use super::{Filter, FilterSeeds};
use crate::compiled::{Compiled, CompiledSection};
use crate::found_items::RequestedHits;
use crate::sections::BatchSection;
use crate::sections::kept::HitCompleteness;

/// Searches batches for the patterns of a filter, and gives up patterns for which filtering does not pay.
pub(crate) struct FilteredScanner {
    /// `None` before the first batch.
    budget: Option<FilterBudget>,
    text: TextScanner,
    sequence: SequenceScanner,
    instead: WithoutFilter,
}

/// The method for a pattern that was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutFilter {
    Bitsliced,
    Blocks,
}

/// The cost of block-based Myers for one pattern, in multiples of a bit-sliced search including its planes: 5 ns a
/// symbol against 0.3 ns.
const BLOCKS_PER_BITSLICED: usize = 16;

impl FilteredScanner {
    pub(crate) fn new(instead: WithoutFilter) -> Self {
        FilteredScanner { budget: None, text: TextScanner::new(), sequence: SequenceScanner::new(), instead }
    }

    /// Returns whether the last scan covered a pattern. If not, the caller must search for it.
    pub(crate) fn has_scanned(&self, pattern: usize) -> bool {
        self.budget.as_ref().is_some_and(|budget| budget.is_active(pattern))
    }

    /// Replaces the hits by all wanted hits of the patterns that stay active, and some hits of the patterns given up during
    /// the scan. Hits are unordered and may repeat. Of repeated hits, the least distance is exact.
    pub(crate) fn scan(
        &mut self,
        compiled: &Compiled,
        filter: &Filter,
        section: &BatchSection<'_>,
        wanted: RequestedHits<'_>,
    ) -> HitCompleteness {
        let budget = self.budget.get_or_insert_with(|| FilterBudget::new(&filter.filtered));
        let symbols = match self.instead {
            WithoutFilter::Bitsliced => compiled.bitsliced_symbols(section),
            WithoutFilter::Blocks => BLOCKS_PER_BITSLICED * section.text().len(),
        };
        budget.begin(compiled, symbols);
        let search = CompiledSection { compiled, section };
        wanted.hits.clear();
        match &filter.seeds {
            _ if budget.active() == 0 => HitCompleteness::All,
            FilterSeeds::Text(finder) => self.text.scan(search, finder, budget, wanted),
            FilterSeeds::Sequences(indexes) => self.sequence.scan(search, indexes, budget, wanted.hits),
        }
    }
}
