//! Compressed text for tests.

use std::io::Write;

use flate2::{Compression, GzBuilder};

/// Returns a gzip member that holds its own size, as a bgzf block does.
pub(crate) fn bgzf_block(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().extra(*b"BC\x02\x00??").write(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    let mut block = encoder.finish().unwrap();
    let size = u16::try_from(block.len() - 1).unwrap();
    block[16..18].copy_from_slice(&size.to_le_bytes());
    block
}
