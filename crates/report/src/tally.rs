//! Counts selected lines and records. Handles lines and records that span several batches.

use memchr::{memchr, memchr_iter};

use super::selection::{Keep, Selection, is_open, offset_after, offset_after_first};
use super::{Findings, MatchedItem};
use nigh_text::batch::{Batch, Layout};

/// The lines or records to select, and their maximum number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether lines or records with or without a hit are selected.
    pub keep: Keep,
    /// Maximum number of selected lines or records per input; `None` for no limit.
    pub max: Option<u64>,
}

impl Limits {
    /// Returns the maximum number of lines or records with a hit that are needed per batch.
    pub(super) fn max_items_in_batch(self) -> usize {
        match (self.keep, self.max) {
            // One more than the limit, since the first may continue from the previous batch, where it was already
            // counted.
            (Keep::Matching, Some(max)) => usize::try_from(max).unwrap_or(usize::MAX).saturating_add(1),
            _ => usize::MAX,
        }
    }
}

/// Counts the selected lines or records of one input.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    limits: Limits,
    selected: u64,
    open: Continuation,
    /// Whether a line or record of any input was selected.
    any: bool,
    /// Offset in the input just past the line that reached the limit. `None` before that, or if the line continues in
    /// the next batch.
    selected_to: Option<u64>,
}

/// The state of the line or record that the last batch left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Continuation {
    /// The line or record has no hit so far, or no line or record is open.
    NoHit,
    /// The line or record has a hit and was selected.
    Selected,
    /// The line or record has a hit, but was not selected because the limit had been reached.
    OverLimit,
}

/// The properties of a batch that affect the counting of lines or records.
struct BatchBoundaries {
    /// Whether the first line or record continues from the previous batch.
    continues: bool,
    /// Whether the last line or record continues in the next batch.
    open: bool,
}

impl Tally {
    pub(super) fn new(limits: Limits) -> Self {
        Tally { limits, selected: 0, open: Continuation::NoHit, any: false, selected_to: None }
    }

    /// Resets the count for the next input.
    pub(super) fn begin(&mut self) {
        self.selected = 0;
        self.open = Continuation::NoHit;
        self.selected_to = None;
    }

    /// Counts the selected lines or records of a batch. Returns the number of those that are within the limit and were
    /// not counted with an earlier batch.
    pub(super) fn add(&mut self, batch: &Batch, findings: &Findings) -> u64 {
        let census = census(batch);
        let known = census.continues && self.open != Continuation::NoHit;
        let first_found = findings.items.first().is_some_and(|item| item.continues);
        let new = match self.limits.keep {
            Keep::Matching => findings.items.len() as u64 - u64::from(known && first_found),
            Keep::NonMatching => {
                let closed_found = findings.items.iter().filter(|item| !item.open).count() as u64;
                let only_known = known && !first_found && has_end(batch);
                closed(batch) - closed_found - u64::from(only_known)
            }
        };
        let within = self.count(new);
        if within > 0 && self.is_full() {
            let selection = Selection { keep: self.limits.keep, first_has_hit: known };
            let counted_before = self.limits.keep == Keep::Matching && known && first_found;
            let last = usize::try_from(within - 1).unwrap_or(usize::MAX) + usize::from(counted_before);
            // If the selected line continues in the next batch, its end is unknown, so it has no offset.
            let cut = batch.lines().filter(|lines| is_open(batch, lines));
            let cut = cut.map(|lines| lines.offset + batch.shown().len() as u64);
            let to = offset_after(last, selection, batch, findings).filter(|&to| Some(to) != cut);
            self.selected_to = to.map(|to| batch.offset_in_input(to));
        } else if self.is_full() && self.open == Continuation::Selected {
            self.selected_to = offset_after_first(batch).map(|to| batch.offset_in_input(to));
        }
        let stays_open = known && census.open && !has_end(batch);
        let last_found = findings.items.last().is_some_and(|item| item.open);
        self.open = match (census.open, stays_open, last_found) {
            (true, true, _) => self.open,
            (true, false, true) if within == new => Continuation::Selected,
            (true, false, true) => Continuation::OverLimit,
            _ => Continuation::NoHit,
        };
        within
    }

    /// Counts the lines or records of a batch that have a hit. Use it only if these are the selected ones. Returns the
    /// items within the limit, including one that an earlier batch selected.
    pub(super) fn add_matching<'f>(&mut self, batch: &Batch, findings: &'f Findings) -> &'f [MatchedItem] {
        let before = self.open;
        let new = usize::try_from(self.add(batch, findings)).unwrap_or(usize::MAX);
        let known =
            usize::from(before != Continuation::NoHit && findings.items.first().is_some_and(|item| item.continues));
        let skipped = if before == Continuation::Selected { 0 } else { known };
        &findings.items[skipped..known + new]
    }

    /// Counts `new` selected lines or records. Returns the number of these that are within the limit.
    pub(super) fn count(&mut self, new: u64) -> u64 {
        let room = self.limits.max.map_or(u64::MAX, |max| max.saturating_sub(self.selected));
        let new = new.min(room);
        self.selected += new;
        self.any |= new > 0;
        new
    }

    /// Returns the number of lines or records selected in this input.
    pub(super) fn selected(&self) -> u64 {
        self.selected
    }

    /// Returns whether the limit of this input is reached.
    pub(super) fn is_full(&self) -> bool {
        self.limits.max.is_some_and(|max| self.selected >= max)
    }

    /// Returns whether the limit of this input is reached and the last selected line or record has ended.
    pub(super) fn is_complete(&self) -> bool {
        self.is_full() && self.open != Continuation::Selected
    }

    /// Returns the offset in the input just past the line that reached the limit. Returns `None` before that, and if
    /// the line continues in the next batch.
    pub(super) fn selected_to(&self) -> Option<u64> {
        self.selected_to
    }

    /// Returns whether a line or record of any input was selected.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the state of the line or record that the last batch left open.
    pub(super) fn open(&self) -> Continuation {
        self.open
    }
}

/// Returns whether a line or record ends in a batch.
pub(super) fn has_end(batch: &Batch) -> bool {
    if let Some(records) = &batch.records {
        return !records.open || batch.record_start_after(0).is_some();
    }
    match batch.layout() {
        Layout::Lines(lines) => {
            let bytes = &batch.shown()[batch.owned()];
            memchr(lines.terminator, bytes).is_some() || !(is_open(batch, lines) || bytes.is_empty())
        }
        Layout::Records(segments) => segments.iter().any(|segment| segment.closes),
    }
}

fn census(batch: &Batch) -> BatchBoundaries {
    match batch.layout() {
        Layout::Lines(lines) => BatchBoundaries { continues: batch.continues_item(), open: is_open(batch, lines) },
        Layout::Records(segments) => BatchBoundaries {
            continues: segments.first().is_some_and(|segment| segment.continues),
            open: segments.last().is_some_and(|segment| !segment.closes),
        },
    }
}

/// Returns the number of lines or records that end in a batch.
fn closed(batch: &Batch) -> u64 {
    if let Some(records) = &batch.records {
        return (batch.count_records(0..batch.shown().len()) - usize::from(records.open)) as u64;
    }
    match batch.layout() {
        Layout::Lines(lines) => {
            let bytes = &batch.shown()[batch.owned()];
            let last_ends = !is_open(batch, lines) && bytes.last().is_some_and(|&last| last != lines.terminator);
            memchr_iter(lines.terminator, bytes).count() as u64 + u64::from(last_ends)
        }
        Layout::Records(segments) => segments.iter().filter(|segment| segment.closes).count() as u64,
    }
}
