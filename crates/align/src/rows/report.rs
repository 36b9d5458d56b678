//! Prints the rows of comparisons as the workers have formatted them.

use std::io::{self, Write};

use crate::findings::{BadLine, BadLines, PairFindings};
use nigh_input::InputError;
use nigh_report::{EarlyRows, Findings, Flow, InputFault, KnownSize, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// Prints all rows, after a header if there is one.
pub struct PairReport {
    /// The header, until it is printed.
    header: Option<String>,
    any: bool,
    /// Number of lines of the current input before the next batch.
    lines: u64,
    /// The lines of the current input that could not be used. The index of the first counts from the start of the
    /// input.
    bad_lines: BadLines,
}

impl PairReport {
    /// Makes a report. `header` is printed once, before all rows.
    pub fn new(header: Option<String>) -> Self {
        PairReport { header, any: false, lines: 0, bad_lines: BadLines::default() }
    }

    fn write(&mut self, rows: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if let Some(header) = self.header.take() {
            out.write_all(header.as_bytes())?;
        }
        self.any |= !rows.is_empty();
        out.write_all(rows)
    }
}

impl Report for PairReport {
    fn needs(&self) -> ReportNeeds {
        ReportNeeds { all_rows: true, ..ReportNeeds::items(usize::MAX) }
    }

    fn begin(&mut self, _: &[u8], _: &KnownSize<'_>) {
        self.lines = 0;
    }

    fn add(&mut self, _: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let Some(pairs) = PairFindings::of(findings) else { return Ok(Flow::More) };
        let BadLines { first, count } = &pairs.bad_lines;
        if let (None, Some(first)) = (&self.bad_lines.first, first) {
            self.bad_lines.first = Some(BadLine { index: self.lines + first.index, problem: first.problem.clone() });
        }
        self.bad_lines.count += count;
        self.lines += pairs.lines;
        self.write(&findings.rows, out).map(|()| Flow::More)
    }

    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        self.write(&rows.bytes, out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.write(b"", out)?;
        let BadLines { first, count } = std::mem::take(&mut self.bad_lines);
        let Some(BadLine { index, problem }) = first else { return Ok(Vec::new()) };
        let others = match count {
            1 => String::new(),
            2 => "; 1 other line is invalid too".to_owned(),
            count => format!("; {} other lines are invalid too", count - 1),
        };
        Ok(vec![InputFault::Invalid(InputError::Malformed { line: index + 1, problem: problem + &others })])
    }

    fn has_selected(&self) -> bool {
        self.any
    }
}
