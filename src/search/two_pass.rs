//! `--best=all` and `--best=file`: a search in two passes.
//!
//! The first pass finds the least distance of each input and prints nothing. The second pass prints the hits up to that
//! distance. Both passes read every input, so an input that can be read only once is first copied to a temporary file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::{Entry, Input, Notice, RecordsInText, Search, SearchError, SkipReason, run};
use crate::input::{Origin, plain};
use crate::report::{Distances, Flow, LeastReport};

/// Size of the buffer for copies to a temporary file, in bytes.
const COPY: usize = 64 << 10;

/// The inputs among which distances are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BestAmong {
    /// All inputs.
    All,
    /// Each input on its own.
    Each,
}

/// Result of the first pass.
pub(crate) struct FirstPass {
    /// Inputs of the second pass. With [`BestAmong::Each`], each has its own bound.
    pub entries: Vec<Entry>,
    /// Bound of the second pass: the least distance in all inputs, or with [`BestAmong::Each`] the greatest of the
    /// least distances; 0 if there is no match.
    pub max_distance: usize,
    /// Whether an input could not be searched.
    pub failed: bool,
}

/// Finds the least distances in the inputs of `entries`. Searches with `search`, whose inputs and reports are replaced.
/// Notices go to `notify`.
///
/// The least distance of an input that cannot be read to its end is unknown. Such an input is left out, with a
/// notice.
///
/// # Errors
/// Fails if an engine fails or a thread stops.
pub(crate) fn find_least(
    mut search: Search,
    mut entries: Vec<Entry>,
    among: BestAmong,
    notify: &mut dyn FnMut(&[u8], &Notice),
) -> Result<FirstPass, SearchError> {
    search.inputs = Box::new(entries.clone().into_iter());
    // The second pass gives the notice about records in text.
    search.records_in_text = RecordsInText::Ignored;
    let distances = Arc::new(Mutex::new(Distances::new()));
    for route in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        let at_zero = match among {
            BestAmong::All => Flow::EnoughOfAll,
            BestAmong::Each => Flow::EnoughOfInput,
        };
        route.report = Box::new(LeastReport::new(distances.clone(), at_zero));
    }
    let (mut unread, mut reported) = (Vec::new(), Vec::new());
    let mut note = |label: &[u8], notice: &Notice| {
        notify(label, notice);
        match notice {
            Notice::Failed(_) => unread.push(label.to_vec()),
            Notice::NotSearched(_) => reported.push(label.to_vec()),
            Notice::Binary
            | Notice::LooksLike(_)
            | Notice::CarriageReturns
            | Notice::TakesLong(_)
            | Notice::BadRecords(_)
            | Notice::MaxHits(_) => {}
        }
    };
    let failed = run(search, &mut io::sink(), &mut note)?.failed;
    entries.retain(|entry| match entry {
        Entry::Input(input) => !unread.contains(&input.label),
        Entry::NotSearched(label, _) => !reported.contains(label),
    });
    let distances = distances.lock().expect("no thread panics while it holds the distances");
    let max_distance = bound_inputs(&distances, among, &mut entries);
    Ok(FirstPass { entries, max_distance, failed })
}

/// Sets the bound of each input for [`BestAmong::Each`]. Returns the distance that bounds the second pass.
fn bound_inputs(distances: &Distances, among: BestAmong, entries: &mut [Entry]) -> usize {
    let least_in = |input: &Input| distances.get(&input.label).copied();
    let inputs = || entries.iter().filter_map(Entry::input);
    match among {
        BestAmong::All => inputs().filter_map(least_in).min().unwrap_or(0),
        BestAmong::Each => {
            let max_distance = inputs().filter_map(least_in).max().unwrap_or(0);
            let inputs = entries.iter_mut().filter_map(Entry::input_mut);
            inputs.for_each(|input| input.max_distance = Some(least_in(input).unwrap_or(0)));
            max_distance
        }
    }
}

/// Copies of inputs that can be read only once. Inputs are then read through `/dev/fd`, so the copies must stay open
/// until the last pass ends.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    _files: Vec<File>,
}

impl Copies {
    /// Copies each input that can be read only once to an unnamed temporary file, which becomes the origin of the
    /// input. An input that cannot be read to its end becomes an [`Entry::NotSearched`].
    ///
    /// # Errors
    /// Fails if a temporary file cannot be created or written.
    pub(crate) fn of_streams(entries: &mut [Entry]) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in entries {
            let Entry::Input(input) = entry else { continue };
            let Some(mut reader) = read_once(&input.origin) else { continue };
            let mut file = tempfile::tempfile()?;
            match copy(&mut reader, &mut file)? {
                Copied::ToEnd => {
                    // Opening this name reads the file from its start.
                    input.origin = Origin::File(PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd())));
                    files.push(file);
                }
                Copied::Unreadable(error) => {
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
enum Copied {
    ToEnd,
    /// The input could not be read to its end.
    Unreadable(io::Error),
}

/// Copies an input to a temporary file. Unlike [`io::copy`], it distinguishes read errors from write errors.
///
/// # Errors
/// Fails if the file cannot be written.
fn copy(reader: &mut dyn Read, file: &mut File) -> io::Result<Copied> {
    let mut buffer = vec![0; COPY];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(Copied::ToEnd),
            Ok(length) => file.write_all(&buffer[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(Copied::Unreadable(error)),
        }
    }
}
