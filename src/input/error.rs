//! What goes wrong with inputs.

use super::source::foreign::Foreign;

/// What went wrong with an input. The message says what, the caller knows where.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The system could not open or read it.
    #[error("{}", plain(.0))]
    Io(std::io::Error),
    /// Compressed data that does not decompress.
    #[error("corrupt or truncated {0} data: {problem}", problem = plain(.1))]
    Corrupt(&'static str, std::io::Error),
    /// Compressed data for which there is not enough memory.
    #[error("not enough memory to decompress {0} data")]
    NoMemory(&'static str),
    /// A frame of zstd that refers back farther than is supported.
    #[error("zstd data needs a window of more than 128 MiB; decompress it with 'zstd -dc --long=31'")]
    Window,
    /// Text whose lines end with a string, in which every byte of ASCII occurs.
    #[error(
        "--delimiter with several bytes needs an ASCII byte that does not occur in the text, but none is free here"
    )]
    NoFreeByte,
    /// A line or record that is longer than there is memory.
    #[error("not enough memory for the line or record at byte {offset}")]
    TooLong {
        /// Offset in the input of its first byte that was not searched.
        offset: u64,
    },
    /// More bytes than the caller takes.
    #[error("has more than {0} bytes")]
    TooLarge(u64),
    /// Sequences in a format that nigh does not read.
    #[error("{0} is not supported; use '{command} | nigh --fasta ...'", command = .0.conversion("FILE"))]
    Foreign(Foreign),
    /// Not the format it should have.
    #[error("line {line}: {problem}")]
    Malformed {
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
}

impl From<std::io::Error> for InputError {
    fn from(error: std::io::Error) -> Self {
        InputError::Io(error)
    }
}

/// The system's words for an error, without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
