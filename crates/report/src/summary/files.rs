//! `-l` and `-L` list the inputs with, or without, a selected line or record. `-q` prints nothing.

use std::io::{self, Write};

use crate::tally::Tally;
use crate::{Findings, Flow, InputFault, ItemHits, Keep, KnownSize, Limits, Prefix, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// Choice of the inputs to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Inputs with a selected line or record.
    With,
    /// Inputs without a selected line or record.
    Without,
    /// No inputs. Only the exit status tells whether a line or record was selected.
    Nothing,
}

/// Prints the names of inputs. Ends an input as soon as a line or record is selected.
pub struct FilesReport {
    tally: Tally,
    list: List,
    prefix: Prefix,
    label: Vec<u8>,
}

impl FilesReport {
    /// Makes a report that lists the inputs with, or without, lines or records that `limits` selects.
    pub fn new(list: List, limits: Limits, prefix: Prefix) -> Self {
        let max = Some(limits.max.map_or(1, |max| max.min(1)));
        FilesReport { tally: Tally::new(Limits { max, ..limits }), list, prefix, label: Vec::new() }
    }
}

impl Report for FilesReport {
    fn needs(&self) -> ReportNeeds {
        let limits = self.tally.limits();
        let items = match limits.keep {
            Keep::Matching => limits.max_items_in_batch().min(1),
            Keep::NonMatching => limits.max_items_in_batch(),
        };
        ReportNeeds { item_hits: ItemHits::Any, ..ReportNeeds::items(items) }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.tally.begin();
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        self.tally.add(batch, findings);
        Ok(match (self.tally.is_full(), self.list) {
            (false, _) => Flow::More,
            (true, List::Nothing) if self.tally.any() => Flow::EnoughOfAll,
            (true, _) => Flow::EnoughOfInput,
        })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        let selected = self.tally.selected() > 0;
        match (self.list, selected) {
            (List::With, true) | (List::Without, false) => self.prefix.name_alone(&self.label, out)?,
            _ => {}
        }
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, NON_MATCHING, lines, prefix, print_input};

    fn listed(list: List, limits: Limits) -> String {
        let mut report = FilesReport::new(list, limits, prefix());
        let inputs = [("with", "[a|0]\nb\n"), ("all", "[a|0]\n"), ("none", "b\n")];
        inputs.map(|(name, text)| print_input(&mut report, name, &[lines(text)])).concat()
    }

    #[test]
    fn inputs_are_listed_by_whether_a_line_is_selected() {
        assert_eq!(listed(List::With, MATCHING), "with\nall\n");
        assert_eq!(listed(List::Without, MATCHING), "none\n");
        assert_eq!(listed(List::With, NON_MATCHING), "with\nnone\n");
        assert_eq!(listed(List::Nothing, MATCHING), "");
        assert_eq!(listed(List::With, Limits { max: Some(0), ..MATCHING }), "");
    }

    #[test]
    fn the_first_selected_line_is_enough() {
        let flow = |list| {
            let mut report = FilesReport::new(list, MATCHING, prefix());
            report.begin(b"in", &|| None);
            let (batch, findings) = lines("[a|0]\n");
            report.add(&batch, &findings, &mut Vec::new()).unwrap()
        };
        assert_eq!(flow(List::With), Flow::EnoughOfInput);
        assert_eq!(flow(List::Nothing), Flow::EnoughOfAll);
    }
}
