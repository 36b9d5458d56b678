//! Determines the content of a file from its extension and, if that is ambiguous, its first byte.

use std::path::Path;

use crate::cli::args::Args;
use nigh_input::{Compression, UnsupportedFormat, first_bytes};
use nigh_search::RecordFormat;

/// Extensions of FASTA files of nucleotides.
const NUCLEOTIDES: [&str; 4] = ["fa", "fasta", "fna", "ffn"];
/// Ambiguous extensions. A file with one of them is a FASTA file of nucleotides if it begins with `>`.
const MAYBE_NUCLEOTIDES: [&str; 5] = ["fas", "fsa", "frn", "mfa", "seq"];
/// Extension of FASTA files of amino acids.
const AMINO_ACIDS: &str = "faa";
/// Extensions of FASTQ files of nucleotides.
pub(crate) const FASTQ: [&str; 2] = ["fq", "fastq"];
/// Extensions of compressed files.
pub(super) const COMPRESSED: [&str; 7] = ["gz", "bgz", "zst", "xz", "lzma", "bz2", "lz4"];

/// Content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Lines of text.
    Text,
    /// Sequences of nucleotides.
    Nucleotides,
    /// Sequences of amino acids.
    AminoAcids,
    /// Sequences in an unsupported format, or a file that is compressed in one.
    Foreign(UnsupportedFormat),
}

/// The way in which the content of files is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAs {
    /// `--text`: every file holds lines of text.
    Text,
    /// `--fasta` or `--fastq`: every file holds sequences.
    Sequences(RecordFormat),
    /// The extension decides, and the first byte if the extension is ambiguous. If files are decompressed, the
    /// extension is the one before that of the compression.
    ByName(Compression),
}

impl ReadAs {
    pub(crate) fn new(args: &Args) -> Self {
        match (args.input.text, args.sequences.fasta, args.sequences.fastq) {
            (true, ..) => ReadAs::Text,
            (false, _, true) => ReadAs::Sequences(RecordFormat::Fastq),
            (false, true, false) => ReadAs::Sequences(RecordFormat::Fasta),
            (false, false, false) => ReadAs::ByName(args.input.compression()),
        }
    }

    /// Returns the content of standard input.
    pub(super) fn content_of_stdin(self) -> Content {
        match self {
            ReadAs::Sequences(_) => Content::Nucleotides,
            ReadAs::Text | ReadAs::ByName(_) => Content::Text,
        }
    }

    /// Returns the content of a file. The file is opened only if its extension is ambiguous.
    pub(crate) fn content_of(self, file: &Path) -> Content {
        let extension = self.extension(file);
        let content = match (self, extension.as_deref()) {
            (ReadAs::Text, _) => Content::Text,
            (_, Some(extension)) => content_by_extension(file, extension),
            (_, None) => Content::Text,
        };
        match (self, content) {
            (ReadAs::Sequences(_), Content::Text) => Content::Nucleotides,
            (ReadAs::ByName(Compression::Ignored), Content::Foreign(format)) if !format.holds_sequences() => {
                Content::Text
            }
            (_, content) => content,
        }
    }

    /// Returns the record format to use if the first byte of a file is neither `>` nor `@`.
    pub(crate) fn records_of(self, file: &Path) -> RecordFormat {
        let is_fastq = || self.extension(file).is_some_and(|extension| FASTQ.contains(&&*extension));
        match self {
            ReadAs::Sequences(records) => records,
            ReadAs::ByName(_) if is_fastq() => RecordFormat::Fastq,
            ReadAs::ByName(_) | ReadAs::Text => RecordFormat::Fasta,
        }
    }

    /// Returns the extension that shows the content of a file, in lower case.
    fn extension(self, file: &Path) -> Option<String> {
        match self {
            ReadAs::ByName(Compression::Ignored) => last_extension(file),
            ReadAs::ByName(Compression::ByMagic) | ReadAs::Sequences(_) | ReadAs::Text => {
                extension_below_compression(file)
            }
        }
    }
}

fn content_by_extension(file: &Path, extension: &str) -> Content {
    let begins_as_fasta = || first_bytes(file, 1).is_some_and(|head| head == b">");
    match extension {
        AMINO_ACIDS => Content::AminoAcids,
        _ if NUCLEOTIDES.contains(&extension) || FASTQ.contains(&extension) => Content::Nucleotides,
        _ if MAYBE_NUCLEOTIDES.contains(&extension) && begins_as_fasta() => Content::Nucleotides,
        _ => UnsupportedFormat::of_file(file, extension).map_or(Content::Text, Content::Foreign),
    }
}

/// Returns the extension of a file in lower case. If it is one of [`COMPRESSED`], returns the extension before it.
pub(crate) fn extension_below_compression(file: &Path) -> Option<String> {
    let extension = last_extension(file)?;
    if COMPRESSED.contains(&&*extension) { last_extension(Path::new(file.file_stem()?)) } else { Some(extension) }
}

fn last_extension(file: &Path) -> Option<String> {
    file.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Like [`extension_below_compression`], but returns `None` unless the extension denotes sequences.
pub(crate) fn sequence_extension(file: &Path) -> Option<String> {
    let extension = extension_below_compression(file)?;
    let known = NUCLEOTIDES.contains(&&*extension) || extension == AMINO_ACIDS || FASTQ.contains(&&*extension);
    known.then_some(extension)
}
