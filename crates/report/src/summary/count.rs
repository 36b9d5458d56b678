//! `-c` and `--count-matches`: counts the selected lines or records of each input, or their matches.

use std::io::{self, Write};

use super::hit_counter::HitCounter;
use crate::tally::{Continuation, Tally};
use crate::{
    EarlySpans, Findings, Flow, InputFault, ItemHits, KnownSize, Limits, MatchDetail, Prefix, Report, ReportNeeds,
};
use nigh_text::batch::Batch;

/// Whether lines and records are counted, or matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Selected lines or records.
    Selected,
    /// The matches that would be shown in selected lines.
    Matches,
}

/// Prints one number per input.
pub struct CountReport {
    tally: Tally,
    count: Count,
    prefix: Prefix,
    label: Vec<u8>,
    /// Number of matches in the current input.
    matches: u64,
}

impl CountReport {
    /// Makes a report that counts within `limits`. Of the fields of `prefix`, only the file name is shown.
    pub fn new(count: Count, limits: Limits, prefix: Prefix) -> Self {
        CountReport { tally: Tally::new(limits), count, prefix, label: Vec::new(), matches: 0 }
    }
}

impl Report for CountReport {
    fn needs(&self) -> ReportNeeds {
        let spans = match self.count {
            Count::Selected => MatchDetail::None,
            Count::Matches => MatchDetail::Places,
        };
        ReportNeeds {
            spans,
            early_spans: true,
            item_hits: ItemHits::Any,
            ..ReportNeeds::items(self.tally.limits().max_items_in_batch())
        }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.tally.begin();
        self.matches = 0;
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let is_over = match self.count {
            Count::Selected => {
                self.tally.add(batch, findings);
                self.tally.is_full()
            }
            Count::Matches => {
                let items = self.tally.add_matching(batch, findings);
                self.matches += items.iter().map(|item| item.spans.len() as u64).sum::<u64>();
                self.tally.is_complete()
            }
        };
        Ok(if is_over { Flow::EnoughOfInput } else { Flow::More })
    }

    fn add_spans(&mut self, early: &EarlySpans, _: &mut dyn Write) -> io::Result<()> {
        let continues = early.line.owned().start > 0 && self.tally.open() == Continuation::Selected;
        if continues || !self.tally.is_full() {
            self.matches += early.spans.len() as u64;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.prefix.file(&self.label, b":", out)?;
        let number = match self.count {
            Count::Selected => self.tally.selected(),
            Count::Matches => self.matches,
        };
        writeln!(out, "{number}")?;
        Ok(Vec::new())
    }

    fn selected_to(&self) -> Option<u64> {
        self.tally.selected_to()
    }

    fn has_selected(&self) -> bool {
        self.tally.any()
    }
}

/// Prints the number of hits in the selected records of each input.
pub struct HitCountReport {
    counter: HitCounter,
    prefix: Prefix,
    label: Vec<u8>,
    /// Number of hits in the current input.
    hits: u64,
}

impl HitCountReport {
    /// Makes a report of the hits that `counter` counts. Of the fields of `prefix`, only the file name is shown.
    pub fn new(counter: HitCounter, prefix: Prefix) -> Self {
        HitCountReport { counter, prefix, label: Vec::new(), hits: 0 }
    }
}

impl Report for HitCountReport {
    fn needs(&self) -> ReportNeeds {
        self.counter.needs()
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.counter.begin();
        self.label = label.to_vec();
        self.hits = 0;
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        Ok(self.counter.add(batch, findings, &mut |count| self.hits += count.hits))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.counter.end(&mut |count| self.hits += count.hits);
        self.prefix.file(&self.label, b":", out)?;
        writeln!(out, "{}", self.hits)?;
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        self.counter.has_selected()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, NON_MATCHING, cigar, found, hit, lines, named, prefix, print_input, records};
    use crate::{BedRows, HitChoice};

    fn printed(count: Count, limits: Limits, prefix: Prefix) -> String {
        let text = lines("[a|0] [a|1]\nb\n[a|2]\n");
        print_input(&mut CountReport::new(count, limits, prefix), "in", &[text])
    }

    #[test]
    fn lines_or_their_matches_are_counted() {
        assert_eq!(printed(Count::Selected, MATCHING, prefix()), "2\n");
        assert_eq!(printed(Count::Matches, MATCHING, named()), "in:3\n");
        assert_eq!(printed(Count::Selected, NON_MATCHING, named()), "in:1\n");
    }

    #[test]
    fn matches_of_lines_over_the_limit_do_not_count() {
        let limits = Limits { max: Some(1), ..MATCHING };
        assert_eq!(printed(Count::Selected, limits, prefix()), "1\n");
        assert_eq!(printed(Count::Matches, limits, prefix()), "2\n");
    }

    #[test]
    fn the_count_of_hits_begins_anew_with_each_input() {
        let batch = records(">a\nACGT\n>b\nAC\n", 100).remove(0);
        let cigar = cigar("6=");
        let mut report = HitCountReport::new(HitCounter::new(None, HitChoice::ALL), named());
        let findings = found(&batch, &BedRows, &[(0, hit(&cigar)), (0, hit(&cigar)), (1, hit(&cigar))]);
        for _ in 0..2 {
            assert_eq!(print_input(&mut report, "in", &[(batch.clone(), findings.clone())]), "in:3\n");
        }
    }
}
