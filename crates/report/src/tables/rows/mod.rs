//! Prints, in order, the rows that workers have formatted, or the names of records without a hit.
//!
//! Some rows wait for others of their record. Reading order: this file, `stages`, `nearest`, `by_start`, `line_cells`
//! and `open_record`.

mod by_start;
pub(super) mod line_cells;
mod nearest;
pub(super) mod open_record;
mod stages;

use std::io::{self, Write};
use std::sync::Arc;

use self::by_start::StartSorter;
use self::line_cells::LineCells;
use self::nearest::NearestRowFilter;
use self::stages::{LastStages, PrintedItems};
use crate::max_hits::TotalAllowance;
use crate::style::visible::Controls;
use crate::tally::{Continuation, Tally};
use crate::{
    EarlyRows, ExceededLimit, Findings, Flow, HitChoice, HitForm, HitSelection, InputFault, Keep, KeptHits, KnownSize,
    Limits, Prefix, Report, ReportNeeds, Rows,
};
use nigh_pattern::PatternSet;
use nigh_text::batch::Batch;

/// Prints the rows of selected lines or records, or the names of selected records without a hit.
pub struct RowReport {
    tally: Tally,
    rows: Arc<dyn Rows>,
    header: Option<String>,
    /// Precedes the names of records that are selected without a hit.
    prefix: Option<Prefix>,
    /// Name of the current input.
    label: Vec<u8>,
    controls: Controls,
    hits: HitSelection,
    /// Selects the rows with the least distance in each record or line; `None` if all rows are printed.
    nearest: Option<NearestRowFilter>,
    last: LastStages,
}

impl RowReport {
    /// Makes a report of all rows of the selected records or lines, formatted by `rows`. The other methods change the
    /// defaults: no header, names printed, control characters unchanged, all hits.
    pub fn new(rows: Arc<dyn Rows>, limits: Limits) -> Self {
        RowReport {
            tally: Tally::new(limits),
            rows,
            header: None,
            prefix: None,
            label: Vec::new(),
            controls: Controls::Raw,
            hits: HitSelection::All,
            nearest: None,
            last: LastStages::default(),
        }
    }

    /// Sets a header. It is printed once, before all rows.
    pub fn header(self, header: Option<String>) -> Self {
        RowReport { header, ..self }
    }

    /// Sets which hits of `patterns` have rows.
    pub fn choose(self, choice: HitChoice, patterns: &Arc<PatternSet>) -> Self {
        let first = choice.max_hits().map(|max| TotalAllowance::new(max, patterns.clone()));
        let nearest = (choice.kept == KeptHits::Nearest).then(NearestRowFilter::new);
        RowReport { hits: choice.selection, nearest, last: LastStages { first, ..self.last }, ..self }
    }

    /// Prints the rows of each record in order of the starts of their matches, which have at most `longest` symbols.
    pub fn by_start(self, longest: usize) -> Self {
        let last = LastStages { order: Some(StartSorter::new(longest)), ..self.last };
        RowReport { last, ..self }
    }

    /// Fills in the cells of rows that show the line of a match.
    pub fn fill_line_cells(self) -> Self {
        let last = LastStages { line_cells: Some(LineCells::default()), ..self.last };
        RowReport { last, ..self }
    }

    /// Sets the prefix of the names of records that are selected without a hit. Only `-v` selects such records. Of its
    /// fields, only the file name is shown.
    pub fn prefix_of_names(self, prefix: Prefix) -> Self {
        RowReport { prefix: Some(prefix), ..self }
    }

    /// Sets the treatment of control characters in names, within rows and elsewhere.
    pub fn controls(self, controls: Controls) -> Self {
        RowReport { rows: controls.rows(self.rows), controls, ..self }
    }

    /// Prints the header, if it was not printed before.
    fn print_header(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.header.take().map_or(Ok(()), |header| out.write_all(header.as_bytes()))
    }

    /// Prints the rows of selected lines or records, including one that an earlier batch selected.
    fn matching(&mut self, findings: &Findings, batch: &Batch, out: &mut dyn Write) -> io::Result<()> {
        let items = self.tally.add_matching(batch, findings);
        let RowReport { nearest, last, .. } = self;
        let printed = PrintedItems { batch, findings, items };
        if let Some(nearest) = nearest {
            return nearest.add(printed, last, out);
        }
        items.iter().try_for_each(|item| last.take_item(printed, item, out))?;
        // The last record of the batch may continue.
        if batch.segments().last().is_none_or(|segment| segment.closes) { last.finish(out) } else { Ok(()) }
    }

    /// Prints the names of selected records without a hit that end in this batch.
    fn others(&mut self, findings: &Findings, batch: &Batch, out: &mut dyn Write) -> io::Result<()> {
        let known = self.tally.open() != Continuation::NoHit;
        let mut room = self.tally.add(batch, findings);
        let mut items = findings.items.iter().peekable();
        for (index, segment) in batch.segments().iter().enumerate() {
            let hit = items.next_if(|item| item.bytes == segment.bytes).is_some() || (index == 0 && known);
            if segment.closes && !hit && room > 0 {
                room -= 1;
                if let Some(prefix) = &self.prefix {
                    prefix.file(&self.label, b"\t", out)?;
                }
                out.write_all(&self.controls.show(segment.name.of(batch.bytes())))?;
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

impl Report for RowReport {
    fn needs(&self) -> ReportNeeds {
        let rows = self.rows.clone();
        let form = if self.last.need_values() { HitForm::RowValue(rows) } else { HitForm::Row(rows) };
        let each_hit = Some(form).filter(|_| self.tally.limits().keep == Keep::Matching);
        let nearest = self.nearest.is_some();
        let fills_cells = self.last.line_cells.is_some();
        let all_rows = self.tally.limits().max.is_none() && !nearest && !fills_cells;
        let max_hits = self.last.first.as_ref().map(|first| first.limit().clone());
        let items = ReportNeeds::items(self.tally.limits().max_items_in_batch());
        ReportNeeds { each_hit, hits: self.hits, nearest, all_rows, max_hits, passed_batches: fills_cells, ..items }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.label = label.to_vec();
        self.tally.begin();
        if let Some(cells) = &mut self.last.line_cells {
            *cells = LineCells::default();
        }
    }

    fn pass(&mut self, batch: &Batch) {
        self.last.pass(batch);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        self.print_header(out)?;
        match self.tally.limits().keep {
            Keep::Matching => self.matching(findings, batch, out)?,
            Keep::NonMatching => self.others(findings, batch, out)?,
        }
        self.last.pass(batch);
        // The last selected record may continue in the next batch.
        Ok(if self.tally.is_complete() { Flow::EnoughOfInput } else { Flow::More })
    }

    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        self.print_header(out)?;
        out.write_all(&rows.bytes)?;
        self.last.take_all(rows.found.iter(), out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.print_header(out)?;
        // A record is still open only after a read error, or if the report has enough of the input.
        let RowReport { nearest, last, .. } = self;
        if let Some(nearest) = nearest {
            nearest.end_record(None, last, out)?;
        }
        last.finish(out)?;
        Ok(Vec::new())
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        Ok(self.last.first.as_ref().and_then(TotalAllowance::exceeded))
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
    use crate::test_support::{MATCHING, NON_MATCHING, cigar, found, hit, named, print_input, records};
    use crate::{EndRows, HitRow};
    use nigh_pattern::PatternSource;
    use nigh_text::alphabet::Alphabet;

    const FASTA: &str = ">a\nACGT\n>b\nAC\n>c\nACGT\n";

    /// Prints two inputs that hold the records `a`, `b` and `c`; `a` has two hits and `c` one.
    fn printed(mut report: RowReport) -> String {
        let (exact, near) = (cigar("6="), cigar("5=1X"));
        let inputs = [FASTA, FASTA].map(|fasta| {
            let batch = records(fasta, 1000).remove(0);
            let hits = [(0, hit(&near)), (0, HitRow { end: 17, ..hit(&exact) }), (2, HitRow { end: 18, ..hit(&near) })];
            // Workers leave out the farther hits of a record.
            let hits = if report.needs().nearest { &hits[1..] } else { &hits };
            let rows = match report.needs().each_hit {
                Some(HitForm::Row(rows)) => rows,
                _ => Arc::new(EndRows),
            };
            let findings = found(&batch, rows.as_ref(), hits);
            print_input(&mut report, "in", &[(batch, findings)])
        });
        inputs.concat()
    }

    #[test]
    fn the_header_comes_once_before_all_rows() {
        let rows = "in.fa\t16\t1\tsite 1\nin.fa\t17\t0\tsite 1\nin.fa\t18\t1\tsite 1\n";
        let report = RowReport::new(Arc::new(EndRows), MATCHING).header(Some("file\tend\n".to_owned()));
        assert_eq!(printed(report), format!("file\tend\n{rows}{rows}"));
    }

    #[test]
    fn a_limit_is_in_records_and_holds_for_each_input() {
        let report = RowReport::new(Arc::new(EndRows), Limits { max: Some(1), ..MATCHING });
        assert_eq!(printed(report), "in.fa\t16\t1\tsite 1\nin.fa\t17\t0\tsite 1\n".repeat(2));
    }

    #[test]
    fn the_nearest_rows_are_those_of_each_record() {
        let nearest = HitChoice { kept: KeptHits::Nearest, ..HitChoice::ALL };
        let patterns = Arc::new(PatternSet::builder(Alphabet::Dna).build(&[PatternSource::new("ACGTAC")]).unwrap());
        let report = RowReport::new(Arc::new(EndRows), MATCHING).choose(nearest, &patterns);
        assert_eq!(printed(report), "in.fa\t17\t0\tsite 1\nin.fa\t18\t1\tsite 1\n".repeat(2));
    }

    #[test]
    fn records_without_a_hit_are_names() {
        assert_eq!(printed(RowReport::new(Arc::new(EndRows), NON_MATCHING)), "b\nb\n");
        let named = RowReport::new(Arc::new(EndRows), NON_MATCHING).prefix_of_names(named());
        assert_eq!(printed(named), "in\tb\nin\tb\n");
    }
}
