//! Any-match selection: finds the lines or records with a hit of some pattern, and does not search a selected line for
//! further patterns.
//!
//! The patterns are searched for in groups. The patterns that selected the most lines so far come first. After each
//! group the selected lines are taken out of the text. If the first groups select most lines, the others search little
//! text. Records are selected like lines.

use super::compiled::Compiled;
use super::cost;
use super::myers::first_hits::ExpectedHits;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_text::text_item::{TextItem, text_items};
use nigh_verify::partial_batch::PartialBatch;
use std::ops::ControlFlow;

/// The number of patterns in the first group. Each further group has twice as many.
const FIRST_GROUP: usize = 32;
/// The number of patterns in the first group if most lines or records have many hits, whose verification takes longer
/// than the search.
const FIRST_GROUP_OF_MANY: usize = 8;
/// Minimum cost of a search for all patterns, in picoseconds per byte, at which groups pay even if there are few hits.
const MIN_COST: f64 = 5_000.0;
/// The number of batches that are searched without groups after groups did not pay.
const REST: u32 = 16;

/// Counts of the lines that each pattern selected, and whether groups paid so far.
pub(super) struct LineSelection {
    counts: Vec<u32>,
    /// The indices of the patterns, by the number of lines that they selected, the largest first.
    order: Vec<usize>,
    /// The number of batches to search without groups.
    rest: u32,
}

impl LineSelection {
    pub(super) fn new(patterns: usize) -> Self {
        LineSelection { counts: vec![0; patterns], order: (0..patterns).collect(), rest: 0 }
    }

    /// Returns the groups of patterns in which to search a batch, the most frequent first; none if groups do not pay.
    /// `cost` is the cost of a search for all patterns.
    pub(super) fn groups(&mut self, cost: f64, expected: ExpectedHits) -> Vec<Vec<usize>> {
        if self.rest > 0 {
            self.rest -= 1;
            return Vec::new();
        }
        let mut size = match expected {
            ExpectedHits::Many => FIRST_GROUP_OF_MANY,
            ExpectedHits::Few if cost >= MIN_COST => FIRST_GROUP,
            ExpectedHits::Few => return Vec::new(),
        };
        if self.order.len() <= size {
            return Vec::new();
        }
        self.order.sort_by_key(|&pattern| std::cmp::Reverse(self.counts[pattern]));
        let (mut groups, mut first) = (Vec::new(), 0);
        while first < self.order.len() {
            let end = self.order.len().min(first + size);
            groups.push(self.order[first..end].to_vec());
            (first, size) = (end, 2 * size);
        }
        groups
    }

    /// Adds a line to the count of the pattern that selected it.
    pub(super) fn count(&mut self, pattern: usize) {
        self.counts[pattern] = self.counts[pattern].saturating_add(1);
    }

    /// Records that the first group selected too few lines.
    pub(super) fn give_up(&mut self) {
        self.rest = REST;
    }
}

/// Returns whether searching for a group first pays, if that takes the share `selected` of the text away from the
/// search for all patterns.
pub(super) fn group_pays(compiled: &Compiled, group: &[usize], selected: f64, cost_of_all: f64) -> bool {
    let cost = cost::unfiltered(group.iter().map(|&pattern| compiled.bitsliced_cost(pattern)));
    selected * cost_of_all > cost
}

/// The lines or records of a batch that are not selected yet.
pub(super) struct UnselectedItems<'a> {
    whole: &'a Batch<'a>,
    items: Vec<TextItem>,
    /// The text of `items`; `None` while `items` holds all lines or records of the batch.
    text: Option<PartialBatch>,
}

impl<'a> UnselectedItems<'a> {
    /// Makes a list of all lines or records of a batch that are not empty.
    pub(super) fn of_batch(whole: &'a Batch<'a>) -> Self {
        let items = text_items(whole).filter(|item| !item.bytes.is_empty()).collect();
        UnselectedItems { whole, items, text: None }
    }

    /// Returns the text that is not selected yet.
    pub(super) fn batch(&self) -> &Batch<'_> {
        self.text.as_ref().map_or(self.whole, |text| &text.batch)
    }

    /// Returns the index of the line or record with a hit that ends at the offset `end` of the whole batch.
    fn item_of(&self, end: usize) -> usize {
        self.items.partition_point(|item| item.bytes.start < end) - 1
    }

    /// Converts the offsets of a hit in the remaining text to offsets in the whole batch.
    fn moved(&self, hit: Hit) -> Hit {
        self.text.as_ref().map_or(hit, |text| text.moved(hit))
    }

    /// Takes out the lines and records with a hit. Appends one hit of each to `selected`. Returns the share of the text
    /// that was taken out.
    pub(super) fn take_out(&mut self, hits: impl IntoIterator<Item = Hit>, selected: &mut Vec<Hit>) -> f64 {
        let mut has_hit = vec![false; self.items.len()];
        for hit in hits {
            let hit = self.moved(hit);
            if !std::mem::replace(&mut has_hit[self.item_of(hit.end)], true) {
                selected.push(hit);
            }
        }
        let before = self.batch().bytes().len();
        let mut has_hit = has_hit.into_iter();
        self.items.retain(|_| !has_hit.next().expect("there is an element for each item"));
        let buffer = self.text.take().map(|text| text.batch.into_buffer().into_vec()).unwrap_or_default();
        let text = PartialBatch::of_items(self.whole, self.items.iter().cloned(), buffer, usize::MAX);
        let text = text.expect("there is no limit on its size");
        let share = 1.0 - text.batch.bytes().len() as f64 / before.max(1) as f64;
        self.text = Some(text);
        share
    }

    /// Returns whether no line or record is left.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Keeps the first hit of each line or record.
pub(super) struct FirstHits<'a> {
    pub(super) items: &'a UnselectedItems<'a>,
    pub(super) hits: Vec<Hit>,
    pub(super) last: Option<usize>,
}

impl HitSink for FirstHits<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        for &hit in hits {
            let item = Some(self.items.item_of(self.items.moved(hit).end));
            if self.last != item {
                self.last = item;
                self.hits.push(hit);
            }
        }
        ControlFlow::Continue(())
    }
}
