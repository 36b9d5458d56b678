//! Searches batches only where a filter says that a pattern may match.

use super::budget::FilterBudget;
use super::sequence::{SequenceFilter, SequenceScanner};
use super::text::{TextFilter, TextScanner};
use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::kept::Kept;
use crate::hit::Hit;
use crate::input::Batch;

/// The filter of an compiled.
pub(crate) enum Filter {
    /// Pieces of patterns in lines of text.
    Text(TextFilter),
    /// Runs of residues, with an error or without.
    Sequence(SequenceFilter),
}

impl Filter {
    /// The filter that pays for text like a sample, if one does.
    pub(crate) fn new(compiled: &Compiled, sample: &[u8]) -> Option<Self> {
        match compiled.patterns.alphabet().is_sequence() {
            true => SequenceFilter::new(compiled).map(Filter::Sequence),
            false => TextFilter::new(compiled, sample).map(Filter::Text),
        }
    }

    /// What it looks for, for people.
    pub(crate) fn plan(&self) -> String {
        let count = self.filtered().iter().filter(|&&filtered| filtered).count();
        let what = match self {
            Filter::Text(filter) => filter.plan(),
            Filter::Sequence(filter) => filter.plan(),
        };
        format!("filter: {count} patterns, {what}")
    }

    /// What the search costs with it, see [`plan`](crate::engine::cpu::cost).
    pub(crate) fn cost(&self) -> f64 {
        match self {
            Filter::Text(filter) => filter.cost(),
            Filter::Sequence(filter) => filter.cost(),
        }
    }

    /// Which patterns it finds.
    pub(crate) fn filtered(&self) -> &[bool] {
        match self {
            Filter::Text(filter) => filter.filtered(),
            Filter::Sequence(filter) => filter.filtered(),
        }
    }
}

/// Searches batches for the patterns of a filter, and gives up those for which it does not pay.
pub(crate) struct FilteredScanner {
    /// Nothing before the first batch.
    budget: Option<FilterBudget>,
    text: TextScanner,
    sequence: SequenceScanner,
    instead: WithoutFilter,
}

/// How a pattern is searched that is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutFilter {
    Bitsliced,
    Blocks,
}

/// Searching a pattern in words costs so many times what it costs in slices, planes and all: 5 ns a symbol and 0.3 ns.
const BLOCKS_PER_BITSLICED: usize = 16;

impl FilteredScanner {
    pub(crate) fn new(instead: WithoutFilter) -> Self {
        FilteredScanner { budget: None, text: TextScanner::new(), sequence: SequenceScanner::new(), instead }
    }

    /// Whether a pattern was searched for in the batch scanned last; if not, it still has to be.
    pub(crate) fn has_scanned(&self, pattern: usize) -> bool {
        self.budget.as_ref().is_some_and(|budget| budget.is_active(pattern))
    }

    /// Adds hits, in no order and some of them twice, of which the one with the least distance is true: all of the patterns
    /// that it has scanned, some of those that it gave up meanwhile.
    pub(crate) fn scan(&mut self, compiled: &Compiled, filter: &Filter, batch: &Batch, hits: &mut Vec<Hit>) -> Kept {
        let budget = self.budget.get_or_insert_with(|| FilterBudget::new(filter.filtered()));
        let symbols = match self.instead {
            WithoutFilter::Bitsliced => batch.bytes().len(),
            WithoutFilter::Blocks => BLOCKS_PER_BITSLICED * batch.bytes().len(),
        };
        budget.begin(compiled, symbols);
        match filter {
            _ if budget.active() == 0 => Kept::All,
            Filter::Text(filter) => self.text.scan((compiled, filter), batch, budget, hits),
            Filter::Sequence(filter) => self.sequence.scan((compiled, filter), batch, budget, hits),
        }
    }
}
