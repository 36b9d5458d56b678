//! Options for patterns.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::OsStringValueParser;

use super::numbers::number;
use nigh_pattern::PositionRange;

/// Options for patterns.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct PatternArgs {
    /// Search for PATTERN; can be given several times
    ///
    /// Use -e for a pattern that begins with '-'. A line or record is selected if any pattern matches.
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", value_parser = OsStringValueParser::new(), allow_hyphen_values = true)]
    pub(crate) regexps: Vec<OsString>,
    /// Match two patterns only within NUM symbols of each other
    ///
    /// The option is given between two patterns: '-e A --near 50 -e B'. A match of A counts only if a match of B is in
    /// the same line or record, in either order and on either strand, does not overlap it, and at most NUM symbols are
    /// between the two; and the same holds for B. A match without such a partner is ignored: it is not counted, and
    /// does not hide another match from --hits best. Both matches are reported as usual, and other patterns match
    /// anywhere.
    ///
    /// Each line is then held in memory whole; a record only if NUM exceeds 32768, or with --shard or --hits sites.
    #[arg(long, value_name = "NUM", value_parser = number)]
    pub(crate) near: Vec<u64>,
    /// Number of -e options before --near.
    #[arg(skip)]
    pub(crate) regexps_before_near: usize,
    /// Search for the patterns in FILE, one per line; '-' is standard input
    ///
    /// FASTA and FASTQ files hold one pattern per record, which has the name of the record. They are recognized by
    /// their names, and when sequences are searched also by their first byte.
    ///
    /// In files named .tsv, and in all others when sequences are searched, a line can have the columns name, pattern
    /// and, optionally, a bound as for -k, separated by tabs; empty lines are skipped there. Elsewhere an empty line
    /// is an empty pattern, which matches every line. A carriage return at the end of a line is not part of the
    /// pattern; write '\r' to match one.
    ///
    /// A pattern may have 4194304 bytes, and a file 1 GiB after decompression.
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) pattern_files: Vec<PathBuf>,
    /// Match patterns literally, without special characters
    #[arg(short = 'F', long)]
    pub(crate) fixed_strings: bool,
    /// Ignore case (also -y)
    ///
    /// Case is always ignored in sequences.
    #[arg(short, long, short_alias = 'y', overrides_with = "smart_case")]
    pub(crate) ignore_case: bool,
    /// Ignore case if no pattern has an upper-case letter
    #[arg(short = 'S', long, overrides_with = "ignore_case")]
    pub(crate) smart_case: bool,
    /// Do not ignore case (default); overrides -i and -S
    #[arg(hide = true, long, alias = "case-sensitive", overrides_with_all = ["ignore_case", "smart_case"])]
    pub(crate) no_ignore_case: bool,
    /// Match only whole words
    ///
    /// The symbols before and after a match must not be word characters.
    #[arg(short, long = "word-regexp")]
    pub(crate) word: bool,
    /// Match only whole lines or records
    #[arg(short = 'x', long = "line-regexp")]
    pub(crate) line: bool,
    /// Match only inside a range of positions of each line or record
    ///
    /// RANGE is START..END, START.. or ..END. Positions are those of tables and --json: 0-based and half-open, counted
    /// in residues of a record or bytes of a line. A negative number counts from the end: '--within 0..80' searches the
    /// first 80 residues of each record, '--within -80..' the last 80. The whole match must be inside the range. A
    /// match outside the range is ignored: it is not counted, and does not hide another match from --hits best.
    ///
    /// Each line is then held in memory whole, and so is each record if a number is negative.
    #[arg(long, value_name = "RANGE", value_parser = str::parse::<PositionRange>, allow_hyphen_values = true)]
    pub(crate) within: Option<PositionRange>,
    /// Select lines or records without a match
    #[arg(short = 'v', long = "invert-match")]
    pub(crate) invert: bool,
}
