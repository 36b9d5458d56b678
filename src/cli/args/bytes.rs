//! Access to the bytes of arguments.

use std::ffi::OsStr;

/// Returns the bytes of an argument.
pub(in crate::cli) fn bytes_of(text: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(text)
}
