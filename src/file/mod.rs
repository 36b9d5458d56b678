//! Searches a file, or one of several parts of it, for a caller of the library.
//!
//! `split.rs` divides a file into parts. `report.rs` passes the hits to the caller. `captures.rs` finds the groups of a hit.

mod captures;
mod error;
mod report;
mod split;

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

pub use error::FileError;
pub use report::{FileEvent, FileRecord};
pub use split::{FileSplit, SplitPosition, SplitSizes};

use self::report::{Caller, FileReport, RecordEvents};
use crate::searcher::{RecordSplitter, Searcher};
use nigh_engine::Engine;
use nigh_input::{Decoding, Format, InputError, LongLines, Origin};
use nigh_report::{DistanceFloor, HitSelection, RecordShape};
use nigh_search::{
    EngineWork, Input, InputKind, Notice, RecordFormat, Search, SearchError, SearchRoute, ThreadsAtEnd, run,
};

/// The search of a file, or of a part of it; see [`Searcher::file`].
pub struct FileSearch<'s> {
    searcher: &'s Searcher,
    part: FileSplit,
    selection: HitSelection,
    threads: usize,
    ignores_ansi: bool,
    /// The division of lines into records; `None` if lines form no records.
    records: Option<RecordSplitter>,
}

impl Searcher {
    /// Searches a file. With an alphabet of residues, the file is FASTA or FASTQ, and each record is searched.
    /// Otherwise its lines are. It may be compressed with gzip, bgzf, zstd, xz, lzma, bzip2 or lz4.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use nigh::{FileEvent, Searcher};
    ///
    /// let searcher = Searcher::dna("GCTGAAGCGGATC", 2)?;
    /// let mut places = Vec::new();
    /// searcher.file("tests/data/lambda.fa").best().threads(2).for_each(|event| {
    ///     if let FileEvent::Hit(hit) = event {
    ///         places.push(hit.start..hit.end);
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(places.len(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn file(&self, path: impl AsRef<Path>) -> FileSearch<'_> {
        self.file_part(&FileSplit::whole(path))
    }

    /// Searches one of several parts of a file. The hits of all parts, one after the other, are those of the file.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{FileSplit, Searcher};
    ///
    /// let searcher = Searcher::dna("GCTGAAGCGGATC", 2)?;
    /// let mut count = 0;
    /// for part in FileSplit::of("tests/data/lambda.fa", 4)? {
    ///     count += searcher.file_part(&part).count()?;
    /// }
    /// assert_eq!(count, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn file_part(&self, part: &FileSplit) -> FileSearch<'_> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let selection = HitSelection::All;
        FileSearch { searcher: self, part: part.clone(), selection, threads, ignores_ansi: false, records: None }
    }
}

/// Converts an input error to an error with the same message, which keeps the kind of a system error.
fn cause(error: &InputError) -> Box<dyn Error + Send + Sync> {
    match error {
        InputError::Io(system) => std::io::Error::new(system.kind(), error.to_string()).into(),
        _ => error.to_string().into(),
    }
}

impl FileSearch<'_> {
    /// Finds only the best of the matches that overlap, for each pattern and strand.
    pub fn best(self) -> Self {
        self.select(HitSelection::Best)
    }

    /// Finds only one match for each site of an exact group, as [`Matches::sites`](crate::Matches::sites) does.
    pub fn sites(self) -> Self {
        self.select(HitSelection::Sites)
    }

    /// Sets which matches are found; all by default.
    pub fn select(self, selection: HitSelection) -> Self {
        FileSearch { selection, ..self }
    }

    /// Sets the number of threads; one for each core by default. 0 threads count as 1.
    pub fn threads(self, threads: usize) -> Self {
        FileSearch { threads, ..self }
    }

    /// Sets whether escape sequences of terminals, such as colours, are no part of the text. By default they are searched.
    /// The offsets and the texts of matches are then those of the text without escape sequences. Sequences are
    /// searched as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::Searcher;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let log = folder.path().join("log");
    /// std::fs::write(&log, "job \x1b[31mfai\x1b[mled\n")?;
    /// let searcher = Searcher::new("failed", 0)?;
    /// assert_eq!(searcher.file(&log).ignore_ansi(true).count()?, 1);
    /// assert_eq!(searcher.file(&log).count()?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ignore_ansi(self, wanted: bool) -> Self {
        FileSearch { ignores_ansi: wanted, ..self }
    }

    /// Divides the lines of a text into records, so that a [`FileEvent::Record`] comes before the hits of each record that
    /// has hits. The hits are the same as without records: each lies within one line. A record is kept in memory as a
    /// whole.
    ///
    /// The search then fails with [`FileError::RecordsOfSequences`] if the alphabet is one of residues, and with
    /// [`FileError::RecordsInPart`] for one of several parts of a file.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use nigh::{FileEvent, RecordSplitter, Searcher};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let log = folder.path().join("log");
    /// std::fs::write(&log, "10:01 start\n10:02 fault\n  at disk.c:7: time out\n10:03 stop\n")?;
    /// let records = RecordSplitter::new(r"^\d\d:\d\d ")?;
    /// let mut found = Vec::new();
    /// Searcher::new("timeout", 1)?.file(&log).best().record_start(&records).for_each(|event| {
    ///     match event {
    ///         FileEvent::Record(record) => found.push((record.start, record.text.to_vec())),
    ///         FileEvent::Hit(hit) => assert_eq!(hit.text, b"time out"),
    ///         _ => {}
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(found, [(12, b"10:02 fault\n  at disk.c:7: time out\n".to_vec())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_start(self, records: &RecordSplitter) -> Self {
        FileSearch { records: Some(records.clone()), ..self }
    }

    /// Counts the matches.
    ///
    /// # Errors
    /// As for [`for_each`](Self::for_each).
    pub fn count(self) -> Result<u64, FileError> {
        let mut count = 0;
        self.for_each(|event| {
            count += u64::from(matches!(event, FileEvent::Hit(_)));
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// Passes the matches to `each` in their order: of records, of ends, and of patterns. `each` ends the search by
    /// returning `Break`. The threads of the search end before this method returns: each completes its batch, and none
    /// waits for more data of a pipe.
    ///
    /// # Errors
    /// Fails if the file cannot be read to its end, or if it has changed since it was split. Hits that were passed on
    /// before are valid. Fails with [`FileError::BestInPart`] for another selection than [`HitSelection::All`] in one
    /// of several parts, and with [`FileError::AllWithMinEdits`] for [`HitSelection::All`] if the searcher has a least number
    /// of edits. [`record_start`](Self::record_start) has errors of its own.
    pub fn for_each(self, mut each: impl FnMut(FileEvent<'_>) -> ControlFlow<()>) -> Result<(), FileError> {
        let part = &self.part;
        part.check()?;
        self.check()?;
        let caller = Caller::new(&mut each);
        let (mut warnings, mut failure) = (Vec::new(), None);
        let outcome = run(self.search(&caller), &mut io::sink(), &mut |_, notice| match notice {
            Notice::Failed(error) => failure = Some(FileError::unreadable(part.path(), cause(error))),
            Notice::NotSearched(_) => failure = Some(FileError::unreadable(part.path(), notice.to_string())),
            Notice::TakesLong(_) => {}
            _ => warnings.push(notice.to_string()),
        });
        let is_stopped = caller.is_stopped();
        for warning in &warnings {
            if caller.tell(FileEvent::Warning(warning)).is_break() {
                break;
            }
        }
        match (outcome, failure) {
            _ if is_stopped => Ok(()),
            (_, Some(failure)) => Err(failure),
            (Ok(_), None) => Ok(()),
            (Err(SearchError::Engine(error)), None) => Err(error.into()),
            (Err(SearchError::WorkerStopped), None) => Err(FileError::WorkerStopped),
            (Err(error), None) => Err(FileError::unreadable(part.path(), error.to_string())),
        }
    }

    /// Checks that the options can be used with each other.
    fn check(&self) -> Result<(), FileError> {
        let file = || self.part.path().to_owned();
        let is_part = self.part.position().count > 1;
        match &self.records {
            Some(_) if self.is_sequence() => Err(FileError::RecordsOfSequences { file: file() }),
            Some(_) if is_part => Err(FileError::RecordsInPart { file: file() }),
            _ if self.searcher.min_edits() > 0 && self.selection == HitSelection::All => {
                Err(FileError::AllWithMinEdits { file: file() })
            }
            _ if is_part && self.selection != HitSelection::All => Err(FileError::BestInPart { file: file() }),
            _ => Ok(()),
        }
    }

    /// Returns the engine that finds the selected matches.
    fn engine(&self) -> &Arc<Engine> {
        match self.selection {
            HitSelection::Sites => self.searcher.site_engine(),
            HitSelection::All | HitSelection::Best => self.searcher.engine(),
        }
    }

    fn is_sequence(&self) -> bool {
        self.searcher.engine().patterns().alphabet().is_sequence()
    }

    /// Returns how the file is divided.
    fn format(&self) -> Format {
        let (searcher, is_sequence) = (self.searcher, self.is_sequence());
        let is_whole = searcher.keeps_records() || !is_sequence && searcher.engine().patterns().has_whole_lines();
        let long = if is_whole { LongLines::Whole } else { LongLines::Cut };
        match &self.records {
            Some(records) => Format::LineRecords { rule: records.rule(), long: LongLines::Whole },
            None if is_sequence => Format::Fasta { long },
            None => Format::Lines { terminator: b'\n', long },
        }
    }

    fn search<'c>(&self, caller: &'c Caller<'c>) -> Search<'c> {
        let (searcher, part, is_sequence) = (self.searcher, &self.part, self.is_sequence());
        let records = if self.records.is_some() { RecordEvents::OfLines } else { RecordEvents::None };
        let is_other = !Arc::ptr_eq(self.engine(), searcher.engine());
        let before = if is_other { searcher.engine().patterns().patterns().len() } else { 0 };
        let route = SearchRoute {
            work: Arc::new(EngineWork::new(self.engine().clone(), Some(self.threads))),
            report: Box::new(FileReport::new(caller, self.selection, records).after_patterns(before)),
            format: self.format(),
            batch_bytes: part.batch_bytes(),
            floor: Some(searcher.min_edits()).filter(|&min| min > 0).map(DistanceFloor::Hits),
            records: RecordShape::Linear,
        };
        let input = Input {
            origin: Origin::File(part.path().to_owned()),
            label: part.path().display().to_string().into_bytes(),
            decoding: Decoding { hides_escapes: self.ignores_ansi && !is_sequence, ..Decoding::AUTOMATIC },
            kind: if is_sequence { InputKind::Sequences } else { InputKind::Text },
            records: RecordFormat::Fasta,
            max_distance: None,
            mates: None,
        };
        Search { shard: part.shard(), threads_at_end: ThreadsAtEnd::Joined, ..Search::of_input(input, route) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use fastrand::Rng;

    use super::*;
    use nigh_text::alphabet::Alphabet;

    /// A hit that owns its fields.
    type Row = (Option<Vec<u8>>, u64, u64, usize, usize, u8, String, Vec<u8>);

    fn rows(searcher: &Searcher, part: &FileSplit, threads: usize) -> Result<Vec<Row>, FileError> {
        selected_rows(searcher, part, HitSelection::All, threads)
    }

    fn selected_rows(
        searcher: &Searcher,
        part: &FileSplit,
        selection: HitSelection,
        threads: usize,
    ) -> Result<Vec<Row>, FileError> {
        let mut rows = Vec::new();
        searcher.file_part(part).select(selection).threads(threads).for_each(|event| {
            if let FileEvent::Hit(hit) = event {
                let record = hit.record.map(<[u8]>::to_vec);
                let (sign, cigar, text) = (hit.strand.sign(), hit.cigar.to_string(), hit.text.to_vec());
                rows.push((record, hit.start, hit.end, hit.pattern, hit.distance, sign, cigar, text));
            }
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    /// A line or record: its name, its offset in the file, and its text.
    type Item = (Option<Vec<u8>>, u64, Vec<u8>);

    /// Searches lines or records in memory.
    fn expected(searcher: &Searcher, items: &[Item], selection: HitSelection) -> Vec<Row> {
        let found = searcher.find_in_texts(items.iter().map(|item| item.2.as_slice()));
        let row = |(index, found): (usize, crate::Match<'_>)| {
            let (record, offset, _) = &items[index];
            let (start, end) = (offset + found.start() as u64, offset + found.end() as u64);
            let (sign, cigar, text) = (found.strand().sign(), found.cigar().to_string(), found.text().to_vec());
            (record.clone(), start, end, found.pattern(), found.distance(), sign, cigar, text)
        };
        match selection {
            HitSelection::All => found.map(row).collect(),
            HitSelection::Best => found.best().map(row).collect(),
            HitSelection::Sites => found.sites().map(row).collect(),
        }
    }

    #[test]
    fn sites_in_a_file_are_those_of_its_records() {
        let mut rng = Rng::with_seed(33);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (mut file, mut items) = (Vec::new(), Vec::new());
        for item in 0..20 {
            let length = if item % 10 == 0 { 2_000_000 } else { 500 };
            let content: Vec<u8> = (0..length).map(|_| b"ACGT"[rng.usize(..4)]).collect();
            let name = format!("record{item}").into_bytes();
            file.extend([b">", &name[..], b"\n"].concat());
            content.chunks(61).for_each(|line| file.extend([line, b"\n"].concat()));
            items.push((Some(name), 0, content));
        }
        fs::write(&path, &file).unwrap();
        let [part] = &FileSplit::of(&path, 1).unwrap()[..] else { panic!("one part") };
        for edits in ["1", "2s"] {
            let builder = Searcher::builder(Alphabet::Dna).patterns(["ACGTACTG<NGG>", "<TTTN>GACGTCAC", "GATTACAG"]);
            let searcher = builder.bound(edits.parse::<nigh_pattern::Bound>().unwrap()).build().unwrap();
            let expected = expected(&searcher, &items, HitSelection::Sites);
            assert!(expected.len() > 100, "{}", expected.len());
            let found = selected_rows(&searcher, part, HitSelection::Sites, 3).unwrap();
            let first = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            assert!(found == expected, "-k {edits}: {first:?}, {} and {} sites", found.len(), expected.len());
        }
    }

    #[test]
    fn parts_of_a_file_have_the_hits_of_its_lines_or_records() {
        let mut rng = Rng::with_seed(31);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut found = 0;
        for case in 0..12 {
            let alphabet = [Alphabet::Dna, Alphabet::Text][case % 2];
            let letters: &[u8] = if alphabet == Alphabet::Dna { b"ACGT" } else { b"abc " };
            let mut random = |length| (0..length).map(|_| letters[rng.usize(..4)]).collect::<Vec<u8>>();
            let (mut file, mut items) = (Vec::new(), Vec::new());
            for item in 0..40 {
                let content = random(if item % 10 == 0 { 300_000 } else { 500 });
                if alphabet == Alphabet::Dna {
                    let name = format!("record{item}").into_bytes();
                    file.extend([b">", &name[..], b" of a test\n"].concat());
                    content.chunks(61).for_each(|line| file.extend([line, b"\n"].concat()));
                    items.push((Some(name), 0, content));
                } else {
                    items.push((None, file.len() as u64, content.clone()));
                    file.extend([&content[..], b"\n"].concat());
                }
            }
            let patterns = [random(9), random(11)];
            fs::write(&path, if case % 3 == 0 { zstd::encode_all(&file[..], 1).unwrap() } else { file }).unwrap();
            let searcher = Searcher::builder(alphabet).patterns(&patterns).max_edits(1).build().unwrap();
            let best = expected(&searcher, &items, HitSelection::Best);
            let expected = expected(&searcher, &items, HitSelection::All);
            found += expected.len();
            assert!(best.len() < expected.len());
            let whole = FileSplit::whole(&path);
            assert!(rows(&searcher, &whole, 2).unwrap() == expected, "case {case}");
            let chosen = selected_rows(&searcher, &whole, HitSelection::Best, 2).unwrap();
            assert!(chosen == best, "case {case}");
            for count in [1, 3, 8] {
                let parts = FileSplit::of(&path, count).unwrap();
                let rows: Vec<Vec<Row>> =
                    parts.iter().map(|part| rows(&searcher, part, 1 + case % 2).unwrap()).collect();
                assert!(rows.iter().filter(|rows| !rows.is_empty()).count() as u64 > count / 2);
                assert!(rows.concat() == expected, "case {case}, {count} parts");
            }
        }
        assert!(found > 1_000, "{found}");
    }

    #[test]
    fn escape_sequences_are_no_part_of_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let (path, plain) = (folder.path().join("file"), folder.path().join("plain"));
        let mut rng = Rng::with_seed(35);
        let (mut coloured, mut text) = (Vec::new(), Vec::new());
        for _ in 0..300_000 {
            let letter = b"abc \n"[rng.usize(..5)];
            if rng.u8(..4) == 0 {
                coloured.extend_from_slice(b"\x1b[01;31m");
            }
            coloured.push(letter);
            text.push(letter);
        }
        fs::write(&plain, text).unwrap();
        fs::write(&path, coloured).unwrap();
        let searcher = Searcher::new("abcab", 1).unwrap();
        let expected = rows(&searcher, &FileSplit::whole(&plain), 2).unwrap();
        let expected: Vec<_> = expected.into_iter().map(|row| (row.1, row.2, row.7)).collect();
        for count in [0, 1, 5] {
            let parts = if count == 0 { vec![FileSplit::whole(&path)] } else { FileSplit::of(&path, count).unwrap() };
            let mut hits = Vec::new();
            for part in &parts {
                let search = searcher.file_part(part).ignore_ansi(true).threads(2);
                search
                    .for_each(|event| {
                        if let FileEvent::Hit(hit) = event {
                            hits.push((hit.start, hit.end, hit.text.to_vec()));
                        }
                        ControlFlow::Continue(())
                    })
                    .unwrap();
            }
            assert!(hits == expected, "{count} parts");
        }
        assert!(expected.len() > 1_000, "{}", expected.len());
    }

    #[test]
    fn the_best_matches_of_a_record_do_not_depend_on_batches() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // Matches overlap from the start to the end of the record, which has several batches.
        let sequence = b"ACGTACG".repeat(200_000);
        let file = [b">chain\n", &sequence[..], b"\n"].concat();
        let searcher = Searcher::dna("ACGTACGT", 1).unwrap();
        let item = (Some(b"chain".to_vec()), 0, sequence);
        let best = expected(&searcher, &[item], HitSelection::Best);
        assert!(best.len() > 50_000);
        for content in [file.clone(), zstd::encode_all(&file[..], 1).unwrap()] {
            fs::write(&path, content).unwrap();
            for threads in [0, 1, 3] {
                let found = selected_rows(&searcher, &FileSplit::whole(&path), HitSelection::Best, threads).unwrap();
                assert!(found == best, "{threads} threads");
            }
        }
    }

    #[test]
    fn a_search_ends_when_the_caller_stops_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc\n".repeat(1_000_000)).unwrap();
        let mut hits = 0;
        let searcher = Searcher::new("abc", 0).unwrap();
        let mut each = |event: FileEvent<'_>| {
            hits += usize::from(matches!(event, FileEvent::Hit(_)));
            if hits == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        searcher.file(&path).threads(2).for_each(&mut each).unwrap();
        assert_eq!(hits, 3);
    }

    #[test]
    fn no_thread_reads_a_pipe_after_the_search() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        for content in [&b"abc\nabc\n"[..], &zstd::encode_all(&b"abc\nabc\n"[..], 1).unwrap()] {
            let (text, pipe) = (content.to_vec(), path.clone());
            let writer = std::thread::spawn(move || {
                let mut pipe = fs::OpenOptions::new().write(true).open(pipe).unwrap();
                pipe.write_all(&text).unwrap();
                pipe
            });
            let searcher = Searcher::new("abc", 0).unwrap();
            searcher.file(&path).threads(2).for_each(|_| ControlFlow::Break(())).unwrap();
            // The pipe has a writer, so a reader would wait for more.
            let error = writer.join().unwrap().write_all(b"abc\n").unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
        }
    }

    #[test]
    fn unreadable_and_changed_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let searcher = Searcher::new("abc", 0).unwrap();
        let message = |result: Result<Vec<Row>, FileError>| result.unwrap_err().to_string();
        assert!(message(rows(&searcher, &FileSplit::whole(&path), 1)).ends_with("No such file or directory"));
        assert!(FileSplit::of(&path, 2).unwrap_err().to_string().ends_with("No such file or directory"));
        assert!(FileSplit::of(folder.path(), 2).unwrap_err().to_string().contains("not a regular file"));
        fs::write(&path, "abc\n").unwrap();
        let part = FileSplit::of(&path, 2).unwrap().remove(0);
        let error = selected_rows(&searcher, &part, HitSelection::Best, 1).unwrap_err();
        assert!(error.to_string().contains("the best matches of a part can depend on another part"));
        let (position, sizes) = (part.position(), part.sizes().unwrap());
        assert_eq!(FileSplit::restore(&path, position, sizes), Some(part.clone()));
        assert_eq!(FileSplit::restore(&path, SplitPosition { index: 2, count: 2 }, sizes), None);
        fs::write(&path, "abc\nabc\n").unwrap();
        assert!(message(rows(&searcher, &part, 1)).contains("had 4 bytes when it was split, but has 8 now"));
        fs::write(&path, b"\x1f\x8b\x08 is cut off").unwrap();
        assert!(message(rows(&searcher, &FileSplit::whole(&path), 1)).contains("begins like gzip data"));
        let guides = Searcher::dna("ACGTACGT", 1).unwrap();
        fs::write(&path, ">a\nACGT\n+\n@").unwrap();
        assert!(rows(&guides, &FileSplit::whole(&path), 1).is_ok());
        fs::write(&path, "ACGTACGT\n").unwrap();
        assert!(message(rows(&guides, &FileSplit::whole(&path), 1)).contains("line 1"));
    }
}
