//! Options for edits, costs, and the choice of hits.

use std::num::NonZeroUsize;
use std::str::FromStr;

use clap::Args;

use super::numbers::min_overlap;
use crate::searcher::EditRange;
use nigh_pattern::{Bound, EditCosts, Edits, MaxEdits, Overhang, OverhangCost, Transpositions};
use nigh_report::{BestScope, HitSelection};
use nigh_search::InputKind;

/// Options for edits, costs, and the choice of hits.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
#[allow(rustdoc::invalid_html_tags, reason = "the help is plain text, and not Markdown")]
pub(crate) struct FuzzyArgs {
    /// Allow at most NUM edits: a number, NUM% of the pattern's length, or 'auto'
    ///
    /// An edit is the insertion, deletion or substitution of one symbol. NUM% is rounded down. 'auto' allows no edit
    /// in a pattern of up to 4 symbols, 1 edit in a pattern of 5 to 9 symbols, and 2 edits in a longer one. In text,
    /// white space and classes do not count as symbols for it. The length of a regular expression is that of the
    /// shortest string that it matches.
    ///
    /// The default is 1. In text, patterns of up to 4 symbols have no edits by default, since with an edit '404' or 'ok'
    /// matches nearly every line.
    ///
    /// Letters after the number restrict the kinds of edit: s for substitutions, i for insertions, d for deletions.
    /// '-k2s' allows two substitutions, '-k1id' one insertion or deletion. Options cannot follow the number in the
    /// same word: '-k2i' allows two insertions, while '-ik2' ignores case and allows two edits of any kind.
    ///
    /// A bound with which a pattern would match everywhere, such as '-k3 cat', is an error. If it is one of several
    /// patterns of -f, it is searched with the largest number of edits with which it would not, and a warning says so.
    ///
    /// '-k1..2' also sets the least number of edits, which finds misspelt occurrences. Of matches that overlap, only the
    /// best is considered (see --hits), and it is reported if it has that many edits or more. So an exact occurrence is
    /// never reported, although it also matches with an edit one symbol further. Lines and records are selected if they
    /// have such a match, also with -c, -l, -q and -v. --hits all cannot be used then, and --format ends prints the best hits.
    ///
    /// --edits sets limits and costs of the kinds of edit. Of -k and --edits, the last one applies.
    #[arg(short = 'k', long = "max-errors", value_name = "NUM", value_parser = str::parse::<EditRange>, allow_negative_numbers = true)]
    pub(crate) max_edits: Option<EditRange>,
    /// Allow the edits that EXPR describes, such as 'i<=1,s<=2' or '2i+2d+s<=4'
    ///
    /// EXPR is a list of conditions, separated by commas, in the notation of TRE and of the module regex of Python. In it, i
    /// is the number of insertions, d of deletions, s of substitutions, and e of all edits:
    ///
    /// 's<=2' is a limit; of several for a kind, the strictest counts. If EXPR names a kind of edit, kinds that it does not name are not allowed. A letter alone names its
    /// kind without a limit: 'i,d,s<=1,e<=3' allows three edits, at most one of them a substitution.
    ///
    /// 'e<=3' bounds all edits. The number may be a percentage or 'auto', as for -k. Without a bound on all edits, it is the
    /// sum of the limits.
    ///
    /// '2i+2d+s<=4' sets what an edit of each kind costs, and bounds the sum of the costs. The distance of a match is then
    /// this sum. With 'i+d+2s<=4', a substitution is as expensive as a deletion and an insertion, so the distance is that of
    /// the longest common subsequence. With costs, there is no bound on the number of edits as well: '2i+s<=4,e<=2' is an error.
    ///
    /// '1<=e<=2' and '1<=2i+s<=4' also set the least number of edits, or the least cost, as '-k1..2' does.
    ///
    /// An insertion is a symbol of the text that the pattern lacks: 'D' in a CIGAR, which describes the text as the
    /// reference. A deletion is a symbol of the pattern that the text lacks: 'I' in a CIGAR. A bound of its own, in a file
    /// of patterns, replaces the bound of EXPR.
    #[arg(long, value_name = "EXPR", value_parser = str::parse::<EditExpression>)]
    pub(crate) edits: Option<EditExpression>,
    /// Count a swap of two adjacent symbols as one edit
    ///
    /// A swap costs 1, and the swapped symbols can have no other edit (optimal string alignment distance). By
    /// default, a swap is two edits.
    #[arg(long)]
    pub(crate) transpositions: bool,
    /// Match the parts of a pattern in '<' and '>' without edits
    ///
    /// For example, 'GCGATCACCTGCCGATGCT<NGG>' allows edits in a guide but not in its PAM. '\<' and '\>' then match
    /// the symbols themselves. In sequences, '<' has no other meaning, and this option can be omitted.
    ///
    /// With --hits all, a match can extend beyond a group at the end of its pattern, which gives a final 'D' in the
    /// CIGAR. With --hits best, and if only substitutions are allowed ('-k4s'), the match ends with the group.
    #[arg(long)]
    pub(crate) exact_group: bool,
    /// Let a pattern hang over the start or end of a line or record for COST a symbol
    ///
    /// COST is a number from 0 to 1, such as 0.5, or a percentage, such as 10%. The symbols of the pattern beyond an end
    /// are not edits: each costs COST, and -k bounds the sum of edits and these costs. The distance is this sum, rounded
    /// down. The CIGAR shows the symbols beyond an end as 'S'. An adapter is thus found in reads that end inside it.
    ///
    /// 'left:COST' is for the start of a line or record only, on either strand, and 'right:COST' for its end.
    ///
    /// If -k is a percentage, the bound of matches that hang over is not rounded. So '-k 10% --overhang 10%' allows
    /// edits in 10% of the symbols that are not beyond an end.
    ///
    /// --min-overlap sets how many symbols of the pattern must not be beyond an end. If COST is 0, these are the only
    /// symbols that must match, within -k edits, so nearly every line or record matches unless NUM is well above -k.
    ///
    /// '^', '$', '\b', -w and -x hold if they hold where the text of the match starts and ends. So '^ADAPTER' begins at
    /// or before the start of the line or record, and nowhere else. Limits and costs of edits apply to the part of the
    /// pattern that is not beyond an end. Symbols of an exact group (--exact-group) are never beyond an end.
    ///
    /// A regular expression without a longest string, such as 'a.*b', cannot hang over, nor can some that stand for
    /// thousands of strings.
    #[arg(long, value_name = "COST", value_parser = str::parse::<OverhangCost>)]
    pub(crate) overhang: Option<OverhangCost>,
    /// With --overhang, keep at least NUM symbols of the pattern from hanging over
    ///
    /// NUM is 1 or more, and 3 by default. A pattern of at most NUM symbols does not hang over. Short overlaps occur by
    /// chance: the first 3 bases of an adapter are the last of one random read in 64.
    #[arg(long, value_name = "NUM", value_parser = min_overlap)]
    pub(crate) min_overlap: Option<NonZeroUsize>,
    /// Count edits in bytes instead of characters
    ///
    /// Case and word boundaries are then those of ASCII.
    #[arg(long)]
    pub(crate) bytes: bool,
    /// Choose which hits are printed: 'all', 'best' or 'sites'
    ///
    /// A pattern that matches with edits usually matches at several neighbouring end positions. Each end position
    /// within the bound (-k) is a hit, with the least distance of a match that ends there. Hits are printed in
    /// sequences, and in text with --format ends, align, count-patterns or --columns. With 'all', each hit is printed.
    /// With 'best', only matches that do not overlap are printed: of the overlapping matches of a pattern on one
    /// strand, the one with the least distance, then the leftmost, then the one with the least difference between
    /// insertions and deletions, then the longest. With a lazy quantifier such as '.*?', a match in text without edits
    /// ends where that of Perl does; with edits it is the shortest if all quantifiers are lazy. A hit whose match
    /// overlaps a printed one is printed with a match that starts later, if one has at most -k edits. With 'sites',
    /// patterns that begin or end with an exact group (--exact-group) have a row for each place of that group, on both
    /// strands alike: the best match that begins or ends exactly with the group there, even if a better match at
    /// another place overlaps it. If a pattern begins and ends with a group, the group at its end counts. The default
    /// is 'best' with --format align, matches and, in text, count-matches, count-patterns and --columns; 'sites' with
    /// --format cas-offinder; and 'all' otherwise.
    ///
    /// --hits and --best combine: '--format ends --hits best --best' prints a row for each place in the text that is nearest
    /// to a pattern.
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WHICH")]
    pub(crate) hits: Option<HitSelection>,
    /// Print only lines, records or hits with the least distance, in 'all' inputs (default), in each 'file' or each 'record'
    ///
    /// With 'all' and 'file', the inputs are searched twice: first for the least distance in all of them or in each file, then
    /// with that distance as the bound. Input that can be read only once, such as a pipe, is copied to a temporary file. An
    /// input that cannot be read to its end is left out, with a message.
    ///
    /// With 'record', every hit that has the least distance in its record is printed, over all patterns and both
    /// strands, such as the barcodes that fit a read best. This applies to sequences, and to lines of text with
    /// --format ends, align or --columns. The inputs are searched once; hits of a record larger than a batch wait in a
    /// temporary file until the record ends. --stats counts all hits as matches.
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) best: Option<BestScope>,
    /// Print the least distance of each line before the line
    #[arg(long)]
    pub(crate) cost: bool,
}

/// The value of `--edits`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditExpression {
    /// The expression as given, for messages.
    text: String,
    edits: Edits,
}

impl EditExpression {
    /// Returns the least number of edits and the bound on all edits, or on their cost.
    pub(crate) fn range(&self) -> EditRange {
        EditRange { min: self.edits.min(), bound: self.edits.bound() }
    }

    /// Returns the limits and costs of the kinds of edit.
    pub(crate) fn costs(&self) -> EditCosts {
        self.edits.costs()
    }

    /// Returns the expression as given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl FromStr for EditExpression {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(EditExpression { text: text.to_owned(), edits: text.parse()? })
    }
}

impl FuzzyArgs {
    /// Returns the least number of edits of a reported match.
    pub(crate) fn min_edits(&self) -> usize {
        self.max_edits.map_or(0, |range| range.min)
    }

    /// Returns the bound of patterns that have no bound of their own.
    pub(crate) fn bound(&self, kind: InputKind) -> Bound {
        match (self.max_edits, kind) {
            (Some(range), _) => range.bound,
            (None, InputKind::Text) => MaxEdits::DEFAULT_IN_TEXT.into(),
            (None, InputKind::Sequences) => MaxEdits::Count(1).into(),
        }
    }

    /// Returns how patterns hang over the starts and ends of lines and records.
    pub(crate) fn overhang(&self) -> Option<Overhang> {
        let min_overlap = self.min_overlap.unwrap_or(Overhang::MIN_OVERLAP);
        self.overhang.map(|cost| Overhang { cost, min_overlap })
    }

    /// Returns the part of the input in which the first pass compares distances; `None` if `--best` needs no first pass.
    pub(crate) fn two_pass_scope(&self) -> Option<BestScope> {
        // One pass is enough for records: the least distance of a record is known when the record ends.
        self.best.filter(|&scope| scope != BestScope::Record)
    }

    /// Returns the costs and limits of the kinds of edit.
    pub(crate) fn edit_costs(&self) -> EditCosts {
        let costs = self.edits.as_ref().map(EditExpression::costs).unwrap_or_default();
        let transpositions = if self.transpositions { Transpositions::One } else { costs.transpositions };
        EditCosts { transpositions, ..costs }
    }
}
