//! Reads small files, such as configuration files, up to a largest size. `/dev/zero` and some pipes have no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest size of such a file, in bytes.
const MAX: u64 = 16 << 20;

/// Returns the content of a file.
///
/// # Errors
/// Fails if the file cannot be read, or is larger than 16 MiB.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(MAX + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX {
        return Err(io::Error::other("larger than 16 MiB"));
    }
    Ok(content)
}
