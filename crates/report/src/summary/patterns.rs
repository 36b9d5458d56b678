//! `--format count-patterns`: a table of hits by pattern and distance.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::fields::push_field;
use crate::max_hits::TotalAllowance;
use crate::style::visible::Controls;
use crate::tally::{Tally, has_end};
use crate::{
    Admission, CellLayout, CellOrder, ExceededLimit, Findings, Flow, HitChoice, InputFault, KeptHits, KnownSize,
    Limits, MatchedItem, Prefix, Report, ReportNeeds,
};
use nigh_pattern::PatternSet;
use nigh_text::batch::Batch;

/// Number of bytes of rows that are collected before they are written.
const ROW_BYTES: usize = 64 << 10;

/// Prints a header and a row for each pattern, in the order of the patterns: the name, in sequences the pattern itself,
/// the number of hits with each distance, and their sum. Hits on both strands add up. If hits are limited, a last
/// column says, in the words of FlashFry, whether the pattern has more hits. There is one table for all inputs, or, if
/// file names are shown, one for each, with the file name in the first column.
pub struct PatternCountReport {
    tally: Tally,
    choice: HitChoice,
    layout: CellLayout,
    /// The number of hits in each cell.
    counts: Vec<u64>,
    /// The number in each cell of the nearest hits so far in the record that continues, if only these count.
    open: BTreeMap<u32, u64>,
    /// Decides which hits are counted; `None` if all are.
    allowance: Option<TotalAllowance>,
    patterns: Arc<PatternSet>,
    prefix: Prefix,
    label: Vec<u8>,
    has_header: bool,
}

impl PatternCountReport {
    /// Makes a report of the hits of `choice` in the records or lines of `limits`, with distances up to
    /// `max_distance`. Of the fields of `prefix`, only the file name is shown. Returns `None` if the table is too large.
    pub fn new(
        patterns: Arc<PatternSet>,
        max_distance: usize,
        choice: HitChoice,
        limits: Limits,
        prefix: Prefix,
    ) -> Option<Self> {
        let all = choice.kept == KeptHits::All && limits.max.is_none();
        let order = if all { CellOrder::Free } else { CellOrder::Kept };
        let layout = CellLayout::new(patterns.source_count(), max_distance, order)?;
        Some(PatternCountReport {
            tally: Tally::new(limits),
            choice,
            layout,
            counts: vec![0; layout.cells()],
            open: BTreeMap::new(),
            allowance: choice.max_hits().map(|max| TotalAllowance::new(max, patterns.clone())),
            patterns,
            prefix,
            label: Vec::new(),
            has_header: false,
        })
    }

    /// Counts the nearest hits of each record that ends in the batch.
    fn add_nearest(&mut self, batch: &Batch, findings: &Findings, items: &[MatchedItem]) {
        let continued = usize::from(items.first().is_some_and(|item| item.continues));
        let (continued, others) = items.split_at(continued);
        continued.iter().for_each(|item| self.keep_nearest(findings.cells.list(item.cells.clone())));
        if has_end(batch) {
            self.end_record();
        }
        for item in others {
            self.keep_nearest(findings.cells.list(item.cells.clone()));
            if !item.open {
                self.end_record();
            }
        }
    }

    /// Adds hits of the open record. Keeps only the nearest ones.
    fn keep_nearest(&mut self, cells: &[u32]) {
        for &cell in cells {
            let distance = self.layout.distance_of(cell);
            let known = self.open.first_key_value().map(|(&cell, _)| self.layout.distance_of(cell));
            if known.is_some_and(|known| distance < known) {
                self.open.clear();
            }
            if known.is_none_or(|known| distance <= known) {
                *self.open.entry(cell).or_default() += 1;
            }
        }
    }

    /// Counts hits in their order, up to the limit of each pattern.
    fn add_listed(&mut self, cells: &[u32]) {
        for &cell in cells {
            let pattern = self.layout.pattern_of(cell);
            let admission = self.allowance.as_mut().map_or(Admission::Reported, |allowance| allowance.admit(pattern));
            if admission == Admission::Reported {
                self.counts[cell as usize] += 1;
            }
        }
    }

    /// Counts the nearest hits of the record that was open, and closes the record.
    fn end_record(&mut self) {
        while let Some((cell, hits)) = self.open.pop_first() {
            self.counts[cell as usize] += hits;
        }
    }

    /// Returns whether rows show the pattern itself beside its name.
    fn shows_sequences(&self) -> bool {
        self.patterns.alphabet().is_sequence()
    }

    /// Prints the header, once.
    fn print_header(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        let mut header = Vec::new();
        if self.prefix.file {
            header.extend_from_slice(b"file\t");
        }
        header.extend_from_slice(b"pattern");
        if self.shows_sequences() {
            header.extend_from_slice(b"\tsequence");
        }
        (0..self.layout.distances()).for_each(|distance| header.extend_from_slice(format!("\t{distance}").as_bytes()));
        header.extend_from_slice(b"\ttotal");
        if self.allowance.is_some() {
            header.extend_from_slice(b"\toverflow");
        }
        header.push(b'\n');
        out.write_all(&header)
    }

    /// Prints the table, and sets all counts to 0.
    fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.print_header(out)?;
        let controls = self.prefix.controls;
        let mut rows = Vec::new();
        for (index, counts) in self.counts.chunks_exact(self.layout.distances()).enumerate() {
            self.prefix.file(&self.label, b"\t", &mut rows)?;
            push_shown(self.patterns.source_name(index), controls, &mut rows);
            if self.shows_sequences() {
                rows.push(b'\t');
                push_shown(self.patterns.source_text(index), controls, &mut rows);
            }
            let total: u64 = counts.iter().sum();
            for number in counts.iter().chain([&total]) {
                rows.push(b'\t');
                rows.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes());
            }
            if let Some(allowance) = &self.allowance {
                rows.extend_from_slice(if allowance.is_exceeded(index) { b"\tOVERFLOW" } else { b"\tOK" });
            }
            rows.push(b'\n');
            if rows.len() >= ROW_BYTES {
                out.write_all(&rows)?;
                rows.clear();
            }
        }
        self.counts.fill(0);
        out.write_all(&rows)
    }
}

/// Appends a field. `controls` decides whether its control characters are escaped.
fn push_shown(field: &[u8], controls: Controls, out: &mut Vec<u8>) {
    push_field(&controls.show(field), out);
}

impl Report for PatternCountReport {
    fn needs(&self) -> ReportNeeds {
        let items = ReportNeeds::items(self.tally.limits().max_items_in_batch());
        let max_hits = self.allowance.as_ref().map(|allowance| allowance.limit().clone());
        ReportNeeds { hits: self.choice.selection, cells: Some(self.layout), max_hits, ..items }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.tally.begin();
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let items = self.tally.add_matching(batch, findings);
        match self.layout.order() {
            CellOrder::Free => findings.cells.add_to(&mut self.counts),
            CellOrder::Kept if self.choice.kept == KeptHits::Nearest => self.add_nearest(batch, findings, items),
            CellOrder::Kept => items.iter().for_each(|item| self.add_listed(findings.cells.list(item.cells.clone()))),
        }
        Ok(if self.tally.is_complete() { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        // A record is still open only after a read error.
        self.end_record();
        if self.prefix.file {
            self.print(out)?;
        }
        Ok(Vec::new())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        if self.prefix.file { self.print_header(out) } else { self.print(out) }?;
        Ok(None)
    }

    fn selected_to(&self) -> Option<u64> {
        self.tally.selected_to()
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, cigar, found, hit, named, prefix, print_all, print_input, records};
    use crate::{EndRows, HitRow};
    use nigh_pattern::PatternSource;
    use nigh_text::alphabet::Alphabet;

    fn report(choice: HitChoice, limits: Limits, prefix: Prefix) -> PatternCountReport {
        let named = PatternSource { name: Some(b"one".into()), ..PatternSource::new("ACGT") };
        let set = PatternSet::builder(Alphabet::Dna).build(&[named, PatternSource::new("TTT")]).unwrap();
        PatternCountReport::new(Arc::new(set), 1, choice, limits, prefix).unwrap()
    }

    /// Returns a batch of two records and its findings. A hit is the index of its record, its pattern and its distance.
    fn findings(report: &PatternCountReport, hits: &[(usize, usize, usize)]) -> (Batch<'static>, Findings) {
        let batch = records(">a\nACGT\n>b\nACGT\n", 100).remove(0);
        let cigar = cigar("6=");
        let rows: Vec<_> =
            hits.iter().map(|&(record, _, distance)| (record, HitRow { distance, ..hit(&cigar) })).collect();
        let mut findings = found(&batch, &EndRows, &rows);
        let mut next = 0;
        for item in &mut findings.items {
            item.cells = next..next + item.hits as usize;
            next = item.cells.end;
        }
        hits.iter().for_each(|&(_, pattern, distance)| findings.cells.push(report.layout, pattern, distance));
        (batch, findings)
    }

    const HITS: [(usize, usize, usize); 5] = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 0, 1)];

    #[test]
    fn each_pattern_has_a_row_even_without_hits() {
        let all = report(HitChoice::ALL, MATCHING, prefix());
        let found = findings(&all, &HITS);
        assert_eq!(print_all(all, &[found]), "pattern\tsequence\t0\t1\ttotal\none\tACGT\t0\t4\t4\nTTT\tTTT\t1\t0\t1\n");
        assert_eq!(
            print_all(report(HitChoice::ALL, MATCHING, named()), &[]),
            "file\tpattern\tsequence\t0\t1\ttotal\nin\tone\tACGT\t0\t0\t0\nin\tTTT\tTTT\t0\t0\t0\n"
        );
    }

    #[test]
    fn the_nearest_hits_of_each_record_count() {
        let nearest = report(HitChoice { kept: KeptHits::Nearest, ..HitChoice::ALL }, MATCHING, prefix());
        let found = findings(&nearest, &HITS);
        assert!(print_all(nearest, &[found]).ends_with("one\tACGT\t0\t2\t2\nTTT\tTTT\t1\t0\t1\n"));
    }

    #[test]
    fn a_limit_is_in_records_of_each_input() {
        let mut first = report(HitChoice::ALL, Limits { max: Some(1), ..MATCHING }, prefix());
        let found = findings(&first, &HITS);
        for _ in 0..2 {
            assert_eq!(print_input(&mut first, "in", std::slice::from_ref(&found)), "");
        }
        let mut out = Vec::new();
        first.finish(&mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().ends_with("one\tACGT\t0\t4\t4\nTTT\tTTT\t2\t0\t2\n"));
    }
}
