//! `-c`: how many lines or records of each input are selected.

use std::io::{self, Write};

use super::tally::Tally;
use super::{Detail, Findings, Flow, Limits, Prefix, Report};
use crate::input::Batch;

/// Prints one number for each input.
pub struct CountReport {
    tally: Tally,
    prefix: Prefix,
    label: Vec<u8>,
}

impl CountReport {
    /// Counts what is within the limits; of the prefix, only the file is shown.
    pub fn new(limits: Limits, prefix: Prefix) -> Self {
        CountReport { tally: Tally::new(limits), prefix, label: Vec::new() }
    }
}

impl Report for CountReport {
    fn detail(&self) -> Detail {
        Detail::units(self.tally.limits().units_in_batch())
    }

    fn begin(&mut self, label: &[u8]) {
        self.tally.begin();
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        self.tally.add(batch, findings);
        Ok(if self.tally.is_full() { Flow::EnoughOfInput } else { Flow::More })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.prefix.file(&self.label, b":", out)?;
        writeln!(out, "{}", self.tally.selected())
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}
