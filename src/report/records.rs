//! Whole records, byte for byte as they stand in the input.
//!
//! A record that is longer than a batch waits in a spool until it is known whether it is selected.

use std::io::{self, Write};
use std::ops::Range;

use super::spool::Spool;
use super::tally::{Continuation, Tally};
use super::{Findings, Flow, Keep, Limits, Report, ReportNeeds};
use crate::input::Batch;

/// Prints the records that are selected.
pub struct RecordReport {
    tally: Tally,
    verdict: Verdict,
    waiting: Spool,
    /// The last byte printed.
    last: u8,
}

/// What is known of the record at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nothing yet.
    Continuation,
    /// It is printed.
    Selected,
    /// It is not.
    Dropped,
}

/// Which of the records with a hit in a batch are selected with it.
struct Fresh {
    items: Range<usize>,
    /// How many records without a hit may be selected.
    room: u64,
}

impl RecordReport {
    /// Prints whole records within the limits.
    pub fn new(limits: Limits) -> Self {
        RecordReport { tally: Tally::new(limits), verdict: Verdict::Continuation, waiting: Spool::new(), last: b'\n' }
    }

    fn count(&mut self, batch: &Batch, findings: &Findings) -> Fresh {
        let had_hit = self.tally.open() != Continuation::NoHit;
        let known = usize::from(had_hit && findings.items.first().is_some_and(|item| item.continues));
        let selected = self.tally.add(batch, findings);
        match self.tally.limits().keep {
            Keep::Matching => Fresh { items: known..known + selected as usize, room: 0 },
            Keep::Others => Fresh { items: 0..0, room: selected },
        }
    }

    /// Takes the next part of the record at hand, and its end.
    fn part(&mut self, bytes: &[u8], closes: bool, out: &mut dyn Write) -> io::Result<()> {
        match self.verdict {
            Verdict::Continuation if !closes => self.waiting.write_all(bytes)?,
            Verdict::Continuation | Verdict::Dropped => self.waiting.clear()?,
            Verdict::Selected => {
                self.waiting.drain(|earlier| out.write_all(earlier))?;
                out.write_all(bytes)?;
                self.last = bytes.last().copied().unwrap_or(self.last);
            }
        }
        if closes {
            self.end_record(out)?;
        }
        Ok(())
    }

    /// The last line of an input may lack its line break: the next record starts on a line of its own all the same.
    fn end_record(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.verdict = Verdict::Continuation;
        if self.last != b'\n' {
            self.last = b'\n';
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Report for RecordReport {
    fn detail(&self) -> ReportNeeds {
        ReportNeeds { all_bytes: true, ..ReportNeeds::items(self.tally.limits().max_items_in_batch()) }
    }

    fn begin(&mut self, _: &[u8]) {
        self.tally.begin();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let mut fresh = self.count(batch, findings);
        let keep = self.tally.limits().keep;
        let mut items = findings.items.iter().enumerate().peekable();
        for (index, segment) in batch.segments().iter().enumerate() {
            let hit = items.next_if(|(_, item)| item.bytes == segment.bytes).map(|(item, _)| item);
            self.verdict = match (self.verdict, hit, keep) {
                (Verdict::Continuation, Some(item), Keep::Matching) if fresh.items.contains(&item) => Verdict::Selected,
                (Verdict::Continuation, Some(_), _) => Verdict::Dropped,
                (Verdict::Continuation, None, Keep::Others) if segment.closes && fresh.room > 0 => {
                    fresh.room -= 1;
                    Verdict::Selected
                }
                (known, _, _) => known,
            };
            self.part(&batch.bytes()[record_bytes(batch, index)], segment.closes, out)?;
        }
        let goes_on = self.verdict == Verdict::Selected;
        Ok(if self.tally.is_full() && !goes_on { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        // Only where the input could not be read to its end is a record still open.
        self.waiting.clear()?;
        self.end_record(out)
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

/// The bytes of a record, or of the part of it in a batch, from its header to the next.
fn record_bytes(batch: &Batch, index: usize) -> Range<usize> {
    let owned = batch.owned();
    let segments = batch.segments();
    let start = |index: usize| match segments[index].continues {
        true => owned.start,
        // The mark of a header stands before the name.
        false => segments[index].name.start - 1,
    };
    let end = if index + 1 < segments.len() { start(index + 1) } else { owned.end };
    start(index)..end
}
