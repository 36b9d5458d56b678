//! Reads default arguments from a configuration file.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use clap::error::ErrorKind;

use super::args::{Args, command, usage};
use super::bounded_file;
use nigh_input::plain;

/// The environment variable that names the configuration file. If it is unset or empty, no file is read.
const VARIABLE: &str = "NIGH_CONFIG_PATH";

/// An error in the arguments or in the configuration file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigFileError {
    /// The file cannot be read.
    #[error("{}: {}; correct {VARIABLE}, or use --no-config", path.display(), plain(error))]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The arguments in the file are invalid, alone or together with those of the command line.
    #[error("{}: {}; correct this file, which {VARIABLE} names, or use --no-config", path.display(), usage().problem(error))]
    InFile {
        /// Path of the file.
        path: PathBuf,
        /// Error of the arguments.
        error: clap::Error,
    },
    /// The arguments of the command line are invalid, or ask for help or the version.
    #[error("{0}")]
    Arguments(clap::Error),
}

/// Parses the arguments of the configuration file, followed by `arguments`, which begin with the program's name. Since
/// later arguments override earlier ones, the command line overrides the file.
pub(super) fn parse_with_config_file(arguments: Vec<OsString>) -> Result<Args, ConfigFileError> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Args::parse_from(arguments).map_err(ConfigFileError::Arguments);
    };
    let alone = Args::parse_from(arguments.clone());
    if refuses(&arguments) || alone.as_ref().is_err_and(asks_for_help) {
        return alone.map_err(ConfigFileError::Arguments);
    }
    let from_file = match read(&path) {
        Ok(from_file) => from_file,
        Err(error) => return Err(ConfigFileError::Unreadable { path, error }),
    };
    Args::parse_with_defaults(from_file, arguments).map_err(|error| match alone {
        Err(same) if same.to_string() == error.to_string() => ConfigFileError::Arguments(error),
        _ => ConfigFileError::InFile { path, error },
    })
}

/// Returns true if clap's error is a request for help or the version.
fn asks_for_help(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// Returns true if `--no-config` is given as an option, not for example as the value of an option.
fn refuses(arguments: &[OsString]) -> bool {
    let matches = command().ignore_errors(true).try_get_matches_from(arguments);
    matches.is_ok_and(|matches| matches.get_flag("no_config"))
}

/// Reads the arguments in a file, one per line. Ignores white space around them, empty lines, and lines that begin with
/// `#`.
fn read(path: &Path) -> io::Result<Vec<OsString>> {
    let content = bounded_file::read(path)?;
    let lines = content.lines().map(|line| line.trim_ascii()).filter(|line| !line.is_empty() && line[0] != b'#');
    Ok(lines.map(|line| OsString::from_vec(line.to_vec())).collect())
}
