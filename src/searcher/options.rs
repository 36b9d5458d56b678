//! Sets options by the names and in the notation of the program, for callers that have options as text.

use std::str::FromStr;

use super::SearcherBuilder;
use super::edit_range::EditRange;
use nigh_engine::EngineChoice;
use nigh_pattern::{AmbiguousMatches, Case, EditCosts, Edits, Groups, MatchExtent, Notation, Strand, Transpositions};
use nigh_text::alphabet::Alphabet;

/// An option that does not exist, or a value that it cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct OptionError {
    name: String,
    problem: String,
}

impl OptionError {
    /// Returns the problem without the name of the option, for callers that use another name for it.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

/// The names of the options that [`SearcherBuilder::option`] sets.
pub const OPTION_NAMES: &[&str] = &[
    "ambiguous",
    "edits",
    "engine",
    "exact-group",
    "fixed-strings",
    "ignore-case",
    "line-regexp",
    "max-errors",
    "min-overlap",
    "near",
    "overhang",
    "smart-case",
    "strand",
    "transpositions",
    "within",
    "word-regexp",
];

impl SearcherBuilder {
    /// Sets an option by the long name and in the notation of the program. A switch has the value `true` or `false`.
    ///
    /// | option | value | setter |
    /// | --- | --- | --- |
    /// | `max-errors` | `2`, `10%`, `auto`, `2s`, `1id`, `1..2` | [`bound`](Self::bound), [`min_edits`](Self::min_edits) |
    /// | `edits` | `i<=1,s<=2`, `2i+2d+s<=4`, `1<=e<=2` | [`edits`](Self::edits) |
    /// | `transpositions` | a switch | [`edit_costs`](Self::edit_costs) |
    /// | `exact-group` | a switch | [`groups`](Self::groups) |
    /// | `fixed-strings` | a switch; `false` for regular expressions | [`notation`](Self::notation) |
    /// | `ignore-case`, `smart-case` | a switch | [`case`](Self::case) |
    /// | `word-regexp`, `line-regexp` | a switch | [`whole`](Self::whole) |
    /// | `within` | `0..80`, `-80..` | [`within`](Self::within) |
    /// | `near` | a number, between two patterns | [`near`](Self::near) |
    /// | `overhang` | a cost from 0 to 1, `10%`, `right:10%` | [`overhang`](Self::overhang) |
    /// | `min-overlap` | a number from 1 | [`min_overlap`](Self::min_overlap) |
    /// | `ambiguous` | `any`, `none`, `any:1` | [`ambiguous`](Self::ambiguous), [`max_ambiguous`](Self::max_ambiguous) |
    /// | `strand` | `both`, `forward`, `reverse` | [`strands`](Self::strands) |
    /// | `engine` | `cpu`, `cuda`, `auto` | [`engine`](Self::engine) |
    ///
    /// # Errors
    /// Fails if there is no such option, or if the value is not one of its values.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let guide = Searcher::builder(Alphabet::Dna).pattern("GCGATCACCTGCCGATGCT<NGG>");
    /// let searcher = guide.option("max-errors", "3s")?.option("strand", "forward")?.build()?;
    /// assert!(searcher.is_match(b"GCGATCACCTCCCGATGATAGG"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn option(self, name: &str, value: &str) -> Result<Self, OptionError> {
        self.with_option(name, value)
            .map_err(|problem| OptionError { name: name.to_owned(), problem: problem.to_owned() })
    }

    fn with_option(self, name: &str, value: &str) -> Result<Self, &'static str> {
        Ok(match name {
            "max-errors" => {
                let EditRange { min, bound } = value.parse()?;
                self.bound(bound).min_edits(min)
            }
            "edits" => self.edits(value.parse::<Edits>()?),
            "transpositions" => {
                let transpositions = either(value, Transpositions::One, Transpositions::Two)?;
                let costs = EditCosts { transpositions, ..self.costs };
                self.edit_costs(costs)
            }
            "exact-group" => self.groups(either(value, Groups::Exact, Groups::Ordinary)?),
            "fixed-strings" => self.notation(either(value, Notation::Literal, Notation::Regex)?),
            "ignore-case" => self.case(either(value, Case::Insensitive, Case::Sensitive)?),
            "smart-case" => self.case(either(value, Case::Smart, Case::Sensitive)?),
            "word-regexp" => self.whole(either(value, MatchExtent::Words, MatchExtent::Anything)?),
            "line-regexp" => self.whole(either(value, MatchExtent::Record, MatchExtent::Anything)?),
            "within" => self.within(value.parse()?),
            "near" => self.near(number(value)? as u64),
            "overhang" => self.overhang(value.parse()?),
            "min-overlap" => self.min_overlap(number(value)?),
            "ambiguous" => match value.parse()? {
                AmbiguousMatches { letters, max: None } => self.ambiguous(letters),
                AmbiguousMatches { letters, max: Some(max) } => self.ambiguous(letters).max_ambiguous(max),
            },
            "strand" => {
                let strands: [(&str, &[Strand]); 3] = [
                    ("both", &[Strand::Forward, Strand::Reverse]),
                    ("forward", &[Strand::Forward]),
                    ("reverse", &[Strand::Reverse]),
                ];
                match (self.alphabet, one_of(&strands, value).ok_or("expected 'both', 'forward' or 'reverse'")?) {
                    (Alphabet::Dna, strands) => self.strands(strands),
                    (_, [Strand::Reverse]) => return Err("only nucleotides have a reverse strand"),
                    _ => self.strands(&[Strand::Forward]),
                }
            }
            "engine" => {
                let engines =
                    [("cpu", EngineChoice::cpu()), ("cuda", EngineChoice::cuda()), ("auto", EngineChoice::auto())];
                self.engine(one_of(&engines, value).ok_or("expected cpu, cuda or auto")?)
            }
            _ => return Err("no such option"),
        })
    }
}

fn number(value: &str) -> Result<usize, &'static str> {
    usize::from_str(value).map_err(|_| "expected a number")
}

/// Returns `on` for the value `true`, and `off` for `false`.
fn either<T: Clone>(value: &str, on: T, off: T) -> Result<T, &'static str> {
    one_of(&[("true", on), ("false", off)], value).ok_or("expected true or false")
}

fn one_of<T: Clone>(values: &[(&str, T)], wanted: &str) -> Option<T> {
    values.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::super::Searcher;
    use super::*;
    use nigh_pattern::Bound;

    #[test]
    fn every_option_is_known_and_has_a_wrong_value() {
        for name in OPTION_NAMES {
            let builder = Searcher::builder(Alphabet::Dna).pattern("ACGTACGT");
            let error = builder.clone().option(name, "?").unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name}: ")) && !error.ends_with("no such option"), "{error}");
        }
        let builder = Searcher::builder(Alphabet::Dna).pattern("ACGTACGT");
        assert_eq!(builder.clone().option("errors", "1").unwrap_err().to_string(), "errors: no such option");
        for (name, value) in
            [("max-errors", "3..2"), ("max-errors", "x..2"), ("max-errors", "1.."), ("edits", "3<=e<=2")]
        {
            assert!(builder.clone().option(name, value).is_err(), "{name} {value}");
        }
        let exact = Searcher::builder(Alphabet::Dna).pattern_within("ACGTACGT", "0".parse::<Bound>().unwrap());
        let error = exact.option("max-errors", "1..2").unwrap().build().unwrap_err().to_string();
        assert_eq!(error, "no match can have 1 or more edits, since at most 0 are allowed");
        assert!(builder.option("max-errors", "1..2").unwrap().option("max-errors", "0").unwrap().build().is_ok());
    }

    #[test]
    fn options_change_what_matches() {
        // The alphabet, an option and its value, a text that matches only with it (or, with '!', only without it).
        let cases = [
            (Alphabet::Dna, "GATTACAT", "ambiguous", "any", "GNTNACAT"),
            (Alphabet::Dna, "GATTACAT", "edits", "i+2d+s<=1", "!GATACAT"),
            (Alphabet::Dna, "GATTACAT", "edits", "i,s,e<=1", "!GATACAT"),
            (Alphabet::Dna, "GATTACAT", "edits", "d<=1,s<=1,e<=1", "!GATTGACAT"),
            (Alphabet::Dna, "GATTACAT", "edits", "s<=2", "GTTTACTT"),
            (Alphabet::Dna, "GATTACAT", "edits", "1<=e<=1", "!CCGATTACATCC"),
            (Alphabet::Text, "<user> name", "exact-group", "true", "user name"),
            (Alphabet::Text, "us[ea]r", "fixed-strings", "false", "usar"),
            (Alphabet::Text, "user name", "ignore-case", "true", "USER NAME"),
            (Alphabet::Text, "user name", "smart-case", "true", "User NAME"),
            (Alphabet::Text, "user name", "line-regexp", "true", "!the user name"),
            (Alphabet::Dna, "GATNACAT", "ambiguous", "none:0", "!GATNACAT"),
            (Alphabet::Dna, "GATTACAT", "max-errors", "2", "GTTTACTT"),
            (Alphabet::Dna, "GATTACAT", "max-errors", "1..1", "!CCGATTACATCC"),
            (Alphabet::Dna, "GATTACATT", "overhang", "0.1", "GATTACA"),
            (Alphabet::Dna, "GATTACAT", "strand", "forward", "!ATGTAATC"),
            (Alphabet::Dna, "GATTACAT", "transpositions", "true", "GATATCAT"),
            (Alphabet::Dna, "GATTACAT", "within", "..8", "!CCGATTACAT"),
            (Alphabet::Text, "user", "word-regexp", "true", "!theusers"),
        ];
        let tested =
            |name: &&str| ["engine", "min-overlap", "near"].contains(name) || cases.iter().any(|case| case.2 == *name);
        assert!(OPTION_NAMES.iter().all(tested) && cases.iter().all(|case| OPTION_NAMES.contains(&case.2)));
        for (alphabet, pattern, name, value, text) in cases {
            let builder = Searcher::builder(alphabet).pattern(pattern);
            let with = builder.clone().option(name, value).unwrap().build().unwrap();
            let without = builder.build().unwrap();
            let (text, expected) = text.strip_prefix('!').map_or((text, true), |text| (text, false));
            assert_eq!(with.is_match(text.as_bytes()), expected, "{name} {value}");
            assert_eq!(without.is_match(text.as_bytes()), !expected, "without {name}");
        }
        let adapter = Searcher::builder(Alphabet::Dna).pattern("GATTACATT");
        let right = adapter.clone().option("overhang", "right:0.1").unwrap().build().unwrap();
        assert!(right.is_match(b"CCCGATTAC") && !right.is_match(b"TACATTCCC"));
        let overlap = |builder: SearcherBuilder, value| builder.option("min-overlap", value).unwrap().build();
        let over = adapter.clone().option("overhang", "0.1").unwrap();
        let [least, more] = ["3", "4"].map(|value| overlap(over.clone(), value).unwrap());
        assert!(least.is_match(b"CCCGAT") && !more.is_match(b"CCCGAT") && more.is_match(b"CCCGATT"));
        for wrong in [overlap(over, "0"), overlap(adapter, "3")] {
            assert!(wrong.is_err_and(|error| error.to_string().starts_with("min-overlap: ")));
        }
        let near = Searcher::builder(Alphabet::Text).max_edits(0).pattern("abc").option("near", "3").unwrap();
        assert!(near.clone().build().is_err_and(|error| error.to_string().starts_with("near: ")));
        let near = near.pattern("xyz").build().unwrap();
        assert!(near.is_match(b"xyz 1abc") && !near.is_match(b"xyz 123 abc"));
    }
}
