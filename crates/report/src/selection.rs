//! Finds the selected lines of a batch, or its selected records if lines form records.

use memchr::memchr;

use super::Findings;
use nigh_text::batch::{Batch, Lines};

/// Choice of the selected lines or records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Lines or records with a hit.
    Matching,
    /// Lines or records without a hit.
    NonMatching,
}

/// The rule that selects lines of a batch.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    pub(super) keep: Keep,
    /// Whether the first line of the batch continues from an earlier batch and has a hit there.
    pub(super) first_has_hit: bool,
}

/// Iterates over the offsets in the batch at which its selected lines start, in order.
pub(super) fn selected_lines<'a>(
    selection: Selection,
    batch: &'a Batch<'a>,
    findings: &'a Findings,
) -> Box<dyn Iterator<Item = usize> + 'a> {
    let mut found = findings.items.iter().map(|item| item.bytes.clone());
    if selection.keep == Keep::Matching {
        return Box::new(found.map(|line| line.start));
    }
    let Some(lines) = batch.lines() else { return Box::new(std::iter::empty()) };
    let shown = batch.shown();
    let (mut next, mut hit) = (0, found.next());
    // An open last line may still have a hit in the next batch.
    let last_is_open = is_open(batch, lines);
    Box::new(std::iter::from_fn(move || {
        while next < shown.len() {
            let start = next;
            // A line with a hit extends at least to `inside`, so the search for its end starts there.
            let inside = hit.as_ref().filter(|line| line.start == start).map(|line| line.end);
            next = next_start(batch, lines, inside.unwrap_or(start));
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

/// Returns the offset in the searched bytes just past a selected line of the batch. `index` is the index of the line among the
/// selected lines of the batch.
pub(super) fn offset_after(index: usize, selection: Selection, batch: &Batch, findings: &Findings) -> Option<u64> {
    let (lines, shown) = (batch.lines()?, batch.shown());
    let start = selected_lines(selection, batch, findings).nth(index)?;
    let end = shown.len().min(next_start(batch, lines, start));
    Some(lines.offset + end as u64)
}

/// Returns the offset in the searched bytes just past the line that continues from the previous batch. Returns `None` if the
/// line continues in the next batch.
pub(super) fn offset_after_first(batch: &Batch) -> Option<u64> {
    let (lines, shown) = (batch.lines()?, batch.shown());
    let end = match &batch.records {
        Some(records) => {
            let end = batch.record_around(0).end;
            Some(end).filter(|&end| end < shown.len() || !records.open)?
        }
        None => match memchr(lines.terminator, shown) {
            Some(end) => end + 1,
            None if lines.closes => shown.len(),
            None => return None,
        },
    };
    Some(lines.offset + end as u64)
}

/// Returns the start of the line after the one that contains offset `at`, or of the record after the one that does. After
/// the last one, it is at or after the end of the batch.
fn next_start(batch: &Batch, lines: &Lines, at: usize) -> usize {
    let shown = batch.shown();
    match &batch.records {
        Some(_) if at >= shown.len() => at,
        Some(_) => batch.record_around(at).end,
        None => end_of_line(shown, at, lines.terminator) + 1,
    }
}

/// Returns the offset of the end of the line that contains offset `at`.
fn end_of_line(bytes: &[u8], at: usize, terminator: u8) -> usize {
    match bytes.get(at) {
        // The usual case: `at` is the end of the line, because the search has found it already.
        Some(&byte) if byte == terminator => at,
        _ => memchr(terminator, &bytes[at..]).map_or(bytes.len(), |length| at + length),
    }
}

/// Returns whether the last line of a batch, or its last record, continues in the next one.
pub(super) fn is_open(batch: &Batch, lines: &Lines) -> bool {
    if let Some(records) = &batch.records {
        return records.open;
    }
    let owned = batch.owned();
    let last_ended = batch.shown()[owned.clone()].last().is_none_or(|&last| last == lines.terminator);
    let closes = lines.closes && owned.end == batch.bytes().len();
    !closes && !last_ended
}
