//! What a file holds, as its name and, where that is not enough, its first bytes say.

use std::path::Path;

use crate::cli::args::Args;
use crate::input::{Foreign, first_bytes};
use crate::search::Records;

/// Extensions of files that hold nucleotides as FASTA.
const NUCLEOTIDES: [&str; 4] = ["fa", "fasta", "fna", "ffn"];
/// Extensions that other kinds of file have too: these hold nucleotides as FASTA if they begin with `>`.
const MAYBE_NUCLEOTIDES: [&str; 5] = ["fas", "fsa", "frn", "mfa", "seq"];
/// The extension of files that hold amino acids as FASTA.
const AMINO_ACIDS: &str = "faa";
/// Extensions of files that hold nucleotides as FASTQ.
pub(super) const FASTQ: [&str; 2] = ["fq", "fastq"];
/// Extensions of compressed files.
pub(super) const COMPRESSED: [&str; 6] = ["gz", "bgz", "zst", "xz", "bz2", "lz4"];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Lines of text.
    Text,
    /// Sequences of nucleotides.
    Nucleotides,
    /// Sequences of amino acids.
    AminoAcids,
    /// Sequences in a format that is not read.
    Foreign(Foreign),
}

/// The options that decide what files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// `--text`: lines of text, whatever their names.
    Text,
    /// `--fasta` or `--fastq`: sequences, whatever their names.
    Sequences(Records),
    /// As names and first bytes say.
    ByName,
}

impl Reading {
    pub(super) fn new(args: &Args) -> Self {
        match (args.input.text, args.sequences.fasta, args.sequences.fastq) {
            (true, ..) => Reading::Text,
            (false, _, true) => Reading::Sequences(Records::Fastq),
            (false, true, false) => Reading::Sequences(Records::Fasta),
            (false, false, false) => Reading::ByName,
        }
    }

    /// What standard input holds.
    pub(super) fn content_of_stdin(self) -> Content {
        match self {
            Reading::Sequences(_) => Content::Nucleotides,
            Reading::Text | Reading::ByName => Content::Text,
        }
    }

    /// What a file holds. It is opened only where its extension leaves that open.
    pub(super) fn content_of(self, file: &Path) -> Content {
        let extension = extension_below_compression(file);
        let content = match (self, extension.as_deref()) {
            (Reading::Text, _) => Content::Text,
            (_, Some(extension)) => content_by_extension(file, extension),
            (_, None) => Content::Text,
        };
        match (self, content) {
            (Reading::Sequences(_), Content::Text) => Content::Nucleotides,
            (_, content) => content,
        }
    }

    /// How the records of a file are written, if its first byte does not say.
    pub(super) fn records_of(self, file: &Path) -> Records {
        let is_fastq = || extension_below_compression(file).is_some_and(|extension| FASTQ.contains(&&*extension));
        match self {
            Reading::Sequences(records) => records,
            Reading::ByName if is_fastq() => Records::Fastq,
            Reading::ByName | Reading::Text => Records::Fasta,
        }
    }
}

fn content_by_extension(file: &Path, extension: &str) -> Content {
    let begins_as_fasta = || first_bytes(file, 1).is_some_and(|head| head == b">");
    match extension {
        AMINO_ACIDS => Content::AminoAcids,
        _ if NUCLEOTIDES.contains(&extension) || FASTQ.contains(&extension) => Content::Nucleotides,
        _ if MAYBE_NUCLEOTIDES.contains(&extension) && begins_as_fasta() => Content::Nucleotides,
        _ => Foreign::of_file(file, extension).map_or(Content::Text, Content::Foreign),
    }
}

/// The extension of a file, in lower case, below that of a compression.
pub(super) fn extension_below_compression(file: &Path) -> Option<String> {
    let lower = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let extension = lower(file)?;
    match COMPRESSED.contains(&&*extension) {
        true => lower(Path::new(file.file_stem()?)),
        false => Some(extension),
    }
}

/// The extension that says a file holds sequences, below that of a compression.
pub(super) fn sequence_extension(file: &Path) -> Option<String> {
    let extension = extension_below_compression(file)?;
    let known = NUCLEOTIDES.contains(&&*extension) || extension == AMINO_ACIDS || FASTQ.contains(&&*extension);
    known.then_some(extension)
}
