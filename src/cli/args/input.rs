//! How inputs are read.

use clap::Args;

use crate::input::Encoding;

/// How inputs are read.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct InputArgs {
    /// Take all inputs for lines of text, also FASTA and binary files
    #[arg(short = 'a', long)]
    pub(in crate::cli) text: bool,
    /// Decompress gzip, bgzf, zstd, xz, bzip2 and lz4, recognised by their first bytes; for sequences this is always done
    #[arg(long, alias = "search-zip")]
    pub(in crate::cli) decompress: bool,
    /// Read text in this encoding: a label as 'latin1', 'auto' for UTF-8 and UTF-16 by their byte order mark, or 'none' for the bytes as they are
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = encoding)]
    pub(in crate::cli) encoding: Encoding,
    /// Lines end with NUL, in input and output
    #[arg(short = 'z', long)]
    pub(in crate::cli) null_data: bool,
    /// Say nothing about files that cannot be read
    #[arg(short = 's', long)]
    pub(in crate::cli) no_messages: bool,
}

fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::named(name).ok_or_else(|| "no encoding is known by this name".to_owned())
}
