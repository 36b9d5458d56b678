//! Recognises formats that nigh does not read, by their magic numbers.

use std::fmt;

/// A format of sequences or of compressed files that nigh does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsupportedFormat {
    /// Alignments in BGZF blocks.
    Bam,
    /// Alignments, compressed against a reference.
    Cram,
    /// A genome with two bits per base.
    TwoBit,
    /// An archive of compressed files.
    Zip,
    /// A file compressed by `compress`.
    Compress,
}

/// The magic number of each format, after decompression.
const MAGICS: [(&[u8], UnsupportedFormat); 6] = [
    (b"BAM\x01", UnsupportedFormat::Bam),
    (b"CRAM", UnsupportedFormat::Cram),
    (b"\x43\x27\x41\x1a", UnsupportedFormat::TwoBit),
    (b"\x1a\x41\x27\x43", UnsupportedFormat::TwoBit),
    (b"PK\x03\x04", UnsupportedFormat::Zip),
    (b"\x1f\x9d", UnsupportedFormat::Compress),
];

/// Length of the longest magic number, in bytes.
pub(crate) const MAGIC: usize = 4;

impl UnsupportedFormat {
    /// Returns the format whose magic number `head` begins with.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| *format)
    }

    /// Returns whether the format is one of sequences.
    pub fn holds_sequences(self) -> bool {
        !matches!(self, UnsupportedFormat::Zip | UnsupportedFormat::Compress)
    }

    /// Returns a command that converts a file of this format to FASTA, or decompresses it.
    pub fn conversion(self, file: &str) -> String {
        match self {
            UnsupportedFormat::Bam | UnsupportedFormat::Cram => format!("samtools fasta {file}"),
            UnsupportedFormat::TwoBit => format!("twoBitToFa {file} stdout"),
            UnsupportedFormat::Zip => format!("unzip -p {file}"),
            UnsupportedFormat::Compress => format!("gzip -dc {file}"),
        }
    }
}

impl fmt::Display for UnsupportedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnsupportedFormat::Bam => "BAM",
            UnsupportedFormat::Cram => "CRAM",
            UnsupportedFormat::TwoBit => "2bit",
            UnsupportedFormat::Zip => "zip",
            UnsupportedFormat::Compress => ".Z",
        })
    }
}
