//! Zstandard with a bound on memory.

use std::io::{self, BufRead};

/// How far back zstd may refer, as a power of two: as far as the zstd tool allows without an option.
const MAX_WINDOW: u32 = 27;

/// Reads what frames of zstd hold.
pub(super) fn zstd_reader<R: BufRead>(reader: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
    decoder.window_log_max(MAX_WINDOW)?;
    Ok(decoder)
}
