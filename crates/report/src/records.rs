//! Prints whole records, byte for byte.
//!
//! A record that is longer than a batch waits in a spool until it is selected or dropped, so memory stays bounded.

use std::io::{self, Write};
use std::ops::Range;

use super::spool::Spool;
use super::tally::{Continuation, Tally};
use super::{Findings, Flow, InputFault, ItemHits, Keep, KnownSize, Limits, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// Prints selected records.
pub struct RecordReport {
    tally: Tally,
    state: RecordState,
    /// The parts of the current record that were read while it was undecided.
    waiting: Spool,
    /// The last byte printed.
    last: u8,
}

/// The state of the current record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordState {
    /// The record is neither selected nor dropped yet.
    Undecided,
    /// The record is printed.
    Selected,
    /// The record is not printed.
    Dropped,
}

/// The selected records of a batch that no earlier batch had selected.
struct NewlySelectedRecords {
    /// Index range of the selected records with a hit, in [`Findings::items`].
    items: Range<usize>,
    /// Number of records without a hit that are still to be selected in this batch.
    room: u64,
}

impl RecordReport {
    /// Makes a report that selects records within `limits`.
    pub fn new(limits: Limits) -> Self {
        RecordReport { tally: Tally::new(limits), state: RecordState::Undecided, waiting: Spool::new(), last: b'\n' }
    }

    /// Counts the selected records of a batch.
    fn count(&mut self, batch: &Batch, findings: &Findings) -> NewlySelectedRecords {
        let had_hit = self.tally.open() != Continuation::NoHit;
        let known = usize::from(had_hit && findings.items.first().is_some_and(|item| item.continues));
        let selected = self.tally.add(batch, findings);
        match self.tally.limits().keep {
            Keep::Matching => NewlySelectedRecords { items: known..known + selected as usize, room: 0 },
            Keep::NonMatching => NewlySelectedRecords { items: 0..0, room: selected },
        }
    }

    /// Prints, keeps or drops the next part of the current record. `closes` says whether the record ends with this
    /// part.
    fn part(&mut self, bytes: &[u8], closes: bool, out: &mut dyn Write) -> io::Result<()> {
        match self.state {
            RecordState::Undecided if !closes => self.waiting.write_all(bytes)?,
            RecordState::Undecided | RecordState::Dropped => self.waiting.clear()?,
            RecordState::Selected => {
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

    /// Ends the current record. Adds a missing line break, so that the next record starts on a new line.
    fn end_record(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.state = RecordState::Undecided;
        if self.last != b'\n' {
            self.last = b'\n';
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Report for RecordReport {
    fn needs(&self) -> ReportNeeds {
        let items = ReportNeeds::items(self.tally.limits().max_items_in_batch());
        ReportNeeds { all_bytes: true, item_hits: ItemHits::Any, ..items }
    }

    fn begin(&mut self, _: &[u8], _: &KnownSize<'_>) {
        self.tally.begin();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let mut fresh = self.count(batch, findings);
        let keep = self.tally.limits().keep;
        let mut items = findings.items.iter().enumerate().peekable();
        for (index, segment) in batch.segments().iter().enumerate() {
            let hit = items.next_if(|(_, item)| item.bytes == segment.bytes).map(|(item, _)| item);
            self.state = match (self.state, hit, keep) {
                (RecordState::Undecided, Some(item), Keep::Matching) if fresh.items.contains(&item) => {
                    RecordState::Selected
                }
                (RecordState::Undecided, Some(_), _) => RecordState::Dropped,
                (RecordState::Undecided, None, Keep::NonMatching) if segment.closes && fresh.room > 0 => {
                    fresh.room -= 1;
                    RecordState::Selected
                }
                (known, _, _) => known,
            };
            self.part(&batch.shown()[record_bytes(batch, index)], segment.closes, out)?;
        }
        let continues = self.state == RecordState::Selected;
        Ok(if self.tally.is_full() && !continues { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        // A record is still open only after a read error.
        self.waiting.clear()?;
        self.end_record(out)?;
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

/// Returns the byte range in the batch of the record of segment `index`, from its header to the next header. If the
/// record was cut, this is the part that the batch owns.
fn record_bytes(batch: &Batch, index: usize) -> Range<usize> {
    let owned = batch.owned();
    let segments = batch.segments();
    let start = |index: usize| {
        if segments[index].continues { owned.start } else { segments[index].record.start }
    };
    let end = if index + 1 < segments.len() { start(index + 1) } else { owned.end };
    start(index)..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EndRows;
    use crate::test_support::{MATCHING, NON_MATCHING, cigar, found, hit, print_input, records};

    /// Prints three records in batches of `bytes` bytes. The first two have a hit. The last lacks its line end.
    fn printed(limits: Limits, bytes: usize) -> String {
        let cigar = cigar("6=");
        let long = "ACGT".repeat(6);
        let mut with_hit = 0;
        let batches: Vec<_> = records(&format!(">a x\nACGT\nAC\n>b\n{long}\n>c\n{long}"), bytes)
            .into_iter()
            .map(|batch| {
                let hit_in = |segment: &nigh_text::batch::Segment| b"ab".contains(&segment.name.of(batch.bytes())[0]);
                let segments = batch.segments().iter().enumerate().filter(|(_, segment)| hit_in(segment));
                let hits: Vec<_> = segments.map(|(index, _)| (index, hit(&cigar))).collect();
                with_hit += hits.len();
                (found(&batch, &EndRows, &hits), batch)
            })
            .map(|(findings, batch)| (batch, findings))
            .collect();
        assert!(with_hit >= 2);
        print_input(&mut RecordReport::new(limits), "in", &batches)
    }

    #[test]
    fn records_are_printed_byte_for_byte_wherever_they_are_cut() {
        let long = "ACGT".repeat(6);
        for bytes in [8, 20, 1000] {
            assert_eq!(printed(MATCHING, bytes), format!(">a x\nACGT\nAC\n>b\n{long}\n"), "{bytes}");
            assert_eq!(printed(NON_MATCHING, bytes), format!(">c\n{long}\n"), "with a line end: {bytes}");
        }
    }

    #[test]
    fn a_limit_is_in_records() {
        for bytes in [8, 1000] {
            assert_eq!(printed(Limits { max: Some(1), ..MATCHING }, bytes), ">a x\nACGT\nAC\n", "{bytes}");
        }
    }
}
