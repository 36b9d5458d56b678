//! Reads BGZF blocks (SAM specification, section 4.1).

use std::io::{self, Read};

use flate2::bufread::GzDecoder;

use super::frames::{BGZF_BLOCK, block_too_large};

/// Appends the text of `blocks`, which are whole BGZF blocks. Appends no text of a damaged block, because the damage is
/// known only once the checksum at the end of the block was read.
pub(super) fn read_blocks(mut blocks: &[u8], text: &mut Vec<u8>) -> io::Result<()> {
    while !blocks.is_empty() {
        let start = text.len();
        let mut block = GzDecoder::new(blocks);
        let read = match block.by_ref().take(BGZF_BLOCK as u64 + 1).read_to_end(text) {
            Ok(length) if length > BGZF_BLOCK => Err(block_too_large()),
            other => other,
        };
        if let Err(error) = read {
            text.truncate(start);
            return Err(error);
        }
        blocks = block.into_inner();
    }
    Ok(())
}
