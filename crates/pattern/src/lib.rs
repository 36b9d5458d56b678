//! Patterns: parsing, limits on edits, and the sequences of symbol sets that engines search for.
//!
//! [`PatternSet::builder`] reads [`PatternSource`]s into a [`PatternSet`]; a [`Pattern`] is one alternative of one
//! source on one strand. Reading order: this file, `source.rs` and `reading.rs` (what is given), `builder.rs` and
//! `short.rs` (from sources to patterns), `set.rs` (all patterns), `syntax/` (parsing), `expression/` (automata),
//! `constraints/` (the edits allowed, and their costs), then `symbols.rs`, `shared_parts.rs`, `problem.rs`, and where a
//! match may be: `edge.rs`, `empty_matches.rs`, `position_range.rs`, `overhang.rs` and `proximity.rs`.

mod builder;
mod constraints;
mod edge;
mod empty_matches;
mod expression;
mod leaves;
mod overhang;
mod position_range;
mod problem;
mod proximity;
mod reading;
mod set;
mod shared_parts;
mod short;
mod source;
mod string_order;
mod symbols;
mod syntax;

pub use builder::PatternSetBuilder;
use constraints::DistanceBound;
pub use constraints::bound::UNIT;
pub use constraints::bound::{Bound, EditKind, MaxEdits};
pub use constraints::edits::Edits;
pub use constraints::{EdgeGroups, RelaxedDistance};
pub use constraints::{EditConstraints, EditCosts, EditLimit, Transpositions};
pub use edge::{Condition, Edge};
pub use empty_matches::SymbolGap;
pub use expression::hanging::BEYOND;
use expression::hanging::HangingExpression;
pub use expression::{Expression, PreferredLength, SpelledString, State, StateCondition, Transition};
use overhang::HangingPattern;
pub use overhang::OverhangLimits;
pub use overhang::{Overhang, OverhangCost};
pub use position_range::{PositionRange, Reach};
pub use problem::{ForeignConstruct, PatternError, PatternProblem, Unsupported};
pub use proximity::{Proximity, ProximityGroup};
pub use reading::{AmbiguousLetters, AmbiguousMatches, Case, Groups, MatchExtent, Notation, ShortPatterns};
pub use set::PatternSet;
use shared_parts::SharedParts;
pub use source::{PatternSource, ReducedPattern};
pub use string_order::OrderedText;
pub use symbols::SymbolSet;
pub use syntax::captures::{
    CaptureGroups, GroupRanges, MatchGroups, expand_match, refers_to_groups, unknown_references,
};

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use nigh_text::alignment::{Cigar, Edit, SearchEdits};
use nigh_text::alphabet::Alphabet;

/// The strand of a nucleotide sequence that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strand {
    /// The text as given.
    Forward,
    /// The reverse complement of the text.
    Reverse,
}

impl Strand {
    /// Returns the strand's sign in tables: `+` or `-`.
    pub fn sign(self) -> u8 {
        match self {
            Strand::Forward => b'+',
            Strand::Reverse => b'-',
        }
    }
}

/// A sequence of symbol sets, or a regular expression that stands for several strings, to be found with at most k
/// edits.
///
/// A pattern has at least one symbol, and every match covers at least one symbol of the text. Without constraints k
/// is less than the number of symbols. With [`EditConstraints`], a match satisfies the constraints and its distance
/// is the total cost of its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    symbols: Arc<[SymbolSet]>,
    k: usize,
    /// Largest sum of the edits and the overhang costs of a match that hangs over, in units of 1 / [`UNIT`].
    max_sum: u64,
    /// The edits that `k` counts. Other than [`SearchEdits::Levenshtein`] only if this pattern replaces one with
    /// constraints.
    edit_model: SearchEdits,
    start: Edge,
    end: Edge,
    within: PositionRange,
    /// Largest number of letters in a match that stand for several residues; `None` if there is no limit.
    max_ambiguous: Option<usize>,
    strand: Strand,
    source: usize,
    constraints: Option<Arc<EditConstraints>>,
    /// The exact groups at the edges of the original pattern, if this pattern replaces one with constraints.
    edge_groups: EdgeGroups,
    /// For each symbol, whether it belongs to an exact group; `None` if the pattern has no such group.
    exact: Option<Arc<[bool]>>,
    /// The regular expression; `None` if the pattern is the string `symbols`.
    expression: Option<Arc<Expression>>,
    /// The strings of the regular expression, if a search for them finds the ends of matches faster than the automaton
    /// does.
    strings: Option<Arc<[Pattern]>>,
}

/// The value that stands for an unlimited number of symbols of a match. It is so small that sums, and products with the
/// bytes of a symbol, do not overflow.
const UNBOUNDED: usize = usize::MAX >> 8;

impl Pattern {
    /// Returns the symbol sets, first to last; of a regular expression, those of the shortest string.
    pub fn symbols(&self) -> &[SymbolSet] {
        &self.symbols
    }

    /// Returns the largest number of edits of a match.
    ///
    /// Without constraints this is the limit on edits, which is less than the number of symbols. With constraints it is
    /// the largest number of edits of any kind, where a transposition counts as two. It may then equal or exceed the
    /// number of symbols.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Returns the limits on the matches that hang over.
    pub fn overhang_limits(&self, overhang: Overhang) -> OverhangLimits {
        let pattern = HangingPattern {
            length: self.symbols.len(),
            exact: self.exact(),
            max_edits: self.k,
            max_sum: self.max_sum,
            transpositions: self.constraints().map_or(Transpositions::Two, |one| one.costs().transpositions),
        };
        OverhangLimits::new(overhang, &pattern)
    }

    /// Returns the automaton of the matches that may hang over, if the pattern is an expression that has one. Its matches may
    /// be anywhere, and their ambiguous letters have no limit.
    pub(crate) fn hanging(&self, overhang: Overhang) -> Option<HangingExpression> {
        let expression = self.expression().filter(|_| self.within.is_all() && self.max_ambiguous.is_none())?;
        expression.hanging_over(overhang, self.max_sum)
    }

    /// Returns the kinds of edit that [`k`](Self::k) and the distance of a hit count.
    pub fn edit_model(&self) -> SearchEdits {
        self.edit_model
    }

    /// Returns the constraints beyond the number of edits; `None` if there are none.
    pub fn constraints(&self) -> Option<&EditConstraints> {
        self.constraints.as_deref()
    }

    /// Returns whether edits have costs or limits, or ambiguous letters a limit.
    pub fn has_constraints(&self) -> bool {
        self.constraints.is_some() || self.max_ambiguous.is_some()
    }

    /// Returns the exact groups at the edges of the original pattern, if this pattern replaces one with constraints.
    /// Matches that violate these groups are not needed, but may be found.
    pub fn edge_groups(&self) -> EdgeGroups {
        self.edge_groups
    }

    /// Returns for each symbol whether it belongs to an exact group; an empty slice if the pattern has no such group.
    pub fn exact(&self) -> &[bool] {
        self.exact.as_deref().unwrap_or_default()
    }

    /// Returns the symbol sets of all positions. For a regular expression they include positions that are not in the
    /// shortest string.
    pub fn sets(&self) -> &[SymbolSet] {
        self.expression().map_or(&self.symbols, Expression::sets)
    }

    /// Returns the regular expression; `None` if the pattern is a string.
    pub fn expression(&self) -> Option<&Expression> {
        self.expression.as_deref()
    }

    /// Returns the strings whose hits are those of the regular expression; `None` if this is none, or if its automaton
    /// finds the hits faster.
    pub(crate) fn strings(&self) -> Option<&[Pattern]> {
        self.strings.as_deref()
    }

    /// Returns whether this is a regular expression whose automaton finds its hits.
    pub fn is_simulated(&self) -> bool {
        self.expression.is_some() && self.strings.is_none()
    }

    /// Returns the largest number of text symbols that a match covers, or `usize::MAX >> 8` if there is no limit.
    pub fn max_match_len(&self) -> usize {
        if let Some(expression) = self.expression() {
            return expression.longest().map_or(UNBOUNDED, |longest| longest + self.k);
        }
        // The context must also suffice for the search without constraints, which allows as many insertions as its k.
        let narrow =
            self.constraints().map_or(self.k, |constraints| constraints.widened(RelaxedDistance::Narrowest).max);
        let is_searched = |&k: &usize| k < self.symbols.len();
        let searched = [self.k, narrow].into_iter().filter(is_searched).max().unwrap_or(0);
        let insertions = self.constraints().map_or(self.k, |constraints| constraints.costs().insertion.max);
        self.symbols.len() + insertions.max(searched)
    }

    /// Returns the smallest number of text symbols that a match inside a line or record covers.
    pub fn min_match_len(&self) -> usize {
        let deletions = self.constraints().map_or(self.k, |constraints| constraints.costs().deletion.max);
        self.symbols.len().saturating_sub(deletions)
    }

    /// Returns the largest number of symbols that a match may have after the end of a line or record; of a regular expression,
    /// a match of its shortest string. Longer strings have no fewer symbols inside.
    pub fn max_symbols_after(&self, overhang: Overhang) -> usize {
        self.overhang_limits(overhang).max_after
    }

    /// Returns whether the matches that hang over have other conditions than those of a sum of plain edits, a range of
    /// positions and a limit on ambiguous letters.
    pub fn has_conditions_on_overhangs(&self) -> bool {
        let has_edges = !self.start.is_free() || !self.end.is_free();
        has_edges || self.constraints.is_some() || self.has_exact_group()
    }

    /// Returns the constraints; without any, those that say as much as the number of edits.
    pub fn all_constraints(&self) -> Cow<'_, EditConstraints> {
        let bound = DistanceBound { edit_model: self.edit_model, max: self.k };
        let plain = || EditConstraints::plain(bound, self.symbols.len());
        self.constraints().map_or_else(|| Cow::Owned(plain()), Cow::Borrowed)
    }

    /// Returns whether the pattern has an exact group.
    pub fn has_exact_group(&self) -> bool {
        self.exact().contains(&true) || self.expression().is_some_and(Expression::has_exact_groups)
    }

    /// Returns whether the pattern begins or ends with an exact group.
    pub fn has_edge_group(&self) -> bool {
        matches!(self.exact(), [true, ..] | [.., true])
    }

    /// Returns the difference between the insertions and the deletions of a match. For a string this is the difference
    /// between the lengths of the match and of the pattern, and symbols beyond the ends of the text count as deleted.
    pub fn excess(&self, cigar: &Cigar) -> usize {
        match self.expression {
            Some(_) => cigar.count(Edit::TextOnly).abs_diff(cigar.count(Edit::PatternOnly)),
            None => cigar.text_length().abs_diff(self.symbols.len()),
        }
    }

    /// Returns the condition on the start of a match.
    pub fn start(&self) -> Edge {
        self.start
    }

    /// Returns the condition on the end of a match.
    pub fn end(&self) -> Edge {
        self.end
    }

    /// Returns whether every match starts where a line or record starts, and whether every match ends where one ends.
    pub fn is_at_ends(&self) -> [bool; 2] {
        match self.expression() {
            None => [self.start, self.end].map(Edge::needs_record_end),
            Some(expression) => [
                expression.starts().iter().all(|start| start.edges().0.needs_record_end()),
                expression.ends().iter().all(|end| end.condition.edges().1.needs_record_end()),
            ],
        }
    }

    /// Returns the range of positions in a line or record in which matches must lie.
    pub fn within(&self) -> PositionRange {
        self.within
    }

    /// Returns the largest number of letters in a match that stand for several residues; `None` if there is no limit.
    pub fn max_ambiguous(&self) -> Option<usize> {
        self.max_ambiguous
    }

    /// Returns whether a match may start and end anywhere.
    pub fn is_free(&self) -> bool {
        let has_edges = !self.start.is_free() || !self.end.is_free();
        !has_edges && self.within.is_all() && self.max_ambiguous.is_none()
    }

    /// Returns the strand that is searched.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// Returns the index of the source. All alternatives and strands of a source have the same index.
    pub fn source(&self) -> usize {
        self.source
    }

    /// Returns one letter per symbol set. In sequences this is the letter that denotes the residues. In text it is the
    /// character (the last one of its cases), or `?` for a class.
    pub fn letters(&self, alphabet: Alphabet) -> String {
        self.symbols.iter().map(|set| set.letter(alphabet)).collect()
    }

    /// Returns the pattern read from its last symbol to its first, with the conditions on its ends exchanged.
    pub fn mirrored(&self) -> Pattern {
        self.mirrored_with(self.symbols.iter().rev().cloned().collect())
    }

    /// Returns the pattern read from its last symbol to its first, with `symbols` in place of its symbols.
    fn mirrored_with(&self, symbols: Arc<[SymbolSet]>) -> Pattern {
        Pattern {
            symbols,
            start: self.end,
            end: self.start,
            constraints: self.constraints().map(|constraints| Arc::new(constraints.reversed())),
            exact: self.exact.as_ref().map(|exact| exact.iter().rev().copied().collect()),
            expression: self.expression().map(|expression| Arc::new(expression.mirrored())),
            strings: self.strings().map(|strings| strings.iter().map(Pattern::mirrored).collect()),
            ..*self
        }
    }

    fn reverse_complement(&self, sets: &mut SharedParts) -> Pattern {
        let symbols = self.symbols.iter().rev().map(|set| sets.complement(set)).collect();
        let mut pattern = Pattern { strand: Strand::Reverse, ..self.mirrored_with(symbols) };
        pattern.map_expression_sets(|all| all.iter_mut().for_each(|set| *set = sets.complement(set)));
        pattern.strings = self.strings().map(|all| all.iter().map(|one| one.reverse_complement(sets)).collect());
        pattern
    }

    /// Replaces the symbols of each position of the regular expression, if this is one.
    fn map_expression_sets(&mut self, change: impl FnOnce(&mut [SymbolSet])) {
        if let Some(expression) = &mut self.expression {
            Arc::make_mut(expression).map_sets(change);
        }
    }

    /// Replaces the symbols of this pattern and of its strings by the shared sets to search for, and its constraints by
    /// equal ones that it shares with other patterns.
    fn share(&mut self, parts: &mut SharedParts) {
        parts.share(Arc::make_mut(&mut self.symbols));
        if let Some(constraints) = &mut self.constraints {
            parts.share_constraints(constraints);
        }
        if let Some(exact) = &mut self.exact {
            parts.share_exact(exact);
        }
        if let Some(expression) = &mut self.expression {
            Arc::make_mut(expression).share_sets(parts);
        }
        if let Some(strings) = &mut self.strings {
            let strings = Arc::make_mut(strings).iter_mut();
            strings.for_each(|string| parts.share(Arc::make_mut(&mut string.symbols)));
        }
    }

    /// Returns a part of the string without conditions, to be found with at most `k` edits, which are fewer than its symbols.
    fn part(&self, range: Range<usize>, k: usize) -> Pattern {
        Pattern {
            symbols: self.symbols[range].into(),
            k,
            start: Edge::FREE,
            end: Edge::FREE,
            within: PositionRange::ALL,
            max_ambiguous: None,
            constraints: None,
            exact: None,
            ..self.clone()
        }
    }

    /// Returns the pattern with each symbol set replaced.
    fn with_symbols(&self, replaced: impl Fn(&SymbolSet) -> SymbolSet) -> Pattern {
        Pattern { symbols: self.symbols.iter().map(replaced).collect(), ..self.clone() }
    }

    /// Returns the pattern without edges and without `constraints`, which must be its own. The result matches wherever
    /// this pattern does. Returns `None` if it would match everywhere.
    fn widened(&self, constraints: &EditConstraints, widening: RelaxedDistance) -> Option<Pattern> {
        let DistanceBound { edit_model, max: k } = constraints.widened(widening);
        let unconstrained = Pattern {
            k,
            start: Edge::FREE,
            end: Edge::FREE,
            within: PositionRange::ALL,
            max_ambiguous: None,
            constraints: None,
            edit_model,
            edge_groups: constraints.edge_groups(self.symbols.len()),
            ..self.clone()
        };
        (k < self.symbols.len()).then_some(unconstrained)
    }
}
