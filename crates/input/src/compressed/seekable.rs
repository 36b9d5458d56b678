//! Reads the text of a BGZF file, or of a Zstandard file of several frames, at any offset.
//!
//! Opening a file reads the headers of all blocks or frames, which decompress independently. A read decompresses the
//! blocks that it touches. The last few decompressed blocks are kept.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use super::blocks::decompress;
use super::frames::{ZSTD_MAGIC, bgzf_size};
use super::method::Method;
use crate::error::InputError;

/// Number of decompressed blocks that are kept.
const KEPT: usize = 8;
/// Largest text of a block in bytes. A larger frame would be decompressed many times, once for each part of it.
const MAX_BLOCK: u64 = 8 << 20;
/// Size in bytes of the header of a BGZF block as the usual programs write it, and of the field with the length of its
/// text.
const BGZF_HEADER: usize = 18;
const BGZF_FOOTER: u64 = 4;
/// Size of the largest header of a Zstandard frame, and of its magic number, in bytes.
const ZSTD_HEADER: usize = 18;
const ZSTD_MAGIC_SIZE: usize = 4;
/// Size of the header of a skippable frame, in bytes.
const SKIPPABLE_HEADER: u64 = 8;

/// A file that is compressed in blocks.
pub(crate) struct BlockFile {
    file: File,
    method: Method,
    /// Start of each block, and end of the last one.
    cuts: Vec<BlockCut>,
    kept: Mutex<VecDeque<(usize, Arc<Vec<u8>>)>>,
}

/// A cut between two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockCut {
    /// Offset in the file.
    packed: u64,
    /// Offset in the text.
    text: u64,
}

impl BlockFile {
    /// Opens a file that begins with `head`. Returns `None` if it does not consist of whole blocks, or of frames with a
    /// known length of at most `MAX_BLOCK`.
    pub(crate) fn open(file: File, head: &[u8]) -> io::Result<Option<Self>> {
        let Some(method) = Method::of(head) else { return Ok(None) };
        let size = file.metadata()?.len();
        let mut cuts = vec![BlockCut { packed: 0, text: 0 }];
        let mut at = BlockCut { packed: 0, text: 0 };
        while at.packed < size {
            let next = match method {
                Method::Gzip => after_bgzf_block(&file, at)?,
                Method::Zstd => after_frame(&file, at)?,
                Method::Xz | Method::Lzma | Method::Bzip2 | Method::Lz4 => None,
            };
            let Some(next) = next.filter(|next| next.packed <= size && next.text - at.text <= MAX_BLOCK) else {
                return Ok(None);
            };
            at = next;
            cuts.push(at);
        }
        Ok(Some(BlockFile { file, method, cuts, kept: Mutex::default() }))
    }

    /// Returns the length of the text in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.cuts.last().map_or(0, |end| end.text)
    }

    /// Reads text at `offset` into `buffer`. Returns the number of bytes, which is 0 only at the end of the text or if
    /// the buffer is empty.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, InputError> {
        if offset >= self.length() || buffer.is_empty() {
            return Ok(0);
        }
        let block = self.cuts.partition_point(|cut| cut.text <= offset) - 1;
        let text = self.block(block)?;
        let rest = &text[(offset - self.cuts[block].text) as usize..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    /// Returns the text of a block.
    fn block(&self, index: usize) -> Result<Arc<Vec<u8>>, InputError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = kept().iter().find(|(other, _)| *other == index) {
            return Ok(text.clone());
        }
        let (start, end) = (self.cuts[index], self.cuts[index + 1]);
        let mut packed = vec![0; (end.packed - start.packed) as usize];
        self.file.read_exact_at(&mut packed, start.packed)?;
        let (text, error) = decompress(self.method, &packed);
        let length = end.text - start.text;
        let error = error.or_else(|| {
            (text.len() as u64 != length)
                .then(|| io::Error::new(io::ErrorKind::InvalidData, "the text of a block has a wrong length"))
        });
        if let Some(error) = error {
            return Err(self.method.error(error));
        }
        let text = Arc::new(text);
        let mut kept = kept();
        kept.truncate(KEPT - 1);
        kept.push_front((index, text.clone()));
        Ok(text)
    }
}

/// Returns the end of the BGZF block that starts at `start`; `None` if there is no whole block.
fn after_bgzf_block(file: &File, start: BlockCut) -> io::Result<Option<BlockCut>> {
    let Some(header) = read::<BGZF_HEADER>(file, start.packed)? else { return Ok(None) };
    let is_bgzf = header.starts_with(b"\x1f\x8b\x08\x04") && header[10..12] == [6, 0];
    let Some(size) = bgzf_size(&header[12..]).filter(|&size| is_bgzf && size > BGZF_HEADER) else { return Ok(None) };
    let packed = start.packed + size as u64;
    let length = read::<4>(file, packed - BGZF_FOOTER)?;
    Ok(length.map(|length| BlockCut { packed, text: start.text + u64::from(u32::from_le_bytes(length)) }))
}

/// Returns the end of the Zstandard frame that starts at `start`; `None` if the frame is incomplete or does not state
/// the length of its text.
fn after_frame(file: &File, start: BlockCut) -> io::Result<Option<BlockCut>> {
    let Some(head) = read::<{ SKIPPABLE_HEADER as usize }>(file, start.packed)? else { return Ok(None) };
    let (magic, size) = (&head[..ZSTD_MAGIC_SIZE], [head[4], head[5], head[6], head[7]]);
    if magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18] {
        let packed = start.packed + SKIPPABLE_HEADER + u64::from(u32::from_le_bytes(size));
        return Ok(Some(BlockCut { packed, text: start.text }));
    }
    if magic != ZSTD_MAGIC {
        return Ok(None);
    }
    // A frame has at least 9 bytes, so the largest header may reach past the end of the file.
    let mut header = [0; ZSTD_HEADER];
    file.read_at(&mut header, start.packed)?;
    let descriptor = header[ZSTD_MAGIC_SIZE];
    let is_single = descriptor >> 5 & 1 == 1;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let at = ZSTD_MAGIC_SIZE + 1 + usize::from(!is_single) + dictionary;
    let number = |bytes: usize| header[at..at + bytes].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let (content, length) = match (descriptor >> 6, is_single) {
        (0, false) => return Ok(None),
        (0, true) => (1, number(1)),
        (1, _) => (2, number(2) + 256),
        (2, _) => (4, number(4)),
        (_, _) => (8, number(8)),
    };
    let mut packed = start.packed + (at + content) as u64;
    loop {
        let Some([low, middle, high]) = read::<3>(file, packed)? else { return Ok(None) };
        let block = u32::from_le_bytes([low, middle, high, 0]);
        let size = if block >> 1 & 3 == 1 { 1 } else { u64::from(block >> 3) };
        packed += 3 + size;
        if block & 1 == 1 {
            break;
        }
    }
    let checksum = if descriptor & 4 != 0 { 4 } else { 0 };
    Ok(start.text.checked_add(length).map(|text| BlockCut { packed: packed + checksum, text }))
}

/// Reads bytes at `offset`; `None` if the file ends before the last of them.
fn read<const N: usize>(file: &File, offset: u64) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    match file.read_exact_at(&mut bytes, offset) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
