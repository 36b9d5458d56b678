//! Determines the selected lines of a batch.

use memchr::memchr;

use super::Findings;
use crate::input::{Batch, Lines};

/// Which lines or records are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Lines or records with a hit.
    Matching,
    /// Lines or records without a hit.
    NonMatching,
}

/// The rule by which the lines of a batch are selected.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    pub(super) keep: Keep,
    /// Whether the first line has a hit in an earlier batch.
    pub(super) first_has_hit: bool,
}

/// Iterates over the starts of the selected lines of a batch, in order.
pub(super) fn selected_lines<'a>(
    selection: Selection,
    batch: &'a Batch,
    findings: &'a Findings,
) -> Box<dyn Iterator<Item = usize> + 'a> {
    let mut found = findings.items.iter().map(|item| item.bytes.clone());
    if selection.keep == Keep::Matching {
        return Box::new(found.map(|line| line.start));
    }
    let Some(lines) = batch.lines() else { return Box::new(std::iter::empty()) };
    let (terminator, width) = (lines.terminator, lines.width);
    let shown = batch.shown();
    let (mut next, mut hit) = (0, found.next());
    // A hit of an open last line may still follow.
    let last_is_open = is_open(batch, lines);
    Box::new(std::iter::from_fn(move || {
        while next < shown.len() {
            let start = next;
            // The search for the end of a line with a hit can start at the end found before.
            let inside = hit.as_ref().filter(|line| line.start == start).map(|line| line.end);
            next = end_of_line(shown, inside.unwrap_or(start), terminator) + width;
            match inside {
                Some(_) => hit = found.next(),
                None if start == 0 && selection.first_has_hit => {}
                None if last_is_open && next >= shown.len() => return None,
                None => return Some(start),
            }
        }
        None
    }))
}

/// Returns the offset in the input after one of the selected lines of a batch, given its index among them.
pub(super) fn offset_after(index: usize, selection: Selection, batch: &Batch, findings: &Findings) -> Option<u64> {
    let (lines, shown) = (batch.lines()?, batch.shown());
    let start = selected_lines(selection, batch, findings).nth(index)?;
    let end = shown.len().min(end_of_line(shown, start, lines.terminator) + lines.width);
    Some(lines.offset + end as u64)
}

/// Returns the end of the line that contains `at`.
fn end_of_line(bytes: &[u8], at: usize, terminator: u8) -> usize {
    match bytes.get(at) {
        // The usual case after a hit: the line was found to end here in the searched bytes.
        Some(&byte) if byte == terminator => at,
        _ => memchr(terminator, &bytes[at..]).map_or(bytes.len(), |length| at + length),
    }
}

/// Returns whether the last line of a batch continues in the next one.
pub(super) fn is_open(batch: &Batch, lines: &Lines) -> bool {
    let owned = batch.owned();
    let last_ended = batch.shown()[owned.clone()].last().is_none_or(|&last| last == lines.terminator);
    let closes = lines.closes && owned.end == batch.bytes().len();
    !closes && !last_ended
}
