//! Groups of a pattern, and the parts of a match that belong to them.
//!
//! An alignment relates a match to a string of the pattern. The groups of this string are those of the regular expression
//! in the whole string, by the rules of Perl. Their borders are carried over to the match by the alignment.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;

use regex_automata::meta::{self, Regex};
use regex_automata::util::interpolate;
use regex_automata::util::pool::Pool;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, PatternID};
use regex_syntax::hir::{Capture, Hir, HirKind, Look};
use smallvec::SmallVec;

use super::groups::is_exact;
use crate::problem::{MAX_GROUP_MEMORY, PatternProblem};
use crate::{Pattern, SpelledString, Strand, SymbolSet};
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::{Alphabet, INVALID_BYTE, Symbol, reverse_complement};
use nigh_text::text::{PlacedSymbol, symbols};

/// Maximum number of symbols of a match whose memory is kept for the next match.
const MAX_KEPT_SYMBOLS: usize = 1 << 16;

/// The groups of a pattern in parentheses. Group 0 is the whole match, and the others are numbered by their opening
/// parentheses.
#[derive(Debug)]
pub struct CaptureGroups {
    alphabet: Alphabet,
    automaton: Regex,
    /// The strings of matches, in memory that is reused: a replacement needs one for each match.
    strings: Pool<AlignedString>,
}

impl CaptureGroups {
    /// Makes the groups of a regular expression.
    ///
    /// # Errors
    /// Fails if the automaton is too large.
    pub(crate) fn new(alphabet: Alphabet, hir: &Hir) -> Result<Self, PatternProblem> {
        let whole = Hir::concat(vec![Ungrouped::default().hir(hir), Hir::look(Look::End)]);
        // Whole strings are searched, which are short, for their groups.
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MAX_GROUP_MEMORY))
            .hybrid(false)
            .dfa(false)
            .auto_prefilter(false);
        let automaton = Regex::builder().configure(config).build_from_hir(&whole);
        let automaton = automaton.map_err(|_| PatternProblem::GroupsTooLarge)?;
        Ok(CaptureGroups { alphabet, automaton, strings: Pool::new(AlignedString::default) })
    }

    /// Returns the number of groups, which includes group 0.
    pub fn count(&self) -> usize {
        self.automaton.group_info().group_len(PatternID::ZERO)
    }

    /// Returns the names of the groups; `None` for those without a name.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.automaton.group_info().pattern_names(PatternID::ZERO)
    }

    /// Returns the number of the group with a name; `None` if there is none.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.automaton.group_info().to_index(PatternID::ZERO, name)
    }

    /// Returns the groups of a match of `pattern`. `matched` is the text of the match, and `cigar` its alignment.
    pub fn of_match<'m>(&'m self, pattern: &Pattern, matched: &'m [u8], cigar: &Cigar) -> MatchGroups<'m> {
        // In text, a match without edits is itself the string of the pattern.
        let is_string = !self.alphabet.is_sequence() && cigar.runs().all(|(_, edit)| edit == Edit::Match);
        let string = (!is_string).then(|| {
            let mut string = self.strings.get();
            string.align(self.alphabet, pattern, matched, cigar);
            string
        });
        let bytes = string.as_ref().map_or(matched, |string| &string.bytes);
        let mut slots: SmallVec<[Option<NonMaxUsize>; 16]> = SmallVec::new();
        slots.resize(self.automaton.group_info().slot_len(), None);
        self.automaton.search_slots(&Input::new(bytes).anchored(Anchored::Yes), &mut slots);
        let range = |slots: &[Option<NonMaxUsize>]| {
            let range = slots[0]?.get()..slots[1]?.get();
            Some(string.as_ref().map_or(range.clone(), |string| string.range(range)))
        };
        let ranges = slots.chunks(2).skip(1).map(range).map(GroupRanges::stored).collect();
        if let Some(mut string) = string.filter(|string| string.text.len() > MAX_KEPT_SYMBOLS) {
            *string = AlignedString::default();
        }
        MatchGroups { groups: self, matched, ranges: Cow::Owned(GroupRanges { ranges }) }
    }

    /// Returns the groups with these ranges in `matched`.
    pub fn with_ranges<'m>(&'m self, matched: &'m [u8], ranges: &'m GroupRanges) -> MatchGroups<'m> {
        MatchGroups { groups: self, matched, ranges: Cow::Borrowed(ranges) }
    }
}

/// The ranges of the groups of a match in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRanges {
    /// The start and the end of each group but group 0; the start is greater than the end if the group took no part.
    ranges: SmallVec<[(usize, usize); 2]>,
}

impl GroupRanges {
    fn stored(range: Option<Range<usize>>) -> (usize, usize) {
        range.map_or((1, 0), |range| (range.start, range.end))
    }
}

/// The groups of a match.
#[derive(Debug, Clone)]
pub struct MatchGroups<'m> {
    groups: &'m CaptureGroups,
    matched: &'m [u8],
    ranges: Cow<'m, GroupRanges>,
}

impl<'m> MatchGroups<'m> {
    /// Returns the groups of the pattern.
    pub fn groups(&self) -> &'m CaptureGroups {
        self.groups
    }

    /// Returns the range of a group in the text of the match; `None` if there is no such group, or if it took no part in
    /// the match. A text symbol without a partner at the border of two groups belongs to the first of them, in the
    /// direction of the pattern.
    pub fn range(&self, number: usize) -> Option<Range<usize>> {
        let Some(number) = number.checked_sub(1) else { return Some(0..self.matched.len()) };
        let &(start, end) = self.ranges.ranges.get(number)?;
        (start <= end).then_some(start..end)
    }

    /// Returns the ranges of all groups.
    pub fn into_ranges(self) -> GroupRanges {
        self.ranges.into_owned()
    }

    /// Returns the text of a group; `None` as for [`range`](Self::range).
    pub fn text(&self, number: usize) -> Option<&'m [u8]> {
        self.range(number).map(|range| &self.matched[range])
    }

    /// Appends `template` to `out`. `$0` stands for the match, `$1`, `$name` and `${name}` for the text of a group, and
    /// `$$` for a dollar sign. A group that does not exist or took no part is empty.
    pub fn expand(&self, template: &[u8], out: &mut Vec<u8>) {
        let append = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(self.text(number).unwrap_or_default());
        interpolate::bytes(template, append, |name| self.groups.number(name), out);
    }
}

/// Appends `template` to `out` as [`MatchGroups::expand`] does, for a match whose only group is the match itself.
pub fn expand_match(template: &[u8], matched: &[u8], out: &mut Vec<u8>) {
    let append = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(if number == 0 { matched } else { b"" });
    interpolate::bytes(template, append, |_| None, out);
}

/// Returns whether a template of [`MatchGroups::expand`] refers to another group than `$0`.
pub fn refers_to_groups(template: &[u8]) -> bool {
    let (numbered, named) = (Cell::new(false), Cell::new(false));
    let append = |number: usize, _: &mut Vec<u8>| numbered.set(numbered.get() || number > 0);
    let number = |_: &str| {
        named.set(true);
        None
    };
    interpolate::bytes(template, append, number, &mut Vec::new());
    numbered.get() || named.get()
}

/// Returns the groups to which a template of [`MatchGroups::expand`] refers and which none of `patterns` has, each once.
pub fn unknown_references(template: &[u8], patterns: &[CaptureGroups]) -> Vec<String> {
    let unknown = RefCell::new(Vec::new());
    let add = |name: String| {
        let mut unknown = unknown.borrow_mut();
        if !unknown.contains(&name) {
            unknown.push(name);
        }
    };
    let append = |number: usize, _: &mut Vec<u8>| {
        if !patterns.iter().any(|groups| number < groups.count()) {
            add(number.to_string());
        }
    };
    let number = |name: &str| {
        if !patterns.iter().any(|groups| groups.number(name).is_some()) {
            add(name.to_owned());
        }
        None
    };
    interpolate::bytes(template, append, number, &mut Vec::new());
    unknown.into_inner()
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

/// The string of a pattern that an alignment relates to a match, in the direction of the pattern.
#[derive(Debug, Default)]
struct AlignedString {
    bytes: Vec<u8>,
    /// For each symbol, its offset in `bytes`, and the number of text symbols before its partner; then the same for the
    /// end of the string.
    borders: Vec<(usize, usize)>,
    /// The symbols of the match, in the direction of the pattern.
    text: Vec<PlacedSymbol>,
    is_reverse: bool,
    /// Number of bytes of the match.
    length: usize,
    /// The positions of the string, in the direction of the text, if the pattern is an expression.
    spelled: SpelledString,
}

impl AlignedString {
    /// Replaces this string by that of a match.
    fn align(&mut self, alphabet: Alphabet, pattern: &Pattern, matched: &[u8], cigar: &Cigar) {
        (self.is_reverse, self.length) = (pattern.strand() == Strand::Reverse, matched.len());
        self.bytes.clear();
        self.borders.clear();
        self.text.clear();
        self.text.extend(symbols(alphabet, matched));
        let mut spelled = std::mem::take(&mut self.spelled);
        match pattern.expression() {
            Some(expression) => {
                let symbols = self.text.iter().map(|placed| placed.symbol);
                let sets = spelled.spell(expression, symbols, cigar).iter();
                self.push_edits(alphabet, sets.filter_map(|&state| expression.set(state)), cigar);
            }
            None => self.push_edits(alphabet, pattern.symbols().iter(), cigar),
        }
        self.spelled = spelled;
    }

    /// Appends the symbols of a string of `sets`, which are in the direction of the text.
    fn push_edits<'s>(
        &mut self,
        alphabet: Alphabet,
        sets: impl DoubleEndedIterator<Item = &'s SymbolSet>,
        cigar: &Cigar,
    ) {
        if self.is_reverse {
            self.text.reverse();
            self.push_runs(alphabet, sets.rev(), cigar.runs().rev());
        } else {
            self.push_runs(alphabet, sets, cigar.runs());
        }
    }

    /// Appends the symbols of a string of `sets`. All are in the direction of the pattern.
    fn push_runs<'s>(
        &mut self,
        alphabet: Alphabet,
        mut sets: impl Iterator<Item = &'s SymbolSet>,
        runs: impl Iterator<Item = (usize, Edit)>,
    ) {
        let mut read = 0;
        for (length, edit) in runs {
            if edit == Edit::TextOnly {
                read += length;
                continue;
            }
            let is_read = !matches!(edit, Edit::PatternOnly | Edit::Overhang);
            for set in sets.by_ref().take(length) {
                self.borders.push((self.bytes.len(), read));
                let symbol = self.text.get(read).filter(|_| edit == Edit::Match).map(|placed| placed.symbol);
                self.push(alphabet, set, symbol);
                read += usize::from(is_read);
            }
        }
        self.borders.push((self.bytes.len(), self.text.len()));
    }

    /// Appends a symbol of `set`, in the direction of the pattern: the symbol `matched` of the text, or one residue that
    /// it stands for, if there is such a symbol.
    fn push(&mut self, alphabet: Alphabet, set: &SymbolSet, matched: Option<Symbol>) {
        if !alphabet.is_sequence() {
            let symbol = matched.filter(|&symbol| set.contains(symbol)).unwrap_or(set.ranges()[0].0);
            return push_symbol(alphabet, symbol, &mut self.bytes);
        }
        let of_set = alphabet.residues_where(|letter| set.contains(alphabet.symbol_of_byte(letter)));
        let of_both = matched.map_or(0, |symbol| alphabet.residues_of_symbol(symbol)) & of_set;
        let letter = alphabet.letters_of(if of_both == 0 { of_set } else { of_both }).next();
        let mut letter = [letter.unwrap_or(b'?')];
        if self.is_reverse {
            reverse_complement(&mut letter);
        }
        self.bytes.push(letter[0]);
    }

    /// Returns the range in the match of a range of the string.
    fn range(&self, range: Range<usize>) -> Range<usize> {
        let (mut first, mut last) = (self.border(range.start), self.border(range.end));
        if self.is_reverse {
            std::mem::swap(&mut first, &mut last);
        }
        first.end.min(last.start)..last.start
    }

    /// Returns the bytes between the text symbols on the two sides of a border in the string. In a sequence, these may be
    /// line breaks; otherwise there are none.
    fn border(&self, offset: usize) -> Range<usize> {
        let at = self.borders.partition_point(|&(start, _)| start < offset);
        let read = self.borders[at.min(self.borders.len() - 1)].1;
        let (before, after) = (read.checked_sub(1).map(|last| &self.text[last]), self.text.get(read));
        let (left, right) = if self.is_reverse { (after, before) } else { (before, after) };
        left.map_or(0, |symbol| symbol.end)..right.map_or(self.length, |symbol| symbol.start)
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
    use crate::{AmbiguousLetters, MaxEdits, PatternSet, PatternSource};
    use nigh_text::alignment::BackwardRuns;

    fn cigar(runs: &[(usize, Edit)]) -> Cigar {
        let mut backward = BackwardRuns::default();
        runs.iter().rev().for_each(|&(length, edit)| backward.push(length, edit));
        backward.cigar()
    }

    /// Returns the texts of the groups of a match of the last pattern of `set`; `None` for a group that took no part.
    fn texts(set: &PatternSet, matched: &str, runs: &[(usize, Edit)]) -> Vec<Option<String>> {
        let groups = set.groups_of(set.patterns().len() - 1, matched.as_bytes(), &cigar(runs)).unwrap();
        let text = |number| groups.text(number).map(|text| String::from_utf8(text.to_vec()).unwrap());
        (0..groups.groups().count()).map(text).collect()
    }

    /// Returns the texts of the groups of a match of an expression in text.
    fn groups(expression: &str, matched: &str, cigar: &[(usize, Edit)]) -> Vec<Option<String>> {
        let set = PatternSet::builder(Alphabet::Text).captures(true).max_edits(MaxEdits::Count(0));
        texts(&set.build(&[PatternSource::new(expression)]).unwrap(), matched, cigar)
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn groups_have_the_borders_of_the_alignment() {
        use Edit::{Match, PatternOnly, Substitution, TextOnly};
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
        let set = PatternSet::builder(Alphabet::Text).groups(crate::Groups::Exact).captures(true);
        let set = set.build(&[PatternSource::new("<a>(b<c(?<last>d)>)")]).unwrap();
        let captures = set.captures(&set.patterns()[0]).unwrap();
        assert_eq!(captures.names().collect::<Vec<_>>(), [None, None, Some("last")]);
        assert_eq!((captures.number("last"), captures.number("first")), (Some(2), None));
    }

    #[test]
    fn groups_in_sequences_have_the_direction_of_the_pattern() {
        use Edit::{Match, PatternOnly, Substitution, TextOnly};
        let set = |expression: &str, strand, letters| {
            let builder = PatternSet::builder(Alphabet::Dna).captures(true).max_edits(MaxEdits::Count(0));
            builder.strands(&[strand]).ambiguous(letters).build(&[PatternSource::new(expression)]).unwrap()
        };
        let contained = AmbiguousLetters::Contained;
        let forward = set("(A[CG]|NN)(?<umi>T{2,3})", Strand::Forward, contained);
        assert_eq!(texts(&forward, "agTT", &[(4, Match)]), some(&["agTT", "ag", "TT"]));
        assert_eq!(texts(&forward, "NRTUT", &[(5, Match)]), some(&["NRTUT", "NR", "TUT"]));
        // A line break at the border of groups belongs to neither.
        assert_eq!(texts(&forward, "A\nC\nTT", &[(4, Match)]), some(&["A\nC\nTT", "A\nC", "TT"]));
        let inserted = [(2, Match), (1, TextOnly), (2, Match)];
        assert_eq!(texts(&forward, "ACGTT", &inserted), some(&["ACGTT", "ACG", "TT"]));
        let reverse = set("(ACG)(TT|T)(A)?", Strand::Reverse, contained);
        let expected = vec![Some("AACGT".to_owned()), Some("CGT".to_owned()), Some("AA".to_owned()), None];
        assert_eq!(texts(&reverse, "AACGT", &[(5, Match)]), expected);
        let expected = vec![Some("AAGCGT".to_owned()), Some("GCGT".to_owned()), Some("AA".to_owned()), None];
        assert_eq!(texts(&reverse, "AAGCGT", &[(2, Match), (1, TextOnly), (3, Match)]), expected);
        // The letter N of the text matches C, and the string of the pattern has C.
        let any = set("(AC)(G|T)", Strand::Forward, AmbiguousLetters::Overlapping);
        assert_eq!(texts(&any, "ANN", &[(3, Match)]), some(&["ANN", "AN", "N"]));
        assert_eq!(texts(&any, "AC", &[(2, Match), (1, PatternOnly)]), some(&["AC", "AC", ""]));
        assert_eq!(texts(&any, "GCG", &[(1, Substitution), (2, Match)]), some(&["GCG", "GC", "G"]));
    }

    #[test]
    fn groups_of_amino_acids_may_have_letters_for_several() {
        let set = PatternSet::builder(Alphabet::Protein).captures(true).max_edits(MaxEdits::Count(0));
        let set = set.build(&[PatternSource::new(r"(M[^K])(B|Z)(?<stop>\*)")]).unwrap();
        let four = [(4, Edit::Match)];
        assert_eq!(texts(&set, "mRb*", &four), some(&["mRb*", "mR", "b", "*"]));
        assert_eq!(texts(&set, "MREX", &[(3, Edit::Match), (1, Edit::Substitution)]), some(&["MREX", "MR", "E", "X"]));
    }

    #[test]
    fn a_template_has_the_texts_of_groups() {
        let set = PatternSet::builder(Alphabet::Text).captures(true).max_edits(MaxEdits::Count(0));
        let set = set.build(&[PatternSource::new("(?<first>a+)(b)?-(c+)")]).unwrap();
        let cigar = cigar(&[(4, Edit::Match)]);
        let groups = set.groups_of(0, b"aa-c", &cigar).unwrap();
        let mut text = b"x".to_vec();
        groups.expand(b"$3${first}[$2]$0$$1$9$none", &mut text);
        assert_eq!(text, b"xcaa[]aa-c$1");
        assert_eq!((groups.range(1), groups.range(2), groups.range(9)), (Some(0..2), None, None));
        let refers = [&b"$1"[..], b"x${first}", b"$none", b"$0", b"$$1", b"text"].map(refers_to_groups);
        assert_eq!(refers, [true, true, true, false, false, false]);
        let mut text = Vec::new();
        expand_match(b"<$0>$1$$", b"aa-c", &mut text);
        assert_eq!(text, b"<aa-c>$");
    }

    #[test]
    fn groups_with_too_large_an_automaton_are_refused() {
        let set = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(0));
        let pattern = [PatternSource::new(r"(\w{3000})")];
        assert!(set.build(&pattern).is_ok());
        let error = set.captures(true).build(&pattern).unwrap_err();
        assert_eq!(error.problem, PatternProblem::GroupsTooLarge);
    }
}
