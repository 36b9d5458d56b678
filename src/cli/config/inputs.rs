//! What is to be searched: files and what they hold.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::globs::Globs;
use super::walk::Walker;
use crate::cli::args::{Args, bytes_of};
use crate::cli::messages::Messages;
use crate::input::{Compression, Decoding, Origin};
use crate::search::{Input, Kind, Records};

/// What the name of a file says it holds.
const NUCLEOTIDES: [&str; 4] = ["fa", "fasta", "fna", "ffn"];
const AMINO_ACIDS: &str = "faa";
pub(super) const FASTQ: [&str; 2] = ["fq", "fastq"];
pub(super) const COMPRESSED: [&str; 6] = ["gz", "bgz", "zst", "xz", "bz2", "lz4"];

/// The inputs in order, and whether something could not be read on the way to them.
pub(super) fn inputs(args: &Args, messages: &Messages) -> Result<(Vec<Input>, bool)> {
    let globs = Arc::new(Globs::new(args)?);
    let mut walker = Walker::new(args, &globs, messages)?;
    let mut inputs = Vec::new();
    match (args.files.is_empty(), args.input.recursion()) {
        (true, None) => inputs.push(input(args, Path::new("-"))),
        (true, Some(recursion)) => {
            let files = walker.files(Path::new("."), recursion);
            let plain = |file: &Path| file.strip_prefix(".").unwrap_or(file).to_owned();
            inputs.extend(files.iter().map(|file| input(args, &plain(file))));
        }
        (false, _) => {}
    }
    for file in &args.files {
        match args.input.recursion() {
            _ if file == Path::new("-") => inputs.push(input(args, file)),
            Some(recursion) if file.is_dir() => {
                if !globs.skip_named_folder(file) {
                    let files = walker.files(file, recursion);
                    inputs.extend(files.iter().map(|file| input(args, file)));
                }
            }
            _ if globs.skip_named_file(file) => {}
            _ => inputs.push(input(args, file)),
        }
    }
    Ok((inputs, walker.failed))
}

/// Whether the names of inputs are shown if nothing is said about it: there may be several.
pub(super) fn may_be_several(args: &Args) -> bool {
    let searches_folder = match &args.files[..] {
        [] => true,
        [file] => file.is_dir(),
        _ => return true,
    };
    searches_folder && args.input.recursion().is_some()
}

/// Whether the sequences are amino acids, as the names of their files say; nothing if some are and some are not.
pub(super) fn are_proteins(inputs: &[Input]) -> Option<bool> {
    let sequences = inputs.iter().filter(|input| input.kind == Kind::Sequences);
    let mut are = sequences.map(|input| match &input.origin {
        Origin::File(file) => sequence_extension(file).as_deref() == Some(AMINO_ACIDS),
        Origin::Stdin => false,
    });
    let first = are.next().unwrap_or(false);
    are.all(|other| other == first).then_some(first)
}

/// Takes sequences that were only met in folders for text, which the options or patterns may be for. Whether there are no others.
pub(super) fn take_for_text(args: &Args, inputs: &mut [Input]) -> bool {
    let asked = |input: &Input| match &input.origin {
        Origin::File(file) => args.files.contains(file),
        Origin::Stdin => true,
    };
    let mut sequences = inputs.iter().filter(|input| input.kind == Kind::Sequences);
    if args.sequences.fasta || args.sequences.fastq || sequences.any(asked) {
        return false;
    }
    for input in inputs.iter_mut() {
        input.kind = Kind::Text;
        input.decoding.compression = compression(args, Kind::Text);
    }
    true
}

fn compression(args: &Args, kind: Kind) -> Compression {
    match args.input.decompress || kind == Kind::Sequences {
        true => Compression::ByMagic,
        false => Compression::Ignored,
    }
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
    let decoding = Decoding { compression: compression(args, kind), encoding: args.input.encoding };
    let (origin, label) = match file == Path::new("-") {
        true => (Origin::Stdin, &*args.output.label),
        false => (Origin::File(file.to_owned()), file.as_os_str()),
    };
    Input { origin, label: bytes_of(label).to_vec(), decoding, kind, records, most: None }
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
