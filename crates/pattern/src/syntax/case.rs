//! Resolves smart case: determines from the patterns whether case matters.

use regex_syntax::ast::{self, Ast, ClassSetItem, Visitor};

use super::regex;
use crate::reading::{Case, ReadingOptions};
use crate::source::PatternSource;

impl Case {
    /// Resolves [`Case::Smart`] over all patterns together. As in ripgrep, case is ignored if the patterns contain a
    /// literal symbol and none is in upper case.
    pub(crate) fn of(self, sources: &[PatternSource], reading: &ReadingOptions) -> Case {
        if self != Case::Smart {
            return self;
        }
        let mut literals = Literals::default();
        for source in sources {
            literals = literals.with_literals_of(source, &source.reading(reading));
        }
        if literals.any && !literals.upper { Case::Insensitive } else { Case::Sensitive }
    }
}

/// Whether literal symbols were seen, and whether one was in upper case.
#[derive(Debug, Clone, Copy, Default)]
struct Literals {
    any: bool,
    upper: bool,
}

impl Literals {
    fn with_literals_of(self, source: &PatternSource, reading: &ReadingOptions) -> Self {
        // A byte that is not UTF-8 has no case.
        let text = String::from_utf8_lossy(&source.text);
        let parsed =
            regex(text.as_bytes(), reading).ok().and_then(|regex| ast::parse::Parser::new().parse(&regex).ok());
        // An invalid pattern is reported when it is parsed for the set.
        parsed.and_then(|parsed| ast::visit(&parsed, self).ok()).unwrap_or(self)
    }

    fn add(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.upper |= literal.c.is_uppercase();
    }
}

impl Visitor for Literals {
    type Output = Self;
    type Err = ();

    fn finish(self) -> Result<Self, ()> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        if let Ast::Literal(literal) = ast {
            self.add(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        match item {
            ClassSetItem::Literal(literal) => self.add(literal),
            ClassSetItem::Range(range) => [&range.start, &range.end].into_iter().for_each(|end| self.add(end)),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Case, Groups, MaxEdits, Notation, PatternSet, PatternSource};
    use nigh_text::alphabet::{Alphabet, Symbol};

    fn ignores_case(patterns: &[&str], notation: Notation) -> bool {
        let builder = PatternSet::builder(Alphabet::Text).case(Case::Smart).notation(notation).groups(Groups::Exact);
        let sources: Vec<PatternSource> = patterns.iter().map(|&pattern| PatternSource::new(pattern)).collect();
        let set = builder.max_edits(MaxEdits::Count(0)).build(&sources).unwrap();
        set.patterns()[0].symbols()[0].contains(Symbol::from('A'))
    }

    #[test]
    fn an_upper_case_letter_in_any_pattern_makes_case_matter() {
        let regex = |patterns: &[&str]| ignores_case(patterns, Notation::Regex);
        assert!(regex(&["ab"]) && regex(&["a<b>"]) && regex(&[r"a\S"]) && regex(&[r"a\p{Lu}"]) && regex(&["a", "1"]));
        assert!(
            !regex(&["aB"])
                && !regex(&["ab", "C"])
                && !regex(&[r"a\x41"])
                && !regex(&["a[x-Z]".replace("x-Z", "X-Z").as_str()])
        );
        assert!(!regex(&["aÉ"]));
        assert!(ignores_case(&[r"a\s"], Notation::Literal) && !ignores_case(&[r"a\S"], Notation::Literal));
    }
}
