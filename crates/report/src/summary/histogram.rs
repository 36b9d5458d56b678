//! `--format histogram`: counts the selected lines by least distance, or the hits in sequences by distance.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::hit_counter::HitCounter;
use crate::tally::Tally;
use crate::{DistanceCount, ExceededLimit, Findings, Flow, InputFault, KnownSize, Limits, Prefix, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// Prints rows `distance  count`, for each distance from 0 to the maximum. If file names are shown, prints one table
/// per input, with the name in each row; otherwise one table for all inputs.
pub struct HistogramReport {
    counted: HistogramUnit,
    /// Largest possible distance of a hit.
    max_distance: usize,
    /// Number of lines or hits for each distance; no entry stands for 0.
    counts: BTreeMap<usize, u64>,
    prefix: Prefix,
    label: Vec<u8>,
}

/// The counter of lines, or of hits.
enum HistogramUnit {
    Lines(Tally),
    Hits(HitCounter),
}

impl HistogramReport {
    /// Makes a report of selected lines by least distance. Distances are at most `max_distance`. Of the fields of
    /// `prefix`, only the file name is shown.
    pub fn of_lines(limits: Limits, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport::new(HistogramUnit::Lines(Tally::new(limits)), max_distance, prefix)
    }

    /// Makes a report of the hits in sequences that `counter` counts, by distance.
    pub fn of_hits(counter: HitCounter, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport::new(HistogramUnit::Hits(counter), max_distance, prefix)
    }

    fn new(counted: HistogramUnit, max_distance: usize, prefix: Prefix) -> Self {
        HistogramReport { counted, max_distance, counts: BTreeMap::new(), prefix, label: Vec::new() }
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
    fn needs(&self) -> ReportNeeds {
        match &self.counted {
            HistogramUnit::Lines(tally) => ReportNeeds::items(tally.limits().max_items_in_batch()),
            HistogramUnit::Hits(counter) => counter.needs(),
        }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.label = label.to_vec();
        match &mut self.counted {
            HistogramUnit::Lines(tally) => tally.begin(),
            HistogramUnit::Hits(counter) => counter.begin(),
        }
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        match &mut self.counted {
            HistogramUnit::Lines(tally) => {
                let new = usize::try_from(tally.add(batch, findings)).unwrap_or(usize::MAX);
                // Batches hold whole lines here, so no line was counted with an earlier batch.
                for item in findings.items.iter().take(new) {
                    *self.counts.entry(item.min_distance).or_default() += 1;
                }
                Ok(if tally.is_full() { Flow::EnoughOfInput } else { Flow::More })
            }
            HistogramUnit::Hits(counter) => {
                let counts = &mut self.counts;
                Ok(counter.add(batch, findings, &mut |count| add_count(counts, count)))
            }
        }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        if let HistogramUnit::Hits(counter) = &mut self.counted {
            let counts = &mut self.counts;
            counter.end(&mut |count| add_count(counts, count));
        }
        if self.prefix.file {
            self.print(out)?;
        }
        Ok(Vec::new())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        if !self.prefix.file {
            self.print(out)?;
        }
        Ok(None)
    }

    fn selected_to(&self) -> Option<u64> {
        match &self.counted {
            HistogramUnit::Lines(tally) => tally.selected_to(),
            // Sequences have no selected lines.
            HistogramUnit::Hits(_) => None,
        }
    }

    fn has_selected(&self) -> bool {
        match &self.counted {
            HistogramUnit::Lines(tally) => tally.any(),
            HistogramUnit::Hits(counter) => counter.has_selected(),
        }
    }
}

fn add_count(counts: &mut BTreeMap<usize, u64>, count: DistanceCount) {
    *counts.entry(count.distance).or_default() += count.hits;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, cigar, found, hit, lines, named, prefix, print_all, records};
    use crate::{BedRows, HitChoice};

    #[test]
    fn lines_count_by_their_least_distance_up_to_the_largest_bound() {
        let text = lines("[a|2] [a|1]\nb\n[a|1]\n[a|0]\n");
        let report = |prefix| HistogramReport::of_lines(MATCHING, 3, prefix);
        assert_eq!(print_all(report(prefix()), std::slice::from_ref(&text)), "0\t1\n1\t2\n2\t0\n3\t0\n");
        assert_eq!(print_all(report(named()), &[text]), "in\t0\t1\nin\t1\t2\nin\t2\t0\nin\t3\t0\n");
    }

    #[test]
    fn every_hit_in_a_sequence_counts() {
        let batch = records(">a\nACGT\n", 100).remove(0);
        let (exact, near) = (cigar("6="), cigar("5=1X"));
        let report = HistogramReport::of_hits(HitCounter::new(None, HitChoice::ALL), 1, prefix());
        let findings = found(&batch, &BedRows, &[(0, hit(&near)), (0, hit(&exact)), (0, hit(&near))]);
        assert_eq!(print_all(report, &[(batch, findings)]), "0\t1\n1\t2\n");
    }
}
