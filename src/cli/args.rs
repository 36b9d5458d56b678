//! The arguments: the one source of options, help, man page and completions.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Parser, ValueEnum};

use super::Document;
use crate::engine::Devices;
use crate::pattern::MaxErrors;

/// Print lines, or matches in sequences, that are nearly a pattern: at most K edits away.
#[derive(Debug, Parser)]
#[command(
    name = "nigh",
    version,
    about = "Find everything that nearly matches: each place where a pattern occurs with at most K edits",
    long_about = LONG_ABOUT,
    after_long_help = AFTER_HELP,
    override_usage = "nigh [OPTIONS] PATTERN [FILE...]\n       nigh [OPTIONS] -e PATTERN [FILE...]\n       nigh [OPTIONS] -f FILE [FILE...]",
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct Args {
    /// What to find: a regular expression without unbounded repeats. With -e or -f it is the first FILE instead
    #[arg(value_name = "PATTERN", value_parser = OsStringValueParser::new(), required_unless_present_any = ["patterns", "pattern_files", "generate", "help", "version"])]
    pub(super) pattern: Option<OsString>,
    /// Where to look; '-' and no FILE are standard input
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Allow at most K edits: a number, a percentage of the pattern's length ('10%'), or 'auto' (0 up to 2 symbols, 1 up to 5, then 2)
    #[arg(short = 'k', long = "max-errors", value_name = "K", default_value = "1", value_parser = max_errors, help_heading = "Fuzzy")]
    pub(super) max_errors: MaxErrors,
    /// Count an edit in bytes, not in characters
    #[arg(long, help_heading = "Fuzzy")]
    pub(super) bytes: bool,
    /// Print a row for every end position: file, byte offset just past the match, distance, pattern
    #[arg(long, conflicts_with_all = ["count", "list_with", "list_without", "only_matching", "invert"], help_heading = "Fuzzy")]
    pub(super) ends: bool,
    /// Print the least distance of a line before it
    #[arg(long, help_heading = "Fuzzy")]
    pub(super) cost: bool,

    /// Find PATTERN too; for more patterns than one, or one that starts with '-'
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", value_parser = OsStringValueParser::new(), allow_hyphen_values = true, help_heading = "Pattern")]
    pub(super) patterns: Vec<OsString>,
    /// Find the patterns in FILE too, one a line
    #[arg(short = 'f', long = "file", value_name = "FILE", help_heading = "Pattern")]
    pub(super) pattern_files: Vec<PathBuf>,
    /// Take patterns as they stand: no symbol is special
    #[arg(short = 'F', long, help_heading = "Pattern")]
    pub(super) fixed_strings: bool,
    /// Ignore case
    #[arg(short, long, help_heading = "Pattern")]
    pub(super) ignore_case: bool,
    /// Find whole words only
    #[arg(short, long = "word-regexp", help_heading = "Pattern")]
    pub(super) word: bool,
    /// Find whole lines or records only
    #[arg(short = 'x', long = "line-regexp", help_heading = "Pattern")]
    pub(super) line: bool,
    /// Select lines or records without a match
    #[arg(short = 'v', long = "invert-match", help_heading = "Pattern")]
    pub(super) invert: bool,

    /// Take all inputs for FASTA. Files named .fa .fasta .fna .ffn .faa are anyway, also with .gz
    #[arg(long, conflicts_with = "text", help_heading = "Sequences")]
    pub(super) fasta: bool,
    /// Take sequences for amino acids; those in .faa files are anyway
    #[arg(long, conflicts_with_all = ["strand", "text"], help_heading = "Sequences")]
    pub(super) protein: bool,
    /// Search nucleotides on these strands
    #[arg(long, value_enum, default_value = "both", help_heading = "Sequences")]
    pub(super) strand: Strands,
    /// Name the columns before the first row
    #[arg(long, help_heading = "Sequences")]
    pub(super) header: bool,
    /// Take all inputs for lines of text, also FASTA and binary files
    #[arg(short = 'a', long, help_heading = "Input")]
    pub(super) text: bool,
    /// Decompress gzip, recognised by its first bytes; in sequences this is always done
    #[arg(long, alias = "search-zip", help_heading = "Input")]
    pub(super) decompress: bool,
    /// Lines end with NUL, in input and output
    #[arg(short = 'z', long, help_heading = "Input")]
    pub(super) null_data: bool,
    /// Say nothing about files that cannot be read
    #[arg(short = 's', long, help_heading = "Input")]
    pub(super) no_messages: bool,

    /// Print only the number of lines or records selected
    #[arg(short, long, help_heading = "Output")]
    pub(super) count: bool,
    /// Print only the names of files with a line or record selected
    #[arg(short = 'l', long = "files-with-matches", help_heading = "Output")]
    pub(super) list_with: bool,
    /// Print only the names of files with nothing selected
    #[arg(short = 'L', long = "files-without-match", overrides_with = "list_with", help_heading = "Output")]
    pub(super) list_without: bool,
    /// Print nothing; end at the first match
    #[arg(short, long, alias = "silent", help_heading = "Output")]
    pub(super) quiet: bool,
    /// Stop after NUM lines or records of a file
    #[arg(short, long, value_name = "NUM", value_parser = saturating, help_heading = "Output")]
    pub(super) max_count: Option<u64>,
    /// Print only the matches, each on a line of its own
    #[arg(short, long, help_heading = "Output")]
    pub(super) only_matching: bool,
    /// Print the byte offset of each line, or of each match with -o
    #[arg(short, long, help_heading = "Output")]
    pub(super) byte_offset: bool,
    /// Print line numbers
    #[arg(short = 'n', long, help_heading = "Output")]
    pub(super) line_number: bool,
    /// Print file names, also for one file
    #[arg(short = 'H', long, help_heading = "Output")]
    pub(super) with_filename: bool,
    /// Print no file names
    #[arg(short = 'h', long, overrides_with = "with_filename", help_heading = "Output")]
    pub(super) no_filename: bool,
    /// Print NUM lines of context after each line
    #[arg(short = 'A', long, value_name = "NUM", value_parser = saturating, help_heading = "Output")]
    pub(super) after_context: Option<u64>,
    /// Print NUM lines of context before each line
    #[arg(short = 'B', long, value_name = "NUM", value_parser = saturating, help_heading = "Output")]
    pub(super) before_context: Option<u64>,
    /// Print NUM lines of context on both sides
    #[arg(short = 'C', long, value_name = "NUM", value_parser = saturating, help_heading = "Output")]
    pub(super) context: Option<u64>,
    /// Print STRING between groups of lines
    #[arg(long, value_name = "STRING", default_value = "--", hide_default_value = true, allow_hyphen_values = true, value_parser = OsStringValueParser::new(), help_heading = "Output")]
    pub(super) group_separator: OsString,
    /// Print nothing between groups of lines
    #[arg(long, help_heading = "Output")]
    pub(super) no_group_separator: bool,
    /// Print NUL and not ':' behind file names
    #[arg(short = 'Z', long, help_heading = "Output")]
    pub(super) null: bool,
    /// Call standard input LABEL
    #[arg(long, value_name = "LABEL", default_value = "(standard input)", value_parser = OsStringValueParser::new(), help_heading = "Output")]
    pub(super) label: OsString,
    /// Write each line as soon as it is found
    #[arg(long, help_heading = "Output")]
    pub(super) line_buffered: bool,
    /// Use colours
    #[arg(long, visible_alias = "colour", value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "auto", help_heading = "Output")]
    pub(super) color: When,

    /// Use NUM threads; 0 is one for each core
    #[arg(short = 'j', long, value_name = "NUM", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024), help_heading = "Engine")]
    pub(super) threads: u16,
    /// Search with this engine
    #[arg(long, value_enum, default_value = "auto", help_heading = "Engine")]
    pub(super) engine: EngineName,
    /// Use NVIDIA device NUM, several of them, or all: NUM[,NUM...] or 'all'
    #[arg(long, value_name = "NUM", value_parser = devices, help_heading = "Engine")]
    pub(super) device: Option<Devices>,
    /// Read so many bytes for a batch
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 30), help_heading = "Engine")]
    pub(super) batch_size: Option<u64>,

    /// Say on standard error how the patterns were searched for
    #[arg(long, help_heading = "Engine")]
    pub(super) debug: bool,

    /// Print the man page or completions
    #[arg(long, value_name = "DOCUMENT", value_enum, help_heading = "Other")]
    pub(super) generate: Option<Document>,
    /// Print help; '--help' says more
    #[arg(long, action = ArgAction::Help, help_heading = "Other")]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "Other")]
    version: Option<bool>,
}

const LONG_ABOUT: &str = "\
Find everything that nearly matches: each place where a pattern occurs with at most K edits, exactly. An edit \
inserts, deletes or replaces a symbol: a character of text, a residue of a sequence.

In text, nigh prints lines, as grep does. In FASTA files it prints a row for each hit, on both strands: record, start, \
end, pattern, distance, strand, CIGAR, match; 0-based and half-open, in coordinates of the forward strand. IUPAC codes \
in a pattern are sets of bases.";

const AFTER_HELP: &str = "\
Exit status: 0 if a line or record is selected, 1 if none is, 2 if something went wrong.

Examples:
  nigh -k2 'connection refused' *.log
  nigh -k3 GGGCGGCGACCTCGCGGGTT genome.fa.gz
  tail -f app.log | nigh -k1 timeout | tee timeouts.log";

/// Strands to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Strands {
    /// Both
    Both,
    /// The text as it stands
    Forward,
    /// Its reverse complement
    Reverse,
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// The processor's cores, and NVIDIA devices where the work pays for their start
    Auto,
    /// The processor's cores
    Cpu,
    /// NVIDIA devices
    Cuda,
    /// The definition, slow and plain
    #[value(hide = true)]
    Reference,
}

impl Args {
    /// Parses arguments, of which the first is the program's name.
    pub(super) fn parse_from(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let matches = command().try_get_matches_from(arguments)?;
        let mut args = Args::from_arg_matches(&matches)?;
        args.take_digits(&matches);
        if !args.patterns.is_empty() || !args.pattern_files.is_empty() {
            args.files.splice(0..0, args.pattern.take().map(PathBuf::from));
        }
        Ok(args)
    }

    /// `-2` is `-k 2`; the last of all of them counts.
    fn take_digits(&mut self, matches: &ArgMatches) {
        let last = |name: &str| matches.indices_of(name).and_then(Iterator::last).unwrap_or(0);
        let given = |name: &str| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
        let mut latest = if given("max_errors") { last("max_errors") } else { 0 };
        for (k, digit) in DIGITS.iter().enumerate() {
            if given(digit) && last(digit) > latest {
                latest = last(digit);
                self.max_errors = MaxErrors::Count(k);
            }
        }
    }
}

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The definition of all arguments.
pub fn command() -> Command {
    let digits = DIGITS.iter().map(|digit| {
        let letter = digit.chars().next().expect("a digit");
        let about = format!("The same as -k {digit}");
        Arg::new(*digit).short(letter).action(ArgAction::SetTrue).help(about).help_heading("Fuzzy").hide(letter > '0')
    });
    Args::command().args(digits).mut_arg("0", |arg| arg.help("'-0' to '-9' are '-k 0' to '-k 9'"))
}

fn max_errors(text: &str) -> Result<MaxErrors, String> {
    let number = |digits: &str| digits.parse::<u32>().ok().map(|number| number as usize);
    let parsed = match text.strip_suffix('%') {
        _ if text == "auto" => Some(MaxErrors::Auto),
        Some(percent) => number(percent).filter(|&percent| percent < 100).map(MaxErrors::Percent),
        None => number(text).map(MaxErrors::Count),
    };
    parsed.ok_or_else(|| "a number, a percentage below 100, or 'auto' is wanted".to_owned())
}

/// A number; one that is too large is as good as the largest.
/// Numbers of devices with commas between them, or all.
fn devices(text: &str) -> Result<Devices, String> {
    if text == "all" {
        return Ok(Devices::All);
    }
    let numbers = text.split(',').map(|number| number.parse::<usize>());
    let mut numbers: Vec<usize> =
        numbers.collect::<Result<_, _>>().map_err(|_| "numbers of devices, or 'all'".to_owned())?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Devices::Some(numbers))
}

fn saturating(digits: &str) -> Result<u64, std::num::ParseIntError> {
    match digits.parse::<u64>() {
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => Ok(u64::MAX),
        parsed => parsed,
    }
}

/// The bytes of an argument.
pub(super) fn bytes_of(text: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Args {
        let all = ["nigh"].iter().chain(arguments).map(OsString::from);
        Args::parse_from(all).unwrap()
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_last_bound_counts_however_it_is_written() {
        assert_eq!(parse(&["-3", "x"]).max_errors, MaxErrors::Count(3));
        assert_eq!(parse(&["-k2", "-4", "x"]).max_errors, MaxErrors::Count(4));
        assert_eq!(parse(&["-4", "-k", "2", "x"]).max_errors, MaxErrors::Count(2));
        assert_eq!(parse(&["-in5", "x"]).max_errors, MaxErrors::Count(5));
        assert_eq!(parse(&["-ink2", "x"]).max_errors, MaxErrors::Count(2));
        assert_eq!(parse(&["-k10%", "x"]).max_errors, MaxErrors::Percent(10));
        assert_eq!(parse(&["x"]).max_errors, MaxErrors::Count(1));
    }

    #[test]
    fn with_patterns_as_options_every_other_word_is_a_file() {
        let args = parse(&["-e", "-x", "a", "b"]);
        assert_eq!(args.patterns, ["-x"]);
        assert_eq!(args.files, [PathBuf::from("a"), PathBuf::from("b")]);
        assert!(args.pattern.is_none());
    }
}
