//! The places at which alternatives without symbols match, such as `^$` in an empty line.

use super::{Edge, PatternSet};
use nigh_text::alphabet::Symbol;
use nigh_text::text::symbols;

/// A place in a line or record: between two symbols, before the first one, or after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolGap {
    /// The symbol before the place; `None` at the start of the line or record.
    pub before: Option<Symbol>,
    /// The symbol after the place; `None` at the end of the line or record.
    pub after: Option<Symbol>,
}

impl PatternSet {
    /// Returns whether an alternative without symbols matches everywhere.
    pub fn matches_everywhere(&self) -> bool {
        self.empty().contains(&(Edge::FREE, Edge::FREE))
    }

    /// Returns whether all alternatives without symbols are like `^$`, which matches only lines and records without a
    /// symbol.
    pub fn empty_matches_need_empty_text(&self) -> bool {
        self.empty().iter().all(|(start, end)| start.needs_record_end() && end.needs_record_end())
    }

    /// Iterates over the places in a line or record at which an alternative without symbols matches, in order.
    pub fn empty_matches<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = SymbolGap> + 't {
        let mut symbols = symbols(self.alphabet(), text).map(|placed| placed.symbol);
        let mut next = Some(None);
        let gaps = std::iter::from_fn(move || {
            let (before, after) = (next?, symbols.next());
            next = after.map(Some);
            Some(SymbolGap { before, after })
        });
        gaps.filter(|&SymbolGap { before, after }| {
            let mut edges = self.empty().iter();
            edges.any(|(start, end)| start.holds(before, after) && end.holds(after, before))
        })
    }

    /// Returns whether an alternative without symbols matches in a whole line or record.
    pub fn has_empty_match(&self, text: &[u8]) -> bool {
        let is_possible = text.is_empty() || !self.empty_matches_need_empty_text();
        is_possible && (self.matches_everywhere() || self.empty_matches(text).next().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;

    /// Returns the numbers of the places in a line at which an expression matches nothing, counted from 0.
    fn places(expression: &str, line: &str) -> Vec<usize> {
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(0));
        let set = builder.build(&[PatternSource::new(expression.as_bytes())]).unwrap();
        let gaps: Vec<SymbolGap> = set.empty_matches(line.as_bytes()).collect();
        assert_eq!(set.has_empty_match(line.as_bytes()), !gaps.is_empty(), "{expression} in '{line}'");
        let symbols: Vec<Symbol> = line.chars().map(Symbol::from).collect();
        let gap = |at: usize| SymbolGap {
            before: at.checked_sub(1).map(|before| symbols[before]),
            after: symbols.get(at).copied(),
        };
        (0..=symbols.len()).filter(|&at| gaps.contains(&gap(at))).collect()
    }

    #[test]
    fn places_are_those_where_both_edges_hold() {
        assert_eq!(places("a*", "bäc"), [0, 1, 2, 3]);
        assert_eq!(places(r"\b", "ä b"), [0, 1, 2, 3]);
        assert_eq!(places(r"\B", "äb c"), [1]);
        assert_eq!([places("^", "äb"), places("$", "äb")], [[0], [2]]);
        assert_eq!([places("^$", ""), places("a*", ""), places("^$|b", "")], [[0], [0], [0]]);
        assert!(places("^$", "ä").is_empty() && places("ä", "ä").is_empty());
    }
}
