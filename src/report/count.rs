//! `-c` and `--count-matches`: how many lines or records of each input are selected, or how many matches they have.

use std::io::{self, Write};

use super::tally::Tally;
use super::{Detail, Findings, Flow, Limits, Prefix, Report, Spans};
use crate::input::Batch;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Lines or records.
    Selected,
    /// The matches that would be shown in lines.
    Matches,
}

/// Prints one number for each input.
pub struct CountReport {
    tally: Tally,
    count: Count,
    prefix: Prefix,
    label: Vec<u8>,
    matches: u64,
}

impl CountReport {
    /// Counts what is within the limits; of the prefix, only the file is shown.
    pub fn new(count: Count, limits: Limits, prefix: Prefix) -> Self {
        CountReport { tally: Tally::new(limits), count, prefix, label: Vec::new(), matches: 0 }
    }
}

impl Report for CountReport {
    fn detail(&self) -> Detail {
        let spans = match self.count {
            Count::Selected => Spans::None,
            Count::Matches => Spans::Places,
        };
        Detail { spans, ..Detail::units(self.tally.limits().units_in_batch()) }
    }

    fn begin(&mut self, label: &[u8]) {
        self.tally.begin();
        self.matches = 0;
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let new = usize::try_from(self.tally.add(batch, findings)).unwrap_or(usize::MAX);
        if self.count == Count::Matches {
            // Lines are whole here, so every unit is new.
            self.matches += findings.units.iter().take(new).map(|unit| unit.spans.len() as u64).sum::<u64>();
        }
        Ok(if self.tally.is_full() { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.prefix.file(&self.label, b":", out)?;
        let number = match self.count {
            Count::Selected => self.tally.selected(),
            Count::Matches => self.matches,
        };
        writeln!(out, "{number}")
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}
