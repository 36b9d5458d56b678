//! Reads a part of a file whose lines form records. Like a cut between lines, a cut between records depends only on the
//! bytes near it: a part begins with the first record that starts in it, or with its first line if records are cut.

use std::sync::Arc;

use memchr::{memchr, memrchr};

use super::excerpt::Excerpt;
use super::lines::line_part;
use super::part::Part;
use crate::cut::returns::hide_returns;
use crate::error::InputError;
use crate::format::{LongLines, RecordRule};
use crate::source::encoding::mark_of;
use nigh_text::batch::{Batch, Layout, LineRecords, Lines, TextBuffer};

/// Fewest bytes that are read at a time in the search for the end of a record.
const STEP: usize = 16 << 10;

/// Reads the records of a part into a batch, which takes the buffer; `None` if the part has none.
pub(super) fn record_part(
    part: &Part<'_>,
    rule: &RecordRule,
    long: LongLines,
    buffer: &mut TextBuffer,
) -> Result<Option<Batch<'static>>, InputError> {
    let mut batch = match long {
        LongLines::Cut => cut_records(part, rule, buffer)?,
        LongLines::Whole | LongLines::WholeText => whole_records(part, rule, buffer)?,
    };
    if rule.hides_returns {
        batch.iter_mut().for_each(hide_returns);
    }
    Ok(batch)
}

/// Reads the lines of a part. The first record may start in an earlier part, and the last one may end in a later part.
fn cut_records(
    part: &Part<'_>,
    rule: &RecordRule,
    buffer: &mut TextBuffer,
) -> Result<Option<Batch<'static>>, InputError> {
    let Some(mut batch) = line_part(part, rule.terminator, LongLines::Whole, buffer)? else { return Ok(None) };
    let bytes = batch.bytes();
    let first = memchr(rule.terminator, bytes).map_or(bytes, |line_end| &bytes[..=line_end]);
    let continues = !part.starts_text(batch.position(0)) && !rule.is_start(first);
    let open = line_at(part, batch.position(bytes.len()), rule.terminator)?.is_some_and(|line| !rule.is_start(&line));
    let mut records = LineRecords::new(Arc::clone(&rule.starts), bytes.len());
    (records.continues, records.open) = (continues, open);
    batch.records = Some(Box::new(records));
    Ok(Some(batch))
}

/// Returns the line that starts at an offset in the file, with its line end; `None` at the end of the file.
fn line_at(part: &Part<'_>, offset: u64, terminator: u8) -> Result<Option<Vec<u8>>, InputError> {
    let mut buffer = TextBuffer::default();
    let mut excerpt = part.excerpt_from(offset, &mut buffer, 0);
    let end = excerpt.find(0, usize::MAX, |bytes| memchr(terminator, bytes))?;
    let line = &excerpt.bytes()[..end.map_or(excerpt.bytes().len(), |end| end + 1)];
    Ok((!line.is_empty()).then(|| line.to_vec()))
}

/// Reads the records that start in a part.
fn whole_records(
    part: &Part<'_>,
    rule: &RecordRule,
    buffer: &mut TextBuffer,
) -> Result<Option<Batch<'static>>, InputError> {
    let Some(start) = part.start(rule.terminator, LongLines::Whole)? else { return Ok(None) };
    let room = part.room_before(start.offset, 0, buffer);
    let mut excerpt = part.excerpt_from(start.offset, buffer, room);
    let end = part.end(&mut excerpt, room, rule.terminator, LongLines::Whole)?;
    let lines = &excerpt.bytes()[room..end];
    let first = if part.starts_text(start.offset) { Some(0) } else { rule.first_start(lines) };
    let Some(first) = first.filter(|_| end > room).map(|first| room + first) else { return Ok(None) };
    let end = end_of_record(rule, &mut excerpt, first..end)?;
    let offset = excerpt.offset_of(first);
    let mark = if part.starts_text(offset) { mark_of(offset) } else { b"" };
    let lines = Lines { terminator: rule.terminator, opens: true, closes: true, offset, mark };
    let mut batch = Batch::new(std::mem::take(buffer), first..end, 0..end - first, Layout::Lines(lines));
    batch.records = Some(Box::new(LineRecords::new(Arc::clone(&rule.starts), end - first)));
    Ok(Some(batch))
}

/// Returns the end of the last record that starts in a range of whole lines.
fn end_of_record(
    rule: &RecordRule,
    excerpt: &mut Excerpt<'_>,
    range: std::ops::Range<usize>,
) -> Result<usize, InputError> {
    let mut searched = range.end;
    loop {
        let bytes = &excerpt.bytes()[searched..];
        let whole = match excerpt.has_ended() {
            true => bytes.len(),
            false => memrchr(rule.terminator, bytes).map_or(0, |line_end| line_end + 1),
        };
        if let Some(start) = rule.first_start(&bytes[..whole]) {
            return Ok(searched + start);
        }
        searched += whole;
        if excerpt.has_ended() {
            return Ok(searched);
        }
        if searched - range.end > rule.max_bytes {
            let last = rule.last_start(&excerpt.bytes()[range.clone()]).unwrap_or(0);
            rule.check_length(searched - range.start - last, excerpt.offset_of(range.start + last))?;
        }
        let length = excerpt.bytes().len();
        excerpt.read_to(length + STEP.max(length / 8))?;
    }
}
