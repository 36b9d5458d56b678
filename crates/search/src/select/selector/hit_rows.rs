//! Parts of `Sink` for rows and values of hits.

use std::ops::{Range, RangeInclusive};

use super::Sink;
use crate::batch_work::EarlyOutput;
use crate::select::best_hits::{MatchedText, RankedMatch};
use crate::select::rows::Located;
use nigh_report::{EarlyRows, HitAlternative, HitForm, HitRow, ended_length};
use nigh_text::alignment::Alignment;
use nigh_text::batch::Layout;
use nigh_text::hit::Hit;

/// Number of bytes of rows for each byte of the batch at which rows are reported early, before the end of their batch.
/// The worker then waits for its turn to write, so most batches should have fewer bytes of rows.
const EARLY_ROWS: usize = 4;
/// Bounds on the number of bytes of rows at which they are reported early.
const EARLY_ROW_BYTES: RangeInclusive<usize> = 8 << 20..=16 << 20;

impl Sink<'_, '_, '_> {
    /// Returns whether a match is reported, if records are circular.
    pub(super) fn is_on_circle(&self, one: &RankedMatch) -> bool {
        if !self.circle.are_wanted() {
            return true;
        }
        let segment = match &one.text {
            MatchedText::InBatch(range) => self.batch.segment_before(range.end),
            MatchedText::Carried(_) => 0,
        };
        self.circle.has_position(self.batch, segment, one.range.end)
    }

    /// Appends the row or the value of a hit, if the report takes it.
    pub(super) fn add_row(&mut self, hit: Hit, located: &Located<'_>) {
        let Some(rows) = &self.rows else { return };
        let findings = &mut self.findings;
        let item = findings.items.last_mut().expect("the item of this hit");
        if self.needs.nearest && hit.distance > item.min_distance {
            return;
        }
        let pattern = &self.patterns.patterns()[hit.pattern];
        let length =
            if self.lengths.is_empty() { None } else { self.lengths.get(self.batch.segment_before(item.bytes.end)) };
        let letters = || rows.letters(self.patterns, hit.pattern, located).into_owned();
        let segment = if self.circle.are_wanted() { self.batch.segment_before(item.bytes.end) } else { 0 };
        let positions = self.circle.in_record(self.batch, segment, located.positions.clone());
        let columns = located.columns.clone().unwrap_or(positions.clone());
        let row = HitRow {
            label: &self.input.label,
            record: item.name.of(self.batch.bytes()),
            start: positions.start,
            end: positions.end,
            line_start: self.batch.lines().map_or(0, |lines| lines.offset + item.bytes.start as u64),
            column_start: columns.start,
            column_end: columns.end,
            record_length: length.copied().filter(|_| !item.open),
            pattern: self.patterns.name(pattern),
            name: self.patterns.given_name(pattern.source()),
            sequence: self.patterns.source_text(pattern.source()),
            number: pattern.source(),
            letters: &letters,
            alternative: Some(HitAlternative { patterns: self.patterns, index: hit.pattern }),
            exact: pattern.exact(),
            distance: hit.distance,
            strand: pattern.strand(),
            cigar: located.cigar,
            matched: located.matched,
        };
        let record = if self.batch.lines().is_none() { Some(row.record) } else { None };
        match rows.form {
            HitForm::Row(rows) => rows.row(&row, &mut findings.rows),
            HitForm::Value => findings.found.push(record, &row),
            HitForm::RowValue(rows) => findings.found.push_row(record, &row, rows.as_ref()),
        }
        (item.rows.end, item.found.end) = (findings.rows.len(), findings.found.count());
    }

    /// Reports the rows or hits so far if they take enough memory.
    pub(super) fn send_rows(&mut self) {
        let findings = &mut self.findings;
        let many = (EARLY_ROWS * self.batch.bytes().len()).clamp(*EARLY_ROW_BYTES.start(), *EARLY_ROW_BYTES.end());
        if self.needs.all_rows && findings.rows.len() + findings.found.bytes() >= many {
            // Only the first part of a batch can hold the end of the record that the previous batch left open.
            let ended = if self.reported.to == 0 { ended_length(self.batch, &self.lengths) } else { None };
            let empty = findings.found.empty_like();
            let (bytes, found) = (std::mem::take(&mut findings.rows), std::mem::replace(&mut findings.found, empty));
            (self.outputs.early)(EarlyOutput::Rows(EarlyRows { bytes, found, ended }));
            findings.items.iter_mut().for_each(|item| (item.rows, item.found) = (0..0, 0..0));
        }
    }

    /// Returns the columns of the match in a range of the batch; `None` if no gaps are hidden in the batch.
    pub(super) fn columns(&mut self, range: &Range<usize>) -> Option<Range<u64>> {
        let hides_gaps = self.batch.shown.is_some() && self.batch.lines().is_none();
        hides_gaps.then(|| self.columns.columns(self.batch, range))
    }

    /// Returns the length of a match, in residues of a record or bytes of text.
    pub(super) fn length(&self, alignment: &Alignment) -> u64 {
        match self.batch.layout() {
            Layout::Lines(_) => (alignment.end - alignment.start) as u64,
            Layout::Records(_) => alignment.cigar.text_length() as u64,
        }
    }
}
