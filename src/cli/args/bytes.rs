//! Access to the bytes of arguments.

use std::ffi::OsStr;
use std::path::Path;

/// The name of standard input in output and messages, unless `--label` names it.
pub(super) const STDIN_LABEL: &str = "(standard input)";

/// Returns the bytes of an argument.
pub(crate) fn bytes_of(text: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(text)
}

/// Returns the name of a file in output and messages, or of standard input for `-`.
pub(crate) fn label(file: &Path) -> Vec<u8> {
    match file == Path::new("-") {
        true => STDIN_LABEL.into(),
        false => bytes_of(file.as_os_str()).to_vec(),
    }
}
