//! Zstandard (RFC 8878) with bounded memory.

use std::io::{self, BufRead};

/// Binary logarithm of the largest window in bytes; the limit of the zstd tool without options.
const MAX_WINDOW: u32 = 27;

/// Returns a reader of the text of the zstd frames in `reader`.
pub(super) fn zstd_reader<R: BufRead>(reader: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
    decoder.window_log_max(MAX_WINDOW)?;
    Ok(decoder)
}
