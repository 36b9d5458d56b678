//! Describes an input: its origin, its decoding, and its division into lines or records.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;

use memchr::memchr;

use super::source::encoding::Encoding;
use crate::cut::returns::hide_returns;
use crate::error::InputError;
use nigh_text::batch::{Batch, LineRecords, RecordStarts};

/// The origin of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// Returns the size in bytes of a regular file; `None` for anything else.
    pub fn size(&self) -> Option<u64> {
        self.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len())
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Origin::Stdin => File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata(),
            Origin::File(path) => std::fs::metadata(path),
        }
    }
}

/// Treatment of compressed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Compressed input is read as it is.
    Ignored,
    /// Compressed input is recognised by its magic number and decompressed.
    ByMagic,
}

/// Treatment of an input that looks binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryInput {
    /// Binary input is searched.
    Searched,
    /// Binary input is treated as empty. It is recognised by a NUL byte among its first bytes, after decoding.
    Empty,
}

/// The steps from the bytes of an input to the bytes that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// Decompression.
    pub compression: Compression,
    /// Conversion to UTF-8.
    pub encoding: Encoding,
    /// Treatment of binary input.
    pub binary: BinaryInput,
    /// Whether escape sequences of terminals are printed but not searched.
    pub hides_escapes: bool,
}

impl Decoding {
    /// Decompresses, converts UTF-16 and UTF-32, and searches binary input.
    pub const AUTOMATIC: Decoding = Decoding {
        compression: Compression::ByMagic,
        encoding: Encoding::Automatic,
        binary: BinaryInput::Searched,
        hides_escapes: false,
    };
}

/// How an input is divided: into lines or into records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Lines that end with one byte.
    Lines {
        /// The byte that ends a line.
        terminator: u8,
        /// Treatment of long lines.
        long: LongLines,
    },
    /// Lines that end with a line feed, or with a carriage return and a line feed.
    ReturnLines {
        /// Treatment of long lines.
        long: LongLines,
    },
    /// Records of one or more lines.
    LineRecords {
        /// The rule by which lines form records.
        rule: RecordRule,
        /// Treatment of long records. Lines are always kept whole.
        long: LongLines,
    },
    /// FASTA records.
    Fasta {
        /// Treatment of long records.
        long: LongLines,
    },
    /// FASTA records of aligned sequences, which always stay whole. Their gaps `-` and `.` are printed but not searched.
    GappedFasta,
    /// FASTQ records, which always stay whole.
    Fastq,
}

impl Format {
    /// Returns whether any line of text that is longer than a batch is cut.
    pub fn cuts_lines(&self) -> bool {
        match self {
            Format::Lines { long, .. } | Format::ReturnLines { long } => *long == LongLines::Cut,
            Format::LineRecords { .. } | Format::Fasta { .. } | Format::GappedFasta | Format::Fastq => false,
        }
    }
}

/// The rule by which the lines of a text form records: a record begins with each line that `starts` finds, and the lines
/// before the first one are a record too.
#[derive(Clone)]
pub struct RecordRule {
    /// Finds the lines with which records begin.
    pub starts: Arc<dyn RecordStarts>,
    /// The byte that ends a line.
    pub terminator: u8,
    /// Whether lines end with a carriage return and a line feed as well.
    pub hides_returns: bool,
    /// Treatment of pauses.
    pub pause: PauseRule,
    /// Number of bytes that a record may have if it must be kept whole. Much longer ones are errors.
    pub max_bytes: usize,
}

/// Treatment of an input that pauses for a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseRule {
    /// A pause has no effect.
    Ignored,
    /// A record ends with the last whole line before the pause.
    EndsRecord,
}

impl RecordRule {
    /// Makes the rule for lines that end with the byte `terminator`, without a limit on the length of records.
    pub fn new(starts: Arc<dyn RecordStarts>, terminator: u8) -> Self {
        RecordRule { starts, terminator, hides_returns: false, pause: PauseRule::Ignored, max_bytes: usize::MAX }
    }

    /// Returns whether a line is the first of a record.
    pub(crate) fn is_start(&self, line: &[u8]) -> bool {
        self.starts.of(&self.batch(line)).first() == Some(&0)
    }

    /// Returns the offset of the first line in whole lines that is the first of a record.
    pub(crate) fn first_start(&self, lines: &[u8]) -> Option<usize> {
        if self.is_start(self.first_line(lines)) { Some(0) } else { self.batch(lines).record_start_after(0) }
    }

    /// Returns the offset of the last line in whole lines that is the first of a record.
    pub(crate) fn last_start(&self, lines: &[u8]) -> Option<usize> {
        match self.batch(lines).last_record_before(lines.len(), 0) {
            0 => self.is_start(self.first_line(lines)).then_some(0),
            start => Some(start),
        }
    }

    /// Checks the length of a record that starts at the offset `offset` in the input and must be kept whole.
    ///
    /// # Errors
    /// The record is too long.
    pub(crate) fn check_length(&self, bytes: usize, offset: u64) -> Result<(), InputError> {
        match bytes > self.max_bytes {
            true => Err(InputError::LongRecord { offset, expression: self.starts.to_string(), max: self.max_bytes }),
            false => Ok(()),
        }
    }

    fn first_line<'b>(&self, lines: &'b [u8]) -> &'b [u8] {
        memchr(self.terminator, lines).map_or(lines, |line_end| &lines[..=line_end])
    }

    /// Returns whole lines as a batch of records.
    fn batch<'b>(&self, lines: &'b [u8]) -> Batch<'b> {
        let mut batch = match self.hides_returns {
            true => Batch::of_lines(lines.to_vec(), self.terminator),
            false => Batch::of_lines(lines, self.terminator),
        };
        if self.hides_returns {
            hide_returns(&mut batch);
        }
        batch.records = Some(Box::new(LineRecords::new(self.starts.clone(), lines.len())));
        batch
    }
}

impl fmt::Debug for RecordRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordRule").field("terminator", &self.terminator).finish_non_exhaustive()
    }
}

impl PartialEq for RecordRule {
    fn eq(&self, other: &Self) -> bool {
        let settings = |rule: &Self| (rule.terminator, rule.hides_returns, rule.pause, rule.max_bytes);
        Arc::ptr_eq(&self.starts, &other.starts) && settings(self) == settings(other)
    }
}

impl Eq for RecordRule {}

/// Treatment of a line or record that is longer than a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// Every line is kept whole, so that it can be printed.
    Whole,
    /// Every line is kept whole while the input is text. After a NUL byte, long lines may be cut, since lines of binary
    /// input are not printed.
    WholeText,
    /// Every line or record may be cut, so that memory stays bounded.
    Cut,
}
