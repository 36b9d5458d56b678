//! Braces that are no quantifier stand for themselves, as in GNU grep -E, Perl, Python and JavaScript: `{"id": 5}`,
//! `a{b}`. They get a backslash, and `{,3}` becomes `{0,3}`, before the parser reads the pattern. One pass over it.

use std::borrow::Cow;

use memchr::memchr;

/// Returns a regular expression in which each brace outside of classes is a quantifier or has a backslash.
pub(super) fn with_literal_braces(source: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'{', source).is_none() {
        return Cow::Borrowed(source);
    }
    let mut written = Vec::with_capacity(source.len() + 8);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        let rest = &source[at..];
        let (length, replacement): (usize, &[u8]) = match byte {
            b'\\' => (escape_length(rest), b""),
            b'[' => (class_length(rest), b""),
            b'{' => match Quantifier::of(rest) {
                Some(Quantifier { length, has_minimum: true }) => (length, b""),
                Some(Quantifier { .. }) => (1, b"{0"),
                None => (1, b"\\{"),
            },
            _ => (1, b""),
        };
        written.extend_from_slice(if replacement.is_empty() { &rest[..length] } else { replacement });
        at += length;
    }
    Cow::Owned(written)
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
            assert_eq!(String::from_utf8_lossy(&with_literal_braces(source.as_bytes())), expected, "{source}");
        }
        assert!(matches!(with_literal_braces(b"a}b"), Cow::Borrowed(_)));
    }
}
