//! Writes the letters of an expression for sequences as the single residues that they stand for: `[^R]` becomes
//! `[^AG]`, and `Y` becomes `[CT]`. The parser negates classes and unites alternatives of one symbol, and then does so
//! with residues.
//!
//! The stop `*` of proteins belongs to no negated class, so it becomes one of the letters that a class excludes.

use std::ops::Range;

use regex_syntax::ast::{self, Ast, ClassAsciiKind, ClassBracketed, ClassSetItem, Visitor};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use super::groups::is_exact;
use nigh_text::alphabet::Alphabet;

/// Returns an expression in which each code of the alphabet is written as the residues that it stands for. Other letters
/// and symbols stay as they are. An invalid expression is returned unchanged.
pub(super) fn with_residues(regex: String, alphabet: Alphabet) -> String {
    let Ok(parsed) = ast::parse::Parser::new().parse(&regex) else { return regex };
    let visitor = CodeVisitor { regex: &regex, alphabet, replaced: Vec::new() };
    let Ok(replaced) = ast::visit(&parsed, visitor);
    let mut written = String::with_capacity(2 * regex.len());
    let mut copied = 0;
    for Replacement { span, text } in replaced {
        written.push_str(&regex[copied..span.start]);
        written.push_str(&text);
        copied = span.end;
    }
    written.push_str(&regex[copied..]);
    written
}

/// A part of an expression, and the text that replaces it.
struct Replacement {
    span: Range<usize>,
    text: String,
}

/// Collects the replacements of an expression, in the order in which they are written.
struct CodeVisitor<'r> {
    regex: &'r str,
    alphabet: Alphabet,
    replaced: Vec<Replacement>,
}

impl CodeVisitor<'_> {
    /// Returns the letters of the residues that any of the letters stands for, escaped.
    fn residues(&self, letters: impl Iterator<Item = char>) -> String {
        let bytes = letters.filter_map(|letter| u8::try_from(letter).ok());
        let residues = bytes.fold(0, |set, letter| set | self.alphabet.residues_in_pattern(letter));
        let single = self.alphabet.letters_of(residues);
        single.map(|letter| regex_syntax::escape(&char::from(letter).to_string())).collect()
    }

    fn replace(&mut self, span: ast::Span, text: String) {
        self.replaced.push(Replacement { span: span.start.offset..span.end.offset, text });
    }

    fn replace_letters(&mut self, span: ast::Span, residues: String, written: impl FnOnce(String) -> String) {
        if !residues.is_empty() {
            self.replace(span, written(residues));
        }
    }

    /// Adds the stop to the letters that a negated class excludes.
    fn add_stop(&mut self, class: &ClassBracketed) {
        if class.negated {
            // The span of the class begins with the bracket and the sign of the negation.
            let start = class.span.start.offset;
            self.replaced.push(Replacement { span: start..start + "[^".len(), text: r"[^\*".to_owned() });
        }
    }

    /// Removes the stop from a class that is not written letter by letter.
    fn remove_stop(&mut self, span: ast::Span) {
        let text = format!("[{}--\\*]", &self.regex[span.start.offset..span.end.offset]);
        self.replace(span, text);
    }
}

impl Visitor for CodeVisitor<'_> {
    type Output = Vec<Replacement>;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.replaced)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::Literal(literal) => {
                let residues = self.residues(std::iter::once(literal.c));
                self.replace_letters(literal.span, residues, |residues| format!("[{residues}]"));
            }
            Ast::Dot(span) => self.replace(**span, r"[^\n*]".to_owned()),
            Ast::ClassPerl(class) => self.remove_stop(class.span),
            Ast::ClassUnicode(class) => self.remove_stop(class.span),
            Ast::ClassBracketed(class) => self.add_stop(class),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => {
                let residues = self.residues(std::iter::once(literal.c));
                self.replace_letters(literal.span, residues, |residues| residues);
            }
            ClassSetItem::Range(range) => {
                let residues = self.residues(range.start.c..=range.end.c.min('\x7f'));
                self.replace_letters(range.span, residues, |residues| residues);
            }
            ClassSetItem::Perl(class) => self.remove_stop(class.span),
            ClassSetItem::Unicode(class) => self.remove_stop(class.span),
            ClassSetItem::Ascii(class) if class.kind == ClassAsciiKind::Lower => {
                let is_not = if class.negated { "^" } else { "" };
                self.replace(class.span, format!("[:{is_not}upper:]"));
            }
            ClassSetItem::Ascii(class) => self.remove_stop(class.span),
            ClassSetItem::Bracketed(class) => self.add_stop(class),
            _ => {}
        }
        Ok(())
    }
}

/// Returns an expression in which alternatives of one symbol are one class.
pub(super) fn with_united_symbols(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(with_united_symbols(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(with_united_symbols(*capture.sub));
            // Any other group is as good as its content.
            if capture.name.as_deref().is_some_and(is_exact) { Hir::capture(capture) } else { *capture.sub }
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(with_united_symbols).collect()),
        HirKind::Alternation(parts) => united(parts.into_iter().map(with_united_symbols).collect()),
    }
}

/// Returns the alternatives `parts`, with one class, at the place of the first, for those that are one symbol.
fn united(parts: Vec<Hir>) -> Hir {
    let mut class = ClassUnicode::empty();
    let (mut place, mut others) = (None, Vec::with_capacity(parts.len()));
    for part in parts {
        match symbols(&part) {
            Some(symbols) => {
                class.union(&symbols);
                place.get_or_insert(others.len());
            }
            None => others.push(part),
        }
    }
    if let Some(place) = place {
        others.insert(place, Hir::class(Class::Unicode(class)));
    }
    Hir::alternation(others)
}

/// Returns the symbols of an expression that always matches one of them; `None` for other expressions.
fn symbols(hir: &Hir) -> Option<ClassUnicode> {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            let only = chars.next().filter(|_| chars.next().is_none())?;
            Some(ClassUnicode::new([ClassUnicodeRange::new(only, only)]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{PatternSet, PatternSource, SymbolSet};
    use nigh_text::alphabet::Alphabet;

    const CODES: [(char, &str); 17] = [
        ('A', "A"),
        ('C', "C"),
        ('G', "G"),
        ('T', "T"),
        ('U', "T"),
        ('R', "AG"),
        ('Y', "CT"),
        ('S', "CG"),
        ('W', "AT"),
        ('K', "GT"),
        ('M', "AC"),
        ('B', "CGT"),
        ('D', "AGT"),
        ('H', "ACT"),
        ('V', "ACG"),
        ('N', "ACGT"),
        ('I', "ACGT"),
    ];

    /// An expression of one symbol, and the bases that it stands for.
    type SymbolExpression = (String, String);

    fn letter(rng: &mut fastrand::Rng) -> SymbolExpression {
        let (letter, bases) = *rng.choice(&CODES).unwrap();
        let letter = if rng.bool() { letter } else { letter.to_ascii_lowercase() };
        (letter.to_string(), bases.to_owned())
    }

    fn class(rng: &mut fastrand::Rng) -> SymbolExpression {
        let letters: Vec<SymbolExpression> = (0..rng.usize(1..4)).map(|_| letter(rng)).collect();
        let text: String = letters.iter().map(|(text, _)| text.as_str()).collect();
        let bases: String = letters.into_iter().map(|(_, bases)| bases).collect();
        if rng.bool() {
            return (format!("[{text}]"), bases);
        }
        (format!("[^{text}]"), "ACGT".chars().filter(|&base| !bases.contains(base)).collect())
    }

    fn symbol(rng: &mut fastrand::Rng, depth: usize) -> SymbolExpression {
        match rng.usize(0..if depth == 0 { 2 } else { 4 }) {
            0 => letter(rng),
            1 => class(rng),
            _ => {
                let parts: Vec<SymbolExpression> = (0..rng.usize(2..4)).map(|_| symbol(rng, depth - 1)).collect();
                let texts: Vec<&str> = parts.iter().map(|(text, _)| text.as_str()).collect();
                let bases = parts.iter().map(|(_, bases)| bases.as_str()).collect();
                let group = if rng.bool() { "(" } else { "(?:" };
                (format!("{group}{})", texts.join("|")), bases)
            }
        }
    }

    fn sets(alphabet: Alphabet, pattern: &str) -> Option<Vec<Vec<SymbolSet>>> {
        let set = PatternSet::builder(alphabet).max_edits(crate::MaxEdits::Count(0));
        let set = set.build(&[PatternSource::new(pattern)]).ok()?;
        Some(set.patterns().iter().map(|one| one.symbols().to_vec()).collect())
    }

    #[test]
    fn letters_classes_and_alternatives_are_sets_of_bases() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let (text, bases) = symbol(&mut rng, 3);
            let is_in = |all: &str, base: char| all.contains(base);
            let code = CODES
                .iter()
                .find(|(_, of_code)| "ACGT".chars().all(|base| is_in(of_code, base) == is_in(&bases, base)));
            match code {
                Some((code, _)) => {
                    let expected = sets(Alphabet::Dna, &code.to_string());
                    assert_eq!(sets(Alphabet::Dna, &text), expected, "{text} is {code}");
                }
                // A class without bases is refused. An alternative without bases makes the whole one invalid or
                // changes nothing.
                None => assert_eq!(sets(Alphabet::Dna, &text), None, "{text} has no bases"),
            }
        }
    }

    #[test]
    fn one_symbol_among_longer_alternatives_is_a_class() {
        for (one, same) in [("(CC|T|A)G", "(CC|[AT])G"), ("(T|CC|(a))G", "(W|CC)G"), ("([^R]|AA|A)", "(H|AA)")] {
            assert_eq!(sets(Alphabet::Dna, one), sets(Alphabet::Dna, same), "{one}");
        }
    }

    #[test]
    fn a_negated_class_of_amino_acids_has_no_stop() {
        let same = |one, other| assert_eq!(sets(Alphabet::Protein, one), sets(Alphabet::Protein, other), "{one}");
        same("A[^b]", "A[ACEFGHIKLMOPQRSTUVWY]");
        same("A[^b*]", "A[^DN]");
        same("A.", "AX");
        same(r"A\D", "AX");
        same(r"A[\S]", "AX");
        same("A[[:lower:]]", "AX");
        same("A[X*]", r"A(X|\*)");
        same(r"A(\*|[^X])", r"A\*");
    }
}
