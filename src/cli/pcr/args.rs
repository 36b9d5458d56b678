//! Definition of the arguments of `nigh-pcr`: the single source of options, help, man page and completions.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, ValueEnum};

use super::about::{AFTER_SHORT_HELP, LONG_ABOUT, after_help};
use crate::cli::args::numbers::number;
use crate::cli::args::{DisplayArgs, EditExpression, ThreadArgs};
use crate::cli::usage::Usage;
use nigh_pattern::{AmbiguousLetters, AmbiguousMatches, Bound, MaxEdits};
use nigh_report::HitSelection;

/// The notation of lengths, for messages.
const EXPECTED_LENGTHS: &str = "expected MIN..MAX, MIN.., ..MAX or a single length, such as 50..3000";

/// Maximum length of a product. The report keeps up to this many residues in memory.
pub(super) const MAX_PRODUCT: u64 = 10_000_000;

/// The arguments of the command line.
#[derive(Debug, Parser)]
#[command(
    name = "nigh-pcr",
    version,
    about = "Find the PCR products of pairs of primers, with edits in the primers",
    long_about = LONG_ABOUT,
    after_help = AFTER_SHORT_HELP,
    after_long_help = after_help(),
    override_usage = "nigh-pcr [OPTIONS] PAIRS [FILE...]\n       nigh-pcr [OPTIONS] -e FORWARD REVERSE [FILE...]",
    args_override_self = true,
    max_term_width = 100,
    disable_version_flag = true
)]
#[allow(rustdoc::invalid_html_tags, reason = "the help is plain text, and not Markdown")]
pub(super) struct PcrArgs {
    /// File with the pairs of primers: a table, FASTA, or a BED file of primers with their sequences
    ///
    /// A line of a table has the columns name, forward primer and reverse primer, separated by tabs. A fourth column can
    /// hold the lengths of the products of this pair, in the notation of --lengths, or a fourth and a fifth the minimum and
    /// the maximum. A first line that names the columns is skipped. In a FASTA file, the names of the primers of a pair
    /// differ in their ends: _F and _R, _fwd and _rev, _forward and _reverse, or _LEFT and _RIGHT. In a BED file, as
    /// primalscheme and ARTIC write it, the fourth column is such a name, and the seventh is the primer.
    ///
    /// _LEFT and _RIGHT can be followed by the number of an alternative, as in _LEFT_1, _LEFT_alt or _LEFT_alt1. Each
    /// forward primer makes a pair with each reverse primer of the same name. The name of a pair is what precedes the ends.
    /// If there are several primers on a side, the name of the pair also has the end of the one that is used, as in
    /// 'x_7_LEFT_alt1'.
    ///
    /// Primers are written 5' to 3', as they are ordered, with IUPAC codes; a part in angle brackets must match without an
    /// edit, such as the 3' end of 'GTGCCAGCMGCCGC<GGTAA>'. '-' is standard input.
    #[arg(value_name = "PAIRS", required_unless_present = "primers")]
    pub(super) pairs: Option<PathBuf>,
    /// FASTA or FASTQ files to search (default: standard input)
    ///
    /// They can be compressed. '-' is standard input.
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    #[command(flatten, next_help_heading = "Product options")]
    pub(super) products: ProductArgs,
    #[command(flatten, next_help_heading = "Matching options")]
    pub(super) edits: PrimerArgs,
    #[command(flatten, next_help_heading = "Output options")]
    pub(super) output: ProductOutputArgs,
    #[command(flatten, next_help_heading = "Engine options")]
    pub(super) engine: ThreadArgs,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "Other options")]
    version: Option<bool>,
}

/// Options for products.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct ProductArgs {
    /// Use this pair of primers in place of PAIRS
    ///
    /// The name of the pair is 'FORWARD+REVERSE'. The option can be repeated. All other arguments are then files to search.
    #[arg(short = 'e', long, num_args = 2, value_names = ["FORWARD", "REVERSE"], action = ArgAction::Append)]
    pub(super) primers: Vec<String>,
    /// Find products of MIN to MAX bases, primers included
    ///
    /// The length is that from the 5' end of one primer to the 5' end of the other. '300..' has no other maximum than
    /// 10000000, the largest that is supported, '..300' has the minimum 1, and '300' is both. Lengths of a pair in PAIRS
    /// replace these.
    #[arg(short, long, value_name = "MIN..MAX", default_value = "1..4000", value_parser = str::parse::<ProductLengths>)]
    pub(super) lengths: ProductLengths,
    /// Find the products of any two primers
    ///
    /// A primer can also make a product with itself. The name of a product has the names of both primers, in the order
    /// of the file. In a table, these are the names of their pairs with /F or /R, as in 'a/F+b/R'. The forward columns
    /// describe the first of the two primers, the reverse columns the second.
    #[arg(long)]
    pub(super) pool: bool,
    /// Treat each record as a circle, such as a plasmid
    ///
    /// A product that crosses the end of its record starts before the end of the record, and its end is larger than the
    /// length of the record. Products are not longer than the record. The input must be FASTA. The start of a record, as
    /// long as the longest product and the longest match together, is read a second time after its end. So a primer that
    /// lies across the end can match a second time, with more edits: with only its part at the start of the record.
    #[arg(long)]
    pub(super) circular: bool,
    /// Print products without the matches of the primers
    ///
    /// Start, end and length remain those of the whole product. Of --inner and --primer-bases, the last one applies.
    #[arg(long, overrides_with = "primer_bases")]
    pub(super) inner: bool,
    /// Print products with the letters of the primers in place of their matches
    ///
    /// Primers become part of the product of a PCR, so this is its sequence. Where the matches overlap by n residues, n
    /// letters of the primer on the reverse strand are left out.
    #[arg(long, overrides_with = "inner")]
    pub(super) primer_bases: bool,
}

/// Options for the matches of primers.
#[derive(Debug, Args)]
#[allow(rustdoc::invalid_html_tags, reason = "the help is plain text, and not Markdown")]
pub(super) struct PrimerArgs {
    /// Allow at most NUM edits in each primer: a number, or NUM% of its length (default: 1)
    ///
    /// An edit is the insertion, deletion or substitution of a base. Letters after the number restrict the kinds: s for
    /// substitutions, i for insertions, d for deletions, as in '-k3s'. Of -k and --edits, the last one applies.
    #[arg(short = 'k', long = "max-errors", value_name = "NUM", value_parser = str::parse::<Bound>, overrides_with = "edits")]
    max_edits: Option<Bound>,
    /// Allow the edits that EXPR describes, such as 'i<=1,s<=2' or '2i+2d+s<=4'
    ///
    /// The notation is that of 'nigh --edits'.
    #[arg(long, value_name = "EXPR", value_parser = str::parse::<EditExpression>, overrides_with = "max_edits")]
    pub(super) edits: Option<EditExpression>,
    /// Set which matches of a primer make products
    #[arg(long, value_name = "WHICH", default_value = "best", value_parser = site_selection())]
    pub(super) hits: HitSelection,
    /// Set where a letter of the text that stands for several bases matches: 'any' or 'none'
    ///
    /// With 'none', such a letter matches only a letter of the primer that stands for all of its bases. With 'any', it
    /// matches a letter that stands for one of them, so an N matches everything; ':NUM' bounds the number of such letters
    /// in a match, as in 'any:1'. The default is 'none'.
    #[arg(long, value_name = "WHICH", value_parser = str::parse::<AmbiguousMatches>)]
    ambiguous: Option<AmbiguousMatches>,
}

/// Options for output.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct ProductOutputArgs {
    /// Print products in this format
    ///
    /// tsv: The columns are record, start, end, length, name, strand, forward_distance, reverse_distance, forward_cigar,
    /// reverse_cigar, forward_match, reverse_match and product. Start and end are 0-based and half-open. The strand is '+'
    /// if the forward primer matches the forward strand. Alignments and matches are in the direction of their primer, the
    /// product in that of the forward primer.
    ///
    /// bed: The score is 1000 (1 - edits / symbols), with the edits and symbols of both primers.
    ///
    /// counts: A row for each pair has its name, its primers and the number of its products in all files or, with -H, in
    /// each file. With --pool, two primers without a product have no row.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "tsv")]
    pub(super) format: PcrFormat,
    /// Print the names of the columns before the first row
    #[arg(long)]
    pub(super) header: bool,
    /// Print the name of the file in the first column
    #[arg(short = 'H', long)]
    pub(super) with_filename: bool,
    #[command(flatten)]
    pub(super) display: DisplayArgs,
}

/// Formats of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PcrFormat {
    /// Thirteen columns separated by tabs (default)
    Tsv,
    /// BED with six columns
    Bed,
    /// A record for each product
    Fasta,
    /// One JSON object per line, with the fields of tsv
    Json,
    /// A table of the number of products of each pair, with a header
    Counts,
}

/// Makes the parser of the matches of a primer that make products: not all, which would make many products of a place.
fn site_selection() -> impl TypedValueParser<Value = HitSelection> {
    let best = PossibleValue::new("best").help("The best of the matches that overlap (default)");
    let sites = "The best match for each place of the exact group at an end of the primer";
    PossibleValuesParser::new([best, PossibleValue::new("sites").help(sites)])
        .map(|name| if name == "sites" { HitSelection::Sites } else { HitSelection::Best })
}

/// The least and the largest length of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProductLengths(pub(super) RangeInclusive<u64>);

impl FromStr for ProductLengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (min, max) = text.split_once("..").unwrap_or((text, text));
        let bound = |text: &str, default: u64| if text.is_empty() { Some(default) } else { number(text).ok() };
        match (bound(min, 1), bound(max, MAX_PRODUCT)) {
            _ if text.is_empty() || text == ".." => Err(EXPECTED_LENGTHS.to_owned()),
            (Some(_), Some(max)) if max > MAX_PRODUCT => Err(format!("the maximum must be at most {MAX_PRODUCT}")),
            (Some(min), Some(max)) if min > max => Err(format!("the minimum {min} is above the maximum {max}")),
            (Some(min), Some(max)) => Ok(ProductLengths(min..=max)),
            _ => Err(EXPECTED_LENGTHS.to_owned()),
        }
    }
}

impl PrimerArgs {
    /// Returns the bound of all edits in a primer, or of their cost.
    pub(super) fn bound(&self) -> Bound {
        match (&self.edits, self.max_edits) {
            (Some(edits), _) => edits.range().bound,
            (None, Some(bound)) => bound,
            (None, None) => MaxEdits::Count(1).into(),
        }
    }

    /// Returns where letters match that stand for several bases.
    pub(super) fn ambiguous(&self) -> AmbiguousMatches {
        self.ambiguous.unwrap_or(AmbiguousMatches { letters: AmbiguousLetters::Contained, max: None })
    }
}

impl PcrArgs {
    /// Parses `arguments`, which begin with the program's name.
    pub(super) fn parse_from(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut args = PcrArgs::from_arg_matches(&command().try_get_matches_from(arguments)?)?;
        if !args.products.primers.is_empty() {
            args.files.splice(..0, args.pairs.take());
        }
        Ok(args)
    }
}

/// Returns the definition of all arguments.
pub fn command() -> Command {
    PcrArgs::command().infer_long_args(true)
}

/// Returns the texts that messages about wrong arguments use.
pub(super) fn usage() -> Usage {
    Usage {
        command: command(),
        missing: "no primers given",
        line: "nigh-pcr [OPTIONS] PAIRS [FILE...], or nigh-pcr [OPTIONS] -e FORWARD REVERSE [FILE...]",
        help: "nigh-pcr -h",
        others: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }
}
