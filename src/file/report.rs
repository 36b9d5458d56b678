//! Passes the hits of a search to the caller, in the caller's thread.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::ops::ControlFlow;

use nigh_report::{
    EarlyRows, FileHit, Findings, Flow, HitForm, HitSelection, InputFault, KnownSize, Report, ReportNeeds,
};
use nigh_text::batch::Batch;
use nigh_text::interrupt;

/// An event in the search of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileEvent<'a> {
    /// A record of lines that has hits: those that follow, up to the next record. There is such an event only after
    /// [`FileSearch::record_start`](crate::FileSearch::record_start).
    Record(FileRecord<'a>),
    /// A hit.
    Hit(FileHit<'a>),
    /// A piece of the file, of at most a few megabytes, was searched. The caller may use this event to end the search.
    /// There is no such event while the text before a part is skipped.
    Progress,
    /// A message about the file, which was searched nevertheless.
    Warning(&'a str),
}

/// A record of lines in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRecord<'a> {
    /// Start of the record: the number of bytes of the file's text before it.
    pub start: u64,
    /// The lines of the record, with their line ends.
    pub text: &'a [u8],
}

/// Whether the caller receives the records of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordEvents {
    /// Only hits.
    None,
    /// Each record of lines that has hits, before its hits.
    OfLines,
}

/// Receives the events of a search.
type EachEvent<'e> = dyn FnMut(FileEvent<'_>) -> ControlFlow<()> + 'e;

/// The caller of a search, who may end it.
pub(super) struct Caller<'e> {
    each: RefCell<&'e mut EachEvent<'e>>,
    is_stopped: Cell<bool>,
}

impl<'e> Caller<'e> {
    pub(super) fn new(each: &'e mut EachEvent<'e>) -> Self {
        Caller { each: RefCell::new(each), is_stopped: Cell::new(false) }
    }

    /// Returns whether the caller has ended the search.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Passes on an event, unless the caller has ended the search.
    pub(super) fn tell(&self, event: FileEvent<'_>) -> ControlFlow<()> {
        if !self.is_stopped() {
            interrupt::check();
            self.is_stopped.set((self.each.borrow_mut())(event).is_break());
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Passes on hits, and a progress event after each batch.
pub(super) struct FileReport<'c> {
    caller: &'c Caller<'c>,
    selection: HitSelection,
    records: RecordEvents,
    /// The number of patterns of the searcher before those that are searched for.
    first_pattern: usize,
    has_hits: bool,
}

impl<'c> FileReport<'c> {
    pub(super) fn new(caller: &'c Caller<'c>, selection: HitSelection, records: RecordEvents) -> Self {
        FileReport { caller, selection, records, first_pattern: 0, has_hits: false }
    }

    /// Sets the number of patterns of the searcher before those that are searched for.
    pub(super) fn after_patterns(self, count: usize) -> Self {
        FileReport { first_pattern: count, ..self }
    }

    fn pass_on<'h>(&mut self, mut hits: impl Iterator<Item = FileHit<'h>>) -> ControlFlow<()> {
        hits.try_for_each(|mut hit| {
            self.has_hits = true;
            hit.alternative = hit.alternative.map(|alternative| self.first_pattern + alternative);
            self.caller.tell(FileEvent::Hit(hit))
        })
    }

    /// Passes on the records of a batch that have hits, each before its hits.
    fn pass_on_records(&mut self, batch: &Batch, findings: &Findings) -> ControlFlow<()> {
        let mut with_hits = findings.items.iter().filter(|item| !item.found.is_empty());
        with_hits.try_for_each(|item| {
            let (start, text) = (batch.position(item.record.start), &batch.shown()[item.record.clone()]);
            self.caller.tell(FileEvent::Record(FileRecord { start, text }))?;
            self.pass_on(findings.found.range(item.found.clone()))
        })
    }
}

impl Report for FileReport<'_> {
    fn needs(&self) -> ReportNeeds {
        let (each_hit, hits) = (Some(HitForm::Value), self.selection);
        // A record is known with all its lines, so its hits wait for the end of their batch.
        let all_rows = self.records == RecordEvents::None;
        ReportNeeds { each_hit, hits, all_rows, ..ReportNeeds::items(usize::MAX) }
    }

    fn begin(&mut self, _: &[u8], _: &KnownSize<'_>) {}

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let flow = match self.records {
            RecordEvents::None => self.pass_on(findings.found.iter()),
            RecordEvents::OfLines => self.pass_on_records(batch, findings),
        };
        let flow = if flow.is_continue() { self.caller.tell(FileEvent::Progress) } else { flow };
        Ok(if flow.is_break() { Flow::EnoughOfAll } else { Flow::More })
    }

    fn add_rows(&mut self, rows: &EarlyRows, _: &mut dyn Write) -> io::Result<()> {
        match self.pass_on(rows.found.iter()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(io::Error::other("the caller ended the search")),
        }
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        self.has_hits
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fastrand::Rng;

    use super::*;
    use crate::file::{FileError, FileSearch, FileSplit};
    use crate::searcher::{RecordSplitter, Searcher};
    use nigh_text::alphabet::Alphabet;

    /// A record with its hits: its start and its text, and the start, the end and the text of each hit.
    type RecordRow = (u64, Vec<u8>, Vec<(u64, u64, Vec<u8>)>);

    fn rows(search: FileSearch<'_>) -> Result<Vec<RecordRow>, FileError> {
        let mut rows: Vec<RecordRow> = Vec::new();
        search.for_each(|event| {
            match event {
                FileEvent::Record(record) => rows.push((record.start, record.text.to_vec(), Vec::new())),
                FileEvent::Hit(hit) => rows.last_mut().unwrap().2.push((hit.start, hit.end, hit.text.to_vec())),
                FileEvent::Warning(warning) => panic!("{warning}"),
                FileEvent::Progress => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    /// Returns the records that begin with lines that begin with `a`, each with the best hits of its lines.
    fn expected(searcher: &Searcher, text: &[u8]) -> Vec<RecordRow> {
        let (mut rows, mut cache): (Vec<RecordRow>, _) = (Vec::new(), searcher.cache());
        let mut at = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if rows.is_empty() || line.starts_with(b"a") {
                rows.push((at, Vec::new(), Vec::new()));
            }
            let row = rows.last_mut().unwrap();
            row.1.extend_from_slice(line);
            let best = cache.find_iter(line).best();
            row.2.extend(best.map(|one| (at + one.start() as u64, at + one.end() as u64, one.text().to_vec())));
            at += line.len() as u64;
        }
        rows.retain(|row| !row.2.is_empty());
        rows
    }

    #[test]
    fn each_record_comes_once_before_its_hits() {
        let mut rng = Rng::with_seed(42);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let splitter = RecordSplitter::new("^a").unwrap();
        let builder = Searcher::builder(Alphabet::Text).patterns(["abcab", "cbacc"]).max_edits(1);
        let searcher = builder.build().unwrap();
        let mut count = 0;
        // Lines are short, records longer than a batch, or both are long.
        for letters in [&b"abc  \n"[..], b"bc abca\n", b"cccbacbcbaccbcbacbcbcbcbcbcbcbcbcbcbcbcb\n"] {
            for length in [0, 10, 1_000, 1_500_000] {
                let text: Vec<u8> = (0..length).map(|_| letters[rng.usize(..letters.len())]).collect();
                let expected = expected(&searcher, &text);
                count += expected.len();
                for content in [text.clone(), zstd::encode_all(&text[..], 1).unwrap()] {
                    fs::write(&path, content).unwrap();
                    for threads in [1, 3] {
                        let search = searcher.file(&path).best().threads(threads).record_start(&splitter);
                        assert!(rows(search).unwrap() == expected, "{length} bytes, {threads} threads");
                    }
                    let part = FileSplit::of(&path, 1).unwrap().remove(0);
                    let search = searcher.file_part(&part).best().record_start(&splitter);
                    assert!(rows(search).unwrap() == expected, "{length} bytes, one part");
                }
            }
        }
        assert!(count > 10_000, "{count}");
    }

    #[test]
    fn records_are_as_without_escape_sequences() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "x\n\x1b[31ma\x1b[m b\n c\x1b[mc\na").unwrap();
        let (searcher, splitter) = (Searcher::new("cc", 0).unwrap(), RecordSplitter::new("^a").unwrap());
        let search = searcher.file(&path).ignore_ansi(true).record_start(&splitter);
        assert_eq!(rows(search).unwrap(), [(2, b"a b\n cc\n".to_vec(), vec![(7, 9, b"cc".to_vec())])]);
    }

    #[test]
    fn a_search_with_records_stops_at_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "a b\n".repeat(1_000_000)).unwrap();
        let (searcher, splitter) = (Searcher::new("b", 0).unwrap(), RecordSplitter::new("^a").unwrap());
        let mut events = 0;
        let search = searcher.file(&path).record_start(&splitter).for_each(|_| {
            events += 1;
            if events == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        search.unwrap();
        assert_eq!(events, 5);
    }

    #[test]
    fn parts_and_sequences_have_no_records_of_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, ">a\nACGT\n").unwrap();
        let splitter = RecordSplitter::new("^a").unwrap();
        let (text, guides) = (Searcher::new("abc", 1).unwrap(), Searcher::dna("ACGT", 1).unwrap());
        let part = FileSplit::of(&path, 2).unwrap().remove(0);
        let error = rows(text.file_part(&part).record_start(&splitter)).unwrap_err().to_string();
        assert!(
            error.ends_with("the records of a part depend on the text before it; search the whole file"),
            "{error}"
        );
        let error = rows(guides.file(&path).record_start(&splitter)).unwrap_err().to_string();
        assert!(error.ends_with("lines form records only in text, and this is a search of sequences"), "{error}");
    }
}
