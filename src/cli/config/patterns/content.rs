//! Reads pattern files.

use std::path::Path;

use anyhow::{Result, anyhow};

use crate::cli::messages::remedy;
use nigh_input::{Compression, Decoding, Origin, Source};

/// Maximum size of a pattern file after decompression, in bytes.
const MAX_FILE: u64 = 1 << 30;

/// Returns the content of a pattern file.
pub(crate) fn content(compression: Compression, file: &Path) -> Result<Vec<u8>> {
    let origin = if file == Path::new("-") { Origin::Stdin } else { Origin::File(file.to_owned()) };
    let decoding = Decoding { compression, ..Decoding::AUTOMATIC };
    let content = Source::open(&origin, decoding, None).and_then(|mut source| source.read_to_end(MAX_FILE));
    content.map_err(|error| anyhow!("{error}{}", remedy(&error)))
}
