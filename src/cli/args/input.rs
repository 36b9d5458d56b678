//! How inputs are read.

use clap::Args;

/// How inputs are read.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct InputArgs {
    /// Take all inputs for lines of text, also FASTA and binary files
    #[arg(short = 'a', long)]
    pub(in crate::cli) text: bool,
    /// Decompress gzip, recognised by its first bytes; in sequences this is always done
    #[arg(long, alias = "search-zip")]
    pub(in crate::cli) decompress: bool,
    /// Lines end with NUL, in input and output
    #[arg(short = 'z', long)]
    pub(in crate::cli) null_data: bool,
    /// Say nothing about files that cannot be read
    #[arg(short = 's', long)]
    pub(in crate::cli) no_messages: bool,
}
