//! Splits a file into parts for several processes.

use std::path::{Path, PathBuf};

use super::error::FileError;
use nigh_input::{Decoding, Origin, text_length};
use nigh_search::Shard;

/// Largest and smallest size of a piece of a part, in bytes. Parts consist of whole pieces.
const MAX_PIECE: u64 = 2 << 20;
const MIN_PIECE: u64 = 64 << 10;
/// Number of pieces per part of a small file. With several pieces, parts have nearly the same length.
const PIECES: u64 = 4;

/// A part of a file, which one of several processes searches; see [`Searcher::file_part`](crate::Searcher::file_part).
///
/// Parts have nearly the same length, and each hit is in one of them. A line or record may be in several parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSplit {
    path: PathBuf,
    position: SplitPosition,
    /// `None` for the whole file, whose size does not matter.
    sizes: Option<SplitSizes>,
}

/// The position of a part among all parts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitPosition {
    /// Index of the part, from 0.
    pub index: u64,
    /// Number of parts.
    pub count: u64,
}

/// The size of a file and of its text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitSizes {
    /// Size of the file.
    pub file: u64,
    /// Length of the file's text, after decompression.
    pub text: u64,
}

impl FileSplit {
    /// Makes the only part of a file.
    pub fn whole(path: impl AsRef<Path>) -> Self {
        FileSplit { path: path.as_ref().to_owned(), position: SplitPosition { index: 0, count: 1 }, sizes: None }
    }

    /// Splits a file into `count` parts. A compressed file is decompressed to find the length of its text, unless it is
    /// bgzf, or zstd with several frames that all state the length of their text.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not a regular file.
    ///
    /// # Panics
    /// Panics if `count` is 0.
    pub fn of(path: impl AsRef<Path>, count: u64) -> Result<Vec<FileSplit>, FileError> {
        let path = path.as_ref();
        assert!(count > 0, "a file has at least one part");
        let file = size(path)?;
        let length = text_length(&Origin::File(path.to_owned()), Decoding::AUTOMATIC);
        let text = length.map_err(|error| FileError::unreadable(path, error))?;
        let sizes = Some(SplitSizes { file, text });
        let part = |index| FileSplit { path: path.to_owned(), position: SplitPosition { index, count }, sizes };
        Ok((0..count).map(part).collect())
    }

    /// Restores a part from its path, position and sizes, for example in another process; `None` if there is no such
    /// part.
    pub fn restore(path: impl AsRef<Path>, position: SplitPosition, sizes: SplitSizes) -> Option<Self> {
        let part = FileSplit { path: path.as_ref().to_owned(), position, sizes: Some(sizes) };
        (position.index < position.count).then_some(part)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position of this part among all parts.
    pub fn position(&self) -> SplitPosition {
        self.position
    }

    /// The lengths that were measured when the file was split; `None` for a whole file.
    pub fn sizes(&self) -> Option<SplitSizes> {
        self.sizes
    }

    /// Returns an error if the size of the file has changed.
    pub(super) fn check(&self) -> Result<(), FileError> {
        let Some(SplitSizes { file: expected, .. }) = self.sizes else { return Ok(()) };
        match size(&self.path)? {
            found if found == expected => Ok(()),
            found => Err(FileError::Changed { file: self.path.clone(), expected, found }),
        }
    }

    pub(super) fn shard(&self) -> Option<Shard> {
        let SplitPosition { index, count } = self.position;
        self.sizes.map(|sizes| Shard { index, count, total: sizes.text })
    }

    /// Returns the size of batches in bytes, which must be the same in all processes; `None` for a whole file, for
    /// which the engine chooses the size.
    pub(super) fn batch_bytes(&self) -> Option<usize> {
        let pieces = PIECES.saturating_mul(self.position.count);
        self.sizes.map(|sizes| (sizes.text / pieces).clamp(MIN_PIECE, MAX_PIECE) as usize)
    }
}

/// Returns the size of a regular file in bytes.
fn size(path: &Path) -> Result<u64, FileError> {
    let metadata = std::fs::metadata(path).map_err(|error| FileError::unreadable(path, nigh_input::plain(&error)))?;
    if !metadata.is_file() {
        return Err(FileError::unreadable(path, "not a regular file; only a regular file can be split"));
    }
    Ok(metadata.len())
}
