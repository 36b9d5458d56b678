//! Writes what the parser does not know in its notation, in one pass over the pattern:
//!
//! - Braces that are no quantifier stand for themselves, as in GNU grep -E, Perl, Python and JavaScript: `{"id": 5}`,
//!   `a{b}`. They get a backslash, and `{,3}` becomes `{0,3}`.
//! - `\Q...\E` is literal text, and `\e` the escape character, as in Perl.
//!
//! Braces that set edits, as in the module `regex` of Python, are refused.

use std::borrow::Cow;

use bstr::ByteSlice;
use memchr::{memchr, memchr2};

use crate::problem::PatternProblem;
use nigh_text::alphabet::Alphabet;

/// Returns a regular expression in the notation of the parser.
///
/// # Errors
/// [`PatternProblem::EditsInBraces`].
pub(super) fn translated(source: &[u8], alphabet: Alphabet) -> Result<Cow<'_, [u8]>, PatternProblem> {
    if memchr2(b'{', b'\\', source).is_none() {
        return Ok(Cow::Borrowed(source));
    }
    let written = Vec::with_capacity(source.len() + 8);
    let mut translator = Translator { source, at: 0, written, alphabet, has_operand: false };
    while let Some(&byte) = source.get(translator.at) {
        match byte {
            b'\\' => translator.escape(),
            b'[' => translator.class(),
            b'{' => translator.brace()?,
            b'(' => translator.group(),
            _ => {
                translator.copy(1);
                translator.has_operand = byte != b'|';
            }
        }
    }
    Ok(Cow::Owned(translator.written))
}

/// Copies a pattern, and translates parts of it.
struct Translator<'a> {
    source: &'a [u8],
    at: usize,
    written: Vec<u8>,
    alphabet: Alphabet,
    /// Whether a quantifier would have something to repeat here.
    has_operand: bool,
}

impl<'a> Translator<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.source[self.at..]
    }

    fn copy(&mut self, length: usize) {
        let copied = &self.rest()[..length];
        self.replace(length, copied);
    }

    /// Writes `replacement` in place of the next `length` bytes.
    fn replace(&mut self, length: usize, replacement: &[u8]) {
        self.written.extend_from_slice(replacement);
        self.at += length;
    }

    fn escape(&mut self) {
        let rest = self.rest();
        match rest.get(1) {
            Some(b'Q') => self.quoted(),
            Some(b'E') => self.at += 2,
            Some(b'e') => {
                self.replace(2, br"\x1B");
                self.has_operand = true;
            }
            _ => {
                self.copy(escape_length(rest));
                self.has_operand = true;
            }
        }
    }

    /// Writes the text from `\Q` to `\E`, or to the end of the pattern, with its special characters escaped.
    fn quoted(&mut self) {
        let text = &self.rest()[2..];
        let (text, after) = text.split_once_str(r"\E").unwrap_or((text, b""));
        for &byte in text {
            match byte {
                // A backslash before one of these has other meanings.
                b'<' => self.written.extend_from_slice(br"\x3C"),
                b'>' => self.written.extend_from_slice(br"\x3E"),
                _ if byte.is_ascii() && regex_syntax::is_meta_character(char::from(byte)) => {
                    self.written.extend_from_slice(&[b'\\', byte]);
                }
                _ => self.written.push(byte),
            }
        }
        self.has_operand |= !text.is_empty();
        self.at = self.source.len() - after.len();
    }

    fn class(&mut self) {
        let end = self.at + class_length(self.rest());
        while self.at < end {
            let rest = self.rest();
            match rest {
                [b'\\', b'e', ..] => self.replace(2, br"\x1B"),
                [b'\\', ..] => self.copy(escape_length(rest)),
                _ => self.copy(1),
            }
        }
        self.has_operand = true;
    }

    /// Copies an opening parenthesis, with the name or the flags of its group.
    fn group(&mut self) {
        let rest = self.rest();
        let after_flags = |byte: &u8| !byte.is_ascii_alphabetic() && *byte != b'-';
        let end = match rest {
            [b'(', b'?', b'<', ..] | [b'(', b'?', b'P', b'<', ..] => memchr(b'>', rest),
            [b'(', b'?', flags @ ..] => flags.iter().position(after_flags).map(|end| end + 2),
            _ => Some(0),
        };
        self.copy(end.map_or(rest.len(), |end| end + 1));
        self.has_operand = false;
    }

    fn brace(&mut self) -> Result<(), PatternProblem> {
        let rest = self.rest();
        if let Some(braces) = edits_in_braces(rest)
            && (self.alphabet.is_sequence() || braces.contains(&b'<') || self.source[..self.at].ends_with(b")"))
        {
            return Err(PatternProblem::EditsInBraces(braces.to_str_lossy().into_owned()));
        }
        match Quantifier::of(rest).filter(|_| self.has_operand) {
            Some(Quantifier { length, has_minimum: true }) => self.copy(length),
            Some(Quantifier { .. }) => self.replace(1, b"{0"),
            None => self.replace(1, br"\{"),
        }
        self.has_operand = true;
        Ok(())
    }
}

/// Returns the braces at the start of `rest` if they set edits in the notation of the module `regex` of Python: conditions
/// such as `e<=1`, `1<=s<2` and `2i+2d+1s<=4`, or letters alone, with commas between them.
fn edits_in_braces(rest: &[u8]) -> Option<&[u8]> {
    let length = memchr(b'}', rest)? + 1;
    let inner = &rest[1..length - 1];
    // A class may follow, from which the edits are taken.
    let inner = inner.split_once_str(":").map_or(inner, |(conditions, _)| conditions);
    let is_condition = |condition: &[u8]| {
        let condition: Vec<u8> = condition.iter().copied().filter(|byte| *byte != b' ').collect();
        let letters = condition.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let terms = condition.iter().filter(|&&byte| byte == b'+').count() + 1;
        letters == terms && condition.iter().all(|byte| b"idse0123456789+<=".contains(byte))
    };
    inner.split(|&byte| byte == b',').all(is_condition).then(|| &rest[..length])
}

/// A quantifier: `{3}`, `{3,}`, `{3,5}` or `{,5}`.
struct Quantifier {
    /// Length in bytes, with both braces.
    length: usize,
    has_minimum: bool,
}

impl Quantifier {
    /// Reads the quantifier at the start of `rest`; `None` if there is none.
    fn of(rest: &[u8]) -> Option<Self> {
        let length = memchr(b'}', rest)? + 1;
        let inner = &rest[1..length - 1];
        let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        let comma = memchr(b',', inner);
        let (min, max) = (&inner[..comma.unwrap_or(inner.len())], &inner[comma.map_or(inner.len(), |at| at + 1)..]);
        let is_quantifier = is_number(min) && is_number(max) && (!min.is_empty() || !max.is_empty());
        is_quantifier.then_some(Quantifier { length, has_minimum: !min.is_empty() })
    }
}

/// Returns the length of the escape at the start of `rest`, with the braces that belong to it: `\x{e9}`, `\p{Greek}`,
/// `\b{start}`.
fn escape_length(rest: &[u8]) -> usize {
    let length = rest.len().min(2);
    let takes_braces = rest.get(1).is_some_and(|letter| b"xuUpP".contains(letter))
        || [&b"\\b{start"[..], b"\\b{end"].iter().any(|edge| rest.starts_with(edge));
    match memchr(b'}', rest) {
        Some(end) if takes_braces && rest.get(2) == Some(&b'{') => end + 1,
        _ => length,
    }
}

/// Returns the length of the class at the start of `rest`, or of all of it if the class does not end.
fn class_length(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while let Some(&byte) = rest.get(at) {
        at += if byte == b'\\' { escape_length(&rest[at..]) } else { 1 };
        match byte {
            b'[' => {
                depth += 1;
                at += usize::from(rest.get(at) == Some(&b'^'));
                at += usize::from(rest.get(at) == Some(&b']'));
            }
            b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> String {
        String::from_utf8(translated(source.as_bytes(), Alphabet::Text).unwrap().into_owned()).unwrap()
    }

    #[test]
    fn braces_that_are_no_quantifier_are_literal() {
        let cases = [
            (r#"{"level":"error"}"#, r#"\{"level":"error"}"#),
            ("%{IP:client}", r"%\{IP:client}"),
            ("a{b}{2}", r"a\{b}{2}"),
            ("a{1,2}b{3}c{4,}", "a{1,2}b{3}c{4,}"),
            (".{,10}{,}", r".{0,10}\{,}"),
            ("a{1", r"a\{1"),
            ("a{ 1}{-1}{1,x}", r"a\{ 1}\{-1}\{1,x}"),
            (r"\{a\\{b\x{e9}\p{Greek}\b{start}\b{2}\d{3}", r"\{a\\\{b\x{e9}\p{Greek}\b{start}\b{2}\d{3}"),
            (r"[{a}][]{x][^]{][a[{]b{][\]{]{", r"[{a}][]{x][^]{][a[{]b{][\]{]\{"),
            ("[{", "[{"),
            ("é{ü}", r"é\{ü}"),
        ];
        for (source, expected) in cases {
            assert_eq!(of(source), expected, "{source}");
        }
        assert!(matches!(translated(b"a}b", Alphabet::Text), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn braces_with_nothing_to_repeat_are_literal() {
        let cases = [
            ("{3}a", r"\{3}a"),
            ("a|{3}", r"a|\{3}"),
            ("({2}|(?:{2}))", r"(\{2}|(?:\{2}))"),
            ("(?<n>{2})(?P<m>{,2})", r"(?<n>\{2})(?P<m>\{,2})"),
            ("(?i){2}", r"(?i)\{2}"),
            ("(a){2}^{3}", "(a){2}^{3}"),
        ];
        for (source, expected) in cases {
            assert_eq!(of(source), expected, "{source}");
        }
    }

    #[test]
    fn quoted_text_is_literal() {
        let cases = [
            (r"\Qa.b\E.", r"a\.b."),
            (r"x\Q{1}<[", r"x\{1\}\x3C\["),
            (r"\Q\d\E{2}\E", r"\\d{2}"),
            (r"\e[\e\n]\\e", r"\x1B[\x1B\n]\\e"),
            (r"[\Qa]", r"[\Qa]"),
        ];
        for (source, expected) in cases {
            assert_eq!(of(source), expected, "{source}");
        }
    }

    #[test]
    fn braces_that_set_edits_are_refused() {
        let is_refused = |source: &str, alphabet| translated(source.as_bytes(), alphabet).is_err();
        for edits in [
            "(a){e<=1}",
            "a{i<2,d<=1}",
            "[ab]{ 1 <= e <= 3 }",
            "(a){2i+2d+1s<=4}",
            "(a){e<=1:[a-z]}",
            "(a){e}",
            "(a){i,d}",
        ] {
            assert!(is_refused(edits, Alphabet::Text) && is_refused(edits, Alphabet::Dna), "{edits}");
        }
        for literal in
            ["user{i}", "{e}", "{}", "(a){}", "(a){x<1}", "(a){is}", r#"{"e<=1":2}"#, "{1<2}", "a{i", "(a){2}"]
        {
            assert!(!is_refused(literal, Alphabet::Text), "{literal}");
        }
        assert!(is_refused("A{e}", Alphabet::Dna) && !is_refused("A{2}", Alphabet::Dna));
    }
}
