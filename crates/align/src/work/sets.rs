//! Queries and targets that are compared, each with each.

use std::ops::Range;

use super::lines::IndexedPair;
use crate::rows::PairText;
use nigh_pairs::pairs::{Pair, Pairs};
use nigh_pairs::symbols::WidePair;
use nigh_pattern::Strand;

/// The queries, and the targets of a batch.
pub(super) trait ComparedSets {
    fn query_count(&self) -> usize;
    fn target_count(&self) -> usize;
    /// Pairs a query with some targets.
    fn pairs(&mut self, query: usize, targets: Range<usize>) -> StrandedPairs<'_>;
    fn names(&self, query: usize, target: usize) -> [&[u8]; 2];
    fn texts(&self, query: usize, target: usize) -> [PairText<'_>; 2];
}

/// Pairs on the strands that are compared.
pub(super) struct StrandedPairs<'b> {
    pub(super) forward: Pairs<'b>,
    /// The pairs with the reverse complements of the queries; `None` if only the forward strand is compared.
    pub(super) reverse: Option<Pairs<'b>>,
    /// The index in `forward` of the first pair to compare. Other indices count from it.
    pub(super) first: usize,
    /// Pairs that replace the pairs with the same indices in `forward`, in the order of their indices.
    pub(super) wide: &'b [IndexedPair],
}

impl<'b> StrandedPairs<'b> {
    /// Returns the wide pair with an index, if this pair is wide.
    pub(super) fn wide_pair(&self, index: usize) -> Option<&'b WidePair> {
        let place = self.wide.binary_search_by_key(&index, |wide| wide.index).ok()?;
        Some(&self.wide[place].pair)
    }

    /// Returns the numbers of symbols of the query and the target with an index.
    pub(super) fn lengths(&self, index: usize) -> (usize, usize) {
        if let Some(wide) = self.wide_pair(index) {
            return (wide.query().len(), wide.target().len());
        }
        let Pair { query, target } = self.forward.get(self.first + index);
        (query.len(), target.len())
    }

    /// Returns the pairs on a strand, which must be one that is compared.
    pub(super) fn on(&self, strand: Strand) -> &Pairs<'b> {
        match (strand, &self.reverse) {
            (Strand::Reverse, Some(reverse)) => reverse,
            _ => &self.forward,
        }
    }
}
