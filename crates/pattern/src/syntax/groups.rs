//! Exact groups: the parts of a pattern between `<` and `>`, which must match without an edit.
//!
//! Each pair of angle brackets is rewritten as a named group of a regular expression, which the parser then treats
//! like any other group. One pass over the pattern.

use crate::problem::PatternProblem;
use crate::reading::Notation;

/// Prefix of the names of the groups that replace angle brackets.
const NAME: &str = "nigh.exact.";

/// Returns whether a group of this name replaces angle brackets.
pub(super) fn is_exact(name: &str) -> bool {
    name.starts_with(NAME)
}

/// Rewrites a pattern with angle brackets as a regular expression in which each pair is a uniquely named group. `\<`
/// and `\>` become literal symbols.
///
/// # Errors
/// [`PatternProblem::Syntax`] if a bracket has no partner.
pub(super) fn mark_groups(source: &[u8], notation: Notation) -> Result<Vec<u8>, PatternProblem> {
    let mut marker = Marker { source, at: 0, regex: Vec::with_capacity(2 * source.len()), open: 0, groups: 0 };
    while let Some(&byte) = source.get(marker.at) {
        let taken = marker.escape();
        match byte {
            _ if taken => {}
            b'<' => marker.begin(),
            b'>' => marker.end()?,
            b'\\' if notation == Notation::Regex => marker.copy(2),
            b'[' if notation == Notation::Regex => marker.class(),
            b'(' if notation == Notation::Regex => marker.group(),
            _ if notation == Notation::Regex => marker.copy(1),
            _ => marker.literal(byte),
        }
    }
    if marker.open > 0 {
        return Err(PatternProblem::Syntax("unclosed '<'; write '\\<' to match the symbol".to_owned()));
    }
    Ok(marker.regex)
}

struct Marker<'a> {
    source: &'a [u8],
    at: usize,
    regex: Vec<u8>,
    /// Number of exact groups that are open.
    open: usize,
    /// Number of exact groups opened so far, which is part of the next name.
    groups: usize,
}

impl Marker<'_> {
    fn copy(&mut self, count: usize) {
        let end = self.source.len().min(self.at + count);
        self.regex.extend_from_slice(&self.source[self.at..end]);
        self.at = end;
    }

    fn literal(&mut self, byte: u8) {
        if regex_syntax::is_meta_character(char::from(byte)) && byte.is_ascii() {
            self.regex.push(b'\\');
        }
        self.regex.push(byte);
        self.at += 1;
    }

    /// Copies `\<` or `\>` as a literal symbol. Returns whether either was at the current position.
    fn escape(&mut self) -> bool {
        let plain: &[u8] = match self.source[self.at..] {
            [b'\\', b'<', ..] => b"\\x3C",
            [b'\\', b'>', ..] => b"\\x3E",
            _ => return false,
        };
        self.regex.extend_from_slice(plain);
        self.at += 2;
        true
    }

    fn begin(&mut self) {
        self.regex.extend_from_slice(format!("(?P<{NAME}{}>", self.groups).as_bytes());
        self.groups += 1;
        self.open += 1;
        self.at += 1;
    }

    fn end(&mut self) -> Result<(), PatternProblem> {
        let Some(open) = self.open.checked_sub(1) else {
            return Err(PatternProblem::Syntax("unopened '>'; write '\\>' to match the symbol".to_owned()));
        };
        self.open = open;
        self.regex.push(b')');
        self.at += 1;
        Ok(())
    }

    /// Copies an opening parenthesis, with the group's name in angle brackets if it has one, or the sign of a group that the
    /// parser refuses.
    fn group(&mut self) {
        let rest = &self.source[self.at..];
        if rest.starts_with(b"(?>") {
            return self.copy(3);
        }
        let is_named = rest.starts_with(b"(?<") || rest.starts_with(b"(?P<");
        let length = if is_named { rest.iter().position(|&b| b == b'>').map_or(rest.len(), |at| at + 1) } else { 1 };
        self.copy(length);
    }

    /// Copies a bracketed class, in which angle brackets are symbols.
    fn class(&mut self) {
        let mut depth = 0;
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                _ if self.escape() => continue,
                b'\\' => self.copy(2),
                b'[' => {
                    depth += 1;
                    self.copy(1);
                    self.class_start();
                }
                b']' => {
                    depth -= 1;
                    self.copy(1);
                }
                _ => self.copy(1),
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Copies the `^` and the literal `]` that may come first in a class.
    fn class_start(&mut self) {
        for first in [b'^', b']'] {
            if self.source.get(self.at) == Some(&first) {
                self.copy(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(source: &str) -> String {
        String::from_utf8(mark_groups(source.as_bytes(), Notation::Regex).unwrap()).unwrap()
    }

    #[test]
    fn angle_brackets_become_groups_with_names() {
        assert_eq!(regex("ab<c|d>e<f>"), "ab(?P<nigh.exact.0>c|d)e(?P<nigh.exact.1>f)");
        assert_eq!(regex(r"a\<b\>[<>\<]"), r"a\x3Cb\x3E[<>\x3C]");
        assert_eq!(regex("(?<n>a)(?P<m><b>)"), "(?<n>a)(?P<m>(?P<nigh.exact.0>b))");
        assert_eq!(regex("[]<][^]<[:alpha:]<]<x>"), "[]<][^]<[:alpha:]<](?P<nigh.exact.0>x)");
        let literal = mark_groups(br"a.<(\d>\<", Notation::Literal).unwrap();
        assert_eq!(String::from_utf8(literal).unwrap(), r"a\.(?P<nigh.exact.0>\(\\d)\x3C");
    }

    #[test]
    fn unbalanced_brackets_are_named() {
        for wrong in ["a<b", "a>b", "<a>>"] {
            assert!(
                matches!(mark_groups(wrong.as_bytes(), Notation::Regex), Err(PatternProblem::Syntax(_))),
                "{wrong}"
            );
        }
    }
}
