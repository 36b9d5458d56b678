//! What is to be searched: files and what they hold.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::cli::args::{Args, bytes_of};
use crate::cli::messages::Messages;
use crate::engine::InputSize;
use crate::input::{Compression, Decoding, Origin};
use crate::search::{Input, Kind, Records};

/// What the name of a file says it holds.
const NUCLEOTIDES: [&str; 4] = ["fa", "fasta", "fna", "ffn"];
pub(super) const AMINO_ACIDS: &str = "faa";
pub(super) const FASTQ: [&str; 2] = ["fq", "fastq"];
pub(super) const COMPRESSED: [&str; 6] = ["gz", "bgz", "zst", "xz", "bz2", "lz4"];

pub(super) fn inputs(args: &Args) -> Vec<Input> {
    let standard_input = [Path::new("-").to_owned()];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    files.iter().map(|file| input(args, file)).collect()
}

fn input(args: &Args, file: &Path) -> Input {
    let extension = sequence_extension(file);
    let named_fastq = extension.as_deref().is_some_and(|extension| FASTQ.contains(&extension));
    let records = match (args.sequences.fasta, args.sequences.fastq) {
        (false, true) => Records::Fastq,
        (false, false) if named_fastq => Records::Fastq,
        _ => Records::Fasta,
    };
    let asked = args.sequences.fasta || args.sequences.fastq;
    let kind = match asked || (extension.is_some() && !args.input.text) {
        true => Kind::Sequences,
        false => Kind::Text,
    };
    let compression = match args.input.decompress || kind == Kind::Sequences {
        true => Compression::ByMagic,
        false => Compression::Ignored,
    };
    let decoding = Decoding { compression, encoding: args.input.encoding };
    let (origin, label) = match file == Path::new("-") {
        true => (Origin::Stdin, &*args.output.label),
        false => (Origin::File(file.to_owned()), file.as_os_str()),
    };
    Input { origin, label: bytes_of(label).to_vec(), decoding, kind, records }
}

/// The extension that says a file holds sequences, below that of a compression.
pub(super) fn sequence_extension(file: &Path) -> Option<String> {
    let lower = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let mut extension = lower(file)?;
    if COMPRESSED.contains(&&*extension) {
        extension = lower(Path::new(file.file_stem()?))?;
    }
    let known = NUCLEOTIDES.contains(&&*extension) || extension == AMINO_ACIDS || FASTQ.contains(&&*extension);
    known.then_some(extension)
}

/// Whether the input is the file that standard output is written to; reading it would never end.
pub(super) fn is_output(input: &Input, messages: &Messages) -> bool {
    let metadata = |descriptor: BorrowedFd| fs::File::from(descriptor.try_clone_to_owned()?).metadata();
    let input_file = match &input.origin {
        Origin::File(path) => fs::metadata(path),
        Origin::Stdin => metadata(io::stdin().as_fd()),
    };
    let (Ok(output), Ok(input_file)) = (metadata(io::stdout().as_fd()), input_file) else { return false };
    let same = output.is_file() && (output.dev(), output.ino()) == (input_file.dev(), input_file.ino());
    if same {
        messages.refused(&input.label);
    }
    same
}

/// How many bytes there are to be searched, if all inputs are files that are not compressed.
pub(in crate::cli) fn known_size(inputs: &[Input]) -> Option<u64> {
    let size = |input: &Input| {
        let Origin::File(path) = &input.origin else { return None };
        let is_compressed = input.decoding.compression == Compression::ByMagic
            && path.extension().is_some_and(|extension| COMPRESSED.iter().any(|known| extension == *known));
        let metadata = fs::metadata(path).ok().filter(|metadata| metadata.is_file() && !is_compressed);
        metadata.map(|metadata| metadata.len())
    };
    inputs.iter().map(size).sum()
}

/// How many bytes all inputs have, if they are files.
pub(super) fn input_size(args: &Args) -> InputSize {
    let size = |file: &PathBuf| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    let sizes: Option<Vec<u64>> = args.files.iter().map(size).collect();
    sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.iter().sum())
}
