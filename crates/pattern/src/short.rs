//! Patterns that are too short for the number of edits: they would match everywhere.

use super::problem::PatternProblem;
use super::reading::{ReadingOptions, ShortPatterns};
use super::source::{PatternSource, ReducedPattern};
use super::{Edge, Pattern};

/// A source with its place among the sources of a set.
#[derive(Clone, Copy)]
pub(super) struct PlacedSource<'a> {
    pub(super) source: &'a PatternSource,
    pub(super) index: usize,
    /// Number of sources.
    pub(super) count: usize,
}

impl PlacedSource<'_> {
    /// Reads the source. Appends its alternatives without symbols to `empty`, and the source to `reduced` if it has
    /// fewer edits than the options say.
    pub(super) fn patterns(
        self,
        reading: &ReadingOptions,
        empty: &mut Vec<(Edge, Edge)>,
        reduced: &mut Vec<ReducedPattern>,
    ) -> Result<Vec<Pattern>, PatternProblem> {
        let PlacedSource { source, index, count } = self;
        let read = |max_edits_cap: usize| {
            let mut edges = Vec::new();
            let reading = ReadingOptions { max_edits_cap, ..*reading };
            let patterns = reading.patterns(&source.text, index, &mut edges)?;
            Ok((patterns, edges))
        };
        let is_reducible = reading.short == ShortPatterns::FewerEdits
            && count > 1
            && source.origin.is_some()
            && source.bound.is_none();
        let (patterns, edges) = match read(reading.max_edits_cap) {
            Err(PatternProblem::TooManyEdits { k, .. } | PatternProblem::ShortString { k, .. }) if is_reducible => {
                let k = largest(k, |k| read(k).is_ok());
                reduced.push(ReducedPattern { source: index, k });
                read(k)?
            }
            read => read?,
        };
        empty.extend(edges);
        Ok(patterns)
    }
}

/// Returns the largest number below `end` that is allowed, by bisection; 0 if none is. Numbers below an allowed one are
/// allowed.
fn largest(end: usize, mut is_allowed: impl FnMut(usize) -> bool) -> usize {
    let (mut allowed, mut refused) = (0, end);
    while refused - allowed > 1 {
        let middle = allowed + (refused - allowed) / 2;
        if is_allowed(middle) {
            allowed = middle;
        } else {
            refused = middle;
        }
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MaxEdits, Notation, PatternSet};
    use nigh_text::alphabet::Alphabet;

    fn source(text: &str) -> PatternSource {
        PatternSource { origin: Some(("names".into(), 1)), ..PatternSource::new(text) }
    }

    fn built(sources: &[PatternSource], notation: Notation) -> Option<(Vec<usize>, Vec<ReducedPattern>)> {
        let builder = PatternSet::builder(Alphabet::Text).notation(notation).max_edits(MaxEdits::Count(3));
        let set = builder.short_patterns(ShortPatterns::FewerEdits).build(sources).ok()?;
        Some((set.patterns().iter().map(Pattern::k).collect(), set.reduced().to_vec()))
    }

    #[test]
    fn short_patterns_of_files_have_fewer_edits() {
        let sources = [source("a"), source("bcdef"), source("b\u{e4}"), source("xyz")];
        let reduced = |source, k| ReducedPattern { source, k };
        let expected = (vec![0, 3, 1, 2], vec![reduced(0, 0), reduced(2, 1), reduced(3, 2)]);
        assert_eq!(built(&sources, Notation::Literal), Some(expected.clone()));
        let sources = [source("(a|bc)"), source("bcdef|bcdefg"), source("b[xyz]+"), source("xy+z")];
        assert_eq!(built(&sources, Notation::Regex), Some(expected));
    }

    #[test]
    fn other_short_patterns_are_errors() {
        let own = PatternSource { bound: Some(MaxEdits::Count(2).into()), ..source("ab") };
        for sources in
            [vec![source("ab")], vec![PatternSource::new("ab"), source("abcdef")], vec![own, source("abcdef")]]
        {
            assert_eq!(built(&sources, Notation::Literal), None, "{sources:?}");
        }
    }

    #[test]
    fn the_largest_number_is_found() {
        for end in 1..20 {
            for allowed in 0..end {
                assert_eq!(largest(end, |number| number <= allowed), allowed);
            }
        }
    }
}
