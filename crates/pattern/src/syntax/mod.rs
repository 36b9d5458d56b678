//! Parses a pattern with `regex-syntax` into the strings that it stands for, as sequences of symbol sets. If there are
//! too many strings, or one has a condition in its middle, the pattern becomes an automaton.
//!
//! The strings are bounded by `MAX_ALTERNATIVES` sequences and `MAX_SYMBOLS` symbols in total.
//!
//! `dialects`, `groups`, `classes`, `codes` and `case` are steps of parsing. `list_size` counts the strings.
//! `captures` finds the groups of a match.

pub(super) mod captures;
mod case;
mod classes;
mod codes;
mod dialects;
mod groups;
mod list_size;

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

use bstr::ByteSlice;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{Capture, Class, Hir, HirKind, Look, Repetition};

use self::captures::CaptureGroups;
use self::classes::check_classes;
use self::codes::{with_residues, with_united_symbols};
use self::dialects::translated;
use self::groups::{is_exact, mark_groups};
use self::list_size::{AutomatonCost, ListSize, within_limits};
use super::constraints::ExactGroupRole;
use super::edge::Condition;
use super::expression::glushkov::{self, ParsedExpression};
use super::leaves::Leaves;
use super::problem::{ForeignConstruct, MAX_ALTERNATIVES, MAX_COST_OF_EXPRESSION, PatternProblem, Unsupported};
use super::reading::{Case, Groups, MatchExtent, Notation, ReadingOptions};
use super::{Edge, Expression, SymbolSet};
use nigh_text::alphabet::{Alphabet, INVALID_BYTE, Symbol};
use nigh_text::text::symbols;

/// One of the sequences that a pattern expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    pub(super) start: Edge,
    pub(super) symbols: Vec<SymbolSet>,
    /// Per symbol, whether it may be edited.
    pub(super) holds: Vec<ExactGroupRole>,
    pub(super) end: Edge,
}

/// An element of a sequence: the symbols of one position, or a condition between two positions.
#[derive(Debug, Clone)]
enum SyntaxItem {
    Symbols(SymbolSet, ExactGroupRole),
    Edge(Edge, Side),
}

/// The end of a pattern at which an edge is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
    Either,
}

/// The strings that a pattern stands for.
pub(super) enum Language {
    /// A list of strings, in the order in which they are written. Duplicates may occur.
    Strings(Vec<Alternative>),
    /// The strings of an automaton. The list has these strings if a search for them finds the ends of matches faster.
    Expression(ParsedExpression, Option<Vec<Alternative>>),
}

/// Parses a pattern.
pub(super) fn language(source: &[u8], reading: &ReadingOptions) -> Result<Language, PatternProblem> {
    let alphabet = reading.alphabet;
    if let Some(string) = plain_string(source, reading) {
        return Ok(Language::Strings(vec![string?]));
    }
    if let Some(words) = many_words(source, reading) {
        let mut all = Vec::new();
        for word in words {
            let Language::Strings(strings) = language(word, reading)? else { unreachable!("a word is a string") };
            all.extend(strings);
        }
        return Ok(Language::Strings(all));
    }
    let hir = parse(source, reading)?;
    let leaves = AlphabetLeaves { alphabet };
    let parsed = || {
        let parsed = glushkov::parse(&hir, &leaves)?;
        Ok(if alphabet.is_sequence() { parsed.without_order() } else { parsed })
    };
    let automaton = |strings| Ok(Language::Expression(parsed()?, strings));
    if let Some(repetition) = unbounded_repetition(&hir) {
        return if alphabet.is_sequence() { Err(unbounded(repetition)) } else { automaton(None) };
    }
    let positions = glushkov::count_positions(&hir, &leaves)?;
    let list = ListSize::of(&hir, &leaves)?;
    let has_constraints = !reading.has_plain_edits() || has_exact_group(&hir);
    let cost = match reading.overhang {
        Some(overhang) => AutomatonCost::Overhangs { sums: overhang.sums(reading.max_sum(list.shortest)) },
        None if alphabet.is_sequence() && (reading.whole == MatchExtent::Record || is_at_end(&hir)) => {
            AutomatonCost::AtEnds
        }
        None => AutomatonCost::Plain,
    };
    let has_automaton = has_automaton(positions) && !(reading.has_sites && has_exact_group_at_edge(&hir));
    // The cost of an automaton with constraints is limited.
    let is_allowed =
        !has_constraints && reading.overhang.is_none() || list.shortest > 0 && is_aligned_fast(list.shortest, reading);
    if has_automaton && is_allowed && list.is_dearer_than_automaton(positions, cost) {
        let parsed = parsed()?;
        if hangs_over(&parsed, list.shortest, reading) {
            return Ok(Language::Expression(parsed, None));
        }
    }
    let Some(strings) = strings(&hir, alphabet)? else { return automaton(None) };
    let shortest = strings.iter().map(|string| string.symbols.len()).filter(|&length| length > 0).min();
    if !has_automaton || strings.len() < 2 || !is_aligned_fast(shortest.unwrap_or(0), reading) {
        return Ok(Language::Strings(strings));
    }
    let parsed = parsed()?;
    Ok(match hangs_over(&parsed, list.shortest, reading) {
        true => Language::Expression(parsed, Some(strings)),
        false => Language::Strings(strings),
    })
}

/// Returns the groups of a pattern.
///
/// # Errors
/// Fails if the pattern cannot be parsed, or with [`PatternProblem::GroupsTooLarge`].
pub(super) fn captures(source: &[u8], reading: &ReadingOptions) -> Result<CaptureGroups, PatternProblem> {
    CaptureGroups::new(reading.alphabet, &parse_with_groups(source, reading)?)
}

/// Parses a pattern as a regular expression. In sequences, alternatives of one symbol are one class, and only exact groups
/// are kept.
fn parse(source: &[u8], reading: &ReadingOptions) -> Result<Hir, PatternProblem> {
    let hir = parse_with_groups(source, reading)?;
    Ok(if reading.alphabet.is_sequence() { with_united_symbols(hir) } else { hir })
}

/// Parses a pattern as a regular expression with all its groups.
fn parse_with_groups(source: &[u8], reading: &ReadingOptions) -> Result<Hir, PatternProblem> {
    let alphabet = reading.alphabet;
    let is_sequence = alphabet.is_sequence();
    let regex = regex(source, reading)?;
    check_classes(&regex)?;
    let regex = if is_sequence { with_residues(regex, alphabet) } else { regex };
    ParserBuilder::new()
        .utf8(false)
        .unicode(alphabet != Alphabet::Bytes)
        .case_insensitive(reading.case == Case::Insensitive && !is_sequence)
        .line_terminator(reading.terminator)
        .build()
        .parse(&regex)
        .map_err(|error| problem(&error))
}

/// Returns whether an expression with this number of positions can be searched for or aligned by an automaton, so that
/// its matches are those of one pattern.
fn has_automaton(positions: usize) -> bool {
    /// The largest number of positions, less some for initial states.
    const MAX_POSITIONS: usize = 4000;
    positions <= MAX_POSITIONS
}

/// Returns whether patterns do not hang over, or there is an automaton of the matches of this expression that do. Its shortest
/// string has `shortest` symbols.
fn hangs_over(parsed: &ParsedExpression, shortest: usize, reading: &ReadingOptions) -> bool {
    let Some(overhang) = reading.overhang else { return true };
    let is_anywhere = reading.whole == MatchExtent::Anything && reading.within.is_all();
    let has_limits = reading.max_ambiguous.is_some() || reading.is_near || reading.has_sites;
    let max_sum = reading.max_sum(shortest);
    let has_automaton = |expression: &Expression| expression.hanging_over(overhang, max_sum).is_some();
    is_anywhere && !has_limits && parsed.empty.is_empty() && parsed.expression.as_ref().is_some_and(has_automaton)
}

/// Returns whether the automaton of an expression whose shortest string has `shortest` symbols aligns its matches in little
/// more time than a search for its strings takes. This time grows with the square of the edits.
fn is_aligned_fast(shortest: usize, reading: &ReadingOptions) -> bool {
    reading.max_cost(shortest) <= MAX_COST_OF_EXPRESSION
}

/// Returns the words of an alternation of more words than an expression may have alternatives; `None` for other
/// patterns. The words have no more symbols than the pattern has, so their number needs no limit.
fn many_words<'a>(source: &'a [u8], reading: &ReadingOptions) -> Option<impl Iterator<Item = &'a [u8]>> {
    let words = || source.split(|&byte| byte == b'|');
    let are_words =
        reading.notation == Notation::Regex && !source.iter().any(|byte| br"\.+*?()[]{}^$<>".contains(byte));
    (are_words && words().count() > MAX_ALTERNATIVES).then(words)
}

/// Returns the strings of a bounded expression; `None` if a list of strings cannot represent them.
fn strings(hir: &Hir, alphabet: Alphabet) -> Result<Option<Vec<Alternative>>, PatternProblem> {
    match expand(hir, alphabet) {
        Ok(sequences) => Ok(sequences.into_iter().map(split_edges).collect()),
        Err(PatternProblem::TooManyAlternatives | PatternProblem::TooManySymbols) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Returns the first repetition without an upper bound.
fn unbounded_repetition(hir: &Hir) -> Option<&Repetition> {
    match hir.kind() {
        HirKind::Repetition(repetition) if repetition.max.is_none() => Some(repetition),
        HirKind::Repetition(repetition) => unbounded_repetition(&repetition.sub),
        HirKind::Capture(capture) => unbounded_repetition(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().find_map(unbounded_repetition),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => None,
    }
}

fn unbounded(repetition: &Repetition) -> PatternProblem {
    let least = repetition.min;
    let operator = match least {
        0 => "*".to_owned(),
        1 => "+".to_owned(),
        least => format!("{{{least},}}"),
    };
    PatternProblem::Unbounded { operator, least }
}

fn has_exact_group(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Capture(capture) => capture.name.as_deref().is_some_and(is_exact) || has_exact_group(&capture.sub),
        HirKind::Repetition(repetition) => has_exact_group(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_exact_group),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Returns whether a string of an expression begins or ends with an exact group. Such strings have sites, which are those of
/// single strings.
fn has_exact_group_at_edge(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Capture(capture) => {
            capture.name.as_deref().is_some_and(is_exact) || has_exact_group_at_edge(&capture.sub)
        }
        HirKind::Repetition(repetition) => has_exact_group_at_edge(&repetition.sub),
        HirKind::Concat(parts) => {
            let has_symbols = |part: &&Hir| !matches!(part.kind(), HirKind::Empty | HirKind::Look(_));
            let mut all = parts.iter().filter(has_symbols);
            [all.clone().next(), all.next_back()].into_iter().flatten().any(has_exact_group_at_edge)
        }
        HirKind::Alternation(parts) => parts.iter().any(has_exact_group_at_edge),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Returns whether all matches start where a line or record starts, or all end where one ends.
fn is_at_end(hir: &Hir) -> bool {
    let (before, after) = (hir.properties().look_set_prefix(), hir.properties().look_set_suffix());
    [Look::Start, Look::StartLF].into_iter().any(|look| before.contains(look))
        || [Look::End, Look::EndLF].into_iter().any(|look| after.contains(look))
}

/// The leaves of an expression over an alphabet.
struct AlphabetLeaves {
    alphabet: Alphabet,
}

impl Leaves for AlphabetLeaves {
    fn sets(&self, leaf: &Hir) -> Result<Vec<SymbolSet>, PatternProblem> {
        match leaf.kind() {
            HirKind::Literal(literal) => literal_symbols(&literal.0, self.alphabet),
            HirKind::Class(class) => Ok(vec![class_symbols(class, self.alphabet)?]),
            _ => unreachable!("only literals and classes have symbols"),
        }
    }

    fn count(&self, leaf: &Hir) -> Result<usize, PatternProblem> {
        match leaf.kind() {
            HirKind::Literal(literal) if !self.alphabet.is_sequence() => Ok(symbols(self.alphabet, &literal.0).count()),
            HirKind::Class(_) if !self.alphabet.is_sequence() => Ok(1),
            _ => Ok(self.sets(leaf)?.len()),
        }
    }

    fn is_exact(&self, group: &Capture) -> bool {
        group.name.as_deref().is_some_and(is_exact)
    }

    fn condition(&self, leaf: &Hir) -> Result<Condition, PatternProblem> {
        let HirKind::Look(look) = leaf.kind() else { return Ok(Condition::FREE) };
        let (edge, side) = edge_of(*look, self.alphabet)?;
        let edge = if self.alphabet == Alphabet::Bytes { edge.of_bytes() } else { edge };
        Ok(match side {
            Side::Start | Side::Either => Condition::new(edge, Edge::FREE),
            Side::End => Condition::new(Edge::FREE, edge),
        })
    }
}

/// Returns the string of a pattern that needs no parser: ASCII letters, digits and spaces, which stand for themselves in
/// every notation, and exact groups of them. Returns `None` for other patterns.
fn plain_string(source: &[u8], reading: &ReadingOptions) -> Option<Result<Alternative, PatternProblem>> {
    let is_case_kept = reading.case == Case::Sensitive || reading.alphabet.is_sequence();
    let mut is_open = false;
    for &byte in source {
        match byte {
            b'<' if reading.groups == Groups::Exact && !is_open => is_open = true,
            b'>' if is_open => is_open = false,
            byte if byte.is_ascii_alphanumeric() || byte == b' ' => {}
            _ => return None,
        }
    }
    (is_case_kept && !is_open).then(|| {
        let (mut symbols, mut holds) = (Vec::with_capacity(source.len()), Vec::with_capacity(source.len()));
        let groups = [ExactGroupRole::Free, ExactGroupRole::First].into_iter().cycle();
        for (part, first) in source.split(|byte| matches!(byte, b'<' | b'>')).zip(groups) {
            add_literal(part, reading.alphabet, &mut symbols)?;
            let next = if first == ExactGroupRole::First { ExactGroupRole::Next } else { first };
            holds.extend((0..part.len()).map(|index| if index == 0 { first } else { next }));
        }
        Ok(Alternative { start: Edge::FREE, symbols, holds, end: Edge::FREE })
    })
}

/// Returns a pattern of any notation as a regular expression.
pub(super) fn regex(source: &[u8], reading: &ReadingOptions) -> Result<String, PatternProblem> {
    let source = &*match reading.notation {
        Notation::Regex => translated(source, reading.alphabet)?,
        Notation::Literal => Cow::Borrowed(source),
    };
    Ok(match reading.groups {
        Groups::Ordinary => as_regex(source, reading.alphabet, reading.notation),
        Groups::Exact => as_regex(&mark_groups(source, reading.notation)?, reading.alphabet, Notation::Regex),
    })
}

/// Returns `source` as a regular expression. Escapes invalid UTF-8 bytes, and the meta-characters of a literal.
fn as_regex(source: &[u8], alphabet: Alphabet, notation: Notation) -> String {
    let mut regex = String::with_capacity(source.len());
    for chunk in source.utf8_chunks() {
        match notation {
            Notation::Regex => regex.push_str(chunk.valid()),
            Notation::Literal => regex_syntax::escape_into(chunk.valid(), &mut regex),
        }
        for byte in chunk.invalid() {
            let escaped = match alphabet {
                Alphabet::Bytes => write!(regex, "\\x{byte:02X}"),
                _ => write!(regex, "(?-u:\\x{byte:02X})"),
            };
            escaped.expect("a string takes all that is written to it");
        }
    }
    regex
}

fn problem(error: &regex_syntax::Error) -> PatternProblem {
    if let regex_syntax::Error::Parse(error) = error {
        match error.kind() {
            ErrorKind::UnsupportedLookAround => return PatternProblem::Unsupported(Unsupported::LookAround),
            ErrorKind::UnsupportedBackreference => return PatternProblem::Unsupported(Unsupported::Backreference),
            ErrorKind::EscapeUnrecognized | ErrorKind::FlagUnrecognized => {
                let read = &error.pattern()[..error.span().end.offset];
                if let Some(construct) = ForeignConstruct::at_end_of(read) {
                    return PatternProblem::Foreign(construct);
                }
            }
            _ => {}
        }
    }
    PatternProblem::Syntax(one_line(error))
}

fn one_line(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) if *error.kind() == ErrorKind::DecimalInvalid => {
            format!("invalid number of repeats; the largest is {}", u32::MAX)
        }
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string().lines().last().unwrap_or_default().to_owned(),
    }
}

fn expand(hir: &Hir, alphabet: Alphabet) -> Result<Vec<Vec<SyntaxItem>>, PatternProblem> {
    match hir.kind() {
        HirKind::Empty => Ok(vec![Vec::new()]),
        HirKind::Literal(literal) => literal_items(&literal.0, alphabet).map(|items| vec![items]),
        HirKind::Class(class) => {
            let set = class_symbols(class, alphabet)?;
            Ok(vec![vec![SyntaxItem::Symbols(set, ExactGroupRole::Free)]])
        }
        HirKind::Look(look) => {
            let (edge, side) = edge_of(*look, alphabet)?;
            Ok(vec![vec![SyntaxItem::Edge(edge, side)]])
        }
        HirKind::Capture(capture) => {
            let mut all = expand(&capture.sub, alphabet)?;
            if capture.name.as_deref().is_some_and(is_exact) {
                all.iter_mut().for_each(|items| hold(items));
            }
            Ok(all)
        }
        HirKind::Repetition(repetition) => repeat(repetition, alphabet),
        HirKind::Concat(parts) => {
            parts.iter().try_fold(vec![Vec::new()], |heads, part| append(&heads, &expand(part, alphabet)?))
        }
        HirKind::Alternation(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(expand(part, alphabet)?);
                within_limits(all.len(), 0)?;
            }
            Ok(all)
        }
    }
}

/// Marks the symbols of an exact group.
fn hold(items: &mut [SyntaxItem]) {
    let mut next = ExactGroupRole::First;
    for item in items {
        if let SyntaxItem::Symbols(_, hold) = item {
            *hold = next;
            next = ExactGroupRole::Next;
        }
    }
}

fn repeat(repetition: &Repetition, alphabet: Alphabet) -> Result<Vec<Vec<SyntaxItem>>, PatternProblem> {
    let max = repetition.max.expect("unbounded repetitions are refused before");
    let once = expand(&repetition.sub, alphabet)?;
    let (min, max) = (repetition.min as usize, max as usize);
    if let [only] = &once[..] {
        within_limits(max - min + 1, only.len().saturating_mul(max).saturating_mul(max - min + 1))?;
        return Ok((min..=max)
            .map(|count| std::iter::repeat_n(&only[..], count).flatten().cloned().collect())
            .collect());
    }
    let mut all = Vec::new();
    let mut repeated = vec![Vec::new()];
    for count in 0..=max {
        if count >= min {
            all.extend_from_slice(&repeated);
            within_limits(all.len(), all.iter().map(Vec::len).sum())?;
        }
        if count < max {
            repeated = append(&repeated, &once)?;
        }
    }
    Ok(all)
}

/// Returns the concatenation of every head with every tail.
fn append(heads: &[Vec<SyntaxItem>], tails: &[Vec<SyntaxItem>]) -> Result<Vec<Vec<SyntaxItem>>, PatternProblem> {
    let symbols = |parts: &[Vec<SyntaxItem>]| parts.iter().map(Vec::len).sum::<usize>();
    within_limits(heads.len() * tails.len(), symbols(heads) * tails.len() + symbols(tails) * heads.len())?;
    let joined = heads.iter().flat_map(|head| tails.iter().map(move |tail| [&head[..], &tail[..]].concat()));
    Ok(joined.collect())
}

fn literal_items(literal: &[u8], alphabet: Alphabet) -> Result<Vec<SyntaxItem>, PatternProblem> {
    let sets = literal_symbols(literal, alphabet)?.into_iter();
    Ok(sets.map(|set| SyntaxItem::Symbols(set, ExactGroupRole::Free)).collect())
}

fn literal_symbols(literal: &[u8], alphabet: Alphabet) -> Result<Vec<SymbolSet>, PatternProblem> {
    let mut sets = Vec::with_capacity(literal.len());
    add_literal(literal, alphabet, &mut sets)?;
    Ok(sets)
}

/// Adds the symbol sets of a literal to `sets`.
fn add_literal(literal: &[u8], alphabet: Alphabet, sets: &mut Vec<SymbolSet>) -> Result<(), PatternProblem> {
    if !alphabet.is_sequence() {
        sets.extend(symbols(alphabet, literal).map(|placed| SymbolSet::single(placed.symbol)));
        return Ok(());
    }
    for placed in symbols(Alphabet::Text, literal) {
        let residues = u8::try_from(placed.symbol).map_or(0, |letter| alphabet.residues_in_pattern(letter));
        if residues == 0 {
            let letter = literal[placed.start..placed.end].to_str_lossy().into_owned();
            return Err(PatternProblem::NotACode { letter, alphabet });
        }
        sets.push(residue_set(residues, alphabet));
    }
    Ok(())
}

/// Returns the symbols that match a set of residues. Sets of bases are made once: there may be millions of patterns.
fn residue_set(residues: u32, alphabet: Alphabet) -> SymbolSet {
    static OF_BASES: LazyLock<Vec<SymbolSet>> =
        LazyLock::new(|| (0..16).map(|residues| new_residue_set(residues, Alphabet::Dna)).collect());
    match alphabet {
        Alphabet::Dna => OF_BASES[residues as usize].clone(),
        _ => new_residue_set(residues, alphabet),
    }
}

fn new_residue_set(residues: u32, alphabet: Alphabet) -> SymbolSet {
    SymbolSet::from_ranges(alphabet.symbols_within(residues).into_iter().map(|symbol| (symbol, symbol)))
}

fn class_symbols(class: &Class, alphabet: Alphabet) -> Result<SymbolSet, PatternProblem> {
    let ranges: Vec<(Symbol, Symbol)> = match class {
        Class::Unicode(class) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (Symbol::from(range.start()), Symbol::from(range.end()))).collect()
        }
        Class::Bytes(class) => {
            let ranges = class.ranges().iter();
            ranges.flat_map(|range| byte_ranges(range.start(), range.end(), alphabet)).collect()
        }
    };
    let set = SymbolSet::from_ranges(ranges);
    if !alphabet.is_sequence() {
        return Ok(set);
    }
    let residues = class_residues(&set, alphabet);
    if residues == 0 {
        return Err(PatternProblem::NotACode { letter: "[...]".to_owned(), alphabet });
    }
    Ok(residue_set(residues, alphabet))
}

/// Converts a range of bytes to ranges of symbols. In text, a byte from 0x80 is an invalid byte, not the character of
/// the same number.
fn byte_ranges(first: u8, last: u8, alphabet: Alphabet) -> Vec<(Symbol, Symbol)> {
    let (first, last) = (Symbol::from(first), Symbol::from(last));
    if alphabet != Alphabet::Text {
        return vec![(first, last)];
    }
    let ascii = (first <= 0x7f).then(|| (first, last.min(0x7f)));
    let other = (last >= 0x80).then(|| (INVALID_BYTE + first.max(0x80), INVALID_BYTE + last));
    ascii.into_iter().chain(other).collect()
}

/// Returns the residues of a class. A negated class contains no stop `*`.
fn class_residues(set: &SymbolSet, alphabet: Alphabet) -> u32 {
    alphabet.residues_where(|letter| set.contains(letter.into()))
}

fn edge_of(look: Look, alphabet: Alphabet) -> Result<(Edge, Side), PatternProblem> {
    match look {
        Look::Start | Look::StartLF => Ok((Edge::RECORD, Side::Start)),
        Look::End | Look::EndLF => Ok((Edge::RECORD, Side::End)),
        Look::StartCRLF | Look::EndCRLF => Err(PatternProblem::Look("(?R)")),
        _ if alphabet.is_sequence() => Err(PatternProblem::NoWords),
        Look::WordAscii | Look::WordUnicode => Ok((Edge::WORD_BOUNDARY, Side::Either)),
        Look::WordAsciiNegate | Look::WordUnicodeNegate => Ok((Edge::NO_WORD_BOUNDARY, Side::Either)),
        Look::WordStartAscii | Look::WordStartUnicode => Ok((Edge::WORD_INSIDE, Side::Start)),
        Look::WordEndAscii | Look::WordEndUnicode => Ok((Edge::WORD_INSIDE, Side::End)),
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => Ok((Edge::OUTSIDE_WORD, Side::Start)),
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => Ok((Edge::OUTSIDE_WORD, Side::End)),
    }
}

/// Removes the edges from both ends of a sequence. Returns `None` if an edge is between two symbols, or at an end where
/// its condition depends on symbols of the match.
fn split_edges(items: Vec<SyntaxItem>) -> Option<Alternative> {
    let is_edge = |item: &SyntaxItem| matches!(item, SyntaxItem::Edge(..));
    let leading = items.iter().take_while(|item| is_edge(item)).count();
    let trailing = items.iter().rev().take_while(|item| is_edge(item)).count();
    let (last_leading, first_trailing) = (leading, items.len() - trailing);
    let (mut start, mut end) = (Edge::FREE, Edge::FREE);
    let mut symbols = Vec::with_capacity(items.len());
    let mut holds = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match item {
            SyntaxItem::Symbols(set, hold) => {
                symbols.push(set);
                holds.push(hold);
            }
            SyntaxItem::Edge(edge, side) if index < last_leading && side != Side::End => start = start.and(edge),
            SyntaxItem::Edge(edge, side) if index >= first_trailing && side != Side::Start => end = end.and(edge),
            SyntaxItem::Edge(..) => return None,
        }
    }
    Some(Alternative { start, symbols, holds, end })
}
