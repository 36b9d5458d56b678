//! `--histogram`: counts the selected lines by least distance, or the hits in sequences by distance.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::input::Batch;
use crate::report::tally::Tally;
use crate::report::{EarlyRows, Findings, Flow, HitRow, Limits, Prefix, Report, ReportNeeds, RowReport, Rows};

/// Prints rows `distance  count`, from distance 0 to the largest bound. With file names, one table per input, with
/// the name in each row.
pub struct HistogramReport {
    counted: Counted,
    /// Largest possible distance.
    max_distance: usize,
    counts: BTreeMap<usize, u64>,
    prefix: Prefix,
    label: Vec<u8>,
}

/// The quantity that is counted.
enum Counted {
    Lines(Tally),
    /// The rows are encoded distances.
    Hits(Box<RowReport>),
}

/// Rows that hold the distance of a hit in native byte order.
struct DistanceRows;

impl Rows for DistanceRows {
    fn wants_alignment(&self) -> bool {
        false
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&hit.distance.to_ne_bytes());
    }
}

impl HistogramReport {
    /// Counts lines. Distances are at most `max_distance`. Only the file name of `prefix` is shown.
    pub fn of_lines(limits: Limits, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport::new(Counted::Lines(Tally::new(limits)), max_distance, prefix)
    }

    /// Counts the hits in sequences that have rows in the report that `report` makes.
    pub fn of_hits(report: impl FnOnce(Arc<dyn Rows>) -> RowReport, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport::new(Counted::Hits(Box::new(report(Arc::new(DistanceRows)))), max_distance, prefix)
    }

    fn new(counted: Counted, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport { counted, max_distance, counts: BTreeMap::new(), prefix, label: Vec::new() }
    }

    fn count(&mut self, rows: &[u8]) {
        for row in rows.chunks_exact(size_of::<usize>()) {
            let distance = usize::from_ne_bytes(row.try_into().expect("a chunk has this size"));
            *self.counts.entry(distance).or_default() += 1;
        }
    }

    fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let counts = std::mem::take(&mut self.counts);
        let largest = counts.last_key_value().map_or(0, |(&distance, _)| distance);
        for distance in 0..=self.max_distance.max(largest) {
            self.prefix.file(&self.label, b"\t", out)?;
            writeln!(out, "{distance}\t{}", counts.get(&distance).unwrap_or(&0))?;
        }
        Ok(())
    }
}

impl Report for HistogramReport {
    fn detail(&self) -> ReportNeeds {
        match &self.counted {
            Counted::Lines(tally) => ReportNeeds::items(tally.limits().max_items_in_batch()),
            Counted::Hits(rows) => rows.detail(),
        }
    }

    fn begin(&mut self, label: &[u8]) {
        self.label = label.to_vec();
        match &mut self.counted {
            Counted::Lines(tally) => tally.begin(),
            Counted::Hits(rows) => rows.begin(label),
        }
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        match &mut self.counted {
            Counted::Lines(tally) => {
                let new = usize::try_from(tally.add(batch, findings)).unwrap_or(usize::MAX);
                // Lines are whole here, so none was counted with an earlier batch.
                for item in findings.items.iter().take(new) {
                    *self.counts.entry(item.cost).or_default() += 1;
                }
                Ok(if tally.is_full() { Flow::EnoughOfInput } else { Flow::More })
            }
            Counted::Hits(report) => {
                let mut rows = Vec::new();
                let flow = report.add(batch, findings, &mut rows)?;
                self.count(&rows);
                Ok(flow)
            }
        }
    }

    fn add_rows(&mut self, rows: &EarlyRows, _: &mut dyn Write) -> io::Result<()> {
        self.count(&rows.bytes);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Counted::Hits(report) = &mut self.counted {
            let mut rows = Vec::new();
            report.end(&mut rows)?;
            self.count(&rows);
        }
        if self.prefix.file { self.print(out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.prefix.file { Ok(()) } else { self.print(out) }
    }

    fn has_selected(&self) -> bool {
        match &self.counted {
            Counted::Lines(tally) => tally.any(),
            Counted::Hits(rows) => rows.has_selected(),
        }
    }
}
