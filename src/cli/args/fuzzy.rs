//! How far a match may be from its pattern, and what of its distance is shown.

use clap::{Args, ValueEnum};

use super::numbers::{cost, edits};
use crate::pattern::{Bound, EditCosts, EditLimit, MaxErrors, Transpositions};

/// How far a match may be from its pattern, and what of its distance is shown.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct FuzzyArgs {
    /// Allow at most K edits: a number, '10%' of the pattern's length, or 'auto'
    ///
    /// '2s' allows two substitutions, '1id' one insertion or deletion: letters name the only kinds allowed (s substitutions, i insertions, d deletions). 'auto' is 0 up to 2 symbols, 1 up to 5, then 2. Letters behind the number are always kinds of edit: '-k2i' is two insertions, '-ik2' two edits of any kind with case ignored.
    #[arg(short = 'k', long = "max-errors", value_name = "K", default_value = "1", value_parser = str::parse::<Bound>, allow_negative_numbers = true)]
    pub(in crate::cli) max_errors: Bound,
    /// Allow at most NUM insertions among the edits: symbols of the text that the pattern lacks, 'D' in a CIGAR. Where such limits are given and -k is not, K is their sum, each times its cost, and at least 1
    #[arg(long, value_name = "NUM", value_parser = edits, allow_negative_numbers = true)]
    pub(in crate::cli) max_ins: Option<u32>,
    /// Allow at most NUM deletions among the edits: symbols of the pattern that the text lacks, 'I' in a CIGAR
    #[arg(long, value_name = "NUM", value_parser = edits, allow_negative_numbers = true)]
    pub(in crate::cli) max_del: Option<u32>,
    /// Allow at most NUM substitutions among the edits
    #[arg(long, value_name = "NUM", value_parser = edits, allow_negative_numbers = true)]
    pub(in crate::cli) max_sub: Option<u32>,
    /// Let an insertion cost NUM; K then bounds the cost of all edits together
    #[arg(long, value_name = "NUM", default_value_t = 1, value_parser = cost, allow_negative_numbers = true)]
    pub(in crate::cli) ins_cost: u32,
    /// Let a deletion cost NUM
    #[arg(long, value_name = "NUM", default_value_t = 1, value_parser = cost, allow_negative_numbers = true)]
    pub(in crate::cli) del_cost: u32,
    /// Let a substitution cost NUM; 2 makes the distance that of the longest common subsequence
    #[arg(long, value_name = "NUM", default_value_t = 1, value_parser = cost, allow_negative_numbers = true)]
    pub(in crate::cli) sub_cost: u32,
    /// Take two neighbours that are swapped for one edit, which costs 1; nothing else is done to the two
    #[arg(long)]
    pub(in crate::cli) transpositions: bool,
    /// Take '<' and '>' in a pattern for the bounds of a part that must match without edits; '\<' and '\>' are the plain symbols. With --hits all a match may go on behind a group at the end of its pattern, as D in the CIGAR; with --hits best, or K as '4s', it ends with the group
    #[arg(long)]
    pub(in crate::cli) exact_group: bool,
    /// Count an edit in bytes, not in characters. Only the letters of ASCII then have case and are parts of words
    #[arg(long)]
    pub(in crate::cli) bytes: bool,
    /// Print a row for every end position: file, byte offset just past the match, distance, pattern
    #[arg(long, conflicts_with_all = ["count", "list_with", "list_without", "only_matching", "invert", "line_number", "byte_offset", "cost", "after_context", "before_context", "context", "column", "vimgrep", "passthru", "heading", "trim"])]
    pub(in crate::cli) ends: bool,
    /// Print every end of a match in sequences and with --ends, or only the best of those matches that overlap
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(in crate::cli) hits: Option<HitChoice>,
    /// Print only the lines or records with the least distance there is, in all inputs or in each file; or of each record only the hits with the least distance in it
    ///
    /// An input that cannot be read to its end is left out of 'all' and 'file', with a message.
    #[arg(long, value_enum, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "all", conflicts_with = "invert")]
    pub(in crate::cli) best: Option<Best>,
    /// Print the least distance of a line before it
    #[arg(long)]
    pub(in crate::cli) cost: bool,
}

/// Where distances are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Best {
    /// In all inputs
    All,
    /// In each file
    File,
    /// In each record, over all patterns and both strands: of its hits, those with the least distance are printed, all of several equals. So a read gets the barcodes that fit it best. With --ends and --align a line of text is a record; otherwise this is for sequences, since a line is printed as a whole. Inputs are read once; rows of a record larger than a batch wait in a temporary file until it ends. --stats counts all hits as matches
    Record,
}

/// Where the least distance is sought before anything is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Scope {
    /// In all inputs.
    All,
    /// In each file.
    File,
}

/// Which ends of matches are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum HitChoice {
    /// Every end
    All,
    /// The best matches of each pattern and strand, none of which overlaps another: best first by distance, then by length nearest to the pattern's, then leftmost
    Best,
}

impl FuzzyArgs {
    /// K where it is not given but limits for kinds of edit are: what these allow together.
    pub(super) fn bound_of_limits(&self) -> Option<MaxErrors> {
        let limits =
            [(self.max_ins, self.ins_cost), (self.max_del, self.del_cost), (self.max_sub, self.sub_cost)].into_iter();
        let costs = limits.filter_map(|(limit, cost)| Some((limit? as usize).saturating_mul(cost as usize)));
        costs.reduce(usize::saturating_add).map(|sum| MaxErrors::Count(sum.max(1)))
    }

    /// Where the least distance is sought in a search of its own, before the one that prints.
    pub(in crate::cli) fn searched_first(&self) -> Option<Scope> {
        match self.best? {
            Best::All => Some(Scope::All),
            Best::File => Some(Scope::File),
            // It is known when the record ends.
            Best::Record => None,
        }
    }

    /// What edits cost, and how many of a kind there may be.
    pub(in crate::cli) fn terms(&self) -> EditCosts {
        let price = |cost: u32, most: Option<u32>| EditLimit {
            cost: cost as usize,
            most: most.map_or(usize::MAX, |most| most as usize),
        };
        EditCosts {
            insertion: price(self.ins_cost, self.max_ins),
            deletion: price(self.del_cost, self.max_del),
            substitution: price(self.sub_cost, self.max_sub),
            transpositions: if self.transpositions { Transpositions::One } else { Transpositions::Two },
        }
    }
}
