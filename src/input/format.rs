//! What an input is: where it comes from, how its bytes are decoded, and how they are divided.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;

use super::source::encoding::Encoding;
use crate::alphabet::Alphabet;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// How many bytes it has, if it is a file.
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

/// Whether compressed input is decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// It is taken as it is.
    Ignored,
    /// It is recognised by its first bytes and decompressed.
    ByMagic,
}

/// What is done with an input that begins as no text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryInput {
    /// It is searched.
    Searched,
    /// It is taken for empty if it has a NUL byte among its first, as it is decoded.
    Empty,
}

/// How the bytes of an input become those that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// Whether they are decompressed.
    pub compression: Compression,
    /// How they are then read as text.
    pub encoding: Encoding,
    /// Whether they may be binary.
    pub binary: BinaryInput,
}

/// What an input is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Lines that end with this byte.
    Lines {
        /// The byte.
        terminator: u8,
        /// What to do with long ones.
        long: LongLines,
    },
    /// Lines that end with a line feed, or with a carriage return and a line feed.
    ReturnLines {
        /// What to do with long ones.
        long: LongLines,
    },
    /// Lines that end with a string.
    Delimited {
        /// The string, which is not empty.
        delimiter: Arc<[u8]>,
        /// What to do with long ones.
        long: LongLines,
    },
    /// Records of FASTA.
    Fasta {
        /// What to do with long ones.
        long: LongLines,
    },
    /// Records of FASTQ; they are always whole.
    Fastq,
}

/// What becomes of a line or record that is longer than a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// It is read whole, so that it can be printed.
    Whole,
    /// It is read whole where all of it before is text. Once a NUL byte was met, lines may be cut: none of them is printed.
    WholeText,
    /// It is cut, and memory stays bounded.
    Cut,
}

/// How batches are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many bytes to read for a batch. A line that is to stay whole and the context come on top.
    pub bytes: usize,
    /// How many symbols before the part that a batch owns a match that ends in it can cover.
    pub reach: usize,
    /// What symbols are.
    pub alphabet: Alphabet,
}
