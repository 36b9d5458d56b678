//! `--best`: the inputs are searched twice, first for the least distance, and then as if that were the bound.
//!
//! What cannot be read twice is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::Result;

use super::Listeners;
use super::args::{Args, Scope};
use super::config::{Prepared, Task};
use super::messages::Messages;
use crate::input::{Origin, plain};
use crate::report::{Distances, LeastReport, ReportError};
use crate::search::{self, Input, Notice};

/// Bytes copied at once to a temporary file.
const COPY: usize = 64 << 10;

/// The least distances, as the first search found them.
pub(super) struct Least {
    /// The greatest of them, which bounds the second search.
    pub(super) most: usize,
    /// Whether an input could not be read to its end, and was left out.
    pub(super) failed: bool,
    /// What the second search reads.
    _kept: Kept,
}

/// Searches the inputs of a task for the least distance; with one for each input, it goes there. Without any match it is 0.
///
/// The least distance of an input that cannot be read to its end is not known, so such an input is left out, with a message.
///
/// # Errors
/// When an engine fails, or a temporary file cannot be written.
pub(super) fn find_least(args: &Args, scope: Scope, task: &mut Task, listeners: &Listeners<'_>) -> Result<Least> {
    let kept = keep(&mut task.inputs, listeners.messages).map_err(ReportError::Spool)?;
    let Prepared { mut search, .. } = task.search(args, None)?;
    search.watch = listeners.watch();
    let distances = Arc::new(Mutex::new(Distances::new()));
    for lane in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        lane.report = Box::new(LeastReport::new(distances.clone(), scope == Scope::All));
    }
    let mut failed = Vec::new();
    let mut take = |input: &Input, notice: &Notice| {
        listeners.notice(input, notice);
        failed.push(input.clone());
    };
    search::run(search, &mut io::sink(), &mut take)?;
    task.inputs.retain(|input| !failed.contains(input));
    let distances = distances.lock().expect("nobody panics with them in hand");
    let most = greatest(&distances, scope, &mut task.inputs);
    Ok(Least { most, failed: kept.failed || !failed.is_empty(), _kept: kept })
}

/// The distance that bounds the second search of some inputs, each of which may get its own.
fn greatest(distances: &Distances, scope: Scope, inputs: &mut [Input]) -> usize {
    let of = |input: &Input| distances.get(&input.label).copied();
    match scope {
        Scope::All => inputs.iter().filter_map(of).min().unwrap_or(0),
        Scope::File => {
            inputs.iter_mut().for_each(|input| input.most = Some(of(input).unwrap_or(0)));
            inputs.iter().filter_map(of).max().unwrap_or(0)
        }
    }
}

/// Inputs that can be read twice, as long as this is there.
struct Kept {
    _files: Vec<File>,
    /// Whether one of them could not be read to its end.
    failed: bool,
}

/// Copies what cannot be read twice into files without a name.
///
/// # Errors
/// What the system says of a temporary file. An input that cannot be read is left out, with a message.
fn keep(inputs: &mut Vec<Input>, messages: &Messages) -> io::Result<Kept> {
    let mut kept = Kept { _files: Vec::new(), failed: false };
    for mut input in std::mem::take(inputs) {
        let mut reader: Box<dyn Read> = match &input.origin {
            Origin::Stdin => Box::new(io::stdin().lock()),
            Origin::File(path) => match File::open(path) {
                Ok(file) if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) => {
                    Box::new(file)
                }
                // What is wrong with it is told when it is searched.
                _ => {
                    inputs.push(input);
                    continue;
                }
            },
        };
        let mut file = tempfile::tempfile()?;
        match copy(&mut reader, &mut file)? {
            Copied::ToEnd => {
                // Opened by this name, it is read from its start.
                input.origin = Origin::File(PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd())));
                kept._files.push(file);
                inputs.push(input);
            }
            Copied::Unreadable(error) => {
                kept.failed = true;
                messages.unreadable(&input.label, &plain(&error));
            }
        }
    }
    Ok(kept)
}

/// How far an input was copied.
enum Copied {
    ToEnd,
    /// Reading it failed.
    Unreadable(io::Error),
}

/// Copies an input to a temporary file. Unlike [`io::copy`], it tells errors of the two apart.
///
/// # Errors
/// When the file cannot be written.
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
