//! Temporary files for inputs that are copied.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use tempfile::{NamedTempFile, TempPath};

/// A temporary file, which is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    pub(super) file: File,
    /// A path under which the file can be opened, with an offset of its own that begins at 0.
    pub(super) path: PathBuf,
    /// The name of the file, if it has one.
    _name: Option<TempPath>,
}

impl TemporaryFile {
    /// Creates a temporary file. On Linux it has no name, so that nothing remains of it if a signal ends the process.
    /// Elsewhere, a file that is opened as `/dev/fd/N` shares the offset of descriptor N, so the file has a name.
    pub(super) fn new() -> io::Result<Self> {
        if cfg!(target_os = "linux") {
            let file = tempfile::tempfile()?;
            let path = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
            return Ok(TemporaryFile { file, path, _name: None });
        }
        let (file, name) = NamedTempFile::new()?.into_parts();
        Ok(TemporaryFile { file, path: name.to_path_buf(), _name: Some(name) })
    }
}
