//! Compressed streams of each format that nigh decompresses.

use std::io::Write;

use flate2::write::{DeflateEncoder, GzEncoder};
use libfuzzer_sys::arbitrary::{self, Arbitrary};

/// Maximum number of bytes of text in a bgzf block. It is small, so that short texts have several blocks.
const BLOCK: usize = 64;

/// A compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Packing {
    Gzip,
    Bgzf,
    Zstd,
    /// Zstd with a checksum.
    CheckedZstd,
    Xz,
    Bzip2,
    /// Lz4 without a checksum.
    Lz4,
    /// Lz4 with checksums of blocks and content.
    CheckedLz4,
}

impl Packing {
    /// Returns true if a stream has a checksum of its content, so that damage is detected.
    pub fn has_checksum(self) -> bool {
        !matches!(self, Packing::Zstd | Packing::Lz4)
    }
}

/// Returns a stream of one member or frame. A bgzf stream has one member per block, and an empty one at the end.
pub fn packed(packing: Packing, text: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Gzip => gzip(text),
        Packing::Bgzf => text.chunks(BLOCK).chain([&[][..]]).flat_map(bgzf_block).collect(),
        Packing::Zstd => zstd_frame(text, Checksum::Absent),
        Packing::CheckedZstd => zstd_frame(text, Checksum::Present),
        Packing::Xz => xz(text),
        Packing::Bzip2 => bzip2(text),
        Packing::Lz4 => lz4(text, lz4_flex::frame::FrameInfo::new()),
        Packing::CheckedLz4 => {
            lz4(text, lz4_flex::frame::FrameInfo::new().content_checksum(true).block_checksums(true))
        }
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Returns a bgzf block: a gzip member whose extra field holds its size.
fn bgzf_block(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).expect("memory takes everything");
    let deflated = encoder.finish().expect("memory takes everything");
    let mut checksum = flate2::Crc::new();
    checksum.update(text);
    let size = (18 + deflated.len() + 8 - 1) as u16;
    let head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0";
    let (sum, length) = (checksum.sum().to_le_bytes(), (text.len() as u32).to_le_bytes());
    [&head[..], &size.to_le_bytes(), &deflated, &sum, &length].concat()
}

/// Whether a zstd frame ends with a checksum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checksum {
    Present,
    Absent,
}

fn zstd_frame(text: &[u8], checksum: Checksum) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("a level that exists");
    encoder.include_checksum(checksum == Checksum::Present).expect("a parameter that exists");
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn lz4(text: &[u8], info: lz4_flex::frame::FrameInfo) -> Vec<u8> {
    let info = info.block_size(lz4_flex::frame::BlockSize::Max64KB);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}
