//! The text of a file at any offset.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::encoding::SAMPLE;
use super::open::{Source, plain_text};
use crate::compressed::BlockFile;
use crate::error::InputError;
use crate::format::{Compression, Decoding, Origin};
use nigh_text::interrupt;

/// Treatment of a file that is compressed in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockFiles {
    /// The file is read in order, and its blocks are decompressed concurrently.
    InOrder,
    /// The file is divided into parts. The blocks around a cut are decompressed twice.
    Divided,
}

/// A file whose text can be read at any offset.
pub(crate) enum TextFile {
    Plain(File),
    Blocks(BlockFile),
}

impl TextFile {
    /// Opens a file. Returns `None` if it must be decompressed from its start or decoded.
    pub(crate) fn open(path: &Path, decoding: Decoding, blocks: BlockFiles) -> Result<Option<Self>, InputError> {
        let file = File::open(path)?;
        let mut head = [0; SAMPLE];
        let length = file.read_at(&mut head, 0)?;
        if plain_text(&head[..length], decoding).is_some() {
            return Ok(Some(TextFile::Plain(file)));
        }
        if blocks == BlockFiles::InOrder || decoding.compression == Compression::Ignored {
            return Ok(None);
        }
        let Some(text) = BlockFile::open(file, &head[..length])?.map(TextFile::Blocks) else { return Ok(None) };
        let mut length = 0;
        while let read @ 1.. = text.read_at(&mut head[length..], length as u64)? {
            length += read;
        }
        let is_plain = plain_text(&head[..length], text.decoding(decoding)).is_some();
        Ok(is_plain.then_some(text))
    }

    /// Returns the decoding that remains to be done: without decompression, if the file is already decompressed.
    pub(crate) fn decoding(&self, decoding: Decoding) -> Decoding {
        match self {
            TextFile::Plain(_) => decoding,
            TextFile::Blocks(_) => Decoding { compression: Compression::Ignored, ..decoding },
        }
    }

    /// Returns the length of the text in bytes, which may grow if the file is plain.
    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            TextFile::Plain(file) => Ok(file.metadata()?.len()),
            TextFile::Blocks(file) => Ok(file.length()),
        }
    }

    /// Reads text at `offset`. Returns the number of bytes; 0 at the end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, InputError> {
        match self {
            TextFile::Blocks(file) => file.read_at(buffer, offset),
            TextFile::Plain(file) => loop {
                match file.read_at(buffer, offset) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return Ok(read?),
                }
            },
        }
    }
}

/// Returns the number of bytes to search in an input, after decompression and decoding.
///
/// A file that must be decompressed from its start or decoded is read to its end. Standard input is not read: the
/// result is its file size.
///
/// # Errors
/// A read error.
pub fn text_length(origin: &Origin, decoding: Decoding) -> Result<u64, InputError> {
    let Origin::File(path) = origin else { return Ok(origin.metadata()?.len()) };
    if let Some(text) = TextFile::open(path, decoding, BlockFiles::Divided)? {
        return Ok(text.length()?);
    }
    let mut source = Source::open(origin, decoding, None)?;
    let mut buffer = vec![0; 256 << 10];
    let mut length = 0;
    loop {
        interrupt::check();
        match source.read(&mut buffer)? {
            0 => return Ok(length),
            read => length += read as u64,
        }
    }
}
