//! How far a match may be from its pattern, and what of its distance is shown.

use clap::Args;

use crate::pattern::MaxErrors;

/// How far a match may be from its pattern, and what of its distance is shown.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct FuzzyArgs {
    /// Allow at most K edits: a number, a percentage of the pattern's length ('10%'), or 'auto' (0 up to 2 symbols, 1 up to 5, then 2)
    #[arg(short = 'k', long = "max-errors", value_name = "K", default_value = "1", value_parser = max_errors)]
    pub(in crate::cli) max_errors: MaxErrors,
    /// Count an edit in bytes, not in characters
    #[arg(long)]
    pub(in crate::cli) bytes: bool,
    /// Print a row for every end position: file, byte offset just past the match, distance, pattern
    #[arg(long, conflicts_with_all = ["count", "list_with", "list_without", "only_matching", "invert"])]
    pub(in crate::cli) ends: bool,
    /// Print the least distance of a line before it
    #[arg(long)]
    pub(in crate::cli) cost: bool,
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
