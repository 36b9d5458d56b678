//! The patterns of one search.

use std::ops::Range;
use std::sync::Arc;

use super::source::{ReducedPattern, SourceTexts};
use super::symbols::SymbolSet;
use super::{CaptureGroups, Edge, HangingExpression, MatchGroups, Overhang, Pattern, Proximity, RelaxedDistance};
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::Alphabet;

/// The patterns of one search over one alphabet.
#[derive(Debug, Clone)]
pub struct PatternSet {
    pub(super) alphabet: Alphabet,
    pub(super) patterns: Vec<Pattern>,
    pub(super) sources: Arc<SourceTexts>,
    /// The edges at the start and the end of each alternative without symbols.
    pub(super) empty: Vec<(Edge, Edge)>,
    /// The patterns that match only near each other; `None` if there are none.
    pub(super) proximity: Option<Proximity>,
    /// How patterns hang over the starts and ends of lines and records; `None` if they do not.
    pub(super) overhang: Option<Overhang>,
    /// The groups of each source, if they are wanted.
    pub(super) captures: Arc<[CaptureGroups]>,
}

impl PatternSet {
    /// Returns the alphabet.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// Returns every alternative of every pattern on every strand. A hit's pattern index refers to this list.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Returns the name of the pattern's source, or its text if it has no name.
    pub fn name(&self, pattern: &Pattern) -> &[u8] {
        self.source_name(pattern.source)
    }

    /// Returns the sources with fewer edits than the bound of the set, because they are short; in order.
    pub fn reduced(&self) -> &[ReducedPattern] {
        self.sources.reduced()
    }

    /// Returns the number of sources: the patterns as the user gave them.
    pub fn source_count(&self) -> usize {
        self.sources.count()
    }

    /// Returns the name of the source at `index`, or its text if it has no name.
    pub fn source_name(&self, index: usize) -> &[u8] {
        self.given_name(index).unwrap_or_else(|| self.source_text(index))
    }

    /// Returns the name of the source at `index`; `None` if it has no name.
    pub fn given_name(&self, index: usize) -> Option<&[u8]> {
        self.sources.name(index)
    }

    /// Returns the text of the source at `index`.
    pub fn source_text(&self, index: usize) -> &[u8] {
        self.sources.text(index)
    }

    /// Returns the groups of the pattern's source; `None` if the set was built without groups.
    pub fn captures(&self, pattern: &Pattern) -> Option<&CaptureGroups> {
        self.captures.get(pattern.source)
    }

    /// Returns the groups of each source, in order; none if the set was built without groups.
    pub fn all_captures(&self) -> &[CaptureGroups] {
        &self.captures
    }

    /// Returns the groups of a match of the pattern with an index in [`patterns`](Self::patterns). `matched` is the text
    /// of the match, and `cigar` its alignment. Returns `None` if the set was built without groups.
    pub fn groups_of<'m>(&'m self, pattern: usize, matched: &'m [u8], cigar: &Cigar) -> Option<MatchGroups<'m>> {
        let pattern = self.patterns.get(pattern)?;
        Some(self.captures(pattern)?.of_match(pattern, matched, cigar))
    }

    /// Returns the edges of the alternatives without symbols. Such an alternative matches with distance 0 wherever
    /// both edges hold: the empty pattern everywhere, `^$` in empty lines.
    pub fn empty(&self) -> &[(Edge, Edge)] {
        &self.empty
    }

    /// Returns the largest number of text symbols that a match of any pattern covers.
    pub fn max_match_len(&self) -> usize {
        self.patterns.iter().map(Pattern::max_match_len).max().unwrap_or(0)
    }

    /// Returns the number of symbols before the owned range of a batch that a search for the patterns needs.
    pub fn context_len(&self) -> usize {
        // A hit is decided once all its possible partners are known. The partners and their matches lie within this
        // distance.
        self.max_match_len().saturating_add(self.lag().saturating_mul(3))
    }

    /// Returns the number of symbols after the end of a hit that must be searched before the hit is reported, in a
    /// record that was cut.
    pub fn lag(&self) -> usize {
        self.proximity.as_ref().map_or(0, |proximity| {
            let gap = usize::try_from(proximity.gap).unwrap_or(usize::MAX);
            gap.saturating_add(self.max_match_len())
        })
    }

    /// Returns a set without constraints. Each pattern with constraints is replaced by one without constraints and
    /// edges, which matches wherever the original does. Patterns that would match everywhere are left out. Also returns
    /// the original index of each pattern of the set. Returns `None` if no pattern has constraints.
    pub fn widened(&self, widening: RelaxedDistance) -> Option<(PatternSet, Vec<usize>)> {
        self.patterns.iter().any(|pattern| pattern.constraints().is_some()).then(|| {
            let widen = |pattern: &Pattern| match pattern.constraints() {
                Some(constraints) => pattern.widened(constraints, widening),
                None => Some(pattern.clone()),
            };
            let all = self.patterns.iter().enumerate();
            let (patterns, indices) = all.filter_map(|(index, pattern)| Some((widen(pattern)?, index))).unzip();
            let (alphabet, sources, empty) = (self.alphabet, self.sources.clone(), Vec::new());
            let captures = self.captures.clone();
            (PatternSet { alphabet, patterns, sources, empty, proximity: None, overhang: None, captures }, indices)
        })
    }

    /// Returns a set of the same patterns, with symbol sets from which ambiguous letters were removed. Returns `None`
    /// if there are none to remove.
    pub fn without_ambiguous_letters(&self) -> Option<PatternSet> {
        let is_residue = |set: &SymbolSet| {
            let has = |letter: u8| set.contains(self.alphabet.symbol_of_byte(letter));
            self.alphabet.residues_where(has).count_ones() == 1
        };
        if !self.alphabet.is_sequence() {
            return None;
        }
        // Equal sets share their memory, so there are few.
        let mut changed: Vec<(&SymbolSet, SymbolSet)> = Vec::new();
        for set in self.patterns.iter().flat_map(Pattern::symbols) {
            if !changed.iter().any(|(known, _)| known.is_same(set)) {
                changed.push((set, set.without(|symbol| self.alphabet.is_ambiguous(symbol))));
            }
        }
        let is_possible = changed.iter().all(|(_, plain)| !plain.ranges().is_empty());
        let pays = changed.iter().any(|(set, plain)| is_residue(set) && plain != *set);
        (is_possible && pays).then(|| {
            let plain = |set: &SymbolSet| changed.iter().find(|(known, _)| known.is_same(set)).map(|(_, plain)| plain);
            let replaced = |set: &SymbolSet| plain(set).expect("every set was seen").clone();
            let patterns = self.patterns.iter().map(|pattern| pattern.with_symbols(replaced)).collect();
            PatternSet { empty: self.empty.clone(), proximity: self.proximity.clone(), ..self.with(patterns) }
        })
    }

    /// Returns a set of the patterns that are strings, and the index in this set of each.
    pub fn strings(&self) -> (PatternSet, Vec<usize>) {
        self.those(|pattern| pattern.expression().is_none())
    }

    /// Returns a set of the patterns that are regular expressions, and the index in this set of each.
    pub fn expressions(&self) -> (PatternSet, Vec<usize>) {
        self.those(|pattern| pattern.expression().is_some())
    }

    /// Returns a set of the patterns that are strings, then the strings of the expressions that are searched for as
    /// strings, and the index in this set of the pattern of each. With `count_letters`, ambiguous letters have a limit in the
    /// strings of expressions too.
    pub fn all_strings(&self, count_letters: bool) -> (PatternSet, Vec<usize>) {
        let (set, mut owners) = self.strings();
        let mut patterns = set.patterns;
        for (index, pattern) in self.patterns.iter().enumerate() {
            let strings = pattern.strings().unwrap_or_default();
            let max_ambiguous = |string: &Pattern| string.max_ambiguous.filter(|_| count_letters);
            patterns.extend(strings.iter().map(|one| Pattern { max_ambiguous: max_ambiguous(one), ..one.clone() }));
            owners.extend(strings.iter().map(|_| index));
        }
        (PatternSet { patterns, ..set }, owners)
    }

    /// Returns a set of the expressions that are searched for by their automata, and the index in this set of each.
    pub fn simulated_expressions(&self) -> (PatternSet, Vec<usize>) {
        self.those(Pattern::is_simulated)
    }

    /// Returns a set of the expressions that are searched for as strings, and the index in this set of each.
    pub fn listed_expressions(&self) -> (PatternSet, Vec<usize>) {
        self.those(|pattern| pattern.expression().is_some() && !pattern.is_simulated())
    }

    fn those(&self, are_wanted: impl Fn(&Pattern) -> bool) -> (PatternSet, Vec<usize>) {
        let wanted = self.patterns.iter().enumerate().filter(|(_, pattern)| are_wanted(pattern));
        let (patterns, indices) = wanted.map(|(index, pattern)| (pattern.clone(), index)).unzip();
        (self.with(patterns), indices)
    }

    /// Returns a set of parts of patterns, which are strings, without conditions and overhangs: for each, the index of the
    /// pattern, the range of its symbols, and the largest number of edits.
    pub fn parts(&self, parts: impl Iterator<Item = (usize, (Range<usize>, usize))>) -> PatternSet {
        let parts = parts.map(|(index, (range, k))| self.patterns[index].part(range, k));
        PatternSet { overhang: None, ..self.with(parts.collect()) }
    }

    /// Returns a set of other patterns of the same sources.
    fn with(&self, patterns: Vec<Pattern>) -> PatternSet {
        let (alphabet, overhang, sources) = (self.alphabet, self.overhang, self.sources.clone());
        let captures = self.captures.clone();
        PatternSet { alphabet, patterns, sources, empty: Vec::new(), proximity: None, overhang, captures }
    }

    /// Returns the patterns that match only near each other; `None` if there are none.
    pub fn proximity(&self) -> Option<&Proximity> {
        self.proximity.as_ref()
    }

    /// Returns how patterns hang over the starts and ends of lines and records; `None` if they do not.
    pub fn overhang(&self) -> Option<Overhang> {
        self.overhang
    }

    /// Returns whether a batch must hold whole lines, because of regular expressions or of conditions on the ends of
    /// matches.
    pub fn has_whole_lines(&self) -> bool {
        self.has_expressions() || self.has_edges()
    }

    /// Returns whether any pattern is a regular expression. A batch must then hold whole lines.
    pub fn has_expressions(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.expression().is_some())
    }

    /// Returns the first pattern that cannot hang over, if patterns may hang over: a regular expression that is not a list
    /// of strings, and has a condition within a match or on its place, or more states than a search allows.
    pub fn without_overhang(&self) -> Option<&Pattern> {
        let overhang = self.overhang?;
        let hangs_over = |one: &Pattern| self.proximity.is_none() && one.hanging(overhang).is_some();
        self.patterns.iter().find(|pattern| pattern.expression().is_some() && !hangs_over(pattern))
    }

    /// Returns the set with the automata of the matches that may hang over in place of its expressions, and for each
    /// expression, how many symbols may be before the start and after the end. All patterns must be expressions that [can hang
    /// over](Self::without_overhang).
    pub fn hanging(&self, overhang: Overhang) -> (PatternSet, Vec<[usize; 2]>) {
        let hanging = |pattern: &Pattern| {
            let HangingExpression { expression, max_beyond } =
                pattern.hanging(overhang).expect("the expression can hang over");
            (Pattern { expression: Some(Arc::new(expression)), ..pattern.clone() }, max_beyond)
        };
        let (patterns, max_beyond) = self.patterns.iter().map(hanging).unzip();
        (self.with(patterns), max_beyond)
    }

    /// Returns whether any pattern has a condition on its edges.
    pub fn has_edges(&self) -> bool {
        self.patterns.iter().any(|pattern| !pattern.is_free())
    }
}
