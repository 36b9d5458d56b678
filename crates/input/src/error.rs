//! Errors of inputs.

use super::source::foreign::UnsupportedFormat;

/// An input error. The message says what is wrong; the caller adds the name of the input.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The system could not open or read the input.
    #[error("{}", plain(.0))]
    Io(std::io::Error),
    /// Compressed data that does not decompress.
    #[error("corrupt or truncated {0} data: {problem}", problem = plain(.1))]
    Corrupt(&'static str, std::io::Error),
    /// Data that begins with the magic number of a compression method but yields not a single byte, so it may not be
    /// compressed at all.
    #[error("begins like {0} data, but cannot be decompressed: {problem}", problem = plain(.1))]
    NotDecompressed(&'static str, std::io::Error),
    /// Bytes after the end of compressed data that are not compressed.
    #[error("garbage after the {0} data")]
    Garbage(&'static str),
    /// Compressed data that needs more memory than is available.
    #[error("not enough memory to decompress {0} data")]
    NoMemory(&'static str),
    /// A zstd frame with a larger window than is supported.
    #[error("zstd data needs a window of more than 128 MiB; decompress it with 'zstd -dc --long=31'")]
    Window,
    /// A line or record that does not fit in memory.
    #[error("not enough memory for the line or record at byte {offset}")]
    TooLong {
        /// Offset in the input of the first byte that was not searched.
        offset: u64,
    },
    /// A record of lines that has to be kept whole and is too long.
    #[error(
        "the record at byte {offset} has more than {max} bytes: no later line in them matches '{expression}'; \
         correct this expression, or raise --memory"
    )]
    LongRecord {
        /// Offset in the input at which the record starts.
        offset: u64,
        /// The expression that finds the lines with which records begin.
        expression: String,
        /// The largest number of bytes.
        max: usize,
    },
    /// An input that is longer than the caller's limit.
    #[error("has more than {0} bytes")]
    TooLarge(u64),
    /// A sequence format that nigh does not read.
    #[error("{0} is not supported; use '{command} | nigh --fasta ...'", command = .0.conversion("FILE"))]
    Foreign(UnsupportedFormat),
    /// A GFF file without a section of sequences.
    #[error("GFF without sequences after a line '##FASTA'; search the FASTA file that it annotates")]
    NoSequences,
    /// Two inputs are read record by record, and this one has more records.
    #[error("has more records than {shorter}, which has {count}; --pairs needs the same number in both")]
    MoreRecords {
        /// The name of the other input.
        shorter: String,
        /// Number of records of the other input.
        count: u64,
    },
    /// Two inputs are read record by record, and the other one has an error.
    #[error("the other input, {label}: {error}")]
    Mate {
        /// The name of the other input.
        label: String,
        /// The error in the other input.
        error: Box<InputError>,
    },
    /// Input that is not of the expected format.
    #[error("line {line}: {problem}")]
    Malformed {
        /// Line number, from 1.
        line: u64,
        /// The violation.
        problem: String,
    },
}

impl From<std::io::Error> for InputError {
    fn from(error: std::io::Error) -> Self {
        InputError::Io(error)
    }
}

/// Returns the system's message for an error, without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
