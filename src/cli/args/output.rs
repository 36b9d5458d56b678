//! Options for output.

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::{Args, ValueEnum};

use super::bytes::STDIN_LABEL;
use super::forms::Output;
use super::numbers::{limit, number, one_or_more};

/// Options for output.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct OutputArgs {
    /// Print results in this form
    ///
    /// Of several forms, the last one applies. As in GNU grep, of the options that stand for a form, -q precedes -l and -L,
    /// these precede -c, --count-matches and --json, and these precede -o.
    ///
    /// tsv, sites, bed, sam, paf, json and cas-offinder print the hits in sequences, and tsv with --columns those in
    /// text. Rows are in the order of the records, and within a record in the order of the ends of the matches; in bed
    /// and sites in the order of their starts, as bedtools merge expects. With --shard this holds for each part. Only
    /// tsv, sites and json can name the file (-H); in the others, records with the same name in two files cannot be
    /// told apart.
    ///
    /// sites: The columns are record, start, end, pattern, strand, guide, site, mismatches, DNA bulges, RNA bulges and
    /// PAM. Guide and site are aligned in the direction of the pattern, 5' to 3', so that a PAM is at the end of
    /// both. A mismatch is in lower case in the site. '-' marks a base that only the text has in the guide (a DNA
    /// bulge), and a base that only the pattern has in the site (an RNA bulge). Bulges are counted in bases. The PAM is
    /// what the exact groups of the pattern match (--exact-group), or '.' if it has none.
    ///
    /// cas-offinder: Pattern files (-f) are input files of Cas-OFFinder 2 or 3. The genome or directory that the first
    /// line names is searched unless FILE is given. The columns are those of Cas-OFFinder: query, record, start, site,
    /// strand, mismatches; if the second line allows bulges: name or query, type of bulge (X for none), guide, site,
    /// record, start, strand, mismatches, size of bulges. A letter that the pattern fixes, or that is N in the query,
    /// must match. A place of the PAM has one row, with its best alignment (--hits sites); if some query has no such
    /// letter at its ends, each end of a match has a row.
    ///
    /// bed: The score is 1000 times the share of the pattern that is not edited, such as 900 for 2 edits in 20
    /// symbols.
    ///
    /// sam: Of the rows of a read, the one with the fewest edits, and of several such rows the first, is the primary
    /// line; the others are secondary (FLAG 0x100). An IUPAC code that includes the base of the text is a match in
    /// CIGAR and NM, where samtools calmd counts a mismatch. With --hits all a CIGAR can end in 'D', with --hits best
    /// it cannot.
    ///
    /// count-patterns: The first line has the names of the columns: pattern, in sequences also sequence, then each distance
    /// from 0 to the largest allowed, and total. A row follows for each pattern, in the order of the patterns, also for
    /// those without a hit: the name of the pattern, in sequences the pattern itself, its hits with each distance, and
    /// their sum. Hits on both strands add up. A pattern that is given twice has two rows. In text only matches that do not
    /// overlap count, so each place counts once for a pattern. In sequences every hit counts, which is every end position
    /// of a match. --hits all and --hits best choose between the two. With --best=record only the hits with the least
    /// distance in each record count, over all patterns, such as the guides that fit a read best.
    ///
    /// count-patterns and histogram count over all files together; with -H, they print a table for each file.
    #[arg(long, value_enum, value_name = "FORM")]
    format: Option<Output>,
    /// Print only the number of selected lines or records of each file
    ///
    /// A genome in one record counts as 1; --count-matches counts the rows of hits in it.
    #[arg(short, long)]
    count: bool,
    /// Print only the number of matches of each file: those that -o shows, or in sequences the rows of hits
    ///
    /// In sequences, every end position of a match is a row. --hits best counts matches that do not overlap.
    #[arg(long)]
    count_matches: bool,
    /// Print only the names of files with a selected line or record
    #[arg(short = 'l', long = "files-with-matches")]
    list_with: bool,
    /// Print only the names of files without a selected line or record
    #[arg(short = 'L', long = "files-without-match")]
    list_without: bool,
    /// Print nothing; exit at the first match
    #[arg(short, long, alias = "silent")]
    quiet: bool,
    /// Stop after NUM selected lines or records of a file
    ///
    /// There is no limit if NUM is negative.
    #[arg(short, long, value_name = "NUM", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) max_count: Option<u64>,
    /// Print at most NUM hits of each pattern
    ///
    /// The first NUM hits in the order of the input are printed, over all files and both strands. If a pattern has
    /// more, a message on standard error names it. With --format count-patterns, hits are counted up to NUM, and a last
    /// column 'overflow' says OVERFLOW if the pattern has more, and OK otherwise.
    ///
    /// This applies to rows of hits and to --format count-patterns. --max-count limits lines or records instead.
    #[arg(long, value_name = "NUM", value_parser = one_or_more)]
    pub(crate) max_hits: Option<u64>,
    /// Print only the matches, each on its own line
    #[arg(short, long)]
    only_matching: bool,
    /// Print the byte offset of each line, or of each match with -o
    ///
    /// Offsets start at 0 and include a UTF-8 byte order mark.
    #[arg(short, long)]
    pub(crate) byte_offset: bool,
    /// Print line numbers
    #[arg(short = 'n', long)]
    pub(crate) line_number: bool,
    /// Print the column of the first match in a line, or of each match with -o
    ///
    /// Columns are counted in bytes from 1 and include a UTF-8 byte order mark. Unlike in ripgrep, line numbers are
    /// printed only with -n.
    #[arg(long)]
    pub(crate) column: bool,
    /// Print a line for each match, with file name, line number and column
    #[arg(long)]
    pub(crate) vimgrep: bool,
    /// Print JSON Lines: in text in the format of ripgrep, in sequences with the fields of tsv
    ///
    /// In text, each match also has its cost, pattern and CIGAR.
    #[arg(long)]
    json: bool,
    /// Print statistics about the search after the results
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print file names, even for a single file
    #[arg(short = 'H', long)]
    pub(crate) with_filename: bool,
    /// Do not print file names
    #[arg(short = 'h', long, overrides_with = "with_filename")]
    pub(crate) no_filename: bool,
    /// Print NUM lines of context after each selected line
    #[arg(short = 'A', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(crate) after_context: Option<u64>,
    /// Print NUM lines of context before each selected line
    #[arg(short = 'B', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(crate) before_context: Option<u64>,
    /// Print NUM lines of context before and after each selected line
    #[arg(short = 'C', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true, overrides_with = "passthru")]
    pub(crate) context: Option<u64>,
    /// Print all lines, including those without a match
    ///
    /// After a field such as the line number, ':' marks a selected line and '-' any other line.
    #[arg(long, overrides_with_all = ["after_context", "before_context", "context"])]
    pub(crate) passthru: bool,
    /// Print STRING between groups of lines (default: --)
    #[arg(long, value_name = "STRING", default_value = "--", hide_default_value = true, allow_hyphen_values = true, value_parser = OsStringValueParser::new(), overrides_with = "no_group_separator")]
    pub(crate) group_separator: OsString,
    /// Do not print a separator between groups of lines
    #[arg(hide = true, long, overrides_with = "group_separator")]
    pub(crate) no_group_separator: bool,
    /// Print a NUL byte after file names, instead of ':' or a newline
    #[arg(short = 'Z', long)]
    pub(crate) null: bool,
    /// Print a tab before each line, so that tabs in it line up
    #[arg(hide = true, short = 'T', long)]
    pub(crate) initial_tab: bool,
    /// Print excerpts of lines longer than NUM columns
    ///
    /// An excerpt shows the first matches and the text around them, NUM columns in all, and '…' where text is left out. A
    /// column is a character with the marks that combine with it; escape sequences take none. With --json, such a line has the field 'excerpt'. Without this
    /// option, the limit is 2,000 columns on a terminal, and there is none elsewhere. 0 sets no limit.
    #[arg(short = 'M', long, value_name = "NUM", value_parser = number, allow_negative_numbers = true)]
    pub(crate) max_columns: Option<u64>,
    /// Print TEXT in place of each match
    ///
    /// $0 is the match, $1 the text of its first group, $name or ${name} that of the group with this name, and $$ a dollar
    /// sign. The groups of a match with edits have the borders that its alignment shows; a group that took no part is
    /// empty. What a pattern matches without a symbol, such as '' or the ends of 'x*', is not replaced. With --json, each match has the fields 'replacement' and 'groups'.
    #[arg(long, value_name = "TEXT", value_parser = OsStringValueParser::new(), allow_hyphen_values = true)]
    pub(crate) replace: Option<OsString>,
    /// Remove white space at the start of lines
    #[arg(long)]
    pub(crate) trim: bool,
    /// Print the file name once, above its lines
    #[arg(long, overrides_with = "no_heading")]
    pub(crate) heading: bool,
    /// Print the file name on every line (default)
    #[arg(hide = true, long, overrides_with = "heading")]
    pub(crate) no_heading: bool,
    /// Use LABEL as the name of standard input
    #[arg(long, value_name = "LABEL", default_value = STDIN_LABEL, value_parser = OsStringValueParser::new())]
    pub(crate) label: OsString,
    /// Write each line as soon as it is complete
    #[arg(long)]
    pub(crate) line_buffered: bool,
    /// Show the progress on standard error: bytes, rate, hits, time left
    ///
    /// WHEN is 'always', 'never', or 'auto', the default, which shows progress if standard error is a terminal, standard
    /// output is not, and the search takes more than a second. --progress alone means 'always'. Where standard error is not
    /// a terminal, a line is printed each second. Unless -s is given, a notice is printed if the search of an input is
    /// expected to take minutes or more.
    #[arg(long, hide_possible_values = true, hide_default_value = true, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "always")]
    pub(crate) progress: When,
    /// Set when to use colours: 'auto' (on a terminal, the default), 'always' or 'never'
    ///
    /// --color alone means 'auto'. GREP_COLORS sets the colours.
    #[arg(long, hide_possible_values = true, hide_default_value = true, visible_alias = "colour", value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "auto")]
    pub(crate) color: When,
}

/// Options for progress and colours of the programs other than nigh.
#[derive(Debug, Args)]
pub(crate) struct DisplayArgs {
    /// Show the progress on standard error: bytes, rate, results, time left
    ///
    /// By default, which is 'auto', progress is shown if standard error is a terminal, standard output is not, and the work
    /// takes more than a second. --progress alone means 'always'.
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "always")]
    pub(crate) progress: When,
    /// Set when to use colours
    ///
    /// GREP_COLORS sets the colours.
    #[arg(long, visible_alias = "colour", value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "auto")]
    pub(crate) color: When,
}

/// When output has colours, or progress is shown: the value of `--color` and of `--progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
