//! `--best=all` and `--best=file`: a search in two passes.
//!
//! The first pass finds the least distance, which bounds the second. Input that can be read only once is copied to a
//! temporary file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::Result;

use super::args::{Args, Scope};
use super::config::{self, Prepared, Task};
use super::listeners::Listeners;
use crate::input::{Origin, plain};
use crate::report::{Distances, LeastReport, ReportError};
use crate::search::{self, Entry, Input, Notice, RecordsInText, Trouble};

/// Size of the buffer for copies to a temporary file, in bytes.
const COPY: usize = 64 << 10;

/// Result of the first pass.
pub(super) struct Least {
    /// Inputs of the second pass. With `--best=file`, each has its own bound.
    pub(super) entries: Vec<Entry>,
    /// Greatest of the least distances, which bounds the second pass.
    pub(super) max_distance: usize,
    /// Set if an input was left out.
    pub(super) failed: bool,
    /// Copies that the second pass reads through `/dev/fd`; they must stay open until it ends.
    pub(super) copies: Vec<File>,
}

/// Searches the inputs of a task for the least distance, which is 0 if there is no match.
///
/// The least distance of an input that cannot be read to its end is unknown. Such an input is left out, with a message.
///
/// # Errors
/// Fails if an engine fails or a temporary file cannot be written.
pub(super) fn find_least(args: &Args, scope: Scope, task: &mut Task, listeners: &Listeners<'_>) -> Result<Least> {
    let routes = task.routes(args, None)?;
    let mut entries = task.all_entries(routes.sorter.clone());
    let copies = copy_streams(&mut entries).map_err(ReportError::Spool)?;
    let Prepared { mut search, .. } = config::prepare(args, routes, Box::new(entries.clone().into_iter()))?;
    search.watch = listeners.watch();
    // The second pass reports records in text.
    search.records_in_text = RecordsInText::Ignored;
    let distances = Arc::new(Mutex::new(Distances::new()));
    for route in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        route.report = Box::new(LeastReport::new(distances.clone(), scope == Scope::All));
    }
    let (mut unread, mut reported) = (Vec::new(), Vec::new());
    let mut take = |label: &[u8], notice: &Notice| {
        listeners.notice(label, notice);
        match notice {
            Notice::Failed(_) => unread.push(label.to_vec()),
            Notice::NotSearched(_) => reported.push(label.to_vec()),
            Notice::Binary
            | Notice::LooksLike(_)
            | Notice::CarriageReturns
            | Notice::TakesLong(_)
            | Notice::BadRecords(_) => {}
        }
    };
    let failed = search::run(search, &mut io::sink(), &mut take)?.failed;
    entries.retain(|entry| match entry {
        Entry::Input(input) => !unread.contains(&input.label),
        Entry::Trouble(label, _) => !reported.contains(label),
    });
    let distances = distances.lock().expect("no thread panics while it holds the distances");
    let max_distance = greatest(&distances, scope, &mut entries);
    Ok(Least { entries, max_distance, failed, copies })
}

/// Returns the distance that bounds the second pass, and sets the bound of each input for [`Scope::File`].
fn greatest(distances: &Distances, scope: Scope, entries: &mut [Entry]) -> usize {
    let of = |input: &Input| distances.get(&input.label).copied();
    let inputs = || entries.iter().filter_map(Entry::input);
    match scope {
        Scope::All => inputs().filter_map(of).min().unwrap_or(0),
        Scope::File => {
            let max_distance = inputs().filter_map(of).max().unwrap_or(0);
            let inputs = entries.iter_mut().filter_map(Entry::input_mut);
            inputs.for_each(|input| input.most = Some(of(input).unwrap_or(0)));
            max_distance
        }
    }
}

/// Copies inputs that can be read only once to unnamed temporary files, and makes these the inputs. An input that cannot be
/// read to its end is not searched.
///
/// # Errors
/// Fails if a temporary file cannot be created or written.
fn copy_streams(entries: &mut [Entry]) -> io::Result<Vec<File>> {
    let mut copies = Vec::new();
    for entry in entries {
        let Entry::Input(input) = entry else { continue };
        let mut reader: Box<dyn Read> = match &input.origin {
            Origin::Stdin => Box::new(io::stdin().lock()),
            Origin::File(path) => match File::open(path) {
                Ok(file) if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) => {
                    Box::new(file)
                }
                // The search reports an input that cannot be opened.
                _ => continue,
            },
        };
        let mut file = tempfile::tempfile()?;
        match copy(&mut reader, &mut file)? {
            Copied::ToEnd => {
                // Opening this name reads the file from its start.
                input.origin = Origin::File(PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd())));
                copies.push(file);
            }
            Copied::Unreadable(error) => {
                let label = std::mem::take(&mut input.label);
                *entry = Entry::Trouble(label, Trouble::Unreadable(plain(&error)));
            }
        }
    }
    Ok(copies)
}

/// Outcome of a copy.
enum Copied {
    ToEnd,
    /// Reading it failed.
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
