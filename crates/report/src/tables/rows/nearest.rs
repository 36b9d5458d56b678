//! `--best=record`: passes on the rows with the least distance in each record or line.
//!
//! Workers make only the rows with the least distance of a record in their batch. If a record continues in the next
//! batch, its rows with the least distance so far wait in a spool, so memory stays bounded.

use std::io::{self, Write};

use memchr::memrchr;

use super::open_record::write_with_length;
use super::stages::{LastStages, PrintedItems};
use crate::MatchedItem;
use crate::spool::Spool;
use crate::tally::has_end;

/// Prints the rows with the least distance in each record or line, after the last stages.
pub(super) struct NearestRowFilter {
    /// The rows with the least distance so far in the record that continues.
    waiting: Spool,
    /// The distance of the waiting rows; `usize::MAX` if there are none.
    min_distance: usize,
}

impl NearestRowFilter {
    pub(super) fn new() -> Self {
        NearestRowFilter { waiting: Spool::new(), min_distance: usize::MAX }
    }

    /// Prints the nearest rows of lines or records, and keeps the nearest rows of a line or record that continues.
    pub(super) fn add(
        &mut self,
        printed: PrintedItems<'_>,
        last: &mut LastStages,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let PrintedItems { batch, findings, mut items } = printed;
        if let Some((first, others)) = items.split_first().filter(|(first, _)| first.continues) {
            self.keep(printed, first, last)?;
            items = others;
        }
        if has_end(batch) {
            self.end_record(findings.ended(batch), last, out)?;
        }
        for item in items {
            if item.open {
                self.keep(printed, item, last)?;
            } else {
                last.take_item(printed, item, out)?;
                last.finish(out)?;
            }
        }
        Ok(())
    }

    /// Prints the waiting rows of a record that has ended. `length` is the record's length in residues, if rows show it.
    pub(super) fn end_record(
        &mut self,
        length: Option<u64>,
        last: &mut LastStages,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.min_distance = usize::MAX;
        last.finish(&mut self.waiting)?;
        self.waiting.drain_items(
            |rows| memrchr(b'\n', rows).map_or(0, |end| end + 1),
            |rows| match length {
                Some(length) => write_with_length(rows, length, out),
                None => out.write_all(rows),
            },
        )
    }

    /// Keeps the rows of a part of the open record if none of the waiting rows is nearer. Drops waiting rows that are
    /// farther.
    fn keep(&mut self, printed: PrintedItems<'_>, item: &MatchedItem, last: &mut LastStages) -> io::Result<()> {
        if item.min_distance < self.min_distance {
            self.min_distance = item.min_distance;
            last.clear();
            self.waiting.clear()?;
        }
        if item.min_distance == self.min_distance { last.take_item(printed, item, &mut self.waiting) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, found, hit, records};
    use crate::{EndRows, HitRow};

    #[test]
    fn a_nearer_row_in_a_later_batch_replaces_those_that_wait() {
        let batches = records(&format!(">a\n{}\n", "ACGT".repeat(10)), 10);
        let (exact, near) = (cigar("6="), cigar("5=1X"));
        let (mut nearest, mut out) = (NearestRowFilter::new(), Vec::new());
        let last = batches.len() - 1;
        for (index, batch) in batches.iter().enumerate() {
            let cigar = if index == 0 { &near } else { &exact };
            let hits = [(0, HitRow { end: 100 + index as u64, ..hit(cigar) })];
            let findings = found(batch, &EndRows, if index < 3 { &hits } else { &[] });
            let printed = PrintedItems { batch, findings: &findings, items: &findings.items };
            nearest.add(printed, &mut LastStages::default(), &mut out).unwrap();
            assert!(index == last || out.is_empty(), "rows wait for the end of the record");
        }
        assert_eq!(String::from_utf8(out).unwrap(), "in.fa\t101\t0\tsite 1\nin.fa\t102\t0\tsite 1\n");
    }
}
