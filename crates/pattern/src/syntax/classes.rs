//! Rejects sets of letters that look like a misspelt character class, as GNU grep does: `[:space:]` outside brackets,
//! and `[[:spce:]]`.

use regex_syntax::ast::{self, Ast, ClassBracketed, ClassSetItem, Visitor};

use crate::problem::PatternProblem;

/// Returns [`PatternProblem::NoClass`] if the expression contains a set of letters that looks like a class.
pub(super) fn check_classes(regex: &str) -> Result<(), PatternProblem> {
    if !regex.contains(":]") {
        return Ok(());
    }
    match ast::parse::Parser::new().parse(regex) {
        Ok(parsed) => ast::visit(&parsed, ClassVisitor { regex }),
        // A syntax error is reported by the parser of the set.
        Err(_) => Ok(()),
    }
}

struct ClassVisitor<'r> {
    regex: &'r str,
}

impl ClassVisitor<'_> {
    /// Rejects a set that starts with `[:` or `[^:` and ends with `:]`, with at least one letter in between.
    fn check(&self, class: &ClassBracketed) -> Result<(), PatternProblem> {
        let text = &self.regex[class.span.start.offset..class.span.end.offset];
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or_default();
        let inside = inside.strip_prefix('^').unwrap_or(inside);
        if inside.len() > 2 && inside.starts_with(':') && inside.ends_with(':') {
            Err(PatternProblem::NoClass(text.to_owned()))
        } else {
            Ok(())
        }
    }
}

impl Visitor for ClassVisitor<'_> {
    type Output = ();
    type Err = PatternProblem;

    fn finish(self) -> Result<(), PatternProblem> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), PatternProblem> {
        match ast {
            Ast::ClassBracketed(class) => self.check(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), PatternProblem> {
        match item {
            ClassSetItem::Bracketed(class) => self.check(class),
            _ => Ok(()),
        }
    }
}
