//! `--stats`: prints totals of a search after its output, in ripgrep's wording.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::selection::{Selection, offset_after, selected_lines};
use crate::tally::Tally;
use crate::{
    EarlyRows, EarlySpans, ExceededLimit, Findings, Flow, HitSelection, InputFault, ItemHits, Keep, KnownSize, Limits,
    MatchDetail, Report, ReportNeeds,
};
use nigh_text::batch::Batch;

/// Totals of a search. The reports on lines and on sequences share them.
#[derive(Debug, Clone)]
pub struct Stats {
    totals: Arc<Mutex<Totals>>,
    scope: StatsScope,
}

/// The part of the input that the totals cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsScope {
    /// The whole input.
    Whole,
    /// One shard. Totals that cannot be summed over shards are not printed.
    Shard,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    /// Matches in selected lines, and hits in records.
    matches: u64,
    /// Selected lines and records.
    selected: u64,
    /// Inputs with a selected line or record.
    inputs_with: u64,
    /// Inputs searched.
    inputs: u64,
    /// Bytes printed.
    printed: u64,
    searched: u64,
    /// Time from the beginning to the end of each input, added up.
    spent: Duration,
    /// Whether lines of text may be searched.
    lines: bool,
    /// Whether records may be searched.
    records: bool,
}

impl Stats {
    /// Makes totals of 0.
    pub fn new(scope: StatsScope) -> Self {
        Stats { totals: Arc::default(), scope }
    }

    /// Writes the totals, and the time that has passed since `since`.
    ///
    /// # Errors
    /// Write errors.
    pub fn write(&self, since: Instant, out: &mut dyn Write) -> io::Result<()> {
        let totals = *self.totals.lock().expect("no panic while the lock is held");
        writeln!(out, "\n{} matches", totals.matches)?;
        let selected = match (totals.lines, totals.records) {
            (_, false) => "lines",
            (false, true) => "records",
            (true, true) => "lines and records",
        };
        writeln!(out, "{} matched {selected}", totals.selected)?;
        if self.scope == StatsScope::Whole {
            writeln!(out, "{} files contained matches", totals.inputs_with)?;
            writeln!(out, "{} files searched", totals.inputs)?;
        }
        if self.scope == StatsScope::Whole {
            writeln!(out, "{} bytes printed", totals.printed)?;
        }
        writeln!(out, "{} bytes searched", totals.searched)?;
        writeln!(out, "{:.6} seconds spent searching", totals.spent.as_secs_f64())?;
        match self.scope {
            StatsScope::Whole => writeln!(out, "{:.6} seconds", since.elapsed().as_secs_f64()),
            StatsScope::Shard => Ok(()),
        }
    }

    fn count(&self, count: impl FnOnce(&mut Totals)) {
        count(&mut self.totals.lock().expect("no panic while the lock is held"));
    }
}

/// Wraps another report, and counts the totals of the search and the bytes that the report prints.
pub struct StatsReport {
    inner: Box<dyn Report>,
    stats: Stats,
    tally: Tally,
    /// The facts about matches in lines that are needed to count them. If there are none, hits count.
    spans: MatchDetail,
    /// Number of matches of the next line that were reported before the line's other matches.
    early: u64,
    /// Time when the current input began.
    since: Instant,
    /// Number of bytes of the current input searched so far.
    searched: u64,
}

/// A writer that counts the bytes written to another writer.
struct ByteCountWriter<'a> {
    out: &'a mut dyn Write,
    written: u64,
}

impl Write for ByteCountWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl StatsReport {
    /// Wraps a report on lines. `limits` are the same as in that report.
    pub fn of_lines(inner: Box<dyn Report>, limits: Limits, stats: Stats) -> Self {
        stats.count(|totals| totals.lines = true);
        let spans = counted_spans(inner.as_ref());
        StatsReport { inner, stats, tally: Tally::new(limits), spans, early: 0, since: Instant::now(), searched: 0 }
    }

    /// Wraps a report on lines that form records. `limits` are the same as in that report.
    pub fn of_line_records(inner: Box<dyn Report>, limits: Limits, stats: Stats) -> Self {
        stats.count(|totals| totals.records = true);
        let spans = counted_spans(inner.as_ref());
        StatsReport { spans, ..StatsReport::of_records(inner, limits, stats) }
    }

    /// Wraps a report on sequences. Every hit counts as a match.
    pub fn of_records(inner: Box<dyn Report>, limits: Limits, stats: Stats) -> Self {
        stats.count(|totals| totals.records = true);
        let (tally, since) = (Tally::new(limits), Instant::now());
        StatsReport { inner, stats, tally, spans: MatchDetail::None, early: 0, since, searched: 0 }
    }

    fn selection(&self) -> Selection {
        Selection { keep: self.tally.limits().keep, first_has_hit: false }
    }

    /// Returns the offset in the input just past the last of the `new` lines that the batch selected; `None` if it
    /// selected none.
    fn end_of_selected(&self, new: u64, batch: &Batch, findings: &Findings) -> Option<u64> {
        let last = usize::try_from(new.checked_sub(1)?).ok()?;
        offset_after(last, self.selection(), batch, findings)
    }

    /// Calls `print` with the inner report and a writer that counts the bytes printed.
    fn counted<T>(
        &mut self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Report, &mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut counter = ByteCountWriter { out, written: 0 };
        let result = print(self.inner.as_mut(), &mut counter);
        self.stats.count(|totals| totals.printed += counter.written);
        result
    }
}

/// Returns the facts that are needed to count the matches in lines. A report that prints only some hits counts these.
fn counted_spans(report: &dyn Report) -> MatchDetail {
    let needs = report.needs();
    let prints_some_hits = needs.each_hit.is_some() && needs.hits != HitSelection::All;
    if prints_some_hits { MatchDetail::None } else { MatchDetail::Places }
}

impl Report for StatsReport {
    fn needs(&self) -> ReportNeeds {
        let inner = self.inner.needs();
        let (spans, early_spans) = match inner.spans {
            MatchDetail::None => (self.spans, true),
            spans => (spans, inner.early_spans),
        };
        // Counts up to the user's limits, even after the inner report has enough. Searched bytes include bytes that are
        // not text.
        ReportNeeds {
            spans,
            early_spans,
            item_hits: ItemHits::All,
            max_items: self.tally.limits().max_items_in_batch(),
            all_bytes: true,
            ..inner
        }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.tally.begin();
        (self.searched, self.early) = (0, 0);
        self.since = Instant::now();
        self.inner.begin(label, size);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let flow = self.counted(out, |inner, out| inner.add(batch, findings, out))?;
        let needed_to = self.inner.needed_to();
        let new = match (needed_to, batch.lines()) {
            // Lines after the one with the NUL byte do not count: they were searched only because they are in the same
            // batch.
            (Some(to), Some(lines)) => {
                // The line with the NUL byte may have begun in an earlier batch. It counts as selected only if a
                // message announces it.
                let to = usize::try_from(to.saturating_sub(lines.offset)).unwrap_or(usize::MAX);
                let end = to.saturating_add(usize::from(flow == Flow::Binary));
                let starts = selected_lines(self.selection(), batch, findings);
                self.tally.count(starts.take_while(|&start| start < end).count() as u64)
            }
            _ => self.tally.add(batch, findings),
        };
        let items = match self.tally.limits().keep {
            Keep::Matching => &findings.items[..findings.items.len().min(usize::try_from(new).unwrap_or(usize::MAX))],
            Keep::NonMatching => &[],
        };
        let matches = match batch.lines() {
            Some(_) if self.spans == MatchDetail::None => items.iter().map(|item| item.hits).sum(),
            Some(_) => {
                // Matches that were reported early are in the first line.
                let early = if items.is_empty() { 0 } else { std::mem::take(&mut self.early) };
                early + items.iter().map(|item| item.spans.len() as u64).sum::<u64>()
            }
            None => findings.items.iter().map(|item| item.hits).sum(),
        };
        self.stats.count(|totals| {
            totals.matches += matches;
            totals.selected += new;
        });
        self.searched += batch.owned().len() as u64;
        if !self.tally.is_full() && needed_to.is_none() {
            return Ok(Flow::More);
        }
        let needed_to = needed_to.or_else(|| self.end_of_selected(new, batch, findings));
        if self.stats.scope == StatsScope::Whole {
            self.searched = needed_to.unwrap_or(self.searched);
        }
        Ok(flow)
    }

    fn pass(&mut self, batch: &Batch) {
        self.inner.pass(batch);
    }

    fn add_rows(&mut self, rows: &EarlyRows, out: &mut dyn Write) -> io::Result<()> {
        self.counted(out, |inner, out| inner.add_rows(rows, out))
    }

    fn add_spans(&mut self, early: &EarlySpans, out: &mut dyn Write) -> io::Result<()> {
        self.early += early.spans.len() as u64;
        if self.inner.needs().spans == MatchDetail::None {
            return Ok(());
        }
        self.counted(out, |inner, out| inner.add_spans(early, out))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        let (with, spent, searched) = (u64::from(self.tally.selected() > 0), self.since.elapsed(), self.searched);
        self.stats.count(|totals| {
            totals.inputs += 1;
            totals.searched += searched;
            totals.inputs_with += with;
            totals.spent += spent;
        });
        self.counted(out, |inner, out| inner.end(out))
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        self.counted(out, |inner, out| inner.finish(out))
    }

    fn selected_to(&self) -> Option<u64> {
        self.inner.selected_to()
    }

    fn has_selected(&self) -> bool {
        self.inner.has_selected()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{MATCHING, lines, prefix, print_input};
    use crate::{Count, CountReport};

    #[test]
    fn totals_are_those_of_all_inputs_whatever_is_printed() {
        let stats = Stats::new(StatsScope::Whole);
        let inner = Box::new(CountReport::new(Count::Selected, MATCHING, prefix()));
        let mut report = StatsReport::of_lines(inner, MATCHING, stats.clone());
        assert_eq!(print_input(&mut report, "a", &[lines("[a|0] [a|1]\nb\n[a|2]\n")]), "2\n");
        assert_eq!(print_input(&mut report, "b", &[lines("b\n")]), "0\n");
        let mut out = Vec::new();
        stats.write(Instant::now(), &mut out).unwrap();
        let totals = "\n3 matches\n2 matched lines\n1 files contained matches\n2 files searched\n4 bytes printed\n10 bytes searched\n";
        assert!(String::from_utf8(out).unwrap().starts_with(totals));
    }
}
