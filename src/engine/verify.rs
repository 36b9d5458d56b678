//! Settles hits whose start is bound by the edges of the pattern.
//!
//! Such a hit was found as if it could start anywhere, which loses none. Here it gets the least distance of the
//! matches that start where they may, or is dropped.

use super::constraints::settle_ruled;
use crate::alphabet::{Alphabet, count_residues};
use crate::hit::Hit;
use crate::input::{Batch, Layout};
use crate::pattern::Pattern;
use crate::text::{LONGEST_SYMBOL, Placed, next_symbol, previous_symbol};

/// The hit with its least distance over the starts that the pattern's edges allow, and that start;
/// nothing if the distance is more than k, or the end is not allowed.
///
/// Of several starts with that distance it is the one whose match is nearest in length to the pattern; of two such,
/// the later.
pub fn settle(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    let window = Window::before(alphabet, batch, pattern, hit.end);
    if !window.end_holds(alphabet, batch, pattern) {
        return None;
    }
    if let Some(rules) = pattern.rules() {
        return settle_ruled(&window, (pattern, rules), hit);
    }
    let length = pattern.symbols().len();
    let distances = distances_by_start(pattern, &window.symbols);
    let allowed = distances
        .iter()
        .enumerate()
        .skip(1)
        .filter(|&(covered, &distance)| distance <= pattern.k() && window.allows(pattern, covered));
    let best = allowed.min_by_key(|&(covered, &distance)| (distance, preference(covered, length)));
    best.map(|(covered, &distance)| Hit { distance, start: Some(window.symbols[covered - 1].start), ..hit })
}

/// Of two matches of a pattern of `length` symbols with one distance, that is shown for which this is less: the one nearer in
/// length to the pattern, of two such the later.
pub(super) fn preference(covered: usize, length: usize) -> usize {
    2 * covered.abs_diff(length) + usize::from(covered > length)
}

/// The hit as it is within its line or record, when it was found in text that runs on over their ends.
pub(super) fn settle_found(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    match pattern.is_free() {
        true if !may_cross(batch, hit.end, pattern.reach()) => Some(hit),
        true => {
            let settled = settle(alphabet, batch, pattern, hit)?;
            Some(Hit { start: None, ..settled })
        }
        false => settle(alphabet, batch, pattern, hit),
    }
}

/// Whether a match of so many symbols that ends here may reach over the start of its line or record.
fn may_cross(batch: &Batch, end: usize, reach: usize) -> bool {
    let bytes = batch.bytes();
    let (window, starts) = match batch.layout() {
        Layout::Lines(lines) => {
            let near = &bytes[end.saturating_sub(reach)..end];
            let far = if near.is_ascii() { near } else { &bytes[end.saturating_sub(reach * LONGEST_SYMBOL)..end] };
            (far, memchr::memrchr(lines.terminator, far).is_some())
        }
        Layout::Records(segments) => {
            let start = segments[batch.segment_before(end)].bytes.start;
            let window = &bytes[start.max(end.saturating_sub(LONGEST_SYMBOL * reach))..end];
            (window, count_residues(window) < reach)
        }
    };
    starts && !window.is_empty()
}

/// The symbols a match can cover, last first, and one more if there is one.
pub(super) struct Window {
    pub(super) symbols: Vec<Placed>,
    end: usize,
}

impl Window {
    pub(super) fn before(alphabet: Alphabet, batch: &Batch, pattern: &Pattern, end: usize) -> Self {
        let around = batch.surroundings(end, pattern.reach() + 1);
        let bytes = &batch.bytes()[..end];
        let mut at = end;
        let backward = std::iter::from_fn(|| {
            let placed = previous_symbol(alphabet, bytes, at).filter(|placed| placed.start >= around.bytes.start)?;
            at = placed.start;
            Some(placed)
        });
        let symbols = backward.take(pattern.reach() + 1).collect();
        Window { symbols, end }
    }

    /// Whether a match of so many symbols may start where it does.
    pub(super) fn allows(&self, pattern: &Pattern, covered: usize) -> bool {
        let first = &self.symbols[covered - 1];
        let outside = self.symbols.get(covered).map(|placed| placed.symbol);
        pattern.start().holds(outside, Some(first.symbol))
    }

    /// Whether a match may end where it does.
    pub(super) fn end_holds(&self, alphabet: Alphabet, batch: &Batch, pattern: &Pattern) -> bool {
        let around = batch.surroundings(self.end, 1);
        let behind = next_symbol(alphabet, &batch.bytes()[..around.bytes.end], self.end);
        let last = self.symbols.first().map(|placed| placed.symbol);
        pattern.end().holds(behind.map(|placed| placed.symbol), last)
    }
}

/// The distance of the pattern from the last `b` symbols of the text, for each `b`; more than k where it is so.
///
/// Sellers' recurrence from the end, in the band of k diagonals on either side.
fn distances_by_start(pattern: &Pattern, backward: &[Placed]) -> Vec<usize> {
    let k = pattern.k();
    let far = k + 1;
    let columns = backward.len().min(pattern.reach());
    if columns + k < pattern.symbols().len() {
        return vec![far; columns + 1];
    }
    let mut row: Vec<usize> = (0..=columns).map(|covered| covered.min(far)).collect();
    for (above, set) in pattern.symbols().iter().rev().enumerate() {
        let band = (above + 1).saturating_sub(k)..=columns.min(above + 1 + k);
        let mut diagonal = match *band.start() {
            0 => far,
            first => row[first - 1],
        };
        if *band.start() > 0 {
            row[*band.start() - 1] = far;
        }
        for covered in band {
            let beside = if covered == 0 { far } else { row[covered - 1] };
            let step = match covered {
                0 => far,
                _ => diagonal + usize::from(!set.contains(backward[covered - 1].symbol)),
            };
            diagonal = row[covered];
            row[covered] = step.min(diagonal + 1).min(beside + 1).min(far);
        }
    }
    row
}
