//! Options for output.

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::{Args, ValueEnum};

use super::numbers::{limit, number, one_or_more};

/// Options that print counts or names of files.
pub(super) const COUNTS_AND_NAMES: [&str; 4] = ["count", "count_matches", "list_with", "list_without"];

/// Options for the form of printed lines.
pub(super) const OF_LINES: [&str; 11] = [
    "line_number",
    "byte_offset",
    "cost",
    "after_context",
    "before_context",
    "context",
    "column",
    "vimgrep",
    "passthru",
    "heading",
    "trim",
];

/// Options for output.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct OutputArgs {
    /// Print only the number of selected lines or records of each file
    ///
    /// A genome in one record counts as 1; --count-matches counts the matches in it.
    #[arg(short, long)]
    pub(in crate::cli) count: bool,
    /// Print only the number of matches of each file, as -o shows them
    #[arg(long)]
    pub(in crate::cli) count_matches: bool,
    /// Print a table of the hits of each pattern by distance
    ///
    /// The first line has the names of the columns: pattern, in sequences also sequence, then each distance from 0 to
    /// the largest allowed, and total. A row follows for each pattern, in the order of the patterns, also for those
    /// without a hit: the name of the pattern, in sequences the pattern itself, its hits with each distance, and their
    /// sum. Hits on both strands add up. A pattern that is given twice has two rows.
    ///
    /// In text only matches that do not overlap count, so each place counts once for a pattern. In sequences every hit
    /// counts, which is every end position of a match. --hits all and --hits best choose between the two. With
    /// --best=record only the hits with the least distance in each record count, over all patterns, such as the guides
    /// that fit a read best.
    ///
    /// The numbers are those of all files together. With -H there is a table for each file, whose name is the first
    /// column.
    #[arg(long, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = OF_LINES, conflicts_with_all = ["only_matching", "invert", "json", "histogram", "stats", "ends", "align", "format"])]
    pub(in crate::cli) count_patterns: bool,
    /// Print only the names of files with a selected line or record
    #[arg(short = 'l', long = "files-with-matches")]
    pub(in crate::cli) list_with: bool,
    /// Print only the names of files without a selected line or record
    #[arg(short = 'L', long = "files-without-match", overrides_with = "list_with")]
    pub(in crate::cli) list_without: bool,
    /// Print nothing; exit at the first match
    #[arg(short, long, alias = "silent")]
    pub(in crate::cli) quiet: bool,
    /// Stop after NUM selected lines or records of a file
    ///
    /// There is no limit if NUM is negative.
    #[arg(short, long, value_name = "NUM", value_parser = limit, allow_negative_numbers = true)]
    pub(in crate::cli) max_count: Option<u64>,
    /// Print at most NUM hits of each pattern
    ///
    /// The first NUM hits in the order of the input are printed, over all files and both strands. If a pattern has
    /// more, a message on standard error names it. With --count-patterns, hits are counted up to NUM, and a last column
    /// 'overflow' says OVERFLOW if the pattern has more, and OK otherwise.
    ///
    /// This applies to rows of hits and to --count-patterns. --max-count limits lines or records instead.
    #[arg(long, value_name = "NUM", value_parser = one_or_more, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = ["quiet", "histogram", "json", "invert"])]
    pub(in crate::cli) max_hits: Option<u64>,
    /// Print only the matches, each on its own line
    #[arg(short, long)]
    pub(in crate::cli) only_matching: bool,
    /// Print the byte offset of each line, or of each match with -o
    ///
    /// Offsets start at 0 and include a UTF-8 byte order mark.
    #[arg(short, long)]
    pub(in crate::cli) byte_offset: bool,
    /// Print line numbers
    #[arg(short = 'n', long)]
    pub(in crate::cli) line_number: bool,
    /// Print the column of the first match in a line, or of each match with -o
    ///
    /// Columns are counted in bytes from 1 and include a UTF-8 byte order mark. Unlike in ripgrep, line numbers are
    /// printed only with -n.
    #[arg(long)]
    pub(in crate::cli) column: bool,
    /// Print a line for each match, with file name, line number and column
    #[arg(long)]
    pub(in crate::cli) vimgrep: bool,
    /// Print JSON Lines in the format of ripgrep
    ///
    /// Each match also has its cost, pattern and CIGAR.
    #[arg(long, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = ["ends", "align", "vimgrep"])]
    pub(in crate::cli) json: bool,
    /// Print how many lines (in sequences: hits) have each distance
    ///
    /// With -H, they are counted for each file.
    #[arg(long, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = OF_LINES, conflicts_with_all = ["only_matching", "invert", "json", "ends", "align"])]
    pub(in crate::cli) histogram: bool,
    /// Print statistics about the search after the results
    #[arg(long)]
    pub(in crate::cli) stats: bool,
    /// Print file names, even for a single file
    #[arg(short = 'H', long)]
    pub(in crate::cli) with_filename: bool,
    /// Do not print file names
    #[arg(short = 'h', long, overrides_with = "with_filename")]
    pub(in crate::cli) no_filename: bool,
    /// Print NUM lines of context after each selected line
    #[arg(short = 'A', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) after_context: Option<u64>,
    /// Print NUM lines of context before each selected line
    #[arg(short = 'B', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) before_context: Option<u64>,
    /// Print NUM lines of context before and after each selected line
    #[arg(short = 'C', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(in crate::cli) context: Option<u64>,
    /// Print all lines, including those without a match
    ///
    /// After a field such as the line number, ':' marks a selected line and '-' any other line.
    #[arg(long, overrides_with_all = ["after_context", "before_context", "context"])]
    pub(in crate::cli) passthru: bool,
    /// Print STRING between groups of lines (default: --)
    #[arg(long, value_name = "STRING", default_value = "--", hide_default_value = true, allow_hyphen_values = true, value_parser = OsStringValueParser::new(), overrides_with = "no_group_separator")]
    pub(in crate::cli) group_separator: OsString,
    /// Do not print a separator between groups of lines
    #[arg(hide = true, long, overrides_with = "group_separator")]
    pub(in crate::cli) no_group_separator: bool,
    /// Print a NUL byte after file names, instead of ':' or a newline
    #[arg(short = 'Z', long)]
    pub(in crate::cli) null: bool,
    /// Print a tab before each line, so that tabs in it line up
    #[arg(hide = true, short = 'T', long)]
    pub(in crate::cli) initial_tab: bool,
    /// Replace lines longer than NUM bytes by a notice
    ///
    /// The length includes the line terminator. 0 sets no limit.
    #[arg(short = 'M', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true)]
    pub(in crate::cli) max_columns: Option<u64>,
    /// Remove white space at the start of lines
    #[arg(long)]
    pub(in crate::cli) trim: bool,
    /// Print the file name once, above its lines
    #[arg(long, overrides_with = "no_heading")]
    pub(in crate::cli) heading: bool,
    /// Print the file name on every line (default)
    #[arg(hide = true, long, overrides_with = "heading")]
    pub(in crate::cli) no_heading: bool,
    /// Use LABEL as the name of standard input
    #[arg(long, value_name = "LABEL", default_value = "(standard input)", value_parser = OsStringValueParser::new())]
    pub(in crate::cli) label: OsString,
    /// Print each hit as an alignment of pattern and text
    ///
    /// The pattern is printed above the text, with bars between equal symbols. Only the best of overlapping hits are
    /// printed, unless --hits all is given.
    #[arg(long, conflicts_with_all = OF_LINES, conflicts_with_all = ["format", "header", "only_matching", "invert", "ends", "initial_tab", "max_columns", "count", "count_matches", "list_with", "list_without"])]
    pub(in crate::cli) align: bool,
    /// Write each line as soon as it is complete
    #[arg(long)]
    pub(in crate::cli) line_buffered: bool,
    /// Show the progress on standard error: bytes, rate, hits, time left
    ///
    /// Where standard error is not a terminal, a line is printed each second. By default, which is 'auto', progress is
    /// shown if standard error is a terminal, standard output is not, and the search takes more than a second. Unless -s is
    /// given, a notice is printed if the search of an input is expected to take minutes or more. --progress alone means
    /// 'always'.
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "always")]
    pub(in crate::cli) progress: When,
    /// Set when to use colours
    ///
    /// --color alone means 'auto'. GREP_COLORS sets the colours.
    #[arg(long, visible_alias = "colour", value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "auto")]
    pub(in crate::cli) color: When,
}

/// When output has colours, or progress is shown: the value of `--color` and of `--progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
