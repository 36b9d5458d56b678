//! `--histogram`: how many lines are selected by their least distance, or how many hits in sequences have which.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::input::Batch;
use crate::report::tally::Tally;
use crate::report::{EarlyRows, Findings, Flow, HitRow, Limits, Prefix, Report, ReportNeeds, RowReport, Rows};

/// `distance  count`, a row for each distance from 0 to the largest bound; where file names are wanted, with the name
/// before them, a table for each input.
pub struct HistogramReport {
    counted: Counted,
    /// The largest distance there can be.
    most: usize,
    counts: BTreeMap<usize, u64>,
    prefix: Prefix,
    label: Vec<u8>,
}

/// What is counted.
enum Counted {
    Lines(Tally),
    /// The rows are distances.
    Hits(Box<RowReport>),
}

/// The distance of a hit, in bytes of this order.
struct DistanceRows;

impl Rows for DistanceRows {
    fn wants_alignment(&self) -> bool {
        false
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&place.distance.to_ne_bytes());
    }
}

impl HistogramReport {
    /// Counts lines. Distances are `most` at most; of the prefix, only the file is shown.
    pub fn of_lines(limits: Limits, most: usize, prefix: Prefix) -> Self {
        HistogramReport::new(Counted::Lines(Tally::new(limits)), most, prefix)
    }

    /// Counts hits in sequences, of which `report` makes a report with such rows.
    pub fn of_hits(report: impl FnOnce(Arc<dyn Rows>) -> RowReport, most: usize, prefix: Prefix) -> Self {
        HistogramReport::new(Counted::Hits(Box::new(report(Arc::new(DistanceRows)))), most, prefix)
    }

    fn new(counted: Counted, most: usize, prefix: Prefix) -> Self {
        HistogramReport { counted, most, counts: BTreeMap::new(), prefix, label: Vec::new() }
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
        for distance in 0..=self.most.max(largest) {
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
                // Lines are whole here, so every item is new.
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
