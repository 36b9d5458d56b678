//! Errors of the search of a file.

use std::error::Error;
use std::path::{Path, PathBuf};

use nigh_verify::EngineError;

/// The reason why the search of a file failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read, or its content is not as expected.
    #[error("{}: {source}", file.display())]
    Unreadable {
        /// Path of the file.
        file: PathBuf,
        /// The problem.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file has another size than when it was split, so matches could be lost or found twice.
    #[error("{}: had {expected} bytes when it was split, but has {found} now; split it again", file.display())]
    Changed {
        /// Path of the file.
        file: PathBuf,
        /// Size of the file in bytes when it was split.
        expected: u64,
        /// Size of the file in bytes now.
        found: u64,
    },
    /// The best matches were asked for in one of several parts of a file. They can depend on another part.
    #[error(
        "{}: the best matches of a part can depend on another part; search the whole file, or select all matches",
        file.display()
    )]
    BestInPart {
        /// Path of the file.
        file: PathBuf,
    },
    /// All matches were asked for, but the searcher has a least number of edits, which applies to the best matches only.
    #[error(
        "{}: all matches cannot be selected with a minimum number of edits; select the best matches",
        file.display()
    )]
    AllWithMinEdits {
        /// Path of the file.
        file: PathBuf,
    },
    /// The records of one of several parts of a file were asked for. They depend on the text before the part.
    #[error("{}: the records of a part depend on the text before it; search the whole file", file.display())]
    RecordsInPart {
        /// Path of the file.
        file: PathBuf,
    },
    /// Lines should form records, but the alphabet is one of residues, so the file is FASTA or FASTQ.
    #[error("{}: lines form records only in text, and this is a search of sequences", file.display())]
    RecordsOfSequences {
        /// Path of the file.
        file: PathBuf,
    },
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A thread ended before its work was done.
    #[error("a worker thread stopped unexpectedly")]
    WorkerStopped,
}

impl FileError {
    pub(super) fn unreadable(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        FileError::Unreadable { file: path.to_owned(), source: source.into() }
    }
}
