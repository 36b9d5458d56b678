//! Reads pattern files.

use std::path::Path;

use anyhow::Result;

use super::kinds::COMPRESSED;
use crate::cli::args::Args;
use crate::input::{BinaryInput, Compression, Decoding, Encoding, Origin, Source};

/// Maximum size of a pattern file after decompression, in bytes.
const MAX_FILE: u64 = 1 << 30;

/// Returns the content of a pattern file, decompressed.
pub(super) fn content(args: &Args, file: &Path) -> Result<Vec<u8>> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let is_named = extension.is_some_and(|extension| COMPRESSED.contains(&&*extension));
    let compression = if is_named || args.input.decompress { Compression::ByMagic } else { Compression::Ignored };
    let origin = if file == Path::new("-") { Origin::Stdin } else { Origin::File(file.to_owned()) };
    let decoding = Decoding { compression, encoding: Encoding::ByMark, binary: BinaryInput::Searched };
    Ok(Source::open(&origin, decoding, None)?.read_to_end(MAX_FILE)?)
}
