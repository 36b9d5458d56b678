//! Formats of sequences that nigh does not read, recognised by their first bytes.

use std::fmt;

/// A format that nigh does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Alignments, compressed in blocks of gzip.
    Bam,
    /// Alignments, compressed against a reference.
    Cram,
    /// A genome with two bits a base.
    TwoBit,
}

/// Each format with the bytes that it begins with, as they are when decompressed.
const MAGICS: [(&[u8], Foreign); 4] = [
    (b"BAM\x01", Foreign::Bam),
    (b"CRAM", Foreign::Cram),
    (b"\x43\x27\x41\x1a", Foreign::TwoBit),
    (b"\x1a\x41\x27\x43", Foreign::TwoBit),
];

/// The number of bytes that tell.
pub(crate) const MAGIC: usize = 4;

impl Foreign {
    /// The format that some bytes begin with the mark of.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| *format)
    }

    /// A command that writes a file in this format as FASTA.
    pub fn conversion(self, file: &str) -> String {
        match self {
            Foreign::Bam | Foreign::Cram => format!("samtools fasta {file}"),
            Foreign::TwoBit => format!("twoBitToFa {file} stdout"),
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foreign::Bam => "BAM",
            Foreign::Cram => "CRAM",
            Foreign::TwoBit => "2bit",
        })
    }
}
