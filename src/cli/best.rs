//! `--best`: the inputs are searched twice, first for the least distance, and then as if that were the bound.
//!
//! What cannot be read twice is kept in a temporary file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::args::Scope;
use super::messages::Messages;
use crate::input::{Origin, plain};
use crate::report::{Distances, LeastReport};
use crate::search::{self, Input, Search, SearchError};

/// Inputs that can be read twice, as long as this is there.
pub(super) struct Kept {
    _files: Vec<File>,
    /// Whether one of them could not be read to its end.
    pub(super) failed: bool,
}

/// Copies what cannot be read twice into files without a name.
///
/// # Errors
/// What the system says of a temporary file.
pub(super) fn keep(inputs: &mut [Input], messages: &Messages) -> io::Result<Kept> {
    let mut kept = Kept { _files: Vec::new(), failed: false };
    for input in inputs {
        let mut reader: Box<dyn io::Read> = match &input.origin {
            Origin::Stdin => Box::new(io::stdin().lock()),
            Origin::File(path) => match File::open(path) {
                Ok(file) if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) => {
                    Box::new(file)
                }
                // What is wrong with it is told when it is searched.
                _ => continue,
            },
        };
        let mut file = tempfile::tempfile()?;
        match io::copy(&mut reader, &mut file) {
            Ok(_) => {}
            Err(error) => {
                kept.failed = true;
                messages.unreadable(&input.label, &plain(&error));
            }
        }
        // Opened by this name, it is read from its start.
        input.origin = Origin::File(PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd())));
        kept._files.push(file);
    }
    Ok(kept)
}

/// Searches for the least distance, and gives it; with one for each input, it goes there, and given is the greatest of them. Without
/// any match it is 0.
///
/// # Errors
/// When an engine fails.
pub(super) fn look(mut search: Search, scope: Scope, inputs: &mut [Input]) -> Result<usize, SearchError> {
    let distances = Arc::new(Mutex::new(Distances::new()));
    for lane in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        lane.report = Box::new(LeastReport::new(distances.clone(), scope == Scope::All));
    }
    // Whatever is to be said of inputs is said when they are searched again.
    search::run(search, &mut io::sink(), &mut |_, _| {})?;
    let distances = distances.lock().expect("nobody panics with them in hand");
    Ok(match scope {
        Scope::All => distances.values().min().copied().unwrap_or(0),
        Scope::File => {
            inputs.iter_mut().for_each(|input| input.most = Some(distances.get(&input.label).copied().unwrap_or(0)));
            distances.values().max().copied().unwrap_or(0)
        }
    })
}
