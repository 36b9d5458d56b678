//! PAF, the format of minimap2: the pattern is the query, the record the target.
//!
//! A row contains the length of its record, which is known only once the record has ended. Rows of a record that
//! continues contain [`OPEN`] instead of the length, and wait in a spool.

use std::io::{self, Write};

use memchr::{memchr, memrchr};

use super::rows::RowReport;
use super::rows::open_record::{OPEN, write_with_length};
use crate::fields::{push_columns, push_name, push_number, push_runs};
use crate::spool::Spool;
use crate::{EarlyRows, ExceededLimit, Findings, Flow, HitRow, InputFault, KnownSize, Report, ReportNeeds, Rows};
use nigh_pattern::Strand;
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::batch::Batch;

/// Rows of twelve columns, `NM:i` and `cg:Z`. The mapping quality is 255: not available.
pub struct PafRows;

impl Rows for PafRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let (inside, unaligned) =
            hit.cigar.map_or_else(Default::default, |cigar| (cigar.inside(), unaligned(hit, cigar)));
        let columns: u64 = inside.runs().map(|(length, _)| length as u64).sum();
        let equal = inside.runs().filter(|(_, edit)| *edit == Edit::Match).map(|(length, _)| length as u64);
        let (equal, symbols) = (equal.sum::<u64>(), hit.pattern_symbols() as u64);
        push_name(hit.pattern, |byte| byte > b' ', out);
        push_columns(&[symbols, unaligned.first, symbols - unaligned.last], out);
        out.extend_from_slice(&[b'\t', hit.strand.sign(), b'\t']);
        push_name(hit.record, |byte| byte > b' ', out);
        match hit.record_length {
            Some(length) => push_columns(&[length], out),
            None => out.extend_from_slice(&[b'\t', OPEN]),
        }
        push_columns(&[hit.start, hit.end, equal, columns, 255], out);
        out.extend_from_slice(b"\tNM:i:");
        push_number(columns - equal, out);
        out.extend_from_slice(b"\tcg:Z:");
        push_runs(&inside, out);
        out.push(b'\n');
    }
}

/// The symbols of a pattern that hang over the ends of its record.
#[derive(Debug, Clone, Copy, Default)]
struct Unaligned {
    /// Number of symbols at the start of the pattern.
    first: u64,
    /// Number of symbols at the end of the pattern.
    last: u64,
}

/// Returns the numbers of symbols that are not aligned, in the direction of the pattern.
fn unaligned(hit: &HitRow<'_>, cigar: &Cigar) -> Unaligned {
    let (start, end) = (cigar.start_overhang() as u64, cigar.end_overhang() as u64);
    match hit.strand {
        Strand::Forward => Unaligned { first: start, last: end },
        Strand::Reverse => Unaligned { first: end, last: start },
    }
}

/// Prints PAF rows. Rows of a record that continues are printed once the record has ended.
pub struct PafReport {
    rows: RowReport,
    /// The rows that wait for the length of the open record.
    open: Spool,
    /// Length of the open record up to the last batch, in residues.
    so_far: u64,
    /// Whether early rows of this batch have printed the rows that waited before it. Rows that wait since then are those of
    /// a later record.
    is_closed: bool,
}

/// A writer that passes rows to `out` up to the first row of an open record, and all later rows to `open`.
struct SplitOutput<'a> {
    out: &'a mut dyn Write,
    open: &'a mut Spool,
}

impl PafReport {
    /// Makes a report of `rows`, which must be formatted by [`PafRows`].
    pub fn new(rows: RowReport) -> Self {
        PafReport { rows, open: Spool::new(), so_far: 0, is_closed: false }
    }

    /// Prints the rows that waited before this batch, if their record ends in it. `length` is then the length of the record
    /// in residues.
    fn close_once(&mut self, length: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
        let Some(length) = length.filter(|_| !self.is_closed) else { return Ok(()) };
        self.is_closed = true;
        self.close(length, out)
    }

    /// Prints the rows that waited for the length of their record, which is `length` residues.
    fn close(&mut self, length: u64, out: &mut dyn Write) -> io::Result<()> {
        self.open.drain(|rows| write_with_length(rows, length, out))
    }
}

impl Report for PafReport {
    fn needs(&self) -> ReportNeeds {
        ReportNeeds { lengths: true, ..self.rows.needs() }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.rows.begin(label, size);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        self.close_once(findings.ended(batch), out)?;
        self.is_closed = false;
        self.so_far = findings.lengths.last().copied().unwrap_or(self.so_far);
        self.rows.add(batch, findings, &mut SplitOutput { out, open: &mut self.open })
    }

    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        self.close_once(rows.ended, out)?;
        self.rows.add_rows(rows, &mut SplitOutput { out, open: &mut self.open })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        let faults = self.rows.end(&mut SplitOutput { out, open: &mut self.open })?;
        // A record is still open only after a read error.
        self.close(self.so_far, out)?;
        Ok(faults)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        self.rows.finish(out)
    }

    fn has_selected(&self) -> bool {
        self.rows.has_selected()
    }
}

impl Write for SplitOutput<'_> {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        // Only the last record of a batch can be open.
        let complete = match memchr(OPEN, rows) {
            _ if !self.open.is_empty() => 0,
            Some(open) => memrchr(b'\n', &rows[..open]).map_or(0, |end| end + 1),
            None => rows.len(),
        };
        self.out.write_all(&rows[..complete])?;
        self.open.write_all(&rows[complete..])?;
        Ok(rows.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::test_support::{MATCHING, cigar, found, hit, print_all, records, row};

    #[test]
    fn a_row_counts_matching_and_all_columns() {
        let expected = "site_1\t6\t0\t6\t+\tchr1\t90\t10\t16\t5\t6\t255\tNM:i:1\tcg:Z:2=1X3=\n";
        assert_eq!(row(&PafRows, &hit(&cigar("2=1X3="))), expected);
    }

    #[test]
    fn rows_wait_for_the_length_of_their_record() {
        let (fasta, cigar) = (format!(">a\n{}\n", "ACGTAC".repeat(10)), cigar("6="));
        for bytes in [20, 1000] {
            let mut batches: Vec<_> =
                records(&fasta, bytes).into_iter().map(|batch| (found(&batch, &PafRows, &[]), batch)).collect();
            let (findings, first) = &mut batches[0];
            let record_length = first.segments()[0].closes.then_some(60);
            *findings = found(first, &PafRows, &[(0, HitRow { record_length, ..hit(&cigar) })]);
            let batches: Vec<_> = batches.into_iter().map(|(findings, batch)| (batch, findings)).collect();
            let printed = print_all(PafReport::new(RowReport::new(Arc::new(PafRows), MATCHING)), &batches);
            assert_eq!(printed.split('\t').nth(6), Some("60"), "{printed}");
        }
    }
}
