//! What is to be found.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::OsStringValueParser;

/// What is to be found.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct PatternArgs {
    /// Find PATTERN too; for more patterns than one, or one that starts with '-'
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", value_parser = OsStringValueParser::new(), allow_hyphen_values = true)]
    pub(in crate::cli) regexps: Vec<OsString>,
    /// Find the patterns in FILE too, one a line
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(in crate::cli) pattern_files: Vec<PathBuf>,
    /// Take patterns as they stand: no symbol is special
    #[arg(short = 'F', long)]
    pub(in crate::cli) fixed_strings: bool,
    /// Ignore case
    #[arg(short, long)]
    pub(in crate::cli) ignore_case: bool,
    /// Find whole words only
    #[arg(short, long = "word-regexp")]
    pub(in crate::cli) word: bool,
    /// Find whole lines or records only
    #[arg(short = 'x', long = "line-regexp")]
    pub(in crate::cli) line: bool,
    /// Select lines or records without a match
    #[arg(short = 'v', long = "invert-match")]
    pub(in crate::cli) invert: bool,
}
