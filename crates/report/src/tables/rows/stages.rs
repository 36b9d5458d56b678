//! The stages that rows pass through after the choice within a record: a limit, then an order.

use std::io::{self, Write};

use super::by_start::StartSorter;
use super::line_cells::LineCells;
use crate::max_hits::TotalAllowance;
use crate::{Admission, FileHit, Findings, MatchedItem};
use nigh_text::batch::Batch;

/// The lines or records of a batch whose rows are printed.
#[derive(Clone, Copy)]
pub(super) struct PrintedItems<'b> {
    pub(super) batch: &'b Batch<'b>,
    pub(super) findings: &'b Findings,
    pub(super) items: &'b [MatchedItem],
}

/// A limit, then an order. Rows without values skip both.
#[derive(Default)]
pub(super) struct LastStages {
    /// Chooses the first rows of each pattern; `None` if all rows are printed.
    pub(super) first: Option<TotalAllowance>,
    /// Orders the rows of each record; `None` to print them in the order of the ends of the matches.
    pub(super) order: Option<StartSorter>,
    /// Fills in cells that show the line of a match; `None` if rows have no such cells.
    pub(super) line_cells: Option<LineCells>,
}

impl LastStages {
    /// Returns whether a stage reads the values of hits.
    pub(super) fn need_values(&self) -> bool {
        self.first.is_some() || self.order.is_some()
    }

    /// Takes the rows of a line or record of the batch.
    pub(super) fn take_item(
        &mut self,
        PrintedItems { batch, findings, .. }: PrintedItems<'_>,
        item: &MatchedItem,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match &mut self.line_cells {
            Some(cells) => {
                let mut filled = cells.writer(batch, item, out);
                self.take_rows(findings, item, &mut filled)
            }
            None => self.take_rows(findings, item, out),
        }
    }

    fn take_rows(&mut self, findings: &Findings, item: &MatchedItem, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&findings.rows[item.rows.clone()])?;
        self.take_all(findings.found.range(item.found.clone()), out)
    }

    /// Notes the end of a batch, whose rows were taken, or that another shard searches.
    pub(super) fn pass(&mut self, batch: &Batch) {
        if let Some(cells) = &mut self.line_cells {
            cells.end_batch(batch);
        }
    }

    /// Takes hits with their rows.
    pub(super) fn take_all<'a>(
        &mut self,
        mut hits: impl Iterator<Item = FileHit<'a>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        hits.try_for_each(|hit| self.take(&hit, out))
    }

    /// Takes a hit with its row. Drops it if it is over the limit of its pattern; otherwise prints the rows that no
    /// later row can precede.
    fn take(&mut self, hit: &FileHit<'_>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(first) = &mut self.first
            && first.admit(hit.pattern) != Admission::Reported
        {
            return Ok(());
        }
        match &mut self.order {
            Some(order) => order.take(hit, out),
            None => out.write_all(hit.text),
        }
    }

    /// Drops the rows that wait for others of their record.
    pub(super) fn clear(&mut self) {
        self.order.iter_mut().for_each(StartSorter::clear);
    }

    /// Prints the rows that wait for others of their record.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.order.as_mut().map_or(Ok(()), |order| order.finish(out))
    }
}
