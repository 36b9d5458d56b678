//! What is printed, and how.

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::{Args, ValueEnum};

use super::numbers::{limit, number};

/// What is printed, and how.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct OutputArgs {
    /// Print only the number of lines or records selected: of a genome in one record, 1. --count-matches counts the matches in them
    #[arg(short, long)]
    pub(in crate::cli) count: bool,
    /// Print only the number of matches, as -o would show them
    #[arg(long)]
    pub(in crate::cli) count_matches: bool,
    /// Print only the names of files with a line or record selected
    #[arg(short = 'l', long = "files-with-matches")]
    pub(in crate::cli) list_with: bool,
    /// Print only the names of files with nothing selected
    #[arg(short = 'L', long = "files-without-match", overrides_with = "list_with")]
    pub(in crate::cli) list_without: bool,
    /// Print nothing; end at the first match
    #[arg(short, long, alias = "silent")]
    pub(in crate::cli) quiet: bool,
    /// Stop after NUM lines or records of a file; below 0 there is no limit
    #[arg(short, long, value_name = "NUM", value_parser = limit, allow_negative_numbers = true)]
    pub(in crate::cli) max_count: Option<u64>,
    /// Print only the matches, each on a line of its own
    #[arg(short, long)]
    pub(in crate::cli) only_matching: bool,
    /// Print the byte offset of each line, or of each match with -o. A byte order mark of UTF-8 counts, also for --column
    #[arg(short, long)]
    pub(in crate::cli) byte_offset: bool,
    /// Print line numbers
    #[arg(short = 'n', long)]
    pub(in crate::cli) line_number: bool,
    /// Print the column of the first match in a line, or of each match with -o: in bytes, from 1. Line numbers are printed only with -n
    #[arg(long)]
    pub(in crate::cli) column: bool,
    /// Print a line for each match, with file name, line number and column
    #[arg(long)]
    pub(in crate::cli) vimgrep: bool,
    /// Print JSON Lines, as ripgrep does, with the cost, pattern and CIGAR of each match
    #[arg(long, conflicts_with_all = ["count", "count_matches", "list_with", "list_without", "ends", "align"])]
    pub(in crate::cli) json: bool,
    /// Print how many lines (in sequences: hits) there are of each distance; with -H, for each file
    #[arg(long, conflicts_with_all = ["count", "count_matches", "list_with", "list_without", "only_matching", "invert", "json", "ends", "align", "line_number", "byte_offset", "cost", "after_context", "before_context", "context", "column", "vimgrep", "passthru", "heading", "trim"])]
    pub(in crate::cli) histogram: bool,
    /// Print after all else what was searched and found
    #[arg(long)]
    pub(in crate::cli) stats: bool,
    /// Print file names, also for one file
    #[arg(short = 'H', long)]
    pub(in crate::cli) with_filename: bool,
    /// Print no file names
    #[arg(short = 'h', long, overrides_with = "with_filename")]
    pub(in crate::cli) no_filename: bool,
    /// Print NUM lines of context after each line
    #[arg(short = 'A', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) after_context: Option<u64>,
    /// Print NUM lines of context before each line
    #[arg(short = 'B', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) before_context: Option<u64>,
    /// Print NUM lines of context on both sides
    #[arg(short = 'C', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) context: Option<u64>,
    /// Print all lines; ':' tells those with a match
    #[arg(long, overrides_with_all = ["after_context", "before_context", "context"])]
    pub(in crate::cli) passthru: bool,
    /// Print STRING between groups of lines
    #[arg(long, value_name = "STRING", default_value = "--", hide_default_value = true, allow_hyphen_values = true, value_parser = OsStringValueParser::new(), overrides_with = "no_group_separator")]
    pub(in crate::cli) group_separator: OsString,
    /// Print nothing between groups of lines
    #[arg(long, overrides_with = "group_separator")]
    pub(in crate::cli) no_group_separator: bool,
    /// Print NUL and not ':' behind file names
    #[arg(short = 'Z', long)]
    pub(in crate::cli) null: bool,
    /// Put a tab before each line, so that tabs in it stand where they would
    #[arg(short = 'T', long)]
    pub(in crate::cli) initial_tab: bool,
    /// Say of a line longer than NUM bytes, with its end, only that it is there; 0 is no limit
    #[arg(short = 'M', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true)]
    pub(in crate::cli) max_columns: Option<u64>,
    /// Leave out white space at the start of lines
    #[arg(long)]
    pub(in crate::cli) trim: bool,
    /// Print each file name once, above its lines
    #[arg(long, overrides_with = "no_heading")]
    pub(in crate::cli) heading: bool,
    /// Print file names before each line; so it is anyway
    #[arg(long, overrides_with = "heading")]
    pub(in crate::cli) no_heading: bool,
    /// Call standard input LABEL
    #[arg(long, value_name = "LABEL", default_value = "(standard input)", value_parser = OsStringValueParser::new())]
    pub(in crate::cli) label: OsString,
    /// Print each hit as three lines, for people: the pattern over bars over the text
    ///
    /// Of matches that overlap, only the best are printed, unless --hits says 'all'.
    #[arg(long, conflicts_with_all = ["format", "header", "only_matching", "invert", "ends", "line_number", "byte_offset", "cost", "after_context", "before_context", "context", "column", "vimgrep", "passthru", "initial_tab", "max_columns", "trim", "count_matches", "heading"])]
    pub(in crate::cli) align: bool,
    /// Write each line as soon as it is found
    #[arg(long)]
    pub(in crate::cli) line_buffered: bool,
    /// Say how far the search is, on standard error: bytes, rate, hits, time left. Without it, this is done on a
    /// terminal that shows no results, when the search is long. A search that takes an hour or more says so in any case
    #[arg(long)]
    pub(in crate::cli) progress: bool,
    /// Never say how far the search is
    #[arg(long, overrides_with = "progress")]
    pub(in crate::cli) no_progress: bool,
    /// Use colours
    #[arg(long, visible_alias = "colour", value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "auto")]
    pub(in crate::cli) color: When,
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
