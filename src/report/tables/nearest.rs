//! `--best=record`: passes on the rows with the least distance in each record or line.
//!
//! Workers precede each row with a tag (`tagged.rs`), which holds the distance. A record within one batch is decided at
//! once. If a record continues in the next batch, its rows with the least distance so far wait in a spool, so memory
//! stays bounded.

use std::io::{self, Write};

use super::open_record::write_with_length;
use super::tagged::{Tagged, TaggedRow};
use crate::report::spool::Spool;
use crate::report::tally::has_end;
use crate::report::{Findings, MatchedItem};
use nigh_core::batch::Batch;

/// Receives rows, one at a time.
pub(super) type NextStage<'a> = dyn FnMut(TaggedRow<'_>) -> io::Result<()> + 'a;

/// Passes on the rows with the least distance in each record or line.
pub(crate) struct NearestRowFilter {
    /// The rows with the least distance so far in the record that continues, with tags.
    waiting: Spool,
    /// The distance of the waiting rows; `u64::MAX` if there are none.
    min_distance: u64,
}

impl NearestRowFilter {
    pub(crate) fn new() -> Self {
        NearestRowFilter { waiting: Spool::new(), min_distance: u64::MAX }
    }

    /// Passes the nearest rows of the lines or records in `items` to `next`, and keeps the nearest rows of a line or
    /// record that continues.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        findings: &Findings,
        mut items: &[MatchedItem],
        next: &mut NextStage<'_>,
    ) -> io::Result<()> {
        let rows = |item: &MatchedItem| &findings.rows[item.rows.clone()];
        if let Some((first, others)) = items.split_first().filter(|(first, _)| first.continues) {
            self.keep(rows(first))?;
            items = others;
        }
        if has_end(batch) {
            self.end_record(findings.ended(batch), next)?;
        }
        for item in items {
            if item.open {
                self.keep(rows(item))?;
            } else {
                nearest(rows(item)).try_for_each(&mut *next)?;
            }
        }
        Ok(())
    }

    /// Passes on the waiting rows of a record that has ended. `length` is the record's length in residues, if rows show
    /// it.
    pub(crate) fn end_record(&mut self, length: Option<u64>, next: &mut NextStage<'_>) -> io::Result<()> {
        self.min_distance = u64::MAX;
        self.waiting.drain_items(
            |rows| Tagged(rows).complete(),
            |rows| {
                Tagged(rows).try_for_each(|tagged| {
                    let Some(length) = length else { return next(tagged) };
                    let mut row = Vec::new();
                    write_with_length(tagged.row, length, &mut row)?;
                    next(TaggedRow { row: &row, ..tagged })
                })
            },
        )
    }

    /// Keeps `rows` of the open record if none of the waiting rows is nearer. Drops waiting rows that are farther.
    fn keep(&mut self, rows: &[u8]) -> io::Result<()> {
        let Some(min_distance) = min_distance_of(rows).filter(|&min_distance| min_distance <= self.min_distance) else {
            return Ok(());
        };
        if min_distance < self.min_distance {
            self.min_distance = min_distance;
            self.waiting.clear()?;
        }
        let mut rest = Tagged(rows);
        loop {
            let tagged = rest.0;
            match rest.next() {
                Some(row) if row.distance == min_distance => {
                    self.waiting.write_all(&tagged[..tagged.len() - rest.0.len()])?;
                }
                Some(_) => {}
                None => return Ok(()),
            }
        }
    }
}

/// Returns the least distance of tagged rows; `None` if there are no rows.
fn min_distance_of(rows: &[u8]) -> Option<u64> {
    Tagged(rows).map(|tagged| tagged.distance).min()
}

/// Iterates over the rows with the least distance among tagged rows.
fn nearest(rows: &[u8]) -> impl Iterator<Item = TaggedRow<'_>> {
    let min_distance = min_distance_of(rows);
    Tagged(rows).filter(move |tagged| Some(tagged.distance) == min_distance)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::report::tables::tagged::TaggedRows;
    use crate::report::test_support::{cigar, found, hit, records};
    use crate::report::{EndRows, HitRow};

    #[test]
    fn a_nearer_row_in_a_later_batch_replaces_those_that_wait() {
        let batches = records(&format!(">a\n{}\n", "ACGT".repeat(10)), 10);
        let (exact, near) = (cigar("6="), cigar("5=1X"));
        let rows = TaggedRows(Arc::new(EndRows));
        let (mut nearest, mut out) = (NearestRowFilter::new(), Vec::new());
        let last = batches.len() - 1;
        for (index, batch) in batches.iter().enumerate() {
            let cigar = if index == 0 { &near } else { &exact };
            let hits = [(0, HitRow { end: 100 + index as u64, ..hit(cigar) })];
            let findings = found(batch, &rows, if index < 3 { &hits } else { &[] });
            let mut print = |row: TaggedRow<'_>| out.write_all(row.row);
            nearest.add(batch, &findings, &findings.items, &mut print).unwrap();
            assert!(index == last || out.is_empty(), "rows wait for the end of the record");
        }
        assert_eq!(String::from_utf8(out).unwrap(), "in.fa\t101\t0\tsite 1\nin.fa\t102\t0\tsite 1\n");
    }
}
