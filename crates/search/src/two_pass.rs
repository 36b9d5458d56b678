//! `--best=all` and `--best=file`: a search in two passes.
//!
//! The first pass finds the least distance of each input and prints nothing. The second pass prints the hits up to that
//! distance. Both passes read every input, so an input that can be read only once is first copied to a temporary file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use super::temporary_file::TemporaryFile;
use super::{Entry, Notice, RecordsInText, Search, SearchError, SkipReason, run};
use nigh_input::{Origin, plain};
use nigh_report::{BestScope, Distances, Flow, LeastReport};

/// Size of the buffer for copies to a temporary file, in bytes.
const COPY: usize = 64 << 10;

/// Result of the first pass.
pub struct FirstPass {
    /// Inputs of the second pass. With [`BestScope::File`], each has its own bound.
    pub entries: Vec<Entry>,
    /// Bound of the second pass: the least distance in all inputs, or, with [`BestScope::File`], the greatest among the
    /// least distances of the inputs; 0 if there is no match.
    pub max_distance: usize,
    /// Whether an input could not be searched.
    pub failed: bool,
}

/// Finds the least distances in the inputs of `entries`, for a `scope` of all inputs or each file. Runs `search` with
/// its inputs and reports replaced. `notify` receives the notices.
///
/// The least distance of an input that cannot be read to its end is unknown. Such an input is left out, with a
/// notice.
///
/// # Errors
/// Fails if an engine fails or a thread stops.
pub fn find_least(
    mut search: Search,
    entries: Vec<Entry>,
    scope: BestScope,
    notify: &mut dyn FnMut(&[u8], &Notice),
) -> Result<FirstPass, SearchError> {
    let is_by_file = scope == BestScope::File;
    let mut keyed = entries.clone();
    let labels: Vec<Vec<u8>> =
        keyed.iter_mut().enumerate().map(|(index, entry)| std::mem::replace(entry.label_mut(), key(index))).collect();
    search.inputs = Box::new(keyed.into_iter());
    // The second pass gives the notices about records in text and about decoded text.
    search.records_in_text = RecordsInText::Ignored;
    let distances = Arc::new(Mutex::new(Distances::new()));
    for route in search.routes_mut() {
        let at_zero = if is_by_file { Flow::EnoughOfInput } else { Flow::EnoughOfAll };
        route.report = Box::new(LeastReport::new(distances.clone(), at_zero));
    }
    let mut left_out = HashSet::new();
    let mut note = |key: &[u8], notice: &Notice| {
        let index = index_of(key);
        match notice {
            Notice::WideText(_) | Notice::EncodingChange(_) | Notice::WideInBinary(_) => return,
            Notice::Failed(_) | Notice::NotSearched(_) => left_out.extend(index),
            Notice::Binary
            | Notice::Tar
            | Notice::LooksLike(_)
            | Notice::CarriageReturns
            | Notice::TakesLong(_)
            | Notice::BadRecords(_)
            | Notice::MaxHits(_) => {}
        }
        notify(index.map_or(&b""[..], |index| &labels[index]), notice);
    };
    let failed = run(search, &mut io::sink(), &mut note)?.failed;
    let distances = distances.lock().expect("no thread panics while it holds the distances");
    let (mut read, mut least) = (Vec::new(), Vec::new());
    for (index, mut entry) in entries.into_iter().enumerate().filter(|(index, _)| !left_out.contains(index)) {
        let distance = distances.get(&key(index)).copied();
        if let (true, Some(input)) = (is_by_file, entry.input_mut()) {
            input.max_distance = Some(distance.unwrap_or(0));
        }
        least.extend(distance);
        read.push(entry);
    }
    let least = least.into_iter();
    let max_distance = if is_by_file { least.max() } else { least.min() };
    Ok(FirstPass { entries: read, max_distance: max_distance.unwrap_or(0), failed })
}

/// Returns the label of an entry in the first pass: its index. Several inputs may have the same label.
fn key(index: usize) -> Vec<u8> {
    index.to_ne_bytes().to_vec()
}

/// Returns the index of the entry with this label in the first pass; `None` for a notice about no single entry.
fn index_of(key: &[u8]) -> Option<usize> {
    key.try_into().ok().map(usize::from_ne_bytes)
}

/// Copies of inputs that can be read only once. The copies must stay open until the last pass ends.
#[derive(Debug, Default)]
pub struct Copies {
    _files: Vec<TemporaryFile>,
}

impl Copies {
    /// Copies each input that can be read only once to a temporary file, which becomes the origin of the input. An
    /// input that cannot be read to its end becomes an [`Entry::NotSearched`].
    ///
    /// # Errors
    /// Fails if a temporary file cannot be created or written.
    pub fn of_streams(entries: &mut [Entry]) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in entries {
            let Entry::Input(input) = entry else { continue };
            let Some(mut reader) = read_once(&input.origin) else { continue };
            let mut copied = TemporaryFile::new()?;
            match copy(&mut reader, &mut copied.file)? {
                CopyOutcome::ToEnd => {
                    input.origin = Origin::File(copied.path.clone());
                    files.push(copied);
                }
                CopyOutcome::Unreadable(error) => {
                    let label = std::mem::take(&mut input.label);
                    *entry = Entry::NotSearched(label, SkipReason::Unreadable(plain(&error)));
                }
            }
        }
        Ok(Copies { _files: files })
    }
}

/// Opens an input that can be read only once. Returns `None` for other inputs, and for an input that cannot be opened;
/// the search reports its error.
fn read_once(origin: &Origin) -> Option<Box<dyn Read>> {
    match origin {
        Origin::Stdin => Some(Box::new(io::stdin().lock())),
        Origin::File(path) => {
            let file = File::open(path).ok()?;
            let metadata = file.metadata().ok()?;
            let is_stream = !metadata.is_file() && !metadata.is_dir();
            if is_stream { Some(Box::new(file)) } else { None }
        }
    }
}

/// The outcome of copying an input.
enum CopyOutcome {
    ToEnd,
    /// The input could not be read to its end.
    Unreadable(io::Error),
}

/// Copies an input to a temporary file. Unlike [`io::copy`], it distinguishes read errors from write errors.
///
/// # Errors
/// Fails if the file cannot be written.
fn copy(reader: &mut dyn Read, file: &mut File) -> io::Result<CopyOutcome> {
    let mut buffer = vec![0; COPY];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(CopyOutcome::ToEnd),
            Ok(length) => file.write_all(&buffer[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(CopyOutcome::Unreadable(error)),
        }
    }
}
