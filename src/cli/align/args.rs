//! Definition of the arguments of `nigh-align`: the single source of options, help, man page and completions.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, Command, CommandFactory, FromArgMatches, Parser, ValueEnum, ValueHint};

use super::about::{AFTER_SHORT_HELP, LONG_ABOUT, after_help};
use crate::cli::args::numbers::number;
use crate::cli::args::{DisplayArgs, ThreadArgs};
use crate::cli::usage::Usage;
use nigh_search::Strands;

/// The arguments of the command line.
#[derive(Debug, Parser)]
#[command(
    name = "nigh-align",
    version,
    about = "Compare strings in pairs: edit distance, common subsequence, alignment scores",
    long_about = LONG_ABOUT,
    after_help = AFTER_SHORT_HELP,
    after_long_help = after_help(),
    override_usage = "nigh-align [OPTIONS] QUERY TARGET\n       nigh-align [OPTIONS] --pairs QUERY TARGET\n       nigh-align [OPTIONS] --pairs TABLE",
    args_override_self = true,
    max_term_width = 100,
    disable_version_flag = true,
    group = ArgGroup::new("objective").multiple(false)
)]
pub(super) struct AlignArgs {
    /// FASTA or FASTQ file with the queries, or a list with one on each line; with --pairs and no TARGET, a table of pairs
    ///
    /// '-' is standard input.
    #[arg(value_name = "QUERY")]
    pub(super) query: PathBuf,
    /// FASTA or FASTQ file with the targets, or a list with one on each line
    ///
    /// '-' is standard input, which holds what QUERY holds: sequences or lines.
    #[arg(value_name = "TARGET", required_unless_present = "pairs")]
    pub(super) target: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Comparison options")]
    pub(super) objective: ObjectiveArgs,
    #[command(flatten, next_help_heading = "Score options")]
    pub(super) scores: ScoreArgs,
    #[command(flatten, next_help_heading = "Output options")]
    pub(super) output: PairOutputArgs,
    #[command(flatten, next_help_heading = "Engine options")]
    pub(super) engine: ThreadArgs,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "Other options")]
    version: Option<bool>,
}

/// The value to compute, and the pairs.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct ObjectiveArgs {
    /// Compute the edit distance: the least number of insertions, deletions and substitutions (default)
    #[arg(long, group = "objective")]
    pub(super) distance: bool,
    /// Compute the length of the longest common subsequence
    #[arg(long, group = "objective")]
    pub(super) lcs: bool,
    /// Compute the best score of a global alignment (Needleman-Wunsch)
    #[arg(long, group = "objective")]
    pub(super) global: bool,
    /// Compute the best score of a local alignment (Smith-Waterman)
    #[arg(long, group = "objective")]
    pub(super) local: bool,
    /// Compare the first record of QUERY with the first of TARGET, the second with the second, and so on
    ///
    /// Without TARGET, QUERY is a table with a pair on each line: query and target, separated by a tab. Of three
    /// columns, the first is a name; of four columns, the first and the third are names.
    #[arg(short, long)]
    pub(super) pairs: bool,
    /// Compare these strands of each query (default: both for nucleotides with --local, otherwise forward)
    ///
    /// With 'both', the query and its reverse complement are compared, and the better value counts; if the values are
    /// equal, that of the query. Rows then name the strand, + or -, as PAF and SAM always do. Positions are those in
    /// the query as it is given. For a table, the default is forward.
    #[arg(long, value_enum, value_name = "STRAND", hide_possible_values = true)]
    pub(super) strand: Option<Strands>,
    /// Compare the strings of tables and lists byte by byte, not character by character
    #[arg(long)]
    pub(super) bytes: bool,
    /// Read QUERY and TARGET as lists of lines, also if they begin with '>' or '@'
    #[arg(long)]
    pub(super) text: bool,
}

/// Scores of --global and --local.
#[derive(Debug, Args)]
pub(super) struct ScoreArgs {
    /// Score pairs of residues with this substitution matrix
    ///
    /// MATRIX is BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, BLOSUM90, PAM30, PAM70, PAM250 or NUC.4.4, or a file in the
    /// format of NCBI. The default is BLOSUM62 for amino acids, which are recognized by the extension .faa or by the
    /// letters in the files, and otherwise --match and --mismatch.
    #[arg(long, value_name = "MATRIX", value_hint = ValueHint::AnyPath, conflicts_with_all = ["equal", "mismatch"])]
    pub(super) matrix: Option<OsString>,
    /// Score of two equal symbols (default: 2)
    #[arg(long = "match", value_name = "NUM", value_parser = score)]
    pub(super) equal: Option<i8>,
    /// Cost of two different symbols (default: 3)
    #[arg(long, value_name = "NUM", value_parser = score)]
    pub(super) mismatch: Option<i8>,
    /// Cost of a gap, in addition to the cost of its symbols (default: 5; 11 with a matrix)
    ///
    /// A gap of n symbols costs the cost of a gap and n times that of a symbol, as in BLAST and minimap2.
    #[arg(long, value_name = "NUM", value_parser = gap_cost)]
    pub(super) gap_open: Option<i32>,
    /// Cost of each symbol of a gap (default: 2; 1 with a matrix)
    #[arg(long, value_name = "NUM", value_parser = gap_cost)]
    pub(super) gap_extend: Option<i32>,
}

/// Options for rows.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct PairOutputArgs {
    /// Print only pairs with an edit distance of at most NUM
    #[arg(short = 'k', long, value_name = "NUM", value_parser = bound, conflicts_with_all = ["lcs", "global", "local", "min_score"])]
    pub(super) max_distance: Option<i64>,
    /// Print only pairs with a score of at least NUM (default with --local: 1)
    ///
    /// With --lcs, the score is the length of the subsequence.
    #[arg(long, value_name = "NUM", value_parser = signed, allow_negative_numbers = true)]
    pub(super) min_score: Option<i64>,
    /// Print all local alignments of each pair that do not overlap in the target, the best first
    ///
    /// After the best alignment, the best one is taken in what is left of the target before and after it, and so on,
    /// while the score is at least --min-score. The strands of the query are looked at together. Rows of tables have the
    /// columns of --cigar.
    #[arg(long, conflicts_with = "top")]
    pub(super) all: bool,
    /// Print only the NUM best targets of each query
    #[arg(long, value_name = "NUM", value_parser = count, conflicts_with = "pairs")]
    pub(super) top: Option<usize>,
    /// Print the range and the CIGAR of each alignment
    #[arg(short, long)]
    pub(super) cigar: bool,
    /// Print the score of local alignments in bits
    ///
    /// Bits are known for BLOSUM62 and for --match 2 --mismatch 3, with the gap costs that BLAST supports.
    #[arg(long)]
    pub(super) bits: bool,
    /// Print rows in this format
    ///
    /// Pairs without an alignment, such as those of two strings that have nothing in common, have no row in PAF and
    /// SAM. The values have one line for each pair, in the order of the input: 'paste pairs.tsv -' adds them to a table.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "tsv")]
    pub(super) format: PairFormat,
    /// Print the names of the columns before the first row
    #[arg(long)]
    pub(super) header: bool,
    #[command(flatten)]
    pub(super) display: DisplayArgs,
}

/// Formats of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PairFormat {
    /// Query, target and value, separated by tabs (default)
    Tsv,
    /// PAF, with the alignment
    Paf,
    /// SAM, with the alignment: targets are references, queries are reads
    Sam,
    /// One JSON object per line, with the fields of tsv
    Json,
    /// Each alignment, with bars between equal symbols
    Align,
    /// Only the value of each pair
    Values,
}

impl AlignArgs {
    /// Parses `arguments`, which begin with the program's name.
    pub(super) fn parse_from(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        AlignArgs::from_arg_matches(&command().try_get_matches_from(arguments)?)
    }
}

/// Returns the definition of all arguments.
pub fn command() -> Command {
    AlignArgs::command().infer_long_args(true)
}

/// Former options, and what to use instead.
const FORMER: [(&[&str], &str); 2] = [(&["--align"], "use --format align"), (&["--values"], "use --format values")];

/// Returns the texts that messages about wrong arguments use.
pub(super) fn usage() -> Usage {
    Usage {
        command: command(),
        missing: "no input given",
        line: "nigh-align [OPTIONS] QUERY TARGET",
        help: "nigh-align -h",
        others: &FORMER,
    }
}

fn score(text: &str) -> Result<i8, &'static str> {
    text.parse().ok().filter(|score| *score >= 0).ok_or("expected a number from 0 to 127")
}

fn gap_cost(text: &str) -> Result<i32, &'static str> {
    text.parse().ok().filter(|cost| (0..=1000).contains(cost)).ok_or("expected a number from 0 to 1000")
}

fn bound(text: &str) -> Result<i64, &'static str> {
    number(text).map(|bound| i64::try_from(bound).unwrap_or(i64::MAX))
}

fn signed(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "expected a number from -9223372036854775808 to 9223372036854775807")
}

fn count(text: &str) -> Result<usize, &'static str> {
    let count = number(text).ok().filter(|&count| count > 0).ok_or("expected a number, 1 or more")?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }
}
