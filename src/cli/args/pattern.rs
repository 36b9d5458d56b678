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
    /// Find the patterns in FILE too, one a line, or those of a FASTA or FASTQ file
    ///
    /// Those of FASTA and FASTQ have the names of their records. In files named .tsv, and for sequences, a line may also hold a name, a pattern and, if it has a bound of its own, K, with tabs between them; empty lines are passed over there. A carriage return at the end of a line is not part of the pattern; '\r' matches one.
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(in crate::cli) pattern_files: Vec<PathBuf>,
    /// Take patterns as they stand: no symbol is special
    #[arg(short = 'F', long)]
    pub(in crate::cli) fixed_strings: bool,
    /// Ignore case; so does -y
    #[arg(short, long, short_alias = 'y', overrides_with = "smart_case")]
    pub(in crate::cli) ignore_case: bool,
    /// Ignore case if no pattern has a letter in upper case
    #[arg(short = 'S', long, overrides_with = "ignore_case")]
    pub(in crate::cli) smart_case: bool,
    /// Do not ignore case: takes back -i and -S
    #[arg(long, alias = "case-sensitive", overrides_with_all = ["ignore_case", "smart_case"])]
    pub(in crate::cli) no_ignore_case: bool,
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
