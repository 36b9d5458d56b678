//! Groups of a pattern, and the parts of a match that belong to them.
//!
//! An alignment relates a match to a string of the pattern. The groups of this string are those of the regular expression
//! in the whole string, by the rules of Perl. Their borders are carried over to the match by the alignment.

use std::ops::Range;

use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Capture, Hir, HirKind, Look};

use super::groups::is_exact;
use crate::alignment::{Cigar, Edit};
use crate::alphabet::{Alphabet, INVALID_BYTE, Symbol};
use crate::pattern::problem::PatternProblem;
use crate::pattern::{Pattern, SymbolSet};
use crate::text::symbols;

/// The groups of a pattern in parentheses. Group 0 is the whole match, and the others are numbered by their opening
/// parentheses.
#[derive(Debug, Clone)]
pub struct CaptureGroups {
    alphabet: Alphabet,
    automaton: PikeVM,
}

impl CaptureGroups {
    /// Makes the groups of a regular expression.
    ///
    /// # Errors
    /// Fails if the automaton is too large.
    pub(in crate::pattern) fn new(alphabet: Alphabet, hir: &Hir) -> Result<Self, PatternProblem> {
        let whole = Hir::concat(vec![Ungrouped::default().hir(hir), Hir::look(Look::End)]);
        let config = thompson::Config::new().utf8(false);
        let nfa = NFA::compiler().configure(config).build_from_hir(&whole).map_err(|_| PatternProblem::TooLong)?;
        let automaton = PikeVM::new_from_nfa(nfa).map_err(|_| PatternProblem::TooLong)?;
        Ok(CaptureGroups { alphabet, automaton })
    }

    /// Returns the names of the groups; `None` for those without a name.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.automaton.get_nfa().group_info().pattern_names(regex_automata::PatternID::ZERO)
    }

    /// Returns the number of the group with a name; `None` if there is none.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.automaton.get_nfa().group_info().to_index(regex_automata::PatternID::ZERO, name)
    }

    /// Returns the range of each group in a match of `pattern`, in bytes of the text of the match; `None` for a group that
    /// took no part. `cigar` is the alignment of the match. A text symbol without a partner at the border of two groups
    /// belongs to the first.
    pub fn ranges(&self, pattern: &Pattern, matched: &[u8], cigar: &Cigar) -> Vec<Option<Range<usize>>> {
        let string = AlignedString::new(self.alphabet, pattern, matched, cigar);
        let mut slots: Vec<Option<NonMaxUsize>> = vec![None; self.automaton.get_nfa().group_info().slot_len()];
        let mut cache = self.automaton.create_cache();
        self.automaton.search_slots(&mut cache, &Input::new(&string.bytes).anchored(Anchored::Yes), &mut slots);
        let border = |slot: Option<NonMaxUsize>| slot.map(|offset| string.border(offset.get()));
        let mut ranges: Vec<Option<Range<usize>>> =
            slots.chunks(2).map(|slots| Some(border(slots[0])?..border(slots[1])?)).collect();
        ranges[0] = Some(0..matched.len());
        ranges
    }
}

/// Removes from an expression what concerns its surroundings and exact groups, and numbers the other groups anew.
#[derive(Default)]
struct Ungrouped {
    /// The number of exact groups so far.
    exact: u32,
}

impl Ungrouped {
    fn hir(&mut self, hir: &Hir) -> Hir {
        match hir.kind() {
            HirKind::Look(_) | HirKind::Empty => Hir::empty(),
            HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
            HirKind::Class(class) => Hir::class(class.clone()),
            HirKind::Repetition(repetition) => {
                let sub = Box::new(self.hir(&repetition.sub));
                Hir::repetition(regex_syntax::hir::Repetition { sub, ..*repetition })
            }
            HirKind::Capture(capture) if capture.name.as_deref().is_some_and(is_exact) => {
                self.exact += 1;
                self.hir(&capture.sub)
            }
            HirKind::Capture(capture) => {
                let index = capture.index - self.exact;
                let sub = Box::new(self.hir(&capture.sub));
                Hir::capture(Capture { index, name: capture.name.clone(), sub })
            }
            HirKind::Concat(parts) => Hir::concat(parts.iter().map(|part| self.hir(part)).collect()),
            HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(|part| self.hir(part)).collect()),
        }
    }
}

/// The string of a pattern that an alignment relates to a match.
struct AlignedString {
    bytes: Vec<u8>,
    /// For each symbol, its offset in `bytes`, and the offset in the match before which its partner is, or would be.
    borders: Vec<(usize, usize)>,
}

impl AlignedString {
    fn new(alphabet: Alphabet, pattern: &Pattern, matched: &[u8], cigar: &Cigar) -> Self {
        let mut text = symbols(alphabet, matched).peekable();
        let states =
            pattern.expression().map(|one| (one, one.spelled(symbols(alphabet, matched).map(|one| one.symbol), cigar)));
        let mut sets: Box<dyn Iterator<Item = &SymbolSet>> = match &states {
            Some((expression, states)) => Box::new(states.iter().filter_map(|&state| expression.set(state))),
            None => Box::new(pattern.symbols().iter()),
        };
        let mut string = AlignedString { bytes: Vec::new(), borders: Vec::new() };
        for edit in cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length)) {
            let at = text.peek().map_or(matched.len(), |next| next.start);
            let read = if matches!(edit, Edit::PatternOnly | Edit::Overhang) { None } else { text.next() };
            if edit == Edit::TextOnly {
                continue;
            }
            let Some(set) = sets.next() else { break };
            let symbol = read.map(|read| read.symbol).filter(|&symbol| edit == Edit::Match && set.contains(symbol));
            string.borders.push((string.bytes.len(), at));
            push_symbol(alphabet, symbol.unwrap_or(set.ranges()[0].0), &mut string.bytes);
        }
        string.borders.push((string.bytes.len(), matched.len()));
        string
    }

    /// Returns the offset in the match of a border in the string.
    fn border(&self, offset: usize) -> usize {
        let at = self.borders.partition_point(|&(start, _)| start < offset);
        self.borders[at.min(self.borders.len() - 1)].1
    }
}

/// Appends the bytes of a symbol of text.
fn push_symbol(alphabet: Alphabet, symbol: Symbol, bytes: &mut Vec<u8>) {
    match char::from_u32(symbol).filter(|_| alphabet == Alphabet::Text) {
        Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        // A byte, or a byte of invalid UTF-8.
        None => bytes.push((symbol % INVALID_BYTE) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::BackwardRuns;
    use crate::pattern::{MaxEdits, PatternSet, PatternSource};

    /// Returns the texts of the groups of a match of an expression; `None` for a group that took no part.
    fn groups(expression: &str, matched: &str, cigar: &[(usize, Edit)]) -> Vec<Option<String>> {
        let set = PatternSet::builder(Alphabet::Text).captures(true).max_edits(MaxEdits::Count(0));
        let set = set.build(&[PatternSource::new(expression)]).unwrap();
        let pattern = &set.patterns()[0];
        let captures = set.captures(pattern).unwrap();
        let mut runs = BackwardRuns::default();
        cigar.iter().rev().for_each(|&(length, edit)| runs.push(length, edit));
        let ranges = captures.ranges(pattern, matched.as_bytes(), &runs.cigar());
        ranges.into_iter().map(|range| range.map(|range| matched[range].to_owned())).collect()
    }

    #[test]
    fn groups_have_the_borders_of_the_alignment() {
        use Edit::{Match, PatternOnly, Substitution, TextOnly};
        let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(groups("(ab)(cd)", "abcd", &[(4, Match)]), some(&["abcd", "ab", "cd"]));
        // A symbol that is only in the text belongs to the group before it.
        assert_eq!(
            groups("(ab)(cd)", "abxcd", &[(2, Match), (1, TextOnly), (2, Match)]),
            some(&["abxcd", "abx", "cd"])
        );
        assert_eq!(groups("(ab)(cd)", "acd", &[(1, Match), (1, PatternOnly), (2, Match)]), some(&["acd", "a", "cd"]));
        assert_eq!(groups("(ab)(cd)", "abd", &[(2, Match), (1, PatternOnly), (1, Match)]), some(&["abd", "ab", "d"]));
        assert_eq!(groups("(ä.)(c+)", "äxcü", &[(3, Match), (1, Substitution)]), some(&["äxcü", "äx", "cü"]));
        assert_eq!(groups(r"\b(a(b)?)$", "a", &[(1, Match)]), vec![Some("a".to_owned()), Some("a".to_owned()), None]);
    }

    #[test]
    fn groups_are_numbered_and_named_without_exact_groups() {
        let set = PatternSet::builder(Alphabet::Text).groups(crate::pattern::Groups::Exact).captures(true);
        let set = set.build(&[PatternSource::new("<a>(b<c(?<last>d)>)")]).unwrap();
        let captures = set.captures(&set.patterns()[0]).unwrap();
        assert_eq!(captures.names().collect::<Vec<_>>(), [None, None, Some("last")]);
        assert_eq!((captures.number("last"), captures.number("first")), (Some(2), None));
    }
}
