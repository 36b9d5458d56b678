//! Options for reading patterns: notation, case, edges and groups.

use std::str::FromStr;

use super::constraints::EditCosts;
use super::constraints::bound::{Bound, EditKind};
use super::overhang::Overhang;
use super::position_range::PositionRange;
use nigh_text::alphabet::Alphabet;

/// The notation of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notation {
    /// A regular expression. In sequences, it has no unbounded repetition.
    Regex,
    /// A literal: every symbol stands for itself.
    Literal,
}

/// Whether upper and lower case are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They differ.
    Sensitive,
    /// They are equal under simple Unicode case folding.
    Insensitive,
    /// They are equal if the patterns contain a literal symbol and none is in upper case.
    Smart,
}

/// Restricts matches to whole words or lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchExtent {
    /// No restriction.
    Anything,
    /// Whole words: no word character on either side.
    Words,
    /// Whole lines or records.
    Record,
}

/// The meaning of angle brackets in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// They have only the meaning that the notation gives them.
    Ordinary,
    /// Delimiters of exact groups, which match without an edit. `\<` and `\>` are literal symbols.
    Exact,
}

/// Condition under which a letter of the text that stands for several residues matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmbiguousLetters {
    /// The symbol set of the pattern contains every residue that the letter can stand for.
    Contained,
    /// The symbol set of the pattern contains at least one residue that the letter can stand for.
    Overlapping,
}

/// The value of `--ambiguous`: where letters of the text that stand for several residues match, and how many of them a
/// match may have: `any`, `none`, `any:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmbiguousMatches {
    /// Where such a letter matches.
    pub letters: AmbiguousLetters,
    /// Largest number of such letters in the text of a match, whether or not they match; `None` if there is no limit.
    pub max: Option<usize>,
}

impl FromStr for AmbiguousMatches {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str =
            "expected 'any' or 'none', or with the largest number of such letters in a match, 'any:1' or 'none:1'";
        let (letters, max) = match text.split_once(':') {
            Some((letters, max)) if max.bytes().all(|byte| byte.is_ascii_digit()) => {
                (letters, Some(max.parse().map_err(|_| EXPECTED)?))
            }
            Some(_) => return Err(EXPECTED),
            None => (text, None),
        };
        let letters = match letters {
            "any" => AmbiguousLetters::Overlapping,
            "none" => AmbiguousLetters::Contained,
            _ => return Err(EXPECTED),
        };
        Ok(AmbiguousMatches { letters, max })
    }
}

/// The treatment of a pattern that would match everywhere, because it has no more symbols than edits are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortPatterns {
    /// It is an error.
    Refused,
    /// If it is one of several and from a file, and has no bound of its own, as many edits are allowed as possible.
    FewerEdits,
}

/// The options with which the patterns of a set are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingOptions {
    pub(super) alphabet: Alphabet,
    pub(super) notation: Notation,
    pub(super) case: Case,
    pub(super) groups: Groups,
    pub(super) whole: MatchExtent,
    pub(super) within: PositionRange,
    pub(super) ambiguous: AmbiguousLetters,
    /// Largest number of ambiguous letters in a match.
    pub(super) max_ambiguous: Option<usize>,
    pub(super) bound: Bound,
    /// Upper limit on the number of edits allowed, applied after `bound`.
    pub(super) max_edits_cap: usize,
    pub(super) short: ShortPatterns,
    pub(super) costs: EditCosts,
    pub(super) terminator: u8,
    /// How patterns hang over the starts and ends of lines and records; `None` if they do not.
    pub(super) overhang: Option<Overhang>,
    /// Whether patterns match only near each other.
    pub(super) is_near: bool,
    /// Whether sites are selected, which are those of single strings.
    pub(super) has_sites: bool,
}

impl ReadingOptions {
    /// Returns whether every edit costs 1 and only their total number is limited.
    pub(super) fn has_plain_edits(&self) -> bool {
        let allows_all =
            [EditKind::Insertion, EditKind::Deletion, EditKind::Substitution].map(|kind| self.bound.allows(kind));
        self.costs == EditCosts::default() && allows_all == [true; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_letters_may_have_a_limit() {
        let parsed = |text: &str| text.parse::<AmbiguousMatches>().map(|matches| (matches.letters, matches.max));
        assert_eq!(parsed("any"), Ok((AmbiguousLetters::Overlapping, None)));
        assert_eq!(parsed("none:0"), Ok((AmbiguousLetters::Contained, Some(0))));
        assert_eq!(parsed("any:12"), Ok((AmbiguousLetters::Overlapping, Some(12))));
        for wrong in ["", "all", "any:", ":1", "any:-1", "any:x", "any:1:2", "1", "any:99999999999999999999"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
