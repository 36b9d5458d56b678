//! Any-match selection: finds which lines have a hit of some pattern, and does not search a selected line for the
//! others.
//!
//! The patterns are searched for in groups, those that selected the most lines so far first. After each group the
//! selected lines are taken out of the text. If the first groups select most lines, the others search little text.

use super::compiled::Compiled;
use super::cost;
use crate::hit::{Hit, HitSink};
use crate::input::{Batch, Layout};
use std::ops::{ControlFlow, Range};

/// The number of patterns in the first group. Each further group has twice as many.
const FIRST_GROUP: usize = 32;
/// The least cost of a search for all patterns, in picoseconds for each byte, for which groups pay.
const MIN_COST: f64 = 20_000.0;
/// The number of batches without groups after groups did not pay.
const REST: u32 = 16;

/// How often each pattern selected a line, and whether groups paid so far.
pub(super) struct LineSelection {
    counts: Vec<u32>,
    /// The indices of the patterns, those that selected the most lines first.
    order: Vec<usize>,
    /// The number of batches to search without groups.
    rest: u32,
}

impl LineSelection {
    pub(super) fn new(patterns: usize) -> Self {
        LineSelection { counts: vec![0; patterns], order: (0..patterns).collect(), rest: 0 }
    }

    /// Returns whether to search a batch for the patterns in groups. `cost` is the cost of a search for all patterns.
    pub(super) fn pays(&mut self, cost: f64) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        cost >= MIN_COST
    }

    /// Returns the groups of patterns, the most frequent first.
    pub(super) fn groups(&mut self) -> Vec<Vec<usize>> {
        self.order.sort_by_key(|&pattern| std::cmp::Reverse(self.counts[pattern]));
        let (mut groups, mut first, mut size) = (Vec::new(), 0, FIRST_GROUP);
        while first < self.order.len() {
            let end = self.order.len().min(first + size);
            groups.push(self.order[first..end].to_vec());
            (first, size) = (end, 2 * size);
        }
        groups
    }

    /// Counts a pattern that selected a line.
    pub(super) fn count(&mut self, pattern: usize) {
        self.counts[pattern] = self.counts[pattern].saturating_add(1);
    }

    /// Records that the first group selected too few lines.
    pub(super) fn give_up(&mut self) {
        self.rest = REST;
    }
}

/// Returns whether a group pays that takes a share `selected` of the text away from the search for all patterns.
pub(super) fn group_pays(compiled: &Compiled, group: &[usize], selected: f64, cost_of_all: f64) -> bool {
    let cost = cost::unfiltered(group.iter().map(|&pattern| compiled.bitsliced_cost(pattern)));
    selected * cost_of_all > cost
}

/// Some lines of a batch, as a batch of their own: those that are not selected yet, or those that a filter passes.
pub(in crate::engine) struct LineSubset {
    pub(in crate::engine) batch: Batch,
    /// The offsets at which each line starts in `batch` and in the whole batch.
    lines: Vec<(usize, usize)>,
}

impl LineSubset {
    /// Takes all lines of a batch; `None` if the batch has parts of lines, or no lines.
    pub(super) fn of_batch(batch: &Batch) -> Option<Self> {
        let Layout::Lines(lines) = batch.layout() else { return None };
        let owned = batch.owned();
        let bytes = batch.bytes();
        let ends_line = |end: usize| end == 0 || bytes[end - 1] == lines.terminator;
        let is_whole = ends_line(owned.start) && (ends_line(owned.end) || lines.closes && owned.end == bytes.len());
        if !is_whole || owned.is_empty() {
            return None;
        }
        let mut starts = vec![(0, owned.start)];
        let text = &bytes[owned.clone()];
        starts.extend(memchr::memchr_iter(lines.terminator, text).map(|end| (end + 1, owned.start + end + 1)));
        if starts.last().is_some_and(|&(start, _)| start == text.len()) {
            starts.pop();
        }
        Some(LineSubset { batch: Batch::of_lines(text, lines.terminator), lines: starts })
    }

    /// Takes the lines in some ranges of a batch of whole lines. The ranges are ordered and exclude the terminators.
    pub(in crate::engine) fn of_ranges<'a>(batch: &Batch, ranges: impl Iterator<Item = &'a Range<usize>>) -> Self {
        let terminator = batch.terminator().expect("the batch has lines");
        let (mut bytes, mut lines) = (Vec::new(), Vec::new());
        for range in ranges {
            lines.push((bytes.len(), range.start));
            bytes.extend_from_slice(&batch.bytes()[range.clone()]);
            bytes.push(terminator);
        }
        LineSubset { batch: Batch::of_lines(bytes, terminator), lines }
    }

    /// Returns the index of the line with a hit that ends at the offset `end` of the remaining text.
    fn line_of(&self, end: usize) -> usize {
        self.lines.partition_point(|&(start, _)| start < end) - 1
    }

    /// Returns `hit` with its offsets in the whole batch.
    pub(in crate::engine) fn moved(&self, hit: Hit) -> Hit {
        let (start, whole) = self.lines[self.line_of(hit.end)];
        let moved = |at: usize| at - start + whole;
        Hit { end: moved(hit.end), start: hit.start.map(moved), ..hit }
    }

    /// Takes out the lines with a hit. Appends one hit of each line to `selected`. Returns the share of the text that
    /// was taken out.
    pub(super) fn take_out(&mut self, hits: &[Hit], selected: &mut Vec<Hit>) -> f64 {
        let mut has_hit = vec![false; self.lines.len()];
        for &hit in hits {
            let line = self.line_of(hit.end);
            if !std::mem::replace(&mut has_hit[line], true) {
                selected.push(self.moved(hit));
            }
        }
        let before = self.batch.bytes().len();
        let bytes = self.batch.bytes();
        let ends = self.lines.iter().skip(1).map(|&(start, _)| start).chain([before]);
        let (mut rest, mut lines) = (Vec::new(), Vec::new());
        for ((&(start, whole), end), has_hit) in self.lines.iter().zip(ends).zip(has_hit) {
            if !has_hit {
                lines.push((rest.len(), whole));
                rest.extend_from_slice(&bytes[start..end]);
            }
        }
        let terminator = self.batch.terminator().expect("the batch has lines");
        let share = 1.0 - rest.len() as f64 / before.max(1) as f64;
        (self.batch, self.lines) = (Batch::of_lines(rest, terminator), lines);
        share
    }

    /// Returns whether no line is left.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Keeps the first hit of each line.
pub(super) struct FirstHits<'a> {
    pub(super) lines: &'a LineSubset,
    pub(super) hits: Vec<Hit>,
    pub(super) last: Option<usize>,
}

impl HitSink for FirstHits<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        for &hit in hits {
            let line = Some(self.lines.line_of(hit.end));
            if self.last != line {
                self.last = line;
                self.hits.push(hit);
            }
        }
        ControlFlow::Continue(())
    }
}
