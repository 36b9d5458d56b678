//! Arguments from a file: those that the user always wants.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::args::command;
use crate::input::plain;

/// The environment variable that names the file. Without it, none is read.
const VARIABLE: &str = "NIGH_CONFIG_PATH";

/// Why the file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}; {VARIABLE} names it", path.display(), plain(error))]
pub(super) struct PresetError {
    path: PathBuf,
    error: io::Error,
}

/// The arguments, of which the first is the program's name, with those of the file behind the name, so that later ones win.
pub(super) fn with_preset(arguments: Vec<OsString>) -> Result<Vec<OsString>, PresetError> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(arguments);
    };
    if refuses(&arguments) {
        return Ok(arguments);
    }
    let preset = read(&path).map_err(|error| PresetError { path, error })?;
    let mut arguments = arguments.into_iter();
    Ok(arguments.next().into_iter().chain(preset).chain(arguments).collect())
}

/// Whether `--no-config` is among the arguments, and not, say, a pattern.
fn refuses(arguments: &[OsString]) -> bool {
    let matches = command().ignore_errors(true).try_get_matches_from(arguments);
    matches.is_ok_and(|matches| matches.get_flag("no_config"))
}

/// An argument a line; blanks around it, empty lines and those that begin with `#` mean nothing.
fn read(path: &Path) -> io::Result<Vec<OsString>> {
    let content = fs::read(path)?;
    let lines = content.lines().map(|line| line.trim_ascii()).filter(|line| !line.is_empty() && line[0] != b'#');
    Ok(lines.map(|line| OsString::from_vec(line.to_vec())).collect())
}
